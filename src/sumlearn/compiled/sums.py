"""Loops behind the moments: chunk sums by class, and merges, removals and products in two words."""

import numpy as np
from numba import njit

from .two_words import INSIDE, SETTINGS, add, divide, multiply, quick_two_sum, two_product, two_sum

# Diagonals of a scatter stay inside these limits, so that neither products nor their rounding errors leave the
# range of a double; outside them the caller changes the columns' exponents.
SMALLEST, LARGEST = 1e-200, 1e200
SIDE = 128  # rows of a table by columns that are brought side by side at a time: they stay in the cache


@njit(**SETTINGS)
def shift_rows(X, Y, index, root_weight, first, out):
    """out = sqrt(weight) * (x - first, y - first, 1), for all rows or those of an index."""
    d, t = X.shape[1], Y.shape[1]
    chosen, weighted = index.size > 0, root_weight.size > 0
    for i in range(out.shape[0]):
        row = index[i] if chosen else i
        r = root_weight[row] if weighted else 1.0
        for j in range(d):
            out[i, j] = r * (np.float64(X[row, j]) - first[j])
        for j in range(t):
            out[i, d + j] = r * (Y[row, j] - first[d + j])
        out[i, d + t] = r


@njit(**SETTINGS)
def shift_columns(X, Y, start, root_weight, first, out):
    """The same, transposed, for X given column by column: out = (x - first, y - first, 1)' of rows from `start` on."""
    d, t, n = X.shape[0], Y.shape[1], out.shape[1]
    for j in range(d):
        for i in range(n):
            out[j, i] = np.float64(X[j, start + i]) - first[j]
    for j in range(t):
        for i in range(n):
            out[d + j, i] = Y[start + i, j] - first[d + j]
    for i in range(n):
        out[d + t, i] = 1.0
    if root_weight.size > 0:
        for j in range(d + t + 1):
            for i in range(n):
                out[j, i] *= root_weight[start + i]


@njit(**SETTINGS)
def class_sums(X, codes, weight, shift, total, sums, squares):
    """Add up weight, x - shift and (x - shift)^2 of every class; one shift for all, or one per class."""
    n, d = X.shape
    own = shift.shape[0] > 1
    if weight.size == 0:
        for i in range(n):
            k = codes[i]
            s = k if own else 0
            total[k] += 1.0
            for j in range(d):
                b = np.float64(X[i, j]) - shift[s, j]
                sums[k, j] += b
                squares[k, j] += b * b
    else:
        for i in range(n):
            k, w = codes[i], weight[i]
            s = k if own else 0
            total[k] += w
            for j in range(d):
                b = np.float64(X[i, j]) - shift[s, j]
                sums[k, j] += w * b
                squares[k, j] += w * b * b


@njit(**INSIDE)
def side_by_side(memory, apart, start, rows):
    """Some rows of columns in memory, four columns at a time: twice as quick as one by one."""
    count, d = rows.shape
    for j in range(0, d - 3, 4):
        a = j * apart + start
        b, c, e = a + apart, a + 2 * apart, a + 3 * apart
        for i in range(count):
            rows[i, j], rows[i, j + 1] = memory[a + i], memory[b + i]
            rows[i, j + 2], rows[i, j + 3] = memory[c + i], memory[e + i]
    for j in range(d - d % 4, d):
        a = j * apart + start
        for i in range(count):
            rows[i, j] = memory[a + i]


@njit(**SETTINGS)
def class_sums_of_columns(memory, apart, codes, weight, shift, total, sums, squares):
    """The same sums, to the bit, for columns that lie in memory, their first rows so far apart.

    Some rows at a time are brought side by side.
    """
    n, d = codes.size, shift.shape[1]
    rows = np.empty((SIDE, d), memory.dtype)
    for start in range(0, n, SIDE):
        count = min(SIDE, n - start)
        side_by_side(memory, apart, start, rows[:count])
        stop = start + count
        own = weight[start:stop] if weight.size > 0 else weight
        class_sums(rows[:count], codes[start:stop], own, shift, total, sums, squares)


@njit(**SETTINGS)
def shift_by_class(X, codes, weight, shift, total, sums, squares, out):
    """The same sums, and out = sqrt(weight) * (x - shift) for the product that follows."""
    n, d = X.shape
    weighted = weight.size > 0
    for i in range(n):
        k = codes[i]
        w = weight[i] if weighted else 1.0
        r = np.sqrt(w)
        total[k] += w
        for j in range(d):
            b = np.float64(X[i, j]) - shift[k, j]
            sums[k, j] += w * b
            squares[k, j] += w * b * b
            out[i, j] = r * b


@njit(**SETTINGS)
def centre_scatter(raw, sums, weight, out_h, out_l):
    """Scatter about the mean from products about a shift: raw - sums sums' / weight, in two words."""
    p = sums.size
    for i in range(p):
        qh, ql = divide(sums[i], 0.0, weight, 0.0)
        for j in range(p):
            ph, pl = multiply(qh, ql, sums[j], 0.0)
            out_h[i, j], out_l[i, j] = add(raw[i, j], 0.0, -ph, -pl)


@njit(**SETTINGS)
def split_rows(B, big, rest):
    """B becomes its leading bits, B + big - big column by column; `rest` what they leave."""
    n, p = B.shape
    for i in range(n):
        for j in range(p):
            b = B[i, j]
            h = (b + big[j]) - big[j]
            B[i, j] = h
            rest[i, j] = b - h


@njit(**SETTINGS)
def add_matrix(h, l, a):
    """h + l += a."""
    n, p = h.shape
    for i in range(n):
        for j in range(p):
            sh, sl = add(h[i, j], l[i, j], a[i, j], 0.0)
            h[i, j] = sh
            l[i, j] = sl


@njit(**SETTINGS)
def centre_words(raw_h, raw_l, first, weight, mean_h, mean_l, out_h, out_l):
    """Mean and scatter from products about `first` in two words, whose last row holds the sums."""
    p = first.size
    for i in range(p):
        qh, ql = divide(raw_h[p, i], raw_l[p, i], weight, 0.0)
        mean_h[i], mean_l[i] = add(first[i], 0.0, qh, ql)
        for j in range(p):
            ph, pl = multiply(qh, ql, raw_h[p, j], raw_l[p, j])
            oh, ol = add(raw_h[i, j], raw_l[i, j], -ph, -pl)
            out_h[i, j] = oh
            out_l[i, j] = ol


@njit(**SETTINGS)
def combine_means(sign, wah, wal, wbh, wbl, mah, mal, mbh, mbl, mean_h, mean_l, delta_h, delta_l):
    """Weight, mean, and the rank-one term of a merge (sign +1) or a removal (-1).

    W = wa + s wb;  delta = mb - ma;  mean = ma + s delta wb / W;  the scatter gains s f delta delta' with
    f = wa wb / W  (Chan, Golub & LeVeque 1983). Returns W and f in two words.
    """
    wh, wl = add(wah, wal, sign * wbh, sign * wbl)
    qh, ql = divide(wbh, wbl, wh, wl)
    fh, fl = multiply(wah, wal, qh, ql)
    for j in range(mah.size):
        dh, dl = add(mbh[j], mbl[j], -mah[j], -mal[j])
        delta_h[j], delta_l[j] = dh, dl
        sh, sl = multiply(dh, dl, sign * qh, sign * ql)
        mean_h[j], mean_l[j] = add(mah[j], mal[j], sh, sl)
    return wh, wl, fh, fl


@njit(**SETTINGS)
def combine_scatter(sign, ah, al, bh, bl, dh, dl, fh, fl, out_h, out_l):
    """out = a + s b + s f d d', for square scatters; returns whether its diagonal is within range."""
    p = dh.size
    ok = True
    for i in range(p):
        gh, gl = multiply(dh[i], dl[i], sign * fh, sign * fl)
        for j in range(p):
            oh, ol = multiply(gh, gl, dh[j], dl[j])
            oh, ol = add(oh, ol, sign * bh[i, j], sign * bl[i, j])
            oh, ol = add(oh, ol, ah[i, j], al[i, j])
            out_h[i, j] = oh
            out_l[i, j] = ol
        ok = ok and in_range(out_h[i, i], gh, dh[i])
    return ok


@njit(**SETTINGS)
def combine_diagonal(sign, ah, al, bh, bl, dh, dl, fh, fl, out_h, out_l):
    """The same for scatters of which only the diagonal is kept."""
    ok = True
    for j in range(dh.size):
        gh, gl = multiply(dh[j], dl[j], sign * fh, sign * fl)
        oh, ol = multiply(gh, gl, dh[j], dl[j])
        oh, ol = add(oh, ol, sign * bh[j], sign * bl[j])
        out_h[j], out_l[j] = add(oh, ol, ah[j], al[j])
        ok = ok and in_range(out_h[j], gh, dh[j])
    return ok


@njit(**INSIDE)
def in_range(s, g, d):
    """A finite diagonal entry that has not left the safe range and has not lost a tiny difference."""
    s = abs(s)
    if s == 0.0:
        return d == 0.0 or abs(g * d) > SMALLEST
    return SMALLEST <= s <= LARGEST


@njit(**SETTINGS)
def add_outer_products(sign, h, l, dh, dl, fh, fl):
    """h + l += s * sum_k f_k d_k d_k', one row of d and one entry of f per class."""
    p = h.shape[0]
    for k in range(fh.size):
        for i in range(p):
            gh, gl = multiply(dh[k, i], dl[k, i], sign * fh[k], sign * fl[k])
            for j in range(p):
                oh, ol = multiply(gh, gl, dh[k, j], dl[k, j])
                oh, ol = add(h[i, j], l[i, j], oh, ol)
                h[i, j] = oh
                l[i, j] = ol


@njit(**SETTINGS)
def scale(h, l, fh, fl, out_h, out_l):
    """out = f * (h + l) for flat arrays."""
    for i in range(h.size):
        out_h[i], out_l[i] = multiply(h[i], l[i], fh, fl)


@njit(**SETTINGS)
def gram(R, triangular, out_h, out_l):
    """R'R in two words; rows of an upper triangular R start at their diagonal."""
    n, p = R.shape
    for i in range(p):
        for j in range(p):
            out_h[i, j] = 0.0
            out_l[i, j] = 0.0
        last = min(n, i + 1) if triangular else n
        for k in range(last):
            a = R[k, i]
            if a != 0.0:
                for j in range(i, p):
                    ph, pl = two_product(a, R[k, j])
                    oh, ol = add(out_h[i, j], out_l[i, j], ph, pl)
                    out_h[i, j] = oh
                    out_l[i, j] = ol
        for j in range(i):
            out_h[i, j] = out_h[j, i]
            out_l[i, j] = out_l[j, i]


@njit(**SETTINGS)
def exact_scatter(Z, weight, total_h, total_l, high, low, mean_h, mean_l, out_h, out_l):
    """Mean and scatter of a few rows, differences, centring and products all in two words; `out` begins as zeros.

    `high` and `low` become the deviations: what a loop allocates or slices takes longer to compile than the loop.
    """
    n, p = Z.shape
    for j in range(p):
        sh, sl = 0.0, 0.0
        for i in range(n):
            dh, dl = two_sum(Z[i, j], -Z[0, j])
            high[i, j], low[i, j] = dh, dl
            dh, dl = multiply(dh, dl, weight[i], 0.0)
            sh, sl = add(sh, sl, dh, dl)
        mh, ml = divide(sh, sl, total_h, total_l)
        for i in range(n):
            high[i, j], low[i, j] = add(high[i, j], low[i, j], -mh, -ml)
        mean_h[j], mean_l[j] = add(Z[0, j], 0.0, mh, ml)
    for r in range(n):
        for i in range(p):
            ah, al = multiply(high[r, i], low[r, i], weight[r], 0.0)
            for j in range(i, p):
                ph, pl = multiply(ah, al, high[r, j], low[r, j])
                oh, ol = add(out_h[i, j], out_l[i, j], ph, pl)
                out_h[i, j] = oh
                out_l[i, j] = ol
    for i in range(p):
        for j in range(i):
            out_h[i, j] = out_h[j, i]
            out_l[i, j] = out_l[j, i]


@njit(**SETTINGS)
def exact_diagonals(X, codes, weight, first, total_h, total_l, mean_h, mean_l, spread_h, spread_l):
    """Weight, mean and squares about the mean of every class, in two words; `first` is a row of each class."""
    n, d = X.shape
    weighted = weight.size > 0
    for i in range(n):
        k = codes[i]
        total_h[k], total_l[k] = add(total_h[k], total_l[k], weight[i] if weighted else 1.0, 0.0)
    for j in range(d):
        for i in range(n):
            k = codes[i]
            dh, dl = two_sum(X[i, j], -X[first[k], j])
            if weighted:
                dh, dl = multiply(dh, dl, weight[i], 0.0)
            mean_h[k, j], mean_l[k, j] = add(mean_h[k, j], mean_l[k, j], dh, dl)
        for k in range(total_h.size):
            mean_h[k, j], mean_l[k, j] = divide(mean_h[k, j], mean_l[k, j], total_h[k], total_l[k])
        for i in range(n):
            k = codes[i]
            dh, dl = two_sum(X[i, j], -X[first[k], j])
            dh, dl = add(dh, dl, -mean_h[k, j], -mean_l[k, j])
            sh, sl = multiply(dh, dl, dh, dl)
            if weighted:
                sh, sl = multiply(sh, sl, weight[i], 0.0)
            spread_h[k, j], spread_l[k, j] = add(spread_h[k, j], spread_l[k, j], sh, sl)
        for k in range(total_h.size):
            mean_h[k, j], mean_l[k, j] = add(X[first[k], j], 0.0, mean_h[k, j], mean_l[k, j])


@njit(**SETTINGS)
def product(Ah, Al, Bh, Bl, out_h, out_l):
    """A B in two words, for small matrices."""
    n, m = Ah.shape
    q = Bh.shape[1]
    for i in range(n):
        for j in range(q):
            out_h[i, j] = 0.0
            out_l[i, j] = 0.0
        for k in range(m):
            ah, al = Ah[i, k], Al[i, k]
            if ah != 0.0:
                for j in range(q):
                    ph, pl = multiply(ah, al, Bh[k, j], Bl[k, j])
                    oh, ol = add(out_h[i, j], out_l[i, j], ph, pl)
                    out_h[i, j] = oh
                    out_l[i, j] = ol


@njit(**SETTINGS)
def mapped(zh, zl, start, index, data, out_h, out_l):
    """A'z for each row z in two words, A by its columns: the entries data of rows `index`, from start[j] on."""
    for i in range(len(zh)):
        for j in range(len(start) - 1):
            sh, sl = 0.0, 0.0
            for k in range(start[j], start[j + 1]):
                ph, pl = multiply(zh[i, index[k]], zl[i, index[k]], data[k], 0.0)
                sh, sl = add(sh, sl, ph, pl)
            out_h[i, j], out_l[i, j] = sh, sl


@njit(**SETTINGS)
def disjoint_squares(start, index, data, Wh, Wl, mh, ml, Sh, Sl, Mh, Ml, out_h, out_l):
    """Scatter of A'z in two words, column by column, where products of combined columns vanish; A as in `mapped`.

    sum_i a_i^2 (S_i + W m_i^2) - W M^2 with M = sum_i a_i m_i; a column that is made of one alone is a^2 S.
    """
    for j in range(len(start) - 1):
        used = start[j + 1] - start[j]
        oh, ol = 0.0, 0.0
        for k in range(start[j], start[j + 1]):
            i, a = index[k], data[k]
            th, tl = Sh[i], Sl[i]
            if used > 1:
                ph, pl = multiply(mh[i], ml[i], mh[i], ml[i])
                ph, pl = multiply(ph, pl, Wh, Wl)
                th, tl = add(th, tl, ph, pl)
            if th == 0.0:  # a^2 may overflow
                continue
            ah, al = multiply(a, 0.0, a, 0.0)
            th, tl = multiply(th, tl, ah, al)
            oh, ol = add(oh, ol, th, tl)
        if used > 1:
            ph, pl = multiply(Mh[j], Ml[j], Mh[j], Ml[j])
            ph, pl = multiply(ph, pl, Wh, Wl)
            oh, ol = add(oh, ol, -ph, -pl)
        out_h[j], out_l[j] = oh, ol


@njit(**SETTINGS)
def chunk_mean(first_h, first_l, sums, weight, out_h, out_l):
    """first + sums / weight in two words."""
    for j in range(sums.size):
        qh, ql = divide(sums[j], 0.0, weight, 0.0)
        sh, sl = two_sum(first_h[j], qh)
        out_h[j], out_l[j] = quick_two_sum(sh, sl + (ql + first_l[j]))
