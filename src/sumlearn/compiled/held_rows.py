"""Loops over rows that are held as they are: their mean, squares and products, in two words."""

from numba import njit

from .two_words import SETTINGS, add, divide, multiply


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
    for i in range(1, n):
        a, b = wh[i], wl[i]
        for j in range(p):
            dh, dl = add(h[i, j], l[i, j], -h[0, j], -l[0, j])
            dh, dl = multiply(dh, dl, a, b)
            mean_h[j], mean_l[j] = add(mean_h[j], mean_l[j], dh, dl)
    for j in range(p):
        dh, dl = divide(mean_h[j], mean_l[j], th, tl)
        mean_h[j], mean_l[j] = add(h[0, j], l[0, j], dh, dl)
    for i in range(n):
        a, b = wh[i], wl[i]
        for j in range(p):
            dh, dl = add(h[i, j], l[i, j], -mean_h[j], -mean_l[j])
            sh, sl = multiply(dh, dl, dh, dl)
            sh, sl = multiply(sh, sl, a, b)
            square_h[j], square_l[j] = add(square_h[j], square_l[j], sh, sl)
    return th, tl


@njit(**SETTINGS)
def less(h, l, offset_h, offset_l, out_h, out_l):
    """Rows h + l less an offset, in two words."""
    n, p = h.shape
    for i in range(n):
        for j in range(p):
            out_h[i, j], out_l[i, j] = add(h[i, j], l[i, j], -offset_h[j], -offset_l[j])


@njit(**SETTINGS)
def weighted_gram(B, wh, wl, out_h, out_l):
    """B'WB in two words."""
    n, p = B.shape
    out_h[:] = 0.0
    out_l[:] = 0.0
    for i in range(p):
        for k in range(n):
            ah, al = multiply(B[k, i], 0.0, wh[k], wl[k])
            if ah != 0.0:
                for j in range(i, p):
                    ph, pl = multiply(ah, al, B[k, j], 0.0)
                    oh, ol = add(out_h[i, j], out_l[i, j], ph, pl)
                    out_h[i, j] = oh
                    out_l[i, j] = ol
        for j in range(i):
            out_h[i, j] = out_h[j, i]
            out_l[i, j] = out_l[j, i]
