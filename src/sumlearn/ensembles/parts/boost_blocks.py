"""Rows of any source as coded blocks, pass after pass, and sums over them that are whole numbers.

A block that was coded once is kept where there is room for all of them; otherwise rows are read and coded again for
every pass, which gives the same answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from ...data import Chunk, Source
from ...data.collections import DaskSource
from ...data.mapped import inputs_of
from ...engines.choice import engine_for
from ...engines.journal import not_kept
from ...engines.summing import NO_WEIGHT, named_column
from ...learners.trees.parts.binning import BinEdges
from ...statistics import RowError
from ...statistics.statistic import Counted
from .boost_bytes import ByteRows, coded_rows
from .boost_growing import RowWeights
from .boost_losses import BoostLoss
from .boost_stopping import held_numbers
from .boost_sums import NONE
from .boost_trees import BoostedTrees

KEPT = 2**30  # bytes of coded rows, scores and gradients that are kept from pass to pass
FACTOR = 8


class Masses(dict[Any, Any]):
    """Numbers by name, which are added: weights of labels, rows of parts."""

    def __add__(self, other: Any) -> Masses:
        return Masses(self | {name: self.get(name, 0) + value for name, value in other.items()})


@dataclass(frozen=True, eq=False)
class Tallies(Counted):
    """Numbers that are added, and numbers of which the smaller one stays."""

    sums: tuple[Any, ...]
    least: tuple[Any, ...]
    total: float
    count: int

    @classmethod
    def of(cls, rows: int, *sums: Any, least: tuple[Any, ...] = ()) -> Tallies:
        return cls(sums, least, float(rows), rows)

    def merge(self, other: Self) -> Self:
        if not self.count or not other.count:  # no rows, not even the shape of something
            return self if self.count else other
        sums = tuple(a + b for a, b in zip(self.sums, other.sums, strict=True))
        least = tuple(np.minimum(a, b) for a, b in zip(self.least, other.least, strict=True))
        return type(self)(sums, least, self.total + other.total, self.count + other.count)

    def zero(self) -> Self:
        return type(self)((), (), 0.0, 0)


class BoostReader(NamedTuple):
    """How a chunk becomes a block: bins, labels, weights, and which rows are held back."""

    edges: BinEdges
    target: str
    gaps: bool
    loss: BoostLoss | None = None
    classes: np.ndarray | None = None
    factors: np.ndarray | None = None  # on the weights of the classes
    whole: bool = True  # whether weights are numbers of rows
    unit: float = 1.0
    total: float = 0.0
    firsts: Any = None  # how many rows that count come before a part, by the number of its first row
    fraction: float = 0.0
    seed: int = 0
    extreme: np.ndarray | None = None  # hashes of rows, of which one of each class stays

    def rows(self, chunk: Chunk) -> ByteRows:
        """Codes, targets and weights of the rows that weigh something."""
        rows = coded_rows(self.edges, self.target, self.gaps, 1, False, chunk)
        if self.classes is None:
            return rows
        assert self.loss is not None and rows.weight is not None
        codes = np.searchsorted(self.classes, rows.y)
        weight = rows.weight if self.factors is None else rows.weight * self.factors[codes]
        return rows._replace(y=self.loss.coded(codes), weight=weight)

    def place(self, count: int, numbers: np.ndarray) -> np.ndarray:
        """Numbers of rows among those that count."""
        first = self.firsts.get(int(numbers[0]), 0) if len(numbers) else 0
        return np.arange(first, first + count)

    def learnt(self, count: int, numbers: np.ndarray) -> np.ndarray | None:
        """Which rows trees are grown on; None: all."""
        if not self.fraction:
            return None
        assert self.extreme is not None
        return ~held_numbers(self.place(count, numbers), self.fraction, self.seed, self.extreme)

    def weights(self, weight: np.ndarray) -> RowWeights:
        """Weights as they are taken in all of the rows."""
        if self.whole:
            times = NONE if (weight == 1.0).all() else weight.astype(np.int64)
            return RowWeights(times, None, times, 1.0, self.total)
        return RowWeights(NONE, weight, np.rint(weight * self.unit).astype(np.int64), self.unit, self.total)


@dataclass
class BoostBlock:
    """Coded rows that are learnt from, and those that are held back."""

    rows: ByteRows
    weights: RowWeights
    held: BoostBlock | None = None
    scores: np.ndarray | None = None  # (n, outputs), after `trees` trees
    trees: int = 0
    packed: Any = None  # number of a round, and its packed slopes

    @classmethod
    def of(cls, reader: BoostReader, chunk: Chunk, numbers: np.ndarray) -> BoostBlock:
        rows = reader.rows(chunk)
        learnt = reader.learnt(len(rows.y), numbers)
        if learnt is None:
            return cls(rows, reader.weights(rows.weight))  # type: ignore[arg-type]
        parts = [rows.take(np.flatnonzero(flags)) for flags in (learnt, ~learnt)]
        own, held = (cls(part, reader.weights(part.weight)) for part in parts)  # type: ignore[arg-type]
        own.held = held
        return own

    def scored(self, model: BoostedTrees) -> np.ndarray:
        """Scores (outputs, n) of all trees; where they are known already, later trees are added."""
        if self.scores is None:
            self.scores, self.trees = np.repeat(model.base[None], len(self.rows.y), axis=0), 0
        if self.trees < model.many:
            model.add(self.rows.codes, self.trees, model.many, self.scores, 1)
            self.trees = model.many
        return np.ascontiguousarray(self.scores.T)


class BoostBlocks:
    """All rows of a source, again and again."""

    def __init__(self, source: Source, reader: BoostReader, workers: int | None) -> None:
        self.source, self.reader, self.workers = source, reader, workers
        inputs = inputs_of(source)
        self.spread = isinstance(inputs, DaskSource)
        if isinstance(inputs, DaskSource):
            inputs.counted()
        self.kept: dict[int, BoostBlock] | None = None
        self.complete = False

    def keep(self, rows: int, outputs: int) -> None:
        """Keep blocks from now on, if there is room for all of them."""
        size = rows * (len(self.reader.edges.counts) + 24 * outputs + 32)
        self.kept = {} if not self.spread and size <= KEPT else None

    def chunks(self, summarise: Callable[[BoostReader, Chunk, np.ndarray], Tallies]) -> Tallies:
        """The sum of summarise(reader, chunk, numbers of its rows)."""
        return self.summed(partial(of_chunk, partial(summarise, self.reader), self.source), self.source.parts(FACTOR))

    def total(self, summarise: Callable[[BoostBlock], Tallies]) -> Tallies:
        """The sum of summarise(block)."""
        if self.complete:
            assert self.kept is not None
            return self.summed(summarise, list(self.kept.values()))
        if self.kept is None:
            return self.chunks(partial(of_block, summarise))
        work = partial(of_numbered, self.kept, summarise, self.reader, self.source)
        answer = self.summed(work, enumerate(self.source.parts(FACTOR)))
        self.complete = True
        return answer

    def summed(self, work: Any, parts: Any) -> Tallies:
        not_kept("boosting, which keeps an answer for every row,", self.source)
        tallies = engine_for(self.source, self.workers).reduce(work, parts)
        if not tallies.count:
            raise ValueError(NO_WEIGHT)
        return tallies


def of_chunk(summarise: Any, source: Source, part: Any) -> Tallies:
    try:
        return summarise(source.chunk(part), part.row_numbers())
    except RowError as error:
        raise ValueError(error.describe(part.name(error.row), named_column(error, source))) from None


def of_block(summarise: Any, reader: BoostReader, chunk: Chunk, numbers: np.ndarray) -> Tallies:
    return summarise(BoostBlock.of(reader, chunk, numbers))


def of_numbered(kept: dict[int, BoostBlock], summarise: Any, reader: BoostReader, source: Source, part: Any) -> Tallies:
    """The same, with the block kept under the number of its part."""
    number, own = part

    def keeping(chunk: Chunk, numbers: np.ndarray) -> Tallies:
        kept[number] = BoostBlock.of(reader, chunk, numbers)
        return summarise(kept[number])

    return of_chunk(keeping, source, own)
