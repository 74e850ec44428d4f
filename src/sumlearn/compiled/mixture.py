"""Products of coordinates and shares of components, for blocks of rows that lie in columns: (features, rows)."""

import numpy as np
from numba import njit

from .gaussian_kernel import SETTINGS, power_of_two

PER_POWER = 0.6931471805599453  # log 2
FAINTEST = 2.0**-64  # a share of a row below which it is none: far below what rounding leaves of the sums


@njit(**SETTINGS)
def place(X, origin, scale, Z):
    """z = scale (x - origin) of every row, in columns."""
    for j in range(X.shape[1]):
        o, s, out = origin[j], scale[j], Z[j]
        for r in range(len(X)):
            out[r] = (X[r, j] - o) * s


@njit(**SETTINGS)
def fill_products(Z, squares_only, P):
    """P = (1, z_i, z_i z_j for i <= j) of every row, or (1, z_i, z_i^2); the largest |z|^2 is returned."""
    d, n = Z.shape
    for r in range(n):
        P[0, r] = 0.0
    for i in range(d):
        z = Z[i]
        for r in range(n):
            P[1 + i, r] = z[r]
            P[0, r] += z[r] * z[r]
    largest = 0.0
    for r in range(n):
        largest = max(largest, P[0, r])
        P[0, r] = 1.0
    f = 1 + d
    for i in range(d):
        z = Z[i]
        for j in range(i, i + 1 if squares_only else d):
            other, out = Z[j], P[f]
            for r in range(n):
                out[r] = z[r] * other[r]
            f += 1
    return largest


@njit(**SETTINGS)
def share_out(L, runs, weight, totals, mass):
    """Logarithms of joint densities become shares of the components, times the weight of the row, run by run.

    Rows are in the columns of L; each run has as many components. Added to `totals`: the weighted sums of the logarithm
    of the density of a row; to `mass`: the sums of the shares. Returned is how many shares are not zero.
    """
    size, n, held = len(L) // runs, L.shape[1], 0
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
                share = share if share > FAINTEST else 0.0
                row[r] = share
                total[r] += share
                held += share > 0.0
        for r in range(n):
            totals[run] += weight[r] * (largest[r] + np.log(total[r]))
            total[r] = weight[r] / total[r]
        for k in range(size):
            row, sum_of_shares = part[k], 0.0
            for r in range(n):
                row[r] *= total[r]
                sum_of_shares += row[r]
            mass[run * size + k] += sum_of_shares
    return held


@njit(**SETTINGS)
def gather(X, origin, scale, L, room, filled):
    """Put sqrt(share) (z, 1) of every row behind those that lie in room[k] already, of the rows that have a share."""
    d = X.shape[1]
    for k in range(len(L)):
        at, shares, out = filled[k], L[k], room[k]
        for r in range(len(shares)):
            if shares[r] > 0.0:
                root = np.sqrt(shares[r])
                row, x = out[at], X[r]
                for j in range(d):
                    row[j] = root * ((x[j] - origin[j]) * scale[j])
                row[d] = root
                at += 1
        filled[k] = at
