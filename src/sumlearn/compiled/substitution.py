"""Sums of monomials after a substitution of their variables: sparse products in two words."""

from numba import njit

from .two_words import SETTINGS, add, multiply


@njit(**SETTINGS)
def gather(index, coef, h, l, out_h, out_l):
    """out[i] = sum_t coef[i, t] * (h + l)[index[i, t]], row by row; an index of -1 ends the terms of a row."""
    p, terms = index.shape
    q = h.shape[1]
    for i in range(p):
        for j in range(q):
            out_h[i, j] = 0.0
            out_l[i, j] = 0.0
        for t in range(terms):
            k, c = index[i, t], coef[i, t]
            if k < 0:
                break
            if c == 0.0:
                continue
            for j in range(q):
                ph, pl = multiply(h[k, j], l[k, j], c, 0.0)
                out_h[i, j], out_l[i, j] = add(out_h[i, j], out_l[i, j], ph, pl)
