"""What is told of a mixture: its attributes in units of x, and which of its components are degenerate."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....statistics.warnings import warn
from ...fitted import narrowed
from .gaussians import Gaussians
from .whitening import Whitening


def attributes_of(mixture: Gaussians, where: Whitening, covariance_type: str, ridge: Any, dtype: Any) -> dict[str, Any]:
    """Fitted attributes by name, as scikit-learn has them; degenerate components are told."""
    natural = where.natural_factor(mixture.factors)
    away = where.away(mixture.means)
    means = in_range_of(dtype, where.origin + away)
    if mixture.form == "diag":
        natural = natural[:, 0] if covariance_type == "spherical" else natural
        covariances, precisions = 1.0 / natural**2, natural**2
    else:
        lower = np.linalg.inv(natural).swapaxes(-1, -2)
        covariances, precisions = lower @ lower.swapaxes(-1, -2), natural @ natural.swapaxes(-1, -2)
    warn_of_components(mixture.weights, covariances, covariance_type, ridge)
    return {
        "weights_": mixture.weights.astype(dtype),
        "means_": means,
        "_rest": (where.origin - means) + away,  # what one word cannot say of the means
        "covariances_": in_range_of(dtype, covariances),
        "precisions_": in_range_of(dtype, precisions),
        "precisions_cholesky_": in_range_of(dtype, natural),
    }


def in_range_of(dtype: Any, values: np.ndarray) -> np.ndarray:
    """Values as float32 where the rows were, unless they are too large or too small for it."""
    return values if 0.0 < np.abs(values).max(initial=0.0) < np.finfo(dtype).tiny else narrowed(values, dtype)


def warn_of_components(weights: np.ndarray, covariances: np.ndarray, covariance_type: str, ridge: Any) -> None:
    """Components without rows, and those that `reg_covar` keeps from collapsing."""
    empty = np.flatnonzero(weights == 0).tolist()
    if empty:
        warn(f"no rows belong to component(s) {empty}: their weight is zero; decrease n_components")
    flat = [k for k in flat_components(covariances, covariance_type, ridge) if k not in empty]
    if flat:
        which = "the components" if covariance_type == "tied" else f"component(s) {flat}"
        warn(
            f"the rows of {which} vary by less than reg_covar in some direction, where it and not the rows decides "
            "about the density: decrease n_components, leave out columns, or scale them"
        )


def flat_components(covariances: np.ndarray, covariance_type: str, least: Any) -> list[int]:
    """Components that vary by less than `least` in some direction, beside the `least` that is in their covariances."""
    roots = np.sqrt(np.broadcast_to(least, covariances.shape[-1:] if covariance_type != "spherical" else ()))
    if not roots.all():
        return []
    if covariance_type in ("diag", "spherical"):
        sizes = covariances / roots**2
        return np.flatnonzero((sizes < 2.0).reshape(len(sizes), -1).any(axis=1)).tolist()
    matrices = (covariances[None] if covariance_type == "tied" else covariances) / roots / roots[:, None]
    return np.flatnonzero(np.linalg.eigvalsh(matrices)[:, 0] < 2.0 * (1.0 - 1e-6)).tolist()
