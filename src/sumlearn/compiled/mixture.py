"""Squares of coordinates and shares of components, for blocks of rows that lie in columns: (features, rows)."""

import numpy as np
from numba import njit

from .gaussian_kernel import SETTINGS, power_of_two

PER_POWER = 0.6931471805599453  # log 2


@njit(**SETTINGS)
def place(X, origin, scale, Z):
    """z = scale (x - origin) of every row, in columns."""
    for j in range(X.shape[1]):
        o, s, out = origin[j], scale[j], Z[j]
        for r in range(len(X)):
            out[r] = (X[r, j] - o) * s


@njit(**SETTINGS)
def fill_squares(Z, P):
    """P = (1, z_i, z_i^2) of every row; the largest |z|^2 is returned."""
    d, n = Z.shape
    for r in range(n):
        P[0, r] = 0.0
    for i in range(d):
        z, same, square = Z[i], P[1 + i], P[1 + d + i]
        for r in range(n):
            same[r] = z[r]
            square[r] = z[r] * z[r]
            P[0, r] += square[r]
    largest = 0.0
    for r in range(n):
        largest = max(largest, P[0, r])
        P[0, r] = 1.0
    return largest


@njit(**SETTINGS)
def share_out(L, runs, weight, totals, mass):
    """Logarithms of joint densities become shares of the components, times the weight of the row, run by run.

    Rows are in the columns of L; each run has as many components. Added to `totals`: the weighted sums of the logarithm
    of the density of a row; to `mass`: the sums of the shares.
    """
    size, n = len(L) // runs, L.shape[1]
    largest, total = np.empty(n), np.empty(n)
    for run in range(runs):
        part = L[run * size : (run + 1) * size]
        for r in range(n):
            largest[r] = part[0, r]
        for k in range(1, size):
            row = part[k]
            for r in range(n):
                largest[r] = max(largest[r], row[r])
        for r in range(n):
            total[r] = 0.0
        for k in range(size):
            row = part[k]
            for r in range(n):
                share = power_of_two((row[r] - largest[r]) / PER_POWER)
                row[r] = share
                total[r] += share
        for r in range(n):
            totals[run] += weight[r] * (largest[r] + np.log(total[r]))
            total[r] = weight[r] / total[r]
        for k in range(size):
            row, sum_of_shares = part[k], 0.0
            for r in range(n):
                row[r] *= total[r]
                sum_of_shares += row[r]
            mass[run * size + k] += sum_of_shares
