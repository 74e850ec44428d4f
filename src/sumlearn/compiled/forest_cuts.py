"""Cuts of a node of a forest: scores of all places between bins, or between the rows of a small node.

    gini           score = sum_c L_c^2 / W_l + sum_c R_c^2 / W_r
    entropy        score = sum_c L_c ln L_c - W_l ln W_l + that of R
    squared error  score = S_l^2 / W_l + S_r^2 / W_r                   S = sum of mass * (y - middle of the node)
    poisson        score = S_l ln(S_l / W_l) + S_r ln(S_r / W_r)       S = sum of mass * y

Scores of several targets are added; each one's masses are W_l and W_r.
Masses and targets are whole numbers, so no sum depends on the order of its rows.
"""

import math

import numpy as np
from numba import njit, uint64

from .two_words import INSIDE

GAP = 255
MANY = 64  # rows that are likely to meet most bins
# Places in `limits`, the numbers that bound the growth.
MTRY, MAX_DEPTH, MIN_SPLIT, MIN_LEAF, MIN_MASS, MAX_LEAVES = 0, 1, 2, 3, 4, 5


@njit(**INSIDE)
def xlogx(x):
    return x * math.log(x) if x > 0.0 else 0.0


@njit(**INSIDE)
def lowest_bit(x):
    """The place of the lowest bit that is set."""
    x = (x & (~x + uint64(1))) - uint64(1)
    x = x - ((x >> uint64(1)) & uint64(0x5555555555555555))
    x = (x & uint64(0x3333333333333333)) + ((x >> uint64(2)) & uint64(0x3333333333333333))
    x = (x + (x >> uint64(4))) & uint64(0x0F0F0F0F0F0F0F0F)
    return (x * uint64(0x0101010101010101)) >> uint64(56)


@njit(**INSIDE)
def bins_met(marks, words, order, rows):
    """The bins that are marked, ascending, without that of gaps; marks are taken off."""
    size = 0
    if rows > MANY:
        for b in range(GAP):
            order[size] = b
            size += marks[b]
            marks[b] = 0
        return size
    for word in range(32):
        w = words[word]
        if w:
            words[word] = 0
            while w:
                bit = lowest_bit(w)
                w &= w - uint64(1)
                order[size] = 8 * word + np.int64(bit >> uint64(3))
                size += 1
    return size


@njit(**INSIDE)
def sort_rows(codes, places, offset, rows, keys):
    """Rows of a small node by their codes: code and place in one number, ascending."""
    for k in range(rows):
        key = (np.int64(codes[places[k] + offset]) << 8) | k
        at = k
        while at > 0 and keys[at - 1] > key:
            keys[at] = keys[at - 1]
            at -= 1
        keys[at] = key


@njit(**INSIDE)
def small_class_cut(keys, rows, mass, shift, classes, totals, W, least, left):
    """Best cut of a small node by the Gini score, from rows that are sorted; the place of the last row on the left."""
    best, place, a = least, -1, 0
    for c in range(classes):
        left[c] = 0.0
    for k in range(rows - 1):
        row = keys[k] & 255
        left[shift[row] >> uint64(8)] += mass[row]
        a += mass[row]
        if keys[k] >> 8 != keys[k + 1] >> 8:
            below, above = 0.0, 0.0
            for c in range(classes):
                x = left[c]
                y = totals[c] - x
                below += x * x
                above += y * y
            x = np.float64(a)
            y = W - x
            score = (below * y + above * x) / (x * y)
            if score > best:
                best, place = score, k
    return best, place


@njit(**INSIDE)
def small_number_cut(keys, rows, mass, amount, total, W, least):
    """The same by squared errors."""
    best, place, a, s = least, -1, 0, 0
    for k in range(rows - 1):
        row = keys[k] & 255
        a += mass[row]
        s += amount[row]
        if keys[k] >> 8 != keys[k + 1] >> 8:
            left, x = np.float64(a), np.float64(s)
            right, y = W - left, total - x
            score = (x * x * right + y * y * left) / (left * right)
            if score > best:
                best, place = score, k
    return best, place


@njit(**INSIDE)
def order_levels(table, order, size, row, classes, keys):
    """Levels by the share of a class, or by the mean of a target (`classes` is 0); equal ones as they are."""
    for j in range(size):
        b = order[j]
        if classes == 0:
            keys[j] = table[256 * (row + 1) + b] / table[b]
        else:
            mass = 0.0
            for c in range(classes):
                mass += table[256 * c + b]
            keys[j] = table[256 * row + b] / mass
    for j in range(1, size):
        key, b, at = keys[j], order[j], j
        while at > 0 and (keys[at - 1] > key or (keys[at - 1] == key and order[at - 1] > b)):
            keys[at], order[at] = keys[at - 1], order[at - 1]
            at -= 1
        keys[at], order[at] = key, b


@njit(**INSIDE)
def class_sums(table, order, size, classes, first, totals, gap_left, entropy, left, value, below, above):
    """Mass left of each cut, and the sums over classes of squares (or x ln x) on both sides.

    The first classes are those of the first target; their masses are all there is.
    """
    for j in range(size):
        left[j] = 0.0
        below[j] = 0.0
        above[j] = 0.0
    for c in range(classes):
        at = 256 * c
        a, whole = table[at + GAP] if gap_left else 0, totals[c]
        for j in range(size):
            a += table[at + order[j]]
            value[j] = np.float64(a)  # of the last class: of two, the one that a constraint is about
        if c < first:
            for j in range(size):
                left[j] += value[j]
        if entropy:
            for j in range(size):
                below[j] += xlogx(value[j])
                above[j] += xlogx(whole - value[j])
        else:
            for j in range(size):
                x = value[j]
                y = whole - x
                below[j] += x * x
                above[j] += y * y


@njit(**INSIDE)
def number_sums(table, order, size, output, gap_left, left, value):
    """Mass left of each cut, and the sum of a target there."""
    start = 256 * (output + 1)
    mass, target = (table[GAP], table[start + GAP]) if gap_left else (0, 0)
    for j in range(size):
        mass += table[order[j]]
        target += table[start + order[j]]
        left[j] = np.float64(mass)
        value[j] = np.float64(target)


@njit(**INSIDE)
def class_scores(size, entropy, outputs, W, left, below, above, score):
    """The score of each cut; not a number where a side has no mass."""
    if entropy:
        for j in range(size):
            score[j] = below[j] - outputs * xlogx(left[j]) + above[j] - outputs * xlogx(W - left[j])
    else:
        for j in range(size):
            x = left[j]
            y = W - x
            score[j] = (below[j] * y + above[j] * x) / (x * y)


@njit(**INSIDE)
def number_scores(size, poisson, W, total, part, left, value, score):
    """Add the score of a target to that of each cut; `part` turns it into the units of all."""
    if poisson:
        for j in range(size):
            x, y = value[j], total - value[j]
            allowed = x > 0.0 and y > 0.0
            more = x * math.log(x / left[j]) + y * math.log(y / (W - left[j])) if allowed else -math.inf
            score[j] += part * more
    else:
        for j in range(size):
            x, a = value[j], left[j]
            y, b = total - x, W - a
            score[j] += part * ((x * x * b + y * y * a) / (a * b))


@njit(**INSIDE)
def best_cut(size, W, rows, total, limits, sign, low, high, least, left, value, counts, score):
    """The cut of highest score that leaves enough on both sides, and its score; -1 where there is none.

    `total` is the sum of `value` over the node; `low` and `high` are bounds of its means, where the column has a sign.
    """
    best, place = least, -1
    for j in range(size):
        if score[j] > best:
            x, y = left[j], W - left[j]
            if not (x > 0.0 and y > 0.0) or x < limits[MIN_MASS] or y < limits[MIN_MASS]:
                continue
            if limits[MIN_LEAF] > 1 and (counts[j] < limits[MIN_LEAF] or rows - counts[j] < limits[MIN_LEAF]):
                continue
            if sign != 0.0:
                a, b = value[j] / x, (total - value[j]) / y
                if min(a, b) < low or max(a, b) > high or (a - b) * sign > 0.0:
                    continue
            best, place = score[j], j
    return best, place
