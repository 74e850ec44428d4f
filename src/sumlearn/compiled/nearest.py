"""Nearest neighbours among rows of levels, each row left out in turn: all that are equally near vote."""

import numpy as np
from numba import njit

from .tables import WORD, ones
from .two_words import SETTINGS


@njit(**SETTINGS)
def elect(votes, k):
    """Among how many winners class k is: one if it has most votes, two if another has as many; zero if it lost."""
    winners = 0
    for m in range(len(votes)):
        if votes[m] > votes[k]:
            return 0
        winners += votes[m] == votes[k]
    return winners


@njit(**SETTINGS)
def nearest_votes(i, bits, codes, y, weight, votes):
    """Votes of the rows, other than i, that share most levels with row i.

    `bits` has a bit for each level of the features of the subset, `codes` is one feature more.
    """
    n, words = bits.shape
    most = np.int64(-1)
    for r in range(n):
        if r == i:
            continue
        shared = np.int64(codes[r] == codes[i])
        for w in range(words):
            shared += np.int64(ones(bits[i, w] & bits[r, w]))
        if shared > most:
            most = shared
            votes[:] = 0.0
        if shared == most:
            votes[y[r]] += weight[r]


@njit(**SETTINGS)
def left_out_winners(cell, cells, bits, codes, levels, y, weight, votes, winners):
    """Among how many winners the class of every row is, by the votes of the others; zero where it lost.

    The subset of features is given by its cells of equal rows and its bits, and by one feature more.

    Whoever is equal to the row is nearest; where nobody else is, the rows that share most of its levels are. A row of
    weight above one has copies, of which one is left out.
    """
    n, classes = len(y), len(votes)
    table = np.zeros((cells * levels, classes))
    total = np.zeros(cells * levels)
    for i in range(n):
        at = cell[i] * levels + codes[i]
        table[at, y[i]] += weight[i]
        total[at] += weight[i]
    for i in range(n):
        at = cell[i] * levels + codes[i]
        out = min(weight[i], 1.0)
        if total[at] - out > 1e-9 * total[at]:
            for k in range(classes):
                votes[k] = table[at, k]
            votes[y[i]] -= out
        else:
            nearest_votes(i, bits, codes, y, weight, votes)
        winners[i] = elect(votes, y[i])


@njit(**SETTINGS)
def right_in_cells(table, votes, right):
    """Add to right[t] how many rows are of a class that is one of t winners; table[cell, class] counts rows.

    Cell numbers are levels of binary features, bit by bit: two cells are as far apart as their numbers differ in bits.
    """
    cells, classes = table.shape
    for c in range(cells):
        size, first, second, ties = 0, 0, -1, 0
        for k in range(classes):
            size += table[c, k]
            if table[c, k] > table[c, first]:
                first = k
        for k in range(classes):
            if k != first and table[c, k] > second:
                second, ties = table[c, k], 1
            elif k != first and table[c, k] == second:
                ties += 1
        if size > 1:  # only rows of the largest class can be right, and they have one vote less
            if table[c, first] - 1 > second:
                right[1] += table[c, first]
            elif table[c, first] - 1 == second:
                right[1 + ties] += table[c, first]
        elif size == 1:
            votes_of_nearest_cells(table, c, votes)
            right[elect(votes, first)] += 1


@njit(**SETTINGS)
def votes_of_nearest_cells(table, c, votes):
    """Votes of the cells, other than c and not empty, whose numbers differ from c in fewest bits."""
    cells, classes = table.shape
    apart = np.uint64(WORD)
    for other in range(cells):
        distance = ones(np.uint64(other ^ c))
        if other == c or distance > apart or not table[other].any():
            continue
        if distance < apart:
            apart = distance
            votes[:] = 0
        for m in range(classes):
            votes[m] += table[other, m]


@njit(**SETTINGS)
def common_by_class(bits, ends, singles, doubles):
    """Rows of each class with a bit in one feature, and in two; class k has the words up to ends[k]."""
    d = len(bits)
    for a in range(d):
        for b in range(a, d):
            start = 0
            for k in range(len(ends)):
                count = np.int64(0)
                for w in range(start, ends[k]):
                    count += np.int64(ones(bits[a, w] & bits[b, w]))
                start = ends[k]
                doubles[a, b, k] = doubles[b, a, k] = count
                if a == b:
                    singles[a, k] = count


@njit(**SETTINGS)
def right_in_triples(bits, ends, sizes, singles, doubles, pairs, out):
    """For each pair (a, b) and each c behind b, the numbers of `right_in_cells` for the features (a, b, c).

    Counts of the eight cells follow from the rows that have all bits of a subset, by inclusion and exclusion.
    """
    d, words = bits.shape
    classes = len(ends)
    both = np.empty(words, np.uint64)
    table = np.zeros((8, classes), np.int64)
    votes = np.zeros(classes, np.int64)
    at = 0
    for p in range(len(pairs)):
        a, b = pairs[p]
        for w in range(words):
            both[w] = bits[a, w] & bits[b, w]
        for c in range(b + 1, d):
            start = 0
            for k in range(classes):
                triple = np.int64(0)
                for w in range(start, ends[k]):
                    triple += np.int64(ones(both[w] & bits[c, w]))
                start = ends[k]
                ab, ac, bc = doubles[a, b, k], doubles[a, c, k], doubles[b, c, k]
                x, y, z = singles[a, k], singles[b, k], singles[c, k]
                table[7, k] = triple
                table[6, k] = ab - triple
                table[5, k] = ac - triple
                table[3, k] = bc - triple
                table[4, k] = x - ab - ac + triple
                table[2, k] = y - ab - bc + triple
                table[1, k] = z - ac - bc + triple
                table[0, k] = sizes[k] - x - y - z + ab + ac + bc - triple
            right_in_cells(table, votes, out[at])
            at += 1
