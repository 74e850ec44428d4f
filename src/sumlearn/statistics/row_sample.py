"""RowSample: some of the rows of a table, the same ones however it is cut and whoever reads it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sparse

from ..compiled.row_hash import row_hashes
from .row_checks import checked_weight, prepare, raise_if_not_finite
from .statistic import Counted, RowError

GOLDEN = 0x9E3779B97F4A7C15
BY_ROW = ("hashes", "X", "numbers", "y", "mass")


@dataclass(frozen=True, eq=False)
class RowSample(Counted):
    """The `size` rows whose hashes are smallest: as good as drawn at random, and yet a sum.

    `of` takes hashes of the rows: different rows, the same ones however a table is cut, ordered, repeated or weighted.
    `numbered` takes hashes of row numbers: every row has the same chance, and keeps its target and its weight; the same
    ones however a table is cut, or read. Rows of weight zero are not there.

    >>> a, b = RowSample.of([[1.0], [2.0], [2.0]], size=2), RowSample.of([[3.0], [1.0]], size=2)
    >>> len((a + b).X), (a + b).count
    (2, 5)
    >>> X = np.arange(10.0)[:, None]
    >>> parts = [RowSample.numbered(range(i, i + 5), X[i : i + 5], size=3) for i in (0, 5)]
    >>> sum(parts).in_order().numbers.tolist() == RowSample.numbered(range(10), X, size=3).in_order().numbers.tolist()
    True

    References: Cohen & Kaplan, "Summarizing data using bottom-k sketches", 2007.
    """

    holds_rows: ClassVar[bool] = True

    hashes: np.ndarray
    X: Any  # an array, a sparse matrix, or a block of mixed columns
    size: int
    count: int
    total: float
    numbers: np.ndarray | None = None
    y: np.ndarray | None = None
    mass: np.ndarray | None = None  # the weights of the rows; None is one for each

    @classmethod
    def of(cls, X: Any, weight: Any = None, *, size: int) -> RowSample:
        """Different rows of an array of numbers."""
        X, _, weight = prepare(X, None, weight)
        rows = X.astype(np.float64) + 0.0  # -0.0 and 0.0 are the same number
        with np.errstate(invalid="ignore", over="ignore"):
            if not np.isfinite(rows.sum()):
                raise_if_not_finite(X)
        hashes = np.empty(len(rows), dtype=np.uint64)
        row_hashes(np.ascontiguousarray(rows).view(np.uint64), hashes)
        return cls(hashes, rows, size, len(rows), mass_of(weight, len(rows))).smallest()

    @classmethod
    def numbered(
        cls, numbers: Any, X: Any, y: Any = None, weight: Any = None, *, size: int, seed: int = 0, gaps: bool = False
    ) -> RowSample:
        """Rows by their numbers in the whole; X may be sparse, or hold mixed columns, where cells may be missing.

        So they may in an array of numbers, with `gaps`.
        """
        numbers = np.asarray(numbers, dtype=np.int64)
        weight = None if weight is None else checked_weight(weight, len(numbers))
        if weight is not None and not weight.all():
            there = np.flatnonzero(weight)
            try:
                return cls.numbered(
                    numbers[there], X[there], None if y is None else y[there], weight[there],
                    size=size, seed=seed, gaps=gaps,
                )
            except RowError as error:
                raise RowError(error.name, int(there[error.row]), error.column, error.value) from None
        if not gaps:
            check_finite(X)
        hashes = number_hashes(numbers, seed)
        return cls(hashes, X, size, len(numbers), mass_of(weight, len(numbers)), numbers, y, weight).smallest()

    def zero(self) -> Self:
        return replace(self.take(np.arange(0)), count=0, total=0.0)

    def merge(self, other: Self) -> Self:
        if self.size != other.size or (self.numbers is None) != (other.numbers is None):
            raise ValueError("samples of different sizes or kinds do not add up")
        if not other.count or not self.count:
            return self if not other.count else other
        parts: dict[str, Any] = {name: stacked(getattr(self, name), getattr(other, name)) for name in BY_ROW}
        return replace(self, **parts, count=self.count + other.count, total=self.total + other.total).smallest()

    def smallest(self) -> Self:
        """The rows of smallest hash, in its order; of different rows each once."""
        if self.numbers is None:
            return self.take(np.unique(self.hashes, return_index=True)[1][: self.size])
        return self.take(np.argsort(self.hashes, kind="stable")[: self.size])

    def in_order(self) -> Self:
        """The same rows, by number."""
        assert self.numbers is not None
        return self.take(np.argsort(self.numbers, kind="stable"))

    def take(self, rows: np.ndarray) -> Self:
        parts = [(name, getattr(self, name)) for name in BY_ROW]
        taken: dict[str, Any] = {name: None if part is None else part[rows] for name, part in parts}
        return replace(self, **taken)


def number_hashes(numbers: np.ndarray, seed: int = 0) -> np.ndarray:
    """A hash of every row number, no two alike: Steele's splitmix64."""
    with np.errstate(over="ignore"):
        z = numbers.astype(np.uint64) + np.uint64((seed + 1) * GOLDEN & 0xFFFFFFFFFFFFFFFF)
        z *= np.uint64(GOLDEN)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def mass_of(weight: np.ndarray | None, rows: int) -> float:
    return float(rows) if weight is None else float(weight.sum())


def check_finite(X: Any) -> None:
    """Refuse NaN and infinity in numbers; in mixed columns a cell may be missing."""
    values = X.data if sparse.issparse(X) else X
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
        return
    with np.errstate(invalid="ignore", over="ignore"):
        if not np.isfinite(values.sum()):
            raise_if_not_finite(X.toarray() if sparse.issparse(X) else X)


def stacked(a: Any, b: Any) -> Any:
    """Rows one below the other."""
    if a is None or isinstance(a, np.ndarray):
        return None if a is None else np.concatenate([a, b])
    return sparse.vstack([a, b], "csr") if sparse.issparse(a) else a.stacked(b)
