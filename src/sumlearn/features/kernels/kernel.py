"""What all kernels share: the matrix of two sets of rows, sums and products, words that become numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, Self

import numpy as np

from .coded_rows import Coded
from .kernel_matrix import KernelAt
from .numeric_rows import rows_of


class Kernel(ABC):
    """k(x, x'), the product of two rows in a space of features phi that is never written down.

        k(x, x') = phi(x)'phi(x'),   K_ij = k(x_i, x'_j)

    Kernels are values: they do not change, compare equal by their parameters, and are saved with the models that hold
    them. ``a + b``, ``a * b``, ``2.0 * a`` and ``a + 1.0`` are kernels again; the last adds a constant function, which
    is an intercept. Calling a kernel gives the whole matrix; ``kernel.at(rows)`` is for one that would be too large.

    A kernel of your own writes `definite`, `origin`, `coded`, `fill` and `diagonal`, as a frozen dataclass; `found`,
    if it has parameters that may be words. Or hand a function to `OwnKernel`.

    >>> from sumlearn.features.kernels import GaussianKernel, LinearKernel
    >>> kernel = 2.0 * GaussianKernel(0.5) + LinearKernel()
    >>> kernel([[0.0], [1.0]]).round(3).tolist()
    [[2.0, 1.213], [1.213, 3.0]]
    >>> kernel == 2.0 * GaussianKernel(0.5) + LinearKernel()
    True
    """

    __array_ufunc__ = None  # a number of NumPy times a kernel asks the kernel
    row_by_row: bool = False  # whether pairs are so dear that none is to be asked for twice

    @property
    @abstractmethod
    def definite(self) -> bool:
        """Whether the matrix of any rows with themselves has no negative eigenvalue."""

    @abstractmethod
    def origin(self, rows: Any) -> Any:
        """The point from which rows are counted, for a kernel to which that is all the same; else None."""

    @abstractmethod
    def coded(self, rows: Any, origin: Any) -> Coded:
        """Rows as `fill` wants them, with what is computed once of each."""

    @abstractmethod
    def fill(self, left: Coded, right: Coded, out: np.ndarray) -> None:
        """Write k of every pair into ``out``."""

    @abstractmethod
    def diagonal_of(self, rows: Any) -> np.ndarray:
        """k(x, x) of every row, in float64."""

    def found(self, rows: Any, weight: np.ndarray | None) -> dict[str, Any] | None:  # noqa: B027  few have words
        """Parameters that were words, as the numbers that they mean for these rows."""

    @property
    def needs_rows(self) -> bool:
        """Whether a parameter is a word whose number depends on the rows."""
        parts = getattr(self, "parts", ())
        return getattr(self, "gamma", None) in ("scale", "spread") or any(part.needs_rows for part in parts)

    def read(self, X: Any) -> Any:
        """X as rows: an array of floats, or a sparse matrix by rows."""
        return rows_of(X)

    def resolved(self, X: Any, weight: np.ndarray | None = None) -> Self:
        """The same kernel with numbers in place of words such as "scale"; weights are numbers of rows."""
        return replace(self, **(self.found(self.read(X), weight) or {}))  # type: ignore[type-var]

    def with_gamma(self, gamma: Any) -> Self:
        """The same kernel with another gamma, for those that have one."""
        return replace(self, gamma=gamma)  # type: ignore[type-var]

    def at(self, Y: Any) -> KernelAt:
        """The kernel with one side held: k(., y_1), ..., k(., y_m)."""
        return KernelAt.of(self, Y)

    def diagonal(self, X: Any) -> np.ndarray:
        """k(x, x) of every row, without the matrix."""
        rows = self.read(X)
        return self.resolved(rows).diagonal_of(rows)

    def __call__(self, X: Any, Y: Any = None) -> np.ndarray:
        """The matrix of K(x_i, y_j); with X alone, that of its rows with themselves, which is symmetric to the bit.

        Words among the parameters mean those of Y, the rows that are held; of X, where it is alone.
        """
        if Y is None:
            return self.at(X).own()
        return self.at(Y).matrix(X)

    def __add__(self, other: Any) -> Kernel:
        from .combined import added

        return added(self, other)

    def __radd__(self, other: Any) -> Kernel:
        from .combined import added

        return added(other, self)

    def __mul__(self, other: Any) -> Kernel:
        from .combined import multiplied

        return multiplied(self, other)

    def __rmul__(self, other: Any) -> Kernel:
        from .combined import multiplied

        return multiplied(other, self)
