"""Rows that are read in order, and told apart by number: files, and blocks on a cluster."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from .chunk import Chunk
from .source import InMemory, Source

Picks = list[tuple[int, np.ndarray]]  # (pattern, numbers of its rows, ascending)


class Stream(Source):
    """A source without random access. `number` reads targets and weights alone: splitters need no more than that.

    Rows that are wanted by number are named beforehand, as patterns: `parts` hands each of them out with the part that
    holds it, so that one read serves all patterns.
    """

    y: np.ndarray | None = None  # after `number`
    weight: np.ndarray | None = None

    @abstractmethod
    def number(self) -> Self:
        """Read targets and weights and count the rows."""

    @abstractmethod
    def parts(self, factor: int = 1, patterns: Sequence[np.ndarray] | None = None) -> Iterator[Any]:
        """All rows in portions; with patterns of row numbers (ascending), each part knows its rows of each pattern."""

    @abstractmethod
    def gather(self, patterns: Sequence[np.ndarray]) -> list[InMemory]:
        """The rows of every pattern, in memory: one read."""


class Picked(NamedTuple):
    """Some rows of a part, read already."""

    chunk: Chunk
    part: Any
    rows: np.ndarray

    def name(self, i: int) -> str:
        return self.part.name(int(self.rows[i]))

    def row_numbers(self) -> np.ndarray:
        return self.part.row_numbers()[self.rows]


def picked(chunk: Chunk, part: Any) -> Iterator[tuple[int, Picked]]:
    """The rows of a chunk by pattern."""
    for pattern, rows in part.picks:
        y = None if chunk.y is None else chunk.y[rows]
        weight = None if chunk.weight is None else chunk.weight[rows]
        yield pattern, Picked(Chunk(chunk.X[rows], y, weight, chunk.columns), part, rows)


def in_memory(source: Source, rows: np.ndarray) -> tuple[InMemory, np.ndarray]:
    """A source in memory that holds those rows, and their numbers in it; a stream is read for it."""
    if not isinstance(source, Stream):
        return source, rows  # type: ignore[return-value]
    return source.gather([np.sort(rows)])[0], np.arange(len(rows))


def between(picks: Iterable[tuple[int, np.ndarray]], start: int, stop: int) -> Picks:
    """The rows of each pattern from `start` to `stop`, counted from `start`; patterns without any are left out.

    >>> between([(0, np.array([1, 4, 4, 9])), (7, np.array([2]))], 3, 8)
    [(0, array([1, 1]))]
    """
    found = []
    for pattern, rows in picks:
        first, last = np.searchsorted(rows, [start, stop])
        if first < last:
            found.append((pattern, rows[first:last] - start))
    return found
