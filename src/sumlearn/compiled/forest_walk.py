"""Grown trees as words of 64 bits, and rows that walk through them.

    bits 0-31 the left child (the right one follows), of a leaf the row of its values; 32-39 the last bin on the left;
    40 whether gaps go left; 41 a category; 42-63 one plus the column, 0 for a leaf

A split of a category has four more words after its two children: the bins that go left, gaps among them.
"""

import numpy as np
from numba import njit, uint64

from .two_words import INSIDE, SETTINGS

GAP = 255
BLOCK = 256  # rows that walk through a tree together: many loads are under way at once
LOW = 0xFFFFFFFF


@njit(**SETTINGS)
def prune(features, children, weights, impurities, nodes, alpha):
    """Make leaves of the nodes whose leaves do not pay for themselves: cost-complexity pruning from below.

    The smallest tree that minimises sum of impurity over its leaves + alpha * leaves; a node's children come after it.
    """
    cost, whole = np.empty(nodes), np.float64(weights[0])
    for node in range(nodes - 1, -1, -1):
        cost[node] = weights[node] / whole * impurities[node] + alpha
        if features[node] >= 0:
            below = cost[children[node]] + cost[children[node] + 1]
            if below < cost[node]:
                cost[node] = below
            else:
                features[node] = -1


@njit(**SETTINGS)
def pack(
    features, cuts, children, gains, masks, runs, depths, index, masses, labels, classes, node_values, clipped, nodes,
    words, values, importances,
):  # fmt: skip
    """Words and leaf values of a tree; how many there are of each, its depth and its leaves.

    Leaves of one class have no values of their own, unless there are several targets: their row is the class.
    """
    alone = classes if len(labels) == 1 else 0
    place = np.full(nodes, -1, np.int64)
    place[0] = 0
    used, rows, deepest, leaves = 1, 0, 0, 0
    for node in range(nodes):
        if place[node] < 0:  # pruned away
            continue
        f = features[node]
        if f >= 0:
            category = cuts[node] == 512
            left = children[node]
            place[left], place[left + 1] = used, used + 1
            importances[f] += gains[node]
            word = (uint64(f + 1) << uint64(42)) | uint64(used)
            if category:
                for k in range(4):
                    words[used + 2 + k] = masks[node, k]
                word |= uint64(1) << uint64(41)
            else:
                word |= (uint64(cuts[node] & 255) << uint64(32)) | (uint64(cuts[node] >> 8) << uint64(40))
            words[place[node]] = word
            used += 6 if category else 2
            continue
        leaves += 1
        deepest = max(deepest, depths[node])
        row = alone + rows
        if classes and not clipped:
            only = labels[0, index[runs[node, 0]]]
            whole = 0.0
            for c in range(classes):
                values[rows, c] = 0.0
            for k in range(runs[node, 0], runs[node, 1]):
                i = index[k]
                for o in range(len(labels)):
                    values[rows, labels[o, i]] += masses[i]
                whole += masses[i]
            if alone and values[rows, only] == whole:
                row = only
            for c in range(classes):
                values[rows, c] /= whole
        elif classes:
            values[rows, 1] = node_values[node, 0]
            values[rows, 0] = 1.0 - node_values[node, 0]
        else:
            for o in range(node_values.shape[1]):
                values[rows, o] = node_values[node, o]
        if row >= alone:
            rows += 1
        words[place[node]] = uint64(row)
    return used, rows, deepest, leaves


@njit(**INSIDE)
def steps(codes, first, rows, words, root, at, active):
    """Rows first .. first + rows go to their leaves; at[i] is the place of the leaf."""
    for i in range(rows):
        at[i], active[i] = root, i
    left = rows
    while left > 0:
        kept = 0
        for a in range(left):
            i = active[a]
            word = words[at[i]]
            f = word >> uint64(42)
            if f == uint64(0):
                continue
            b = uint64(codes[first + i, np.int64(f) - 1])
            child = root + np.int64(word & uint64(LOW))
            if word & uint64(1 << 41):
                side = uint64(1) - ((words[child + 2 + np.int64(b >> uint64(6))] >> (b & uint64(63))) & uint64(1))
            else:
                side = uint64(b > ((word >> uint64(32)) & uint64(255)))
                side &= uint64(1) - (uint64(b == uint64(GAP)) & (word >> uint64(40)) & uint64(1))
            at[i] = child + np.int64(side)
            active[kept] = i
            kept += 1
        left = kept


@njit(**SETTINGS)
def add_values(codes, words, starts, values, value_starts, classes, bags, first_row, out, answers):
    """Add the values of all trees to out[i, c], tree by tree; answers[i] counts them.

    With `bags`, bits (trees, rows / 8), only trees whose bag does not have the row answer.
    """
    n = codes.shape[0]
    outputs = out.shape[1]
    at, active = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64)
    for first in range(0, n, BLOCK):
        rows = min(BLOCK, n - first)
        for t in range(len(starts) - 1):
            steps(codes, first, rows, words, starts[t], at, active)
            for i in range(rows):
                if bags.shape[0]:
                    number = first_row + first + i
                    if (bags[t, number >> 3] >> (7 - (number & 7))) & 1:
                        continue
                row = np.int64(words[at[i]] & uint64(LOW))
                answers[first + i] += 1
                if row < classes:
                    out[first + i, row] += 1.0
                else:
                    row += value_starts[t] - classes
                    for c in range(outputs):
                        out[first + i, c] += values[row, c]


@njit(**SETTINGS)
def find_leaves(codes, words, starts, out):
    """out[i, t] = the place of the leaf of row i in the words of tree t."""
    n = codes.shape[0]
    at, active = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64)
    for first in range(0, n, BLOCK):
        rows = min(BLOCK, n - first)
        for t in range(len(starts) - 1):
            steps(codes, first, rows, words, starts[t], at, active)
            for i in range(rows):
                out[first + i, t] = at[i] - starts[t]


@njit(**SETTINGS)
def is_sound(words, starts, value_starts, values, classes, features, kinds):
    """Whether every walk stays inside of its tree and ends in a row of values; kinds gets 1 split, 2 leaf, 3 mask."""
    for t in range(len(starts) - 1):
        start, stop = starts[t], starts[t + 1]
        if stop <= start:
            return False
        for at in range(start, stop):
            kinds[at] = 0
        kinds[start] = 4
        for at in range(start, stop):
            if kinds[at] != 4:
                continue
            word = words[at]
            f = np.int64(word >> uint64(42))
            low = np.int64(word & uint64(LOW))
            if f == 0:
                if low >= classes and low - classes >= value_starts[t + 1] - value_starts[t]:
                    return False
                kinds[at] = 2
                continue
            child = start + low
            size = 6 if word & uint64(1 << 41) else 2
            if f > features or child <= at or child + size > stop:
                return False
            for k in range(size):
                if kinds[child + k] != 0:
                    return False
                kinds[child + k] = 4 if k < 2 else 3
            kinds[at] = 1
        for at in range(start, stop):
            if kinds[at] == 0:
                return False
    return value_starts[len(starts) - 1] <= values
