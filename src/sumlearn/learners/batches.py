"""Batches: rows a few at a time, in another order in every epoch, some of them held back to judge by."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..data import Chunk, InMemory, Rows, Source
from ..data.collections import DaskSource
from ..data.mapped import inputs_of
from ..engines.summing import NO_WEIGHT, summary_of_part
from .validation import usable_rows


class Batches:
    """The rows of a source for a `Sequential` learner, which says how: `batch_size`, `shuffle`, what is held back.

    Rows in memory are shuffled as a whole, those of files and clusters within their chunks. Rows that are held back are
    drawn once, by their number.
    """

    def __init__(self, source: Source, learner: Any) -> None:
        self.source, self.learner = source, learner
        self.seed = seed_of(learner.random_state)
        self.share = learner.validation_fraction if learner.early_stopping else 0.0
        self.whole = list(self.read()) if isinstance(source, InMemory) else None
        if self.whole is not None and not sum(chunk.X.shape[0] for _, chunk in self.whole):
            raise ValueError(NO_WEIGHT)

    def first(self) -> Chunk:
        """The first batch, as it comes."""
        batch = next((batch for batch in self.epoch(0)), None)
        if batch is None:
            raise ValueError(NO_WEIGHT)
        return batch

    def epoch(self, number: int) -> Iterator[Chunk]:
        """All rows that are learnt from, once."""
        for part, chunk in self.read() if self.whole is None else self.whole:
            order = np.flatnonzero(~self.is_held(part, chunk))
            if self.learner.shuffle:
                order = self.generator(1, number, part).permutation(order)
            size = self.learner.batch_size or max(len(order), 1)
            for start in range(0, len(order), size):
                yield rows_of(chunk, order[start : start + size])

    def held(self) -> Iterator[Chunk]:
        """The rows held back."""
        for part, chunk in self.read() if self.whole is None else self.whole:
            rows = np.flatnonzero(self.is_held(part, chunk))
            if len(rows):
                yield rows_of(chunk, rows)

    def is_held(self, part: int, chunk: Chunk) -> np.ndarray:
        n = chunk.X.shape[0]
        return self.generator(0, 0, part).random(n) < self.share if self.share else np.zeros(n, dtype=bool)

    def read(self) -> Iterator[tuple[int, Chunk]]:
        """Chunks that are ready for learning, with their numbers; one with all rows where they are in memory."""
        usable = partial(usable_rows, sparse_ok=True, gaps=self.source.gaps)
        if isinstance(self.source, InMemory):
            parts: Iterator[Any] = iter([Rows(slice(0, self.source.rows))])
        else:
            parts = in_order(self.source)
        for number, part in enumerate(parts):
            chunk = summary_of_part(usable, self.source, part)
            ready = self.learner.prepared(chunk)
            yield number, chunk if ready is None else ready

    def generator(self, *numbers: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, *numbers])


def seed_of(random_state: Any) -> int:
    """A number, drawn once."""
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    return int(random_state.randint(2**31)) if isinstance(random_state, np.random.RandomState) else int(random_state)


def in_order(source: Source) -> Iterator[Any]:
    """Parts of a stream; blocks of a Dask collection come here one after the other."""
    for part in source.parts():
        yield from part.compute().pieces() if isinstance(inputs_of(source), DaskSource) else [part]


def rows_of(chunk: Chunk, rows: np.ndarray) -> Chunk:
    y, weight = (None if values is None else values[rows] for values in (chunk.y, chunk.weight))
    return Chunk(chunk.X[rows], y, weight, chunk.columns)


class MeanError:
    """The mean error of batches, by their weight; those that tell none do not count."""

    def __init__(self) -> None:
        self.sum = self.weight = 0.0

    def add(self, error: Any, batch: Any) -> None:
        if error is not None:
            weight = float(np.sum(batch.weight))
            self.sum, self.weight = self.sum + float(error) * weight, self.weight + weight

    @property
    def value(self) -> float:
        return self.sum / self.weight if self.weight else np.nan


class Epoch(NamedTuple):
    """Where an epoch has led: the state, the error, the least error so far and for how long it has not fallen."""

    state: Any
    number: int = 0
    error: float = np.nan
    least: float = np.inf
    idle: int = 0

    def then(self, state: Any, judged: MeanError, told: Any, tol: float | None) -> Epoch:
        """The epoch after this one: the error is the one that the learner has told, else the one that was judged."""
        error = judged.value if told is None else float(told)
        idle = self.idle + 1 if judged.weight and tol is not None and error > self.least - tol else 0
        return Epoch(state, self.number + 1, error, float(np.fmin(self.least, error)), idle)

    def trace(self) -> Any:
        """The error, where there is one."""
        return () if np.isnan(self.error) else self.error
