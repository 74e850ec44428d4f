"""Shells: what lies at each of the nearest distances from some queries, as a sum over the rows of a file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ....statistics.statistic import Counted
from .neighbour_lists import Lists
from .rows_in_order import Labels, RowsInOrder


@dataclass(frozen=True, eq=False)
class Shells(Counted):
    """Of every query the nearest distances, and the weight and the weighted sums of the values there.

    Rows add up by putting both lists together and dropping what is beyond the k-th: whoever is beyond it in a part is
    beyond it in the whole. Where all that are tied count, rows at the same distance are one entry, so the size is
    bounded by the queries and k; where the first count, each is its own, in the order of the rows.
    """

    starts: np.ndarray
    distance: np.ndarray
    mass: np.ndarray
    sums: np.ndarray  # (entries, values)
    k: float
    ties: str
    names: Labels | None
    total: float
    count: int

    @classmethod
    def of(cls, lists: Lists, values: np.ndarray, k: float, ties: str, rows: RowsInOrder) -> Self:
        """From lists of rows, as many of them as there are values."""
        order = np.lexsort((lists.number, lists.distance, lists.query))
        number, mass = lists.number[order], lists.mass[order]
        found = cls(
            lists.starts, lists.distance[order], mass, mass[:, None] * values[number], k, ties, rows.names,
            rows.weight, rows.rows,
        )  # fmt: skip
        return found.cut()

    @classmethod
    def nothing(cls, queries: int, values: int, k: float, ties: str, names: Labels | None) -> Self:
        width = values if names is None else sum(map(len, names))
        empty = np.empty(0)
        return cls(np.zeros(queries + 1, np.int64), empty, empty, np.empty((0, width)), k, ties, names, 0.0, 0)

    @property
    def lists(self) -> Lists:
        """Every entry as a point of its own, whose values are the sums."""
        return Lists(self.starts, self.distance, np.arange(len(self.distance)), self.mass)

    def zero(self) -> Self:
        names = None if self.names is None else ((),) * len(self.names)
        width = self.sums.shape[1] if names is None else 0
        starts = np.zeros_like(self.starts)
        cut: dict[str, Any] = {"distance": self.distance[:0], "mass": self.mass[:0], "sums": np.empty((0, width))}
        return replace(self, starts=starts, names=names, total=0.0, count=0, **cut)

    def merge(self, other: Self) -> Self:
        if (len(self.starts), self.k, self.ties) != (len(other.starts), other.k, other.ties):
            raise ValueError("neighbours of other queries, or others of them, are not added")
        if not self.count or not other.count:
            return self if self.count else other
        names, first, second = self.alike(other)
        query = np.concatenate([self.lists.query, other.lists.query])
        distance = np.concatenate([self.distance, other.distance])
        order = np.lexsort((distance, query))  # stable: rows of the first come first
        counts = np.bincount(query, minlength=len(self.starts) - 1)
        return replace(
            self,
            starts=np.append(0, np.cumsum(counts)),
            distance=distance[order],
            mass=np.concatenate([self.mass, other.mass])[order],
            sums=np.concatenate([first, second])[order],
            names=names,
            total=self.total + other.total,
            count=self.count + other.count,
        ).cut()

    def cut(self) -> Self:
        """Entries at the same distance together, where all count; none beyond the k-th."""
        found = self
        if self.ties == "all" and len(self.distance):
            query = self.lists.query
            first = np.append(True, (np.diff(query) != 0) | (np.diff(self.distance) != 0))
            if not first.all():
                at = np.flatnonzero(first)
                counts = np.bincount(query[at], minlength=len(self.starts) - 1)
                found = replace(
                    self,
                    starts=np.append(0, np.cumsum(counts)),
                    distance=self.distance[at],
                    mass=np.add.reduceat(self.mass, at),
                    sums=np.add.reduceat(self.sums, at, axis=0),
                )
        kept = found.lists.shares(found.k, found.ties) > 0
        if kept.all():
            return found
        counts = np.bincount(found.lists.query[kept], minlength=len(found.starts) - 1)
        cut: dict[str, Any] = {"distance": found.distance[kept], "mass": found.mass[kept], "sums": found.sums[kept]}
        return replace(found, starts=np.append(0, np.cumsum(counts)), **cut)

    def alike(self, other: Shells) -> tuple[Labels | None, np.ndarray, np.ndarray]:
        """The sums of both, where equal labels have equal places."""
        if self.names is None or other.names is None or self.names == other.names:
            return self.names, self.sums, other.sums
        union = tuple(tuple(sorted({*a, *b})) for a, b in zip(self.names, other.names, strict=True))
        ends = np.cumsum([0, *map(len, union)])
        found: list[Any] = []
        for part in (self, other):
            assert part.names is not None
            places = [ends[t] + union[t].index(label) for t, own in enumerate(part.names) for label in own]
            wide = np.zeros((len(part.sums), ends[-1]))
            wide[:, places] = part.sums
            found.append(wide)
        return union, found[0], found[1]
