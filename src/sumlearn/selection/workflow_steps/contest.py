"""Step 8: learners in competition on the chosen features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ...evaluation.comparison.comparison import WIN, Comparison, compare
from ...evaluation.resampling.cross_validation import cross_validate
from ...learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis
from ...learners.gaussian.naive_bayes import GaussianNB
from ...learners.gaussian.quadratic_discriminant import QuadraticDiscriminantAnalysis
from ...learners.lazy.nadaraya_watson import NadarayaWatson
from ...learners.linear.logistic_regression import LogisticRegression
from ...learners.regression.linear_regression import LinearRegression
from ...learners.regression.ridge_cv import RidgeCV
from .step import Step

ROWS = "rows"  # how the one table of the comparison is called


def entrants(contest: Any, task: str) -> dict[str, Any]:
    """Learners by name, the one to beat first."""
    if isinstance(contest, Mapping):
        estimators = dict(contest)
    elif contest is None or contest is False or contest == "auto":
        estimators = usual(task) if contest == "auto" else dict(list(usual(task).items())[:1])
    elif isinstance(contest, list | tuple):
        estimators = {type(estimator).__name__: estimator for estimator in contest}
        if len(estimators) < len(contest):
            raise ValueError("contest: two estimators of one class need names; give a dict")
    else:
        raise ValueError(f"contest must be 'auto', estimators by name, a list of them or None, got {contest!r}")
    if not estimators:
        raise ValueError("contest is empty: give estimators, or None")
    for name, estimator in estimators.items():
        if not hasattr(estimator, "fit") or not hasattr(estimator, "predict") or isinstance(estimator, type):
            raise TypeError(f"contest: {name!r} must be an estimator with fit and predict, got {estimator!r}")
    return estimators


def usual(task: str) -> dict[str, Any]:
    """Who competes by default."""
    if task == "regression":
        return {"least squares": LinearRegression(), "ridge": RidgeCV(), "kernel": NadarayaWatson()}
    return {
        "linear discriminant": LinearDiscriminantAnalysis(),
        "logistic": LogisticRegression(),
        "quadratic discriminant": QuadraticDiscriminantAnalysis(reg_param=1e-4),
        "naive Bayes": GaussianNB(),
    }


@dataclass(frozen=True, eq=False)
class Contest:
    """Who won, fitted; its score over the folds; the comparison, if there was one.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> contest = contested(SimpleNamespace(contest="auto", cv=5), iris.X, iris.y, "classification")
    >>> contest.winner, round(contest.score, 3), contest.step.what
    ('linear discriminant', 0.98, 'linear discriminant; linear discriminant 0.980, ...')
    """

    winner: str
    estimator: Any
    score: float
    comparison: Comparison | None
    step: Step


def contested(options: Any, chosen: np.ndarray, y: np.ndarray, task: str) -> Contest:
    """The winner, fitted on all rows: the first stays unless another is significantly better."""
    models = entrants(options.contest, task)
    winner, comparison = next(iter(models)), None
    if len(models) == 1:
        scored = cross_validate(clone(models[winner]), chosen, y, cv=options.cv, error_score="raise")
        means = {winner: float(np.mean(scored["test_score"]))}
        what = f"{winner} {means[winner]:.3f}, alone"
    else:
        comparison = compare({n: clone(model) for n, model in models.items()}, {ROWS: (chosen, y)}, cv=options.cv)
        means = {name: comparison.mean(ROWS, name) for name in models}
        better = [name for name in comparison.models[1:] if comparison.marks[ROWS, name] == WIN]
        winner = max(better, key=means.__getitem__, default=winner)
        what = f"{winner}; " + ", ".join(f"{name} {mean:.3f}" for name, mean in means.items())
    estimator = clone(models[winner]).fit(chosen, y)
    return Contest(winner, estimator, means[winner], comparison, Step("contest", what, means))
