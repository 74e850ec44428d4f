"""The best split of a leaf, from the histograms of its rows.

Sums of gradients G and Hessians H are whole numbers in units of 1 / sg and 1 / sh. The gain of a split is

    GL^2 / (HL + lambda) + GR^2 / (HR + lambda) - G^2 / (H + lambda)

A leaf is a row of numbers, and so are the settings of a tree: the names below are their places. How many rows are on
a side is not in the packed words. Where the Hessians do not tell that there are enough, the rows are counted, for the
column that leads and for no other.
"""

from __future__ import annotations

import numpy as np
from numba import int64, njit, uint64

from .boost_histograms import OPTIONS, count_codes

GAIN, FEATURE, BIN, WAY, LEFT_G, LEFT_H, SUM_G, SUM_H, LOW, HIGH, DEPTH = range(11)  # of a leaf
LEAF_NUMBERS = 11
# of a tree: penalty and least Hessian in whole units, Hessian that is surely enough, least amount, support and
# smoothing of categories, scales, least gain, noise of a gain, whether there are bounds on values
PENALTY, LEAST_H, ENOUGH, LEAST_AMOUNT, SUPPORT, SMOOTHING, SCALE_G, SCALE_H, LEAST_GAIN, NOISE, BOUNDED = range(11)
TREE_NUMBERS = 11
LOW_BITS = np.int64(0xFFFFFFFF)
GAP = 255
RELATIVE = 1e-10  # of a gain, below which it is rounding


@njit(fastmath={"contract"}, **OPTIONS)
def gains_of(left, gains, m, G, H, penalty, least):
    """GL^2 / (HL + penalty) + GR^2 / (HR + penalty) of every cut, 0 where a side is too light."""
    for b in range(m):
        L = np.float64(left[b] & LOW_BITS)
        R = H - L
        x = np.float64(left[b] >> 32)
        y = G - x
        t = (x * x * (R + penalty) + y * y * (L + penalty)) / ((L + penalty) * (R + penalty))
        gains[b] = t if (least <= L) & (least <= R) else 0.0


@njit(**OPTIONS)
def largest(gains, m, top):
    """The largest gain above `top`: four maxima side by side, none of which waits for another."""
    first, second, third, fourth = top, top, top, top
    whole = m & ~3
    for b in range(0, whole, 4):
        first = gains[b] if gains[b] > first else first
        second = gains[b + 1] if gains[b + 1] > second else second
        third = gains[b + 2] if gains[b + 2] > third else third
        fourth = gains[b + 3] if gains[b + 3] > fourth else fourth
    for b in range(whole, m):
        first = gains[b] if gains[b] > first else first
    first = second if second > first else first
    third = fourth if fourth > third else third
    return third if third > first else first


@njit(**OPTIONS)
def bounded_gains(left, gains, m, numbers, leaf, direction, penalty, least):
    """The same where values of leaves have bounds and an order: what a value v brings is -2 G v - (H + penalty) v^2."""
    G, H, low, high = leaf[SUM_G], leaf[SUM_H], leaf[LOW], leaf[HIGH]
    unit = numbers[SCALE_G] / numbers[SCALE_H]  # values in whole units are this much larger
    for b in range(m):
        x, L = np.float64(left[b] >> 32), np.float64(left[b] & LOW_BITS)
        R = H - L
        gains[b] = 0.0
        if least > L or least > R:
            continue
        v = min(max(-x / (L + penalty), low * unit), high * unit)
        w = min(max(-(G - x) / (R + penalty), low * unit), high * unit)
        if direction * (w - v) < 0.0:
            continue
        gains[b] = -2.0 * x * v - (L + penalty) * v * v - 2.0 * (G - x) * w - (R + penalty) * w * w


@njit(**OPTIONS)
def forbid_light(gains, m, order, counts, start, total, least):
    """Cuts that leave less than the least amount on a side gain nothing; codes in the order of the cuts."""
    amount = start
    for b in range(m):
        amount += counts[order[b]]
        if amount < least or total - amount < least:
            gains[b] = 0.0


@njit(**OPTIONS)
def ordered_categories(sums, bins, support, smoothing, keys, order):
    """Codes whose Hessian is large enough, by G / (H + smoothing); their number."""
    m = 0
    for b in range(bins):
        h = sums[b] & LOW_BITS
        if h == 0 or h < support:
            continue
        key = (sums[b] >> 32) / (h + smoothing)
        t = m
        while t > 0 and keys[t - 1] > key:
            keys[t] = keys[t - 1]
            order[t] = order[t - 1]
            t -= 1
        keys[t] = key
        order[t] = b
        m += 1
    return m


@njit(**OPTIONS)
def column_split(sums, bins, category, direction, counts, counted, numbers, leaf, left, gains, order, best):
    """The best cut of one column: best = gain, place, way, GL, HL. Codes in their order, or categories in theirs.

    Way 0: gaps and rare categories go right; way 1: they go left. `order` is that of the codes; `left` has room for
    the sums up to each.
    """
    penalty, least = numbers[PENALTY], numbers[LEAST_H]
    if category:
        m = ordered_categories(sums, bins, numbers[SUPPORT], numbers[SMOOTHING], gains, order)
        penalty += numbers[SMOOTHING]
    else:
        m = bins
    total, apart_amount, apart = int64(0), int64(0), sums[GAP]  # apart: gaps, rare categories
    if category:
        apart = (int64(leaf[SUM_G]) << 32) + int64(leaf[SUM_H])
        for b in range(m):
            apart -= sums[order[b]]
    if counted:
        for b in range(bins):
            total += counts[b]
        total += counts[GAP]
        apart_amount = counts[GAP]
        if category:
            apart_amount = total
            for b in range(m):
                apart_amount -= counts[order[b]]
        else:
            for b in range(m):
                order[b] = b
    best[0] = 0.0
    for way in range(2 if apart != 0 else 1):
        cuts = m if way == 0 and apart != 0 else m - 1
        a = apart if way else int64(0)
        if category:
            for b in range(cuts):
                a += sums[order[b]]
                left[b] = a
        else:
            for b in range(cuts):
                a += sums[b]
                left[b] = a
        if numbers[BOUNDED] != 0.0:
            bounded_gains(left, gains, cuts, numbers, leaf, direction, penalty, least)
        else:
            gains_of(left, gains, cuts, leaf[SUM_G], leaf[SUM_H], penalty, least)
        if counted:
            forbid_light(gains, cuts, order, counts, apart_amount if way else 0, total, numbers[LEAST_AMOUNT])
        top = largest(gains, cuts, best[0])
        if top > best[0]:
            for b in range(cuts):
                if gains[b] == top:
                    best[0], best[1], best[2], best[3], best[4] = top, b, way, left[b] >> 32, left[b] & LOW_BITS
                    break
    if apart == 0 and best[0] > 0.0:  # nobody was without a value: later gaps go where there is more
        best[2] = 1.0 if 2.0 * best[4] > leaf[SUM_H] else 0.0


@njit(**OPTIONS)
def best_split(
    sums, all_counts, allowed, many, bins, kinds, directions, numbers, leaf, chosen, columns, rows, start, stop, amount
):
    """Write the best split of a leaf into it: gain (not positive: none), column, bin, way, sums of the left side.

    allowed[:many] are the columns; chosen (4,) gets the set of categories that go left. all_counts (d, 256) are the
    amounts of all codes, where they are known; else rows[start:stop] are counted by their columns, as far as needed.
    """
    left, gains, best = np.empty(256, np.int64), np.empty(256), np.empty(5)
    order, counts = np.empty(256, np.int64), np.empty(256, np.int64)
    tops = np.zeros(many)
    sure = np.zeros(many, np.uint8)
    known = len(all_counts) > 0
    need = numbers[LEAST_AMOUNT] > 0.0  # zero: the Hessians are the amounts
    for t in range(many):
        f = allowed[t]
        if known and need:
            for b in range(256):
                counts[b] = all_counts[f, b]
        column_split(
            sums[f >> 3, f & 7], bins[f], kinds[f], directions[f], counts, known and need, numbers, leaf,
            left, gains, order, best,
        )  # fmt: skip
        tops[t] = best[0]
        sure[t] = known or not need
    leaf[GAIN] = -1.0
    leaf[FEATURE] = -1.0
    while True:
        lead, top = -1, 0.0
        for t in range(many):
            if tops[t] > top:
                top = tops[t]
                lead = t
        if lead < 0:
            return
        f = allowed[lead]
        counted = need and sure[lead] == 1
        if counted:
            if known:
                for b in range(256):
                    counts[b] = all_counts[f, b]
            else:
                count_codes(columns[f], rows, start, stop, amount, counts)
        column_split(
            sums[f >> 3, f & 7], bins[f], kinds[f], directions[f], counts, counted, numbers, leaf,
            left, gains, order, best,
        )  # fmt: skip
        still = best[0] == tops[lead]
        tops[lead] = best[0]
        light = min(best[4], leaf[SUM_H] - best[4])
        if still and (sure[lead] == 1 or light >= numbers[ENOUGH]):
            break
        sure[lead] = 1
    G, H = leaf[SUM_G], leaf[SUM_H]
    before = G * G / (H + numbers[PENALTY])
    if numbers[BOUNDED] != 0.0:
        unit = numbers[SCALE_G] / numbers[SCALE_H]
        v = min(max(-G / (H + numbers[PENALTY]), leaf[LOW] * unit), leaf[HIGH] * unit)
        before = -2.0 * G * v - (H + numbers[PENALTY]) * v * v
    gain = best[0] - before
    if gain <= max(RELATIVE * best[0], numbers[NOISE]) or gain < numbers[LEAST_GAIN]:
        return
    leaf[GAIN], leaf[FEATURE], leaf[WAY], leaf[LEFT_G], leaf[LEFT_H] = gain, f, best[2], best[3], best[4]
    place = int(best[1])
    leaf[BIN] = place
    for k in range(4):
        chosen[k] = 0
    if kinds[f]:
        for b in range(place + 1):
            c = order[b]
            chosen[c >> 6] |= uint64(1) << uint64(c & 63)
        if best[2] == 1.0:  # gaps and rare categories with them: all that are not on the other side
            for k in range(4):
                chosen[k] = ~uint64(0)
            m = ordered_categories(sums[f >> 3, f & 7], bins[f], numbers[SUPPORT], numbers[SMOOTHING], gains, order)
            for b in range(place + 1, m):
                c = order[b]
                chosen[c >> 6] &= ~(uint64(1) << uint64(c & 63))


@njit(**OPTIONS)
def sides(feature_is_category, place, way, chosen, left):
    """left[code] = 1 where a code goes left."""
    for b in range(256):
        if feature_is_category:
            left[b] = (chosen[b >> 6] >> uint64(b & 63)) & uint64(1)
        else:
            left[b] = b <= place
    if not feature_is_category:
        left[GAP] = way
