"""Exact sums and squares of columns of floats: gathered by exponent, then added to limbs of 32 bits.

A double is m 2^e with a whole number m of 53 bits. Numbers of one exponent are added up as whole numbers in digits of
27 bits, a few rows at a time, so that nothing overflows; the limbs of `exact_sums` then take one number for each
exponent. The floats come as their bits; none of them is infinite or NaN.
"""

import numpy as np
from numba import njit

from .exact_sums import MASK27, add_whole
from .two_words import INSIDE, SETTINGS

FRACTION = (1 << 52) - 1
ONE = 1 << 52
BIAS = 1075  # of the exponent of a whole number
SQUARES, WEIGHTED = 256, 128  # rows at a time: whole numbers of 54 and 55 bits stay below 2^62


@njit(**INSIDE)
def parted(word):
    """Size and exponent of a double by its bits."""
    exponent, fraction = (word >> 52) & 2047, word & FRACTION
    return (fraction, 1) if exponent == 0 else (fraction | ONE, exponent)


@njit(**SETTINGS)
def add_squares(bits, low, cells):
    """cells += square and sum of each column; a place of `cells` is worth 2^low."""
    n, p = bits.shape
    sums = np.zeros((2048, 4), np.int64)
    for start in range(0, n, SQUARES):
        for j in range(p):
            first, after = 2048, 0
            for i in range(start, min(start + SQUARES, n)):
                word = bits[i, j]
                m, e = parted(word)
                if m == 0:
                    continue
                first, after = min(first, e), max(after, e + 1)
                a, b = m >> 27, m & MASK27
                sums[e, 0] += b * b
                sums[e, 1] += a * b
                sums[e, 2] += a * a
                sums[e, 3] += -m if word < 0 else m
            for e in range(first, after):
                if sums[e, 0] != 0 or sums[e, 2] != 0:
                    place = 2 * (e - BIAS) - low
                    add_whole(cells, 2 * j, sums[e, 0], place)
                    add_whole(cells, 2 * j, sums[e, 1], place + 28)
                    add_whole(cells, 2 * j, sums[e, 2], place + 54)
                    add_whole(cells, 2 * j + 1, sums[e, 3], e - BIAS - low)
                    sums[e] = 0


@njit(**SETTINGS)
def add_weighted_squares(bits, weights, low, cells):
    """The same for rows that weigh as much as `weights`, positive doubles by their bits; and the weight behind them."""
    n, p = bits.shape
    squares, sums = np.zeros((3 * 2048, 5), np.int64), np.zeros((2 * 2048, 3), np.int64)
    for start in range(0, n, WEIGHTED):
        stop = min(start + WEIGHTED, n)
        for i in range(start, stop):
            w, f = parted(weights[i])
            add_whole(cells, 2 * p, w, f - BIAS - low)
        for j in range(p):
            first, after, least, most = 3 * 2048, 0, 2 * 2048, 0
            for i in range(start, stop):
                m, e = parted(bits[i, j])
                w, f = parted(weights[i])
                if m == 0 or w == 0:
                    continue
                first, after = min(first, 2 * e + f), max(after, 2 * e + f + 1)
                least, most = min(least, e + f), max(most, e + f + 1)
                a, b, c, d = m >> 27, m & MASK27, w >> 27, w & MASK27
                p0, p1, p2 = b * d, a * d + b * c, a * c  # w m in digits that overlap
                sign = -1 if bits[i, j] < 0 else 1
                sums[e + f, 0] += sign * p0
                sums[e + f, 1] += sign * p1
                sums[e + f, 2] += sign * p2
                p1 += p0 >> 27
                p2 += p1 >> 27
                v0, v1, v2, v3 = p0 & MASK27, p1 & MASK27, p2 & MASK27, p2 >> 27
                k = 2 * e + f
                squares[k, 0] += v0 * b
                squares[k, 1] += v0 * a + v1 * b
                squares[k, 2] += v1 * a + v2 * b
                squares[k, 3] += v2 * a + v3 * b
                squares[k, 4] += v3 * a
            for k in range(first, after):
                for digit in range(5):
                    if squares[k, digit] != 0:
                        add_whole(cells, 2 * j, squares[k, digit], k - 3 * BIAS + 27 * digit - low)
                        squares[k, digit] = 0
            for k in range(least, most):
                for digit in range(3):
                    if sums[k, digit] != 0:
                        add_whole(cells, 2 * j + 1, sums[k, digit], k - 2 * BIAS + 27 * digit - low)
                        sums[k, digit] = 0
