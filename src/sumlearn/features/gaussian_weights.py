"""Weights of rows that fall off with their distance from a point."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from sklearn.utils.validation import check_array

from ..statistics.row_checks import raise_if_not_finite
from .input_ranges import finite_numbers, positive_numbers


def gaussian_weights(X: Any, centre: Any, width: Any) -> np.ndarray:
    """How near each row is to a point, as a weight for a local fit: one at the point, zero far away.

        d_n = exp(-(x_n - mu)'Sigma^-1 (x_n - mu) / 2)

    It is not divided by (2 pi)^(d/2) |Sigma|^(1/2), as in the notes: only ratios of weights matter for the fit, and the
    largest weight there can be is one row.

    Parameters
    ----------
    X : array (rows, d)
        The rows.
    centre : array (d,)
        mu; for one column a number will do.
    width : float, array (d,) or (d, d)
        The standard deviation, for all columns or for each; or the covariance Sigma.

    Returns
    -------
    array (rows,)
        The weights, for `sample_weight`.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import LinearRegression
    >>> from sumlearn.features import gaussian_weights
    >>> x = np.linspace(-1.0, 1.0, 201)[:, None]
    >>> weight = gaussian_weights(x, 0.5, 0.05)
    >>> print(LinearRegression().fit(x, x[:, 0] ** 2, sample_weight=weight).coef_.round(3))  # the slope of x^2 there
    [1.]

    References
    ----------
    Lecture note 000 (2.4); Cleveland, "Robust locally weighted regression and smoothing scatterplots", 1979.
    """
    rows = check_array(X, dtype=np.float64, ensure_all_finite=False)
    raise_if_not_finite(rows)
    d = rows.shape[1]
    mu = np.atleast_1d(finite_numbers(centre, "centre"))
    if mu.shape != (d,):
        raise ValueError(f"centre must have {d} numbers, one for each column of X, got shape {mu.shape}")
    return np.exp(-0.5 * (standardised(rows - mu, width) ** 2).sum(axis=1))


def root_of(covariance: Any, d: int) -> np.ndarray:
    """L of Sigma = L L', for a width that is a covariance."""
    covariance = finite_numbers(covariance, "width")
    if covariance.shape != (d, d) or not np.allclose(covariance, covariance.T, rtol=1e-10, atol=0.0):
        raise ValueError(f"width as a covariance must be symmetric, ({d}, {d}), got shape {covariance.shape}")
    try:
        return cholesky(covariance, lower=True)
    except LinAlgError:
        raise ValueError("width as a covariance must be positive definite") from None


def standardised(away: np.ndarray, width: Any) -> np.ndarray:
    """z with z'z = away'Sigma^-1 away, kept small enough for its square to be a number."""
    d = away.shape[1]
    width = np.asarray(width)
    with np.errstate(over="ignore"):
        if width.ndim < 2:
            deviation = positive_numbers(width, "width")
            if deviation.ndim and deviation.shape != (d,):
                raise ValueError(f"width must be one number, {d} numbers or a covariance, got shape {deviation.shape}")
            z = away / deviation
        else:
            z = solve_triangular(root_of(width, d), away.T, lower=True).T
    return np.clip(z, -1e150, 1e150)
