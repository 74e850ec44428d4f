"""Quadratic forms of rows, and sums of the products of their coordinates, for rows that lie in columns.

A form is an upper triangle (features + 1, features + 1) over (z, 1). Four coordinates meet four others at a time, so
that what is read serves several times; strips of rows stay in the cache meanwhile.
"""

import numpy as np
from numba import njit

from .gaussian_kernel import SETTINGS

INSIDE = SETTINGS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": True}
STRIP = 256  # rows of a strip
UNSEEN = 2.0**-90  # of the mean share: what changes no digit of a sum, however far away the row is


@njit(**INSIDE)
def four(Z, i, start, stop):
    """Some rows of four coordinates."""
    return Z[i, start:stop], Z[i + 1, start:stop], Z[i + 2, start:stop], Z[i + 3, start:stop]


@njit(**SETTINGS)
def longest_square(Z):
    """The largest |z|^2."""
    d, n = Z.shape
    squares, largest = np.empty(STRIP), 0.0
    for start in range(0, n, STRIP):
        m = min(STRIP, n - start)
        for r in range(m):
            squares[r] = 0.0
        for i in range(d):
            z = Z[i, start : start + m]
            for r in range(m):
                squares[r] += z[r] * z[r]
        for r in range(m):
            largest = max(largest, squares[r])
    return largest


@njit(**INSIDE)
def add_square(F, i, z, out):
    """out += the part of the form that four coordinates have alone, from i on, and what is linear in them."""
    (a, b, c, e), last = z, F.shape[1] - 1
    la, lb, lc, le = F[i, last], F[i + 1, last], F[i + 2, last], F[i + 3, last]
    aa, ab, ac, ae = F[i, i], F[i, i + 1], F[i, i + 2], F[i, i + 3]
    bb, bc, be = F[i + 1, i + 1], F[i + 1, i + 2], F[i + 1, i + 3]
    cc, ce, ee = F[i + 2, i + 2], F[i + 2, i + 3], F[i + 3, i + 3]
    for r in range(len(out)):
        x, y, u, v = a[r], b[r], c[r], e[r]
        first = x * (la + aa * x + ab * y + ac * u + ae * v) + y * (lb + bb * y + bc * u + be * v)
        out[r] += first + (u * (lc + cc * u + ce * v) + v * (le + ee * v))


@njit(**INSIDE)
def add_tile(F, i, j, z, w, out):
    """out += sum of F z w for four coordinates from i on with four from j on."""
    (a, b, c, e), (f, g, h, o) = z, w
    af, ag, ah, ao = F[i, j], F[i, j + 1], F[i, j + 2], F[i, j + 3]
    bf, bg, bh, bo = F[i + 1, j], F[i + 1, j + 1], F[i + 1, j + 2], F[i + 1, j + 3]
    cf, cg, ch, co = F[i + 2, j], F[i + 2, j + 1], F[i + 2, j + 2], F[i + 2, j + 3]
    ef, eg, eh, eo = F[i + 3, j], F[i + 3, j + 1], F[i + 3, j + 2], F[i + 3, j + 3]
    for r in range(len(out)):
        x, y, u, v = f[r], g[r], h[r], o[r]
        first = a[r] * (af * x + ag * y + ah * u + ao * v) + b[r] * (bf * x + bg * y + bh * u + bo * v)
        out[r] += first + (c[r] * (cf * x + cg * y + ch * u + co * v) + e[r] * (ef * x + eg * y + eh * u + eo * v))


@njit(**INSIDE)
def add_line(F, i, j, z, w, out):
    """out += sum of F z w for four coordinates from i on with the one at j."""
    a, b, c, e = z
    p, q, s, t = F[i, j], F[i + 1, j], F[i + 2, j], F[i + 3, j]
    for r in range(len(out)):
        out[r] += w[r] * ((p * a[r] + q * b[r]) + (s * c[r] + t * e[r]))


@njit(**INSIDE)
def add_ends(F, i, Z, start, stop, out):
    """out += the part of the form that the last coordinates have alone, from i on: fewer than four."""
    d = len(Z)
    for p in range(i, d):
        a, linear, own = Z[p, start:stop], F[p, d], F[p, p]
        for r in range(len(out)):
            out[r] += a[r] * (linear + own * a[r])
        for q in range(p + 1, d):
            b, f = Z[q, start:stop], F[p, q]
            for r in range(len(out)):
                out[r] += f * a[r] * b[r]


@njit(**SETTINGS)
def quadratic_forms(Z, forms, out):
    """out[k] = the value of every form at every row: sum over i <= j of F_ij z_i z_j, with z_last = 1."""
    d, n = Z.shape
    for start in range(0, n, STRIP):
        stop = min(start + STRIP, n)
        for k in range(len(forms)):
            F, values, i = forms[k], out[k, start:stop], 0
            constant = F[d, d]
            for r in range(len(values)):
                values[r] = constant
            while i + 4 <= d:
                z, j = four(Z, i, start, stop), i + 4
                add_square(F, i, z, values)
                while j + 4 <= d:
                    add_tile(F, i, j, z, four(Z, j, start, stop), values)
                    j += 4
                while j < d:
                    add_line(F, i, j, z, Z[j, start:stop], values)
                    j += 1
                i += 4
            add_ends(F, i, Z, start, stop, values)


@njit(**INSIDE)
def sum_tile(S, i, j, z, w):
    """S += sums of the products of four coordinates, from i on, with four from j on."""
    (a, b, c, e), (f, g, h, o) = z, w
    af = ag = ah = ao = bf = bg = bh = bo = 0.0
    cf = cg = ch = co = ef = eg = eh = eo = 0.0
    for r in range(len(a)):
        x, y, u, v = f[r], g[r], h[r], o[r]
        af, ag, ah, ao = af + a[r] * x, ag + a[r] * y, ah + a[r] * u, ao + a[r] * v
        bf, bg, bh, bo = bf + b[r] * x, bg + b[r] * y, bh + b[r] * u, bo + b[r] * v
        cf, cg, ch, co = cf + c[r] * x, cg + c[r] * y, ch + c[r] * u, co + c[r] * v
        ef, eg, eh, eo = ef + e[r] * x, eg + e[r] * y, eh + e[r] * u, eo + e[r] * v
    for p, line in enumerate(((af, ag, ah, ao), (bf, bg, bh, bo), (cf, cg, ch, co), (ef, eg, eh, eo))):
        for q in range(4):
            S[i + p, j + q] += line[q]


@njit(**INSIDE)
def sum_line(S, i, j, z, w):
    """S += sums of the products of four coordinates, from i on, with the one at j."""
    a, b, c, e = z
    p = q = s = t = 0.0
    for r in range(len(w)):
        x = w[r]
        p, q, s, t = p + x * a[r], q + x * b[r], s + x * c[r], t + x * e[r]
    S[i, j] += p
    S[i + 1, j] += q
    S[i + 2, j] += s
    S[i + 3, j] += t


@njit(**INSIDE)
def weigh(share, z, out):
    """out = share z; the sum is returned."""
    total = 0.0
    for r in range(len(share)):
        out[r] = share[r] * z[r]
        total += out[r]
    return total


@njit(**INSIDE)
def add_strip(Z, share, start, stop, room, S):
    """S += sum of share (z, 1)(z, 1)' over some rows."""
    d = len(Z)
    weighted, total, i = four(room, 0, 0, stop - start), 0.0, 0
    for r in range(len(share)):
        total += share[r]
    if total == 0.0:
        return
    S[d, d] += total
    while i + 4 <= d:
        for p in range(4):
            S[i + p, d] += weigh(share, Z[i + p, start:stop], room[p])
        j = i
        while j + 4 <= d:
            sum_tile(S, i, j, weighted, four(Z, j, start, stop))
            j += 4
        while j < d:
            sum_line(S, i, j, weighted, Z[j, start:stop])
            j += 1
        i += 4
    for p in range(i, d):
        own = room[0]
        S[p, d] += weigh(share, Z[p, start:stop], own)
        for q in range(p, d):
            other, total = Z[q, start:stop], 0.0
            for r in range(len(other)):
                total += own[r] * other[r]
            S[p, q] += total


@njit(**SETTINGS)
def those_that_count(share, places):
    """The rows whose shares are seen beside the mean of all: how many, and where."""
    total, found = 0.0, 0
    for r in range(len(share)):
        total += share[r]
    least = total / max(len(share), 1) * UNSEEN
    for r in range(len(share)):
        places[found] = r
        found += share[r] > least
    return found


@njit(**SETTINGS)
def gathered(values, places, out):
    """out = the values at these places."""
    for r in range(len(places)):
        out[r] = values[places[r]]


@njit(**SETTINGS)
def add_moments(Z, shares, sums):
    """sums[k] += sum over the rows of share_k (z, 1)(z, 1)', the upper triangle; squares on its diagonal are filled.

    Where most rows have no share that is seen, as in groups that are apart, the others are put together first.
    """
    d, n = Z.shape
    room, places, few = np.empty((4, STRIP)), np.empty(n, np.int64), np.empty(len(shares), np.bool_)
    near, own = np.empty((d, n // 2)), np.empty(n // 2)
    for k in range(len(shares)):
        m = those_that_count(shares[k], places)
        few[k] = m <= n // 2
        if few[k]:
            gathered(shares[k], places[:m], own)
            for i in range(d):
                gathered(Z[i], places[:m], near[i])
            for start in range(0, m, STRIP):
                stop = min(start + STRIP, m)
                add_strip(near, own[start:stop], start, stop, room, sums[k])
    for start in range(0, n, STRIP):
        stop = min(start + STRIP, n)
        for k in range(len(shares)):
            if not few[k]:
                add_strip(Z, shares[k, start:stop], start, stop, room, sums[k])
