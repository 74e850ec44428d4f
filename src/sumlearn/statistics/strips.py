"""Strips: what every column has to do with a target, and little of what they have to do with each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from .moments import Moments
from .row_checks import prepare
from .statistic import Decayable, Removable, Restrictable, RowError
from .weights import FAINTEST

WIDTH = 32  # columns of a strip


@dataclass(frozen=True, eq=False)
class Strips(Removable, Decayable, Restrictable):
    """Moments of (some columns, y), strip after strip: all variances and all covariances with y.

    Full moments hold d^2 numbers; where only the pairs (x_j, y) matter, strips of 32 columns hold 33 d and are as
    precise.

    >>> a = Strips.of(np.arange(80.0).reshape(2, 40) ** 2, [1.0, 2.0])
    >>> [part.features for part in a.parts.values()]
    [32, 8]
    >>> float((a + Strips.of(np.ones((1, 40)), [5.0])).covariances[3].round(2))
    -415.11
    """

    parts: Mapping[int, Moments]  # by number, from the left

    @classmethod
    def of(cls, X: Any, y: Any, weight: Any = None) -> Strips:
        """From rows of features, and one number for each."""
        X, y, weight = prepare(X, y, weight, FAINTEST)
        if y is None or y.ndim != 1:
            raise ValueError(f"y should be a 1d array, got an array of shape {np.shape(y)} instead.")
        found = []
        for start in range(0, max(X.shape[1], 1), WIDTH):
            try:
                found.append(Moments.of(X[:, start : start + WIDTH], y, weight, precise=False))
            except RowError as error:
                column = error.column if error.name != "X" or error.column is None else error.column + start
                raise RowError(error.name, error.row, column, error.value) from None
        return cls(dict(enumerate(found)))

    @property
    def weight(self) -> float:
        return self.parts[0].weight

    @property
    def rows(self) -> int:
        return self.parts[0].rows

    @property
    def features(self) -> int:
        return sum(part.features for part in self.parts.values())

    @property
    def covariances(self) -> np.ndarray:
        """Cov[x_j, y], with the divisor W."""
        return np.concatenate([part.covariance()[:-1, -1] for part in self.parts.values()])

    def zero(self) -> Self:
        return self._of(part.zero() for part in self.parts.values())

    def merge(self, other: Self) -> Self:
        return self._of(a.merge(b) for a, b in self._side_by_side(other))

    def remove(self, other: Self) -> Self:
        return self._of(a.remove(b) for a, b in self._side_by_side(other))

    def decay(self, factor: float) -> Self:
        return self._of(part.decay(factor) for part in self.parts.values())

    def restrict(self, columns: Any) -> Self:
        """Some of the columns, in the order given; neighbours that share a strip still do."""
        chosen = np.asarray(columns)
        index = np.arange(self.features)[chosen if chosen.size else chosen.astype(np.intp)]
        strip = np.searchsorted(self._ends, index, side="right")
        cuts = [0, *(np.flatnonzero(np.diff(strip)) + 1).tolist(), len(index)]
        starts = np.concatenate([[0], self._ends])
        if not len(index):
            return self._of([self.parts[0].restrict([])])
        return self._of(self.parts[strip[a]].restrict(index[a:b] - starts[strip[a]]) for a, b in pairwise(cuts))

    def _of(self, parts: Iterable[Moments]) -> Self:
        return type(self)(dict(enumerate(parts)))

    @property
    def _ends(self) -> np.ndarray:
        return np.cumsum([part.features for part in self.parts.values()])

    def _side_by_side(self, other: Self) -> Iterator[tuple[Moments, Moments]]:
        """The strips of both, cut where either is cut."""
        if self.features != other.features:
            raise ValueError(f"strips differ in columns: {self.features} and {other.features}")
        cuts = np.union1d(self._ends, other._ends).tolist()
        return zip(*(part._cut(cuts) for part in (self, other)), strict=True)

    def _cut(self, ends: list[int]) -> Iterator[Moments]:
        mine = self._ends.tolist()
        start = 0
        for end in ends:
            strip = int(np.searchsorted(mine, start, side="right")) if end > start else 0
            first = mine[strip] - self.parts[strip].features
            whole = first == start and mine[strip] == end
            yield self.parts[strip] if whole else self.parts[strip].restrict(np.arange(start - first, end - first))
            start = end
