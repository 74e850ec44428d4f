"""Which rows the fit hangs on: leverage, studentised residuals, Cook's distance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from ....data import Chunk
from ....statistics import Statistic
from .row_residuals import EXACT, Surface, rows_of_fit, total_over


@dataclass(frozen=True, eq=False)
class Influence:
    """Diagnostics of every row of a fit, in their order; with several targets, a column for each but in `leverage`.

        h = 1/W + (x - m)'S^-1 (x - m)              e = y - f(x)
        studentised  r = e / (s sqrt(1 - h))        deleted  t = e / (s_(n) sqrt(1 - h)),  s_(n) without the row
        Cook         D = r^2 h / (p (1 - h))        dffits   t sqrt(h / (1 - h))

    Of equal rows (a weight that is a number of rows) it is one copy that is left out. A row of weight zero is not in
    the fit: all its numbers are zero. Where weights are precisions, e is sqrt(w) times the residual.

    >>> from sumlearn import LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 8.0]
    >>> rows = LinearRegression().fit(X, y).influence(X, y)
    >>> rows.leverage, rows.cooks_distance.round(3)
    (array([0.7, 0.3, 0.3, 0.7]), array([1.037, 0.02 , 0.327, 2.333]))
    """

    leverage: np.ndarray
    residuals: np.ndarray
    noise_variance: Any  # s2
    degrees: Any  # N - p
    parameters: Any  # p

    @property
    def studentised_residuals(self) -> np.ndarray:
        """Residuals in their own standard deviations."""
        if not np.all(np.asarray(self.noise_variance) > 0):
            raise ValueError("every row is fitted exactly: there is no noise to compare residuals with")
        return self.residuals / np.sqrt(self.noise_variance * self._left)

    @property
    def deleted_residuals(self) -> np.ndarray:
        """The same, with the noise of a fit without the row: Student's t with N - p - 1 degrees of freedom."""
        if not np.all(np.asarray(self.degrees) > 1):
            raise ValueError("without one more row there are no degrees of freedom for the noise")
        r2 = self.studentised_residuals**2
        return self.studentised_residuals * np.sqrt((self.degrees - 1.0) / np.maximum(self.degrees - r2, 1e-300))

    @property
    def cooks_distance(self) -> np.ndarray:
        """How far all predictions move without the row, in units of p s2."""
        return self.studentised_residuals**2 * self._odds / self.parameters

    @property
    def dffits(self) -> np.ndarray:
        """How far its own prediction moves without the row, in standard errors."""
        return self.deleted_residuals * np.sqrt(self._odds)

    @property
    def _left(self) -> np.ndarray:
        """1 - h, beside the residuals."""
        left = 1.0 - self.leverage
        if (left <= EXACT).any():
            raise ValueError(
                f"row {int((left <= EXACT).argmax())} has leverage 1, so that it is fitted exactly: what divides by "
                "1 - leverage is not defined"
            )
        return left if self.residuals.ndim == 1 else left[:, None]

    @property
    def _odds(self) -> np.ndarray:
        left = self._left
        return (1.0 - left) / left


@dataclass(frozen=True, eq=False)
class Listing(Statistic):
    """Numbers of every row, one after the other: merging keeps their order."""

    values: np.ndarray
    total: float

    @property
    def weight(self) -> float:
        return self.total

    @property
    def rows(self) -> int:
        return len(self.values)

    def merge(self, other: Self) -> Self:
        return type(self)(np.concatenate([self.values, other.values]), self.total + other.total)

    def zero(self) -> Self:
        return type(self)(self.values[:0], 0.0)


def influence(model: Any, X: Any, y: Any, sample_weight: Any, weights: str) -> Influence:
    """Diagnostics of the rows of the fit, in one more pass; files and Dask collections are read chunk by chunk."""
    inference = model.inference(weights)
    inference.refuse_if_biased()
    surface = Surface.of(model, inference, weights)
    listed = total_over(model, rows_of_fit(model, X, y, sample_weight), partial(of_rows, surface=surface))
    leverage, residuals = listed.values[:, 0], listed.values[:, 1:]
    if inference.estimates.ndim == 1:
        residuals = residuals[:, 0]
    return Influence(leverage, residuals, inference.noise_variance, inference.degrees, inference.parameters)


def of_rows(chunk: Chunk, surface: Surface) -> Listing:
    """Leverage and residuals of some rows, rows of weight zero among them."""
    X, e, weight = surface.chunk(chunk)
    h = surface.geometries[0].leverage(X)
    if surface.precision:
        h, e = weight * h, np.sqrt(weight)[:, None] * e
    values = np.column_stack([h, e])
    if chunk.weight is not None and len(X) < len(chunk.weight):
        every = np.zeros((len(chunk.weight), values.shape[1]))
        every[np.flatnonzero(chunk.weight)] = values
        values = every
    return Listing(values, float(weight.sum()))
