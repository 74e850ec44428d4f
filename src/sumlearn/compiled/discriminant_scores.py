"""Correct decisions of Gaussian classifiers on rows left out, for all subsets that differ from one in one column.

Rows are named by position: `order[pos]` is the row, `offsets` bounds the positions of each split. Decisions that
rounding could turn are not made here but listed (`doubt`: position and column), for whoever can refit.

Loops over columns are written so that LLVM makes vectors of them: a maximum goes to another row of `hold` than it comes
from, since the compiler would make a branch of a store that may change nothing; four columns of the subset are added at
a time, their number filled up with zeros; and rows of arrays are not made views inside the loops, since threads would
wait for each other at the counters of references.
"""

import numpy as np
from numba import njit

from .two_words import SETTINGS

TINY = 2.0**-40  # share of the terms of a score within which two scores count as equal
SINGLE = 2.0**-24  # rounding of single precision
LANES, FEW = 32, 8  # numbers that a vector loop takes at a time: widths are multiples, no loop has a rest
ROWS = 64  # rows whose terms are found together
FUSED = SETTINGS | {"fastmath": {"contract"}}  # a product and a sum may round once


@njit(**SETTINGS)
def padded(columns):
    """A width that vector loops go through without a rest; a narrow table is not made much wider for it."""
    lanes = LANES if columns > LANES // 2 else FEW
    return (columns + lanes - 1) // lanes * lanes


@njit(**SETTINGS)
def standardise(start, stop, order, X, centre, scale, Z, reach):
    """Z[pos] = (x - centre) * scale in single precision, and the largest |z| of every row."""
    for pos in range(start, stop):
        i = order[pos]
        for j in range(X.shape[1]):
            Z[pos, j] = (X[i, j] - centre[j]) * scale[j]
        top = np.float32(0.0)
        for j in range(X.shape[1]):
            top = max(top, abs(Z[pos, j]))
        reach[pos] = top


@njit(**SETTINGS)
def linear_base(start, stop, order, offsets, X, centre, scale, subset, W, constant, base):
    """base[pos, k] = constant_k + z_S'W_k, the discriminants of the subset itself."""
    f, q, K = 0, len(subset), W.shape[2]
    for pos in range(start, stop):
        while pos >= offsets[f + 1]:
            f += 1
        i = order[pos]
        for k in range(K):
            base[pos, k] = constant[f, k]
        for a in range(q):
            j = subset[a]
            z = (X[i, j] - centre[j]) * scale[j]
            for k in range(K):
                base[pos, k] += z * W[f, a, k]


@njit(**FUSED)
def count_linear(
    start,
    stop,
    order,
    bounds,
    X,
    centre,
    scale,
    Z,
    reach,
    weight,
    present,
    T,
    log_priors,
    subset,
    columns,
    correct,
    doubt,
):
    """Add the weights of rows decided rightly to correct[f, j]; returns how many decisions are in doubt.

    T holds, for each split, the covariance within the classes swept on the subset, with the class means beside it.
    The score of class k is c_k + z_S'W_k, and that of a neighbour of the subset w_j delta_kj + off_kj more, where
    w_j = z_j + z_S'A_j if column j enters, z_S'A_j if it leaves. By how much the own class leads all others is found in
    single precision; where that is within its error, once more in double.

    Positions bounds[r] to bounds[r + 1] are those of one split and one class, r = split * classes + class.
    """
    K, size, q, m = present.shape[1], T.shape[1] - present.shape[1], len(subset), len(columns)
    straight = 2 * m >= size  # then it is faster to go over all columns, than to pick some of each row
    width = Z.shape[1] if straight else padded(m)
    depth = (q + 3) // 4 * 4  # four columns of the subset are added at a time
    inside = np.zeros(depth, np.int64)
    inside[:q] = subset
    A, w, outside = np.zeros((depth, width), np.float32), np.zeros(width, np.float32), np.zeros(width, np.float32)
    D, O = np.zeros((K + 1, width), np.float32), np.zeros((K + 1, width), np.float32)
    V, g = np.zeros((K + 1, depth), np.float32), np.zeros(K + 1, np.float32)
    slack_o, slack_w = np.full(width, -np.float32(np.inf)), np.zeros(width, np.float32)
    hold, won = np.full((K + 2, width), np.float32(np.inf)), np.zeros(width, np.float32)
    z, base = np.zeros((depth, ROWS), np.float32), np.zeros((K + 1, ROWS), np.float32)
    at, where = np.full(width, -1), np.zeros(m, np.int64)
    for j in range(m):
        where[j] = columns[j] if straight else j
        at[where[j]] = j
    one, none = np.float32(1.0), np.float32(0.0)
    doubts = 0
    for r in range(len(bounds) - 1):
        first, last = max(start, bounds[r]), min(stop, bounds[r + 1])
        f, own = r // K, r % K
        if first >= last or not present[f, own]:
            continue
        others = differences(T[f], size, own, present[f], log_priors[f], subset, columns, where, A, outside, D, O, V, g)
        if others == 0:  # the only class of the training rows
            for pos in range(first, last):
                for j in range(m):
                    correct[f, j] += weight[pos] if len(weight) else 1.0
            continue
        error_of_single(q, m, others, where, A, outside, D, O, V, g, slack_o, slack_w)
        pairs = (others + 1) // 2
        for block in range(first, last, ROWS):
            rows = min(ROWS, last - block)
            for a in range(depth):
                for i in range(rows):
                    z[a, i] = Z[block + i, inside[a]]
            for t in range(2 * pairs):
                for i in range(rows):
                    base[t, i] = g[t]
                for a in range(0, depth, 4):
                    for i in range(rows):
                        base[t, i] += (V[t, a] * z[a, i] + V[t, a + 1] * z[a + 1, i]) + (
                            V[t, a + 2] * z[a + 2, i] + V[t, a + 3] * z[a + 3, i]
                        )
            for i in range(rows):
                pos = block + i
                if straight:
                    for j in range(width):
                        w[j] = Z[pos, j] * outside[j]
                else:
                    for j in range(m):
                        w[j] = Z[pos, columns[j]] * outside[j]
                for a in range(0, depth, 4):
                    x, y, u, v = z[a, i], z[a + 1, i], z[a + 2, i], z[a + 3, i]
                    for j in range(width):
                        w[j] += (x * A[a, j] + y * A[a + 1, j]) + (u * A[a + 2, j] + v * A[a + 3, j])
                for p in range(pairs):  # hold[p + 1] is the least lead over the classes so far
                    x, y = base[2 * p, i], base[2 * p + 1, i]
                    for j in range(width):
                        u = x + O[2 * p, j] + w[j] * D[2 * p, j]
                        v = y + O[2 * p + 1, j] + w[j] * D[2 * p + 1, j]
                        least = u if u < v else v
                        hold[p + 1, j] = least if least < hold[p, j] else hold[p, j]
                far, unsure = reach[pos], np.int32(0)
                if len(weight):
                    for j in range(m):
                        ahead = hold[pairs, where[j]] > slack_o[where[j]] + far * slack_w[where[j]]
                        correct[f, j] += weight[pos] if ahead else 0.0
                for j in range(width):
                    bound = slack_o[j] + far * slack_w[j]
                    won[j] += one if hold[pairs, j] > bound else none
                    unsure += np.int32(not (abs(hold[pairs, j]) > bound))
                if unsure == 0:
                    continue
                for j in range(width):
                    if at[j] < 0 or abs(hold[pairs, j]) > slack_o[j] + far * slack_w[j]:
                        continue
                    row = order[pos]
                    verdict = precise_lead(
                        X[row], centre, scale, T[f], size, own, present[f], log_priors[f], subset, columns[at[j]]
                    )
                    if verdict == 1:
                        correct[f, at[j]] += weight[pos] if len(weight) else 1.0
                    elif verdict == 0:
                        if doubts < doubt.shape[0]:
                            doubt[doubts, 0], doubt[doubts, 1] = pos, at[j]
                        doubts += 1
            for j in range(m):
                if len(weight) == 0:
                    correct[f, j] += won[where[j]]
                won[where[j]] = none
    return doubts


@njit(**SETTINGS)
def differences(T, size, own, present, log_priors, subset, columns, at, A, outside, D, O, V, g):
    """Terms of the lead of the own class over every other, in single precision; returns how many others there are.

    An odd number of others is made even by naming the last one twice.
    """
    q = len(subset)
    for j in range(len(columns)):
        column, place = columns[j], at[j]
        outside[place] = 1.0
        for a in range(q):
            A[a, place] = -T[subset[a], column]
            if subset[a] == column:
                outside[place] = 0.0
    t = 0
    for k in range(len(present)):
        if k == own or not present[k]:
            continue
        x, y = size + own, size + k
        g[t] = log_priors[own] - log_priors[k] + 0.5 * (T[x, x] - T[y, y])
        for a in range(q):
            V[t, a] = T[subset[a], x] - T[subset[a], y]
        for j in range(len(columns)):
            column, place = columns[j], at[j]
            mine, its, pivot = T[column, x], T[column, y], T[column, column]
            D[t, place] = (mine - its) / pivot
            O[t, place] = -0.5 * (mine * mine - its * its) / pivot
        t += 1
    if t % 2:
        g[t], V[t], D[t], O[t] = g[t - 1], V[t - 1], D[t - 1], O[t - 1]
    return t


@njit(**SETTINGS)
def error_of_single(q, m, others, at, A, outside, D, O, V, g, slack_o, slack_w):
    """The error of a lead found in single precision is below slack_o + slack_w max |z|."""
    rounding = SINGLE * (q + 8.0)
    fixed, linear = 0.0, 0.0
    for t in range(others):
        total = 0.0
        for a in range(q):
            total += abs(V[t, a])
        linear, fixed = max(linear, total), max(fixed, abs(g[t]))
    for j in range(m):
        p, total, steep, away = at[j], 0.0, 0.0, 0.0
        for a in range(q):
            total += abs(A[a, p])
        for t in range(others):
            steep, away = max(steep, abs(D[t, p])), max(away, abs(O[t, p]))
        slack_o[p] = rounding * (fixed + away)
        slack_w[p] = rounding * (linear + (outside[p] + total) * steep)


@njit(**SETTINGS)
def precise_lead(x, centre, scale, T, size, own, present, log_priors, subset, column):
    """1 where the own class leads after the column entered or left, -1 where another does, 0 where rounding decides."""
    w, entering = 0.0, True
    for a in subset:
        w -= T[a, column] * (x[a] - centre[a]) * scale[a]
        entering &= a != column
    if entering:
        w += (x[column] - centre[column]) * scale[column]
    score, size_of_score = precise_score(x, centre, scale, T, size, own, log_priors, subset, column, w)
    tied = False
    for k in range(len(present)):
        if k == own or not present[k]:
            continue
        its, size_of_its = precise_score(x, centre, scale, T, size, k, log_priors, subset, column, w)
        if abs(score - its) <= TINY * (size_of_score + size_of_its):
            tied = True
        elif score < its:
            return -1
    return 0 if tied else 1


@njit(**SETTINGS)
def precise_score(x, centre, scale, T, size, k, log_priors, subset, column, w):
    """The score of a class after the column entered or left, and the sizes of its terms."""
    y = size + k
    mean, pivot = T[column, y], T[column, column]
    base = log_priors[k] + 0.5 * T[y, y]
    sizes = abs(log_priors[k]) + abs(0.5 * T[y, y])
    for a in subset:
        term = T[a, y] * (x[a] - centre[a]) * scale[a]
        base += term
        sizes += abs(term)
    gain, off = w * mean / pivot, -0.5 * mean * mean / pivot
    return base + gain + off, sizes + abs(gain) + abs(off)
