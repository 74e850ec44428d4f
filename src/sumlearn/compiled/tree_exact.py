"""A tree with two branches at every node, grown from sorted columns: exact, for numbers, categories and gaps.

The columns are sorted once (`packed`); a node is a stretch of every column, and a split divides the stretches stably.
Settings of growth are in `limits` and `counts`, in the order of the names below. Labels of several targets come as
numbers, a column of ones and zeros for each label (`SHARES`, `LOGS`).
"""

import numpy as np
from numba import njit

from .tree_absolute import median_of, without_gaps
from .tree_columns import best_with_gaps
from .tree_levels import best_of_levels
from .tree_runs import grown_rows, move, move_rows, rows_up_to
from .tree_scans import ABSOLUTE, GAP, GINI, NOTHING, ONE, SQUARED, ZERO, rank_of, row_of, scan_many, scan_one, scan_two
from .tree_sums import centre_of, class_sums, mean_of, number_sums, purity_before, sums_of_node
from .two_words import INSIDE, SETTINGS

# whole numbers of a growth
MOST_DEPTH, LEAST_SPLIT, LEAST_LEAF, TRIED, MOST_LEAVES, RANDOM, SEED = 0, 1, 2, 3, 4, 5, 6
# its numbers
LEAST_MASS, LEAST_GAIN, ALL_MASS = 0, 1, 2
# whole numbers of a node
START, END, DEPTH, FEATURE, CUT, GAPS_LEFT, LEFT, RIGHT, BELOW, ABOVE, LEVELS = range(11)
# its numbers
GAIN, IMPURITY, MASS, LOWEST, HIGHEST, THRESHOLD = range(6)
EPSILON = 2.220446049250313e-16  # a gain may be that much below the least


@njit(**INSIDE)
def drawn(state):
    """The next of a row of random words (Marsaglia 2003), and a number in [0, 1) of it."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return np.float64(x >> np.uint64(11)) * 2.0**-53


@njit(**SETTINGS)
def grow(kind, keys, sizes, signs, X, y, code, classes, given, table, counts, limits, start):
    """Nodes, numbers of nodes, values of nodes and sides of levels, in the order in which nodes were made.

    `keys` are the packed columns, for absolute deviations followed by the packed targets; X only serves random cuts.
    """
    n, d = keys.shape[1], len(sizes)
    of_classes, weighted, coded = kind < SQUARED, len(given) > 0, classes > 256
    outputs = classes if of_classes else y.shape[1]
    orders, absolute = keys[d:], kind == ABSOLUTE
    rows, flag = np.arange(n), np.empty(n, np.uint8)
    spare, weight = np.empty(n + 1, np.uint64), np.empty(len(given))
    z = np.empty((0 if of_classes else n, 0 if of_classes else outputs))
    line, place = np.empty(n if absolute else 0, np.int64), np.empty(n if absolute else 0, np.int64)
    by_place, work = np.empty(n if absolute else 0), np.empty((7, n + 1 if absolute else 0))
    most = np.int64(2)
    for f in range(d):
        most = max(most, sizes[f])
    first, order, mean = np.empty(most + 2, np.int64), np.empty(most, np.int64), np.empty(most)
    chosen, side, best_side = np.empty(most + 1, np.uint8), np.empty(most, np.uint8), np.empty(most, np.uint8)
    sums, left, totals, bounds = np.empty(outputs), np.empty(outputs), np.empty(outputs), np.empty(2)
    nothing, one = np.zeros(outputs), kind == SQUARED and outputs == 1
    two = kind == GINI and outputs == 2 and not weighted
    perm, state = np.arange(d), np.empty(1, np.uint64)
    state[0] = np.uint64(counts[SEED]) * np.uint64(2654435761) + np.uint64(88172645463325252)
    nodes, numbers = np.empty((64, 11), np.int64), np.empty((64, 6))
    values, centres, sides = np.empty((64, outputs)), np.zeros((64, outputs)), np.empty((64, 1), np.uint8)
    made, settled, held, frontier, splits = 1, 0, 0, 0, 0
    stack = np.empty(n + 1, np.int64)
    nodes[0, START], nodes[0, END], nodes[0, DEPTH] = 0, n, 0
    numbers[0, LOWEST], numbers[0, HIGHEST] = -np.inf, np.inf
    for o in range(0 if of_classes else outputs):
        centres[0, o] = start[o]
    while True:
        # the masses of new nodes; which of them can be split
        wanted = 0
        for node in range(settled, made):
            s, e = nodes[node, START], nodes[node, END]
            m = e - s
            centre = centres[node]
            if of_classes:
                mass, impurity = class_sums(kind, rows, s, e, code, given, weight, weighted, totals)
                for k in range(outputs):
                    values[node, k] = totals[k] / mass
            else:
                mass, impurity = number_sums(
                    kind, rows, s, e, y, given, weight, weighted, centre, z, totals, values[node], orders
                )
            if len(signs):
                last = outputs - 1
                values[node, last] = min(max(values[node, last], numbers[node, LOWEST]), numbers[node, HIGHEST])
                if of_classes and outputs == 2:
                    values[node, 0] = 1.0 - values[node, 1]
            numbers[node, MASS], numbers[node, IMPURITY] = mass, impurity
            nodes[node, FEATURE], nodes[node, LEFT], nodes[node, RIGHT], nodes[node, LEVELS] = -1, -1, -1, -1
            leaf = nodes[node, DEPTH] >= counts[MOST_DEPTH] or m < counts[LEAST_SPLIT] or m < 2 * counts[LEAST_LEAF]
            leaf = leaf or mass < 2 * limits[LEAST_MASS] or impurity <= 0.0
            nodes[node, CUT] = -1 if leaf else 0
            wanted += not leaf
        if wanted and settled > 0:  # columns are divided when somebody below wants them
            s, e = nodes[settled, START], nodes[settled + 1, END]
            for f in range(d):
                if rank_of(keys[f, s]) != rank_of(keys[f, e - 1]):
                    move(keys[f], s, e, flag, spare, nodes[settled + 1, CUT] >= 0)
        # their best splits
        for node in range(settled, made):
            if nodes[node, CUT] < 0:
                continue
            s, e = nodes[node, START], nodes[node, END]
            m, mass, centre = e - s, numbers[node, MASS], centres[node]
            sums_of_node(kind, rows, s, e, code, weight, weighted, z, totals)
            base = purity_before(kind, totals, mass, numbers[node, IMPURITY], outputs)
            bounds[0], bounds[1] = numbers[node, LOWEST], numbers[node, HIGHEST]
            gain, feature, cut, gaps_left, threshold = NOTHING, -1, -1, 0, np.nan
            tried, constant, remaining = 0, 0, d
            while remaining and (tried < counts[TRIED] or tried <= constant):
                f = d - remaining
                if counts[TRIED] < d:
                    at = int(drawn(state) * remaining)
                    remaining -= 1
                    f = perm[at]
                    perm[at], perm[remaining] = perm[remaining], f
                else:
                    remaining -= 1
                tried += 1
                if rank_of(keys[f, s]) == rank_of(keys[f, e - 1]):
                    constant += 1
                    continue
                drawn_at, low, high = np.nan, ONE, m
                sign = signs[f] if len(signs) else ZERO
                whole = sizes[f] == 0 and not counts[RANDOM] and rank_of(keys[f, e - 1]) != GAP
                if whole and two:  # the usual cases, without detours
                    gaps = False
                    worth, at = scan_two(
                        keys[f], s, m, counts[LEAST_LEAF], m - counts[LEAST_LEAF], nothing, 0.0, totals, mass,
                        limits[LEAST_MASS], sign, bounds,
                    )  # fmt: skip
                elif whole and one:
                    gaps = False
                    worth, at = scan_one(
                        keys[f], s, m, counts[LEAST_LEAF], m - counts[LEAST_LEAF], nothing, 0.0, totals, mass,
                        limits[LEAST_MASS], weight, z, weighted, centre, sign, bounds,
                    )  # fmt: skip
                elif whole and kind != ABSOLUTE:
                    gaps = False
                    worth, at = scan_many(
                        keys[f], s, m, counts[LEAST_LEAF], m - counts[LEAST_LEAF], kind, nothing, 0.0, totals, mass,
                        limits[LEAST_MASS], weight, z, weighted, code, coded, table, base, left, sign, bounds,
                    )  # fmt: skip
                elif sizes[f] > 0:
                    u = drawn(state) if counts[RANDOM] else -1.0
                    worth, gaps = best_of_levels(
                        keys[f], s, e, u, kind, totals, mass, limits[LEAST_MASS], counts[LEAST_LEAF], weight, weighted,
                        z, y, code, coded, table, base, orders, line, place, by_place, work, sums, left, centre, bounds,
                        spare, first, order, mean, chosen, side[: sizes[f]],
                    )  # fmt: skip
                    at = 0
                else:
                    if counts[RANDOM]:
                        stop = without_gaps(keys[f], s, e)
                        least, largest = X[row_of(keys[f, s]), f], X[row_of(keys[f, s + stop - 1]), f]
                        drawn_at = least + drawn(state) * (largest - least)
                        if drawn_at >= largest:
                            drawn_at = least
                        low = rows_up_to(keys[f], s, stop, X, f, drawn_at)
                        high = low
                    worth, at, gaps = best_with_gaps(
                        keys[f], s, e, low, high, counts[RANDOM] > 0, kind, totals, mass, limits[LEAST_MASS],
                        counts[LEAST_LEAF], weight, weighted, z, y, code, coded, table, base, orders, line, place,
                        by_place, work, sums, left, centre, sign, bounds,
                    )  # fmt: skip
                if worth > gain and at >= 0:
                    gain, feature, cut, gaps_left, threshold = worth, f, at, np.int64(gaps), drawn_at
                    for level in range(sizes[f]):
                        best_side[level] = side[level]
            if not of_classes:
                gain /= outputs
            gain = max(gain / limits[ALL_MASS], 0.0)  # no cut makes rows less pure but by rounding
            if feature < 0 or gain + EPSILON < limits[LEAST_GAIN]:
                nodes[node, CUT] = -1
                continue
            nodes[node, FEATURE], nodes[node, CUT], nodes[node, GAPS_LEFT] = feature, cut, gaps_left
            numbers[node, GAIN], numbers[node, THRESHOLD] = gain, threshold
            if sizes[feature] > 0:
                while held + sizes[feature] > len(sides):
                    sides = grown_rows(sides, 2 * len(sides))
                nodes[node, LEVELS] = held
                for level in range(sizes[feature]):
                    sides[held + level, 0] = best_side[level]
                held += sizes[feature]
            stack[frontier] = node
            frontier += 1
        settled = made
        # one of the nodes is divided
        if frontier == 0 or splits + 1 >= counts[MOST_LEAVES] > 0:
            break
        pick = frontier - 1
        if counts[MOST_LEAVES] > 0:
            for k in range(frontier):
                better = numbers[stack[k], GAIN] - numbers[stack[pick], GAIN]
                if better > 0 or (better == 0 and stack[k] < stack[pick]):
                    pick = k
        node = stack[pick]
        frontier -= 1
        for k in range(pick, frontier):
            stack[k] = stack[k + 1]
        splits += 1
        s, e, f = nodes[node, START], nodes[node, END], nodes[node, FEATURE]
        stop = without_gaps(keys[f], s, e)
        inside = 0
        for k in range(e - s):
            key = keys[f, s + k]
            if k >= stop:
                goes = nodes[node, GAPS_LEFT] == 1
            elif sizes[f] > 0:
                goes = sides[nodes[node, LEVELS] + rank_of(key), 0] == 1
            else:
                goes = k < nodes[node, CUT]
            flag[row_of(key)] = goes
            inside += goes
        if sizes[f] == 0:
            cut = nodes[node, CUT]
            nodes[node, BELOW] = row_of(keys[f, s + cut - 1])
            nodes[node, ABOVE] = row_of(keys[f, s + cut]) if cut < stop else -1
        larger = inside > e - s - inside
        if stop == e - s:  # gaps and levels that this node has not seen go with the larger part
            nodes[node, GAPS_LEFT] = larger
        for level in range(sizes[f]):
            if sides[nodes[node, LEVELS] + level, 0] == 2:
                sides[nodes[node, LEVELS] + level, 0] = larger
        for o in range(len(orders)):
            move(orders[o], s, e, flag, spare, True)
        middle = move_rows(rows, s, e, flag, spare)
        if made + 2 > len(nodes):
            nodes, numbers = grown_rows(nodes, 2 * len(nodes)), grown_rows(numbers, 2 * len(numbers))
            values, centres = grown_rows(values, 2 * len(values)), grown_rows(centres, 2 * len(centres))
        for child in range(2):
            at = made + child
            nodes[at, START], nodes[at, END] = (s, middle) if child == 0 else (middle, e)
            nodes[at, DEPTH] = nodes[node, DEPTH] + 1
            numbers[at, LOWEST], numbers[at, HIGHEST] = numbers[node, LOWEST], numbers[node, HIGHEST]
            if not of_classes:
                centre_of(rows, nodes[at, START], nodes[at, END], z, weight, weighted, centres[node], centres[at])
        nodes[node, LEFT], nodes[node, RIGHT] = made, made + 1
        made += 2
        if len(signs) and signs[f] != 0:
            narrow(
                kind, rows, s, middle, e, code, y, z, weight, weighted, orders, centres[node], signs[f], numbers, made
            )
    return nodes[:made], numbers[:made], values[:made], sides[:held, 0]


@njit(**INSIDE)
def narrow(kind, rows, s, middle, e, code, y, z, weight, weighted, orders, centre, sign, numbers, made):
    """Bounds of the values below a monotone split: the middle between its sides parts them."""
    if kind == ABSOLUTE:
        on_left = median_of(orders[0], s, middle, y, weight, weighted, ZERO)[0]
        on_right = median_of(orders[0], middle, e, y, weight, weighted, ZERO)[0]
    else:
        on_left = mean_of(kind, rows, s, middle, code, z, weight, weighted, centre)
        on_right = mean_of(kind, rows, middle, e, code, z, weight, weighted, centre)
    parting = 0.5 * (on_left + on_right)
    below, above = (made - 2, made - 1) if sign > 0 else (made - 1, made - 2)
    numbers[below, HIGHEST] = parting
    numbers[above, LOWEST] = parting
