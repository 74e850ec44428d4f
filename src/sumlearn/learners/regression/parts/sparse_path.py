"""Lasso and elastic net for many penalties, from moments: no row is read.

    b(alpha) = argmin |y - b'x - b0|^2 / 2N + alpha rho |b|_1 + alpha (1 - rho) |b|^2 / 2

Columns are scaled to unit length by powers of two, and every penalty starts from the solution of the one before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....engines import one_blas_thread
from ....solvers.linear_system import System, levels, system_of, words
from ....solvers.normal_equations import least_squares
from ....solvers.sparse_quadratic import duality_gaps, sparse_path
from ....statistics import Moments
from ...fitted import check_variances
from ...linear_map import is_far
from .linear_path import LinearPath

FINEST = float(np.finfo(float).resolution)
HEAVY = 1e100
LARGEST = 1e300  # a penalty on all rows that leaves nothing, whatever they are


@dataclass(frozen=True)
class SparsePath(LinearPath):
    """Coefficients for every penalty; duality gaps, in units of the mean squared error, and sweeps of the columns."""

    gaps: np.ndarray  # (targets, alphas)
    sweeps: np.ndarray
    converged: np.ndarray

    @classmethod
    def of(
        cls,
        moments: Moments,
        alphas: np.ndarray,
        l1_ratio: float,
        intercept: bool,
        positive: bool = False,
        most: int = 100_000,
        tol: float = 0.0,
        start: np.ndarray | None = None,
    ) -> SparsePath:
        """The path over `alphas`, which are best given from the largest on; `start` is (targets, features).

        Where sweeps end before rounding does, a gap below tol |y|^2 is enough.
        """
        check_variances(moments.deviation, moments.features)
        if moments.weight > HEAVY:  # only ratios of weights matter, and penalties on all rows stay in range
            moments = moments.decay(float(np.ldexp(1.0, -int(np.frexp(moments.weight)[1]))))
        targets, d = np.arange(moments.targets), moments.features
        shape = (len(targets), len(alphas))
        beta, gaps = np.zeros((len(targets), d, len(alphas))), np.zeros(shape)
        sweeps, converged = np.zeros(shape, np.int64), np.ones(shape, bool)
        with one_blas_thread():
            system = system_of(moments, targets, 0.0, intercept)
            squares = squares_of_targets(moments, intercept)
            summed = np.minimum(alphas, LARGEST / moments.weight) * moments.weight
            for t in targets.tolist():
                unit, c = system.unit - system.target_unit[t], system.g.hi[:, t]
                w = None if start is None else np.ldexp(start[t], unit)
                l1, l2 = penalties(system, t, summed, l1_ratio)
                kinked = l1.any(axis=1)
                points, slopes = np.empty(l1.shape), np.empty(l1.shape)
                points[kinked], slopes[kinked], sweeps[t, kinked], converged[t, kinked] = sparse_path(
                    system.G.hi, c, l1[kinked], l2[kinked], w, positive, most
                )
                for a in np.flatnonzero(~kinked):  # least squares or ridge
                    ridge = summed[a] * (1.0 - l1_ratio)
                    w = np.ldexp(least_squares(moments, ridge, intercept=intercept, nonnegative=positive).coef[t], unit)
                    points[a], slopes[a], sweeps[t, a] = w, c - system.G.hi @ w, 1
                beta[t] = np.ldexp(points, -unit).T
                gap = np.where(alphas > 0, duality_gaps(points, slopes, c, squares[t], l1, l2, positive), 0.0)
                gaps[t] = np.ldexp(gap, 2 * system.target_unit[t]) / moments.weight
                converged[t] |= (alphas > 0) & (gap <= tol * squares[t])
        if not np.isfinite(beta).all():
            raise ValueError("a coefficient overflows: rescale the columns")
        return cls(moments, alphas, intercept, None, beta, gaps, sweeps, converged)

    def levels(self) -> np.ndarray:
        """Intercepts for the first penalty, right at any offset."""
        moments, d = self.moments, self.moments.features
        if not self.intercept:
            return np.zeros(len(self.beta))
        unit = moments.exponent[:d, None] - moments.exponent[d:]
        x = np.ascontiguousarray(np.ldexp(self.beta[:, :, 0].T, unit))
        still = np.zeros(d, np.int64)
        found = [levels(moments, np.array([t]), words(x[:, t : t + 1]), still) for t in range(x.shape[1])]
        return np.concatenate(found)

    def far(self) -> tuple[np.ndarray | None, np.ndarray]:
        """Where rows are far from zero the centre to take off; and the scores there."""
        moments, d = self.moments, self.moments.features
        mean, rest = moments.mean, moments.mean_rest
        far = self.intercept and is_far(mean[:d], moments.deviation[:d])
        return (mean[:d] if far else None), mean[d:] + (rest[d:] - self.beta[:, :, 0] @ rest[:d])


def penalties(system: System, target: int, alphas: np.ndarray, l1_ratio: float) -> tuple[np.ndarray, np.ndarray]:
    """Weights of |b| and b^2 / 2 in the units of a system, a row for each of the alphas, which count all rows."""
    with np.errstate(over="ignore", under="ignore"):
        l1 = np.ldexp(alphas[:, None] * l1_ratio, -(system.unit + system.target_unit[target]))
        l2 = np.ldexp(alphas[:, None] * (1.0 - l1_ratio), -2 * system.unit)
    return np.minimum(l1, LARGEST), np.minimum(l2, LARGEST)


def squares_of_targets(moments: Moments, intercept: bool) -> np.ndarray:
    """Squares of the targets about their mean, or about zero, in units of 4**exponent."""
    d = moments.features
    squares = moments.diagonal[d:]
    return squares if intercept else squares + moments.weight * moments.centre.hi[d:] ** 2


def largest_alpha(moments: Moments, l1_ratio: float, intercept: bool, positive: bool) -> float:
    """The least penalty that leaves no coefficient of any target."""
    system = system_of(moments, np.arange(moments.targets), 0.0, intercept)
    with np.errstate(over="ignore", under="ignore"):
        cross = np.ldexp(system.g.hi, system.unit[:, None] + system.target_unit[None, :])
    return hardest_pull(cross, positive) / (moments.weight * l1_ratio)


def hardest_pull(cross: np.ndarray, positive: bool) -> float:
    """The largest row of products of columns with targets, (columns, targets), of numbers of any size."""
    size = float(np.abs(cross).max(initial=0.0)) or 1.0
    pull = np.maximum(cross[:, 0] / size, 0.0) if positive else np.sqrt(((cross / size) ** 2).sum(axis=1))
    return size * float(pull.max(initial=0.0))


def alpha_grid(largest: float, eps: float, count: int) -> np.ndarray:
    """Penalties from the largest that matters on down to a share `eps` of it, evenly on a logarithmic scale."""
    return np.geomspace(largest, largest * eps, num=count) if largest > 0 else np.full(count, FINEST)


def alphas_of(alphas: Any, largest: Any, l1_ratio: float, eps: float) -> np.ndarray:
    """A number of penalties as a grid, or those given, the largest first; `largest()` is asked for the grid alone."""
    if isinstance(alphas, int | np.integer) and not isinstance(alphas, bool):
        if alphas < 1:
            raise ValueError(f"alphas must be a number of penalties above 0, or the penalties, got {alphas!r}")
        if l1_ratio == 0:
            raise ValueError(
                "Automatic alpha grid generation is not supported for l1_ratio=0. Please supply a grid by providing "
                "your estimator with the appropriate `alphas=` argument."
            )
        return alpha_grid(largest(), eps, int(alphas))
    given = np.atleast_1d(np.asarray(alphas, dtype=object))
    if given.ndim != 1 or not len(given):
        raise ValueError(f"alphas must be a number of penalties, or one or more of them, got {alphas!r}")
    for i, alpha in enumerate(given):
        if isinstance(alpha, bool) or not isinstance(alpha, int | float | np.number):
            raise TypeError(f"alphas[{i}] must be an instance of float, not {type(alpha).__name__}")
        if not np.isfinite(float(alpha)) or alpha < 0:
            raise ValueError(f"alphas[{i}] == {alpha}, must be >= 0.0 and finite.")
    return np.sort(given.astype(float))[::-1]
