"""Correct decisions of Gaussian classifiers with a covariance for each class, on rows left out.

Positions, doubts and the form of the loops are those of ``discriminant_scores.py``; all in double.
"""

import numpy as np
from numba import njit

from .two_words import SETTINGS

TINY = 2.0**-40  # share of the terms of a score within which two scores count as equal


@njit(**SETTINGS)
def quadratic_base(start, stop, order, offsets, X, centre, scale, subset, means, P, constant, base):
    """base[pos, k] = constant_k - 1/2 (z - m_k)_S'P_k (z - m_k)_S."""
    f, q, K = 0, len(subset), P.shape[1]
    z, away = np.empty(q), np.empty(q)
    for pos in range(start, stop):
        while pos >= offsets[f + 1]:
            f += 1
        i = order[pos]
        for a in range(q):
            j = subset[a]
            z[a] = (X[i, j] - centre[j]) * scale[j]
        for k in range(K):
            for a in range(q):
                away[a] = z[a] - means[f, k, a]
            total = 0.0
            for a in range(q):
                inner = 0.5 * P[f, k, a, a] * away[a]
                for b in range(a):
                    inner += P[f, k, a, b] * away[b]
                total += inner * away[a]
            base[pos, k] = constant[f, k] - total


@njit(**SETTINGS)
def diagonal_base(start, stop, order, offsets, X, centre, scale, subset, means, precision, constant, base):
    """base[pos, k] = constant_k - 1/2 sum_s (z_s - m_ks)^2 precision_ks."""
    f, q, K = 0, len(subset), means.shape[1]
    for pos in range(start, stop):
        while pos >= offsets[f + 1]:
            f += 1
        i = order[pos]
        for k in range(K):
            total = 0.0
            for a in range(q):
                j = subset[a]
                away = (X[i, j] - centre[j]) * scale[j] - means[f, k, a]
                total += away * away * precision[f, k, a]
            base[pos, k] = constant[f, k] - 0.5 * total


@njit(**SETTINGS)
def count_quadratic(
    start,
    stop,
    order,
    offsets,
    X,
    centre,
    scale,
    codes,
    weight,
    present,
    base,
    subset,
    columns,
    outside,
    A,
    shift,
    gain,
    off,
    slack,
    extra,
    correct,
    doubt,
):
    """Add the weights of rows decided rightly to correct[f, j]; returns how many decisions are in doubt.

    score_k += off_kj - 1/2 gain_kj w_kj^2, w_kj = outside_j z_j + z_S'A_kj - shift_kj. A lead counts from a share of
    the scores on, which `slack` widens; `extra` is the least size of the scores.
    """
    f, q, m, K = 0, len(subset), len(columns), base.shape[1]
    z, zs, w, mine, right = np.empty(m), np.empty(q), np.empty(m), np.empty(m), np.empty(m)
    hold = np.full((K + 1, m), -np.inf)
    doubts = 0
    for pos in range(start, stop):
        while pos >= offsets[f + 1]:
            f += 1
        i = order[pos]
        own = codes[pos]
        if not present[f, own]:
            continue
        for j in range(m):
            c = columns[j]
            z[j] = (X[i, c] - centre[c]) * scale[c] * outside[j]
        for a in range(q):
            s = subset[a]
            zs[a] = (X[i, s] - centre[s]) * scale[s]
        size, t = extra[f], 0
        for k in range(K):
            if not present[f, k]:
                continue
            b = base[pos, k]
            size = max(size, abs(b))
            for j in range(m):
                w[j] = z[j] - shift[f, k, j]
            for a in range(0, q, 4):
                x, y, u, v = zs[a], zs[a + 1], zs[a + 2], zs[a + 3]
                for j in range(m):
                    w[j] += x * A[f, k, a, j] + y * A[f, k, a + 1, j]
                    w[j] += u * A[f, k, a + 2, j] + v * A[f, k, a + 3, j]
            if k == own:
                for j in range(m):
                    mine[j] = b + off[f, k, j] - 0.5 * gain[f, k, j] * w[j] * w[j]
            else:
                for j in range(m):
                    value = b + off[f, k, j] - 0.5 * gain[f, k, j] * w[j] * w[j]
                    hold[t + 1, j] = value if value > hold[t, j] else hold[t, j]
                t += 1
        s = weight[pos] if len(weight) else 1.0
        unsure = 0
        for j in range(m):
            lead, other = mine[j] - hold[t, j], hold[t, j] if t > 0 else 0.0
            bound = (TINY + slack[f, j]) * (size + abs(mine[j]) + abs(other))
            right[j] = s if lead > bound else 0.0
            w[j] = abs(lead) - bound
            unsure += np.int64(w[j] <= 0.0)
        for j in range(m):
            correct[f, j] += right[j]
        if unsure:
            for j in range(m):
                if w[j] <= 0.0:
                    if doubts < doubt.shape[0]:
                        doubt[doubts, 0], doubt[doubts, 1] = pos, j
                    doubts += 1
    return doubts
