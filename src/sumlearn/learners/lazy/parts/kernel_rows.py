"""Rows laid out for kernel sums: blocks of neighbours, so that whole blocks far from a query are passed over."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from ....compiled import gaussian_kernel as kernels
from ....engines import in_threads
from ....statistics.statistic import Counted
from ....statistics.weights import FAINTEST

LEAF = 512  # rows of a block
BATCH = 256  # queries that are summed while a block is in the cache
UNIT = np.sqrt(0.5 * np.log2(math.e))  # exp(-t^2 / 2) = 2^(-(UNIT t)^2)
SMALLEST = 60.0  # bits of a sum below which terms, all together, are not there
FAR = 1e150  # in bandwidths: the square is still finite


@dataclass(frozen=True, eq=False)
class KernelSums(Counted):
    """Numerators and denominators of some queries, in units of 2^shift: what adds over the rows of a file.

    sums = (sum_i w_i K(q, x_i) y_i, sum_i w_i K(q, x_i)) 2^(-shift)
    """

    shift: np.ndarray
    sums: np.ndarray
    total: float
    count: int

    def zero(self) -> Self:
        return type(self)(np.full_like(self.shift, -np.inf), np.zeros_like(self.sums), 0.0, 0)

    def merge(self, other: Self) -> Self:
        if not self.count or not other.count:
            return self if self.count else other
        shift = np.maximum(self.shift, other.shift)
        sums = sum(part.sums * np.exp2(part.shift - shift)[:, None] for part in (self, other))
        return type(self)(shift, sums, self.total + other.total, self.count + other.count)

    def means(self) -> np.ndarray:
        """sum K y / sum K for every query, (queries, targets)."""
        return self.sums[:, :-1] / self.sums[:, -1:]


class KernelRows(NamedTuple):
    """Rows in blocks, counted from the centres of these, in units in which the kernel is 2^(-|q - x|^2)."""

    origin: np.ndarray
    bandwidth: np.ndarray
    mass: float
    weight_unit: int  # weights are in units of two to this power
    negligible: float  # bits below the largest kernel
    points: np.ndarray  # (columns, rows)
    columns: np.ndarray  # w y of every target, and w: (targets + 1, rows)
    squares: np.ndarray  # minus the squared length of every point
    longest: np.ndarray  # the least of these in every block
    starts: np.ndarray
    centres: np.ndarray  # (blocks, columns)
    halves: np.ndarray  # half the sides of the boxes

    @classmethod
    def of(
        cls, X: np.ndarray, y: np.ndarray, weight: np.ndarray, origin: np.ndarray, bandwidth: np.ndarray
    ) -> KernelRows:
        seen = weight > weight.max() * FAINTEST
        if not seen.all():  # the others weigh nothing beside the heaviest: no sum would know them
            X, y, weight = X[seen], y[seen], weight[seen]
        Z = coordinates(X, origin, bandwidth)
        order, starts = blocks_of(Z, LEAF)
        points = np.array(Z[order].T, order="C")
        low, high = (f.reduceat(points, starts[:-1], axis=1) for f in (np.minimum, np.maximum))
        centres, halves = 0.5 * (low + high), 0.5 * (high - low)
        points -= np.repeat(centres, np.diff(starts), axis=1)
        squares = -np.einsum("ji,ji->i", points, points)
        unit = int(np.frexp(weight.max())[1])
        scaled = np.ldexp(weight[order], -unit)
        columns = np.array([*(scaled * y[order].T), scaled])
        return cls(
            origin, bandwidth, float(weight.sum()), unit, negligible_bits(weight), points, columns, squares,
            np.minimum.reduceat(squares, starts[:-1]), starts, np.array(centres.T, order="C"),
            np.array(halves.T, order="C"),
        )  # fmt: skip

    def sums_at(self, X: np.ndarray) -> KernelSums:
        """The sums of every query, in threads over batches of them; no array of queries times rows is ever made."""
        shift, sums = np.empty(len(X)), np.zeros((len(X), len(self.columns)))
        rows = [writable(part) for part in self[5:]]

        def batch(start: int) -> None:
            part = slice(start, start + BATCH)
            queries = coordinates(X[part], self.origin, self.bandwidth)
            kernels.kernel_sums(*rows, queries, self.negligible, shift[part], sums[part])

        in_threads(batch, range(0, len(X), BATCH))
        return KernelSums(shift + self.weight_unit, sums, self.mass, len(self.squares))


def negligible_bits(weight: np.ndarray) -> float:
    """How far below the largest kernel, in powers of two, all rows together add nothing, whatever their weights."""
    return SMALLEST + float(np.log2(weight.sum()) - np.log2(weight.min()))


def coordinates(X: np.ndarray, origin: np.ndarray, bandwidth: np.ndarray) -> np.ndarray:
    """X from the origin, in units in which the kernel is two to the power of minus a squared distance."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(np.clip((X - origin) / bandwidth * UNIT, -FAR, FAR), dtype=np.float64)


def writable(array: np.ndarray) -> np.ndarray:
    """The array, or a copy of a read-only one (a memory map), for which loops would have to be compiled anew."""
    return array if array.flags.writeable else array.copy()


def blocks_of(Z: np.ndarray, leaf: int) -> tuple[np.ndarray, np.ndarray]:
    """An order of rows in which neighbours stand together, and where its blocks begin: halves along the widest column,
    and halves of these, down to `leaf` rows; all blocks but one hold just so many, which suits the compiled loops."""
    order, starts = np.arange(len(Z)), [0]
    waiting = [(0, len(Z))]
    while waiting:
        first, last = waiting.pop()
        if last - first <= leaf:
            starts.append(last)
            continue
        rows = Z[order[first:last]]
        column = rows[:, int(np.argmax(rows.max(axis=0) - rows.min(axis=0)))]
        middle = leaf * (((last - first - 1) // leaf + 2) // 2)
        order[first:last] = order[first:last][np.argpartition(column, middle)]
        waiting += [(first + middle, last), (first, first + middle)]
    return order, np.array(starts)
