"""Where to cut a sorted column so that both sides are as pure as can be: one scan for each kind of target.

An item of a column is one 64-bit key: rank of the value, number of the row, code of its class. A scan goes along the
keys of a node once; sums of the left side grow, those of the right side are what is left of the totals. The masses and
targets that it adds are whole multiples of a power of two, small enough that no sum is rounded: so the order of rows
changes no bit.
"""

import math

import numpy as np
from numba import njit

from .two_words import INSIDE, SETTINGS

GINI, ENTROPY, SQUARED, POISSON, ABSOLUTE = 0, 1, 2, 3, 4
SHARES, LOGS = 5, 6  # Gini and entropy of several targets, whose classes are columns of ones and zeros
RANK, ROW = np.uint64(36), np.uint64(8)
LABEL = np.uint64(255)
ROWS = np.uint64(2**28 - 1)
GAP = 2**28 - 1  # rank of a missing value: the last
NOTHING = -1e300
ZERO, ONE = np.int64(0), np.int64(1)  # typed: a bare number in an argument is compiled by itself


@njit(**INSIDE)
def rank_of(key):
    return np.int64(key >> RANK)


@njit(**INSIDE)
def row_of(key):
    return np.int64((key >> ROW) & ROWS)


@njit(**INSIDE)
def clear(sums):
    for k in range(len(sums)):
        sums[k] = 0.0


@njit(**SETTINGS)
def packed(order, column, levels, label, keys):
    """Keys of a column in the order of its values, gaps last; a value of a category (levels > 0) is its own rank."""
    rank = 0
    for k in range(len(order)):
        row = order[k]
        value = column[row]
        if value != value:
            of_value = GAP
        elif levels > 0:
            of_value = np.int64(value)
        else:
            if k > 0 and value != column[order[k - 1]]:
                rank += 1
            of_value = rank
        keys[k] = (np.uint64(of_value) << RANK) | (np.uint64(row) << ROW) | np.uint64(label[row])


@njit(**INSIDE)
def x_log_x(x):
    """x log2 x, zero at zero."""
    return x * math.log2(x) if x > 0 else 0.0


@njit(**INSIDE)
def purity(kind, left, totals, a, b, table):
    """Minus the impurity of both sides, times their masses a and b, up to what no cut changes."""
    worth = 0.0
    if kind == ENTROPY:
        if len(table):  # masses are counts
            for k in range(len(left)):
                worth += table[np.int64(left[k])] + table[np.int64(totals[k] - left[k])]
            return worth - (table[np.int64(a)] + table[np.int64(b)])
        for k in range(len(left)):
            worth += x_log_x(left[k]) + x_log_x(totals[k] - left[k])
        return worth - (x_log_x(a) + x_log_x(b))
    if kind == POISSON:
        for k in range(len(left)):
            on_left, on_right = left[k], totals[k] - left[k]
            if on_left <= 0 or on_right <= 0:
                return NOTHING
            worth += on_left * math.log(on_left / a) + on_right * math.log(on_right / b)
        return worth
    if kind == LOGS:
        for k in range(len(left)):
            on_left, on_right = left[k], totals[k] - left[k]
            worth += on_left * math.log2(on_left / a) if on_left > 0 else 0.0
            worth += on_right * math.log2(on_right / b) if on_right > 0 else 0.0
        return worth
    squares_left, squares_right = 0.0, 0.0
    for k in range(len(left)):
        squares_left += left[k] * left[k]
        squares_right += (totals[k] - left[k]) * (totals[k] - left[k])
    return squares_left / a + squares_right / b


@njit(**INSIDE)
def in_order(sign, bounds, on_left, on_right):
    """Whether the means of both sides keep a monotone order, and the bounds that come from above."""
    if sign == 0:
        return True
    inside = min(on_left, on_right) >= bounds[0] and max(on_left, on_right) <= bounds[1]
    return inside and (on_left - on_right) * sign <= 0


@njit(**INSIDE)
def scan_two(keys, s, stop, low, high, gone, gone_mass, totals, mass, least, sign, bounds):
    """Two classes, every row of mass one, squares: 2 (a m - l P)^2 / (m l r), l and r rows on the sides."""
    best, at = NOTHING, -1
    a, P, m = gone[1], totals[1], mass
    for k in range(1, high + 1):
        a += np.float64(np.int64(keys[s + k - 1] & LABEL))
        if k >= low and (k == stop or rank_of(keys[s + k]) != rank_of(keys[s + k - 1])):
            left = gone_mass + k
            right = m - left
            t = a * m - left * P
            worth = t * t / (left * right)
            inside = worth > best and left >= least and right >= least
            if inside and in_order(sign, bounds, a / left, (P - a) / right):
                best, at = worth, k
    return (2.0 * best / m if at >= 0 else NOTHING), at


@njit(**INSIDE)
def scan_one(keys, s, stop, low, high, gone, gone_mass, totals, mass, least, weight, z, weighted, centre, sign, bounds):
    """One number: l r / m times the squared difference of the means of both sides."""
    best, at = NOTHING, -1
    a, left, S, m = gone[0], gone_mass, totals[0], mass
    for k in range(1, high + 1):
        row = row_of(keys[s + k - 1])
        a += z[row, 0]
        left += weight[row] if weighted else 1.0
        if k >= low and (k == stop or rank_of(keys[s + k]) != rank_of(keys[s + k - 1])):
            right = m - left
            t = a * m - left * S
            worth = t * t / (left * right)
            inside = worth > best and left >= least and right >= least and left > 0 and right > 0
            if inside and in_order(sign, bounds, centre[0] + a / left, centre[0] + (S - a) / right):
                best, at = worth, k
    return (best / m if at >= 0 else NOTHING), at


@njit(**INSIDE)
def scan_many(
    keys, s, stop, low, high, kind, gone, gone_mass, totals, mass, least, weight, z, weighted, code, coded, table, base,
    left, sign, bounds,
):  # fmt: skip
    """Any number of classes or of numbers, with `purity` at every cut; `left` is room for the sums of the left."""
    best, at, size = NOTHING, -1, len(totals)
    for k in range(size):
        left[k] = gone[k]
    a = gone_mass
    counted = kind == GINI and not weighted
    squares_left, squares_right = 0.0, 0.0  # of counts: whole numbers
    if counted:
        for k in range(size):
            squares_left += left[k] * left[k]
            squares_right += (totals[k] - left[k]) * (totals[k] - left[k])
    for k in range(1, high + 1):
        key = keys[s + k - 1]
        row = row_of(key)
        more = weight[row] if weighted else 1.0
        a += more
        if kind < SQUARED:
            c = code[row] if coded else np.int64(key & LABEL)
            if counted:
                squares_left += 2.0 * left[c] + 1.0
                squares_right -= 2.0 * (totals[c] - left[c]) - 1.0
            left[c] += more
        else:
            for o in range(size):
                left[o] += z[row, o]
        if k >= low and (k == stop or rank_of(keys[s + k]) != rank_of(key)):
            b = mass - a
            if a < least or b < least or a <= 0 or b <= 0:
                continue
            worth = squares_left / a + squares_right / b if counted else purity(kind, left, totals, a, b, table)
            if worth > best:
                last = size - 1  # the second of two classes
                if in_order(sign, bounds, left[last] / a, (totals[last] - left[last]) / b):
                    best, at = worth, k
    return (best - base if at >= 0 else NOTHING), at
