"""Products of sparse rows with a few dense columns, without Python's lock, so that threads can share them."""

import numpy as np
from numba import njit

from .two_words import SETTINGS


@njit(**SETTINGS)
def rows_times(indptr, indices, data, Q):
    """X Q for sparse rows X."""
    n, k = len(indptr) - 1, Q.shape[1]
    out = np.zeros((n, k), Q.dtype)
    for i in range(n):
        for p in range(indptr[i], indptr[i + 1]):
            j, x = indices[p], data[p]
            for t in range(k):
                out[i, t] += x * Q[j, t]
    return out


@njit(**SETTINGS)
def columns_times(indptr, indices, data, W, columns):
    """X'W for sparse rows X, in double."""
    n, k = W.shape
    out = np.zeros((columns, k))
    for i in range(n):
        for p in range(indptr[i], indptr[i + 1]):
            j, x = indices[p], data[p]
            for t in range(k):
                out[j, t] += x * W[i, t]
    return out
