"""The table, how to use the model, where the numbers come from, and what they do not say."""

from __future__ import annotations

from typing import Any

from ...product.acceptance.learning import OneClass
from ...version import __version__
from ..blocks import Block, Code, Grid, Prose, Section
from ..numbers import shown
from ..sections.data import columns, notes_of


def data(found: OneClass) -> Section:
    blocks: list[Block] = [notes_of(found.model.model.report_), columns(found)]  # type: ignore[arg-type]
    lead = (
        "Numbers count in deviations from the mean; gaps are filled with the mean; each level of a category is a flag."
    )
    return Section("data", "The table", lead, blocks)


def use(found: OneClass) -> Section:
    code = "\n".join(
        [
            "import sumlearn as sl",
            "",
            'model = sl.load("model.skops")           # runs no code from the file',
            "inside = model.predict(table) == 1       # a pandas, polars or pyarrow table with the same columns",
            "scores = model.decision_function(table)  # not negative where a row is accepted",
        ]
    )
    lead = (
        "The model lies beside this report, in a file that needs no pickle. It tells whether new rows are of the class."
    )
    return Section(
        "use", "How to use the model", lead, [Code(code), Code("sumlearn predict model.skops new.csv --proba")]
    )


def provenance(found: OneClass, command: str) -> Section:
    metrics = found.metrics
    rows: list[list[Any]] = [
        ["data", f"{metrics['data']['name']}, SHA-256 {metrics['data']['sha256'] or 'of no file: a table in memory'}"],
        ["method", metrics["title"]],
        ["seed", str(metrics["seed"])],
        ["sumlearn", __version__],
    ]
    blocks: list[Block] = [Code(command)] if command else []
    lead = "The same command on the same data with the same versions gives the same model."
    return Section("provenance", "Where the numbers come from", lead, [*blocks, Grid(["", ""], rows)])


def limits(found: OneClass) -> Section:
    """What this report cannot tell."""
    points = [
        f"Whether rows of tomorrow are of the same class as these {shown(found.metrics['rows'])}.",
        "Whether outliers among the rows that were learnt have moved the border: the least typical ones show it.",
    ]
    if found.metrics["negatives"] is None:
        points.append(
            "How many rows of another kind are accepted: none of them is known to be one (--target, --normal)."
        )
    else:
        points.append("Whether other negatives are like these: what was never seen may lie anywhere.")
    if found.metrics["method"] == "gauss":
        points.append("Whether the class is one bell: bent or divided, it leaves room for outliers in its middle.")
    return Section("limits", "What this report cannot tell you", "", [Prose(point) for point in points])
