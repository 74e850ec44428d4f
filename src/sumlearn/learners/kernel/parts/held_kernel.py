"""The kernel matrix of rows that are held, as a decomposition asks for it: blocks in double, rows in batches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sparse

from ....engines import in_threads
from ....features.kernels import GaussianKernel, Kernel

NUMBERS = 2**17  # of a block that is being made: it stays in the cache
TALL = 256  # rows of a block that a thread makes at a time
ABREAST = 128  # rows that are written together
TOGETHER = 4096  # columns that a thread takes at a time
SOME = 64  # rows that tell how much smaller differences of the values are than these
SPREAD = 1e-3  # of them, from which on rows are kept in single precision
NEAR = 80.0  # exponents up to which their product in single precision has the digits of the kernel
MODERATE = (1e-20, 1e20)  # values that are kept as they are
TO_BITS = 1.0 / np.log(2.0)


class HeldKernel(ABC):
    """A kernel and rows: the matrix K of k(x_i, x_j), of which nothing is kept here.

    `precision` is single where differences of its values are about as large as they are, else double; `unit` is one
    but for values that single precision would not hold.
    """

    by_row: ClassVar[tuple[str, ...]]  # attributes that have a number, or a row, for each row
    kernel: Kernel
    diagonal: np.ndarray
    precision: Any = np.float32
    unit: float = 1.0
    workers: int | None = None

    @abstractmethod
    def block(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """K[rows, columns]."""

    @abstractmethod
    def write(self, rows: np.ndarray, out: np.ndarray, slots: np.ndarray) -> None:
        """out[slots[r], :n] = K[rows[r]] / unit."""

    def spread(self) -> float:
        """The mean square of a distance in the space of features, as a share of the values; of some rows."""
        n = len(self.diagonal)
        some = np.unique(np.linspace(0, n - 1, min(n, SOME)).astype(np.intp))
        K = self.block(some, some)
        largest = float(np.abs(K).max(initial=0.0))
        return (float(np.diag(K).mean()) - float(K.mean())) / largest if largest else 1.0

    def narrowed(self, which: np.ndarray) -> Self:
        """The matrix of these rows and columns."""
        part = copy(self)
        for name in self.by_row:
            values = getattr(self, name)
            setattr(part, name, values[which] if isinstance(values, np.ndarray) else values.take(which))
        return part

    def times(self, rows: np.ndarray, columns: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """K[rows, columns] a, in blocks."""
        size = max(NUMBERS // max(len(columns), 1), 16)
        blocks = [rows[first : first + size] for first in range(0, len(rows), size)]
        return np.concatenate([np.zeros(0), *(self.block(some, columns) @ coefficients for some in blocks)])

    def in_parts(self, work: Callable[[int], None], size: int, step: int) -> None:
        """work(0), work(step), ... up to a size, in threads: each writes a part of its own."""
        in_threads(work, range(0, size, step), self.workers)


class AnyRows(HeldKernel):
    """Any kernel, in double, however its rows are stored."""

    by_row = ("diagonal", "coded")

    def __init__(self, kernel: Kernel, rows: Any, workers: int | None = None) -> None:
        self.kernel, self.workers = kernel, workers
        self.coded = kernel.coded(rows, kernel.origin(rows))
        self.diagonal = kernel.diagonal_of(rows)
        largest = float(np.abs(self.diagonal).max(initial=0.0))
        if not np.isfinite(largest):
            row = int(np.argmin(np.isfinite(self.diagonal)))
            raise ValueError(
                f"the kernel of row {row} with itself is not finite: X holds large values, rescale its columns"
            )
        self.unit = 1.0 if not largest or MODERATE[0] < largest < MODERATE[1] else largest
        self.precision = np.float32 if self.spread() > SPREAD else np.float64

    def block(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        out = np.empty((len(rows), len(columns)))
        left, right = self.coded.take(rows), self.coded.take(columns)

        def some(first: int) -> None:
            part = slice(first, first + TALL)
            self.kernel.fill(left.take(part), right, out[part])

        self.in_parts(some, len(rows), TALL)
        return out

    def write(self, rows: np.ndarray, out: np.ndarray, slots: np.ndarray) -> None:
        left, n = self.coded.take(rows), len(self.diagonal)
        width = max(64, NUMBERS // len(rows))

        def some(start: int) -> None:
            for first in range(start, min(start + TOGETHER, n), width):
                columns = slice(first, min(first + width, start + TOGETHER, n))
                values = np.empty((len(rows), columns.stop - first))
                self.kernel.fill(left, self.coded.take(columns), values)
                out[slots, columns] = values if self.unit == 1.0 else values / self.unit

        self.in_parts(some, n, TOGETHER)


class GaussianRows(HeldKernel):
    """The Gaussian kernel of dense rows near their mean: log2 k = 2 x'z - |x|^2 - |z|^2 is one product of longer rows.

    In single precision for rows that are kept: values are right to 1e-6.
    """

    by_row = ("diagonal", "left", "right", "single_left", "single_right")

    def __init__(self, kernel: GaussianKernel, rows: np.ndarray, workers: int | None = None) -> None:
        self.kernel, self.workers = kernel, workers
        self.diagonal = np.ones(len(rows))
        coded = kernel.coded(rows, kernel.origin(rows))
        z, ones, length = coded.rows, np.ones(len(rows)), -TO_BITS * coded.each
        self.left = np.column_stack([2.0 * TO_BITS * z, length, ones])
        self.right = np.column_stack([z, ones, length])
        self.single_left, self.single_right = self.left.astype(np.float32), self.right.astype(np.float32)

    @staticmethod
    def fits(kernel: GaussianKernel, rows: Any) -> bool:
        """Whether rows are dense, and near enough for the width."""
        if sparse.issparse(rows):
            return False
        coded = kernel.coded(rows, kernel.origin(rows))
        assert coded.each is not None
        return bool(coded.each.max(initial=0.0) <= NEAR)

    def block(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        from ....compiled import gaussian_rows

        left, right = self.left[rows], self.right[columns]
        out = np.empty((len(left), len(right)))

        def some(first: int) -> None:
            part = slice(first, first + TALL)
            np.dot(left[part], right.T, out=out[part])
            gaussian_rows.powers(out[part])

        self.in_parts(some, len(left), TALL)
        return out

    def write(self, rows: np.ndarray, out: np.ndarray, slots: np.ndarray) -> None:
        from ....compiled import gaussian_rows

        left, right, n = self.single_left[rows], self.single_right, len(self.diagonal)
        width = NUMBERS // ABREAST

        def some(start: int) -> None:
            exponents = np.empty((ABREAST, width), np.float32)
            for row in range(0, len(rows), ABREAST):
                own, slot = left[row : row + ABREAST], slots[row : row + ABREAST]
                for first in range(start, min(start + TOGETHER, n), width):
                    columns = right[first : min(first + width, start + TOGETHER, n)]
                    part = exponents.ravel()[: len(own) * len(columns)].reshape(len(own), len(columns))
                    np.dot(own, columns.T, out=part)
                    gaussian_rows.write_powers(part, out, slot, first)

        self.in_parts(some, n, TOGETHER)


def held_kernel(kernel: Kernel, rows: Any, workers: int | None = None) -> HeldKernel:
    """The matrix of these rows, by the fastest way that is precise."""
    if isinstance(kernel, GaussianKernel) and GaussianRows.fits(kernel, rows):
        return GaussianRows(kernel, rows, workers)
    return AnyRows(kernel, rows, workers)
