"""The best cut of one sorted column, whatever the targets are and wherever its gaps go."""

from numba import njit

from .tree_absolute import scan_absolute, without_gaps
from .tree_scans import ABSOLUTE, GINI, NOTHING, SQUARED, clear, row_of, scan_many, scan_one, scan_two
from .two_words import INSIDE


@njit(**INSIDE)
def best_cut(
    keys, s, e, stop, low, high, kind, gone_rows, gone, gone_mass, totals, mass, least, weight, weighted, z, y, code,
    coded, table, base, orders, line, place, by_place, work, left, centre, sign, bounds,
):  # fmt: skip
    """The best cut of sorted keys among positions low to high, and its gain; `gone` are sums of gaps on the left."""
    if high < low:
        return NOTHING, -1
    if kind == GINI and len(totals) == 2 and not weighted:
        return scan_two(keys, s, stop, low, high, gone, gone_mass, totals, mass, least, sign, bounds)
    if kind == SQUARED and len(totals) == 1:
        return scan_one(
            keys, s, stop, low, high, gone, gone_mass, totals, mass, least, weight, z, weighted, centre, sign, bounds
        )
    if kind == ABSOLUTE:
        return scan_absolute(
            keys, s, e, stop, low, high, gone_rows, gone_mass, mass, least, weight, weighted, y, orders, base, line,
            place, by_place, work[:3], work[3], work[4], work[5], work[6], sign, bounds,
        )  # fmt: skip
    return scan_many(
        keys, s, stop, low, high, kind, gone, gone_mass, totals, mass, least, weight, z, weighted, code, coded, table,
        base, left, sign, bounds,
    )  # fmt: skip


@njit(**INSIDE)
def sums_of(keys, first, last, kind, weight, weighted, z, code, sums):
    """Sums of the items in a stretch, and their mass."""
    clear(sums)
    mass = 0.0
    for k in range(first, last):
        row = row_of(keys[k])
        more = weight[row] if weighted else 1.0
        mass += more
        if kind < SQUARED:
            sums[code[row]] += more
        else:
            for o in range(len(sums)):
                sums[o] += z[row, o]
    return mass


@njit(**INSIDE)
def best_with_gaps(
    keys, s, e, low, high, drawn_cut, kind, totals, mass, least, least_leaf, weight, weighted, z, y, code, coded, table,
    base, orders, line, place, by_place, work, sums, left, centre, sign, bounds,
):  # fmt: skip
    """The best cut of a column, with its gaps on the right, on the left, or apart from all that is known.

    Positions are from low to high if those are given (`drawn_cut`).
    """
    m, stop = e - s, without_gaps(keys, s, e)
    gain, cut, gaps_left = NOTHING, -1, 0
    for way in range(1 if stop == m else 3):
        gone_rows = m - stop if way == 1 else 0
        gone_mass = 0.0
        clear(sums)
        if way == 1:
            gone_mass = sums_of(keys, s + stop, e, kind, weight, weighted, z, code, sums)
        first, last = max(1, least_leaf - gone_rows), min(stop - 1, m - least_leaf - gone_rows)
        if way == 2:
            first, last = max(stop, least_leaf), min(stop, m - least_leaf)
        elif drawn_cut:
            first, last = max(first, low), min(last, high)
        worth, at = best_cut(
            keys, s, e, stop, first, last, kind, gone_rows, sums, gone_mass, totals, mass, least, weight, weighted, z,
            y, code, coded, table, base, orders, line, place, by_place, work, left, centre, sign, bounds,
        )  # fmt: skip
        if at >= 0 and worth > gain:
            gain, cut, gaps_left = worth, at, way == 1
    return gain, cut, gaps_left
