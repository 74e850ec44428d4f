"""Passes: the rows of a source, as often as they are wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from ..data import Chunk, InMemory, Source
from ..data.chunk import Rows
from ..data.collections import DaskSource
from ..data.mapped import inputs_of
from ..engines import in_threads, total
from ..engines.choice import engine_for
from ..engines.journal import keeps_passes, not_kept
from ..engines.summing import NO_WEIGHT, summary_of_part

AHEAD = 8  # parts of a stream that are held at a time
FACTOR = 8  # passes of little work want few merges


class Passes:
    """The rows of a source, as often as they are wanted: for sums over them, or for outputs in their order.

    `factor` is the size of their parts, a power of two; who does very little with a row may make it larger.
    """

    def __init__(self, source: Source, workers: int | None = None) -> None:
        self.source, self.workers, self.factor = source, workers, FACTOR
        self.notes: dict[int, dict[str, Any]] = {}

    def total(self, summarise: Callable[[Chunk], Any]) -> Any:
        """The sum of summarise(chunk): one pass. A bad value is named by its row and column."""
        return total(summarise, self.source, factor=self.factor, workers=self.workers)

    def total_numbered(self, summarise: Callable[[Chunk, slice], Any]) -> Any:
        """The sum of summarise(chunk, numbers of its rows), in small parts: for what is kept of rows elsewhere."""
        inputs = inputs_of(self.source)
        if isinstance(inputs, DaskSource):
            inputs.counted()
        not_kept("a pass that keeps something of every row", self.source)
        work = partial(with_numbers, summarise, self.source)
        sums = engine_for(self.source, self.workers).reduce(work, small_parts(self.source))
        if sums.weight == 0:
            raise ValueError(NO_WEIGHT)
        return sums

    def total_noting(self, summarise: Callable[[Chunk, dict[str, Any]], Any]) -> Any:
        """The same, with a dictionary for each part that is kept from pass to pass: bounds, labels, whatever helps.

        It is a cache: a part whose notes are lost must give the same answer. There are none on a cluster, and where
        passes are kept, since one that goes on later has lost them.
        """
        if isinstance(inputs_of(self.source), DaskSource) or keeps_passes():
            return self.total(partial(without_notes, summarise))
        parts = (Noted(part, self.notes.setdefault(number, {})) for number, part in enumerate(self.parts()))
        noting = NotedSource(self.source)
        return total(partial(with_notes, summarise), noting, workers=self.workers, parts=parts)  # type: ignore[arg-type]

    def each(self, answer: Callable[[Chunk], np.ndarray]) -> np.ndarray:
        """answer(chunk), a row for each row, in the order of the rows: one pass."""
        if isinstance(inputs_of(self.source), DaskSource):
            pieces = (piece for part in self.parts() for piece in part.compute().pieces())
            return np.concatenate([summary_of_part(answer, self.source, piece) for piece in pieces])
        one, parts = partial(summary_of_part, answer, self.source), self.parts()
        found: list[np.ndarray] = []
        while some := list(islice(parts, AHEAD)):  # a stream is not read further ahead than that
            found += in_threads(one, some, self.workers)
        return np.concatenate(found)

    def parts(self) -> Iterator[Any]:
        return self.source.parts(self.factor)


def small_parts(source: Source) -> Iterator[Any]:
    """Parts for passes that are not merely sums of a few numbers: small enough for every thread to have some.

    Their size follows from the number of columns, so results do not depend on the threads.
    """
    if not isinstance(source, InMemory):
        yield from source.parts()
        return
    size = max(min(4096, max(2**21 // max(source.features, 1), 512)), source.features // 2)
    for start in range(0, source.rows, size):
        yield Rows(slice(start, min(start + size, source.rows)))


class Noted:
    """A part and its notes."""

    def __init__(self, part: Any, notes: dict[str, Any]) -> None:
        self.part, self.notes, self.name = part, notes, part.name


class NotedSource:
    """A source whose chunks come with the notes of their part."""

    def __init__(self, source: Source) -> None:
        self.source, self.columns = source, source.columns

    def chunk(self, noted: Noted) -> tuple[Chunk, dict[str, Any]]:
        return self.source.chunk(noted.part), noted.notes


def with_notes(summarise: Any, pair: tuple[Chunk, dict[str, Any]]) -> Any:
    return summarise(*pair)


def with_numbers(summarise: Any, source: Source, part: Any) -> Any:
    numbers = part.row_numbers()
    span = slice(int(numbers[0]), int(numbers[-1]) + 1) if len(numbers) else slice(0, 0)
    return summary_of_part(lambda chunk: summarise(chunk, span), source, part)


def without_notes(summarise: Any, chunk: Chunk) -> Any:
    return summarise(chunk, {})
