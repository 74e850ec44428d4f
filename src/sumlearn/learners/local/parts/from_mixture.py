"""Gaussian mixture regression: E[y | x] of a mixture of Gaussians of (x, y), as lines."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

from .lines import LocalLines


def lines_of_mixture(mixture: Any, targets: int) -> LocalLines:
    """Component e has weight p_e N(x; m_x, S_xx) and line m_y + S_yx S_xx^-1 (x - m_x).

    Around it the targets vary by S_yy - S_yx S_xx^-1 S_xy, of which the diagonal is kept.
    """
    means = np.asarray(mixture.means_, dtype=float)
    E, columns = means.shape
    d = columns - targets
    if not 1 <= targets < columns:
        raise ValueError(f"targets must be at least 1 and leave an input of the {columns} columns, got {targets}")
    amplitudes, factors = np.empty(E), np.empty((E, d, d))
    slopes, noise = np.empty((E, targets, d)), np.empty((E, targets))
    for e, S in enumerate(full_covariances(mixture, E, columns)):
        lower = cholesky(S[:d, :d], lower=True)
        amplitudes[e] = np.log(mixture.weights_[e]) - np.log(lower.diagonal()).sum()
        factors[e] = solve_triangular(lower, np.eye(d), lower=True).T  # W W' = S^-1
        slopes[e] = cho_solve((lower, True), S[:d, d:]).T
        noise[e] = np.maximum((S[d:, d:] - slopes[e] @ S[:d, d:]).diagonal(), 0.0)
    return LocalLines(
        amplitudes, means[:, :d], factors, means[:, :d], slopes, means[:, d:], noise, normalised=True, mixed=True
    )


def full_covariances(mixture: Any, E: int, columns: int) -> list[np.ndarray]:
    """The covariance matrix of every component, whatever its form."""
    given, kind = np.asarray(mixture.covariances_, dtype=float), mixture.covariance_type
    if kind == "full":
        return list(given)
    if kind == "tied":
        return [given] * E
    if kind == "diag":
        return [np.diag(row) for row in given]
    if kind == "spherical":
        return [value * np.eye(columns) for value in given]
    raise ValueError(f"covariance_type must be 'full', 'tied', 'diag' or 'spherical', got {kind!r}")
