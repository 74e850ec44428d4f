"""Steps of non-negative factors: coordinate descent on W given W H's products, and what sparse rows do at once."""

import numpy as np
from numba import njit

from .two_words import SETTINGS

STRIP = 64  # rows that go side by side through the coordinates


@njit(**SETTINGS)
def descend_rows(W, G, B, weight, order):
    """One sweep of coordinate descent on |x - w H|^2 / 2 over w >= 0, in place, with G = H H' and B = X H'.

    Returns the sum over the rows of weight times |projected gradient|, before each coordinate moves.
    """
    n, k = W.shape
    now, ask = np.empty((k, STRIP), W.dtype), np.empty((k, STRIP), W.dtype)
    slope = np.empty(STRIP, W.dtype)
    zero = W.dtype.type(0)
    total = 0.0
    for start in range(0, n, STRIP):
        m = min(STRIP, n - start)
        for r in range(m):
            for t in range(k):
                now[t, r] = W[start + r, t]
                ask[t, r] = B[start + r, t]
        for place in range(k):
            t = order[place]
            for r in range(m):
                slope[r] = -ask[t, r]
            for s in range(k):
                g = G[t, s]
                for r in range(m):
                    slope[r] += g * now[s, r]
            bend = G[t, t]
            for r in range(m):
                free = min(slope[r], zero) if now[t, r] == zero else slope[r]
                total += weight[start + r] * abs(free)
            if bend != 0:
                for r in range(m):
                    now[t, r] = max(now[t, r] - slope[r] / bend, zero)
        for r in range(m):
            for t in range(k):
                W[start + r, t] = now[t, r]
    return total


@njit(**SETTINGS)
def settle_rows(W, G, B, tol, most):
    """The minimum for every row by itself: sweeps until its projected gradient is `tol` of what it was at first."""
    n, k = W.shape
    zero = W.dtype.type(0)
    for i in range(n):
        first = 0.0
        for sweep in range(most):
            total = 0.0
            for t in range(k):
                slope = -B[i, t]
                for s in range(k):
                    slope += G[t, s] * W[i, s]
                free = min(slope, zero) if W[i, t] == zero else slope
                total += abs(free)
                if G[t, t] != 0:
                    W[i, t] = max(W[i, t] - slope / G[t, t], zero)
            if sweep == 0:
                first = total
            if total <= tol * first:
                break


@njit(**SETTINGS)
def multiply_rows(indptr, indices, data, W, Ht, below, weight, floor, cross):
    """w <- w * H x / below for every sparse row x, in place; and x (weight w)' is added to `cross`."""
    n, k = W.shape
    above = np.empty(k, W.dtype)
    for i in range(n):
        above[:] = 0
        for p in range(indptr[i], indptr[i + 1]):
            x, h = data[p], Ht[indices[p]]
            for t in range(k):
                above[t] += x * h[t]
        for t in range(k):
            above[t] = W[i, t] * (above[t] / (below[i, t] if below[i, t] != 0 else floor))
            W[i, t] = above[t]
        for p in range(indptr[i], indptr[i + 1]):
            x, out = weight[i] * data[p], cross[indices[p]]
            for t in range(k):
                out[t] += x * above[t]


@njit(**SETTINGS)
def sparse_ratios(indptr, indices, data, W, Ht, floor, out):
    """sum_j x_ij / (w_i h_j) h_j for every sparse row, over what is not zero."""
    n, k = W.shape
    for i in range(n):
        for t in range(k):
            out[i, t] = 0
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            inner = W.dtype.type(0)
            for t in range(k):
                inner += W[i, t] * Ht[j, t]
            share = data[p] / max(inner, floor)
            for t in range(k):
                out[i, t] += share * Ht[j, t]


@njit(**SETTINGS)
def sparse_shares(indptr, indices, data, W, Ht, weight, floor, out):
    """sum_i weight_i x_ij / (w_i h_j) w_i for every column, added to `out` (columns, k)."""
    n, k = W.shape
    for i in range(n):
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            inner = W.dtype.type(0)
            for t in range(k):
                inner += W[i, t] * Ht[j, t]
            share = weight[i] * (data[p] / max(inner, floor))
            for t in range(k):
                out[j, t] += share * W[i, t]


@njit(**SETTINGS)
def sparse_divergence(indptr, indices, data, W, Ht, weight, floor, out):
    """weight (x log(x / (w h)) - x), over what is not zero, added to `out` for every row."""
    n, k = W.shape
    for i in range(n):
        own = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            if data[p] > floor:
                j = indices[p]
                inner = 0.0
                for t in range(k):
                    inner += W[i, t] * Ht[j, t]
                own += data[p] * np.log(data[p] / max(inner, floor)) - data[p]
        out[i] += weight[i] * own
