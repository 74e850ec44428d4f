"""The nearest of some centres for every row, and the sums of the rows of each: k-means passes with bounds.

Rows are looked at in coordinates z = scale x - origin. Single precision sorts out which centre is nearest wherever its
error bound allows; every other row is decided in double, from differences, and a tie goes to the first centre. So the
answer depends on the row and the centres alone: not on blocks, threads, bounds or what was known before.
"""

import numpy as np
from numba import njit

from .two_words import INSIDE, two_sum

SETTINGS = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
PLAIN = {"cache": True, "nogil": True, "error_model": "numpy"} | {"fastmath": {"contract", "nsz", "nnan"}}
QUICK = INSIDE | {"fastmath": {"reassoc", "contract", "nsz"}}
BLOCK = 512  # rows looked at together: all that is known of them stays in the cache
FAR = 1e15  # coordinates from here on have no square in single precision
WIDER = 1.0 + 2.0**-22  # takes a bound out of the reach of rounding to single precision


@njit(**QUICK)
def squared(z, c):
    """|z - c|^2 from differences."""
    total = 0.0
    for q in range(len(c)):
        away = z[q] - c[q]
        total += away * away
    return total


@njit(**QUICK)
def squared_of_row(X, i, scale, origin, c):
    """The same for a row as it came."""
    total = 0.0
    for q in range(len(c)):
        away = (scale * X[i, q] - origin[q]) - c[q]
        total += away * away
    return total


@njit(**(INSIDE | {"fastmath": {"contract", "nsz", "nnan"}}))
def two_nearest(points, count, centres, half, scores, first, second, which):
    """The smallest and second smallest of half_j - c_j'x for the rows in the columns of `points`, and where it is.

    Four centres and four coordinates at a time: what is read once is used four times.
    """
    for r in range(count):
        first[r], second[r], which[r] = np.float32(np.inf), np.float32(np.inf), 0
    for j in range(0, len(half), 4):
        v0, v1, v2, v3 = scores[0], scores[1], scores[2], scores[3]
        h0, h1, h2, h3 = half[j], half[j + 1], half[j + 2], half[j + 3]
        for r in range(count):
            v0[r], v1[r], v2[r], v3[r] = h0, h1, h2, h3
        for q in range(0, len(points), 4):
            x0, x1, x2, x3 = points[q], points[q + 1], points[q + 2], points[q + 3]
            a, b, c, d = centres[j], centres[j + 1], centres[j + 2], centres[j + 3]
            a0, a1, a2, a3 = a[q], a[q + 1], a[q + 2], a[q + 3]
            b0, b1, b2, b3 = b[q], b[q + 1], b[q + 2], b[q + 3]
            c0, c1, c2, c3 = c[q], c[q + 1], c[q + 2], c[q + 3]
            d0, d1, d2, d3 = d[q], d[q + 1], d[q + 2], d[q + 3]
            for r in range(count):
                p, s, t, u = x0[r], x1[r], x2[r], x3[r]
                v0[r] -= a0 * p + a1 * s + a2 * t + a3 * u
                v1[r] -= b0 * p + b1 * s + b2 * t + b3 * u
                v2[r] -= c0 * p + c1 * s + c2 * t + c3 * u
                v3[r] -= d0 * p + d1 * s + d2 * t + d3 * u
        for e in range(4):
            v, number = scores[e], np.int32(j + e)
            for r in range(count):
                t, m, s = v[r], first[r], second[r]
                larger = t if t > m else m
                second[r] = larger if larger < s else s
                which[r] = number if t < m else which[r]
                first[r] = t if t < m else m


@njit(**INSIDE)
def add_row(high, low, z, weight):
    """Add weight * (z, 1) to a sum of two words."""
    d = len(z)
    for q in range(d):
        s, e = two_sum(high[q], weight * z[q])
        high[q] = s
        low[q] += e
    s, e = two_sum(high[d], weight)
    high[d] = s
    low[d] += e


@njit(**INSIDE)
def decide(z, centres):
    """The nearest centre in double, its squared distance, and that of the second nearest."""
    a, best, second = 0, np.inf, np.inf
    for j in range(len(centres)):
        here = squared(z, centres[j])
        if here < best:
            a, best, second = j, here, best
        elif here < second:
            second = here
    return a, best, second


@njit(**SETTINGS)
def assign(X, scale, origin, centres, packed, half, reach, weight, bounds, label, upper, lower, high, low, square):
    """Find the nearest centre of every row of X; returned are the rows that were looked at, and a row that is none.

    packed, half: the centres and half their squares in single precision, both sizes filled up to multiples of four.
    reach: of the longest centre, and nothing else in [0]; it is infinite where centres have no square in single precision.
    bounds: empty, or [half the distance of each centre to the next; how far it has moved; the largest move, the second
    largest and whose the largest was], where `label`, `upper` and `lower` are of the centres before they moved.
    weight: empty where all are one. high, low: sums of (z, 1) over the rows of each centre, or empty. They are brought up
    to date where there are bounds, and else begun. square: room for squared distances of all rows, or empty.
    """
    n, d, k = X.shape[0], X.shape[1], centres.shape[0]
    tall = packed.shape[1]
    Z = np.empty((BLOCK, d))
    points = np.zeros((tall, BLOCK), np.float32)
    scores = np.empty((4, BLOCK), np.float32)
    first, second = np.empty(BLOCK, np.float32), np.empty(BLOCK, np.float32)
    which = np.empty(BLOCK, np.int32)
    rows = np.empty(BLOCK, np.int64)
    known = len(bounds) > 0
    summed = len(high) > 0
    kept = len(upper) > 0
    unsure = (tall + 8) * 2.0**-24 * 1.05
    count, looked, bad, i = 0, 0, -1, 0
    while i < n or count:
        if i < n:
            if known:
                a = label[i]
                u = (upper[i] + bounds[k + a]) * WIDER
                moved = bounds[2 * k + 1] if a == bounds[2 * k + 2] else bounds[2 * k]
                l = (lower[i] - moved) / WIDER
                least = max(bounds[a], l)
                if u >= least:
                    u = np.sqrt(squared_of_row(X, i, scale, origin, centres[a])) * WIDER
                if u < least:
                    upper[i], lower[i] = u, l
                    i += 1
                    continue
            rows[count] = i
            count += 1
            i += 1
            if count < BLOCK and i < n:
                continue
        looked += count
        for r in range(count):
            row, norm = rows[r], 0.0
            for q in range(d):
                z = scale * X[row, q] - origin[q]
                Z[r, q] = z
                norm += z * z
            if not norm < np.inf:
                bad = row if bad < 0 else bad
            near = norm < FAR * FAR
            for q in range(d):
                points[q, r] = Z[r, q] if near else 0.0
        two_nearest(points, count, packed, half, scores, first, second, which)
        for r in range(count):
            row, z = rows[r], Z[r]
            norm = 0.0
            for q in range(d):
                norm += z[q] * z[q]
            error = unsure * (np.sqrt(norm) * reach[0] + 0.5 * reach[0] * reach[0]) + 1e-30
            a = which[r]
            if np.float64(second[r]) - np.float64(first[r]) > 2.0 * error and norm < FAR * FAR:
                own = squared(z, centres[a])
                rest = norm + 2.0 * (np.float64(second[r]) - error)
                rest -= 1e-14 * norm
            else:
                a, own, rest = decide(z, centres)
            if summed:
                w = weight[row] if len(weight) else 1.0
                if known and a != label[row]:
                    add_row(high[label[row]], low[label[row]], z, -w)
                if w != 0.0 and (not known or a != label[row]):
                    add_row(high[a], low[a], z, w)
            label[row] = a
            if kept:
                upper[row] = np.sqrt(own) * WIDER
                lower[row] = np.sqrt(max(rest, 0.0)) / WIDER
            if len(square):
                square[row] = own
        count = 0
    return looked, bad
