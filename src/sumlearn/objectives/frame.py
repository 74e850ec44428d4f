"""Frame: the coordinates in which an objective is minimised.

A point holds, for each output, the weights u of the columns in units of their spread, z = (x - m) / s, and behind
them the score c at the centre m (where there is an intercept). Minima do not depend on it; how fast and how precisely
they are found does.

    f(x) = u'z + c        coefficients u / s,  intercept c - m'(u / s)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Frame:
    """Centre m and unit s of the columns, and whether rows are standardised before they are multiplied.

    If not, rows are multiplied as they are and the sums are standardised: as good while m is not large against s.
    """

    centre: np.ndarray
    unit: np.ndarray
    intercept: bool
    standardised: bool

    @property
    def features(self) -> int:
        return len(self.unit)

    @property
    def size(self) -> int:
        """Numbers in a point for each output."""
        return self.features + self.intercept

    def rows(self, X: np.ndarray) -> np.ndarray:
        """Rows as they are multiplied."""
        return (X - self.centre.astype(X.dtype)) / self.unit.astype(X.dtype) if self.standardised else X

    def scoring(self, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What these rows are multiplied with, and the constant; point is (outputs, size)."""
        if self.standardised:
            return point[:, : self.features], self.levels(point)
        coef = self.coefficients(point)
        return coef, self.intercepts(coef, self.levels(point))

    def coefficients(self, point: np.ndarray) -> np.ndarray:
        """Weights of the columns in natural units."""
        return point[:, : self.features] / self.unit

    def levels(self, point: np.ndarray) -> np.ndarray:
        """Scores at the centre."""
        return point[:, -1] if self.intercept else np.zeros(len(point))

    def intercepts(self, coef: np.ndarray, levels: np.ndarray) -> np.ndarray:
        """Scores at zero."""
        return levels - coef @ self.centre if self.intercept else np.zeros(len(coef))

    def point(self, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
        """The point of given coefficients and intercepts."""
        if not self.intercept:
            return coef * self.unit
        return np.column_stack([coef * self.unit, intercept + coef @ self.centre])

    def gradient(self, raw: np.ndarray) -> np.ndarray:
        """Sums over (rows, 1), with d + 1 numbers along the last axis, in the coordinates of a point."""
        d = self.features
        if not self.standardised:
            out = raw[..., :d] - raw[..., d:] * self.centre if self.intercept else raw[..., :d]
            raw = np.concatenate([out / self.unit, raw[..., d:]], axis=-1)
        return raw if self.intercept else raw[..., :d].copy()

    def hessian(self, raw: np.ndarray) -> np.ndarray:
        """The same on both sides of a matrix (outputs, d + 1, outputs, d + 1)."""
        once = self.gradient(raw)
        return np.moveaxis(self.gradient(np.moveaxis(once, 1, -1)), -1, 1)


def frame_of(mean: Any, deviation: Any, intercept: bool, dtype: Any) -> Frame:
    """The frame for columns of a mean and deviation (about zero, if there is no intercept)."""
    d = len(deviation)
    for column in np.flatnonzero((deviation > 1e150) | ((deviation < 1e-150) & (deviation > 0)))[:1]:
        raise ValueError(f"the spread of column {column} is {deviation[column]:.0e}: rescale it")
    narrow = dtype == np.float32
    unit = np.where(deviation > 0, deviation, 1.0)
    centre = np.asarray(mean, dtype=dtype).astype(float) if intercept else np.zeros(d)
    far = (np.abs(centre) > (8.0 if narrow else 1e3) * deviation).any()  # also of constant columns: exactly zero then
    extreme = d > 0 and (unit.max() > (1e15 if narrow else 1e100) or unit.min() < (1e-15 if narrow else 1e-100))
    return Frame(centre, unit, intercept, standardised=bool(far or extreme))
