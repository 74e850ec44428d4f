"""Predictions with limits, and draws from the distribution of the target."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...inference import quantile
from ...sampling import with_noise
from .row_residuals import Surface

BLOCK = 8192  # rows at a time, so that memory holds little more than the limits


def predict_interval(model: Any, X: Any, level: float, kind: str, weights: str) -> np.ndarray:
    """Limits of the mean or of a new target of every row, along the last axis."""
    if kind not in ("mean", "new"):
        raise ValueError(f"kind must be 'mean' or 'new', got {kind!r}")
    inference = model.inference(weights)
    margin = quantile(level, inference.degrees) * np.sqrt(inference.noise_variance)  # a number, or one for each target
    X = np.asarray(model.rows_of(X), dtype=np.float64)
    f = Surface.of(model, inference, weights).predictions(X)
    f = f[:, 0] if inference.estimates.ndim == 1 else f
    spread = np.column_stack([blockwise(geometry.variance, X) for geometry in inference.geometries])
    half = margin * np.sqrt(spread.reshape(f.shape) + (kind == "new"))
    return np.stack([f - half, f + half], axis=-1)


def blockwise(function: Any, X: np.ndarray) -> np.ndarray:
    return np.concatenate([function(X[i : i + BLOCK]) for i in range(0, len(X), BLOCK)])


def sample(model: Any, X: Any, random_state: Any, n: int | None = None) -> np.ndarray:
    """f(x) + noise of variance 1 / beta; an exact fit has none."""
    with np.errstate(divide="ignore"):
        variance = 1.0 / np.asarray(model.noise_precision_)
    return with_noise(np.asarray(model.predict(X), dtype=np.float64), variance, random_state, n)
