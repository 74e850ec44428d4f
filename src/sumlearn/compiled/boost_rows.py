"""Row by row: gradients as whole numbers, sums of leaves, and the way of a row down the trees."""

from __future__ import annotations

import math

import numpy as np
from numba import int64, njit, uint8, uint64

from .boost_histograms import OPTIONS

EXPONENTS = 2048  # of a double


@njit(**OPTIONS)
def sizes(numbers, bits, times, table):
    """table[e] += mantissa, rounded up at 20 bits, of every number of exponent e: a sum of |numbers| in any order.

    `bits` are the same numbers as 64-bit patterns; `times` is how often each counts, or empty.
    """
    parts = np.zeros((4, EXPONENTS), np.int64)  # neighbours, which often share an exponent, do not wait for each other
    for i in range(len(numbers)):
        b = bits[i]
        e = (b >> uint64(52)) & uint64(0x7FF)
        m = int64((b >> uint64(32)) & uint64(0xFFFFF)) + 1
        if e != 0:
            m += 1 << 20
        elif numbers[i] == 0.0:
            m = 0
        if len(times):
            m *= times[i]
        parts[i & 3, e] += m
    for e in range(EXPONENTS):
        table[e] += parts[0, e] + parts[1, e] + parts[2, e] + parts[3, e]


@njit(**OPTIONS)
def softmax_terms(p, y, curvature):
    """Slopes p_k - [y = k] in the place of the exponentials p (outputs, n), and curvatures (1 - p_k) p_k."""
    outputs, n = p.shape
    for i in range(n):
        total = 0.0
        for k in range(outputs):
            total += p[k, i]
        for k in range(outputs):
            q = p[k, i] / total
            curvature[k, i] = (1.0 - q) * q
            p[k, i] = q - 1.0 if y[i] == k else q


@njit(**OPTIONS)
def size_of_table(table):
    """The sum of the numbers that `sizes` has looked at; exponent e is that of 2^(e - 1023), for mantissas of 2^20."""
    total = 0.0
    for e in range(EXPONENTS):
        if table[e] != 0:
            total += math.ldexp(np.float64(table[e]), max(e, 1) - 1043)
    return total


@njit(**OPTIONS)
def size_of_numbers(numbers, bits, times):
    """The same of numbers themselves."""
    table = np.zeros(EXPONENTS, np.int64)
    sizes(numbers, bits, times, table)
    return size_of_table(table)


@njit(**OPTIONS)
def pack(slope, curvature, times, scale_g, scale_h, packed):
    """packed = (rint(g scale_g) << 32) + rint(h scale_h), times how often the row counts; without h it is one.

    Returns the sum of the lower words.
    """
    bare, whole = len(curvature) == 0, int64(0)
    for i in range(len(slope)):
        g = int64(np.rint(slope[i] * scale_g))
        h = int64(1) if bare else int64(np.rint(curvature[i] * scale_h))
        v = (g << 32) + h
        packed[i] = v * times[i] if len(times) else v
        whole += packed[i] & 0xFFFFFFFF
    return whole


@njit(**OPTIONS)
def leaf_places(rows, spans, many, places):
    """places[i] = l for the rows i = rows[k] of leaf l: what is asked of all rows is then asked in their order."""
    for leaf in range(many):
        for k in range(spans[leaf, 0], spans[leaf, 1]):
            places[rows[k]] = leaf


@njit(**OPTIONS)
def newton_steps(G, H, scale_g, scale_h, penalty, bounds, factor, out):
    """out = factor * -G / (H + penalty) of each leaf, from whole sums, the quotient within the bounds of monotonic
    columns; where there is no curvature at all, nothing."""
    for leaf in range(len(out)):
        below = H[leaf] / scale_h + penalty
        value = -(G[leaf] / scale_g) / below if below > 1e-300 else 0.0
        out[leaf] = min(max(value, bounds[leaf, 0]), bounds[leaf, 1]) * factor


@njit(**OPTIONS)
def add_by_place(places, values, scores):
    """scores[i] += the value of the leaf that row i is in."""
    for i in range(len(places)):
        scores[i] += values[places[i]]


@njit(**OPTIONS)
def leaf_of(codes, i, p, links, sets, category):
    """The leaf of row i below node p."""
    while links[p, 0] >= 0:
        f = links[p, 0]
        c = codes[i, f]
        if category[f]:
            right = 1 - int64((sets[p, c >> 6] >> uint64(c & 63)) & uint64(1))
        else:  # a gap is code 255; where it goes left it becomes code 0
            way = links[p, 3]
            right = int64(uint8(c + way) > uint8(links[p, 2] + way)) if c != 255 else 1 - way
        p = links[p, 1] + right
    return p


@njit(**OPTIONS)
def descend(codes, first, last, starts, links, sets, values, category, outputs, scores):
    """scores[i, t % outputs] += value of tree t at row i, for the trees from `first` to `last`."""
    for i in range(codes.shape[0]):
        for t in range(first, last):
            p = leaf_of(codes, i, starts[t], links, sets, category)
            scores[i, t % outputs] += values[p]


@njit(**OPTIONS)
def land(codes, first, last, starts, links, sets, category, places):
    """places[i, t - first] = number of the leaf of row i in tree t, counted from the root of the tree."""
    for i in range(codes.shape[0]):
        for t in range(first, last):
            places[i, t - first] = leaf_of(codes, i, starts[t], links, sets, category) - starts[t]


@njit(**OPTIONS)
def sums_by_place(place, numbers, times, scale, out):
    """out[place[i]] += rint(number scale), as often as row i counts; of ones if there are no numbers."""
    bare = len(numbers) == 0
    for i in range(len(place)):
        if place[i] >= 0:
            v = int64(1) if bare else int64(np.rint(numbers[i] * scale))
            out[place[i]] += v * times[i] if len(times) else v
