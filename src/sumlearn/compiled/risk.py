"""Value and gradient of a sum of log-losses, row by row: every row is read once, while it is in the cache.

Sums of logarithms are taken as logarithms of products, some rows at a time, which saves a logarithm for every row;
where the losses are tiny, so that 1 + e would round to 1, they are taken one by one.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

TOGETHER = 64  # rows whose factors are multiplied: each is at most 2, or the number of classes
TINY = 1e-3  # below this a factor 1 + e has lost digits of e
ORDERS = {"reassoc", "contract"}  # sums may be taken in any order; NaN and infinity keep their meaning


@njit(cache=True, nogil=True, fastmath=ORDERS)
def logistic(X, y, weight, coef, constant, gradient):
    """sum s log(1 + exp(-y f)), its gradient (added to, the constant last), and the smallest margin y f."""
    n, d = X.shape
    value, product, pending = 0.0, 1.0, 0
    margin = np.inf
    for i in range(n):
        f = constant
        for j in range(d):
            f += X[i, j] * coef[j]
        m = y[i] * f
        margin = min(margin, m)
        e = math.exp(-abs(m))
        wrong = (e if m > 0.0 else 1.0) / (1.0 + e)
        s = 1.0
        if len(weight):
            s = weight[i]
            value += s * math.log1p(e)
        elif e < TINY:
            value += math.log1p(e)
        else:
            product *= 1.0 + e
            pending += 1
            if pending == TOGETHER:
                value += math.log(product)
                product, pending = 1.0, 0
        if m < 0.0:
            value -= s * m
        slope = -y[i] * wrong * s
        for j in range(d):
            gradient[j] += slope * X[i, j]
        gradient[d] += slope
    return value + math.log(product), margin


@njit(cache=True, nogil=True, fastmath=ORDERS)
def softmax(X, y, weight, coef, constant, gradient):
    """-sum s log p_y, its gradient (outputs, d + 1), added to, and the smallest lead of the own class."""
    n, d = X.shape
    K = len(constant)
    f = np.empty(K)
    value, product, pending = 0.0, 1.0, 0
    margin = np.inf
    together = TOGETHER if K < 2000 else 1
    for i in range(n):
        own = y[i]
        for k in range(K):
            a = constant[k]
            for j in range(d):
                a += X[i, j] * coef[k, j]
            f[k] = a
        top, other = -np.inf, -np.inf
        for k in range(K):
            top = max(top, f[k])
            if k != own:
                other = max(other, f[k])
        margin = min(margin, f[own] - other)
        s = weight[i] if len(weight) else 1.0
        value += s * (top - f[own])
        total = 0.0
        for k in range(K):
            f[k] = math.exp(f[k] - top)
            total += f[k]
        if len(weight):
            value += s * math.log(total)
        elif total < 1.0 + TINY:  # one class leads by far
            value += math.log1p(without_top(f))
        else:
            product *= total
            pending += 1
            if pending == together:
                value += math.log(product)
                product, pending = 1.0, 0
        for k in range(K):
            slope = s * (f[k] / total - (1.0 if k == own else 0.0))
            for j in range(d):
                gradient[k, j] += slope * X[i, j]
            gradient[k, d] += slope
    return value + math.log(product), margin


@njit(cache=True, nogil=True)
def without_top(e):
    """The sum of all but the largest, which is one."""
    total, seen = 0.0, False
    for value in e:
        if value == 1.0 and not seen:
            seen = True
        else:
            total += value
    return total
