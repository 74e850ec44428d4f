"""The kernel matrix of rows that are held, as a decomposition asks for it: blocks in double, rows in batches."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
import scipy.sparse as sparse

from ....engines import in_threads
from ....features.kernels import GaussianKernel, Kernel, LinearKernel
from ....features.kernels.coded_rows import Coded

NUMBERS = 2**17  # of a block that is being made: it stays in the cache
TOGETHER = 4096  # columns that a thread takes at a time
SOME = 64  # rows that tell how much smaller differences of the values are than these
SPREAD = 1e-3  # of them, from which on rows are kept in single precision
NEAR = 80.0  # exponents up to which their product in single precision has the digits of the kernel
MODERATE = (1e-20, 1e20)  # values that are kept as they are
TO_BITS = 1.0 / np.log(2.0)


class HeldKernel:
    """A kernel and rows: the matrix K of k(x_i, x_j), of which nothing is kept here.

    `precision` is single where differences of its values are about as large as they are, else double; `unit` is one
    but for values that single precision would not hold.
    """

    def __init__(self, kernel: Kernel, rows: Any, workers: int | None = None) -> None:
        self.kernel, self.workers = kernel, workers
        origin = kernel.origin(rows)
        self.coded = kernel.coded(rows, origin)
        self.diagonal = kernel.diagonal_of(rows)
        largest = float(np.abs(self.diagonal).max(initial=0.0))
        if not np.isfinite(largest):
            raise ValueError(
                f"the kernel of row {int(np.argmin(np.isfinite(self.diagonal)))} with itself is not finite: X "
                "holds large values, rescale its columns"
            )
        self.unit = 1.0 if not largest or MODERATE[0] < largest < MODERATE[1] else largest
        self.precision: Any = np.float32 if self.spread() > SPREAD else np.float64

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
        part.coded, part.diagonal = self.coded.take(which), self.diagonal[which]
        return part

    def block(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """K[rows, columns]."""
        out = np.empty((len(rows), len(columns)))
        left, right = self.coded.take(rows), self.coded.take(columns)

        def some(first: int) -> None:
            part = slice(first, first + 256)
            self.kernel.fill(left.take(part), right, out[part])

        in_threads(some, range(0, len(rows), 256), self.workers)
        return out

    def times(self, rows: np.ndarray, columns: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """K[rows, columns] a, in blocks."""
        size = max(NUMBERS // max(len(columns), 1), 16)
        blocks = [rows[first : first + size] for first in range(0, len(rows), size)]
        return np.concatenate([np.zeros(0), *(self.block(some, columns) @ coefficients for some in blocks)])

    def write(self, rows: np.ndarray, out: np.ndarray, slots: np.ndarray) -> None:
        """out[slots[r], :n] = K[rows[r]] / unit."""
        left, n = self.coded.take(rows), len(self.diagonal)
        width = max(64, NUMBERS // len(rows))

        def some(start: int) -> None:
            for first in range(start, min(start + TOGETHER, n), width):
                columns = slice(first, min(first + width, start + TOGETHER, n))
                values = np.empty((len(rows), columns.stop - first))
                self.kernel.fill(left, self.coded.take(columns), values)
                out[slots, columns] = values if self.unit == 1.0 else values / self.unit

        in_threads(some, range(0, n, TOGETHER), self.workers)


class GaussianRows(HeldKernel):
    """The Gaussian kernel of dense rows near their mean: log2 k = 2 x'z - |x|^2 - |z|^2 is one product of longer rows.

    In single precision for rows that are kept: values are right to 1e-6.
    """

    def __init__(self, kernel: GaussianKernel, rows: np.ndarray, workers: int | None = None) -> None:
        self.kernel, self.workers, self.unit, self.precision = kernel, workers, 1.0, np.float32
        self.diagonal = np.ones(len(rows))
        self.coded = kernel.coded(rows, kernel.origin(rows))
        z, ones = self.coded.rows, np.ones(len(rows))
        length = -TO_BITS * self.coded.each
        self.left = np.column_stack([2.0 * TO_BITS * z, length, ones])
        self.right = np.column_stack([z, ones, length])
        self.single = self.left.astype(np.float32), self.right.astype(np.float32)

    @staticmethod
    def fits(kernel: Kernel, rows: Any) -> bool:
        """Whether this is such a kernel, and rows are near enough for their width."""
        if not isinstance(kernel, GaussianKernel) or sparse.issparse(rows):
            return False
        coded = kernel.coded(rows, kernel.origin(rows))
        return bool(coded.each.max(initial=0.0) <= NEAR)

    def narrowed(self, which: np.ndarray) -> Self:
        part = super().narrowed(which)
        part.left, part.right = self.left[which], self.right[which]
        part.single = self.single[0][which], self.single[1][which]
        return part

    def block(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        from ....compiled import gaussian_rows

        left, right = self.left[rows], self.right[columns]
        out = np.empty((len(left), len(right)))

        def some(first: int) -> None:
            part = slice(first, first + 256)
            np.dot(left[part], right.T, out=out[part])
            gaussian_rows.powers(out[part])

        in_threads(some, range(0, len(left), 256), self.workers)
        return out

    def write(self, rows: np.ndarray, out: np.ndarray, slots: np.ndarray) -> None:
        from ....compiled import gaussian_rows

        left, right, n = self.single[0][rows], self.single[1], len(self.diagonal)
        width = max(64, NUMBERS // len(rows) // 8 * 8)

        def some(start: int) -> None:
            exponents = np.empty(len(rows) * width, np.float32)
            for first in range(start, min(start + TOGETHER, n), width):
                columns = right[first : min(first + width, start + TOGETHER, n)]
                part = exponents[: len(rows) * len(columns)].reshape(len(rows), len(columns))
                np.dot(left, columns.T, out=part)
                gaussian_rows.write_powers(part, out, slots, first)

        in_threads(some, range(0, n, TOGETHER), self.workers)


def held_kernel(kernel: Kernel, rows: Any, workers: int | None = None) -> HeldKernel:
    """The matrix of these rows, by the fastest way that is precise."""
    kind = GaussianRows if GaussianRows.fits(kernel, rows) else HeldKernel
    return kind(kernel, rows, workers)
