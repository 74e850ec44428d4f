"""Steps of a neural network that BLAS has no word for: one pass each, in place, where NumPy would take several.

Arrays are of float32 or float64; numbers take the type of the arrays, so that loops stay as wide as they can be.
"""

import numpy as np
from numba import njit

from .two_words import SETTINGS

IDENTITY, RELU, LEAKY, ELU, TANH, LOGISTIC = 0, 1, 2, 3, 4, 5
SUMS = SETTINGS | {"fastmath": {"contract"}}


@njit(**SUMS)
def activate(z, b, kind, number):
    """z <- f(z + b), row by row. Of tanh and logistic the sum alone: their values are the business of NumPy."""
    c, zero, one = z.dtype.type(number), z.dtype.type(0.0), z.dtype.type(1.0)
    n, k = z.shape
    for i in range(n):
        row = z[i]
        if kind == RELU:
            for j in range(k):
                s = row[j] + b[j]
                row[j] = s if s > zero or s != s else zero  # NaN goes on, so that it is seen
        elif kind == LEAKY:
            for j in range(k):
                s = row[j] + b[j]
                row[j] = s if s > zero else c * s
        elif kind == ELU:
            for j in range(k):
                s = row[j] + b[j]
                row[j] = s if s > zero else c * (np.exp(s) - one)
        else:
            for j in range(k):
                row[j] += b[j]


@njit(**SUMS)
def through_slope(delta, a, kind, number, sums):
    """delta <- delta f'(z), told by a = f(z); sums <- their sums over the rows, the slopes of the intercepts."""
    c, zero, one = a.dtype.type(number), a.dtype.type(0.0), a.dtype.type(1.0)
    n, k = a.shape
    sums[:] = zero
    for i in range(n):
        d, v = delta[i], a[i]
        if kind == RELU:
            for j in range(k):
                d[j] = d[j] if v[j] > zero else zero
                sums[j] += d[j]
        elif kind == LEAKY:
            for j in range(k):
                d[j] = d[j] if v[j] > zero else c * d[j]
                sums[j] += d[j]
        elif kind == ELU:
            for j in range(k):
                d[j] = d[j] if v[j] > zero else d[j] * (v[j] + c)
                sums[j] += d[j]
        elif kind == TANH:
            for j in range(k):
                d[j] *= one - v[j] * v[j]
                sums[j] += d[j]
        elif kind == LOGISTIC:
            for j in range(k):
                d[j] *= v[j] * (one - v[j])
                sums[j] += d[j]
        else:
            for j in range(k):
                sums[j] += d[j]


@njit(**SETTINGS)
def softmax_slopes(z, b, code, share):
    """z <- share (softmax(z + b) - 1 at the class of the row); the sum of share times -ln p of that class.

    `share` is the weight of each row over that of all, or a single number for all of them.
    """
    n, k = z.shape
    total = 0.0
    for i in range(n):
        row, s = z[i], share[i if len(share) > 1 else 0]
        top = -np.inf
        for j in range(k):
            row[j] += b[j]
            top = max(top, row[j])
        own, mass = row[code[i]] - top, z.dtype.type(0.0)
        for j in range(k):
            row[j] = np.exp(row[j] - z.dtype.type(top))
            mass += row[j]
        total += s * (np.log(mass) - own)
        scale = s / mass
        for j in range(k):
            row[j] *= scale
        row[code[i]] -= s
    return total


@njit(**SETTINGS)
def sigmoid_slopes(z, b, target, share):
    """z <- share (sigma(z + b) - target); the sum of share times the cross-entropy ln(1 + exp z) - target z."""
    n, k = z.shape
    total = 0.0
    for i in range(n):
        s = share[i if len(share) > 1 else 0]
        for j in range(k):
            v = z[i, j] + b[j]
            e = np.exp(-abs(v))
            p = (1.0 if v >= 0 else e) / (1.0 + e)
            total += s * (np.log1p(e) + (v if v > 0 else 0.0) - target[i, j] * v)
            z[i, j] = s * (p - target[i, j])
    return total


@njit(**SETTINGS)
def squared_slopes(z, b, target, share):
    """z <- share (z + b - target); the sum of share times half its square."""
    n, k = z.shape
    total = 0.0
    for i in range(n):
        s = share[i if len(share) > 1 else 0]
        for j in range(k):
            r = z[i, j] + b[j] - target[i, j]
            total += 0.5 * s * r * r
            z[i, j] = s * r
    return total


@njit(**SUMS)
def sgd(w, g, v, rate, momentum, nesterov):
    """v <- m v - rate g; w <- w + v, or w + m v - rate g."""
    h, m = w.dtype.type(rate), w.dtype.type(momentum)
    for i in range(len(w)):
        d = h * g[i]
        v[i] = m * v[i] - d
        w[i] += m * v[i] - d if nesterov else v[i]


@njit(**SUMS)
def adam(w, g, v, s, rate, beta_1, beta_2, epsilon):
    """v and s <- means of slopes and of their squares; w <- w - rate v / (sqrt(s) + e)."""
    h, e = w.dtype.type(rate), w.dtype.type(epsilon)
    b1, b2 = w.dtype.type(beta_1), w.dtype.type(beta_2)
    c1, c2 = w.dtype.type(1.0 - beta_1), w.dtype.type(1.0 - beta_2)
    for i in range(len(w)):
        v[i] = b1 * v[i] + c1 * g[i]
        s[i] = b2 * s[i] + c2 * g[i] * g[i]
        w[i] -= h * v[i] / (np.sqrt(s[i]) + e)


@njit(**SUMS)
def silence(a, draws, dropout, out, factors):
    """factors <- 0 where the draw is below the share of dropout, else 1 / (1 - dropout); out <- a factors."""
    p, keep = a.dtype.type(dropout), a.dtype.type(1.0 / (1.0 - dropout))
    n, k = a.shape
    for i in range(n):
        for j in range(k):
            factors[i, j] = keep if draws[i, j] >= p else a.dtype.type(0.0)
            out[i, j] = a[i, j] * factors[i, j]
