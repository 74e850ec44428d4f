"""The rows of a window in blocks, with the sums of those between its two ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from ...data import Chunk
from ..window_sum import WindowSum
from .timed_rows import TimedRows

GRAIN = 128  # rows of a block, at least


@dataclass(frozen=True, eq=False)
class RowBlock:
    """Rows, with their times where these count."""

    X: Any
    y: Any
    weight: Any
    times: Any

    def __len__(self) -> int:
        return self.X.shape[0]

    def take(self, rows: slice | np.ndarray) -> RowBlock:
        return RowBlock(*(None if part is None else part[rows] for part in (self.X, self.y, self.weight, self.times)))

    def summary(self, summarise: Any) -> Any:
        return summarise(Chunk(self.X, self.y, self.weight))


@dataclass(frozen=True, eq=False)
class WindowRows:
    """The rows of a window: blocks, and the pieces of the block that grows."""

    blocks: tuple[RowBlock, ...]
    pieces: tuple[RowBlock, ...]
    now: Any  # the newest time

    sums: ClassVar[Any] = None  # an OpenWindow; no field: it follows from the rows, and no file has it

    @property
    def rows(self) -> int:
        if self.sums is not None:
            return self.sums.rows
        return sum(map(len, self.blocks)) + sum(map(len, self.pieces))


class OpenWindow:
    """A window to work on: blocks but the first have their sum in a queue, and the block that grows has one.

    >>> from sumlearn.statistics import Moments
    >>> window = OpenWindow(None, lambda chunk: Moments.of(chunk.X))
    >>> for row in range(300):
    ...     window.append(RowBlock(np.array([[float(row)]]), None, None, None), 128)
    ...     window.keep_last(200)
    >>> window.total().rows, window.total().mean.tolist()
    (200, [199.5])
    """

    def __init__(self, state: WindowRows | None, summarise: Any) -> None:
        state = WindowRows((), (), None) if state is None else state
        self.summarise, self.now, self.rows = summarise, state.now, state.rows
        self.blocks, self.pieces = [*state.blocks], [*state.pieces]
        self.grown = sum(map(len, self.pieces))
        self.queue, self.growing = WindowSum(), None
        if state.sums is not None:
            self.queue, self.growing = state.sums.queue.copy(), state.sums.growing
            return
        for block in self.blocks[1:]:
            self.queue.push(block.summary(summarise))
        if self.pieces:
            self.growing = joined(self.pieces).summary(summarise)

    def frozen(self) -> WindowRows:
        state = WindowRows(tuple(self.blocks), tuple(self.pieces), self.now)
        object.__setattr__(state, "sums", self)
        return state

    def append(self, piece: RowBlock, grain: int, statistic: Any = None) -> None:
        """Rows at the young end."""
        statistic = piece.summary(self.summarise) if statistic is None else statistic
        self.growing = statistic if self.growing is None else self.growing + statistic
        self.pieces.append(piece)
        self.rows, self.grown = self.rows + len(piece), self.grown + len(piece)
        if piece.times is not None:
            self.now = piece.times[-1].item()
        if self.grown >= grain:
            self.seal()

    def seal(self) -> None:
        """The block that grew is one like the others."""
        if self.blocks:
            self.queue.push(self.growing)
        self.blocks.append(joined(self.pieces))
        self.pieces, self.growing, self.grown = [], None, 0

    def keep_last(self, size: int) -> None:
        self.drop(self.rows - size)

    def keep_after(self, time: Any) -> None:
        """Rows at or before a time go."""
        while self.rows and self.first_time() <= time:
            if not self.blocks:
                self.seal()
            times = self.blocks[0].times
            self.drop(int(np.searchsorted(times, time, side="right")))

    def drop(self, count: int) -> None:
        """The oldest rows go."""
        self.rows -= max(count, 0)
        while count > 0:
            if not self.blocks:
                self.seal()
            first = self.blocks[0]
            if count < len(first):
                self.blocks[0] = first.take(slice(count, None))
                return
            self.blocks.pop(0)
            count -= len(first)
            if self.blocks:
                self.queue.pop()

    def first_time(self) -> Any:
        return (self.blocks[0] if self.blocks else self.pieces[0]).times[0]

    def taken_after(self, time: Any) -> list[RowBlock]:
        """All blocks that have rows after a time, taken out of the window; late rows go among them."""
        count = len([block for block in self.blocks if block.times[-1] > time])
        kept = len(self.blocks) - count
        taken = self.blocks[kept:] + self.pieces
        self.queue.drop_newest(min(count, len(self.queue)))
        self.blocks, self.pieces, self.growing, self.grown = self.blocks[:kept], [], None, 0
        self.rows -= sum(map(len, taken))
        return taken

    def youngest(self) -> Any:
        """The sum of some rows at the young end; None where there are none."""
        if self.growing is not None or not self.blocks:
            return self.growing
        return self.blocks[-1].summary(self.summarise)

    def total(self) -> Any:
        """The sum of all rows in the window; None where there are none."""
        parts = [self.growing] if self.growing is not None else []
        if len(self.queue):
            parts.insert(0, self.queue.total)
        if self.blocks:
            parts.insert(0, self.blocks[0].summary(self.summarise))
        return sum(parts[1:], parts[0]) if parts else None


def joined(pieces: list[RowBlock]) -> RowBlock:
    """Pieces as one block."""
    if len(pieces) == 1:
        return pieces[0]
    weights = None
    if any(piece.weight is not None for piece in pieces):
        weights = np.concatenate([np.ones(len(piece)) if piece.weight is None else piece.weight for piece in pieces])
    y = None if pieces[0].y is None else np.concatenate([piece.y for piece in pieces])
    times = None if pieces[0].times is None else np.concatenate([piece.times for piece in pieces])
    X = [piece.X for piece in pieces]
    return RowBlock(
        sparse.vstack(X, format="csr") if any(map(sparse.issparse, X)) else np.concatenate(X), y, weights, times
    )


def block_of(rows: TimedRows) -> RowBlock:
    """Rows with values of their own: arrays that came in may be changed by whoever has handed them over."""
    X, y, weight, _ = rows.chunk
    return RowBlock(X.copy(), *(None if part is None else np.array(part) for part in (y, weight, rows.times)))


def cuts(size: int, first: int, step: int) -> Iterator[slice]:
    """0 to `size` in slices: the first of at most `first`, the others of at most `step`."""
    start = 0
    while start < size:
        stop = min(start + (first if start == 0 else step), size)
        yield slice(start, stop)
        start = stop
