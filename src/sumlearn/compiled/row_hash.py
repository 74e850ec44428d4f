"""A number for every row, by which equal rows find each other."""

import numpy as np
from numba import njit

from .hashing import GOLDEN, mix
from .two_words import SETTINGS


@njit(**SETTINGS)
def row_hashes(bits, out):
    """A hash of each row of 64-bit words."""
    for i in range(bits.shape[0]):
        found = np.uint64(1)
        for j in range(bits.shape[1]):
            found = mix(found + GOLDEN + bits[i, j])
        out[i] = found


@njit(**SETTINGS)
def group_rows(bits, hashes, order, starts):
    """Equal rows together, groups in the order of their first rows; returns how many groups there are.

    order[starts[g]:starts[g + 1]] are the rows of group g, ascending. Rows are looked up by their hashes in a table of
    which at least half is empty.
    """
    n, d = bits.shape
    room = 2
    while room < 2 * n:
        room *= 2
    table, group = np.full(room, -1), np.empty(n, np.int64)
    found, mask = 0, np.uint64(room - 1)
    starts[:] = 0
    for i in range(n):
        place = hashes[i] & mask
        while True:
            other = table[place]
            if other < 0:
                table[place], group[i] = i, found
                found += 1
                break
            if hashes[other] == hashes[i]:
                j = 0
                while j < d and bits[other, j] == bits[i, j]:
                    j += 1
                if j == d:
                    group[i] = group[other]
                    break
            place = (place + np.uint64(1)) & mask
        starts[group[i] + 1] += 1
    for g in range(found):
        starts[g + 1] += starts[g]
    for i in range(n):
        order[starts[group[i]]] = i
        starts[group[i]] += 1
    for g in range(found, 0, -1):
        starts[g] = starts[g - 1]
    starts[0] = 0
    return found
