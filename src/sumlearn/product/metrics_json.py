"""The account of a training in plain values: for metrics.json and for the model file."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from ..decision.costs import Costs
from ..version import __version__
from .labelled_rows import LabelledRows, labelled_rows
from .metrics import Metric, metrics_for
from .nested_answers import BASELINE, PROCEDURE, NestedAnswers
from .opened_table import OpenedTable
from .procedure import LEVEL, Tuned, TunedChoice, learner_params
from .saved_score import CONFIDENCE, Estimate
from .tables import as_table
from .trained import TrainedModel
from .training_problem import Problem


def described(tuned: Tuned, metric: Any) -> dict[str, Any]:
    """A tuned candidate for a file."""
    candidate = tuned.candidate
    return {
        "model": candidate.name,
        "title": candidate.title,
        "params": shown_params(tuned.params),
        "inner_score": finite(metric.gain(tuned.gain)),
        "threshold": tuned.threshold,
        "can": list(candidate.can),
    }


def shown_params(params: dict[str, Any]) -> dict[str, Any]:
    """Hyperparameters without the prefix; objects by their numbers."""
    return {
        name: value if isinstance(value, int | float | str | None) else vars(value)
        for name, value in learner_params(params).items()
    }


def facts_of(
    table: OpenedTable, problem: Problem, choice: TunedChoice, final: dict[str, Any], weights: str | None
) -> dict[str, Any]:
    """What the model file says about itself."""
    target = problem.target
    winner = final[choice.winner.candidate.name]
    rival = None if choice.winner.candidate.can_all else choice.rival
    return {
        "target": target.name,
        "task": target.task,
        "classes": target.classes.tolist(),
        "positive": target.positive,
        "negative": target.negative if target.two_classes else None,
        "threshold": choice.winner.threshold,
        "costs": None if target.costs is None else costs_told(target.costs)["pairs"],
        "weights": weights,
        "ids": problem.columns["ids"] or [],
        "columns": used_columns(winner),
        "dates": date_types(winner, problem.frame),
        "spelling": None if table.blocks is None else table.blocks.spelling(target.name),
        "reading": None if table.found is None else table.found.facts(),
        "rows": len(target.values),
        "model": described(choice.winner, problem.metric),
        "rival": None if rival is None else described(rival, problem.metric),
        "history": [{"what": "train", "rows": len(target.values), "source": table.name, "sha256": table.digest}],
        "sumlearn": __version__,
    }


def used_columns(model: Any) -> list[str]:
    """Columns that a fitted TableModel reads."""
    return [column.name for column in model.schema_.used]


def date_types(model: Any, frame: Any) -> dict[str, str]:
    """The types that columns of dates had: the hashes of rows depend on them."""
    dates = [column.name for column in model.schema_.used if column.kind == "date"]
    types = {name: str(frame.schema.field(name).type) for name in dates}
    return {name: type for name, type in types.items() if "tz=" not in type}


def rows_learnt(problem: Problem, facts: dict[str, Any]) -> LabelledRows:
    """The rows of a training, as `update` and `forget` see them."""
    import pyarrow as pa

    target = problem.target
    frame = problem.frame.append_column(target.name, pa.array(target.values))
    if target.weight is not None:
        frame = frame.append_column(facts["weights"], pa.array(target.weight))
    return labelled_rows(as_table(frame), facts)


def account_of(
    table: OpenedTable,
    problem: Problem,
    choice: TunedChoice,
    nested: NestedAnswers,
    model: TrainedModel,
    dropped: int,
    scores: dict[str, Estimate],
    refits: int,
) -> dict[str, Any]:
    """The honest account: everything that metrics.json says but the checks."""
    target, metric = problem.target, problem.metric
    known = metrics_for(target, problem.costs)
    rows = np.arange(len(target.values))
    return {
        "format": 2,
        "data": {"name": table.name, "sha256": table.digest, "rows": table.rows, "columns": len(table.columns)},
        "target": target.name,
        "task": target.task,
        "classes": target.counts(),
        "positive": target.positive,
        "rows_without_target": dropped,
        "columns_left_out": left_out(model.model, problem),
        "reading": [] if table.found is None else [note._asdict() for note in table.found.notes],
        "features": features_told(problem, nested, model),
        "cv": str(problem.scheme),
        "seed": problem.seed,
        "splits": len(nested.splits),
        "metric": metric.name,
        **told(scores[metric.name]),
        "confidence": CONFIDENCE,
        "refits": refits,
        "scores": {name: told(score) for name, score in scores.items()},
        "procedure": told(nested.estimate(PROCEDURE, metric)),
        "baseline": {name: constant_score(nested, m) for name, m in known.items()},
        "training": {name: problem.score(nested.training[PROCEDURE], rows, m) for name, m in known.items()},
        "chosen": described(choice.winner, metric),
        "chosen_in_splits": [c.winner.candidate.name for c in nested.choices],
        "best": described(choice.best, metric),
        "leaderboard": leaderboard(problem, choice, nested),
        "failed": nested.failed,
        "dropped": sorted(nested.dropped),
        "barred": [candidate.name for candidate in problem.candidates if candidate.barred],
        "costs": None if problem.costs is None else costs_told(problem.costs),
        "versions": versions(),
    }


def costs_told(costs: Costs) -> dict[str, Any]:
    """Costs of two errors, or of pairs of true and said labels."""
    if costs.pairs:
        return {"pairs": [list(pair) for pair in costs.pairs]}
    return {"false_accept": costs.false_accept, "false_reject": costs.false_reject}


def features_told(problem: Problem, nested: NestedAnswers, model: TrainedModel) -> dict[str, Any] | None:
    """How columns were chosen, which, and in how many splits each of them; None where all are read."""
    if problem.choice is None:
        return None
    names = sorted({name for read in nested.read for name in read} | set(model.facts["columns"]))
    times = {name: sum(name in read for read in nested.read) for name in names}
    return {"how": str(problem.choice), "chosen": model.facts["columns"], "times": times}


def told(estimate: Estimate) -> dict[str, Any]:
    """An estimate for a file; None where a score has no value."""
    interval = [finite(limit) for limit in estimate.interval]
    folds = [finite(value) for value in estimate.folds]
    return {"score": finite(estimate.value), "interval": interval, "folds": folds, "optimism": estimate.optimism}


def constant_score(nested: NestedAnswers, metric: Metric) -> float | None:
    """What a constant answer scores; its equal error rate is one half by convention, since it has no threshold."""
    return 0.5 if metric.name == "eer" else finite(nested.estimate(BASELINE, metric).value)


def finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def leaderboard(problem: Problem, choice: TunedChoice, nested: NestedAnswers) -> list[dict[str, Any]]:
    """Every candidate with its own nested score, and whether it differs from the chosen one."""
    winner = choice.winner.candidate.name
    lines = []
    for candidate in problem.candidates:
        if candidate.name not in nested.answers:
            continue
        p_value = 1.0 if candidate.name == winner else nested.difference(candidate.name, winner, problem.metric)
        lines.append(
            {
                "model": candidate.name,
                "title": candidate.title,
                **told(nested.of_rows(candidate.name, problem.metric)),
                "p_value": p_value,
                "differs": p_value <= LEVEL,
                "can": [] if candidate.foreign else list(candidate.can),
                "yardstick": candidate.only_shown,
            }
        )
    return sorted(lines, key=lambda line: -problem.metric.gain(line["score"]))


def left_out(model: Any, problem: Problem) -> list[dict[str, Any]]:
    """Columns that the model does not read, and why; values that it fills."""
    others, why = not_chosen(model, problem), {"why": f"not chosen by {problem.choice}"}
    return [line | why if line["column"] in others else line for line in plain_notes(model.report_)]


def plain_notes(notes: Sequence[Any]) -> list[dict[str, str]]:
    return [{"column": note.column, "what": note.what, "why": note.why} for note in notes]


def not_chosen(model: Any, problem: Problem) -> set[str]:
    """Columns that the choice of columns left out: those that the model drops beyond what was asked for."""
    return set() if problem.choice is None else {*(model.drop or [])} - {*(problem.columns["drop"] or [])}


def versions() -> dict[str, str]:
    others = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    return {"sumlearn": __version__, "python": platform.python_version(), **others}
