"""A hash of every row, two words of 64 bits, and their sums."""

import numpy as np
from numba import njit

from .two_words import SETTINGS

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


@njit(**SETTINGS)
def mix(z):
    """The finaliser of splitmix64 (Steele, Lea & Flood 2014)."""
    z = (z ^ (z >> np.uint64(30))) * FIRST
    z = (z ^ (z >> np.uint64(27))) * SECOND
    return z ^ (z >> np.uint64(31))


@njit(**SETTINGS)
def row_hash_sums(bits, out):
    """Add to `out` the sums, modulo 2^64, of two independent hashes of each row of 64-bit words."""
    n, d = bits.shape
    for i in range(n):
        a, b = np.uint64(1), np.uint64(2)
        for j in range(d):
            a = mix(a + GOLDEN + bits[i, j])
            b = mix((b ^ bits[i, j]) * GOLDEN + np.uint64(j + 1))
        out[0] += a
        out[1] += b
