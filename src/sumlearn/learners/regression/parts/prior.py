"""Checks of what a user says about precisions and priors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....features.input_ranges import finite_numbers, is_number


def checked_precision(value: Any, name: str) -> float | None:
    """A positive number, or None for "evidence"."""
    if isinstance(value, str) and value == "evidence":
        return None
    if not is_number(value) or not 0.0 < float(value) < np.inf:
        raise ValueError(f"{name} must be 'evidence' or a positive finite number, got {value!r}")
    return float(value)


def checked_prior(model: Any, d: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Mean and precision P of the prior, one for each slope or for b0 and the slopes; None is the plain prior."""
    mean, precision = model.prior_mean, model.prior_precision
    if mean is None and precision is None and not (model.prior_on_intercept and model.fit_intercept):
        return None
    sizes = (d, d + 1) if model.fit_intercept else (d,)
    size = d + int(model.prior_on_intercept and model.fit_intercept)
    if mean is not None:
        mean = finite_numbers(mean, "prior_mean")
        if mean.ndim != 1 or len(mean) not in sizes:
            raise ValueError(f"prior_mean must have {' or '.join(map(str, sizes))} numbers, got shape {mean.shape}")
        size = len(mean)
    if precision is not None:
        precision = finite_numbers(precision, "prior_precision")
        if precision.ndim != 2 or precision.shape[0] != precision.shape[1] or len(precision) not in sizes:
            raise ValueError(
                f"prior_precision must be square, with {' or '.join(map(str, sizes))} rows, got shape {precision.shape}"
            )
        if mean is not None and len(precision) != size:
            raise ValueError(f"prior_mean has {size} numbers, prior_precision {len(precision)} rows")
        size = len(precision)
        scale = np.sqrt(np.maximum(precision.diagonal(), 0.0))
        if (np.abs(precision - precision.T) > 1e-10 * np.outer(scale, scale)).any() or not positive(precision, scale):
            raise ValueError("prior_precision must be symmetric and positive definite")
    return np.zeros(size) if mean is None else mean, np.eye(size) if precision is None else precision


def where_others_are_zero(
    mean: np.ndarray, precision: np.ndarray, columns: np.ndarray, features: int
) -> tuple[np.ndarray, np.ndarray]:
    """The prior of some weights, S, and of b0 if it has one, given that all others, R, are zero.

    mean m_S + P_SS^-1 P_SR m_R, precision P_SS
    """
    first = len(mean) - features
    stay = np.r_[:first, columns + first]
    gone = np.setdiff1d(np.arange(len(mean)), stay)
    within = precision[np.ix_(stay, stay)]
    return mean[stay] + np.linalg.solve(within, precision[np.ix_(stay, gone)] @ mean[gone]), within


def positive(matrix: np.ndarray, scale: np.ndarray) -> bool:
    if not (scale > 0).all():
        return False
    try:
        np.linalg.cholesky(matrix / np.outer(scale, scale))
    except np.linalg.LinAlgError:
        return False
    return True
