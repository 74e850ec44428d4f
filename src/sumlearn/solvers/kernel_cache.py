"""Rows of a kernel matrix that is never there as a whole: computed in batches, kept while they are of use."""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np

WORD = 16  # columns of a row are rounded up to so many: it begins at a cache line


class KernelMatrix(Protocol):
    """What a decomposition asks of a symmetric matrix K: its diagonal, blocks in double, rows in single precision."""

    diagonal: np.ndarray

    def block(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """K[rows, columns]."""

    def write(self, rows: np.ndarray, out: np.ndarray, slots: np.ndarray) -> None:
        """out[slots[r], :n] = K[rows[r]], in single precision."""

    def narrowed(self, which: np.ndarray) -> Self:
        """The matrix of these rows and columns."""


class KernelCache:
    """A pool of rows in single precision; those that were not asked for longest make room.

    A row has 4 n bytes, and rows of a call must fit. Kernels are rounded to 7 digits: sums over them are in double, and
    who needs more digits takes sums anew from `KernelMatrix.block`.
    """

    def __init__(self, kernel: Any, size: float, batch: int) -> None:
        self.kernel, self.size, self.batch, self.tick = kernel, size, batch, 0
        self.layout(len(kernel.diagonal), None)
        self.owner, self.stamp = np.full(len(self.pool), -1), np.zeros(len(self.pool), np.int64)
        self.slot = np.full(len(kernel.diagonal), -1)

    def layout(self, columns: int, pool: np.ndarray | None) -> None:
        """The pool as rows of so many columns."""
        width = -(-columns // WORD) * WORD
        if pool is None:
            rows = int(min(max(self.size // (4 * width), self.batch), columns))
            self.flat = np.empty(rows * width, np.float32)
        rows = min(len(self.flat) // width, columns)
        self.pool = self.flat[: rows * width].reshape(rows, width)

    def slots(self, rows: np.ndarray) -> np.ndarray:
        """Places in the pool of some rows; those that are not there are computed together."""
        self.tick += 1
        there = self.slot[rows]
        self.stamp[there[there >= 0]] = self.tick
        missing = rows[there < 0]
        if len(missing):
            free = np.argpartition(self.stamp, len(missing) - 1)[: len(missing)]
            old = self.owner[free]
            self.slot[old[old >= 0]] = -1
            self.owner[free], self.slot[missing], self.stamp[free] = missing, free, self.tick
            self.kernel.write(missing, self.pool, free)
        return self.slot[rows]

    def narrow(self, kept: np.ndarray) -> None:
        """Go on with these rows and columns alone; what is in the pool stays, as rows that are shorter."""
        from ..compiled import pair_steps

        new = np.full(len(self.slot), -1)
        new[kept] = np.arange(len(kept))
        live = np.flatnonzero((self.owner >= 0) & (new[self.owner] >= 0))
        pair_steps.compacted(self.pool, live, kept)
        before, owner, stamp = self.pool, self.owner, self.stamp
        self.kernel = self.kernel.narrowed(kept)
        self.layout(len(kept), before)
        for place, s in enumerate(live):  # only ever towards the front
            self.pool[place, : len(kept)] = before[s, : len(kept)]
        self.owner, self.stamp = np.full(len(self.pool), -1), np.zeros(len(self.pool), np.int64)
        self.owner[: len(live)], self.stamp[: len(live)] = new[owner[live]], stamp[live]
        self.slot = np.full(len(kept), -1)
        self.slot[self.owner[: len(live)]] = np.arange(len(live))
