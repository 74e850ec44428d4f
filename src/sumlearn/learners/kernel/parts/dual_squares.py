"""Least squares in the dual: one coefficient for each row.

min_f sum_i w_i (y_i - f(x_i))^2 + alpha |f|^2,   f = sum_i b_i k(., x_i)
(G + alpha W^-1) b = y,   as (B + alpha I) z = W^1/2 y,  B = W^1/2 G W^1/2,  b = W^1/2 z
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack

from ....statistics.warnings import warn

EPS = float(np.finfo(float).eps)


@dataclass(frozen=True)
class DualSquares:
    """B and W^1/2 y (n, targets) of rows that weigh something, in place of the matrix that they were made of.

    With an intercept, which is not penalised, features and targets are counted from their weighted means.
    """

    B: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    level: np.ndarray  # (targets,)
    mean_kernel: np.ndarray | None  # of every row with all, weighted

    @classmethod
    def of(cls, G: np.ndarray, y: np.ndarray, weight: np.ndarray, intercept: bool) -> DualSquares:
        y = y.reshape(len(G), -1).astype(np.float64)
        level, mean = np.zeros(y.shape[1]), None
        if intercept:
            share = weight / weight.sum()
            level = y[0] + share @ (y - y[0])
            y = y - level
            mean = G @ share
            G -= mean - 0.5 * (share @ mean)
            G -= (mean - 0.5 * (share @ mean))[:, None]
        if (weight != 1).any():
            root = np.sqrt(weight)
            G *= root
            G *= root[:, None]
            y = y * root[:, None]
        return cls(G, y, weight, level, mean)

    @property
    def free(self) -> np.ndarray | None:
        """The direction of the constant, of unit length, where it is not penalised."""
        return None if self.mean_kernel is None else np.sqrt(self.weight / self.weight.sum())

    def solved(self, alpha: Any) -> np.ndarray:
        """z (n, targets) for a penalty, or one for each target; B is used up."""
        alphas = np.broadcast_to(np.asarray(alpha, dtype=float), self.y.shape[1])
        if (alphas == alphas[0]).all():
            return solved(self.B, self.y, float(alphas[0]), self.free)
        return DualAxes.of(self.B, self.free).solved(self.y, alphas)

    def coefficients(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """b and the intercept of every target, and of whatever follows the targets."""
        extra = (1,) * (z.ndim - 1)
        b = np.sqrt(self.weight).reshape(-1, *extra) * z
        level = self.level.reshape(-1, *extra[1:])
        if self.mean_kernel is None:
            return b, np.broadcast_to(level, z.shape[1:])
        b = b - (self.weight / self.weight.sum()).reshape(-1, *extra) * b.sum(axis=0)  # zero but for rounding
        return b, level - np.tensordot(self.mean_kernel, b, 1)


def solved(B: np.ndarray, y: np.ndarray, alpha: float, free: np.ndarray | None = None) -> np.ndarray:
    """(B + alpha I)^-1 y by Cholesky; by eigenvalues, and of least norm, where there is none. B is used up."""
    diagonal = B.diagonal().copy()
    size = norm_of(B) + alpha
    step = len(B) + 1
    B.flat[::step] += alpha
    factor, failed = lapack.dpotrf(B.T, lower=1, overwrite_a=1, clean=0)  # in the upper triangle of B
    if not failed:
        reciprocal, _ = lapack.dpocon(factor, size, uplo="L")
        if reciprocal > 8 * EPS:
            return lapack.dpotrs(factor, y, lower=1)[0]
    B.flat[::step] = diagonal  # the lower triangle is what it was
    B = np.tril(B)
    B += np.tril(B, -1).T
    return DualAxes.of(B, free).solved(y, np.full(y.shape[1], alpha))


def norm_of(B: np.ndarray) -> float:
    """The largest sum of sizes in a row, of a symmetric matrix: at least its largest eigenvalue."""
    return max((float(np.abs(B[i : i + 256]).sum(axis=1).max()) for i in range(0, len(B), 256)), default=0.0)


@dataclass(frozen=True)
class DualAxes:
    """B = Q diag(values) Q', without a direction that is free; values that are nothing but rounding are zero."""

    values: np.ndarray
    vectors: np.ndarray
    rounding: float

    @classmethod
    def of(cls, B: np.ndarray, free: np.ndarray | None = None) -> DualAxes:
        """Of a symmetric B, which may be changed; it takes the free direction to zero."""
        if free is not None:  # made the largest, so that it is told from others that are taken to zero
            size = 1.1 * norm_of(B) or 1.0
            B += np.outer(size * free, free)
        values, vectors = np.linalg.eigh(B)  # unlike SciPy's it lets other threads run
        if free is not None:
            values, vectors = values[:-1], vectors[:, :-1]
        rounding = np.sqrt(len(vectors)) * EPS * float(np.abs(values).max(initial=0.0))
        if values[:1].sum() < -100 * rounding:
            warn(
                f"the kernel is not positive semidefinite on these rows (least eigenvalue {values[0]:.2g}, largest "
                f"{values[-1]:.2g}): what is found makes the gradient zero, and need be no minimum"
            )
        return cls(np.where(np.abs(values) > rounding, values, 0.0), vectors, rounding)

    def solved(self, y: np.ndarray, alphas: np.ndarray) -> np.ndarray:
        """(B + alpha_t I)^-1 y_t for each target, of least norm where that is singular."""
        shifted = self.values[:, None] + alphas
        there = np.abs(shifted) > self.rounding
        if not there.all():
            rank = int(there.all(axis=1).sum())
            warn(
                f"the kernel matrix has rank {rank} on {len(self.vectors)} rows, and the penalty is below its "
                "rounding: coefficients are those of least norm"
            )
        inverse = np.divide(1.0, shifted, out=np.zeros_like(shifted), where=there)
        return self.vectors @ (inverse * (self.vectors.T @ y))

    def left_out(self, y: np.ndarray, alphas: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """y_i minus the prediction of the model that never saw row i, (rows, targets, alphas).

        With m = diag (B + alpha I)^-1 and h = 1 - alpha m the leverage, that is r_i / (1 - h_i); residuals and gaps are
        sums of alpha / (value + alpha), so that a small alpha costs no digits. A row that weighs more than one counts
        as so many, of which one is left out.
        """
        shrink = np.divide(alphas, self.values[:, None] + alphas)  # (axes, alphas)
        projected = self.vectors.T @ y
        residuals = np.stack([self.vectors @ (column[:, None] * shrink) for column in projected.T], axis=1)
        copy = (np.minimum(weight, 1.0) / weight)[:, None]
        gap = 1.0 - copy + copy * (self.vectors**2 @ shrink)  # a direction that is free adds nothing
        residuals /= np.sqrt(weight)[:, None, None] * np.maximum(gap, EPS**2)[:, None]
        return residuals
