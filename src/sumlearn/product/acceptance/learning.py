"""one_class: from the rows of a class to a model of it, with scores of rows that were left out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ...decision.phantom_negatives import folds, threshold
from ...engines import one_blas_thread
from ...evaluation.row_values import wilson
from ...evaluation.two_classes.roc_curve import RocCurve
from ...learners.table_model import TableModel
from ...version import __version__
from ..metrics_json import used_columns
from ..opened_table import OpenedTable
from ..problems import DataProblem
from ..progress import Listener, nobody
from ..tables import as_table
from .one_class_model import OneClassModel, answers_of
from .one_class_question import METHODS, OneClassQuestion

Tell = Callable[[str, str], None]
FOLDS = 5
SHOWN = 10  # rows of either end


@dataclass(frozen=True, eq=False)
class OneClass:
    """The outcome of `one_class`.

    Attributes
    ----------
    model : OneClassModel
        Fitted to all rows of the class: what is saved.
    metrics : dict
        The account, as in ``oneclass.json``.
    scores : array
        The score of every row less its threshold, of rows of the class by a model that has not learnt them.
    inside : array of bool
        Which rows are of the class.
    weight : array
        What the rows weigh.
    curve, phantom_curve : RocCurve or None
        Rows of the class, left out, against real negatives; and against phantoms.
    table : OpenedTable
    frame : pyarrow.Table
        The columns that were learnt from, and those that were left out of them.
    """

    model: OneClassModel
    metrics: dict[str, Any]
    scores: np.ndarray
    inside: np.ndarray
    weight: np.ndarray
    curve: RocCurve | None
    phantom_curve: RocCurve | None
    table: OpenedTable
    frame: Any


def one_class(
    data: Any,
    *,
    progress: Listener = nobody,
    tell: Tell = lambda label, text: None,
    **options: Any,
) -> OneClass:
    """Learn one class from a table, and say which rows are of it.

        code the columns: numbers in deviations, gaps filled with the mean, a flag for each level
        learn the rows of the class;  leave folds out in turn: which share of rows that were not learnt is accepted

    Parameters
    ----------
    data : path, glob, folder, bundled name, Table, or a pyarrow, pandas or polars table
    method : "gauss", "phantom" or "svm"
    acceptance : float
        The share of rows of the class that shall be accepted.
    target, normal : str
        A column, and its label for rows of the class; others are real negatives, which are not learnt. Without `normal`
        all rows are of the class, and the target stands aside.
    drop, ids : names of columns
        That are no features; ids go beside the answers.
    weights : str
        A column of weights: how many rows a row stands for.
    seed : int
        Of folds and phantoms.
    max_levels : int
        Text of more different values is left out.

    Returns
    -------
    OneClass

    Examples
    --------
    >>> from sumlearn.product import one_class
    >>> found = one_class("iris", normal="setosa")
    >>> found.metrics["negatives"]["accepted"], f'{found.metrics["negatives"]["auc"]:.3f}'
    (0.0, '1.000')
    """
    table = as_table(data)
    if table.target not in (*(options.get("drop") or ()), *(options.get("ids") or ())):
        options.setdefault("target", table.target)
    question = OneClassQuestion(**options)
    question.check()
    table = question.as_asked(table)
    frame, columns, weight = question.columns_of(table)
    inside = question.of_the_class(table)
    mass = np.ones(table.rows) if weight is None else weight
    rows = np.flatnonzero(inside & (mass > 0))
    if len(rows) < 2 * FOLDS:
        raise DataProblem(f"there are {len(rows)} rows of the class, and at least {2 * FOLDS} are needed")

    def fitted(chosen: np.ndarray) -> TableModel:
        part = {} if weight is None else {"sample_weight": weight[chosen]}
        model = TableModel(question.learner(), **columns).fit(frame.take(chosen), **part)
        if question.method == "svm":
            accept_left_out(model.learner_, model.features_of(frame.take(chosen)), mass[chosen], question)
        return model

    scores = np.empty(table.rows)
    fold = np.random.default_rng(question.seed).permutation(len(rows)) % FOLDS
    with one_blas_thread():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the model of all rows tells what there is to tell
            for k in range(FOLDS):
                out = rows[fold == k]
                scores[out] = answers_of(fitted(rows[fold != k]), frame.take(out)).scores
                progress("folds", k + 1, FOLDS)
        model = fitted(rows)
        others = np.setdiff1d(np.arange(table.rows), rows)
        if len(others):
            scores[others] = answers_of(model, frame.take(others)).scores
    real = np.flatnonzero(~inside & (mass > 0))
    curve = RocCurve(inside, scores, mass, positive=True) if len(real) else None
    learner = model.learner_
    phantom_curve = learner.phantom_roc() if question.method == "phantom" else None
    facts = facts_of(table, question, model, len(rows))
    metrics = account_of(table, question, model, scores, rows, real, mass, curve, phantom_curve)
    return OneClass(OneClassModel(model, facts), metrics, scores, inside, mass, curve, phantom_curve, table, frame)


def accept_left_out(learner: Any, Z: Any, weight: np.ndarray, question: OneClassQuestion) -> None:
    """Move the threshold of support vectors to where the share is accepted of rows that they have not learnt.

    Their own is one of the rows learnt, of which too many new ones lie outside. Scores are w'phi(x) over the threshold:
    machines of more rows have larger ones.
    """
    fold, scores = folds(np.asarray(Z), FOLDS, np.random.RandomState(question.seed)), np.empty(len(weight))
    for k in range(int(fold.max()) + 1):
        left = fold == k
        part = clone(learner).fit(Z[~left], sample_weight=weight[~left])
        scores[left] = part.score_samples(Z[left]) / part.offset_
    level = threshold(scores, weight, question.acceptance)
    learner.move_threshold(float(learner.offset_[0]) * level)


def facts_of(table: OpenedTable, question: OneClassQuestion, model: Any, rows: int) -> dict[str, Any]:
    """What the model file says about itself."""
    return {
        "task": "one class",
        "target": None,
        "normal": question.normal,
        "method": question.method,
        "acceptance": question.acceptance,
        "classes": [-1, 1],
        "positive": 1,
        "threshold": None,
        "weights": question.weights,
        "ids": list(question.ids),
        "columns": used_columns(model),
        "reading": None if table.found is None else table.found.facts(),
        "rows": rows,
        "model": {"model": question.method, "title": METHODS[question.method], "params": {}, "can": []},
        "history": [{"what": "one class", "rows": rows, "source": table.name, "sha256": table.digest}],
        "sumlearn": __version__,
    }


def account_of(
    table: OpenedTable,
    question: OneClassQuestion,
    model: Any,
    scores: np.ndarray,
    rows: np.ndarray,
    real: np.ndarray,
    mass: np.ndarray,
    curve: RocCurve | None,
    phantom_curve: RocCurve | None,
) -> dict[str, Any]:
    """Everything that oneclass.json says."""
    accepted = float(np.average(scores[rows] >= 0, weights=mass[rows]))
    order = rows[np.argsort(scores[rows], kind="stable")]
    negatives = None
    if curve is not None:
        share = float(np.average(scores[real] >= 0, weights=mass[real]))
        negatives = {"rows": len(real), "accepted": share, "auc": curve.auc(), "eer": curve.eer}
    notes = [{"column": note.column, "what": note.what, "why": note.why} for note in model.report_]
    return {
        "format": 1,
        "data": {"name": table.name, "rows": table.rows, "columns": len(table.columns), "sha256": table.digest},
        "method": question.method,
        "title": METHODS[question.method],
        "acceptance": question.acceptance,
        "rows": len(rows),
        "accepted": accepted,
        "interval": [float(end) for end in wilson(accepted, float(mass[rows].sum()))],
        "target": question.target,
        "normal": question.normal,
        "negatives": negatives,
        "phantom_auc": None if phantom_curve is None else phantom_curve.auc(),
        "columns": used_columns(model),
        "columns_left_out": notes,
        "least_typical": order[:SHOWN].tolist(),
        "most_typical": order[::-1][:SHOWN].tolist(),
        "seed": question.seed,
    }
