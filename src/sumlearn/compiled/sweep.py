"""The sweep operator on a stack of symmetric matrices: a column enters or leaves a regression in O(p^2)."""

import numpy as np
from numba import njit

from .two_words import SETTINGS


@njit(**SETTINGS)
def pivot(T, V, k, sign, variance):
    """Sweep column k into every T (sign = 1), or out of it (sign = -1), in place, and carry every V along.

    With w the variables of T after the columns S were swept in (w_j = x_j - B_j'x_S for j outside S, the residual on S;
    w_s = (T_SS^-1 x_S)_s inside), t = T_kk and c_i = T_ik / t, both directions are

        w_i -= c_i w_k (i != k),   w_k = sign w_k / t

    T_ij -= c_i T_kj follows, and V, the moments of the same variables over other rows, is their congruence. V may be
    an empty stack. Returned is the largest inflation of the variance of column k, by what the others leave of it.
    Goodnight, "A tutorial on the SWEEP operator", 1979.
    """
    p, inflation = T.shape[1], 0.0
    row, c = T[0, k].copy(), T[0, k].copy()
    for f in range(T.shape[0]):
        A = T[f]
        t = A[k, k]
        inflation = max(inflation, variance[f, k] / abs(t) if sign > 0 else variance[f, k] * abs(t))
        for j in range(p):
            row[j] = A[k, j]
            c[j] = row[j] / t
        row[k], c[k] = 0.0, 0.0
        for i in range(p):
            factor = c[i]
            if factor != 0.0:
                for j in range(p):
                    A[i, j] -= factor * row[j]
        for j in range(p):
            A[k, j] = sign * c[j]
            A[j, k] = sign * c[j]
        A[k, k] = -1.0 / t
        if f < V.shape[0]:
            carry(V[f], c, row, k, sign / t)
    return inflation


@njit(**SETTINGS)
def carry(B, c, row, k, scale):
    """The congruence of one matrix of moments; `row` is overwritten."""
    p = B.shape[0]
    b = B[k, k]
    for j in range(p):
        row[j] = B[k, j]
    for i in range(p):
        factor, rest = c[i], row[i] - c[i] * b
        for j in range(p):
            B[i, j] -= factor * row[j] + rest * c[j]
    for j in range(p):
        value = scale * (row[j] - c[j] * b)
        B[k, j] = value
        B[j, k] = value
    B[k, k] = scale * scale * b


@njit(**SETTINGS)
def rescale(S, factor, weight, away, out):
    """out_ij = f_i f_j S_ij + weight a_i a_j: a scatter in other units, about another point."""
    for i in range(len(factor)):
        f, a = factor[i], weight * away[i]
        for j in range(len(factor)):
            out[i, j] = S[i, j] * f * factor[j] + a * away[j]


@njit(**SETTINGS)
def held_out_scores(T, V, least, inside, columns, spread, weight, relative, values, mean):
    """values[f, j] = score of the rows held out in matrix f, after any one of the columns entered or left; their mean.

    With c = T_jy / T_jj the squared error is V_yy - 2 c V_jy + c^2 V_jj; the score is 1 - SSE / spread where `relative`
    (1 or 0 where the spread is zero and the error is, or is not), else - SSE / weight. -inf where T_jj is rounding.
    """
    y, stack = T.shape[1] - 1, T.shape[0]
    for i in range(len(columns)):
        j, total = columns[i], 0.0
        for f in range(stack):
            t = T[f, j, j]
            if not (inside[j] or t > least[f, j]):
                total = -np.inf
                break
            c = T[f, j, y] / t
            squares = max(V[f, y, y] - 2.0 * c * V[f, j, y] + c * c * V[f, j, j], 0.0)
            if not relative:
                value = -squares / weight[f]
            elif spread[f] > 0:
                value = 1.0 - squares / spread[f]
            else:
                value = 1.0 if squares == 0 else 0.0
            values[f, i] = value
            total += value
        mean[i] = total / stack
