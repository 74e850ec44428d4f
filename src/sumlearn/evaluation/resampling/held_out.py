"""Rows that models are scored on: read by number from memory, gathered from a stream."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...data import InMemory, Stream
from ...engines import Round

AT_A_TIME = 2**28  # bytes of held-out rows that are gathered in one read of a stream; a larger set comes alone


class HeldOut:
    """The rows of some sets of patterns, one set after the other."""

    def __init__(self, source: InMemory | Stream, part: Round, sets: Sequence[Sequence[int]]) -> None:
        self.source, self.part, self.sets = source, part, sets
        self.ready: dict[int, InMemory] = {}

    def rows(self, number: int) -> tuple[InMemory, np.ndarray]:
        """A source in memory, and which of its rows make up the set."""
        if not isinstance(self.source, Stream):
            return self.source, self.part.rows(self.sets[number])
        if number not in self.ready:
            self.ready = self.gathered(number, self.source)
        memory = self.ready.pop(number)
        return memory, np.arange(memory.rows)

    def gathered(self, first: int, source: Stream) -> dict[int, InMemory]:
        """That set and those that follow it, as far as memory allows: one read."""
        chosen: list[np.ndarray] = []
        size = 0
        for patterns in self.sets[first:]:
            index = self.part.rows(patterns)
            size += len(index) * source.features * source.dtype.itemsize
            if chosen and size > AT_A_TIME:
                break
            chosen.append(index)
        return dict(enumerate(source.gather(chosen), first))
