"""Stretches of sorted columns and of rows, which a split divides in their order."""

import numpy as np
from numba import njit

from .tree_scans import row_of
from .two_words import INSIDE


@njit(**INSIDE)
def move(keys, s, e, flag, spare, keep_right):
    """Items of rows with a flag first, in their order; then the others, if somebody wants them."""
    at, rest = s, 0
    for k in range(s, e):
        key = keys[k]
        goes = np.int64(flag[row_of(key)])
        keys[at] = key
        spare[rest] = key
        at += goes
        rest += 1 - goes
    if keep_right:
        for k in range(rest):
            keys[at + k] = spare[k]


@njit(**INSIDE)
def move_rows(rows, s, e, flag, spare):
    """The same for bare numbers of rows; where the others begin."""
    at, rest = s, 0
    for k in range(s, e):
        row = rows[k]
        goes = np.int64(flag[row])
        rows[at] = row
        spare[rest] = np.uint64(row)
        at += goes
        rest += 1 - goes
    for k in range(rest):
        rows[at + k] = np.int64(spare[k])
    return at


@njit(**INSIDE)
def rows_up_to(keys, s, stop, X, feature, value):
    """How many of the sorted items are not above a value."""
    low, high = 0, stop
    while low < high:
        half = (low + high) // 2
        if X[row_of(keys[s + half]), feature] <= value:
            low = half + 1
        else:
            high = half
    return low


@njit(**INSIDE)
def grown_rows(array, rows):
    """A longer copy."""
    longer = np.empty((rows, array.shape[1]), array.dtype)
    for i in range(len(array)):
        for j in range(array.shape[1]):
            longer[i, j] = array[i, j]
    return longer
