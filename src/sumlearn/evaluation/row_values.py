"""Values of rows, checked, and what scores share: limits of a normal variable, a number where there is one."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ..data import vector
from ..engines.summing import NO_WEIGHT
from ..statistics import RowError


def check_finite(values: np.ndarray, name: str) -> None:
    bad = ~np.isfinite(values)
    if bad.any():
        row = int(np.argmax(bad))
        raise RowError(name, row, None, float(values[row]))


def weights_of(weight: Any, rows: int) -> np.ndarray | None:
    """Weights, one for each row: finite, none negative; None stays None."""
    if weight is None:
        return None
    values = vector(weight, "sample_weight")
    if values.dtype.kind not in "fiub":
        raise TypeError(f"sample_weight must hold real numbers, got dtype {values.dtype}")
    if values.shape != (rows,):
        raise ValueError(f"sample_weight has shape {values.shape}, there are {rows} rows")
    values = values.astype(float)
    check_finite(values, "sample_weight")
    if (values < 0).any():
        row = int(np.argmax(values < 0))
        raise RowError("sample_weight", row, None, float(values[row]))
    return values


def row_weights(weight: Any, rows: int) -> np.ndarray:
    """The same, where None is one for every row; not all of them zero."""
    values = weights_of(weight, rows)
    if values is not None and not values.any():
        raise ValueError(NO_WEIGHT)
    return np.ones(rows) if values is None else values


def weight_was_its_name(function: Callable[..., Any]) -> Callable[..., Any]:
    """Row weights were called `weight` and not `sample_weight`, which warns until the next release."""

    @wraps(function)
    def renamed(*values: Any, **named: Any) -> Any:
        if "weight" in named:
            warnings.warn(
                f"weight= of {function.__qualname__} goes with the next release: it is sample_weight=",
                FutureWarning,
                stacklevel=2,
            )
            named["sample_weight"] = named.pop("weight")
        return function(*values, **named)

    return renamed


def normal_quantile(confidence: float) -> float:
    """z such that a standard normal variable lies within +-z with this probability."""
    from scipy.special import ndtri

    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
    return float(ndtri(0.5 + 0.5 * confidence))


def wilson(share: Any, n: Any, z: float | None = None) -> tuple[Any, Any]:
    """Wilson's limits (1927) of a share of n rows, of 95 % unless a normal deviate says otherwise.

    >>> [round(float(limit), 3) for limit in wilson(0.9, 100)]
    [0.826, 0.945]
    """
    z = normal_quantile(0.95) if z is None else z
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return np.minimum(middle - half, share), np.maximum(middle + half, share)


def number_or_array(values: Any) -> Any:
    """A number where there is one, else the array."""
    return float(values) if np.ndim(values) == 0 else values
