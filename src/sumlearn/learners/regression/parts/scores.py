"""Scores of a regression that are functions of sums of squares."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ....statistics.warnings import warn

# 1 - R^2 below which a difference of sums has lost its digits, and the held-out rows are read instead
NEARLY_EXACT = 1e-4


def nearly_exact(squares: np.ndarray, spread: np.ndarray) -> bool:
    """Whether the rows must be read: errors (targets, ...) are tiny beside the spread of the targets."""
    return bool((squares < NEARLY_EXACT * like(spread, squares)).any())


def neg_mean_squared_error(squares: np.ndarray, spread: np.ndarray, weight: float, rows: int) -> np.ndarray:
    return -squares.mean(axis=0) / weight


def neg_root_mean_squared_error(squares: np.ndarray, spread: np.ndarray, weight: float, rows: int) -> np.ndarray:
    return -np.sqrt(squares / weight).mean(axis=0)


def r2(squares: np.ndarray, spread: np.ndarray, weight: float, rows: int) -> np.ndarray:
    """1 - squares / spread, averaged over the targets; a constant target is explained fully or not at all.

    Of a single row it is not defined: NaN, with scikit-learn's warning.
    """
    if rows < 2:
        warn("R^2 score is not well-defined with less than two samples.", UndefinedMetricWarning)
        return np.full(squares.shape[1:], np.nan)
    return share_explained(squares, spread)


def share_explained(squares: np.ndarray, spread: np.ndarray) -> np.ndarray:
    total = like(spread, squares)
    share = 1.0 - squares / np.where(total > 0, total, 1.0)
    return np.where(total > 0, share, np.where(squares == 0, 1.0, 0.0)).mean(axis=0)


def like(spread: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """One number per target, shaped to broadcast over whatever follows the targets."""
    return spread.reshape(spread.shape + (1,) * (squares.ndim - 1))


FROM_SUMS: dict[str, Callable[[np.ndarray, np.ndarray, float, int], np.ndarray]] = {
    "r2": r2,
    "neg_mean_squared_error": neg_mean_squared_error,
    "neg_root_mean_squared_error": neg_root_mean_squared_error,
}
