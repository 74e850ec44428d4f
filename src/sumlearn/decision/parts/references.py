"""Densities to hold rows against: an even one in a box, a normal one, columns that know nothing of each other.

They are made of the rows as a weighted set, so the order of the rows, or a weight of two for a row that is there twice,
changes no draw.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ...learners.linear_map import away_from
from ...statistics import Moments

LEAST = 1e-6  # added to the variances of a normal reference, of that of the columns


@dataclass(frozen=True, eq=False)
class StandardCoordinates:
    """Coordinates in which rows have mean zero and deviation one; columns that do not vary keep their unit."""

    centre: np.ndarray
    rest: np.ndarray  # of the centre, what one word cannot say
    scale: np.ndarray

    @classmethod
    def of(cls, moments: Moments) -> Self:
        deviation = moments.deviation
        return cls(moments.mean, moments.mean_rest, np.where(deviation > 0, deviation, 1.0))

    def coordinates(self, X: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return away_from(X, self.centre, self.rest) / self.scale

    def rows(self, Z: np.ndarray) -> np.ndarray:
        return self.centre + Z * self.scale

    @property
    def log_volume(self) -> float:
        """Of a unit cube of the coordinates."""
        return float(np.log(self.scale).sum())


@dataclass(frozen=True, eq=False)
class EvenBox:
    """Even in a box; columns that do not vary have a deviation of their unit to either side."""

    low: np.ndarray
    high: np.ndarray

    @classmethod
    def of(cls, Z: np.ndarray, weight: np.ndarray, spread: float) -> Self:
        low, high = Z.min(axis=0), Z.max(axis=0)
        middle, half = low / 2 + high / 2, high / 2 - low / 2
        reach = spread * np.where(half > 0, half, 1.0)
        return cls(middle - reach, middle + reach)

    def draw(self, n: int, random: np.random.RandomState) -> np.ndarray:
        return self.low + (self.high - self.low) * random.uniform(size=(n, len(self.low)))

    def log_density(self, Z: np.ndarray) -> np.ndarray:
        inside = ((self.low <= Z) & (self.high >= Z)).all(axis=1)
        return np.where(inside, -np.log(self.high - self.low).sum(), -np.inf)


@dataclass(frozen=True, eq=False)
class Normal:
    """Normal, with the mean and the correlations of the rows; `lower` is a Cholesky factor."""

    lower: np.ndarray

    @classmethod
    def of(cls, Z: np.ndarray, weight: np.ndarray, spread: float) -> Self:
        covariance = Moments.of(Z, weight=weight).covariance()
        still = np.where(covariance.diagonal() > 0, LEAST, 1.0)
        return cls(spread * np.linalg.cholesky(covariance + np.diag(still)))

    def draw(self, n: int, random: np.random.RandomState) -> np.ndarray:
        return random.standard_normal((n, len(self.lower))) @ self.lower.T

    def log_density(self, Z: np.ndarray) -> np.ndarray:
        from scipy.linalg import solve_triangular

        away = solve_triangular(self.lower, Z.T, lower=True)
        with np.errstate(over="ignore"):
            squares = np.einsum("ij,ij->j", away, away)
        return -0.5 * squares - np.log(self.lower.diagonal()).sum() - 0.5 * len(self.lower) * np.log(2.0 * np.pi)


@dataclass(frozen=True, eq=False)
class Shuffled:
    """Every column by itself as it is in the rows, without regard to the others: it has no density."""

    values: np.ndarray  # (rows, columns), each column sorted
    shares: np.ndarray  # of the rows up to and with each value

    @classmethod
    def of(cls, Z: np.ndarray, weight: np.ndarray, spread: float) -> Self:
        order = np.argsort(Z, axis=0, kind="stable")
        shares = np.cumsum(weight[order], axis=0)
        return cls(np.take_along_axis(Z, order, axis=0), shares / shares[-1])

    def draw(self, n: int, random: np.random.RandomState) -> np.ndarray:
        asked = random.uniform(size=(n, self.values.shape[1]))
        columns = zip(self.values.T, self.shares.T, asked.T, strict=True)
        last = len(self.values) - 1
        return np.column_stack([v[np.minimum(np.searchsorted(s, u, side="right"), last)] for v, s, u in columns])


@dataclass(frozen=True, eq=False)
class Foreign:
    """An estimator of densities, of any library, that was fitted to the rows."""

    model: Any

    def draw(self, n: int, random: np.random.RandomState) -> np.ndarray:
        seed = random.randint(2**31 - 1)
        if "random_state" in self.model.get_params(deep=False):  # those of mixtures draw by their own
            found = self.model.set_params(random_state=seed).sample(n)
        else:
            found = self.model.sample(n, random_state=seed)
        rows = np.asarray(found[0] if isinstance(found, tuple) else found, dtype=float)
        return rows[random.permutation(len(rows))]

    def log_density(self, Z: np.ndarray) -> np.ndarray:
        return np.asarray(self.model.score_samples(Z), dtype=float)


DENSITIES: dict[str, Any] = {"gaussian": Normal, "box": EvenBox}
SAMPLERS: dict[str, Any] = {"box": EvenBox, "gaussian": Normal, "shuffled": Shuffled}


def default_learner(rows: float) -> Any:
    """A logistic regression on Gaussian bumps: smooth odds, which level off where there are no rows."""
    from ...features import RadialBasis
    from ...learners.linear.logistic_regression import LogisticRegression

    centres = int(np.clip(np.sqrt(rows), 5, 60))
    basis = RadialBasis(centres, placing="kmeans", width="max_distance", fewer=True, random_state=0)
    return LogisticRegression(C=100.0, basis=basis, max_iter=300)
