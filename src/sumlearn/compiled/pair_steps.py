"""Sequential minimal optimisation: two numbers of a dual at a time, and what surrounds it.

    max_b  sum_n (t_n b_n - e |b_n|) - b'Kb / 2,    lower_n <= b_n <= upper_n,    sum_n b_n fixed

f = t - K b is the slope. A number may rise at the price e, or e less where it is negative, and fall likewise; the best
slope of what may rise, less the least of what may fall, is what is left to do. The pair is chosen by second order (Fan,
Chen & Lin 2005).
"""

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from .gaussian_kernel import PLAIN

BIG = 1e300
TILE = 2048  # columns that are summed while they are in the cache


def _chosen(which):
    """Python's min and max are no reductions of vectors: fifteen times slower."""

    @intrinsic
    def choose(typing_context, a, b):
        def generate(context, builder, signature, arguments):
            return builder.select(builder.fcmp_ordered(which, *arguments, flags=["fast"]), *arguments, flags=["fast"])

        return types.float64(types.float64, types.float64), generate

    return choose


smaller, larger = _chosen("<"), _chosen(">")


@njit(**PLAIN)
def bar(t, beta, lower, upper, epsilon, up, low):
    """What stands against the number t rising and falling: the price of |b|, or a bound."""
    b = beta[t]
    up[t] = (-epsilon if b >= 0.0 else epsilon) if b < upper[t] else -BIG
    low[t] = (-epsilon if b > 0.0 else epsilon) if b > lower[t] else BIG


@njit(**PLAIN)
def pair_steps(K, f, beta, lower, upper, epsilon, flat, tol, most):
    """Pairs among all rows of a matrix, until nothing above `tol` is left or `most` were changed; their number.

    f and beta are changed. Where a pair bends less than `flat`, it counts as so much.
    """
    n = len(f)
    up, low, gain, diagonal = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for t in range(n):
        bar(t, beta, lower, upper, epsilon, up, low)
        diagonal[t] = K[t, t]
    i, j, step, done = 0, 0, 0.0, 0
    while True:
        Ki, Kj = K[i], K[j]
        m, M = -BIG, BIG
        for t in range(n):
            v = f[t] - step * (Ki[t] - Kj[t])
            f[t] = v
            m = larger(m, v + up[t])
            M = smaller(M, v + low[t])
        if m - M <= tol or done >= most:
            return done
        i = 0
        while f[i] + up[i] != m and i < n - 1:
            i += 1
        Ki, a, best = K[i], diagonal[i], -1.0
        for t in range(n):
            lead = larger(m - f[t] - low[t], 0.0)
            v = lead * lead / larger(a + diagonal[t] - 2.0 * Ki[t], flat)
            gain[t] = v
            best = larger(best, v)
        j = 0
        while gain[j] != best and j < n - 1:
            j += 1
        step = (m - f[j] - low[j]) / max(a + diagonal[j] - 2.0 * Ki[j], flat)
        below, above = epsilon > 0.0 and beta[i] < 0.0, epsilon > 0.0 and beta[j] > 0.0
        high, deep = 0.0 if below else upper[i], 0.0 if above else lower[j]  # a kink at zero, or a bound
        rise, fall = high - beta[i], beta[j] - deep
        step = min(step, rise, fall)
        beta[i] = high if step == rise else beta[i] + step  # exactly there
        beta[j] = deep if step == fall else beta[j] - step
        bar(i, beta, lower, upper, epsilon, up, low)
        bar(j, beta, lower, upper, epsilon, up, low)
        done += 1


@njit(**PLAIN)
def sum_rows(K, slots, weight, out):
    """out += sum_r weight_r K[slots_r], over the columns of out."""
    n, rows = len(out), len(slots)
    for first in range(0, n, TILE):
        last = min(n, first + TILE)
        r = 0
        while r + 4 <= rows:
            a, b, c, d = K[slots[r]], K[slots[r + 1]], K[slots[r + 2]], K[slots[r + 3]]
            p, q, s, t = weight[r], weight[r + 1], weight[r + 2], weight[r + 3]
            for k in range(first, last):
                out[k] += p * a[k] + q * b[k] + (s * c[k] + t * d[k])
            r += 4
        while r < rows:
            a, p = K[slots[r]], weight[r]
            for k in range(first, last):
                out[k] += p * a[k]
            r += 1


@njit(**PLAIN)
def gathered(K, slots, columns, out):
    """out[r, c] = K[slots_r, columns_c]."""
    for r in range(len(slots)):
        row = K[slots[r]]
        for c in range(len(columns)):
            out[r, c] = row[columns[c]]


@njit(**PLAIN)
def compacted(K, slots, columns):
    """K[s, :m] = K[s, columns], in place: columns rise."""
    for s in slots:
        row = K[s]
        for c in range(len(columns)):
            row[c] = row[columns[c]]
