"""evaluate: one estimator, one table, an honest report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.base import clone, is_classifier, is_regressor

from ..product.candidates import Candidate, along
from ..product.training import train
from .evidence import evidence_of
from .html_report import Report


def evaluate(
    estimator: Any,
    data: Any,
    target: str | None = None,
    *,
    cv: str | int = 5,
    metric: str | None = None,
    positive: str | None = None,
    cost: Sequence[float] | None = None,
    drop: Sequence[str] = (),
    ids: Sequence[str] = (),
    weights: str | None = None,
    seed: int = 0,
) -> Report:
    """Score an estimator on rows that it has not learnt, and write the report of it.

        for every split: fit to the training rows (fills and scales too), answer for the rows left out

    It is the engine of ``sumlearn train`` with one candidate.

    Parameters
    ----------
    estimator : classifier or regressor
        Of this library or of scikit-learn's kind; a `TableModel` keeps its own options.
    data : path, glob, folder, bundled name, or a pyarrow, pandas or polars table
    target : str
        Column to predict; a bundled table knows its own.
    cv : int or str, default=5
        Folds, or "loo", "group:COL", "time:COL", "holdout:0.2", "boot632:100".
    metric : str, default=None
        What is shown first: auc, accuracy, balanced_accuracy, f1, error, eer, cost; r2, rmse, mae.
    positive : str, default=None
        The positive one of two classes; by default the greater.
    cost : (false acceptance, false rejection), default=None
        Labels are then decided by the cheapest threshold, learnt within the folds.
    drop, ids : names of columns
        That are no features; ids name rows.
    weights : str, default=None
        A column of weights: how many rows a row stands for.
    seed : int, default=0
        Of the folds.

    Returns
    -------
    Report
        ``report.metrics``, ``report.model``, ``report.save("report.html")``; shows itself in a notebook.

    Examples
    --------
    >>> import sumlearn as sl
    >>> report = sl.evaluate(sl.LogisticRegression(C=0.1), "pima", "diabetes")
    >>> print(f"AUC {report.metrics['score']:.2f}, on the rows learnt {report.metrics['training']['auc']:.2f}")
    AUC 0.83, on the rows learnt 0.84

    References
    ----------
    Nadeau & Bengio, "Inference for the generalization error", 2003.
    """
    candidate = candidate_of(estimator)
    training = train(
        data,
        target,
        task=candidate.task,
        models=[candidate],
        positive=positive,
        cost=cost,
        cv=cv,
        metric=metric,
        drop=drop,
        ids=ids,
        weights=weights,
        seed=seed,
        row_hashes=False,
        budget="none",
    )
    return Report(evidence_of(training, command_of(estimator, training.metrics)))


def candidate_of(estimator: Any) -> Candidate:
    """The estimator as the only candidate."""
    from ..learners.table_model import TableModel

    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise TypeError(f"estimator must be a classifier or a regressor, got {estimator!r}")
    table, learner = {}, estimator
    if isinstance(estimator, TableModel):
        table, learner = estimator.get_params(deep=False), estimator.plain_learner
        table.pop("learner")
    if not is_classifier(learner) and not is_regressor(learner):
        raise TypeError(f"estimator must be a classifier or a regressor, got {learner!r}")
    title = type(learner).__name__
    task = "classify" if is_classifier(learner) else "regress"
    return Candidate(title, title, task, lambda: clone(learner), along(), table=table)


def command_of(estimator: Any, metrics: dict[str, Any]) -> str:
    """What was asked for, as Python."""
    text = " ".join(repr(estimator).split())
    options = f"cv={metrics['cv']!r}, seed={metrics['seed']}"
    return f"sumlearn.evaluate({text}, {metrics['data']['name']!r}, {metrics['target']!r}, {options})"
