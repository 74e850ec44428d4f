"""The matrix of a kernel: whole, or in blocks of rows that stay small."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...engines import in_threads, one_blas_thread
from ...statistics.row_checks import available_memory

if TYPE_CHECKING:
    from .kernel import Kernel

BLOCK = 256  # rows at a time
NUMBERS = 2**22  # of a block that is not kept, at most


class KernelAt(NamedTuple):
    """A kernel with one side held: k(., y_1), ..., k(., y_m). What is computed once of the y is here.

    >>> from sumlearn.features.kernels import GaussianKernel
    >>> held = GaussianKernel(0.5).at([[0.0], [1.0]])
    >>> held.matrix([[0.0]]).round(3).tolist(), held.times([[0.0]], [1.0, 1.0]).round(3).tolist()
    ([[1.0, 0.607]], [1.607])
    """

    kernel: Kernel
    origin: Any
    held: Any

    @classmethod
    def of(cls, kernel: Kernel, Y: Any) -> KernelAt:
        rows = kernel.read(Y)
        kernel = kernel.resolved(rows)
        origin = kernel.origin(rows)
        return cls(kernel, origin, kernel.coded(rows, origin))

    @property
    def points(self) -> int:
        """How many rows are held."""
        return len_of(self.held)

    def matrix(self, X: Any) -> np.ndarray:
        """K(x_i, y_j) of all rows of X: (n, m)."""
        rows = self.kernel.read(X)
        out = room(rows.shape[0], self.points, self.kind(rows))

        def block(part: slice) -> None:
            self.kernel.fill(self.coded(rows[part]), self.held, out[part])

        with one_blas_thread():
            in_threads(block, parts(rows.shape[0], BLOCK))
        return out

    def own(self) -> np.ndarray:
        """K(y_i, y_j), symmetric to the bit: one triangle is computed, the other is its mirror."""
        n = self.points
        out = room(n, n, self.held.kind)

        def block(part: slice) -> None:
            columns = slice(0, part.stop)
            self.kernel.fill(self.held.take(part), self.held.take(columns), out[part, columns])
            corner = out[part, part]
            lower = np.tril_indices(len(corner), -1)
            corner.T[lower] = corner[lower]
            out[: part.start, part] = out[part, : part.start].T

        with one_blas_thread():
            in_threads(block, parts(n, 1 if self.kernel.row_by_row else BLOCK))
        return out

    def blocks(self, X: Any, numbers: int = NUMBERS) -> Iterator[tuple[slice, np.ndarray]]:
        """(which rows, their part of the matrix), so many numbers at a time at most; every block is new."""
        rows = self.kernel.read(X)
        kind = self.kind(rows)
        for part in parts(rows.shape[0], max(1, numbers // max(self.points, 1))):
            out = np.empty((part.stop - part.start, self.points), dtype=kind)
            with one_blas_thread():
                self.kernel.fill(self.coded(rows[part]), self.held, out)
            yield part, out

    def times(self, X: Any, coefficients: Any) -> np.ndarray:
        """K(X, Y) a for one or more columns a, without the matrix: what a model of a kernel predicts."""
        rows, coefficients = self.kernel.read(X), np.asarray(coefficients)
        kind = np.result_type(self.kind(rows), coefficients.dtype)
        out = np.empty((rows.shape[0], *coefficients.shape[1:]), dtype=kind)
        size = max(1, min(BLOCK, NUMBERS // max(self.points, 1)))

        def block(part: slice) -> None:
            values = np.empty((part.stop - part.start, self.points), dtype=self.kind(rows))
            self.kernel.fill(self.coded(rows[part]), self.held, values)
            out[part] = values @ coefficients

        with one_blas_thread():
            in_threads(block, parts(rows.shape[0], size))
        return out

    def coded(self, rows: Any) -> Any:
        """Rows of the other side, in the precision of the values."""
        return self.kernel.coded(rows.astype(self.kind(rows), copy=False), self.origin)

    def kind(self, rows: Any) -> np.dtype[Any]:
        """float32 where both sides are."""
        return np.result_type(rows.dtype, self.held.kind)


def room(rows: int, columns: int, kind: np.dtype[Any]) -> np.ndarray:
    """An empty matrix, if there is memory for it."""
    need, have = rows * columns * kind.itemsize, available_memory()
    if need > have:
        raise ValueError(
            f"the matrix of {rows} x {columns} kernel values needs {need / 2**30:.1f} GiB, {have / 2**30:.1f} GiB are "
            "free: ask for blocks of it, kernel.at(Y).blocks(X)"
        )
    return np.empty((rows, columns), dtype=kind)


def parts(rows: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, rows)) for start in range(0, rows, size)]


def len_of(coded: Any) -> int:
    while hasattr(coded, "parts"):
        coded = coded.parts[0]
    return coded.rows.shape[0]
