"""The inverse of the normal equations as a product of roots, right where they are ill-conditioned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....compiled import positive as kernels
from ....solvers.linear_system import System, solve_positive, system_of
from ....statistics import Moments
from ...inference import ESTIMABLE

PLAIN = 1e3  # condition of the columns up to which a factor in double has ten digits


@dataclass(frozen=True, eq=False)
class Geometry:
    """R with (S + alpha I)^-1 = R R' in natural units, S the scatter of the columns about the centre m.

    `null` holds directions v with S v = 0, in columns; `blind` says which coefficients have a share in one, and
    `blind_level` whether the intercept has: the rows do not determine them.
    """

    root: np.ndarray  # (features, rank)
    centre: np.ndarray  # zero without an intercept
    low: np.ndarray  # the second word of the centre, which counts where it is far from zero
    weight: float
    intercept: bool
    alpha: float
    null: np.ndarray
    blind: np.ndarray
    blind_level: bool

    @classmethod
    def of(cls, moments: Moments, alpha: float, intercept: bool) -> Geometry:
        system = system_of(moments, np.zeros(1, np.intp), alpha, intercept)
        inverse, kept = inverse_root(system)
        null, blind = null_space(system, inverse, kept)
        d = len(kept)
        centre = moments.mean[:d] if intercept else np.zeros(d)
        low = np.ldexp(moments.centre.lo[:d], moments.exponent[:d]) if intercept else np.zeros(d)
        null = np.ldexp(null, -system.unit[:, None])
        varying = null[:, (system.G.hi.diagonal() > 0)[~kept]]  # a constant column is left out, the intercept stays
        shares = np.abs(centre @ varying) > ESTIMABLE * (np.abs(centre) @ np.abs(varying))
        root = np.ldexp(inverse[:, kept], -system.unit[:, None])
        return cls(root, centre, low, moments.weight, intercept, alpha, null, blind, bool(shares.any()))

    @property
    def rank(self) -> int:
        """Independent columns, and the intercept."""
        return self.root.shape[1] + self.intercept

    def away(self, X: np.ndarray) -> np.ndarray:
        """x - m."""
        return (X - self.centre) - self.low

    def orthogonal(self, X: np.ndarray) -> np.ndarray:
        """q for every row, with sum w q q' = I over the rows of the fit where there is no penalty."""
        Q = self.away(X) @ self.root
        return np.column_stack([np.full(len(Q), self.weight**-0.5), Q]) if self.intercept else Q

    def leverage(self, X: np.ndarray) -> np.ndarray:
        """h = 1/W + (x - m)'(S + alpha I)^-1 (x - m): what its own target counts in the prediction of a row."""
        return (self.orthogonal(X) ** 2).sum(axis=1)

    def variance(self, X: np.ndarray) -> np.ndarray:
        """Variance of the prediction of a row, in units of that of the noise; infinite where it is not determined."""
        Q = self.orthogonal(X)
        spread = (Q**2).sum(axis=1) if not self.alpha else (Q @ self.shrinkage * Q).sum(axis=1)
        return np.where(self.is_outside(X), np.inf, spread) if self.null.shape[1] else spread

    def is_outside(self, X: np.ndarray) -> np.ndarray:
        """Whether a row leaves the plane of the rows of the fit, so that they do not determine its prediction."""
        away = self.away(X)
        return (np.abs(away @ self.null) > ESTIMABLE * (np.abs(away) @ np.abs(self.null))).any(axis=1)

    @property
    def factor(self) -> np.ndarray:
        """F with parameters = F sum w q y, the intercept first: F F' is the inverse of the normal equations."""
        if not self.intercept:
            return self.root
        top = np.append(self.weight**-0.5, -self.centre @ self.root)
        return np.vstack([top, np.column_stack([np.zeros(len(self.root)), self.root])])

    @property
    def shrinkage(self) -> np.ndarray:
        """R'SR = I - alpha R'R, sum w q q' over the rows of the fit; its trace is the effective number of terms."""
        K = np.eye(self.rank)
        if self.alpha:
            start = int(self.intercept)
            K[start:, start:] -= self.alpha * self.root.T @ self.root
        return K

    @property
    def covariance(self) -> np.ndarray:
        """Covariance of the parameters in units of the variance of the noise, F K F' with K the shrinkage."""
        F = self.factor
        return (F @ self.shrinkage if self.alpha else F) @ F.T

    @property
    def undetermined(self) -> np.ndarray:
        """Whether a parameter is not determined, the intercept first."""
        return np.append(self.blind_level, self.blind) if self.intercept else self.blind

    @property
    def directions(self) -> np.ndarray:
        """The null space in the parameters, the intercept first."""
        if not self.intercept:
            return self.null
        return np.vstack([-self.centre @ self.null if self.blind_level else np.zeros(self.null.shape[1]), self.null])


def inverse_root(system: System) -> tuple[np.ndarray, np.ndarray]:
    """U^-1 of G = U'U, zero in dependent columns, and which columns are kept; in two words where double has too few."""
    answer = solve_positive(system)
    if answer.condition <= PLAIN:
        return answer.inverse, answer.kept
    high, low = system.G.hi.copy(), system.G.lo.copy()
    kept, inverse = np.ones(len(high), bool), np.zeros_like(high)
    kernels.cholesky(high, low, system.noise, kept, inverse)
    return inverse, kept


def null_space(system: System, inverse: np.ndarray, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each dependent column j, e_j - c with G_kk c = G_kj over the kept columns; and which columns have a share."""
    null = np.eye(len(kept))[:, ~kept] - inverse @ (inverse.T @ system.G.hi[:, ~kept])
    return null, (np.abs(null) > ESTIMABLE).any(axis=1)
