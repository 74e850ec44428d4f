"""Edges of bins: quantiles from a first look at the rows, or given beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..data import Chunk, Source
from ..engines import total
from ..statistics import Statistic
from ..statistics.level_sums import MOST_LEVELS
from ..statistics.row_checks import floats, prepare, raise_if_not_finite

MOST_NUMBERS = 2**23  # that are kept of a table to find quantiles: 64 MiB


def edges_of(bins: Any, source: Source) -> np.ndarray | None:
    """None for levels; quantiles for a number of bins; edges that are given as an array or a list for each column."""
    if bins is None:
        return None
    if isinstance(bins, bool | np.bool_ | str) or (np.ndim(bins) == 0 and not isinstance(bins, int | np.integer)):
        raise ValueError(f"bins must be a whole number, edges for each column, or None, got {bins!r}")
    if isinstance(bins, int | np.integer):
        if not 2 <= bins <= MOST_LEVELS:
            raise ValueError(f"bins must be between 2 and {MOST_LEVELS}, got {bins}")
        sample = sample_of(source)
        return padded([quantiles(column, sample.mass, int(bins)) for column in sample.values.T])
    edges = [np.asarray(row, dtype=float) for row in bins]
    if len(edges) != source.features:
        raise ValueError(f"bins has edges for {len(edges)} columns, X has {source.features} features")
    for j, row in enumerate(edges):
        row = row[np.isfinite(row)] if row.ndim == 1 else row
        if row.ndim != 1 or len(row) >= MOST_LEVELS or (np.diff(row) <= 0).any() or np.isnan(edges[j]).any():
            raise ValueError(f"the edges in bins of column {j} must be fewer than {MOST_LEVELS} ascending numbers")
    return padded([row[np.isfinite(row)] for row in edges])


def padded(rows: list[np.ndarray]) -> np.ndarray:
    """Rows of different lengths as a matrix, filled with infinity."""
    out = np.full((len(rows), max(map(len, rows), default=0)), np.inf)
    for j, row in enumerate(rows):
        out[j, : len(row)] = row
    return out


def quantiles(column: np.ndarray, weight: np.ndarray, bins: int) -> np.ndarray:
    """Edges between bins of about equal weight; few values stay apart, each in a bin of its own.

    >>> quantiles(np.array([3.0, 1.0, 2.0, 4.0]), np.ones(4), 2).tolist()
    [3.0]
    >>> quantiles(np.array([0.0, 1.0, 1.0, 1.0]), np.ones(4), 4).tolist()
    [1.0]
    """
    order = np.argsort(column, kind="stable")
    values, below = column[order], np.cumsum(weight[order])
    first = np.flatnonzero(np.diff(values, prepend=-np.inf) > 0)
    if len(first) <= bins:
        return values[first[1:]]
    share = np.concatenate([[0.0], below])[first] / below[-1]  # of the rows below each value
    wanted = np.arange(1, bins) / bins
    chosen = np.unique(np.minimum(np.searchsorted(share, wanted - 1e-12), len(first) - 1))
    return values[first[chosen[chosen > 0]]]


@dataclass(frozen=True, eq=False)
class Sample(Statistic):
    """Rows and their weights: all of them, or every second, fourth, ... (`step`) where they are too many."""

    values: np.ndarray
    mass: np.ndarray
    step: int = 1

    @property
    def rows(self) -> int:
        return len(self.mass)

    @property
    def weight(self) -> float:
        return float(self.mass.sum())

    def zero(self) -> Self:
        return self.at(slice(0), self.step)

    def merge(self, other: Self) -> Self:
        step, columns = max(self.step, other.step), self.values.shape[1]
        while sum(-(-part.rows * part.step // step) for part in (self, other)) * columns > MOST_NUMBERS:
            step *= 2  # before anything is joined: twice as many would be in memory for a while, and for long as views
        a, b = (part.at(slice(None, None, step // part.step), step) for part in (self, other))
        return type(self)(np.concatenate([a.values, b.values]), np.concatenate([a.mass, b.mass]), step)

    def at(self, rows: slice, step: int) -> Self:
        return type(self)(self.values[rows], self.mass[rows], step)


def sample_of(source: Source) -> Sample:
    """Enough rows of a source for quantiles: one pass."""
    return total(sample_of_chunk, source)


def sample_of_chunk(chunk: Chunk) -> Sample:
    """The rows of a chunk that weigh something."""
    X, _, weight = prepare(chunk.X, None, chunk.weight)
    rows = floats(X).astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        if not np.isfinite(rows.sum()):
            raise_if_not_finite(X)
    return Sample(rows, np.ones(len(rows)) if weight is None else weight)
