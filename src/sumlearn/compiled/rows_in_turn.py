"""Rows that are asked about and then learnt, one after the other: least squares and Gaussian classes.

Each loop carries weight, mean and scatter of what was learnt, about the mean that its caller begins with; the scatter
as a triangle to which rows are only added, or as it is, to be factorised for every row. All rows weigh something. A
loop stops at the first row that plain doubles cannot answer as well as the model itself, and says which one that is;
the caller answers that one and goes on.
"""

import math

import numpy as np
from numba import njit

from .two_words import INSIDE, SETTINGS

SUMS = INSIDE | {"fastmath": {"reassoc", "contract"}}  # sums in any order, so that they use vector instructions
PIVOT = 1e-4  # smallest pivot of a matrix with unit diagonal that is answered here
CLOSE = 1e-9  # two classes whose scores are as near as that are told apart by the model itself
FAINT = 1e-9  # share of the weight below which a class is none of ours


@njit(**SUMS)
def inner(a, b, count):
    """a'b over the first `count` entries."""
    total = 0.0
    for j in range(count):
        total += a[j] * b[j]
    return total


@njit(**INSIDE)
def factorise(S, d, penalty, scale, L):
    """Cholesky factor of D (S + penalty I) D with unit diagonal, D in `scale`; the inverse of its own diagonal on it.

    False where a pivot is too small.
    """
    for j in range(d):
        size = S[j, j] + penalty
        if not (1e-200 < size < 1e200):
            return False
        scale[j] = 1.0 / math.sqrt(size)
    for j in range(d):
        for k in range(j):
            L[j, k] = (S[j, k] * scale[j] * scale[k] - inner(L[j], L[k], k)) * L[k, k]
        pivot = 1.0 - inner(L[j], L[j], j)
        if not pivot > PIVOT:
            return False
        L[j, j] = 1.0 / math.sqrt(pivot)
    return True


@njit(**INSIDE)
def add_row(x, weight, total, mean, S, step):
    """Merge one row into mean and scatter, of which the lower half is kept; `step` is room for a row."""
    p = mean.size
    share = weight / (total + weight)
    for j in range(p):
        step[j] = x[j] - mean[j]
    factor = total * share
    for j in range(p):
        g = factor * step[j]
        row = S[j]
        for k in range(j + 1):
            row[k] += g * step[k]
        mean[j] += share * step[j]
    return total + weight


@njit(**SETTINGS)
def penalised(Z, weight, fade, total, mean, S, penalty, first, answers):
    """Answers of ridge regression to rows (x, y) of Z from `first` on, each asked before it is learnt.

    Before row i is learnt, all earlier weights are multiplied by fade[i], and the penalty is not: so the system is
    solved anew for every row. Returns the first row without an answer.
    """
    n, p = Z.shape
    d = p - 1
    L, scale, step = np.empty((d, d)), np.empty(d), np.empty(p)
    y, u = np.empty(d), np.empty(d)
    for i in range(first, n):
        if not total > 0.0 or not factorise(S, d, penalty, scale, L):
            return i
        answer = mean[d]
        for j in range(d):  # L y = D s_xy, L u = D (x - m): the answer is m_y + u'y
            y[j] = (S[d, j] * scale[j] - inner(L[j], y, j)) * L[j, j]
            u[j] = ((Z[i, j] - mean[j]) * scale[j] - inner(L[j], u, j)) * L[j, j]
            answer += u[j] * y[j]
        answers[i] = answer
        if fade[i] != 1.0:
            total *= fade[i]
            for j in range(p):
                for k in range(j + 1):
                    S[j, k] *= fade[i]
        total = add_row(Z[i], weight[i], total, mean, S, step)
    return n


@njit(**INSIDE)
def triangle(S, d, penalty, L, pivots, sizes):
    """S + penalty I = L' P L over the first d columns, row j of L being what column j explains of all that follow.

    The rows of L go on through the other columns of S. False where a pivot is too small for its column.
    """
    p = S.shape[0]
    for j in range(d):
        sizes[j] = S[j, j] + penalty
        if not (1e-200 < sizes[j] < 1e200):
            return False
        for k in range(j, p):
            L[j, k] = S[k, j]
        L[j, j] += penalty
        for m in range(j):
            g = L[m, j] * pivots[m]
            for k in range(j, p):
                L[j, k] -= g * L[m, k]
        pivots[j] = L[j, j]
        if not pivots[j] > PIVOT * sizes[j]:
            return False
        for k in range(j, p):
            L[j, k] /= pivots[j]
    return True


@njit(**INSIDE)
def learn_step(step, target, weight, L, pivots, sizes):
    """L' P L + weight step step', and what the columns explain of a target (Gill, Golub, Murray & Saunders 1974, C1).

    Nothing is subtracted from a pivot, so errors do not grow. `step` is used up. False where a pivot is too small.
    """
    d, p = L.shape
    fine, explained = True, 0.0
    for j in range(d):
        sizes[j] += weight * step[j] * step[j]
    for j in range(d):
        a = step[j]
        pivot = pivots[j] + weight * a * a
        share = weight * a / pivot
        weight *= pivots[j] / pivot
        for k in range(j + 1, d):
            step[k] -= a * L[j, k]
            L[j, k] += share * step[k]
        if p > d:
            explained += a * L[j, d]
            L[j, d] += share * (target - explained)
        pivots[j] = pivot
        fine = fine and pivot > PIVOT * sizes[j]
    return explained, fine


@njit(**SETTINGS)
def least_squares(Z, weight, fade, total, mean, S, penalty, first, answers):
    """The same where penalty and rows fade alike, as without a penalty or without fading.

    The triangle of the system goes on from row to row, at d^2 steps for each.
    """
    n, p = Z.shape
    d = p - 1
    L, pivots, sizes, step = np.empty((d, p)), np.empty(d), np.empty(d), np.empty(p)
    if not total > 0.0 or not triangle(S, d, penalty, L, pivots, sizes):
        return first
    for i in range(first, n):
        for j in range(p):
            step[j] = Z[i, j] - mean[j]
        total *= fade[i]
        if fade[i] != 1.0:
            for j in range(d):
                pivots[j] *= fade[i]
                sizes[j] *= fade[i]
        share = weight[i] / (total + weight[i])
        answers[i] = mean[d]
        for j in range(p):
            mean[j] += share * step[j]
        explained, fine = learn_step(step, step[d], total * share, L, pivots, sizes)
        answers[i] += explained
        total += weight[i]
        if not fine:
            return i + 1
    return n


@njit(**INSIDE)
def best_of(scores, close):
    """The largest score; -1 where another may be as good."""
    best = 0
    for k in range(1, scores.size):
        if scores[k] > scores[best]:
            best = k
    for k in range(scores.size):
        if k != best and not scores[best] - scores[k] > close * (1.0 + abs(scores[best])):
            return -1
    return best


@njit(**SETTINGS)
def naive_bayes(X, codes, weight, fade, totals, means, squares, smoothing, first, answers):
    """Classes that Gaussian naive Bayes gives to rows, each asked before it is learnt; arrays by class and column."""
    n, d = X.shape
    K = totals.size
    scores = np.empty(K)
    for i in range(first, n):
        total = 0.0
        for k in range(K):
            total += totals[k]
        if not total > 0.0:
            return i
        spread = 0.0
        for j in range(d):
            mean, within = 0.0, 0.0
            for k in range(K):
                mean += totals[k] / total * means[k, j]
            for k in range(K):
                away = means[k, j] - mean
                within += squares[k, j] + totals[k] * away * away
            spread = max(spread, within / total)
        floor = smoothing * spread
        if not (1e-200 < floor < 1e200):
            return i
        for k in range(K):
            scores[k] = -np.inf
            if totals[k] > 0.0:
                if totals[k] < FAINT * total:
                    return i
                score = math.log(totals[k] / total)
                for j in range(d):
                    variance = squares[k, j] / totals[k] + floor
                    away = X[i, j] - means[k, j]
                    score -= 0.5 * (math.log(variance) + away * away / variance)
                scores[k] = score
        answers[i] = best_of(scores, CLOSE)
        if answers[i] < 0:
            return i
        c, w = codes[i], weight[i]
        if fade[i] != 1.0:
            totals *= fade[i]
            squares *= fade[i]
        share = w / (totals[c] + w)
        for j in range(d):
            away = X[i, j] - means[c, j]
            squares[c, j] += totals[c] * share * away * away
            means[c, j] += share * away
        totals[c] += w
    return n


@njit(**SETTINGS)
def discriminant(X, codes, weight, fade, totals, means, S, close, first, answers):
    """Classes that a linear discriminant gives to rows, each asked before it is learnt; S is pooled."""
    n, d = X.shape
    K = totals.size
    L, pivots, sizes = np.empty((d, d)), np.empty(d), np.empty(d)
    step, scores = np.empty(d), np.empty(K)
    if not triangle(S, d, 0.0, L, pivots, sizes):
        return first
    for i in range(first, n):
        total, seen = 0.0, 0
        for k in range(K):
            total += totals[k]
            seen += 1 if totals[k] > 0.0 else 0
        if seen < 2:
            return i
        for k in range(K):
            scores[k] = -np.inf
            if totals[k] > 0.0:
                if totals[k] < FAINT * total:
                    return i
                for j in range(d):
                    step[j] = X[i, j] - means[k, j]
                scores[k] = math.log(totals[k] / total) - 0.5 * total * length(step, L, pivots)
        answers[i] = best_of(scores, max(close, CLOSE))
        if answers[i] < 0:
            return i
        c = codes[i]
        for j in range(d):
            step[j] = X[i, j] - means[c, j]
        if fade[i] != 1.0:
            for k in range(K):
                totals[k] *= fade[i]
            for j in range(d):
                pivots[j] *= fade[i]
                sizes[j] *= fade[i]
        share = weight[i] / (totals[c] + weight[i])
        for j in range(d):
            means[c, j] += share * step[j]
        _, fine = learn_step(step, 0.0, totals[c] * share, L, pivots, sizes)
        totals[c] += weight[i]
        if not fine:
            return i + 1
    return n


@njit(**INSIDE)
def length(step, L, pivots):
    """step' (L' P L)^-1 step; `step` is used up."""
    total = 0.0
    for j in range(step.size):
        a = step[j]
        total += a * a / pivots[j]
        for k in range(j + 1, step.size):
            step[k] -= a * L[j, k]
    return total
