"""Moments of many groups of rows at once, stacked: sums of rows, and merges of many into one, in two words.

Of every group there are the weight (2,), the mean (2, p), the upper triangle of the scatter, row by row (2, p(p+1)/2),
and its rounding (p,); the first of the two is the high word.
"""

import numpy as np
from numba import njit

from .two_words import INSIDE, SETTINGS, add, divide, multiply, two_sum

FAR, NEAR = 1e90, 1e-90  # deviations whose squares are in range
SMALLEST, LARGEST = 1e-200, 1e200
EXACT = 2.0**-98  # relative rounding of sums in two words
WORDS_EPS = 2.0**-100
UNIT = 2.0**-53


@njit(**SETTINGS)
def sum_groups(X, Y, weight, starts, total, loose, centre, spread, rounding, sound):
    """Moments of the rows starts[g] to starts[g+1] of (X, Y), for every g; `sound` says whether they are in range."""
    d, t = X.shape[1], Y.shape[1]
    p = d + t
    weighted = weight.size > 0
    longest = 0
    for g in range(starts.size - 1):
        longest = max(longest, starts[g + 1] - starts[g])
    high, low = np.empty((longest, p)), np.empty((longest, p))
    for g in range(starts.size - 1):
        first, n = starts[g], starts[g + 1] - starts[g]
        wh, wl = 0.0, 0.0
        for i in range(n):
            wh, wl = add(wh, wl, weight[first + i] if weighted else 1.0, 0.0)
        fine = True
        for j in range(p):
            origin = np.float64(X[first, j]) if j < d else np.float64(Y[first, j - d])
            sh, sl = 0.0, 0.0
            for i in range(n):
                z = np.float64(X[first + i, j]) if j < d else np.float64(Y[first + i, j - d])
                dh, dl = two_sum(z, -origin)
                far = abs(dh)
                fine = fine and (far == 0.0 or NEAR <= far <= FAR)
                high[i, j], low[i, j] = dh, dl
                if weighted:
                    dh, dl = multiply(dh, dl, weight[first + i], 0.0)
                sh, sl = add(sh, sl, dh, dl)
            mh, ml = divide(sh, sl, wh, wl)
            for i in range(n):
                high[i, j], low[i, j] = add(high[i, j], low[i, j], -mh, -ml)
            centre[g, 0, j], centre[g, 1, j] = add(origin, 0.0, mh, ml)
        spread[g] = 0.0
        for i in range(n):
            k = 0
            for j in range(p):
                ah, al = high[i, j], low[i, j]
                if weighted:
                    ah, al = multiply(ah, al, weight[first + i], 0.0)
                for r in range(j, p):
                    ph, pl = multiply(ah, al, high[i, r], low[i, r])
                    spread[g, 0, k + r - j], spread[g, 1, k + r - j] = add(
                        spread[g, 0, k + r - j], spread[g, 1, k + r - j], ph, pl
                    )
                k += p - j
        total[g, 0], total[g, 1] = wh, wl
        loose[g] = (n + 64.0) * UNIT * wh
        k = 0
        for j in range(p):
            s = abs(spread[g, 0, k])
            fine = fine and (s == 0.0 or SMALLEST <= s <= LARGEST)
            rounding[g, j] = EXACT * s
            k += p - j
        sound[g] = fine


@njit(**INSIDE)
def copy_node(
    node, total, loose, centre, spread, rounding, g, out_total, out_loose, out_centre, out_spread, out_rounding
):
    """One of some stacked moments, as number g of others: element by element, since slices take longer to compile."""
    for word in range(2):
        out_total[g, word] = total[node, word]
        for j in range(centre.shape[2]):
            out_centre[g, word, j] = centre[node, word, j]
        for k in range(spread.shape[2]):
            out_spread[g, word, k] = spread[node, word, k]
    for j in range(rounding.shape[1]):
        out_rounding[g, j] = rounding[node, j]
    out_loose[g] = loose[node]


@njit(**INSIDE)
def merge_nodes(
    nodes, begin, end, total, loose, centre, spread, rounding, own, work,
    g, out_total, out_loose, out_centre, out_spread, out_rounding,
):  # fmt: skip
    """The moments of all rows of nodes[begin:end] as number g of others; returns whether they are in range.

    W = sum w_i;  m = m_1 + sum w_i (m_i - m_1) / W;  S = sum S_i + w_i (m_i - m)(m_i - m)'  (Chan, Golub & LeVeque
    1983, for many parts at once). `own` and `work` are work arrays, of (p,) flags and (2, p).
    """
    p, size = centre.shape[2], spread.shape[2]
    first = nodes[begin]
    copy_node(
        first, total, loose, centre, spread, rounding, g, out_total, out_loose, out_centre, out_spread, out_rounding
    )
    if end - begin == 1:
        return True
    wh, wl = total[first, 0], total[first, 1]
    for place in range(begin + 1, end):
        node = nodes[place]
        wh, wl = add(wh, wl, total[node, 0], total[node, 1])
        out_loose[g] += loose[node]
        for k in range(size):
            sh, sl = add(out_spread[g, 0, k], out_spread[g, 1, k], spread[node, 0, k], spread[node, 1, k])
            out_spread[g, 0, k] = sh
            out_spread[g, 1, k] = sl
        for j in range(p):
            out_rounding[g, j] += rounding[node, j]
    out_total[g, 0] = wh
    out_total[g, 1] = wl
    for j in range(p):
        sh, sl = 0.0, 0.0
        for place in range(begin + 1, end):
            node = nodes[place]
            dh, dl = add(centre[node, 0, j], centre[node, 1, j], -centre[first, 0, j], -centre[first, 1, j])
            dh, dl = multiply(dh, dl, total[node, 0], total[node, 1])
            sh, sl = add(sh, sl, dh, dl)
        sh, sl = divide(sh, sl, wh, wl)
        sh, sl = add(centre[first, 0, j], centre[first, 1, j], sh, sl)
        out_centre[g, 0, j] = sh
        out_centre[g, 1, j] = sl
        own[j] = False
    sound = True
    for place in range(begin, end):
        node = nodes[place]
        near, moved = 1.0, False
        for j in range(p):
            dh, dl = add(centre[node, 0, j], centre[node, 1, j], -out_centre[g, 0, j], -out_centre[g, 1, j])
            work[0, j] = dh
            work[1, j] = dl
            means = min(abs(centre[node, 0, j]) + abs(out_centre[g, 0, j]), 1e150)
            away = abs(dh)
            moved = moved or away > 0.0
            own[j] = own[j] or away > 2.0**-102 * means
            if 2.0**-84 * means < away < 2.0**-57 * means:
                near = max(near, means / away)
        share = 2.0**-45 if near == 1.0 else 2.0**-52 * near**0.5
        k = 0
        for j in range(p):
            means = min(abs(centre[node, 0, j]) + abs(out_centre[g, 0, j]), 1e150)
            lost = share * abs(work[0, j]) + 2.0**-104 / share * means if moved else 2.0**-104 * means
            out_rounding[g, j] += total[node, 0] * lost * lost
            gh, gl = multiply(work[0, j], work[1, j], total[node, 0], total[node, 1])
            square = abs(gh * work[0, j])
            sound = sound and (work[0, j] == 0.0 or SMALLEST < square < LARGEST)
            for r in range(j, p):
                ph, pl = multiply(gh, gl, work[0, r], work[1, r])
                ph, pl = add(out_spread[g, 0, k], out_spread[g, 1, k], ph, pl)
                out_spread[g, 0, k] = ph
                out_spread[g, 1, k] = pl
                k += 1
    k = 0
    ghosts = False
    for j in range(p):
        s = abs(out_spread[g, 0, k])
        sound = sound and (s == 0.0 or SMALLEST <= s <= LARGEST)
        out_rounding[g, j] += (end - begin) * WORDS_EPS * s
        own[j] = own[j] or s > out_rounding[g, j] or s == 0.0
        ghosts = ghosts or not own[j]
        k += p - j
    if ghosts:  # a scatter within its rounding, of means that did not move: rows that are gone left it
        k = 0
        for j in range(p):
            for r in range(j, p):
                if not (own[j] and own[r]):
                    out_spread[g, 0, k] = 0.0
                    out_spread[g, 1, k] = 0.0
                k += 1
    return sound


@njit(**SETTINGS)
def merge_groups(
    nodes, starts, count, total, loose, centre, spread, rounding, own, work,
    out_count, out_total, out_loose, out_centre, out_spread, out_rounding, sound,
):  # fmt: skip
    """The nodes starts[g] to starts[g+1] of a list as one, for every g."""
    for g in range(starts.size - 1):
        out_count[g] = 0
        for place in range(starts[g], starts[g + 1]):
            out_count[g] += count[nodes[place]]
        sound[g] = merge_nodes(
            nodes, starts[g], starts[g + 1], total, loose, centre, spread, rounding, own, work,
            g, out_total, out_loose, out_centre, out_spread, out_rounding,
        )  # fmt: skip


@njit(**SETTINGS)
def counted_order(codes, least, counts, order):
    """A stable order of rows by codes from `least` on, of which there are counts.size - 1; `counts` begins as zeros."""
    for i in range(codes.size):
        counts[codes[i] - least + 1] += 1
    for k in range(1, counts.size):
        counts[k] += counts[k - 1]
    for i in range(codes.size):
        k = codes[i] - least
        order[counts[k]] = i
        counts[k] += 1
