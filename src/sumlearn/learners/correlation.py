"""Deviations and correlations of columns, from their scatter or from fewer rows than columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..statistics import Moments


@dataclass(frozen=True, eq=False)
class Correlation:
    """C = D R D with the deviations D and R of unit diagonal: a matrix, or F'F + diag(floor) where rows are held."""

    deviation: np.ndarray
    matrix: np.ndarray | None
    factor: np.ndarray | None = None  # F, a row for each row that is held
    floor: np.ndarray | float = 0.0

    @classmethod
    def of(cls, moments: Moments, divisor: float) -> Correlation:
        """Of the covariance S / divisor."""
        variance = moments.diagonal / divisor
        deviation = np.ldexp(np.sqrt(np.maximum(variance, 0.0)), moments.exponent)
        scale = np.sqrt(np.where(variance > 0, variance, 1.0))
        factor = moments.factor()
        if factor is None:
            return cls(deviation, moments.spread.hi / divisor / scale / scale[:, None])
        return cls(deviation, None, factor / np.sqrt(divisor) / scale)

    @property
    def scale(self) -> np.ndarray:
        """The deviations, one for columns that do not vary."""
        return np.where(self.deviation > 0, self.deviation, 1.0)

    @property
    def whole(self) -> np.ndarray:
        """R as a matrix."""
        if self.factor is None:
            assert self.matrix is not None
            return self.matrix
        R = self.factor.T @ self.factor
        R[np.diag_indices_from(R)] += self.floor
        return R

    @property
    def covariance(self) -> np.ndarray:
        """C."""
        return self.whole * self.deviation * self.deviation[:, None]

    def form(self, A: np.ndarray) -> np.ndarray:
        """A'CA."""
        A = A * self.deviation[:, None]
        if self.factor is None:
            return A.T @ self.whole @ A
        F = self.factor @ A
        return F.T @ F + (A.T * self.floor) @ A

    def shrunk(self, share: float) -> Correlation:
        """Of (1 - share) C + share tr(C) / d I."""
        if self.factor is None:
            C = self.covariance
            C = (1 - share) * C + share * np.trace(C) / len(C) * np.eye(len(C))
            deviation = np.sqrt(C.diagonal())
            scale = np.where(deviation > 0, deviation, 1.0)
            return Correlation(deviation, C / scale / scale[:, None])
        mean = share * np.mean(self.deviation**2)
        deviation = np.sqrt((1 - share) * self.deviation**2 + mean)
        scale = np.where(deviation > 0, deviation, 1.0)
        return Correlation(
            deviation, None, self.factor * (np.sqrt(1 - share) * self.deviation / scale), mean / scale**2
        )

    def whitening(self, tol: float, apart: np.ndarray) -> tuple[np.ndarray, int]:
        """A with A'C A = I over directions whose R exceeds tol^2, and how many others there are.

        Of fewer rows than columns, A has the directions that the rows span, and `apart`.
        """
        if self.factor is None or not np.any(self.floor):
            values, vectors = self.axes()
            keep = values > tol**2
            A = vectors[:, keep][:, ::-1] / np.sqrt(values[keep])[::-1] / self.scale[:, None]
            return A, int((~keep).sum())
        if np.min(self.floor) <= tol**2:
            return Correlation(self.deviation, self.whole).whitening(tol, apart)
        F = self.factor * self.scale  # C = F'F + c I, so what F and the points do not span stays as it is
        Q, _ = np.linalg.qr(np.vstack([F, apart]).T)
        G = F @ Q
        values, vectors = np.linalg.eigh(G.T @ G)
        size = np.max(self.floor * self.scale**2)
        return Q @ vectors / np.sqrt(np.maximum(values, 0.0) + size), 0

    def axes(self) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues of R, smallest first, and eigenvectors in columns: of rows that are held, those they span."""
        if self.factor is None:
            return np.linalg.eigh(self.whole)
        _, sizes, axes = np.linalg.svd(self.factor, full_matrices=False)
        return sizes[::-1] ** 2, axes[::-1].T
