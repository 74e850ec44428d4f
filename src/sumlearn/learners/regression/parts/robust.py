"""Covariance of the coefficients where the noise varies from row to row: the sandwich of White, with corrections."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ....data import Chunk
from ....statistics import Total
from ...inference import with_gaps
from .row_residuals import Surface, refuse_exact, rows_of_fit, total_over

POWERS = {"HC0": 0, "HC1": 0, "HC2": 1, "HC3": 2}  # of 1 / (1 - h)


def robust_covariance(model: Any, X: Any, y: Any, sample_weight: Any, kind: str, weights: str) -> np.ndarray:
    """(X'X)^-1 (sum_n e_n^2 / (1 - h_n)^k x_n x_n') (X'X)^-1, in one more pass."""
    if kind not in POWERS:
        raise ValueError(f"kind must be one of {', '.join(POWERS)}, got {kind!r}")
    inference = model.inference(weights)
    surface = Surface.of(model, inference, weights)
    source = rows_of_fit(model, X, y, sample_weight)
    total = total_over(model, source, partial(meat, surface=surface, power=POWERS[kind]))
    V = np.array([g.factor @ M @ g.factor.T for g, M in zip(surface.geometries, total.values, strict=True)])
    if kind == "HC1":
        V *= inference.weight / np.reshape(inference.degrees, (-1, 1, 1))
    return with_gaps(V[0] if inference.estimates.ndim == 1 else V, inference.blind)


def meat(chunk: Chunk, surface: Surface, power: int) -> Total:
    """sum w e^2 / (1 - h)^k q q' of some rows for every target; q is x in coordinates in which X'X = I.

    A weight is a number of equal rows, or a precision: then sqrt(w) x and sqrt(w) e take the places of x and e.
    """
    X, residuals, weight = surface.chunk(chunk)
    sums = []
    for geometry, e in zip(surface.geometries, residuals.T, strict=True):
        Q = geometry.orthogonal(X)
        own = weight if surface.precision else 1.0
        left = 1.0 - own * (Q**2).sum(axis=1)
        if power:
            refuse_exact(left, chunk)
        scale = weight * own * e**2 / left**power
        sums.append((Q * scale[:, None]).T @ Q)
    return Total(np.array(sums), float(weight.sum()), len(X))
