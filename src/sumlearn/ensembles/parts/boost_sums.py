"""Sums that are whole numbers: the same for any order of the rows, any chunks and any number of workers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...compiled.boost_rows import EXPONENTS, size_of_numbers, size_of_table, sizes

FINE = 2.0**61  # of sums that need their digits
NONE = np.empty(0, np.int64)
MOST_TIMES = 2**28  # whole weights of more than this together are taken as numbers


def size_table(numbers: np.ndarray, times: np.ndarray = NONE) -> np.ndarray:
    """Mantissas by exponent: they add up to the size of all numbers."""
    table = np.zeros(EXPONENTS, np.int64)
    numbers = np.ascontiguousarray(numbers, dtype=np.float64)
    sizes(numbers, numbers.view(np.uint64), times, table)
    return table


def size_of(table: np.ndarray) -> float:
    """The sum of |numbers|, at most 1e-6 too large.

    >>> round(size_of(size_table(np.array([1.0, -2.0, 0.25]))), 4)
    3.25
    """
    return size_of_table(np.ascontiguousarray(table))


def whole_size(numbers: np.ndarray, times: np.ndarray = NONE) -> float:
    """size_of(size_table(numbers, times))"""
    numbers = np.ascontiguousarray(numbers, dtype=np.float64)
    return size_of_numbers(numbers, numbers.view(np.uint64), times)


def scale_of(size: float, most: float) -> float:
    """The largest power of two that keeps a sum of this size below `most`; one where there is nothing."""
    if not size > 0.0:
        return 1.0
    (above, exponent), (part, taken) = math.frexp(most), math.frexp(size)
    return math.ldexp(1.0, min(max(exponent - taken - (above < part), -1000), 1000))


def whole_times(weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
    """(times, weight): how often each row counts where all weights are whole numbers, else the weights themselves.

    >>> whole_times(np.array([2.0, 1.0])), whole_times(np.ones(2))
    ((array([2, 1]), None), (array([], dtype=int64), None))
    """
    if weight is None or (weight == 1.0).all():
        return NONE, None
    if (weight == np.floor(weight)).all() and weight.sum() <= MOST_TIMES:
        return weight.astype(np.int64), None
    return NONE, weight


def exact_sum(numbers: np.ndarray, times: np.ndarray, size: float) -> int:
    """The sum of rint(number scale) for the scale of `scale_of(size, FINE)`."""
    whole = np.rint(numbers * scale_of(size, FINE)).astype(np.int64)
    return int((whole * times if len(times) else whole).sum())


def exact_mean(numbers: np.ndarray, times: np.ndarray, weight: np.ndarray | None) -> float:
    """The mean, the same in any order of the rows.

    >>> exact_mean(np.array([1e9, 1e9 + 1.0]), NONE, None) - 1e9
    0.5
    """
    if not len(numbers):
        return 0.0
    low = float(numbers.min())
    above = numbers - low
    if weight is not None:
        above = above * weight
        total = exact_total(weight)
    else:
        total = float(times.sum()) if len(times) else float(len(numbers))
    size = whole_size(above, times)
    return low + exact_sum(above, times, size) / scale_of(size, FINE) / total


def exact_total(numbers: np.ndarray) -> float:
    size = whole_size(numbers)
    return exact_sum(numbers, NONE, size) / scale_of(size, FINE)


def weighted_quantile(numbers: np.ndarray, share: float, weight: Any = None) -> float:
    """The quantile of rows that are there as often as they weigh: numpy's, between the two nearest of W rows.

    >>> weighted_quantile(np.array([3.0, 1.0]), 0.9), weighted_quantile(np.array([3.0, 1.0]), 0.9, np.array([2.0, 1.0]))
    (2.8, 3.0)
    """
    if weight is None:
        place, last = share * (len(numbers) - 1.0), len(numbers) - 1
        below = np.floor(place * (1.0 + 1e-12))
        low, high = min(int(below), last), min(int(below) + 1, last)
        parts = np.partition(numbers, [low, high])
        first, second = float(parts[low]), float(parts[high])
    else:
        order = np.argsort(numbers, kind="stable")
        mass, last = np.cumsum(weight[order]), len(order) - 1
        place = max(share * (mass[-1] - 1.0), 0.0)
        below = np.floor(place * (1.0 + 1e-12))
        low, high = np.searchsorted(mass, np.array([below, below + 1]) + 1e-9 * mass[-1], side="right").clip(0, last)
        first, second = float(numbers[order[low]]), float(numbers[order[high]])
    return float(first + max(place - below, 0.0) * (second - first))
