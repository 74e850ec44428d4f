"""Stumps, trees of one question: cuts of columns that were sorted once, votes of rows, histograms of bins.

Weights of rows add up to about one. A score is what a cut leaves of the squares of the classes, so the largest one is
the cut of least Gini impurity; of scores that differ by no more than TIE, which is rounding, the first one counts.
"""

import numpy as np
from numba import njit

from .two_words import INSIDE, SETTINGS

TIE = 1e-12  # sums of weights that add up to one are rounded by less
ROW = np.uint32(2**31 - 1)
CUT = np.uint32(2**31)  # set where the value of the next row is larger


@njit(**SETTINGS)
def mark_cuts(order, column, out):
    """Numbers of rows in the order of a column; the first bit is set where the column may be cut behind the row."""
    last = len(order) - 1
    for i in range(len(order)):
        cut = i < last and column[order[i]] < column[order[i + 1]]
        out[i] = np.uint32(order[i]) | (CUT if cut else np.uint32(0))


@njit(**INSIDE)
def scan_two(order, signed, whole, difference):
    """Two classes: D_l^2 / l + D_r^2 / r with D = second class - first class; without a division for each cut."""
    best, at = -1.0, -1
    left, gap = 0.0, 0.0
    for i in range(len(order)):
        more = signed[order[i] & ROW]
        left += abs(more)
        gap += more
        if order[i] & CUT:
            right, rest = whole - left, difference - gap
            if right > 0.0 and gap * gap * right + rest * rest * left > (best + TIE) * left * right:
                best, at = gap * gap / left + rest * rest / right, i
    return best, at


@njit(**INSIDE)
def scan_many(order, weight, code, totals, whole, left):
    """Any number of classes: sum_k l_k^2 / l + sum_k r_k^2 / r."""
    best, at, a = -1.0, -1, 0.0
    for k in range(len(left)):
        left[k] = 0.0
    for i in range(len(order)):
        row = order[i] & ROW
        a += weight[row]
        left[code[row]] += weight[row]
        if order[i] & CUT:
            b = whole - a
            if b <= 0.0:
                continue
            squares_left, squares_right = 0.0, 0.0
            for k in range(len(left)):
                squares_left += left[k] * left[k]
                squares_right += (totals[k] - left[k]) * (totals[k] - left[k])
            if squares_left * b + squares_right * a > (best + TIE) * a * b:
                best, at = squares_left / a + squares_right / b, i
    return best, at


@njit(**SETTINGS)
def scan_columns(orders, signed, weight, code, totals, scores, places):
    """The best cut of each of some columns: its score and the position in front of it, -1 where there is none.

    Of two classes only `signed` is read, the weight of a row of the second class and minus that of the first.
    """
    whole = 0.0
    for k in range(len(totals)):
        whole += totals[k]
    left = np.empty(len(totals))
    for j in range(len(orders)):
        if len(totals) == 2:
            scores[j], places[j] = scan_two(orders[j], signed, whole, totals[1] - totals[0])
        else:
            scores[j], places[j] = scan_many(orders[j], weight, code, totals, whole, left)


@njit(**SETTINGS)
def side_sums(column, threshold, code, weight, masses, rows):
    """Weights by class, and rows, on both sides of a cut."""
    for i in range(len(column)):
        side = 0 if column[i] <= threshold else 1
        masses[side, code[i]] += weight[i]
        rows[side] += 1


@njit(**SETTINGS)
def add_votes(X, feature, threshold, said, votes, out):
    """The votes of all stumps for the class that they say, (rows, classes); a stump without a column says the first."""
    for i in range(len(X)):
        for m in range(len(feature)):
            side = 0 if feature[m] < 0 or X[i, feature[m]] <= threshold[m] else 1
            out[i, said[m, side]] += votes[m]


@njit(**SETTINGS)
def add_bins(codes, label, weight, masses, counts):
    """Weights by column, bin and class, and rows by column and bin."""
    for i in range(len(codes)):
        for j in range(codes.shape[1]):
            masses[j, codes[i, j], label[i]] += weight[i]
            counts[j, codes[i, j]] += 1


@njit(**SETTINGS)
def cut_bins(masses, counts, scores, places):
    """The best cut of the bins of every column: its score and the last bin on the left, -1 where there is none."""
    classes = masses.shape[2]
    left, right = np.empty(classes), np.empty((masses.shape[1] + 1, classes))
    for j in range(len(masses)):
        scores[j], places[j] = -1.0, -1
        after, before = np.int64(0), np.int64(0)
        for b in range(masses.shape[1]):
            after += counts[j, b]
        right[-1] = 0.0
        for b in range(masses.shape[1] - 1, -1, -1):  # summed, not subtracted: what is pure is exactly so
            for k in range(classes):
                right[b, k] = right[b + 1, k] + masses[j, b, k]
        for k in range(classes):
            left[k] = 0.0
        for b in range(masses.shape[1]):
            a, c, squares_left, squares_right = 0.0, 0.0, 0.0, 0.0
            for k in range(classes):
                left[k] += masses[j, b, k]
                a += left[k]
                c += right[b + 1, k]
                squares_left += left[k] * left[k]
                squares_right += right[b + 1, k] * right[b + 1, k]
            before += counts[j, b]
            after -= counts[j, b]
            if counts[j, b] == 0 or before == 0 or after == 0 or a <= 0.0 or c <= 0.0:
                continue
            score = squares_left / a + squares_right / c
            if score > scores[j] + TIE:
                scores[j], places[j] = score, b
