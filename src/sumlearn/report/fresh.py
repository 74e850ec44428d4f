"""A new report on fresh labelled rows: is a finished model still as good?"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from ..product.labelled_rows import LabelledRows, check_classes, labelled_rows
from ..product.metrics import METRICS, Answers, metric_of, metrics_for
from ..product.metrics_json import constant_score, plain_notes, told, versions
from ..product.nested_answers import BASELINE, PROCEDURE, NestedAnswers, constant
from ..product.opened_table import OpenedTable
from ..product.problems import DataProblem
from ..product.progress import Progress
from ..product.row_ledger import RowLedger
from ..product.saved_score import CONFIDENCE
from ..product.schemes import Scheme
from ..product.tables import as_table
from ..product.targets import TargetRows
from ..product.trained import TrainedModel
from ..product.training_problem import Problem
from ..product.unseen_levels import UnseenLevels
from .evidence import Evidence
from .html_report import Report

MOST_HASHED = 200_000  # rows that are looked for among those learnt


def report_on(model: TrainedModel, data: Any, command: str = "", seed: int = 0) -> Report:
    """The report of a finished model on rows that it has not learnt.

    Nothing is fitted. The interval comes from resampling the rows; the baseline is the best constant answer for these
    very rows, which is generous to it.

    >>> from sumlearn.product import read_table, train
    >>> pima = read_table("pima")
    >>> model = train(pima.frame.slice(0, 500), "diabetes", models="lda").model
    >>> print(f"{report_on(model, pima.frame.slice(500)).metrics['score']:.2f}")
    0.88
    """
    table = as_table(data, reading=model.reading(labelled=True))
    target, features = target_like(table, model)
    metric = metric_of(model.facts["metric"] if model.facts["metric"] in METRICS else None, target)
    options = {"ids": None, "drop": None}
    problem = Problem(features, target, metric, [], Scheme("holdout"), None, seed, None, options, Progress())
    rows = np.arange(len(target.values))
    answers = model.answers(table.frame).decided(target, model.facts["threshold"])
    nested = NestedAnswers(problem, [(rows[:0], rows)])
    nested.answers = {PROCEDURE: [answers], BASELINE: [constant(problem, rows, rows)]}
    metrics = account(model, table, nested) | (rows_known := learnt_before(model, table))
    unseen = UnseenLevels()
    unseen.count(model.model, features)
    new = [{"code": "unseen-levels", "text": text} for text in unseen.sentences()]
    metrics["checks"] = [*learnt_check(rows_known, len(rows)), *new, *metrics["checks"]]
    title = model.facts["model"]["title"]
    ids = [name for name in model.facts["ids"] if name in table.columns]
    frame = features
    for name in ids:
        frame = frame.append_column(name, table.frame.column(name))
    return Report(
        Evidence(metrics, model, target, frame, metric, rows, np.zeros_like(rows), {title: answers}, ids, command)
    )


def learnt_before(model: TrainedModel, table: OpenedTable) -> dict[str, Any]:
    """How many of these rows the model has learnt, as far as it keeps hashes; and, where they are all of its rows, how
    far its answers are from those of a fit to them."""
    if model.ledger is None or table.rows > MOST_HASHED:
        return {"rows_learnt": None, "refit": None}
    rows = labelled_rows(table, model.facts)
    try:
        known = RowLedger.of_dict(model.ledger).known(rows.words)
    except DataProblem:  # a column that the model does not read any more is not here
        return {"rows_learnt": None, "refit": None}
    count = int(known.sum())
    whole = count == len(known) == model.facts["rows"] and hasattr(model.model, "statistic_")
    return {"rows_learnt": count, "refit": off_a_refit(model, table, rows) if whole else None}


def off_a_refit(model: TrainedModel, table: OpenedTable, rows: LabelledRows) -> float:
    """The largest difference of two answers, relative to the largest answer."""
    plain = clone(model.model).set_params(drop=None, ids=None)  # the features hold none of these columns
    again = TrainedModel(plain.fit(rows.features, rows.values, rows.weight), None, model.facts)
    mine, its = (numbers_of(one.answers(table.frame)) for one in (model, again))
    return float(np.max(np.abs(mine - its)) / (np.max(np.abs(its)) or 1.0))


def numbers_of(answers: Answers) -> np.ndarray:
    return answers.labels if answers.scores is None else answers.scores


def learnt_check(known: dict[str, Any], rows: int) -> list[dict[str, str]]:
    if not known["rows_learnt"]:
        return []
    return [{"code": "rows-learnt", "text": f"the model has learnt {known['rows_learnt']} of these {rows} rows"}]


def target_like(table: OpenedTable, model: TrainedModel) -> tuple[TargetRows, Any]:
    """The target of fresh rows as the model knows it; a label that it has never met is an error."""
    facts = model.facts
    rows = labelled_rows(table, facts)
    if facts["task"] == "classify":
        check_classes(rows, facts)
        if len(np.unique(rows.values)) < 2:
            only = str(rows.values[0])
            raise DataProblem(f"the target {facts['target']!r} is {only!r} in every row: no score has a value")
    return TargetRows.known(facts, rows.values, rows.weight), rows.features


def account(model: TrainedModel, table: OpenedTable, nested: NestedAnswers) -> dict[str, Any]:
    """The account, in the form of a training's."""
    problem, facts = nested.problem, model.facts
    known = metrics_for(problem.target)
    headline = told(nested.estimate(PROCEDURE, problem.metric))
    metrics = {
        "format": 2,
        "data": {"name": table.name, "sha256": table.digest, "rows": table.rows, "columns": len(table.columns)},
        "target": facts["target"],
        "task": facts["task"],
        "classes": problem.target.counts(),
        "positive": facts["positive"],
        "rows_without_target": 0,
        "columns_left_out": plain_notes(model.model.report_),
        "cv": "none: a finished model on fresh rows",
        "seed": problem.seed,
        "metric": problem.metric.name,
        **headline,
        "confidence": CONFIDENCE,
        "scores": {name: told(nested.estimate(PROCEDURE, m)) for name, m in known.items()},
        "baseline": {name: constant_score(nested, m) for name, m in known.items()},
        "training": {facts["metric"]: facts["score"] if model.is_scored else None},
        "chosen": facts["model"],
        "chosen_in_splits": [],
        "leaderboard": [],
        "failed": {},
        "costs": None,
        "versions": versions(),
    }
    return metrics | {"checks": checks(metrics, model, problem)}


def checks(metrics: dict[str, Any], model: TrainedModel, problem: Problem) -> list[dict[str, str]]:
    """What fresh rows can tell: whether the score has fallen, and whether anything is left of it."""
    failing, facts = [], model.facts
    metric, gain = problem.metric, problem.metric.gain
    low, high = metrics["interval"]
    best = high if metric.larger_is_better else low
    before = [gain(limit) for limit in facts["interval"] if limit is not None]
    if facts["metric"] == metric.name and model.is_scored and before and gain(best) < min(before):
        text = f"{metric.title} was {facts['score']:.3g} at the training; here even the best limit is {best:.3g}"
        failing.append({"code": "worse-than-before", "text": text})
    base = metrics["baseline"][metric.name]
    if base is not None and gain(low if metric.larger_is_better else high) <= gain(base):
        text = f"the interval of {metric.title} reaches that of a constant answer, {base:.3g}"
        failing.append({"code": "no-better-than-baseline", "text": text})
    return failing
