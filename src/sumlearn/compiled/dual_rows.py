"""Dual coordinate descent: one number for each row, changed in turn, with rows left out that stay at their bounds.

    min_b  |sum b_n x_n|^2 / 2 + sum (r_n b_n^2 / 2 - t_n b_n + e |b_n|),    lower_n <= b_n <= upper_n

Hsieh, Chang, Lin, Keerthi & Sundararajan 2008; Ho & Lin 2012. Rows are `values`, `indices`, `indptr` of a sparse matrix
by rows, or dense ones where the last two are empty. `w` holds sum b_n x_n, and behind it the weight of a column that
has the value `bias` in every row.
"""

import math

import numpy as np
from numba import njit

from .patterns import AHEAD, add, dot, fetch_row, shuffle, square
from .two_words import SETTINGS

INNER = 3  # Newton steps in one number: the next visit of the row takes it from there


@njit(**SETTINGS)
def squares(values, indptr, n):
    """x'x of every row."""
    out = np.empty(n)
    d = len(values) // n if n else 0
    for i in range(n):
        if indptr.size:
            out[i] = square(values[indptr[i] : indptr[i + 1]])
        else:
            out[i] = square(values[i * d : (i + 1) * d])
    return out


@njit(**SETTINGS)
def fetch_after(values, indices, indptr, d, order, s):
    """Begin to read a row that comes soon."""
    if s + AHEAD < len(order):
        i = order[s + AHEAD]
        if indptr.size:
            fetch_row(values, indptr[i], indptr[i + 1])
            fetch_row(indices, indptr[i], indptr[i + 1])
        else:
            fetch_row(values, i * d, (i + 1) * d)


@njit(**SETTINGS)
def box_epochs(
    values, indices, indptr, sizes, target, lower, upper, ridge, epsilon, bias, offset, beta, w, order, active, bound,
    seed, epochs, tol,
):
    """Some epochs; returns how many rows are active, the bound for leaving others out, the largest violation of the
    last epoch (over all rows, if it is below `tol`) and the number of epochs."""
    n, d = len(beta), len(w) - 1
    worst, done = np.inf, 0
    while done < epochs:
        shuffle(order[:active], seed + done)
        done += 1
        worst = 0.0
        s = 0
        while s < active:
            i = order[s]
            fetch_after(values, indices, indptr, d, order[:active], s)
            start, stop = (indptr[i], indptr[i + 1]) if indptr.size else (i * d, (i + 1) * d)
            row, columns = values[start:stop], indices[start:stop]
            b, lo, hi = beta[i], lower[i], upper[i]
            g = dot(row, columns, w) + bias * w[d] + offset - target[i] + ridge[i] * b
            right = g + epsilon if b >= 0.0 else g - epsilon  # slopes to both sides
            left = g + epsilon if b > 0.0 else g - epsilon
            wrong, out = 0.0, False
            if b >= hi:
                wrong, out = max(left, 0.0), left < -bound
            elif b <= lo:
                wrong, out = max(-right, 0.0), right > bound
            elif right < 0.0:
                wrong = -right
            elif left > 0.0:
                wrong = left
            else:
                out = right > bound and left < -bound
            if out:
                active -= 1
                order[s], order[active] = order[active], order[s]
                continue
            s += 1
            worst = max(worst, wrong)
            if wrong == 0.0:
                continue
            q = sizes[i] + bias * bias + ridge[i]
            if q > 0.0:
                new, e = b - g / q, epsilon / q
                new = new - e if new > e else new + e if new < -e else 0.0
                new = min(max(new, lo), hi)
            else:
                new = hi if right < 0.0 else lo
            if new != b and not math.isinf(new):
                beta[i] = new
                add(row, columns, w, new - b)
                w[d] += bias * (new - b)
        bound = worst if worst > 0.0 else np.inf
        if worst <= tol:
            if active == n:
                break
            active, bound = n, np.inf  # all rows once more
    return active, bound, worst, done


@njit(**SETTINGS)
def entropy_epochs(values, indices, indptr, sizes, y, most, bias, offset, low, high, w, order, seed, epochs, tol):
    """The logistic loss: sum of a ln a + (C - a) ln(C - a), with b = a y, `low` a and `high` C - a, none of them zero.

    Yu, Huang & Lin 2011: Newton steps in the smaller of the two, which has no cancellation.
    """
    n, d = len(low), len(w) - 1
    worst, done = np.inf, 0
    while done < epochs:
        shuffle(order, seed + done)
        done += 1
        worst = 0.0
        for s in range(n):
            i = order[s]
            fetch_after(values, indices, indptr, d, order, s)
            start, stop = (indptr[i], indptr[i + 1]) if indptr.size else (i * d, (i + 1) * d)
            row, columns = values[start:stop], indices[start:stop]
            C, q = most[i], sizes[i] + bias * bias
            slope = y[i] * (dot(row, columns, w) + bias * w[d] + offset)
            sign = 1.0
            old, other = low[i], high[i]
            if 0.5 * q * (other - old) + slope < 0.0:  # the minimum lies beyond C / 2
                sign, old, other = -1.0, other, old
            z = old
            g = sign * slope + math.log(old / other)
            worst = max(worst, abs(g))
            if abs(g) <= 0.1 * tol:
                continue
            if C - z < 0.5 * C:
                z *= 0.1
                g = q * (z - old) + sign * slope + math.log(z / (C - z))
            for k in range(INNER):
                if k:
                    g = q * (z - old) + sign * slope + math.log(z / (C - z))
                    if abs(g) <= 0.1 * tol:
                        break
                new = z - g / (q + C / (z * (C - z)))
                z = new if 0.0 < new < C else 0.1 * z if new <= 0.0 else 0.5 * (z + C)
            if z <= 0.0 or z >= C:
                continue
            low[i], high[i] = (z, C - z) if sign > 0.0 else (C - z, z)
            change = sign * y[i] * (z - old)
            add(row, columns, w, change)
            w[d] += bias * change
        if worst <= tol:
            break
    return worst, done


@njit(**SETTINGS)
def class_epochs(values, indices, indptr, sizes, y, most, bias, beta, W, order, active, bound, seed, epochs, tol):
    """The hinge of several classes (Crammer & Singer 2001; Keerthi et al. 2008): one number for each row and class.

    sum_k b_nk = 0, b_nk <= C_n [k = y_n]; W holds sum b_nk x_n for every class, (d + 1, classes).
    """
    n, K = beta.shape
    d = len(W) - 1
    g, rest = np.empty(K), np.empty(K)
    worst, done = np.inf, 0
    while done < epochs:
        shuffle(order[:active], seed + done)
        done += 1
        worst = 0.0
        s = 0
        while s < active:
            i = order[s]
            start, stop = (indptr[i], indptr[i + 1]) if indptr.size else (i * d, (i + 1) * d)
            own, C, q = y[i], most[i], sizes[i] + bias * bias
            for k in range(K):
                g[k] = bias * W[d, k] + (0.0 if k == own else 1.0)
            for a in range(start, stop):
                j = indices[a] if indptr.size else a - start
                for k in range(K):
                    g[k] += values[a] * W[j, k]
            least, others = np.inf, -np.inf  # of the slopes: those of numbers that may rise, those of other classes
            for k in range(K):
                if k != own:
                    others = max(others, g[k])
                if beta[i, k] < (C if k == own else 0.0):
                    least = min(least, g[k])
            wrong = max(others, g[own]) - least
            if beta[i, own] <= 0.0 and g[own] - others > bound:
                active -= 1
                order[s], order[active] = order[active], order[s]
                continue
            s += 1
            worst = max(worst, wrong)
            if wrong <= 1e-15 or q <= 0.0:
                continue
            # min q/2 |v|^2 + c'v,  c = g - q b,  sum v = 0,  v_k <= C [k = own]:  v_k = min(bound_k, (t - c_k) / q)
            for k in range(K):
                rest[k] = g[k] - q * beta[i, k] + (q * C if k == own else 0.0)
            t = level(rest, q * C)
            for k in range(K):
                new = min(C if k == own else 0.0, (t - (g[k] - q * beta[i, k])) / q)
                change = new - beta[i, k]
                beta[i, k] = new
                if change != 0.0:
                    for a in range(start, stop):
                        W[indices[a] if indptr.size else a - start, k] += change * values[a]
                    W[d, k] += bias * change
        bound = worst if worst > 0.0 else np.inf
        if worst <= tol:
            if active == n:
                break
            active, bound = n, np.inf
    return active, bound, worst, done


@njit(**SETTINGS)
def level(rest, total):
    """t with sum_k max(0, rest_k - t) = total: the largest first."""
    K = len(rest)
    ordered = np.sort(rest)[::-1]
    gathered, t = 0.0, ordered[0]
    for k in range(K):
        gathered += ordered[k]
        t = (gathered - total) / (k + 1)
        if k + 1 == K or t >= ordered[k + 1]:
            break
    return t
