"""Axes of rows from their sums: the directions along which they are largest, about their mean or about zero."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....compiled import positive as kernels
from ....solvers.linear_system import system_of
from ....statistics import Moments, Words

SMALL = 1e-6  # share of the largest eigenvalue: of smaller ones, eigenvalues in double lose digits


class Axes(NamedTuple):
    """Sums of squares along the axes, largest first, in units of 4**unit, and the axes as columns."""

    squares: np.ndarray
    vectors: np.ndarray
    unit: int

    @property
    def singular_values(self) -> np.ndarray:
        """Roots of the sums of squares, in natural units: the singular values of the rows."""
        return np.ldexp(np.sqrt(self.squares), self.unit)

    def over(self, divisor: float) -> np.ndarray:
        """Sums of squares by a divisor, in natural units: variances."""
        with np.errstate(over="ignore", under="ignore"):
            return np.ldexp(self.squares / divisor, 2 * self.unit)

    def rows(self, statistic: Moments, centred: bool = True) -> int:
        """How many rows there are at least: about their mean they have a rank less."""
        noise = np.ldexp(statistic.rounding, 2 * (statistic.exponent - self.unit)).sum()
        floor = noise + len(self.squares) * np.finfo(float).eps * self.squares.max(initial=0.0)
        return statistic.least_rows(int((self.squares > floor).sum()) - (0 if centred else 1))

    def directions(self, k: int) -> np.ndarray:
        """The first k axes as rows; the sign makes the largest entry positive."""
        return upright(self.vectors[:, :k].T)


def upright(axes: np.ndarray) -> np.ndarray:
    """Axes in rows, with the sign that makes their largest entry positive."""
    largest = axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)] if axes.size else np.ones(len(axes))
    return axes * np.where(largest < 0, -1.0, 1.0)[:, None]


def axes_of(statistic: Moments, centred: bool = True) -> Axes:
    """The axes of rows about their mean, or about zero, to the digits that eigenvalues in double have."""
    counts = (statistic.diagonal > 0) | (np.zeros(statistic.columns, bool) if centred else statistic.centre.hi != 0)
    exponents = statistic.exponent[counts]
    unit = int(exponents.max()) if exponents.any() else 0
    in_units = statistic.with_exponent(np.full(statistic.columns, unit))
    squares, vectors = in_units.principal(min(statistic.least_rows(0), statistic.columns), centred)
    return Axes(squares, vectors, unit)


def sharpened(axes: Axes, statistic: Moments, last: int, centred: bool = True) -> Axes:
    """The same axes, right to a share of the largest singular value, not of its square, down to number `last`.

    S = U'U is factored in two words, and decomposed by the singular values of U. Eigenvalues stay as they are where
    they are large enough, and where those that are small are none: columns that depend on others.
    """
    last = min(last, len(axes.squares))
    if statistic.holds_rows or last < 1 or axes.squares[last - 1] >= SMALL * axes.squares[0]:
        return axes
    system = system_of(statistic, np.zeros(0, np.intp), 0.0, intercept=centred)
    U = Words(system.G.hi.copy(), system.G.lo.copy())
    rank = kernels.cholesky(U.hi, U.lo, system.noise, np.ones(len(U.hi), bool), np.zeros_like(U.hi))
    if not rank or axes.squares[rank - 1] >= SMALL * axes.squares[0]:
        return axes
    _, roots, directions = np.linalg.svd(np.triu(np.ldexp(U.hi, system.unit - axes.unit)))
    return Axes(roots**2, directions.T, axes.unit)


def freedom(statistic: Moments) -> float:
    """Divisor of the variance: the weight less one row; a weight below two rows still says something."""
    return max(statistic.weight - 1.0, 0.5 * statistic.weight)
