"""Ranges of columns, places in them, and checks of the numbers that bases are given."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from ..data.source import numbers


def is_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real)


def whole_number(value: Any, name: str, least: int) -> int:
    if not is_number(value) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
    return int(value)


def one_of(value: Any, name: str, choices: tuple[Any, ...]) -> None:
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")


def finite_numbers(value: Any, name: str) -> np.ndarray:
    """A parameter as an array of float64 that holds numbers only."""
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "fiuO" or not array.size:
            raise ValueError
        array = numbers(array) if array.dtype == object else array.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold numbers, got {value!r}") from None
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite, got {array[place]} at index {place}")
    return array


def positive_numbers(value: Any, name: str) -> np.ndarray:
    array = finite_numbers(value, name)
    if not (array > 0).all():
        raise ValueError(f"{name} must be positive, got {array[array <= 0].flat[0]:g}")
    return array


def given_domain(domain: Any, n_features: int) -> np.ndarray:
    """(low, high) of every column, from one pair for all or a pair for each."""
    array = finite_numbers(domain, "domain")
    if array.shape not in ((2,), (n_features, 2)):
        raise ValueError(
            f"domain must be one pair (low, high) or one for each of the {n_features} columns, got shape {array.shape}"
        )
    array = np.broadcast_to(array, (n_features, 2)).copy()
    if not (array[:, 0] < array[:, 1]).all():
        column = int(np.argmin(array[:, 0] < array[:, 1]))
        raise ValueError(f"domain must have low < high, got {array[column].tolist()} for column {column}")
    return array


def learned_domain(rows: np.ndarray) -> np.ndarray:
    """Least and largest value of every column; a column that does not vary gets one unit of room."""
    low, high = rows.min(axis=0).astype(np.float64), rows.max(axis=0).astype(np.float64)
    room = np.where(low == high, np.maximum(0.5, 2.0**20 * np.spacing(np.abs(low))), 0.0)
    return np.column_stack([low - room, high + room])


def middle_and_half(domain: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Middle and half length of every range, also where the whole length would overflow."""
    low, high = 0.5 * domain[:, 0], 0.5 * domain[:, 1]
    return low + high, np.maximum(high - low, np.finfo(float).tiny)


def grid_points(domain: np.ndarray, count: int) -> np.ndarray:
    """`count` equidistant points of every column, ends included: (count, columns); a single one is the middle."""
    middle, half = middle_and_half(domain)
    return middle + np.linspace(-1.0, 1.0, count)[:, None] * half if count > 1 else middle[None, :]


def quantile_points(rows: np.ndarray, count: int) -> np.ndarray:
    """The quantiles (j + 1/2) / count of the different values of every column: (count, columns).

    Values that repeat count once, so that points never coincide; a column of one value gets a grid around it.
    """
    points = grid_points(learned_domain(rows), count)
    for j in range(rows.shape[1]):
        values = np.unique(rows[:, j]).astype(np.float64)
        if len(values) > 1:
            points[:, j] = np.quantile(values, (np.arange(count) + 0.5) / count)
    return points
