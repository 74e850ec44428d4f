"""Rows of a kernel matrix that is never there as a whole: computed in batches, kept while they are of use."""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np

FEW = 2**26  # bytes of rows to begin with: memory that was never touched costs more than many rows
AGAIN = 1  # times that every place was computed again before there are more of them
LONG = 8  # times as many columns as rows: of so long rows few numbers are dearer to fetch than to compute
WORD = 16  # columns of a row are rounded up to so many: it begins at a cache line


class KernelMatrix(Protocol):
    """What a decomposition asks of a symmetric matrix K: its diagonal, blocks in double, rows in batches."""

    diagonal: np.ndarray
    precision: Any  # of rows that are kept: float32 or float64
    unit: float  # in which they are kept

    def block(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """K[rows, columns]."""

    def write(self, rows: np.ndarray, out: np.ndarray, slots: np.ndarray) -> None:
        """out[slots[r], :n] = K[rows[r]] / unit."""

    def narrowed(self, which: np.ndarray) -> Self:
        """The matrix of these rows and columns."""


class KernelCache:
    """A pool of rows; those that were not asked for longest make room. It grows where rows are computed again.

    Rows are kept in the precision of the matrix: single, 4 n bytes a row and 7 digits, where the differences of its
    values are about as large as they are, else double. Sums over them are in double, and who needs more digits takes
    sums anew from `KernelMatrix.block`. A call asks for `batch` rows at most. The room may be that of others that are
    empty.
    """

    def __init__(self, kernel: Any, size: float, batch: int, of_others: KernelCache | None = None) -> None:
        n, item = len(kernel.diagonal), np.dtype(kernel.precision).itemsize
        width = -(-n // WORD) * WORD
        numbers = int(min(max(size // (item * width), batch), n)) * width
        self.flat: np.ndarray
        self.among: tuple[np.ndarray, np.ndarray]  # room of a square in both precisions, used again and again
        self.batch, self.whole = batch, kernel
        if of_others is not None and len(of_others.flat) >= numbers and of_others.batch >= batch:
            self.flat, self.among = of_others.flat[:numbers], of_others.among
        else:
            self.flat = np.empty(numbers, kernel.precision)
            self.among = np.empty(batch * batch), np.empty(batch * batch, kernel.precision)
        self.widen()

    def widen(self) -> None:
        """Begin anew, with all rows and columns: the room is the same."""
        self.kernel, self.tick, self.limit = self.whole, 0, 0
        self.seen = np.zeros(len(self.whole.diagonal), dtype=bool)
        self.lay(len(self.seen))

    def lay(self, columns: int) -> None:
        """The pool as rows of so many columns, none of them filled."""
        width = -(-columns // WORD) * WORD
        rows = min(len(self.flat) // width, columns)
        self.pool = self.flat[: rows * width].reshape(rows, width)
        self.owner, self.stamp = np.full(rows, -1), np.zeros(rows, np.int64)
        self.slot = np.full(columns, -1)
        first = max(FEW // (width * self.pool.itemsize), self.batch + self.batch // 4)
        self.limit, self.again = min(max(first, self.limit), rows), 0  # places in use; rows computed again

    def matrix(self, which: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """The matrix of some rows, and room for another, in that of the pool, which is empty then; if it is enough."""
        size = len(which)
        if 2 * size * size > len(self.flat):
            return None
        self.lay(len(self.slot))
        found, every = self.flat[: size * size].reshape(size, size), np.arange(size)
        self.kernel.narrowed(which).write(every, found, every)
        return found, self.flat[size * size :]

    def slots(self, rows: np.ndarray) -> np.ndarray:
        """Places in the pool of some rows; those that are not there are computed together."""
        self.tick += 1
        there = self.slot[rows]
        self.stamp[there[there >= 0]] = self.tick
        missing = rows[there < 0]
        if len(missing):
            self.again += int(self.seen[missing].sum())
            self.seen[missing] = True
            if self.again > AGAIN * self.limit:
                self.limit, self.again = min(2 * self.limit, len(self.pool)), 0
            free = np.argpartition(self.stamp[: self.limit], len(missing) - 1)[: len(missing)]
            old = self.owner[free]
            self.slot[old[old >= 0]] = -1
            self.owner[free], self.slot[missing], self.stamp[free] = missing, free, self.tick
            self.kernel.write(missing, self.pool, free)
        return self.slot[rows]

    def square(self, rows: np.ndarray, slots: np.ndarray) -> np.ndarray:
        """K[rows, rows] in double, from rows that are in the pool; where these are long, it is computed anew.

        It lies where the next one will.
        """
        from ..compiled import pair_steps

        size = len(rows)
        found, kept = (room[: size * size].reshape(size, size) for room in self.among)
        if len(self.slot) < LONG * size:
            pair_steps.gathered(self.pool, slots, rows, found)
        else:
            every = np.arange(size)
            self.kernel.narrowed(rows).write(every, kept, every)
            found[:] = kept
        found *= self.kernel.unit
        return found

    def narrow(self, kept: np.ndarray) -> None:
        """Go on with these rows and columns alone; what is in the pool stays, as rows that are shorter."""
        from ..compiled import pair_steps

        new = np.full(len(self.slot), -1)
        new[kept] = np.arange(len(kept))
        live = np.flatnonzero((self.owner >= 0) & (new[self.owner] >= 0))
        before, owner, stamp = self.pool, new[self.owner[live]], self.stamp[live]
        pair_steps.compacted(before, live, kept)
        self.kernel, self.seen = self.kernel.narrowed(kept), self.seen[kept]
        self.limit = max(self.limit, len(live))
        self.lay(len(kept))
        for place, s in enumerate(live):  # only ever towards the front
            self.pool[place, : len(kept)] = before[s, : len(kept)]
        self.owner[: len(live)], self.stamp[: len(live)] = owner, stamp
        self.slot[owner] = np.arange(len(live))
