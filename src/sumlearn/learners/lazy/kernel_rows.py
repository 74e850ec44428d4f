"""Rows laid out for kernel sums: blocks of neighbours, so that whole blocks far from a query are passed over."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from ...compiled import gaussian_kernel as kernels
from ...engines.engine import cores
from ...statistics import Statistic

LEAF = 512  # rows of a block
BATCH = 256  # queries that are summed while a block is in the cache
ROOT_HALF = np.sqrt(0.5)
FAR = 1e150  # in bandwidths: the square is still finite


@dataclass(frozen=True, eq=False)
class KernelSums(Statistic):
    """Numerators and denominators of some queries, in units of exp(shift): what adds over the rows of a file.

        sums = (sum_i w_i K(q, x_i) y_i, sum_i w_i K(q, x_i)) exp(-shift)
    """

    shift: np.ndarray
    sums: np.ndarray
    total: float
    count: int

    @property
    def weight(self) -> float:
        return self.total

    @property
    def rows(self) -> int:
        return self.count

    def zero(self) -> Self:
        return type(self)(np.full_like(self.shift, -np.inf), np.zeros_like(self.sums), 0.0, 0)

    def merge(self, other: Self) -> Self:
        if not self.count or not other.count:
            return self if self.count else other
        shift = np.maximum(self.shift, other.shift)
        sums = sum(part.sums * np.exp(part.shift - shift)[:, None] for part in (self, other))
        return type(self)(shift, sums, self.total + other.total, self.count + other.count)

    def means(self) -> np.ndarray:
        """sum K y / sum K for every query, (queries, targets)."""
        return self.sums[:, :-1] / self.sums[:, -1:]


class KernelRows(NamedTuple):
    """Rows in units of sqrt(2) bandwidths, in blocks with their boxes."""

    origin: np.ndarray
    bandwidth: np.ndarray
    points: np.ndarray  # (columns, rows)
    values: np.ndarray  # (targets, rows)
    weight: np.ndarray
    starts: np.ndarray
    lows: np.ndarray
    highs: np.ndarray

    @classmethod
    def of(
        cls, X: np.ndarray, y: np.ndarray, weight: np.ndarray, origin: np.ndarray, bandwidth: np.ndarray
    ) -> KernelRows:
        Z = coordinates(X, origin, bandwidth)
        order, starts = blocks_of(Z, LEAF)
        points, values = (np.array(part[order].T, order="C") for part in (Z, y))
        lows, highs = (np.array(f.reduceat(points, starts[:-1], axis=1).T, order="C") for f in (np.minimum, np.maximum))
        return cls(origin, bandwidth, points, values, weight[order], starts, lows, highs)

    def sums_at(self, X: np.ndarray) -> KernelSums:
        """The sums of every query, in threads over batches of them; no array of queries times rows is ever made."""
        shift, sums = np.empty(len(X)), np.zeros((len(X), len(self.values) + 1))
        rows = [writable(part) for part in self[2:]]

        def batch(start: int) -> None:
            part = slice(start, start + BATCH)
            queries = coordinates(X[part], self.origin, self.bandwidth)
            kernels.kernel_sums(*rows, queries, shift[part], sums[part])

        in_threads(batch, range(0, len(X), BATCH))
        return KernelSums(shift, sums, float(self.weight.sum()), len(self.weight))


def coordinates(X: np.ndarray, origin: np.ndarray, bandwidth: np.ndarray) -> np.ndarray:
    """X from the origin, in units of sqrt(2) bandwidths."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(np.clip((X - origin) / bandwidth * ROOT_HALF, -FAR, FAR), dtype=np.float64)


def writable(array: np.ndarray) -> np.ndarray:
    """The array, or a copy of a read-only one (a memory map), for which loops would have to be compiled anew."""
    return array if array.flags.writeable else array.copy()


def in_threads(work: Any, items: Any) -> list[Any]:
    """work(item) of every item, in order; compiled loops release the interpreter's lock."""
    items = list(items)
    if len(items) < 2 or cores() < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(cores()) as pool:
        return list(pool.map(work, items))


def blocks_of(Z: np.ndarray, leaf: int) -> tuple[np.ndarray, np.ndarray]:
    """An order of rows in which neighbours stand together, and where its blocks begin: halves at the median of the
    widest column, and halves of these, down to `leaf` rows."""
    order, starts = np.arange(len(Z)), [0]
    waiting = [(0, len(Z))]
    while waiting:
        first, last = waiting.pop()
        if last - first <= leaf:
            starts.append(last)
            continue
        rows = Z[order[first:last]]
        column = rows[:, int(np.argmax(rows.max(axis=0) - rows.min(axis=0)))]
        middle = (last - first) // 2
        order[first:last] = order[first:last][np.argpartition(column, middle)]
        waiting += [(first + middle, last), (first, first + middle)]
    return order, np.array(starts)
