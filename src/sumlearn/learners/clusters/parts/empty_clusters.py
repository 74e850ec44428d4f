"""Clusters without rows: each takes the row that is farthest from its centre."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ....data import Chunk
from ....statistics.row_checks import dense
from ....statistics.statistic import Counted
from .codebook import Codebook, present


@dataclass(frozen=True, eq=False)
class Farthest(Counted):
    """The `size` different rows that are farthest from their centres; of equally far ones the smallest in order."""

    squares: np.ndarray
    points: np.ndarray  # in the coordinates of the frame
    labels: np.ndarray
    mass: np.ndarray
    size: int
    total: float
    count: int

    def merge(self, other: Self) -> Self:
        squares, mass = (np.concatenate([getattr(self, name), getattr(other, name)]) for name in ("squares", "mass"))
        points, labels = np.concatenate([self.points, other.points]), np.concatenate([self.labels, other.labels])
        total, count = self.total + other.total, self.count + other.count
        return type(self)(squares, points, labels, mass, self.size, total, count).foremost()

    def zero(self) -> Self:
        none = slice(0)
        return type(self)(self.squares[none], self.points[none], self.labels[none], self.mass[none], self.size, 0.0, 0)

    def foremost(self) -> Self:
        """Equal rows as one, and the farthest of them."""
        rows, first, group = np.unique(self.points, axis=0, return_index=True, return_inverse=True)
        mass = np.bincount(group.reshape(-1), self.mass, len(first))
        order = np.argsort(-self.squares[first], kind="stable")[: self.size]
        kept = first[order]
        return type(self)(
            self.squares[kept], rows[order], self.labels[kept], mass[order], self.size, self.total, self.count
        )


def farthest(codebook: Codebook, size: int, chunk: Chunk) -> Farthest:
    """Of the rows of a chunk; equal ones that are at the end of the list may be there in part."""
    with present(chunk) as (X, weight):
        labels, squares = codebook.nearest(X)
    mass = weight if len(weight) else np.ones(len(labels))
    there = np.arange(len(labels))
    if len(there) > size:
        there = np.flatnonzero(squares >= np.partition(squares, len(there) - size)[len(there) - size])
    X = X[there]
    rows = codebook.frame.coordinates(dense(X) if hasattr(X, "tocsr") else X)
    total = float(mass.sum())
    return Farthest(squares[there], rows, labels[there], mass[there], size, total, len(mass)).foremost()


def filled(sums: np.ndarray, rows: Any, codebook: Codebook) -> np.ndarray:
    """Sums of (z, 1) by cluster in which no cluster is empty, as far as there are rows that lie off their centre."""
    empty = np.flatnonzero(sums[:, -1] <= 0)
    found = rows.total(lambda chunk: farthest(codebook, len(empty) + len(sums), chunk))
    sums = sums.copy()
    for z, label, mass, square in zip(found.points, found.labels, found.mass, found.squares, strict=True):
        if not len(empty) or square == 0.0:
            break
        if sums[label, -1] <= mass:  # it is alone there
            continue
        taken = mass * np.append(z, 1.0)
        sums[label] -= taken
        sums[empty[0]] = taken
        empty = empty[1:]
    return sums
