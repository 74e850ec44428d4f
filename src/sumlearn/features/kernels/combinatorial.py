"""The kernel of sets: how many small sets lie in both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import comb

from ..input_ranges import whole_number
from .coded_rows import Coded, products
from .kernel import Kernel


@dataclass(frozen=True)
class Combinatorial(Kernel):
    """Number of subsets of k elements that two sets share.

        K_k(S, S') = sum over |U| = k of [U within S] [U within S'] = C(|S & S'|, k)
        K_<=k = K_0 + K_1 + ... + K_k

    It is the inner product of the 0/1 vectors that say which sets of k elements lie in S: C(D, k) of them, counted in
    O(D). Cost: O(n m D) for n and m sets.

    Parameters
    ----------
    degree : int, default=2
        The k of the formula.
    cumulative : bool, default=True
        K_<=k, else K_k alone.

    Examples
    --------
    >>> from sumlearn.features.kernels import Combinatorial
    >>> Combinatorial(2)([{0, 1, 2}], [{1, 2, 3}, {4}]).tolist()
    [[4.0, 1.0]]
    >>> Combinatorial(2, cumulative=False)([{0, 1, 2}], [{0, 1, 2, 5}]).tolist()
    [[3.0]]

    References
    ----------
    Lecture note 002, combinatorial regression.
    """

    degree: int = 2
    cumulative: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        whole_number(self.degree, "degree", 0)

    @property
    def definite(self) -> bool:
        return True

    def read(self, sets: Any) -> np.ndarray:
        """Sets as rows of 0 and 1: iterables of element numbers, or such rows."""
        return indicators(sets)

    def origin(self, rows: Any) -> None:
        return None

    def coded(self, rows: Any, origin: Any) -> Coded:
        return Coded(rows)

    def fill(self, left: Coded, right: Coded, out: np.ndarray) -> None:
        width = max(left.rows.shape[1], right.rows.shape[1])
        products(widened(left.rows, width), widened(right.rows, width), out)
        out[...] = self.by_size(width)[out.astype(np.intp)]

    def diagonal_of(self, rows: Any) -> np.ndarray:
        return self.by_size(rows.shape[1])[rows.sum(axis=1).astype(np.intp)]

    def by_size(self, width: int) -> np.ndarray:
        """The value for two sets that share 0, 1, ..., so many elements."""
        lowest = 0 if self.cumulative else self.degree
        return np.asarray(sum(comb(np.arange(width + 1), k) for k in range(lowest, self.degree + 1)))

    def __repr__(self) -> str:
        return f"Combinatorial({self.degree}, cumulative={self.cumulative})"


def indicators(sets: Any) -> np.ndarray:
    """Rows of 0 and 1 for sets of element numbers; rows of that kind are passed through.

    >>> indicators([(0, 2), ()]).tolist()
    [[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """
    if isinstance(sets, np.ndarray):
        if sets.ndim != 2 or not ((sets == 0) | (sets == 1)).all():
            raise ValueError("an array of sets must be a matrix of 0 and 1, with one row for each set")
        return sets.astype(float)
    members = [element_numbers(i, s) for i, s in enumerate(sets)]
    rows = np.zeros((len(members), 1 + max((max(s, default=-1) for s in members), default=-1)))
    for row, s in zip(rows, members, strict=True):
        row[list(s)] = 1.0
    return rows


def element_numbers(place: int, elements: Iterable[Any]) -> set[int]:
    found = set(elements)
    for element in found:
        if isinstance(element, bool) or not isinstance(element, int | np.integer) or element < 0:
            raise ValueError(f"elements of sets must be whole numbers from 0, set {place} holds {element!r}")
    return {int(element) for element in found}


def widened(rows: np.ndarray, width: int) -> np.ndarray:
    return np.pad(rows, ((0, 0), (0, width - rows.shape[1])))
