"""Least squares and ridge over rolling windows: prefix and suffix merges, and many small systems, solved one by one.

Every system is scaled by powers of two, factored in double and refined with residuals in two words. One that is out of
range, whose condition exceeds 1e12, or whose pivots drown in the rounding of the sums is left to the careful road.
"""

import numpy as np
from numba import njit

from .stacked_moments import copy_node, merge_nodes
from .two_words import INSIDE, SETTINGS, add, multiply

REFINABLE = 1e-12  # reciprocal condition down to which a double factor and two-word residuals converge
UNIT = 2.0**-53
SOLVED, HARD, EMPTY = 0, 1, 2


@njit(**INSIDE)
def join(into, a, b, pair, total, loose, centre, spread, rounding, own, work):
    """Node `into` becomes a + b, of which either may be -1 for nothing; returns whether it is in range."""
    if a < 0 or b < 0:
        node = max(a, b)
        if node != into:
            copy_node(node, total, loose, centre, spread, rounding, into, total, loose, centre, spread, rounding)
        return True
    pair[0] = a
    pair[1] = b
    return merge_nodes(
        pair, 0, 2, total, loose, centre, spread, rounding, own, work,
        into, total, loose, centre, spread, rounding,
    )  # fmt: skip


@njit(**INSIDE)
def solve(
    node, d, alpha, intercept, total, centre, spread, rounding, G, Gl, U, inverse, x, xl, g, gl, step, noise, out
):
    """b, b0, RSS and the scatter of y of one system into `out` (d + 3); returns whether it was easy."""
    p = d + 1
    wh, wl = total[node, 0], total[node, 1]
    k = 0
    for i in range(p):
        for j in range(i, p):
            sh, sl = spread[node, 0, k], spread[node, 1, k]
            k += 1
            if not intercept:  # S + W m m'
                ph, pl = multiply(centre[node, 0, i], centre[node, 1, i], centre[node, 0, j], centre[node, 1, j])
                ph, pl = multiply(ph, pl, wh, wl)
                sh, sl = add(sh, sl, ph, pl)
            G[i, j], Gl[i, j] = sh, sl
    tss = G[d, d]
    for i in range(d):
        if alpha > 0.0:
            G[i, i], Gl[i, i] = add(G[i, i], Gl[i, i], alpha, 0.0)
        if not (1e-200 < G[i, i] < 1e200):
            return False
        step[i] = 2.0 ** -np.round(np.log2(G[i, i]) / 2.0)
        g[i], gl[i] = G[i, d], Gl[i, d]
    norm = 0.0
    for i in range(d):
        g[i] *= step[i]
        gl[i] *= step[i]
        for j in range(i, d):
            G[i, j] *= step[i] * step[j]
            Gl[i, j] *= step[i] * step[j]
            G[j, i], Gl[j, i] = G[i, j], Gl[i, j]
        noise[i] = step[i] * np.sqrt(d * rounding[node, i]) + 32.0 * UNIT * np.sqrt(d * G[i, i])
    for j in range(d):
        s = 0.0
        for i in range(d):
            s += abs(G[i, j])
        norm = max(norm, s)
    for j in range(d):  # G = U'U
        for i in range(j + 1):
            s = G[i, j]
            for r in range(i):
                s -= U[r, i] * U[r, j]
            if i == j:
                if not s > 0.0:
                    return False
                U[i, i] = np.sqrt(s)
            else:
                U[i, j] = s / U[i, i]
    for j in range(d):
        inverse[j, j] = 1.0 / U[j, j]
        for i in range(j - 1, -1, -1):
            s = 0.0
            for r in range(i + 1, j + 1):
                s += U[i, r] * inverse[r, j]
            inverse[i, j] = -s / U[i, i]
    for j in range(d):  # a pivot exceeds the noise of its column less the others' combination: |U^-1|' noise < 1
        s = 0.0
        for i in range(j + 1):
            s += abs(inverse[i, j]) * noise[i]
        if not s < 1.0:
            return False
    size = 0.0
    for i in range(d):
        s = 0.0
        for j in range(d):
            t = 0.0
            for r in range(max(i, j), d):
                t += inverse[i, r] * inverse[j, r]
            s += abs(t)
        size = max(size, s)
    if norm * size * REFINABLE > 1.0:
        return False
    before = np.inf
    for i in range(d):
        x[i], xl[i] = 0.0, 0.0
    for _ in range(12):
        for i in range(d):
            sh, sl = g[i], gl[i]
            for j in range(d):
                ph, pl = multiply(-G[i, j], -Gl[i, j], x[j], xl[j])
                sh, sl = add(sh, sl, ph, pl)
            out[i] = sh
        for i in range(d):
            s = out[i]
            for r in range(i):
                s -= U[r, i] * noise[r]
            noise[i] = s / U[i, i]
        for i in range(d - 1, -1, -1):
            s = noise[i]
            for r in range(i + 1, d):
                s -= U[i, r] * out[r]
            out[i] = s / U[i, i]
        change, largest = 0.0, 0.0
        for i in range(d):
            x[i], xl[i] = add(x[i], xl[i], out[i], 0.0)
            change, largest = max(change, abs(out[i])), max(largest, abs(x[i]))
        if change <= 2.0**-70 * largest or change > before / 2:
            break
        before = change
    # RSS = S_yy - 2 b'S_xy + b'S_xx b = S_yy - b'(S_xy + alpha b), since (S_xx + alpha I) b = S_xy
    rh, rl = spread[node, 0, p * (p + 1) // 2 - 1], spread[node, 1, p * (p + 1) // 2 - 1]
    if not intercept:
        rh, rl = G[d, d], Gl[d, d]
    ih, il = centre[node, 0, d], centre[node, 1, d]
    for i in range(d):
        ph, pl = multiply(-x[i], -xl[i], g[i], gl[i])
        rh, rl = add(rh, rl, ph, pl)
        x[i] *= step[i]
        xl[i] *= step[i]
        if alpha > 0.0:
            ph, pl = multiply(x[i], xl[i], x[i], xl[i])
            ph, pl = multiply(ph, pl, -alpha, 0.0)
            rh, rl = add(rh, rl, ph, pl)
        ph, pl = multiply(-x[i], -xl[i], centre[node, 0, i], centre[node, 1, i])
        ih, il = add(ih, il, ph, pl)
        out[i] = x[i]
    out[d] = ih if intercept else 0.0
    out[d + 1] = max(rh, 0.0)
    out[d + 2] = tss
    return True


@njit(**SETTINGS)
def roll_groups(
    leaves, ends, width, alpha, intercept, count, total, loose, centre, spread, rounding, found, weight, state
):
    """Windows of `width` steps that end before the steps `ends`, for every group.

    `leaves` (groups, steps) are numbers of nodes, -1 where a step has no rows. Blocks of `width` steps are merged from
    their ends (suffixes) and the next from its beginning (a prefix); a window is a suffix and a prefix, so there are
    three merges for each step however long it is. `found` gets b, b0, RSS, TSS of every window.
    """
    groups, steps = leaves.shape
    p = centre.shape[2]
    d = p - 1
    blocks = width + 2  # suffixes, the prefix, the window
    t, lo, c = np.empty((blocks + 1, 2)), np.empty(blocks + 1), np.empty((blocks + 1, 2, p))
    s, r = np.empty((blocks + 1, 2, spread.shape[2])), np.empty((blocks + 1, p))
    has = np.zeros(blocks + 1, np.bool_)
    own, work, pair = np.empty(p, np.bool_), np.empty((2, p)), np.empty(2, np.int64)
    G, Gl, U, inverse = np.empty((p, p)), np.empty((p, p)), np.empty((p, p)), np.empty((p, p))
    x, xl, g, gl = np.empty(p), np.empty(p), np.empty(p), np.empty(p)
    step, noise, out = np.empty(p), np.empty(p), np.zeros(p + 2)
    prefix, window, fresh = width, width + 1, width + 2
    for group in range(groups):
        place, good = 0, True
        for k in range(blocks + 1):
            has[k] = False
        for now in range(steps):
            at = now % width
            if at == 0:  # the block behind: its steps are merged from the end
                has[width] = False
                for k in range(width - 1, 0, -1):
                    leaf = leaves[group, now - width + k] if now >= width else -1
                    if leaf >= 0:
                        copy_node(leaf, total, loose, centre, spread, rounding, fresh, t, lo, c, s, r)
                    more = k + 1 < width and has[k + 1]
                    has[k] = leaf >= 0 or more
                    if has[k]:
                        a, b = fresh if leaf >= 0 else -1, k + 1 if more else -1
                        good = join(k, a, b, pair, t, lo, c, s, r, own, work) and good
                has[prefix] = False
            leaf = leaves[group, now]
            if leaf >= 0:
                copy_node(leaf, total, loose, centre, spread, rounding, fresh, t, lo, c, s, r)
                if has[prefix]:
                    copy_node(prefix, t, lo, c, s, r, window, t, lo, c, s, r)
                    good = join(prefix, window, fresh, pair, t, lo, c, s, r, own, work) and good
                else:
                    good = join(prefix, fresh, -1, pair, t, lo, c, s, r, own, work) and good
                has[prefix] = True
            if place < ends.size and ends[place] == now + 1:
                a = at + 1 if at + 1 < width and has[at + 1] else -1
                b = prefix if has[prefix] else -1
                if a < 0 and b < 0:
                    state[group, place] = EMPTY
                    weight[group, place] = 0.0
                else:
                    good = join(window, a, b, pair, t, lo, c, s, r, own, work) and good
                    weight[group, place] = t[window, 0]
                    easy = good and solve(
                        window, d, alpha, intercept, t, c, s, r, G, Gl, U, inverse, x, xl, g, gl, step, noise, out
                    )
                    for j in range(d + 3):
                        found[group, place, j] = out[j]
                    state[group, place] = SOLVED if easy else HARD
                place += 1
