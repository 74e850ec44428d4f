"""Step 8: learners in competition on the chosen features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ...evaluation.comparison.comparison import Comparison
from ...evaluation.resampling.splits import splits_of
from ...learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis
from ...learners.gaussian.naive_bayes import GaussianNB
from ...learners.gaussian.quadratic_discriminant import QuadraticDiscriminantAnalysis
from ...learners.lazy.nadaraya_watson import NadarayaWatson
from ...learners.linear.logistic_regression import LogisticRegression
from ...learners.regression.linear_regression import LinearRegression
from ...learners.regression.ridge_cv import RidgeCV
from ..search_options import METHODS
from .choosing import OWN, ChosenSubset, chosen, judged_by, techniques_of
from .feature_design import FeatureDesign, designed
from .step import Step
from .workflow_rows import WorkflowRows, folds_of

LEVEL = 0.05  # of the tests that the comparison shows
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
    """Who won, fitted; its features, its score over the folds; the comparison, if there was one."""

    winner: str
    technique: str
    estimator: Any
    choice: ChosenSubset
    score: float
    comparison: Comparison | None
    step: Step


class Entrant(NamedTuple):
    """A learner, and who chooses its features: by its own judgement, or for all learners alike."""

    technique: Any
    learner: Any

    @property
    def shared(self) -> bool:
        return not (isinstance(self.technique, str) and self.technique in METHODS and judged_by(self.learner))

    def chosen(self, options: Any, design: FeatureDesign, known: dict[int, ChosenSubset]) -> ChosenSubset:
        """The features for it; those that are chosen for all learners are chosen once."""
        if not self.shared:
            return chosen(options, self.technique, self.learner, design)
        key = id(self.technique)
        if key not in known:
            known[key] = chosen(options, self.technique, None, design)
        return known[key]


def contested(options: Any, rows: WorkflowRows, design: FeatureDesign, columns: list[str]) -> Contest:
    """The winner, fitted on all rows that are not set aside: the one with the largest honest score.

    With several entrants steps 2 to 7 are repeated without each fold in turn, so that a choice is scored by rows which
    had no part in it; one that cannot be fitted is out.
    """
    learners, techniques = entrants(options.contest, rows.task), techniques_of(options.search)
    pairs = {(name, who): Entrant(techniques[who], learners[name]) for who in techniques for name in learners}
    named = {pair[0] if len(techniques) == 1 else f"{pair[0]} on {pair[1]}": pair for pair in pairs}
    comparison = None
    if len(named) > 1:
        comparison = compared(options, rows, columns, {name: pairs[pair] for name, pair in named.items()})
        means = {name: comparison.mean(ROWS, name) for name in comparison.models}
        plain = [name for name, pair in named.items() if techniques[pair[1]] in (None, OWN)]
        half_a_row = 0.5 / len(rows.y) if rows.task == "classification" else 0.0
        best = parsimonious(comparison) if options.k == "parsimonious" else winner_of(means, plain, half_a_row)
        out = [f"{name} cannot be fitted" for name in named if name not in means]
        what = f"{best}; " + ", ".join([*(f"{name} {mean:.3f}" for name, mean in means.items()), *out])
    else:
        best = next(iter(named))
    winner, technique = named[best]
    choice = pairs[named[best]].chosen(options, design, {})
    inside = design.inside.seen_as(design.inside.X[:, choice.subset])
    if comparison is None:
        means = {best: alone(learners[winner], inside, folds_of(options, rows.task))}
        what = f"{best} {means[best]:.3f}, alone"
    estimator = inside.fit(clone(learners[winner]))
    return Contest(winner, technique, estimator, choice, means[best], comparison, Step("contest", what, means))


def winner_of(means: dict[str, float], plain: list[str], half_a_row: float) -> str:
    """Who has the largest mean; of equals one on columns that nobody chose, whose score no choice has flattered.

    Accuracies that differ by less are equal: folds are of different sizes.

    >>> winner_of({"search": 0.9, "filter": 0.9, "own": 0.8995}, ["own"], 0.005)
    'own'
    """
    best = max(means, key=means.__getitem__)
    equals = [name for name in plain if means.get(name, -np.inf) > means[best] - half_a_row]
    return best if best in plain else max(equals, key=means.__getitem__, default=best)


def parsimonious(comparison: Comparison) -> str:
    """The first within one standard error of the largest mean."""
    means = {name: comparison.mean(ROWS, name) for name in comparison.models}
    scores = comparison.scores[ROWS, max(means, key=means.__getitem__)]
    error = float(scores.std(ddof=1)) / len(scores) ** 0.5
    return next(name for name, mean in means.items() if mean >= max(means.values()) - error)


def alone(learner: Any, rows: WorkflowRows, cv: Any) -> float:
    """Mean score over the folds of a learner without a rival, on features that the same rows have chosen."""
    splits = splits_of(learner, rows.X, rows.y, None, cv)
    return float(np.mean([rows.take(test).score(rows.take(train).fit(clone(learner))) for train, test in splits]))


def compared(options: Any, rows: WorkflowRows, columns: list[str], entrants: dict[str, Entrant]) -> Comparison:
    """Honest scores of all entrants on the same folds."""
    first = next(iter(entrants.values())).learner
    splits = splits_of(first, rows.X, rows.y, None, folds_of(options, rows.task))
    scores: dict[tuple[str, str], list[float]] = {(ROWS, name): [] for name in entrants}
    failed: dict[str, ValueError] = {}
    for train, test in splits:
        design = designed(options, rows.take(train), columns)
        held, known = rows.take(test), dict[int, ChosenSubset]()
        made = held.seen_as(design.expansion.transform(held.X))
        for name, entrant in entrants.items():
            try:
                subset = entrant.chosen(options, design, known).subset
                model = design.inside.seen_as(design.inside.X[:, subset]).fit(clone(entrant.learner))
                scores[ROWS, name].append(made.seen_as(made.X[:, subset]).score(model))
            except ValueError as error:
                failed.setdefault(name, error)
    if len(failed) == len(entrants):
        raise next(iter(failed.values()))
    done = {key: np.array(values) for key, values in scores.items() if key[1] not in failed}
    return Comparison.of(done, {ROWS: splits}, LEVEL, "accuracy" if rows.task == "classification" else "r2")
