"""Rows asked about and learnt one by one, as quickly as compiled loops can: for least squares and Gaussian classes.

The loops carry sums of doubles over a stretch of rows; the model itself learns the stretch as a block, in two words,
and the next stretch begins with its sums. So no error of a loop outlives a stretch, and the model is the one that
learning in blocks makes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis
from ...learners.gaussian.naive_bayes import GaussianNB
from ...learners.regression.linear_regression import LinearRegression
from ...learners.regression.ridge import Ridge
from ...statistics import Moments

STRETCH = 8192  # rows that a loop learns on its own
FAR = 30.0  # times `tol`: a direction that is as large will not be left out within a stretch
MARGIN = 3.0  # for what changes within a stretch


Loop = Callable[[Any, "Stretch", int], tuple[int, np.ndarray]]


@dataclass(frozen=True, eq=False)
class Stretch:
    """Rows as a loop wants them: dense, with the weight of each and what is left of earlier weights when it comes."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    fade: np.ndarray


def loop_for(model: Any, learner: Any) -> Loop | None:
    """The loop that gives the answers of a fitted learner, None where there is none.

    It is called with the sums, the rows, and the first of them to be asked about. It returns the first row that it
    could not answer, and its answers to those before.
    """
    sums = model.statistic_
    if getattr(learner, "basis", None) is not None or sums.rows == 0:
        return None
    if type(learner) in (Ridge, LinearRegression):
        alpha = getattr(learner, "alpha", 0.0)
        usual = learner.fit_intercept and not learner.positive and np.ndim(alpha) == 0 and sums.targets == 1
        return least_squares_loop(float(alpha)) if usual and is_plain(sums) and 0 <= alpha < np.inf else None
    if type(learner) is GaussianNB and learner.priors is None and 0 < learner.var_smoothing < np.inf:
        return naive_bayes_loop(learner.var_smoothing) if all(map(is_plain, sums.groups.values())) else None
    if type(learner) is LinearDiscriminantAnalysis:
        usual = learner.priors is None and learner.shrinkage is None and learner.covariance_estimator is None
        usual = usual and not learner.unbiased and learner.n_components is None
        plain = is_plain(sums.within) and all(map(is_plain, sums.groups.groups.values()))
        return discriminant_loop(closeness(model)) if usual and plain else None
    return None


def closeness(model: Any) -> float:
    """How near the scores of two classes may be for the model itself to be asked, where it leaves out directions.

    The discriminants leave out a direction along which the class means differ by less than a share `tol` of the
    largest; the loop does not. That changes scores by at most tol r t sqrt(2 s), t the largest distance of a class mean
    from their centre in deviations, r^2 the ratio of the priors, s the score without its prior, and sqrt(2 s) < 1 + s.
    """
    found = getattr(model, "learner_", model)
    ratio, sums = getattr(found, "explained_variance_ratio_", None), found.statistic_
    if ratio is None or len(found.classes_) <= 2:
        return 0.0
    most = min(len(found.classes_) - 1, sums.features)
    if found.scalings_.shape[1] == most and len(ratio) == most and ratio.min() > (FAR * found.tol) ** 2 * ratio.max():
        return 0.0  # none is near to be left out
    groups = sums.groups.groups.values()
    weights, means = np.array([g.weight for g in groups]), np.array([g.mean for g in groups])
    away = means - weights @ means / weights.sum()
    t = np.sqrt(np.abs(away @ np.linalg.pinv(sums.within.scatter / weights.sum()) * away).sum(axis=1).max())
    return float(MARGIN * found.tol * t * np.sqrt(weights.max() / weights.min()))


def is_plain(sums: Moments) -> bool:
    """Whether doubles hold the sums as they are."""
    return not sums.holds_rows and not sums.exponent.any()


def least_squares_loop(penalty: float) -> Loop:
    def loop(sums: Moments, rows: Stretch, first: int) -> tuple[int, np.ndarray]:
        from ...compiled.rows_in_turn import least_squares, penalised

        shift = sums.mean
        Z = np.column_stack([rows.X, rows.y]) - shift
        mean, S = sums.mean_rest.copy(), sums.scatter.copy()
        answers = np.empty(len(Z))
        road = penalised if penalty and (rows.fade[first:] != 1.0).any() else least_squares
        stop = road(Z, rows.weight, rows.fade, sums.weight, mean, S, penalty, first, answers)
        return stop, answers[first:stop] + shift[-1]

    return loop


def naive_bayes_loop(smoothing: float) -> Loop:
    def loop(sums: Any, rows: Stretch, first: int) -> tuple[int, np.ndarray]:
        from ...compiled.rows_in_turn import naive_bayes

        shift, totals, means, codes, labels = by_class(sums.groups, rows)
        squares = np.zeros_like(means)
        for k, part in enumerate(sums.groups.values()):
            squares[k] = part.squares
        X, answers = rows.X - shift, np.empty(len(codes), dtype=np.int64)
        stop = naive_bayes(X, codes, rows.weight, rows.fade, totals, means, squares, smoothing, first, answers)
        return stop, labels[answers[first:stop]]

    return loop


def discriminant_loop(close: float) -> Loop:
    def loop(sums: Any, rows: Stretch, first: int) -> tuple[int, np.ndarray]:
        from ...compiled.rows_in_turn import discriminant

        shift, totals, means, codes, labels = by_class(sums.groups.groups, rows)
        S, answers = sums.within.scatter.copy(), np.empty(len(codes), dtype=np.int64)
        X = rows.X - shift
        stop = discriminant(X, codes, rows.weight, rows.fade, totals, means, S, close, first, answers)
        return stop, labels[answers[first:stop]]

    return loop


def by_class(groups: Any, rows: Stretch) -> tuple[np.ndarray, ...]:
    """Shift; weights and means of the classes that are known, then of those that come; class of each row; labels."""
    known = {label: place for place, label in enumerate(groups)}
    names, inverse = np.unique(rows.y, return_inverse=True)
    places = np.array([known.setdefault(label, len(known)) for label in names.tolist()], dtype=np.int64)
    shift = next(iter(groups.values())).mean
    totals, means = np.zeros(len(known)), np.zeros((len(known), len(shift)))
    for k, part in enumerate(groups.values()):
        totals[k], means[k] = part.weight, (part.mean - shift) + part.mean_rest
    labels = np.empty(len(known), dtype=rows.y.dtype)
    labels[:] = list(known)
    return shift, totals, means, places[inverse], labels
