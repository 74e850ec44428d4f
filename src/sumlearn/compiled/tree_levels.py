"""The best division of the levels of a category into two sets."""

import numpy as np
from numba import njit

from .tree_absolute import without_gaps
from .tree_columns import best_with_gaps, sums_of
from .tree_scans import NOTHING, ONE, RANK, SHARES, SQUARED, ZERO, clear, purity, rank_of
from .two_words import INSIDE

EXHAUSTIVE = 9  # levels, and gaps as one more, that are divided in all ways where there are more than two classes
IN_KEY = np.uint64(2**36 - 1)  # what is not the rank


@njit(**INSIDE)
def sort_groups(mean, order, count):
    """Numbers of the groups by their means; equal ones in the order of their levels (Shell 1959)."""
    for g in range(count):
        order[g] = g
    step = 1
    while step < count // 3:
        step = 3 * step + 1
    while step > 0:
        for g in range(step, count):
            group, at = order[g], g
            while at >= step and (
                mean[order[at - step]] > mean[group]
                or (mean[order[at - step]] == mean[group] and order[at - step] > group)
            ):
                order[at] = order[at - step]
                at -= step
            order[at] = group
        step //= 3


@njit(**INSIDE)
def in_all_ways(
    keys, s, e, first, groups, kind, totals, mass, least, least_leaf, weight, weighted, z, code, table, base, left,
    chosen,
):  # fmt: skip
    """Every division of the groups, of which the last is gaps if there are any; `chosen` tells who is on the left."""
    classes = len(totals)
    sums, masses = np.empty((groups, classes)), np.empty(groups)
    for g in range(groups):
        masses[g] = sums_of(keys, first[g], first[g + 1], kind, weight, weighted, z, code, sums[g])
    best, ways = NOTHING, -ONE
    for way in range(1, 2 ** (groups - 1)):  # the last group is always on the right
        clear(left)
        a, rows = 0.0, 0
        for g in range(groups - 1):
            if way >> g & 1:
                a += masses[g]
                rows += first[g + 1] - first[g]
                for k in range(classes):
                    left[k] += sums[g, k]
        b = mass - a
        if rows < least_leaf or e - s - rows < least_leaf or a < least or b < least or a <= 0 or b <= 0:
            continue
        worth = purity(kind, left, totals, a, b, table)
        if worth > best:
            best, ways = worth, way
    for g in range(groups):
        chosen[g] = ways >= 0 and way_has(ways, g)
    return best - base if ways >= 0 else NOTHING


@njit(**INSIDE)
def way_has(way, group):
    return way >> group & 1 == 1


@njit(**INSIDE)
def best_of_levels(
    keys, s, e, u, kind, totals, mass, least, least_leaf, weight, weighted, z, y, code, coded, table, base, orders,
    line, place, by_place, work, sums, left, centre, bounds, spare, first, order, mean, chosen, side,
):  # fmt: skip
    """Which levels go left, written to `side` (2 where a level does not occur), and which way gaps go.

    Sorted by the mean of the target, the best division of levels is a cut, for one number or two classes (Fisher 1958;
    Breiman et al. 1984). Of more classes few levels are divided in all ways, many along the share of each class. A
    draw u in [0, 1) leaves one cut to be tried; u < 0 tries all.
    """
    m, stop, groups = e - s, without_gaps(keys, s, e), ZERO
    for k in range(stop):
        if k == 0 or rank_of(keys[s + k]) != rank_of(keys[s + k - 1]):
            first[groups] = s + k
            groups += 1
    first[groups] = s + stop
    for level in range(len(side)):
        side[level] = 2
    if groups + (stop < m) < 2:
        return NOTHING, 0
    gain, gaps_left = NOTHING, 0
    of_labels = kind < SQUARED or kind >= SHARES
    if of_labels and len(totals) > 2 and u < 0 and groups + (stop < m) <= EXHAUSTIVE:
        first[groups + 1] = e
        every = groups + (stop < m)
        gain = in_all_ways(
            keys, s, e, first, every, kind, totals, mass, least, least_leaf, weight, weighted, z, code, table, base,
            left, chosen,
        )  # fmt: skip
        for g in range(groups):
            side[rank_of(keys[first[g]])] = chosen[g]
        return gain, np.int64(stop < m and chosen[groups])
    orderings = len(totals) if kind >= SQUARED or len(totals) > 2 else 1
    for r in range(orderings):
        of_class = 1 if kind < SQUARED and len(totals) == 2 else r
        for g in range(groups):
            of_group = sums_of(keys, first[g], first[g + 1], kind, weight, weighted, z, code, sums)
            mean[g] = sums[of_class] / of_group if of_group > 0 else 0.0
        sort_groups(mean, order, groups)
        at, low, high = s, ONE, m
        cut_after = 1 + int(u * (groups - 1))
        for p in range(groups):
            for k in range(first[order[p]], first[order[p] + 1]):
                spare[at] = (np.uint64(p) << RANK) | (keys[k] & IN_KEY)
                at += 1
            if u >= 0 and p + 1 == cut_after:
                low = high = at - s
        for k in range(s + stop, e):
            spare[k] = keys[k]
        worth, cut, gaps = best_with_gaps(
            spare, s, e, low, high, u >= 0, kind, totals, mass, least, least_leaf, weight, weighted, z, y, code, coded,
            table, base, orders, line, place, by_place, work, sums, left, centre, ZERO, bounds,
        )  # fmt: skip
        if cut >= 0 and worth > gain:
            gain, gaps_left, at = worth, gaps, 0
            for p in range(groups):
                at += first[order[p] + 1] - first[order[p]]
                side[rank_of(keys[first[order[p]]])] = at <= cut
    return gain, np.int64(gaps_left)
