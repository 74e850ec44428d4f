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
NARROW = np.float32(2.0**-22)  # the same for single precision, with room for a few operations
TOGETHER = 2**20  # rows counted in single precision before the count is taken over


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


@njit(**SETTINGS)
def count_linear(
    start,
    stop,
    order,
    offsets,
    X,
    centre,
    scale,
    Z,
    reach,
    codes,
    weight,
    present,
    base,
    subset,
    padded,
    columns,
    outside,
    A,
    delta,
    off,
    A32,
    delta32,
    off32,
    slack_w,
    slack_o,
    correct,
    doubt,
):
    """Add the weights of rows decided rightly to correct[f, j]; returns how many decisions are in doubt.

    w_j = outside_j z_j + z_S'A_j and score_k += w_j delta_kj + off_kj. In single precision first; where the lead of the
    own class is within its error (slack), once more in double.
    """
    f, q, m, K = 0, len(subset), len(columns), base.shape[1]
    w, won = np.zeros(m, np.float32), np.zeros(m, np.float32)
    hold, lead, right = np.zeros((K + 1, m), np.float32), np.zeros(m, np.float32), np.zeros(m, np.float32)
    one, none = np.float32(1.0), np.float32(0.0)
    counted, doubts = 0, 0
    for pos in range(start, stop):
        while pos >= offsets[f + 1] or counted == TOGETHER:
            for j in range(m):
                correct[f, j] += won[j]
                won[j] = none
            counted = 0
            if pos >= offsets[f + 1]:
                f += 1
        own = codes[pos]
        if not present[f, own]:
            continue
        counted += 1
        for j in range(m):
            w[j] = Z[pos, columns[j]] * outside[j]
        for a in range(0, len(padded), 4):
            x, y = Z[pos, padded[a]], Z[pos, padded[a + 1]]
            u, v = Z[pos, padded[a + 2]], Z[pos, padded[a + 3]]
            for j in range(m):
                w[j] += (x * A32[f, a, j] + y * A32[f, a + 1, j]) + (u * A32[f, a + 2, j] + v * A32[f, a + 3, j])
        largest = none
        t = 0  # other classes seen: hold[t] is the best score among them
        for k in range(K):
            if k == own or not present[f, k]:
                continue
            b = np.float32(base[pos, k] - base[pos, own])
            largest = max(largest, abs(b))
            if t == 0:
                for j in range(m):
                    hold[1, j] = b + w[j] * delta32[f, k, j] + off32[f, k, j]
            else:
                for j in range(m):
                    value = b + w[j] * delta32[f, k, j] + off32[f, k, j]
                    hold[t + 1, j] = value if value > hold[t, j] else hold[t, j]
            t += 1
        if t == 0:  # the only class of the training rows
            for j in range(m):
                hold[0, j] = -np.float32(np.inf)
        error, far = NARROW * largest, reach[pos]
        unsure = np.int32(0)
        for j in range(m):
            ahead = w[j] * delta32[f, own, j] + off32[f, own, j] - hold[t, j]
            bound = error + slack_o[f, j] + far * slack_w[f, j]
            lead[j] = ahead
            right[j] = one if ahead > bound else none
            unsure += np.int32(abs(ahead) <= bound)
        if len(weight):
            for j in range(m):
                correct[f, j] += weight[pos] * right[j]
        else:
            for j in range(m):
                won[j] += right[j]
        if unsure == 0:
            continue
        for j in range(m):
            if abs(lead[j]) > error + slack_o[f, j] + far * slack_w[f, j]:
                continue
            i, c = order[pos], columns[j]
            x = (X[i, c] - centre[c]) * scale[c] * outside[j]
            for a in range(q):
                s = subset[a]
                x += (X[i, s] - centre[s]) * scale[s] * A[f, a, j]
            verdict = precise_lead(x, f, j, own, pos, present, base, delta, off)
            if verdict == 1:
                correct[f, j] += weight[pos] if len(weight) else 1.0
            elif verdict == 0:
                if doubts < doubt.shape[0]:
                    doubt[doubts, 0], doubt[doubts, 1] = pos, j
                doubts += 1
    for j in range(m):
        correct[f, j] += won[j]
    return doubts


@njit(**SETTINGS)
def precise_lead(w, f, j, own, pos, present, base, delta, off):
    """1 where the own class leads, -1 where another does, 0 where that is a matter of rounding."""
    term = w * delta[f, own, j]
    score = base[pos, own] + term + off[f, own, j]
    size = abs(base[pos, own]) + abs(term) + abs(off[f, own, j])
    tied = False
    for k in range(base.shape[1]):
        if k == own or not present[f, k]:
            continue
        term = w * delta[f, k, j]
        lead = score - (base[pos, k] + term + off[f, k, j])
        if abs(lead) <= TINY * (size + abs(base[pos, k]) + abs(term) + abs(off[f, k, j])):
            tied = True
        elif lead < 0.0:
            return -1
    return 0 if tied else 1
