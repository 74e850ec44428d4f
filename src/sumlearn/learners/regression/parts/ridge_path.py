"""Ridge regression for many penalties at once: one eigendecomposition, then vectors.

S_xx = Q diag(w) Q',   b(alpha) = Q (c / (w + alpha)),   c = Q'S_xy
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from ....data import Chunk
from ....engines import one_blas_thread
from ....solvers.normal_equations import least_squares
from ....statistics import Moments, Total

WORTHLESS = 1e-9  # relative error of an eigenvalue plus alpha above which a penalty is solved by itself, in two words


@dataclass(frozen=True)
class RidgePath:
    """Coefficients for every penalty, in the basis of the eigenvectors Q of the scatter."""

    moments: Moments
    alphas: np.ndarray
    intercept: bool
    vectors: np.ndarray  # Q
    values: np.ndarray  # w
    beta: np.ndarray  # Q'b, (targets, features, alphas)

    @classmethod
    def of(cls, moments: Moments, alphas: np.ndarray, intercept: bool) -> RidgePath:
        d = moments.features
        if moments.deviation.max(initial=0.0) > 1e150:
            raise ValueError(f"the variance of column {int(np.argmax(moments.deviation))} overflows: rescale it")
        values, vectors, projected = spectrum(moments, intercept)
        with np.errstate(divide="ignore", invalid="ignore"):
            beta = projected.T[:, :, None] / (values[:, None] + alphas)
        if d:
            lost = np.finfo(float).eps * values[-1] > WORTHLESS * (values[0] + alphas)
            for a in np.flatnonzero(lost):
                beta[:, :, a] = least_squares(moments, float(alphas[a]), intercept=intercept).coef @ vectors
        return cls(moments, alphas, intercept, vectors, values, beta)

    def coefficients(self) -> tuple[np.ndarray, np.ndarray]:
        """b and b0 for every penalty: (alphas, targets, features) and (alphas, targets)."""
        coef = np.einsum("ij,tja->ati", self.vectors, self.beta)
        if not self.intercept:
            return coef, np.zeros(coef.shape[:2])
        d = self.moments.features
        return coef, self.moments.mean[d:] - coef @ self.moments.mean[:d]

    def squared_errors(self, rows: Moments) -> np.ndarray:
        """Sum of w (y - b'x - b0)^2 over other rows, from their moments: (targets, alphas).

        About the training means, with V and m the moments of those rows:
        V_yy - 2 b'V_xy + b'V_xx b + W (m_y - b'm_x)^2.
        """
        d, Q = self.moments.features, self.vectors
        if self.intercept:
            rows = rows.shift(-self.moments.mean)
            own = self.moments.shift(-self.moments.mean).mean  # what rounding to one word left of the mean
            m = rows.mean - own
        else:
            m = np.zeros(rows.columns)
        inner, cross, squares = seen_along(Q, rows, self.intercept)
        away = Q.T @ m[:d]
        errors = np.empty(self.beta.shape[::2])
        for t, beta in enumerate(self.beta):
            quadratic = np.einsum("ja,ja->a", beta, inner @ beta)
            errors[t] = (
                squares[t] - 2.0 * cross[:, t] @ beta + quadratic + rows.weight * (m[d + t] - away @ beta) ** 2
            )
        return errors

    def residuals(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """y - b'x - b0 for rows themselves: (rows, targets, alphas)."""
        X, y = self.centred(X, y)
        U = X @ self.vectors
        return np.stack([y[:, [t]] - U @ beta for t, beta in enumerate(self.beta)], axis=1)

    def centred(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        y = y[:, None] if y.ndim == 1 else y
        if not self.intercept:
            return X, y
        d = self.moments.features
        return X - self.moments.mean[:d], y - self.moments.mean[d:]

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


def second_moments(moments: Moments, centred: bool) -> np.ndarray:
    """Scatter about the mean, or about zero."""
    return moments.scatter if centred else moments.scatter + moments.weight * np.outer(moments.mean, moments.mean)


def rows_of(moments: Moments, centred: bool) -> np.ndarray | None:
    """B with B'B = S in natural units, where rows are held."""
    B = moments.factor(centred)
    return np.ldexp(B, moments.exponent) if B is not None and moments.exponent.any() else B


def spectrum(moments: Moments, centred: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvalues of S_xx, smallest first, eigenvectors Q in columns, and Q'S_xy; of rows held those that they span."""
    d, B = moments.features, rows_of(moments, centred)
    if B is None or len(B) >= d:
        S = second_moments(moments, centred)
        values, vectors = scipy.linalg.eigh(S[:d, :d], driver="evd", check_finite=False)
        return np.maximum(values, 0.0), vectors, vectors.T @ S[:d, d:]
    with one_blas_thread():
        left, sizes, axes = np.linalg.svd(B[:, :d], full_matrices=False)
    projected = sizes[:, None] * (left.T @ B[:, d:])
    return sizes[::-1] ** 2, axes[::-1].T, projected[::-1]


def seen_along(Q: np.ndarray, rows: Moments, centred: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q'V_xx Q, Q'V_xy and the diagonal of V_yy."""
    d, B = len(Q), rows_of(rows, centred)
    if B is None:
        V = second_moments(rows, centred)
        return Q.T @ V[:d, :d] @ Q, Q.T @ V[:d, d:], V.diagonal()[d:]
    U = B[:, :d] @ Q
    return U.T @ U, U.T @ B[:, d:], (B[:, d:] ** 2).sum(axis=0)
