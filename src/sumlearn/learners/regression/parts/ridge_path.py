"""Ridge regression for many penalties at once: one eigendecomposition, then vectors.

S_xx = Q diag(w) Q',   b(alpha) = Q (c / (w + alpha)),   c = Q'S_xy
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

from ....data import Chunk
from ....engines import one_blas_thread
from ....solvers.normal_equations import least_squares
from ....statistics import Moments, Total
from ....statistics.held_rows import HeldRows
from ...fitted import check_target, check_variances
from .linear_path import LinearPath, second_moments

EPS = float(np.finfo(float).eps)
WORTHLESS = 1e-9  # relative error of an eigenvalue plus alpha above which a penalty is solved by itself, in two words


@dataclass(frozen=True)
class RidgePath(LinearPath):
    """Coefficients for every penalty, in the basis of the eigenvectors Q of the scatter (an array, or `RowAxes`)."""

    values: np.ndarray  # w

    @classmethod
    def of(cls, moments: Moments, alphas: np.ndarray, intercept: bool) -> RidgePath:
        d = moments.features
        check_variances(moments.deviation, d)
        check_target(moments.deviation[d:])
        values, vectors, projected = spectrum(moments, intercept, float(alphas.min()))
        with np.errstate(divide="ignore", invalid="ignore"):
            beta = projected.T[:, :, None] / (values[:, None] + alphas)
        if d:
            for a in np.flatnonzero(is_lost(values, alphas)):
                beta[:, :, a] = least_squares(moments, float(alphas[a]), intercept=intercept).coef @ vectors
        return cls(moments, alphas, intercept, vectors, beta, values)

    def left_out_errors(self, chunk: Chunk) -> np.ndarray:
        """y_i minus the prediction of the model that never saw row i: (rows, targets, alphas).

        r_i / (1 - a_i h_i) with h_i = 1 / W + u_i'(w + alpha)^-1 u_i; a row of weight above one counts as so many
        rows, of which one is left out (a_i = min(w_i, 1)).
        """
        X = chunk.X.toarray() if hasattr(chunk.X, "toarray") else np.asarray(chunk.X, dtype=float)
        assert chunk.y is not None
        X, y = self.centred(X, np.asarray(chunk.y, dtype=float))
        U = X @ self.vectors
        out = np.empty((len(X), *self.beta.shape[::2]))
        for t, beta in enumerate(self.beta):
            np.matmul(U, beta, out=out[:, t])
            np.subtract(y[:, [t]], out[:, t], out=out[:, t])
        np.square(U, out=U)
        with np.errstate(divide="ignore"):
            H = U @ np.where(self.values[:, None] + self.alphas > 0, 1.0 / (self.values[:, None] + self.alphas), 0.0)
        H += 1.0 / self.moments.weight if self.intercept else 0.0
        if chunk.weight is not None:
            H *= np.minimum(chunk.weight, 1.0)[:, None]
        np.subtract(1.0, H, out=H)
        np.maximum(H, np.finfo(float).eps, out=H)
        for t in range(len(self.beta)):
            out[:, t] /= H
        return out

    def left_out_total(self, chunk: Chunk) -> Total:
        """Sum of w e^2 over rows, each left out in turn: (targets, alphas)."""
        errors = self.left_out_errors(chunk)
        if chunk.weight is None:
            values = np.einsum("ita,ita->ta", errors, errors)
            return Total(values, float(len(errors)), len(errors))
        values = np.einsum("i,ita,ita->ta", chunk.weight, errors, errors)
        return Total(values, float(chunk.weight.sum()), int((chunk.weight > 0).sum()))

    def left_out_scores(self) -> np.ndarray | None:
        """Minus the mean of e^2 over the rows of the fit (targets, alphas), where they are held; no row is read.

        With B B' = L diag(v) L', 1 - h_i and r_i are sums of alpha / (v + alpha): a small alpha costs no digits.
        """
        if not isinstance(self.vectors, RowAxes):
            return None
        rows, left = self.vectors.rows, self.vectors.left
        w = rows.mass.hi[:, None]
        targets = rows.of_columns(np.arange(self.moments.features, self.moments.columns)).factor(self.intercept)
        shrink = self.alphas / (self.values[:, None] + self.alphas)
        residuals = np.einsum("ij,jt,ja->ita", left, left.T @ targets, shrink, optimize=True)  # times sqrt(w)
        copy = np.minimum(w, 1.0) / w  # the share of the row that is left out
        gap = 1.0 - copy + copy * (left**2 @ shrink)
        return -((residuals / np.maximum(gap, EPS**2)[:, None]) ** 2).sum(axis=0) / self.moments.weight


@dataclass(frozen=True)
class RowAxes:
    """Q = B'L / sizes for the rows B = sqrt(w) (x - m) that are held: a matrix that is multiplied and never formed."""

    rows: HeldRows
    features: int
    centred: bool
    left: np.ndarray  # L, (rows, axes)
    sizes: np.ndarray  # of B along each axis

    __array_ufunc__ = None  # a matrix on the left asks `__rmatmul__`

    @property
    def V(self) -> np.ndarray:
        """L / sizes."""
        return np.divide(self.left, self.sizes, out=np.zeros_like(self.left), where=self.sizes > 0)

    def __matmul__(self, beta: np.ndarray) -> np.ndarray:
        a = self.V @ beta
        return np.concatenate([B.T @ a for _, B in self.rows.blocks(self.features, self.centred)])

    def __rmatmul__(self, X: np.ndarray) -> np.ndarray:
        return sum(X[..., part] @ B.T for part, B in self.rows.blocks(self.features, self.centred)) @ self.V


def spectrum(moments: Moments, centred: bool, least: float) -> tuple[np.ndarray, Any, np.ndarray]:
    """Eigenvalues of S_xx, smallest first, eigenvectors Q in columns, and Q'S_xy; of rows held those that they span.

    The products of held rows have them too, with the rounding of S; for a `least` penalty that drowns in it the rows
    themselves are taken apart.
    """
    d, rows = moments.features, moments.spread
    if not isinstance(rows, HeldRows) or len(rows) >= d:
        S = second_moments(moments, centred)
        values, vectors = scipy.linalg.eigh(S[:d, :d], driver="evd", check_finite=False)
        return np.maximum(values, 0.0), vectors, vectors.T @ S[:d, d:]
    if len(rows) and not moments.exponent.any():
        values, left = spectrum_of_rows(rows, d, centred)
        if not is_lost(values, least):
            targets = rows.of_columns(np.arange(d, moments.columns)).factor(centred)
            axes = RowAxes(rows, d, centred, left, np.sqrt(values))
            return values, axes, axes.sizes[:, None] * (left.T @ targets)
    B = np.ldexp(rows.factor(centred), moments.exponent)
    with one_blas_thread():
        left, sizes, vectors = np.linalg.svd(B[:, :d], full_matrices=False)
    projected = sizes[:, None] * (left.T @ B[:, d:])
    return sizes[::-1] ** 2, vectors[::-1].T, projected[::-1]


def spectrum_of_rows(rows: HeldRows, d: int, centred: bool) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues of B B', smallest first, and eigenvectors; but not sqrt(w), which B' takes to zero about the mean."""
    K = rows.gram(d, centred)
    if centred:
        root = np.sqrt(rows.mass.hi)
        K = K + (1.1 * np.abs(K).sum(axis=0).max() or 1.0) * np.outer(root, root) / (root @ root)  # the largest now
    with one_blas_thread():
        values, left = scipy.linalg.eigh(K, check_finite=False)
    last = len(values) - int(centred)
    values = values[:last]
    return np.where(values > len(rows) * EPS * values.max(initial=0.0), values, 0.0), left[:, :last]


def is_lost(values: np.ndarray, alpha: Any) -> Any:
    """Whether an eigenvalue plus alpha has lost its digits."""
    return EPS * values[-1:].sum() > WORTHLESS * (np.maximum(values[:1].sum(), 0.0) + alpha)
