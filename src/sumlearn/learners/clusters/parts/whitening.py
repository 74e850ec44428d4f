"""Coordinates in which sums of squares about one point cost no digits, right at any offset and in any unit."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from scipy.linalg import solve_triangular

from ....compiled.mixture import place

APART = (
    30.0  # times the least deviation of any combination of the columns that the largest may be, for L to be left out
)


class Whitening(NamedTuple):
    """z = L^-1 s (x - origin), with s powers of two that bring each column to its unit.

    Without L the columns stay apart: where components have a variance for each column, or where the columns depend on
    each other so little that it would gain nothing. With one power of two for all of them lengths keep their
    proportions.
    """

    origin: np.ndarray
    scale: np.ndarray  # s, (features,)
    diagonal: bool  # whether covariances are variances of the columns
    outer: np.ndarray | None = None  # L, lower triangular
    inner: np.ndarray | None = None  # L^-1

    @classmethod
    def of(cls, origin: np.ndarray, covariance: np.ndarray, covariance_type: str, least: Any = 0.0) -> Self:
        """For rows with this mean and covariance; no variance is below `least`."""
        variance = np.maximum(np.diag(covariance), 0.0) + least
        size = np.sqrt(np.where(variance > 0, variance, 1.0))
        if covariance_type == "spherical":
            size = np.full_like(size, size.max(initial=1e-300))
        scale = np.ldexp(1.0, -np.frexp(size)[1])
        if covariance_type in ("diag", "spherical"):
            return cls(origin, scale, True)
        in_units = covariance * scale * scale[:, None]
        roots = np.sqrt(np.maximum(np.linalg.eigvalsh(in_units)[[0, -1]], 0.0))
        if roots[1] < APART * roots[0]:
            return cls(origin, scale, False)
        in_units[np.diag_indices(len(scale))] = np.maximum(variance * scale * scale, np.finfo(float).tiny)
        try:
            outer = np.linalg.cholesky(in_units)
        except np.linalg.LinAlgError:  # columns that depend on others
            outer = np.diag(np.sqrt(np.diag(in_units)))
        if (np.diag(outer) < 1e-7).any():
            outer = np.diag(np.maximum(np.sqrt(np.diag(in_units)), 1e-7))
        return cls(origin, scale, False, outer, solve_triangular(outer, np.eye(len(scale)), lower=True))

    def placed(self, X: np.ndarray) -> np.ndarray:
        """z of every row, in columns: (features, rows)."""
        Z = np.empty((X.shape[1], len(X)))
        place(np.ascontiguousarray(X, dtype=np.float64), self.origin, self.scale, Z)
        return Z if self.inner is None else self.inner @ Z

    def point(self, x: np.ndarray) -> np.ndarray:
        """z of some points, one in each row."""
        return self.turned((x - self.origin) * self.scale)

    def turned(self, away: np.ndarray) -> np.ndarray:
        return away if self.inner is None else away @ self.inner.T

    def away(self, z: np.ndarray) -> np.ndarray:
        """x - origin of some points, one in each row."""
        return (z if self.outer is None else z @ self.outer.T) / self.scale

    def covariance(self, given: np.ndarray) -> np.ndarray:
        """Covariance matrices, or variances of the columns, of rows in these coordinates."""
        if self.diagonal:
            return given * self.scale * self.scale
        scaled = given * self.scale * self.scale[:, None]
        return scaled if self.inner is None else self.inner @ scaled @ self.inner.T

    def factor(self, natural: np.ndarray) -> np.ndarray:
        """A with A A' the precision in these coordinates, from U with U U' that of x: upper triangular, as U is."""
        if self.diagonal:
            return natural / self.scale
        scaled = natural / self.scale[:, None]
        return scaled if self.outer is None else self.outer.T @ scaled

    def natural_factor(self, factor: np.ndarray) -> np.ndarray:
        """U from A."""
        if self.diagonal:
            return factor * self.scale
        return (factor if self.inner is None else self.inner.T @ factor) * self.scale[:, None]

    def ridge(self, given: Any) -> np.ndarray:
        """The covariance, or variances, in these coordinates, of rows with these variances and nothing in common."""
        variances = np.broadcast_to(np.asarray(given, dtype=np.float64), self.scale.shape)
        return self.covariance(variances if self.diagonal else np.diag(variances))

    @property
    def log_volume(self) -> float:
        """log |dz / dx|."""
        inner = 0.0 if self.inner is None else np.log(np.diag(self.inner)).sum()
        return float(np.log(self.scale).sum() + inner)
