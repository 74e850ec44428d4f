"""The best threshold of a column by shares of classes, where rows weigh any part of themselves."""

import math

import numpy as np
from numba import njit

from .two_words import INSIDE, SETTINGS


@njit(**INSIDE)
def impurity_of(counts, mass, squares):
    """Gini or entropy (bits) of masses, times their sum."""
    if not mass > 0:
        return 0.0
    total = 0.0
    for k in range(len(counts)):
        if counts[k] > 0:
            total += counts[k] * counts[k] / mass if squares else counts[k] * math.log2(counts[k] / mass)
    return max(mass - total if squares else -total, 0.0)


@njit(**SETTINGS)
def best_threshold(rows, values, code, mass, squares, least, totals):
    """Position in the sorted rows of the least impurity of both sides, that impurity times mass, and the left masses.

    `mass` is how much of a row is here, times its weight; both sides have at least the least mass.
    """
    left, right = np.zeros(len(totals)), totals.copy()
    best_left = np.zeros(len(totals))
    best, at, a, whole = np.inf, -1, 0.0, totals.sum()
    for k in range(len(rows) - 1):
        row = rows[k]
        left[code[row]] += mass[row]
        right[code[row]] -= mass[row]
        a += mass[row]
        b = whole - a
        if values[rows[k + 1]] == values[row] or a < least or b < least or b <= 0:
            continue
        impurity = impurity_of(left, a, squares) + impurity_of(right, b, squares)
        if impurity < best - 1e-12 * whole:
            best, at = impurity, k + 1
            for c in range(len(left)):
                best_left[c] = left[c]
    return at, best, best_left
