"""Sparse quadratic problems along a path of penalties: which coefficients are not zero, and a factor of their system.

min_w  w'Gw / 2 - c'w + sum_j l1_j |w_j| + sum_j l2_j w_j^2 / 2,    for one (l1, l2) after the other
"""

import numpy as np
from numba import njit

from .two_words import INSIDE, SETTINGS

REFINED = 5  # times that the equations are solved once more
REORDERED = {"fastmath": {"reassoc", "contract", "nsz"}}  # sums in any order


@njit(**INSIDE | REORDERED)
def product(a, b, n):
    total = 0.0
    for i in range(n):
        total += a[i] * b[i]
    return total


@njit(**INSIDE | REORDERED)
def less_rows(G, rows, moves, count, q):
    """q -= sum_i moves_i G[rows_i]."""
    i = 0
    while i + 4 <= count:
        a, b, c, d = G[rows[i]], G[rows[i + 1]], G[rows[i + 2]], G[rows[i + 3]]
        s, t, u, v = moves[i], moves[i + 1], moves[i + 2], moves[i + 3]
        for k in range(len(q)):
            q[k] -= (s * a[k] + t * b[k]) + (u * c[k] + v * d[k])
        i += 4
    while i < count:
        a, s = G[rows[i]], moves[i]
        for k in range(len(q)):
            q[k] -= s * a[k]
        i += 1


@njit(**INSIDE)
def enter(G, l2, L, active, count, j, independent):
    """One row more of the factor L L' of the system of the active ones; whether it depends on none of them."""
    row, bend = L[count], G[j, j] + l2[j]
    for i in range(count):
        row[i] = (G[j, active[i]] - product(L[i], row, i)) / L[i, i]
    pivot = bend - product(row, row, count)
    active[count] = j
    row[count] = np.sqrt(max(pivot, 0.0))
    return pivot > independent * bend


@njit(**INSIDE)
def leave(L, active, count, p):
    """The factor without its row p: the rows below are turned so that they are a triangle again."""
    cosine, sine = np.empty(count), np.empty(count)
    for i in range(p, count - 1):
        active[i] = active[i + 1]
        row, below = L[i], L[i + 1]
        for j in range(p):
            row[j] = below[j]
        carried = below[p]
        for j in range(p, i):
            row[j] = cosine[j] * carried + sine[j] * below[j + 1]
            carried = cosine[j] * below[j + 1] - sine[j] * carried
        length = np.sqrt(carried * carried + below[i + 1] * below[i + 1])
        cosine[i], sine[i], row[i] = carried / length, below[i + 1] / length, length


@njit(**INSIDE | REORDERED)
def solve(L, count, x):
    """x <- (L L')^-1 x."""
    for i in range(count):
        x[i] = (x[i] - product(L[i], x, i)) / L[i, i]
    for i in range(count - 1, -1, -1):
        row = L[i]
        x[i] /= row[i]
        for j in range(i):
            x[j] -= row[j] * x[i]


@njit(**SETTINGS)
def follow(G, c, l1, l2, start, nonnegative, slack, rounding, independent, most, points, slopes, steps):
    """Minima for one row of l1 and l2 after the other, from a start; how many were found.

    What is not zero solves its equations, L L' x = c - l1 sign(w); the way there ends where a coefficient becomes zero,
    and it leaves. Where nothing leaves, those that pull harder than their penalty enter: all of them, and once one has
    left, the hardest. Found is what meets the conditions of Karush, Kuhn and Tucker up to rounding, with slopes summed
    afresh. Ends early where columns depend on each other, where rounding leaves more, and after `most` steps.
    """
    count_of, d = l1.shape
    w, sign, q, diagonal = start.copy(), np.zeros(d), c.copy(), np.empty(d)
    L, active, move, count = np.empty((d, d)), np.empty(d, np.int64), np.empty(d), 0
    size, highest = 0.0, 0.0
    for j in range(d):
        diagonal[j] = G[j, j]
        size, highest = max(size, abs(c[j])), max(highest, diagonal[j])
        sign[j] = np.sign(w[j])
    for a in range(count_of):
        kinks, bends = l1[a], l2[a]
        if a == 0 or (bends != l2[a - 1]).any():
            count = 0
            for j in range(d):
                if sign[j] != 0.0:
                    if not enter(G, bends, L, active, count, j, independent):
                        return a
                    move[count] = w[j]
                    count += 1
            if a == 0:
                less_rows(G, active, move, count, q)
        found, together, taken, rounded = False, True, 0, 0
        while not found:
            if taken >= most or rounded > REFINED:
                return a
            taken += 1
            for i in range(count):
                j = active[i]
                move[i] = q[j] - kinks[j] * sign[j] - bends[j] * w[j]
            solve(L, count, move)
            share = 1.0
            for i in range(count):
                j = active[i]
                if (w[j] + move[i]) * sign[j] <= 0.0:
                    share = min(share, -w[j] / move[i] if w[j] != 0.0 else 0.0)
            gone = 0
            for i in range(count):
                j = active[i]
                crossed = (w[j] + move[i]) * sign[j] <= 0.0
                move[i] *= share
                if crossed and (w[j] + move[i]) * sign[j] <= 1e-15 * abs(w[j]):
                    move[i], sign[j] = -w[j], 0.0
                    gone += 1
                w[j] = w[j] + move[i] if sign[j] != 0.0 else 0.0
            less_rows(G, active, move, count, q)
            if gone or share < 1.0:
                for i in range(count - 1, -1, -1):
                    if sign[active[i]] == 0.0:
                        leave(L, active, count, i)
                        count -= 1
                together = False
                continue
            for fresh in range(2):
                noise = 0.0
                for j in range(d):
                    noise += abs(w[j])
                noise = rounding * (size + highest * noise)
                hardest, first, before = 0.0, -1, count
                for j in range(d):
                    if sign[j] != 0.0 or not diagonal[j] > 0.0:
                        continue
                    pull = (q[j] if nonnegative else abs(q[j])) - (kinks[j] * (1.0 + slack) + noise)
                    if pull > 0.0 and fresh == 0 and together:
                        if not enter(G, bends, L, active, count, j, independent):
                            return a
                        sign[j] = np.sign(q[j])
                        count += 1
                    if pull > hardest:
                        hardest, first = pull, j
                if first >= 0:
                    if count == before:
                        if not enter(G, bends, L, active, count, first, independent):
                            return a
                        sign[first] = np.sign(q[first])
                        count += 1
                    break
                if fresh == 0:
                    q[:] = c
                    for i in range(count):
                        move[i] = w[active[i]]
                    less_rows(G, active, move, count, q)
                else:
                    off = 0.0
                    for i in range(count):
                        j = active[i]
                        off = max(off, abs(q[j] - kinks[j] * sign[j] - bends[j] * w[j]))
                    found, rounded = off <= noise, rounded + 1
        points[a], slopes[a], steps[a] = w, q, taken
    return count_of
