"""Sums and products of kernels, which are kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..input_ranges import is_number
from .coded_rows import Coded, Together
from .kernel import Kernel


@dataclass(frozen=True)
class ConstantKernel(Kernel):
    """The same number for all pairs: one constant feature, an intercept that is penalised like all others.

        k(x, x') = value

    Examples
    --------
    >>> from sumlearn.features.kernels import LinearKernel
    >>> (LinearKernel() + 1.0)([[2.0]], [[3.0]]).tolist()
    [[7.0]]
    """

    value: float = 1.0

    def __post_init__(self) -> None:
        if not is_number(self.value) or not np.isfinite(self.value):
            raise ValueError(f"a constant kernel must be a finite number, got {self.value!r}")

    @property
    def definite(self) -> bool:
        return self.value >= 0

    def origin(self, rows: Any) -> None:
        return None

    def coded(self, rows: Any, origin: Any) -> Coded:
        return Coded(rows)

    def fill(self, left: Coded, right: Coded, out: np.ndarray) -> None:
        out[...] = self.value

    def diagonal_of(self, rows: Any) -> np.ndarray:
        return np.full(rows.shape[0], float(self.value))


@dataclass(frozen=True)
class Combined(Kernel):
    """Kernels whose values are joined pair by pair; what `SumOfKernels` and `ProductOfKernels` share."""

    parts: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        if not self.parts or not all(isinstance(part, Kernel) for part in self.parts):
            raise TypeError("parts must be kernels, at least one")

    @property
    def definite(self) -> bool:
        return all(part.definite for part in self.parts)

    def found(self, rows: Any, weight: np.ndarray | None) -> dict[str, Any]:
        return {"parts": tuple(part.resolved(rows, weight) for part in self.parts)}

    def origin(self, rows: Any) -> tuple[Any, ...]:
        return tuple(part.origin(rows) for part in self.parts)

    def coded(self, rows: Any, origin: Any) -> Any:
        return Together(tuple(part.coded(rows, o) for part, o in zip(self.parts, origin, strict=True)))

    def each(self, left: Any, right: Any, out: np.ndarray) -> Any:
        """The matrix of every part in turn, all in the same place but the first, which is `out`."""
        for k, part in enumerate(self.parts):
            values = np.empty_like(out) if k else out
            part.fill(left.parts[k], right.parts[k], values)
            yield values


@dataclass(frozen=True)
class SumOfKernels(Combined):
    """k = k_1 + ... + k_p: the features of all of them side by side.

    Examples
    --------
    >>> from sumlearn.features.kernels import LinearKernel, PolynomialKernel
    >>> (LinearKernel() + PolynomialKernel(2, gamma=1.0))([[1.0]], [[2.0]]).tolist()
    [[11.0]]
    """

    def fill(self, left: Any, right: Any, out: np.ndarray) -> None:
        for values in self.each(left, right, out):
            if values is not out:
                out += values

    def diagonal_of(self, rows: Any) -> np.ndarray:
        return np.sum([part.diagonal_of(rows) for part in self.parts], axis=0)


@dataclass(frozen=True)
class ProductOfKernels(Combined):
    """k = k_1 k_2 ... k_p: all products of a feature of each (Schur's product of matrices).

    Examples
    --------
    >>> from sumlearn.features.kernels import LinearKernel
    >>> (3.0 * LinearKernel() * LinearKernel())([[1.0]], [[2.0]]).tolist()
    [[12.0]]
    """

    def fill(self, left: Any, right: Any, out: np.ndarray) -> None:
        for values in self.each(left, right, out):
            if values is not out:
                out *= values

    def diagonal_of(self, rows: Any) -> np.ndarray:
        return np.prod([part.diagonal_of(rows) for part in self.parts], axis=0)


def as_kernel(value: Any) -> Kernel | None:
    """A kernel, or the constant one of a number; None for what is neither."""
    if isinstance(value, Kernel):
        return value
    return ConstantKernel(float(value)) if is_number(value) else None


def added(first: Any, second: Any) -> Kernel:
    return joined(SumOfKernels, first, second)


def multiplied(first: Any, second: Any) -> Kernel:
    return joined(ProductOfKernels, first, second)


def joined(kind: type[Combined], first: Any, second: Any) -> Kernel:
    """Both in one; those of the same kind are not nested."""
    parts: tuple[Kernel, ...] = ()
    for term in (as_kernel(first), as_kernel(second)):
        if term is None:
            return NotImplemented
        parts += term.parts if isinstance(term, kind) else (term,)
    return kind(parts)
