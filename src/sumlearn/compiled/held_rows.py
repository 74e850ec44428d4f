"""Loops over rows that are held as they are: their mean, squares and products, in two words.

They go through some columns at a time, which stay in the cache.
"""

import numpy as np
from numba import njit

from .two_words import INSIDE, SETTINGS, add, divide, multiply

LANES = 256  # sums beside each other, which a processor adds up at once
COLUMNS = 512


@njit(**INSIDE)
def add_products(h, l, mh, ml, bh, bl, out_h, out_l):
    """out + (h - m) b, elementwise."""
    for j in range(len(h)):
        dh, dl = add(h[j], l[j], -mh[j], -ml[j])
        dh, dl = multiply(dh, dl, bh[j], bl[j])
        out_h[j], out_l[j] = add(out_h[j], out_l[j], dh, dl)


@njit(**INSIDE)
def add_multiple(h, l, mh, ml, a, b, out_h, out_l):
    """out + a (h - m), elementwise."""
    for j in range(len(h)):
        dh, dl = add(h[j], l[j], -mh[j], -ml[j])
        dh, dl = multiply(dh, dl, a, b)
        out_h[j], out_l[j] = add(out_h[j], out_l[j], dh, dl)


@njit(**INSIDE)
def add_squares(h, l, mh, ml, a, b, out_h, out_l):
    """out + a (h - m)^2, elementwise."""
    for j in range(len(h)):
        dh, dl = add(h[j], l[j], -mh[j], -ml[j])
        sh, sl = multiply(dh, dl, dh, dl)
        sh, sl = multiply(sh, sl, a, b)
        out_h[j], out_l[j] = add(out_h[j], out_l[j], sh, sl)


@njit(**SETTINGS)
def row_sums(h, l, wh, wl, mean_h, mean_l, square_h, square_l):
    """Mean and squares about it of rows h + l of weights wh + wl; returns the weight of all."""
    n, p = h.shape
    th, tl = 0.0, 0.0
    for i in range(n):
        th, tl = add(th, tl, wh[i], wl[i])
    mean_h[:] = 0.0
    mean_l[:] = 0.0
    square_h[:] = 0.0
    square_l[:] = 0.0
    for start in range(0, p, COLUMNS):
        s = slice(start, min(start + COLUMNS, p))
        for i in range(1, n):
            add_multiple(h[i, s], l[i, s], h[0, s], l[0, s], wh[i], wl[i], mean_h[s], mean_l[s])
        for j in range(start, min(start + COLUMNS, p)):
            dh, dl = divide(mean_h[j], mean_l[j], th, tl)
            mean_h[j], mean_l[j] = add(h[0, j], l[0, j], dh, dl)
        for i in range(n):
            add_squares(h[i, s], l[i, s], mean_h[s], mean_l[s], wh[i], wl[i], square_h[s], square_l[s])
    return th, tl


@njit(**SETTINGS)
def less(h, l, offset_h, offset_l, out_h, out_l):
    """Rows h + l less an offset, in two words."""
    n, p = h.shape
    for i in range(n):
        for j in range(p):
            out_h[i, j], out_l[i, j] = add(h[i, j], l[i, j], -offset_h[j], -offset_l[j])


@njit(**INSIDE)
def first_words(h, l, mh, ml, a, out):
    for j in range(len(h)):
        dh, _ = add(h[j], l[j], -mh[j], -ml[j])
        out[j] = a * dh


@njit(**SETTINGS)
def factor(h, l, mh, ml, root, start, out):
    """root_i (z_i - m) in one word, for the columns from `start` on that `out` has room for."""
    s = slice(start, start + out.shape[1])
    for i in range(len(h)):
        first_words(h[i, s], l[i, s], mh[s], ml[s], root[i], out[i])


@njit(**SETTINGS)
def along(h, l, mh, ml, bh, bl, out_h, out_l):
    """(z - m)'b for the rows z = h + l and each row b of bh + bl, which has the first columns alone."""
    targets, d = bh.shape
    sum_h, sum_l = np.empty(LANES), np.empty(LANES)
    for i in range(len(h)):
        for t in range(targets):
            sum_h[:] = 0.0
            sum_l[:] = 0.0
            for start in range(0, d, LANES):
                s = slice(start, min(start + LANES, d))
                add_products(h[i, s], l[i, s], mh[s], ml[s], bh[t, s], bl[t, s], sum_h, sum_l)
            th, tl = 0.0, 0.0
            for k in range(LANES):
                th, tl = add(th, tl, sum_h[k], sum_l[k])
            out_h[i, t], out_l[i, t] = th, tl


@njit(**SETTINGS)
def combined(h, l, mh, ml, ah, al, out_h, out_l):
    """sum_i a_i (z_i - m) over the rows z = h + l for each column a of ah + al: the first columns of z alone."""
    targets, d = out_h.shape
    out_h[:] = 0.0
    out_l[:] = 0.0
    for start in range(0, d, COLUMNS):
        s = slice(start, min(start + COLUMNS, d))
        for i in range(len(h)):
            for t in range(targets):
                add_multiple(h[i, s], l[i, s], mh[s], ml[s], ah[i, t], al[i, t], out_h[t, s], out_l[t, s])


@njit(**SETTINGS)
def weighted_gram(bh, bl, wh, wl, out_h, out_l):
    """B'WB in two words."""
    n, p = bh.shape
    out_h[:] = 0.0
    out_l[:] = 0.0
    for i in range(p):
        for k in range(n):
            ah, al = multiply(bh[k, i], bl[k, i], wh[k], wl[k])
            if ah != 0.0:
                for j in range(i, p):
                    ph, pl = multiply(ah, al, bh[k, j], bl[k, j])
                    oh, ol = add(out_h[i, j], out_l[i, j], ph, pl)
                    out_h[i, j] = oh
                    out_l[i, j] = ol
        for j in range(i):
            out_h[i, j] = out_h[j, i]
            out_l[i, j] = out_l[j, i]
