"""Histograms of gradients: one add of a packed integer for every row and column, exact in any order.

A word of 64 bits holds the codes of eight columns of a row, so eight histograms of 16 KiB together stay in the first
cache. What is added is a gradient (upper 32 bits) and a Hessian (lower 32 bits), both rounded to whole numbers.
"""

from __future__ import annotations

import numpy as np
from numba import int64, njit, uint64

BYTE = np.uint64(255)
TOGETHER = 1024  # rows whose words are gathered before they are counted
OPTIONS = {"cache": True, "nogil": True, "error_model": "numpy", "boundscheck": False}


@njit(**OPTIONS)
def lay_out(codes, by_row, by_column):
    """Copy codes (n, d) to rows of whole words and to columns, some rows at a time."""
    n, d = codes.shape
    for a in range(0, n, 512):
        b = min(n, a + 512)
        for i in range(a, b):
            for j in range(d):
                by_row[i, j] = codes[i, j]
        for j in range(d):
            for i in range(a, b):
                by_column[j, i] = codes[i, j]


@njit(**OPTIONS)
def fill(words, bins, packed, rows, start, stop, first, last, sums, gathered, values):
    """sums[g, j, code] = sum of packed over rows[start:stop], for the groups g from `first` to `last`.

    words (n, G): codes by row; bins (d,): how many codes each column has, beside that of gaps, the last; gathered
    (G, 1024) and values (1024,) are room to work in.
    """
    features = len(bins)
    for f in range(8 * first, min(8 * last, features)):
        own_sums = sums[f >> 3, f & 7]
        for b in range(bins[f]):
            own_sums[b] = 0
        own_sums[255] = 0
    whole = min(last, features // 8)
    for c in range(start, stop, TOGETHER):
        m = min(TOGETHER, stop - c)
        own_rows, g0, g1 = rows[c : c + m], uint64(first), uint64(last)
        for k in range(m):
            i, g = own_rows[k], g0  # without a sign: nobody looks whether a place is negative
            values[k] = packed[i]
            while g < g1:
                gathered[g, k] = words[i, g]
                g += uint64(1)
        for g in range(first, whole):
            own, word = sums[g], gathered[g]
            for k in range(m):
                w = word[k]
                v = values[k]
                own[0, w & BYTE] += v
                own[1, (w >> uint64(8)) & BYTE] += v
                own[2, (w >> uint64(16)) & BYTE] += v
                own[3, (w >> uint64(24)) & BYTE] += v
                own[4, (w >> uint64(32)) & BYTE] += v
                own[5, (w >> uint64(40)) & BYTE] += v
                own[6, (w >> uint64(48)) & BYTE] += v
                own[7, w >> uint64(56)] += v
        for g in range(max(first, whole), last):
            own, word, left = sums[g], gathered[g], features - 8 * g
            for k in range(m):
                w = word[k]
                v = values[k]
                for j in range(left):
                    own[j, w & BYTE] += v
                    w >>= uint64(8)


@njit(**OPTIONS)
def divide(parent, part, bins, swap):
    """The parent becomes parent - part; with `swap` the part takes its place, and the rest that of the part."""
    for f in range(len(bins)):
        p, q, many = parent[f >> 3, f & 7], part[f >> 3, f & 7], bins[f]
        if swap:
            for b in range(many):
                v = q[b]
                q[b] = p[b] - v
                p[b] = v
            v = q[255]
            q[255] = p[255] - v
            p[255] = v
        else:
            for b in range(many):
                p[b] -= q[b]
            p[255] -= q[255]


@njit(**OPTIONS)
def count_codes(column, rows, start, stop, amount, counts):
    """How much weighs each code of a column, over rows[start:stop]; without amounts, how many rows have it."""
    for b in range(256):
        counts[b] = 0
    if len(amount):
        for k in range(start, stop):
            counts[column[rows[k]]] += amount[rows[k]]
    else:
        for k in range(start, stop):
            counts[column[rows[k]]] += 1


@njit(**OPTIONS)
def add_rows(codes, packed, amount, place, sums, counts):
    """The same sums for rows as they come: row i goes to histogram place[i], or to none if that is negative.

    counts[place, column, code] get the amounts, one for each row where there are none; no counts are no matter.
    """
    n, d = codes.shape
    counted = counts.shape[0] > 0
    for i in range(n):
        p = place[i]
        if p < 0:
            continue
        v = packed[i]
        for j in range(d):
            sums[p, j >> 3, j & 7, codes[i, j]] += v
        if counted:
            a = amount[i] if len(amount) else int64(1)
            for j in range(d):
                counts[p, j, codes[i, j]] += a
