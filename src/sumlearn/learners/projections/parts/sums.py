"""Several things that are added in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sparse

from ....compiled.sparse_products import columns_times, rows_times
from ....data import Chunk
from ....statistics import Moments, Statistic
from ....statistics.statistic import Counted
from ...validation import usable_rows


@dataclass(frozen=True, eq=False)
class SeveralSums(Counted):
    """Whatever knows how to be added: arrays, statistics, and lists of what rows have, in the order of the rows.

    >>> a, b = SeveralSums.of([1.0], np.ones(2), ["first"]), SeveralSums.of([0.5, 1.0], np.ones(2), ["second"])
    >>> (a + b).parts, (a + b).weight
    ((array([2., 2.]), ['first', 'second']), 2.5)
    """

    parts: tuple[Any, ...]
    total: float
    count: int

    @classmethod
    def of(cls, weight: Any, *parts: Any) -> SeveralSums:
        """What was summed of rows of these weights."""
        return cls(parts, float(np.sum(weight)), len(weight))

    def merge(self, other: Self) -> Self:
        parts = tuple(a + b for a, b in zip(self.parts, other.parts, strict=True))
        return type(self)(parts, self.total + other.total, self.count + other.count)

    def zero(self) -> Self:
        return type(self)(tuple(map(nothing_of, self.parts)), 0.0, 0)


def nothing_of(part: Any) -> Any:
    """What is added without a change."""
    if isinstance(part, Statistic):
        return part.zero()
    return [] if isinstance(part, list) else 0 * part


def floating_rows(chunk: Chunk) -> Chunk:
    """Rows of positive weight with their weights, as float32 or float64, without NaN and infinity."""
    chunk = usable_rows(chunk)
    X = chunk.X
    if X.dtype not in (np.float32, np.float64) or not X.dtype.isnative:
        X = X.astype(np.float64)
    return chunk._replace(X=X)


def weighted(rows: Any, weight: np.ndarray) -> Any:
    """Rows times their weights; the same rows where all of these are one."""
    if (weight == 1.0).all():
        return rows
    weight = weight.astype(rows.dtype)
    return sparse.diags_array(weight) @ rows if sparse.issparse(rows) else rows * weight[:, None]


def times(X: Any, Q: np.ndarray) -> np.ndarray:
    """X Q for dense or sparse rows."""
    if not sparse.issparse(X):
        return X @ Q
    return rows_times(X.indptr, X.indices, X.data, np.ascontiguousarray(Q, dtype=X.dtype))


def crossed(X: Any, W: np.ndarray) -> np.ndarray:
    """X'W for dense or sparse rows, as float64."""
    if not sparse.issparse(X):
        return (X.T @ W).astype(np.float64, copy=False)
    return columns_times(X.indptr, X.indices, X.data, np.ascontiguousarray(W, dtype=X.dtype), X.shape[1])


def column_moments(X: Any, weight: np.ndarray) -> Moments:
    """Diagonal moments of the columns."""
    return Moments.of(X, weight=weight, form="diagonal")
