"""Tables of counts: codes of discrete columns, levels against classes, and levels against levels by bits."""

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from .two_words import SETTINGS

WORD = 64  # rows in a word of bits
TILE = 32  # levels whose bits are compared with as many others while they stay in the cache


@intrinsic
def ones(typing_context, word):
    """Number of bits that are set in a word of 64."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@njit(**SETTINGS)
def whole_ranges(X, low, high, whole):
    """Least and largest value of every column, and whether all its values are whole numbers."""
    n, d = X.shape
    for i in range(n):
        for j in range(d):
            x = X[i, j]
            if x != np.floor(x):  # NaN as well
                whole[j] = False
            if x < low[j]:
                low[j] = x
            if x > high[j]:
                high[j] = x


@njit(**SETTINGS)
def codes_of_whole(X, low, codes):
    """codes = X - low, for columns that span at most 255; what else there is becomes something."""
    n, d = X.shape
    for i in range(n):
        for j in range(d):
            codes[i, j] = np.uint8(np.int64(X[i, j] - low[j]) & 255)


@njit(**SETTINGS)
def codes_of_bins(X, edges, codes):
    """Number of edges at or below every value; `edges` has a row for each column. Returns whether all are finite."""
    n, d = X.shape
    count = edges.shape[1]
    doubt = 0.0
    for i in range(n):
        for j in range(d):
            x = X[i, j]
            doubt += x - x  # NaN for what is not finite
            code = 0
            for k in range(count):
                code += x >= edges[j, k]
            codes[i, j] = code
    return doubt == 0.0


@njit(**SETTINGS)
def count_classes(codes, y, table):
    """table[column, code, class] += 1 for every row."""
    n, d = codes.shape
    for i in range(n):
        k = y[i]
        for j in range(d):
            table[j, codes[i, j], k] += 1


@njit(**SETTINGS)
def weigh_classes(codes, y, weight, table):
    """table[column, code, class] += weight for every row."""
    n, d = codes.shape
    for i in range(n):
        k, w = y[i], weight[i]
        for j in range(d):
            table[j, codes[i, j], k] += w


@njit(**SETTINGS)
def pack(codes, place, bits):
    """Set bit i of row place[j, codes[i, j]] of `bits`; a place below zero is left out."""
    n, d = codes.shape
    for word in range(bits.shape[1]):
        start = word * WORD
        for j in range(d):
            for i in range(start, min(start + WORD, n)):
                at = place[j, codes[i, j]]
                if at >= 0:
                    bits[at, word] |= np.uint64(1) << np.uint64(i - start)


@njit(**SETTINGS)
def count_common(bits, index, out):
    """out[index[a], index[b]] = number of bits that rows a and b share; in tiles, so that both stay in the cache."""
    m, words = bits.shape
    for first in range(0, m, TILE):
        for second in range(first, m, TILE):
            for a in range(first, min(first + TILE, m)):
                for b in range(max(second, a), min(second + TILE, m)):
                    total = np.uint64(0)
                    for w in range(words):
                        total += ones(bits[a, w] & bits[b, w])
                    out[index[a], index[b]] = total
                    out[index[b], index[a]] = total


@njit(**SETTINGS)
def complete_pairs(starts, totals, out):
    """Pairs of the first levels: those of a level with all levels of a column add up to its total."""
    d, m = len(starts) - 1, len(totals)
    for i in range(d):
        first = starts[i]
        out[first] = totals
        for a in range(first + 1, starts[i + 1]):
            for b in range(m):
                out[first, b] -= out[a, b]
        for j in range(d):  # of two first levels it is not known yet: each is what the other levels leave
            out[first, starts[j]] = 0.0
        for b in range(m):
            out[b, first] = out[first, b]
    for i in range(d):
        for j in range(d):
            rest = totals[starts[j]]
            for a in range(starts[i] + 1, starts[i + 1]):
                rest -= out[a, starts[j]]
            out[starts[i], starts[j]] = rest


@njit(**SETTINGS)
def pair_sums(pairs, starts, out):
    """out[i, j] = sum of w log w over the table of columns i and j."""
    d = len(starts) - 1
    for i in range(d):
        for j in range(i, d):
            total = 0.0
            for a in range(starts[i], starts[i + 1]):
                for b in range(starts[j], starts[j + 1]):
                    w = pairs[a, b]
                    if w > 0.0:
                        total += w * np.log(w)
            out[i, j] = total
            out[j, i] = total


@njit(**SETTINGS)
def weigh_pairs(codes, place, weight, out):
    """out[a, b] += weight for all pairs of levels that a row has; `place` is where the level of a code stands."""
    n, d = codes.shape
    for i in range(n):
        w = weight[i]
        for j in range(d):
            a = place[j, codes[i, j]]
            for k in range(d):
                out[a, place[k, codes[i, k]]] += w
