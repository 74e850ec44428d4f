"""A path of linear models for one statistic: coefficients for every point of the path, and their errors on other rows.

    b = Q beta,   one beta for each target and each point of the path
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....statistics import Moments


@dataclass(frozen=True)
class LinearPath:
    """Coefficients for every alpha in a basis Q, or in that of the columns themselves."""

    moments: Moments
    alphas: np.ndarray
    intercept: bool
    vectors: Any  # Q, or None where it is the identity
    beta: np.ndarray  # (targets, directions, alphas)

    def coefficients(self) -> tuple[np.ndarray, np.ndarray]:
        """b and b0 for every penalty: (alphas, targets, features) and (alphas, targets)."""
        t, r, a = self.beta.shape
        beta = self.beta.transpose(1, 2, 0).reshape(r, a * t)
        coef = (beta if self.vectors is None else self.vectors @ beta).T.reshape(a, t, -1)
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
        away = m[:d] if Q is None else m[:d] @ Q
        errors = np.empty(self.beta.shape[::2])
        for t, beta in enumerate(self.beta):
            quadratic = np.einsum("ja,ja->a", beta, inner @ beta)
            errors[t] = squares[t] - 2.0 * cross[:, t] @ beta + quadratic + rows.weight * (m[d + t] - away @ beta) ** 2
        return errors

    def residuals(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """y - b'x - b0 for rows themselves: (rows, targets, alphas)."""
        X, y = self.centred(X, y)
        U = X if self.vectors is None else X @ self.vectors
        return np.stack([y[:, [t]] - U @ beta for t, beta in enumerate(self.beta)], axis=1)

    def centred(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        y = y[:, None] if y.ndim == 1 else y
        if not self.intercept:
            return X, y
        d = self.moments.features
        return X - self.moments.mean[:d], y - self.moments.mean[d:]


def second_moments(moments: Moments, centred: bool) -> np.ndarray:
    """Scatter about the mean, or about zero."""
    return moments.scatter if centred else moments.scatter + moments.weight * np.outer(moments.mean, moments.mean)


def rows_of(moments: Moments, centred: bool) -> np.ndarray | None:
    """B with B'B = S in natural units, where rows are held."""
    B = moments.factor(centred)
    return np.ldexp(B, moments.exponent) if B is not None and moments.exponent.any() else B


def seen_along(Q: Any, rows: Moments, centred: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q'V_xx Q, Q'V_xy and the diagonal of V_yy."""
    d, B = rows.features, rows_of(rows, centred)
    if B is None:
        V = second_moments(rows, centred)
        if Q is None:
            return V[:d, :d], V[:d, d:], V.diagonal()[d:]
        return (V[:d, :d] @ Q).T @ Q, (V[d:, :d] @ Q).T, V.diagonal()[d:]
    U = B[:, :d] if Q is None else B[:, :d] @ Q
    return U.T @ U, U.T @ B[:, d:], (B[:, d:] ** 2).sum(axis=0)
