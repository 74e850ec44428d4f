"""Checks: what a careful reader would ask."""

from __future__ import annotations

from ..blocks import Grid, Prose, Section
from ..evidence import Evidence

MEANINGS = {
    "leak-suspect": "one column tells nearly everything; perhaps it is only known afterwards",
    "duplicates": "equal rows were both learnt and scored, which flatters the score",
    "id-like": "a column that numbers or names the rows was left out",
    "imbalance": "one class is rare, so accuracy says little",
    "few-rows": "a class has so few rows that its rates are uncertain",
    "overfit-gap": "the rows learnt are answered much better than rows left out",
    "no-better-than-baseline": "a constant answer may do as well",
    "fold-spread": "the score depends much on which rows were left out",
    "unstable-choice": "other splits chose other models",
    "poor-calibration": "the probabilities that were said do not come true as often",
    "collinear": "columns depend on each other; single coefficients mean little",
    "separated": "a plane separates the classes; coefficients would grow without a limit",
    "not-converged": "the iteration stopped before its end",
    "rows-learnt": "the score is not of fresh rows, so it is too good",
    "worse-than-before": "the rows have changed, or the first score was lucky",
}


def checks(evidence: Evidence) -> Section:
    failing = evidence.metrics["checks"]
    lead = "What a careful reader would ask, tried on this table. A finding is a question, not a verdict."
    if not failing:
        fresh = ("rows-learnt", "worse-than-before", "no-better-than-baseline")
        tried = ", ".join(fresh if evidence.fresh else [code for code in MEANINGS if code not in fresh[:2]])
        return Section("checks", "Checks", lead, [Prose(f"Nothing was found. Tried: {tried}.")])
    rows = [[check["code"], check["text"], MEANINGS.get(check["code"], "")] for check in failing]
    return Section(
        "checks", f"Checks: {len(failing)} to look at", lead, [Grid(["code", "what was found", "meaning"], rows)]
    )
