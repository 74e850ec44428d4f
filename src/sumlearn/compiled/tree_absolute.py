"""Cuts by absolute deviations from the medians of both sides."""

from numba import njit

from .tree_scans import GAP, NOTHING, ONE, ZERO, in_order, rank_of, row_of
from .two_words import INSIDE


@njit(**INSIDE)
def median_of(order, s, e, y, weight, weighted, output):
    """Weighted median of the rows of a node, in the order of their targets, and the sum of distances from it.

    Where half of the mass lies below a gap, the middle of the gap.
    """
    total, below, at = 0.0, 0.0, s
    for k in range(s, e):
        total += weight[row_of(order[k])] if weighted else 1.0
    for k in range(s, e):
        below += weight[row_of(order[k])] if weighted else 1.0
        if 2.0 * below >= total:
            at = k
            break
    middle = y[row_of(order[at]), output]
    if 2.0 * below == total and at + 1 < e:
        middle = 0.5 * (middle + y[row_of(order[at + 1]), output])
    spread = 0.0
    for k in range(s, e):
        row = row_of(order[k])
        spread += (weight[row] if weighted else 1.0) * abs(y[row, output] - middle)
    return middle, spread


@njit(**INSIDE)
def spreads(line, m, first, step, place, y, by_place, weight, weighted, output, sums, spread, middle, halfway):
    """After every row of a line: the median of the rows so far; the sum of distances from it is added to `spread`.

    `place` is the place of a row in the order of the targets, `by_place` the targets in that order. A tree of partial
    sums (Fenwick 1994) finds the median in log m steps; the middle of two is taken only if it is asked for (`halfway`).
    """
    jump = 1
    while 2 * jump <= m:
        jump *= 2
    mass, total = 0.0, 0.0
    for i in range(m + 1):
        sums[0, i] = 0.0
        sums[1, i] = 0.0
    for k in range(m):
        row = line[first + k * step]
        w = weight[row] if weighted else 1.0
        i = place[row] + 1
        while i <= m:
            sums[0, i] += w
            sums[1, i] += w * y[row, output]
            i += i & -i
        mass += w
        total += w * y[row, output]
        at, below, below_sum, leap = 0, 0.0, 0.0, jump
        while leap:
            if at + leap <= m and 2.0 * (below + sums[0, at + leap]) < mass:
                at += leap
                below += sums[0, at]
                below_sum += sums[1, at]
            leap //= 2
        middle[k] = by_place[at]
        if halfway:
            above, up_to, leap = 0, 0.0, jump
            while leap:
                if above + leap <= m and 2.0 * (up_to + sums[0, above + leap]) <= mass:
                    above += leap
                    up_to += sums[0, above]
                leap //= 2
            middle[k] = 0.5 * (by_place[at] + by_place[min(above, m - 1)])
        spread[k] += by_place[at] * (2.0 * below - mass) + total - 2.0 * below_sum


@njit(**INSIDE)
def scan_absolute(
    keys, s, e, stop, low, high, gone_rows, gone_mass, mass, least, weight, weighted, y, orders, base, line, place,
    by_place, sums, spread_left, spread_right, middle_left, middle_right, sign, bounds,
):  # fmt: skip
    """The cut with the least sum of distances; `gone_rows` gaps are on the left, or all on the right."""
    m = e - s
    for k in range(stop):
        line[gone_rows + k] = row_of(keys[s + k])
    for k in range(stop, m):
        line[k - stop if gone_rows else k] = row_of(keys[s + k])
    for k in range(m):
        spread_left[k] = 0.0
        spread_right[k] = 0.0
    for o in range(y.shape[1]):
        for k in range(s, e):
            row = row_of(orders[o, k])
            place[row] = k - s
            by_place[k - s] = y[row, o]
        spreads(line, m, ZERO, ONE, place, y, by_place, weight, weighted, o, sums, spread_left, middle_left, sign != 0)
        spreads(
            line, m, m - 1, -ONE, place, y, by_place, weight, weighted, o, sums, spread_right, middle_right, sign != 0
        )
    best, at, a = NOTHING, -1, gone_mass
    for k in range(1, high + 1):
        a += weight[row_of(keys[s + k - 1])] if weighted else 1.0
        if k >= low and (k == stop or rank_of(keys[s + k]) != rank_of(keys[s + k - 1])):
            b = mass - a
            if a < least or b < least or a <= 0 or b <= 0:
                continue
            on_left, on_right = gone_rows + k - 1, m - (gone_rows + k) - 1
            worth = -(spread_left[on_left] + spread_right[on_right])
            if worth > best and in_order(sign, bounds, middle_left[on_left], middle_right[on_right]):
                best, at = worth, k
    return (best + base if at >= 0 else NOTHING), at


@njit(**INSIDE)
def without_gaps(keys, s, e):
    """How many of the sorted items are no gaps."""
    if rank_of(keys[e - 1]) != GAP:
        return e - s
    low, high = s, e
    while low < high:
        half = (low + high) // 2
        if rank_of(keys[half]) == GAP:
            high = half
        else:
            low = half + 1
    return low - s
