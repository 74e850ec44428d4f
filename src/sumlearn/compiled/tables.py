"""Tables of counts: codes of discrete columns, levels against classes, and levels against levels by bits."""

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.extending import intrinsic

from .two_words import SETTINGS

WORD = 64  # rows in a word of bits
WIDTH = 1024  # columns that are counted at a time in bytes
MOST_IN_A_BYTE = 252  # rows, four at a time
TILE = 32  # levels whose bits are compared with as many others while they stay in the cache


@intrinsic
def ones(typing_context, word):
    """Number of bits that are set in a word of 64."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def one_more_if(typing_context, total, code, level):
    """total + [code = level] in bytes; Numba's own sum is one of 64 bits, of which a register holds fewer."""

    def generate(context, builder, signature, arguments):
        total, code, level = arguments
        return builder.add(total, builder.zext(builder.icmp_unsigned("==", code, level), ir.IntType(8)))

    return types.uint8(types.uint8, types.uint8, types.uint8), generate


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
def count_few_levels(codes, order, starts, table):
    """table[class, code, column] += 1 for every row; `order` lists the rows of each class, from `starts` on.

    Every level is compared with whole rows, and four rows are counted in a byte while it is in a register.
    """
    d, levels = codes.shape[1], table.shape[1]
    for first in range(0, d, WIDTH):
        last = min(first + WIDTH, d)
        bytes_ = np.zeros((levels, last - first), np.uint8)
        for k in range(len(starts) - 1):
            i, full = starts[k], starts[k + 1]
            while i < full:
                end = min(i + MOST_IN_A_BYTE, full)
                count_run(codes[:, first:last], order[i:end], bytes_)
                i = end
                for level in range(levels):
                    for j in range(last - first):
                        table[k, level, first + j] += bytes_[level, j]
                        bytes_[level, j] = 0


@njit(**SETTINGS)
def count_run(codes, rows, bytes_):
    """bytes_[code, column] += 1 for at most 255 rows."""
    fours = len(rows) // 4 * 4
    for i in range(0, fours, 4):
        a, b, c, d = codes[rows[i]], codes[rows[i + 1]], codes[rows[i + 2]], codes[rows[i + 3]]
        for level in range(len(bytes_)):
            add_four(a, b, c, d, np.uint8(level), bytes_[level])
    for i in range(fours, len(rows)):
        for level in range(len(bytes_)):
            add_one(codes[rows[i]], np.uint8(level), bytes_[level])


@njit(**SETTINGS)
def add_four(a, b, c, d, level, total):
    for j in range(len(total)):
        two = one_more_if(one_more_if(total[j], a[j], level), b[j], level)
        total[j] = one_more_if(one_more_if(two, c[j], level), d[j], level)


@njit(**SETTINGS)
def add_one(row, level, total):
    for j in range(len(total)):
        total[j] = one_more_if(total[j], row[j], level)


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
