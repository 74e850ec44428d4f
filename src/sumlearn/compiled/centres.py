"""The nearest of some centres for every row, and the sums of the rows of each: k-means passes with bounds.

Rows are looked at in coordinates z = scale x - origin. Single precision sorts out which centre is nearest wherever its
error bound allows; every other row is decided in double, from differences, and a tie goes to the first centre. So the
answer depends on the row and the centres alone: not on blocks, threads, bounds or what was known before.
"""

import numpy as np
from numba import njit

from .two_words import INSIDE, two_sum

SETTINGS = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
QUICK = INSIDE | {"fastmath": {"reassoc", "contract", "nsz"}}
BLOCK = 256  # rows looked at together: all that is known of them stays in the cache
FAR = 1e15  # coordinates from here on have no square in single precision
UP, DOWN = np.float32(1.0 + 2.0**-21), np.float32(1.0 - 2.0**-21)  # out of the reach of rounding to single precision


@njit(**QUICK)
def squared(z, c):
    """|z - c|^2 from differences."""
    total = 0.0
    for q in range(len(c)):
        away = z[q] - c[q]
        total += away * away
    return total


@njit(**QUICK)
def square_of(z):
    """|z|^2."""
    total = 0.0
    for q in range(len(z)):
        total += z[q] * z[q]
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
def widen(label, upper, lower, bounds, k, start, count, doubtful):
    """Bounds of some rows, as wide as the moves of the centres make them; and which leave it open who is nearest.

    A row whose distance to its centre is below half the distance of that centre to the next, or below what all others
    are away at least, stays (Hamerly 2010).
    """
    half, shift = bounds[:k], bounds[k : 2 * k]
    most, next_, mover = bounds[2 * k], bounds[2 * k + 1], np.int32(bounds[2 * k + 2])
    for r in range(count):
        i = start + r
        a = label[i]
        u = (upper[i] + shift[a]) * UP
        l = (lower[i] - (next_ if a == mover else most)) * DOWN
        upper[i], lower[i] = u, l
        h = half[a]
        doubtful[r] = u >= (l if l > h else h)


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
    reach: of the longest centre, and nothing else in [0]; it is infinite where centres have no square in single
    precision. bounds: in single precision; empty, or [half the distance of each centre to the next; how far it has
    moved; the largest move, the second largest and whose the largest was], where `label`, `upper` and `lower` are of
    the centres before they moved. weight: empty where all are one. high, low: sums of (z, 1) over the rows of each
    centre, or empty. They are brought up to date where there are bounds, and else begun. square: room for squared
    distances of all rows, or empty.
    """
    n, d, k = X.shape[0], X.shape[1], centres.shape[0]
    tall = packed.shape[1]
    Z = np.empty((BLOCK, d))
    points = np.zeros((tall, BLOCK), np.float32)
    scores = np.empty((4, BLOCK), np.float32)
    first, second = np.empty(BLOCK, np.float32), np.empty(BLOCK, np.float32)
    which, norms = np.empty(BLOCK, np.int32), np.empty(BLOCK)
    rows, doubtful = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.bool_)
    known = len(bounds) > 0
    summed = len(high) > 0
    kept = len(upper) > 0
    unsure = (tall + 8) * 2.0**-24 * 1.05
    count, looked, bad, start, here = 0, 0, -1, 0, 0
    while start < n or count:
        if start < n and known and here == 0:
            widen(label, upper, lower, bounds, k, start, min(BLOCK, n - start), doubtful)
        while start < n and count < BLOCK:
            i = start + here
            if known and not doubtful[here]:
                taken = False
            elif known:
                a = label[i]
                u = np.float32(np.sqrt(squared_of_row(X, i, scale, origin, centres[a]))) * UP
                upper[i] = u
                taken = u >= max(bounds[a], lower[i])
            else:
                taken = True
            if taken:
                rows[count] = i
                count += 1
            here += 1
            if here == min(BLOCK, n - start):
                start, here = start + here, 0
                break
        if count < BLOCK and start < n:
            continue
        looked += count
        far = False
        for r in range(count):
            row, z = rows[r], Z[r]
            for q in range(d):
                z[q] = scale * X[row, q] - origin[q]
            norms[r] = square_of(z)
            far = far or not norms[r] < FAR * FAR
        for q in range(d):
            column = points[q]
            for r in range(count):
                column[r] = Z[r, q]
        for r in range(count if far else 0):
            if not norms[r] < FAR * FAR:
                bad = rows[r] if bad < 0 and not norms[r] < np.inf else bad
                points[:d, r] = 0.0
        two_nearest(points, count, packed, half, scores, first, second, which)
        for r in range(count):
            row, z, norm = rows[r], Z[r], norms[r]
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
                upper[row] = np.float32(np.sqrt(own)) * UP
                lower[row] = np.float32(np.sqrt(max(rest, 0.0))) * DOWN
            if len(square):
                square[row] = own
        count = 0
    return looked, bad


@njit(**(SETTINGS | {"fastmath": {"reassoc", "contract", "nsz"}}))
def assign_few(X, scale, origin, centres, weight, label, high, low, square):
    """The same where centres and columns are few: all distances from differences, a block of rows at a time.

    Sums are begun by the caller, or empty, and so may be weights and squares.
    """
    n, d, k = X.shape[0], X.shape[1], len(centres)
    points, mass = np.empty((d, BLOCK)), np.ones(BLOCK)
    best, here = np.empty(BLOCK), np.empty(BLOCK)
    which = np.empty(BLOCK, np.int32)
    bad = -1
    for start in range(0, n, BLOCK):
        count = min(BLOCK, n - start)
        for q in range(d):
            column, o = points[q], origin[q]
            for r in range(count):
                column[r] = scale * X[start + r, q] - o
        for j in range(k):
            for r in range(count):
                here[r] = 0.0
            for q in range(d):
                column, c = points[q], centres[j, q]
                for r in range(count):
                    away = column[r] - c
                    here[r] += away * away
            if j == 0:
                for r in range(count):
                    best[r], which[r] = here[r], 0
            for r in range(count):
                which[r] = np.int32(j) if here[r] < best[r] else which[r]
                best[r] = here[r] if here[r] < best[r] else best[r]
        total = 0.0
        for r in range(count):
            label[start + r] = which[r]
            total += best[r]
        if not total < np.inf:
            for r in range(count):
                if bad < 0 and not best[r] < np.inf:
                    bad = start + r
        if len(square):
            for r in range(count):
                square[start + r] = best[r]
        if len(high):
            for r in range(count if len(weight) else 0):
                mass[r] = weight[start + r]
            for j in range(k):
                for q in range(d + 1):
                    column, s = points[min(q, d - 1)], 0.0
                    if q < d:
                        for r in range(count):
                            s += mass[r] * column[r] if which[r] == j else 0.0
                    else:
                        for r in range(count):
                            s += mass[r] if which[r] == j else 0.0
                    s, e = two_sum(high[j, q], s)
                    high[j, q] = s
                    low[j, q] += e
    return bad
