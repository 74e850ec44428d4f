"""The sweep operator on a stack of symmetric matrices: a column enters or leaves a regression in O(p^2)."""

from numba import njit

from .two_words import SETTINGS


@njit(**SETTINGS)
def pivot(T, V, k, sign):
    """Sweep column k into every T (sign = 1), or out of it (sign = -1), in place, and carry every V along.

    With w the variables of T after the columns S were swept in (w_j = x_j - B_j'x_S for j outside S, the residual on S;
    w_s = (T_SS^-1 x_S)_s inside), t = T_kk and c_i = T_ik / t, both directions are

        w_i -= c_i w_k (i != k),   w_k = sign w_k / t

    T_ij -= c_i T_kj follows, and V, the moments of the same variables over other rows, is their congruence. V may be
    an empty stack. Goodnight, "A tutorial on the SWEEP operator", 1979.
    """
    p = T.shape[1]
    row, c = T[0, k].copy(), T[0, k].copy()
    for f in range(T.shape[0]):
        A = T[f]
        t = A[k, k]
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
