"""Exact sums of products of floats, as whole numbers: loops over limbs of 32 bits, kept in 64 while they add up.

A number is sum_l digit_l 2^(32 l), in units of a power of two that all entries of `cells` share. While products are
added, digits grow in both directions; `carry` brings each back between -2^31 and 2^31, which is the one way to write
the number. A cell may take 2^27 products before that.
"""

import math

import numpy as np
from numba import njit

from .two_words import INSIDE, SETTINGS, two_product

MASK = (1 << 32) - 1
HALF = 1 << 31
MASK27 = (1 << 27) - 1


@njit(**INSIDE)
def add_whole(cells, entry, value, place):
    """cells[entry] += value 2^place, for |value| < 2^62 and a place that is not negative."""
    limb, shift = place >> 5, place & 31
    rest = value >> (32 - shift)
    cells[entry, limb] += (value << shift) & MASK
    cells[entry, limb + 1] += rest & MASK
    cells[entry, limb + 2] += rest >> 32


@njit(**INSIDE)
def add_product(cells, entry, a, b, place):
    """cells[entry] += a b 2^place, for whole numbers of up to 53 bits."""
    a_high, a_low, b_high, b_low = a >> 27, a & MASK27, b >> 27, b & MASK27
    add_whole(cells, entry, a_low * b_low, place)
    add_whole(cells, entry, a_high * b_low + a_low * b_high, place + 27)
    add_whole(cells, entry, a_high * b_high, place + 54)


@njit(**INSIDE)
def whole(value):
    """value = m 2^e with m a whole number of up to 53 bits."""
    fraction, exponent = math.frexp(value)
    return np.int64(fraction * 9007199254740992.0), np.int64(exponent - 53)


@njit(**INSIDE)
def whole_above(value, floor):
    """The same for a multiple of 2^floor, with e not below that."""
    m, e = whole(value)
    return (m >> (floor - e), floor) if e < floor else (m, e)


@njit(**SETTINGS)
def add_rows(Z, weight, low, cells):
    """cells += w z z' of every row z, one product at a time; the upper triangle.

    `weight` is empty where every row counts once. A place of `cells` is worth 2^low.
    """
    n, p = Z.shape
    mantissa, exponent = np.empty(p, np.int64), np.empty(p, np.int64)
    high, high_place = np.empty(p, np.int64), np.empty(p, np.int64)
    rest, rest_place = np.zeros(p, np.int64), np.zeros(p, np.int64)
    weighted = weight.size > 0
    for i in range(n):
        factor, unit = math.frexp(weight[i]) if weighted else (1.0, 0)
        for j in range(p):
            mantissa[j], exponent[j] = whole(Z[i, j])
            high[j], high_place[j] = mantissa[j], exponent[j]
            if weighted:  # w z in two words; fractions between 1/4 and 1 have their product without any loss
                fraction, power = math.frexp(Z[i, j])
                h, r = two_product(factor, fraction)
                high[j], high_place[j] = whole(h)
                rest[j], rest_place[j] = whole(r)
                high_place[j] += unit + power
                rest_place[j] += unit + power
        entry = 0
        for a in range(p):
            if high[a] == 0:
                entry += p - a
                continue
            for b in range(a, p):
                if mantissa[b] != 0:
                    add_product(cells, entry, high[a], mantissa[b], high_place[a] + exponent[b] - low)
                    if rest[a] != 0:
                        add_product(cells, entry, rest[a], mantissa[b], rest_place[a] + exponent[b] - low)
                entry += 1


@njit(**SETTINGS)
def extremes(Z, largest, smallest):
    """The largest and the smallest size of every column that is not zero; infinite where there is NaN or infinity."""
    n, p = Z.shape
    for i in range(n):
        for j in range(p):
            size = abs(Z[i, j])
            if size > largest[j]:
                largest[j] = size
            elif not size <= largest[j]:  # NaN
                largest[j] = np.inf
            if size < smallest[j] and size != 0.0:
                smallest[j] = size


@njit(**SETTINGS)
def slice_columns(R, columns, grid, out, start, left):
    """Take the bits above the grid off some columns: out = round(r / 2^grid), r -= out 2^grid; count what is left."""
    n = R.shape[0]
    k = columns.size
    large, shrink, grow = np.empty(k), np.empty(k), np.empty(k)
    for c in range(k):
        grow[c], shrink[c] = math.ldexp(1.0, grid[c]), math.ldexp(1.0, -grid[c])
        large[c] = 1.5 * 2.0**52 * grow[c]
        left[c] = 0
    for i in range(n):
        for c in range(k):
            value = R[i, columns[c]]
            top = (value + large[c]) - large[c]
            out[i, start + c] = top * shrink[c]
            value -= top
            R[i, columns[c]] = value
            left[c] += value != 0.0


@njit(**SETTINGS)
def add_slices(P, left, left_grid, right, right_grid, size, low, cells):
    """cells += the products of slices, which are whole numbers: P[u, v] belongs to the columns left[u] and right[v]."""
    for u in range(left.size):
        a = left[u]
        start = a * size - (a * (a - 1)) // 2 - a
        for v in range(right.size):
            if right[v] >= a:
                value = np.int64(P[u, v])
                if value != 0:
                    add_whole(cells, start + right[v], value, left_grid[u] + right_grid[v] - low)


@njit(**SETTINGS)
def add_rests(A, A_rest, column, A_floor, B, B_rest, B_floor, low, cells):
    """cells += a b - (a - rest of a) (b - rest of b) for every row: what the slices have left out.

    Columns of A belong to those of B that `column` names; all are multiples of 2^floor.
    """
    size = B.shape[1]
    n, k = A.shape
    b_whole, b_place = np.empty(size, np.int64), np.empty(size, np.int64)
    r_whole, r_place = np.empty(size, np.int64), np.empty(size, np.int64)
    cut = np.empty(size, np.int64)
    for i in range(n):
        cuts = 0
        for b in range(size):
            if B_rest[i, b] != 0.0:
                cut[cuts] = b
                r_whole[b], r_place[b] = whole_above(B_rest[i, b], B_floor)
                cuts += 1
        known = False
        for u in range(k):
            a = column[u]
            start = a * size - (a * (a - 1)) // 2 - a
            if A_rest[i, u] != 0.0:
                if not known:
                    known = True
                    for b in range(size):
                        b_whole[b], b_place[b] = whole_above(B[i, b], B_floor)
                m, e = whole_above(A_rest[i, u], A_floor)
                for b in range(a, size):
                    if b_whole[b] != 0:
                        add_product(cells, start + b, m, b_whole[b], e + b_place[b] - low)
            if cuts > 0 and cut[cuts - 1] >= a:
                m, e = whole_above(A[i, u] - A_rest[i, u], A_floor)
                if m != 0:
                    for c in range(cuts):
                        b = cut[c]
                        if b >= a:
                            add_product(cells, start + b, m, r_whole[b], e + r_place[b] - low)


@njit(**SETTINGS)
def weigh(Z, weight, high, rest):
    """w z = high + rest exactly."""
    n, p = Z.shape
    some = False
    for i in range(n):
        for j in range(p):
            high[i, j], rest[i, j] = two_product(weight[i], Z[i, j])
            some |= rest[i, j] != 0.0
    return some


@njit(**SETTINGS)
def add_limbs(limbs, offset, sign, cells):
    """cells += sign limbs, which begin at the place `offset` of theirs."""
    m, length = limbs.shape
    for i in range(m):
        for k in range(length):
            cells[i, offset + k] += sign * np.int64(limbs[i, k])


@njit(**SETTINGS)
def carry(cells):
    """Bring every digit between -2^31 and 2^31; the first place that is used by any entry, and the one after the last.

    The last place must have room for what is carried there.
    """
    m, length = cells.shape
    first, after = length, 0
    for i in range(m):
        moved = np.int64(0)
        for k in range(length):
            value = cells[i, k] + moved
            digit = ((value + HALF) & MASK) - HALF
            moved = (value - digit) >> 32
            cells[i, k] = digit
            if digit != 0:
                first = min(first, k)
                after = max(after, k + 1)
    return first, after


@njit(**SETTINGS)
def add_column_slices(values, entry, place, cells):
    """cells[entry] += values 2^place, for whole numbers."""
    for c in range(values.size):
        add_whole(cells, entry[c], np.int64(values[c]), place[c])
