"""RowSample: some of the different rows of a table, the same ones however it is cut, ordered, repeated or weighted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ...compiled.row_hash import row_hashes
from ...statistics import Statistic
from ...statistics.row_checks import prepare, raise_if_not_finite


@dataclass(frozen=True, eq=False)
class RowSample(Statistic):
    """The `size` different rows whose hashes are smallest: as good as drawn at random, and yet a sum.

    >>> a, b = RowSample.of([[1.0], [2.0], [2.0]], size=2), RowSample.of([[3.0], [1.0]], size=2)
    >>> len((a + b).X), (a + b).count
    (2, 5)

    References: Cohen & Kaplan, "Summarizing data using bottom-k sketches", 2007.
    """

    hashes: np.ndarray
    X: np.ndarray
    size: int
    count: int

    @classmethod
    def of(cls, X: Any, weight: Any = None, *, size: int) -> RowSample:
        X, _, weight = prepare(X, None, weight)
        rows = X.astype(np.float64) + 0.0  # -0.0 and 0.0 are the same number
        with np.errstate(invalid="ignore", over="ignore"):
            if not np.isfinite(rows.sum()):
                raise_if_not_finite(X)
        hashes = np.empty(len(rows), dtype=np.uint64)
        row_hashes(np.ascontiguousarray(rows).view(np.uint64), hashes)
        return cls(*smallest(hashes, rows, size), size, len(rows))

    @property
    def weight(self) -> float:
        return float(self.count)

    @property
    def rows(self) -> int:
        return self.count

    def zero(self) -> Self:
        return replace(self, hashes=self.hashes[:0], X=self.X[:0], count=0)

    def merge(self, other: Self) -> Self:
        hashes, X = np.concatenate([self.hashes, other.hashes]), np.concatenate([self.X, other.X])
        return type(self)(*smallest(hashes, X, self.size), self.size, self.count + other.count)


def smallest(hashes: np.ndarray, X: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Different rows of smallest hash, in its order."""
    found, first = np.unique(hashes, return_index=True)
    return found[:size], X[first[:size]]
