"""Kernel ridge for all penalties at once, judged on rows left out: one by one, or in folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring

from ...regression.parts.known_answers import KnownAnswers
from ...regression.parts.scores import FROM_SUMS
from .dual_squares import DualAxes, DualSquares
from .shifted_systems import shifted_solutions


@dataclass(frozen=True)
class Judged:
    """Scores of all penalties for one kernel: (alphas,); with leave-one-out, the mean squared errors of the targets."""

    scores: np.ndarray
    by_target: np.ndarray | None = None  # (targets, alphas)


def left_one_out(
    G: np.ndarray, y: np.ndarray, alphas: np.ndarray, weight: np.ndarray, intercept: bool, scoring: Any
) -> Judged:
    """Every row predicted without it, from one eigendecomposition; G is used up."""
    problem = DualSquares.of(G, y, weight, intercept)
    errors = DualAxes.of(problem.B, problem.free).left_out(problem.y, alphas, weight)
    squares = np.einsum("i,ita,ita->ta", weight, errors, errors) / weight.sum()
    if scoring is None:
        return Judged(-squares.mean(axis=0), squares)
    return Judged(scores_of(y[:, :, None] - errors, y, weight, scoring), squares)


def left_fold_out(
    G: np.ndarray,
    y: np.ndarray,
    alphas: np.ndarray,
    weight: np.ndarray,
    intercept: bool,
    scoring: Any,
    splits: Sequence[tuple[np.ndarray, np.ndarray]],
) -> Judged:
    """The mean over folds of the scores of each; G stays what it is."""
    scores = np.empty((len(splits), len(alphas)))
    for number, (train, test) in enumerate(splits):
        problem = DualSquares.of(G[np.ix_(train, train)], y[train], weight[train], intercept)
        b, level = problem.coefficients(shifted_solutions(problem.B, problem.y, alphas, problem.free))
        predictions = np.tensordot(G[np.ix_(test, train)], b, 1) + level
        scores[number] = scores_of(predictions, y[test], weight[test], scoring or "r2")
    if np.isnan(scores).any():
        raise ValueError("R^2 needs two rows in every fold: use scoring='neg_mean_squared_error', or cv=None")
    return Judged(scores.mean(axis=0))


def scores_of(predictions: np.ndarray, y: np.ndarray, weight: np.ndarray, scoring: Any) -> np.ndarray:
    """Scores of predictions (rows, targets, alphas)."""
    if isinstance(scoring, str) and scoring in FROM_SUMS:
        total = float(weight.sum())
        squares = np.einsum("i,ita->ta", weight, (y[:, :, None] - predictions) ** 2)
        spread = weight @ (y - weight @ y / total) ** 2
        return FROM_SUMS[scoring](squares, spread, total, len(y))
    scorer = check_scoring(KnownAnswers(), scoring=scoring)
    extra = {} if (weight == 1).all() else {"sample_weight": weight}
    single = y.shape[1] == 1
    answers = predictions[:, 0] if single else predictions
    found = [
        scorer(KnownAnswers(), answers[..., a], y[:, 0] if single else y, **extra) for a in range(predictions.shape[2])
    ]
    return np.array(found, dtype=float)
