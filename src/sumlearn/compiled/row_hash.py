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
