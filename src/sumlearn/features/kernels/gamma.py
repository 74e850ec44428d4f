"""The scale of a kernel, where it is given by a word."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from ..input_ranges import is_number, one_of

WORDS = (None, "auto", "scale", "spread")


def checked_gamma(gamma: Any) -> None:
    """Refuse what is neither a number from zero on nor a word for one."""
    if is_number(gamma):
        if not 0.0 <= gamma < np.inf:
            raise ValueError(f"gamma must be finite and not negative, got {gamma!r}")
    else:
        one_of(gamma, "gamma", WORDS)


def gamma_number(gamma: Any, rows: Any, weight: np.ndarray | None) -> float:
    """The number that a word means for some rows, with the weights as numbers of rows; one, where nothing varies.

        "auto", None   1 / n_features
        "scale"        1 / sum_j mean_i (x_ij - m)^2,     m the mean of all entries, as in scikit-learn
        "spread"       1 / sum_j mean_i (x_ij - m_j)^2,   m_j the mean of the column

    The last is two over the mean squared distance of two rows; an offset of a column does not change it, nor
    does a column that is constant.

    >>> X = np.array([[0.0, 7.0], [2.0, 7.0]])
    >>> [round(gamma_number(word, X, None), 4) for word in ("auto", "scale", "spread")]
    [0.5, 0.0526, 1.0]
    """
    if gamma is None or gamma == "auto":
        return 1.0 / max(rows.shape[1], 1)
    if not isinstance(gamma, str):
        return float(gamma)
    share = np.ones(rows.shape[0]) if weight is None else np.asarray(weight, dtype=np.float64) / np.max(weight)
    share = share / share.sum()
    with np.errstate(over="ignore", invalid="ignore"):
        mean, spread = (of_sparse if sparse.issparse(rows) else of_dense)(rows, share)
        if gamma == "scale":
            spread = spread + (mean - mean.mean()) ** 2
        total = float(spread.sum())
    if total == 0.0 and is_constant(rows, share > 0):
        return 1.0
    if not 1e-300 < total < 1e300:
        column = int(np.argmax(np.where(np.isnan(spread), np.inf, spread)))
        raise ValueError(f"gamma={gamma!r} is out of range, the variance of column {column} is {spread[column]:.3g}")
    return 1.0 / total


def is_constant(rows: Any, there: np.ndarray) -> bool:
    """Whether all rows are the same; what varies too little has a variance of zero too."""
    rows = rows[there]
    return (
        bool(abs(rows - rows[:1]).max() == 0)
        if not sparse.issparse(rows)
        else bool((rows.max(0) != rows.min(0)).nnz == 0)
    )


def of_dense(rows: np.ndarray, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means of the columns, beside the first number, and their variances; an offset costs no digits."""
    first = rows[0].astype(np.float64)
    away = rows - first
    mean = share @ away
    away -= mean
    away *= away
    return first - first[:1] + mean, share @ away


def of_sparse(rows: Any, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows = rows.tocsc()
    each = share[rows.indices]
    column = np.repeat(np.arange(rows.shape[1]), np.diff(rows.indptr))
    count = rows.shape[1]
    mean = np.bincount(column, each * rows.data, count)
    squares = np.bincount(column, each * (rows.data - mean[column]) ** 2, count)
    return mean, squares + (1.0 - np.bincount(column, each, count)) * mean**2
