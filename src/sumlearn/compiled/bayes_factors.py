"""Factors of naive Bayes, a column at a time: joint[i, k] += ln p(x_i | k), and how often levels meet classes."""

import numpy as np
from numba import njit

from .two_words import SETTINGS, divide


@njit(**SETTINGS)
def add_shares(codes, logs, joint):
    """joint[i] += logs[codes[i]]; NaN says nothing. Places without a sign need no look at the end of the table."""
    classes = np.uint64(joint.shape[1])
    for i in range(np.uint64(len(codes))):
        code = codes[i]
        if code >= 0.0:
            level = np.uint64(code)
            for k in range(classes):
                joint[i, k] += logs[level, k]


@njit(**SETTINGS)
def add_normals(values, origin, mean, a, b, deviation, constant, joint):
    """joint[i, k] += constant[k] - ((x_i - origin - mean_k) a b / deviation_k)^2 / 2; NaN says nothing.

    a b is one over the unit, in two steps: it may be out of range itself.
    """
    for i in range(len(values)):
        x = values[i] - origin
        if x == x:
            for k in range(joint.shape[1]):
                away = (x - mean[k]) * a * b / deviation[k]
                joint[i, k] += constant[k] - 0.5 * away * away


@njit(**SETTINGS)
def count_levels(codes, classes, table):
    """table[codes[i], classes[i]] += 1; what is missing, -1, is counted in the last row."""
    for i in range(len(codes)):
        table[codes[i], classes[i]] += 1


@njit(**SETTINGS)
def moments_of_flags(counts, totals, centre, centre_low, spread, spread_low):
    """Means c / n and squares c (n - c) / n of flags that are set in c of n rows, in two words."""
    for k in range(counts.shape[0]):
        for j in range(counts.shape[1]):
            c, n = np.float64(counts[k, j]), np.float64(totals[k])
            centre[k, j], centre_low[k, j] = divide(c, 0.0, n, 0.0)
            spread[k, j], spread_low[k, j] = divide(c * (n - c), 0.0, n, 0.0)  # the product is exact below 2**53
