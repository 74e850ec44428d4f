"""Errors of a regression."""

from __future__ import annotations

from typing import Any

import numpy as np


def sum_of_squares_error(y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
    """E = 1/2 sum_n w_n (y_n - t_n)^2.

    >>> sum_of_squares_error([1.0, 2.0, 4.0], [1.0, 3.0, 2.0])
    2.5
    """
    residual, weight = residuals(y_true, y_pred, sample_weight)
    return float(0.5 * weight @ (residual.reshape(len(residual), -1) ** 2).sum(axis=1))


def rms_error(y_true: Any, y_pred: Any, sample_weight: Any = None, *, per_target: bool = False) -> float:
    """E_RMS = sqrt(2 E / N): the error in the units of the target, comparable between data sets of any size.

    N is the number of rows, so of several targets it is the length of a row's error; `per_target` divides by their
    number too, which is the error of one number.

    >>> rms_error([1.0, 2.0, 4.0, 3.0], [1.0, 3.0, 2.0, 3.0]) == 1.25 ** 0.5
    True
    >>> truth, guess = [[0.0, 0.0], [0.0, 0.0]], [[3.0, 4.0], [3.0, 4.0]]
    >>> rms_error(truth, guess), rms_error(truth, guess, per_target=True) == 12.5 ** 0.5
    (5.0, True)

    References: lecture note 000; Bishop, "Pattern recognition and machine learning", 2006, eq. 1.3.
    """
    residual, weight = residuals(y_true, y_pred, sample_weight)
    count = weight.sum() * (residual.size / len(residual) if per_target else 1.0)
    unit = np.ldexp(1.0, int(np.frexp(np.abs(residual).max())[1]) - 1)  # squares of 1e-200 or 1e200 are no numbers
    squares = ((residual / unit).reshape(len(residual), -1) ** 2).sum(axis=1)
    return float(np.sqrt(weight @ squares / count) * unit)


def residuals(y_true: Any, y_pred: Any, sample_weight: Any) -> tuple[np.ndarray, np.ndarray]:
    truth, guess = np.asarray(y_true, dtype=float), np.asarray(y_pred, dtype=float)
    if truth.shape != guess.shape:
        raise ValueError(f"y_true has shape {truth.shape} and y_pred {guess.shape}")
    if truth.ndim == 0 or not truth.size:
        raise ValueError("y_true and y_pred must be arrays of at least one row")
    weight = np.ones(len(truth)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    if weight.shape != (len(truth),) or (weight < 0).any() or not 0 < weight.sum() < np.inf:
        raise ValueError("sample_weight must hold one finite number per row, none negative and not all zero")
    residual = truth - guess
    if not np.isfinite(residual).all():
        raise ValueError("y_true and y_pred must be finite")
    return residual, weight
