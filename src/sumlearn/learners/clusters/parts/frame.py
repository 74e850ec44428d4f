"""Coordinates in which distances between rows and centres are taken, right at any offset, in any unit."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from ....statistics import Moments
from ....statistics.row_checks import floats

METRICS = ("euclidean", "mahalanobis")
NO_NUMBERS = np.zeros(0)
GRID = 20  # bits of an origin below the size of the spread: what chunks and order leave of a mean is far below
DEPENDENT = 1e-13  # share of the largest eigenvalue, of unit variances, below which a direction is rounding


class Coordinates(NamedTuple):
    """z = (x - origin) / 2^exponent, or z = B'(x - origin) with B B' = Sigma^-1 for the metric of Mahalanobis.

        d(a, b)^2 = |z_a - z_b|^2 4^exponent,   or (a - b)' Sigma^-1 (a - b)

    Directions in which the rows do not vary have no part in Sigma^-1, the pseudoinverse.
    """

    origin: np.ndarray
    exponent: int = 0
    forth: np.ndarray | None = None  # B, (features, rank)
    back: np.ndarray | None = None  # (rank, features)

    @classmethod
    def of(cls, moments: Moments, covariance: np.ndarray | None = None) -> Self:
        """The frame of rows with these moments."""
        exponent = exponent_of(moments.deviation)
        origin = np.ldexp(np.rint(np.ldexp(moments.mean, GRID - exponent)), exponent - GRID)
        if covariance is None:
            return cls(origin, exponent)
        return cls(origin, 0, *whitening(covariance))

    @classmethod
    def around(cls, centres: np.ndarray, covariance: np.ndarray | None = None) -> Self:
        """The frame of rows that are known by their centres."""
        centres = centres.astype(np.float64)
        origin = centres[0] + (centres - centres[0]).mean(axis=0)
        if covariance is not None:
            return cls(origin, 0, *whitening(covariance))
        return cls(origin, exponent_of(np.abs(centres - origin).max(axis=0)))

    @property
    def unit(self) -> float:
        """What a squared distance in these coordinates is to be multiplied with."""
        with np.errstate(over="ignore"):
            return float(np.ldexp(1.0, 2 * self.exponent))

    @property
    def length(self) -> float:
        """What a distance in these coordinates is to be multiplied with: a number also where its square is none."""
        return float(np.ldexp(1.0, self.exponent))

    def placed(self, X: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
        """Rows Y, a scale s and an origin o with z = s Y - o: as they came, or mapped."""
        if self.forth is not None:
            return self.coordinates(X), 1.0, np.zeros(self.forth.shape[1])
        scale = float(np.ldexp(1.0, -self.exponent))
        return floats(X), scale, scale * self.origin

    def coordinates(self, X: np.ndarray) -> np.ndarray:
        """z of every row."""
        if self.forth is not None:
            return (X - self.origin) @ self.forth
        scale = np.ldexp(1.0, -self.exponent)
        return np.ascontiguousarray(scale * np.asarray(X, dtype=np.float64) - scale * self.origin)

    def variances(self, moments: Moments) -> np.ndarray:
        """Variances of z, for rows with these moments."""
        if self.forth is None:
            return np.ldexp(moments.deviation, -self.exponent) ** 2
        return np.einsum("ij,ij->j", moments.covariance() @ self.forth, self.forth)

    def natural(self, z: np.ndarray) -> np.ndarray:
        """x of points in these coordinates."""
        return self.origin + (np.ldexp(z, self.exponent) if self.back is None else z @ self.back)


def exponent_of(spread: np.ndarray) -> int:
    """The power of two next to the largest of some lengths."""
    return int(np.frexp(spread.max(initial=0.0))[1])


def whitening(covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """B with B B' = Sigma^-1, and C with B C = 1 on the directions that vary; columns in units of their deviations."""
    deviation = np.sqrt(np.diag(covariance))
    size = np.where(deviation > 0, deviation, 1.0)
    values, vectors = np.linalg.eigh(covariance / size / size[:, None])
    kept = values > DEPENDENT * max(values.max(initial=0.0), 1e-300)
    if not kept.any():
        return np.zeros((len(size), 1)), np.zeros((1, len(size)))
    roots, vectors = np.sqrt(values[kept]), vectors[:, kept]
    return vectors / roots / size[:, None], (vectors * roots).T * size


def given_covariance(value: Any, features: int) -> np.ndarray:
    """A covariance matrix that was given: symmetric, without negative eigenvalues."""
    found = np.asarray(value, dtype=np.float64)
    if found.shape != (features, features) or not np.isfinite(found).all():
        raise ValueError(f"covariance must be finite, ({features}, {features}), got shape {found.shape}")
    size = np.sqrt(np.maximum(np.diag(found), 1e-300))
    unit = found / size / size[:, None]
    if not np.allclose(unit, unit.T, rtol=1e-10, atol=1e-10) or np.linalg.eigvalsh(unit).min() < -1e-10:
        raise ValueError("covariance must be symmetric, without negative eigenvalues")
    return found
