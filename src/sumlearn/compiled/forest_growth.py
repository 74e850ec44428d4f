"""The growth of one tree on bins: rows with whole-number masses, a random choice of columns at every node.

Masses are whole numbers, and what is added up beside them is rounded to whole numbers first, so no sum depends on the
order of its rows. A node is a run of rows in `index`; nodes wait on a stack or, where the number of leaves is limited,
in a heap by their gain.

The gain of a cut is score - (that of the node as a whole), by the scores of `forest_cuts`; that of entropy in bits,
divided by ln 2.
"""

import math

import numpy as np
from numba import njit, uint64

from .forest_cuts import (
    GAP,
    MAX_DEPTH,
    MAX_LEAVES,
    MIN_LEAF,
    MIN_MASS,
    MIN_SPLIT,
    MTRY,
    best_cut,
    bins_met,
    class_scores,
    class_sums,
    number_scores,
    number_sums,
    order_levels,
    small_class_cut,
    small_number_cut,
    sort_rows,
    xlogx,
)
from .forest_nodes import begun, drawn, keep_apart, parted, put, taken
from .two_words import SETTINGS

GINI, ENTROPY, SQUARED, POISSON = 0, 1, 2, 3
FEW = 384  # rows of a node that are read by row: those of larger ones are read by column
SMALL = 24  # rows that are sorted rather than counted
UNITS = 2.0**26  # mass of a node, up to which targets are rounded before they are multiplied with it
ORDERINGS = 10  # of levels that are tried where there are more than two classes


@njit(**SETTINGS)
def grow(
    by_row, by_column, columns, levels, monotone, masses, multiples, labels, classes, targets, criterion, limits,
    min_decrease, seed, index, features, cuts, children, gains, weights, impurities, values, runs, depths, masks,
):  # fmt: skip
    """Grow one tree into the arrays of its nodes; returns how many there are.

    by_row, by_column: codes (n d,), flat, by row and by column. columns: which of them vary. levels (d,): above zero
    for categories. monotone (d,): signs, or empty. masses (n,): of the rows, zero if not drawn. multiples (n,): how
    many rows each stands for, or empty. labels (outputs, n) or targets (outputs, n) within -1 and 1: what is learnt;
    the labels of all outputs are numbered through, `classes` of them, 0 for targets. index (n,): room for row numbers;
    a node's rows are its run. features: -1 for a leaf. cuts: the last bin that goes left, plus 256 if gaps do; of a
    category 512. masks: the bins that go left. children: the left one, the right one follows it. values (nodes,
    outputs): means; of classes the share of the second one, where a column is monotone.
    """
    n, d, varying = len(masses), len(levels), len(columns)
    outputs = len(labels) if classes else len(targets)
    whole, count = 0, 0
    for i in range(n):
        if masses[i] > 0:
            index[count] = i
            count += 1
            whole += masses[i]
    total_mass = np.float64(whole)
    buffer = np.empty(count, np.uint32)
    mass, shift = np.empty(count, np.int64), np.empty((outputs, count), np.uint64)
    amount = np.empty((outputs, count), np.int64)
    first_shift, first_amount = shift[0], amount[0]  # by one index where there is one target
    table, row_table = np.zeros(256 * max(classes, outputs + 1), np.int64), np.zeros(256, np.int64)
    marks = np.zeros(256, np.uint8)
    mark_words = marks.view(np.uint64)
    order, shares, keys = np.empty(256, np.int64), np.empty(256), np.empty(SMALL, np.int64)
    on_left, value_left, below, above = np.empty(256), np.empty(256), np.empty(256), np.empty(256)
    rows_left, score, places = np.empty(256), np.empty(256), np.empty(SMALL, np.uint64)
    class_left = np.empty(max(classes, 1))
    simple = limits[MIN_LEAF] <= 1 and limits[MIN_MASS] <= 0 and len(monotone) == 0
    simple = simple and criterion in (GINI, SQUARED) and outputs == 1
    class_mass, present = np.zeros(classes + 1, np.int64), np.empty(classes + 1, np.int64)
    own, middle, scale, part = np.empty(max(classes, outputs)), np.empty(outputs), np.empty(outputs), np.ones(outputs)
    local = np.zeros(classes + 1, np.uint64)
    choice, swaps = columns.copy(), np.empty(varying, np.int64)
    goes_left, best_mask = np.zeros(256, np.uint8), np.zeros(4, np.uint64)
    capacity = len(features)
    constrained = len(monotone) > 0
    lower, upper = np.full(capacity if constrained else 1, -math.inf), np.full(capacity if constrained else 1, math.inf)
    waiting, waits = np.empty(capacity, np.int64), 0  # nodes that can be split
    runs[0, 0], runs[0, 1], depths[0] = 0, count, 0
    nodes, leaves, pending = 1, 1, 0  # nodes from `pending` on have not been looked at
    while True:
        if pending < nodes:
            # -- look at a node: its mass, whether it is a leaf, and its best split
            node = pending
            pending += 1
            start, stop = runs[node, 0], runs[node, 1]
            rows = stop - start
            number, node_mass = 0, 0
            if len(multiples):
                for k in range(rows):
                    number += multiples[index[start + k]]
            else:
                number = rows
            features[node], cuts[node], gains[node] = -1, 0, 0.0
            own_sum, kinds, first_kinds, unit, parent = 0.0, 0, 0, 1.0, 0.0
            if classes:
                for k in range(rows):
                    mass[k] = masses[index[start + k]]
                for o in range(outputs):
                    for k in range(rows):
                        c = labels[o, index[start + k]]
                        if class_mass[c] == 0:
                            present[kinds] = c
                            kinds += 1
                        class_mass[c] += mass[k]
                    first_kinds = kinds if o == 0 else first_kinds
                for a in range(1, kinds):  # ascending, whatever row came first
                    c, at = present[a], a
                    while at > 0 and present[at - 1] > c:
                        present[at] = present[at - 1]
                        at -= 1
                    present[at] = c
                for a in range(kinds):
                    c = present[a]
                    own[a] = np.float64(class_mass[c])
                    node_mass += class_mass[c] if a < first_kinds else 0
                    local[c] = uint64(256 * a)
                    parent += xlogx(own[a]) if criterion == ENTROPY else own[a] * own[a]
                    class_mass[c] = 0
                    own_sum = own[a]
                W = np.float64(node_mass)
                parent = parent - outputs * xlogx(W) if criterion == ENTROPY else parent / W
                impurity = -parent / W / math.log(2.0) / outputs if criterion == ENTROPY else 1.0 - parent / W / outputs
                impurities[node] = impurity
                if constrained:  # the share of the second class, also where it does not occur
                    own_sum = own[kinds - 1] if present[kinds - 1] == 1 else 0.0
                    values[node, 0] = min(max(own_sum / W, lower[node]), upper[node])
                pure = kinds == outputs
            else:
                for k in range(rows):
                    mass[k] = masses[index[start + k]]
                    node_mass += mass[k]
                W = np.float64(node_mass)
                pure, impurities[node] = True, 0.0
                for o in range(outputs):
                    low, high = math.inf, -math.inf
                    for k in range(rows):
                        i = index[start + k]
                        low, high = min(low, targets[o, i]), max(high, targets[o, i])
                    half = 0.5 * (high - low)
                    middle[o] = 0.0 if criterion == POISSON else low + half
                    reach = high if criterion == POISSON else half
                    # Sums stay below 2^52: as floats they are exact, and so are their differences. A mass that is a
                    # number of rows multiplies what was rounded: so it is the row that many times.
                    scale[o] = math.ldexp(1.0, 52 - math.frexp(W * reach)[1]) if low < high else 0.0
                    pure = pure and low == high
                    few_units = W < UNITS
                    value, squares, own_target = low, 0.0, 0
                    if low < high:
                        for k in range(rows):
                            away = targets[o, index[start + k]] - middle[o]
                            if few_units:
                                amount[o, k] = mass[k] * np.int64(np.rint(away * scale[o]))
                            else:
                                amount[o, k] = np.int64(np.rint(mass[k] * away * scale[o]))
                            own_target += amount[o, k]
                            squares += mass[k] * away * away
                        value = middle[o] + np.float64(own_target) / W / scale[o]
                    elif outputs > 1:
                        for k in range(rows):
                            amount[o, k] = 0
                    own[o] = np.float64(own_target)
                    values[node, o] = min(max(value, lower[node]), upper[node]) if constrained else value
                    if criterion == POISSON and low < high:
                        spread = 0.0
                        for k in range(rows):
                            spread += mass[k] * xlogx(targets[o, index[start + k]])
                        impurities[node] += max(spread / W - value * math.log(value), 0.0)
                    elif low < high:
                        impurities[node] += max(squares / W - (value - middle[o]) ** 2, 0.0)
                impurities[node] /= outputs
                unit, own_sum = math.inf, own[0]
                for o in range(outputs):  # of the target of largest range
                    unit = min(unit, scale[o]) if scale[o] > 0.0 else unit
                for o in range(outputs):
                    part[o] = unit / scale[o] if scale[o] > 0.0 else 0.0
                    part[o] = part[o] if criterion == POISSON else part[o] * part[o]
                    if part[o] > 0.0:
                        x = own[o]
                        parent += part[o] * (x * math.log(x / W) if criterion == POISSON else x * x / W)
            weights[node] = node_mass
            if (
                pure
                or depths[node] >= limits[MAX_DEPTH]
                or number < limits[MIN_SPLIT]
                or number < 2 * limits[MIN_LEAF]
                or node_mass < 2 * limits[MIN_MASS]
            ):
                continue
            for o in range(outputs if classes else 0):
                for k in range(rows):
                    shift[o, k] = local[labels[o, index[start + k]]]
            channels = kinds if classes else outputs + 1
            few = rows <= FEW
            best, best_feature, best_bin, best_gap, best_category = -math.inf, -1, 0, False, False
            seen, usable, left = 0, 0, varying
            state = begun(seed, node)
            small = simple and rows <= SMALL
            perfect = math.inf
            if small:
                for k in range(rows):
                    places[k] = uint64(index[start + k]) * uint64(d)
                perfect = W * (1.0 - 1e-15) if classes else (-math.inf if rows == 2 else math.inf)
            while left > 0 and (seen < limits[MTRY] or usable == 0) and not (usable > 0 and best >= perfect):
                state = drawn(state)
                j = np.int64(((state >> uint64(32)) * uint64(left)) >> uint64(32))
                left -= 1
                seen += 1
                f = choice[j]
                choice[j], choice[left], swaps[left] = choice[left], f, j
                if small and levels[f] == 0:
                    sort_rows(by_row, places, uint64(f), rows, keys)
                    if keys[0] >> 8 == keys[rows - 1] >> 8:
                        continue
                    if keys[rows - 1] >> 8 != GAP:
                        usable += 1
                        if classes:
                            best, place = small_class_cut(
                                keys, rows, mass, first_shift, kinds, own, W, best, class_left
                            )
                        else:
                            best, place = small_number_cut(keys, rows, mass, first_amount, own_sum, W, best)
                        if place >= 0:
                            best_feature, best_category = f, False
                            best_bin = ((keys[place] >> 8) + (keys[place + 1] >> 8) - 1) >> 1
                            on_side = 0
                            for k in range(place + 1):
                                on_side += mass[keys[k] & 255]
                            best_gap = 2 * on_side > node_mass
                        continue
                stride, offset = uint64(d if few else 1), uint64(f if few else f * n)
                codes = by_row if few else by_column
                if classes:
                    for k in range(rows):
                        b = uint64(codes[uint64(index[start + k]) * stride + offset])
                        table[first_shift[k] + b] += mass[k]
                        marks[b] = 1
                    for o in range(1, outputs):
                        for k in range(rows):
                            b = uint64(codes[uint64(index[start + k]) * stride + offset])
                            table[shift[o, k] + b] += mass[k]
                else:
                    for k in range(rows):
                        b = uint64(codes[uint64(index[start + k]) * stride + offset])
                        table[b] += mass[k]
                        table[uint64(256) + b] += first_amount[k]
                        marks[b] = 1
                    for o in range(1, outputs):
                        for k in range(rows):
                            b = uint64(codes[uint64(index[start + k]) * stride + offset])
                            table[uint64(256 * (o + 1)) + b] += amount[o, k]
                gap = marks[GAP] != 0
                marks[GAP] = 0
                size = bins_met(marks, mark_words, order, rows)
                if size + gap >= 2:
                    usable += 1
                    if limits[MIN_LEAF] > 1:
                        for k in range(rows):
                            i = index[start + k]
                            row_table[codes[uint64(i) * stride + offset]] += multiples[i] if len(multiples) else 1
                    category = levels[f] > 0
                    orderings = kinds if classes else outputs  # by the share of a class, or by a target
                    orderings = min(orderings, ORDERINGS) if category and (kinds > 2 or not classes) else 1
                    sign = np.float64(monotone[f]) if constrained else 0.0
                    for ordering in range(orderings):
                        if category:
                            row = ordering
                            if orderings > 1 and kinds > ORDERINGS:  # the most frequent classes, the first of equals
                                for a in range(kinds):
                                    rank = 0
                                    for other in range(kinds):
                                        rank += own[other] > own[a] or (own[other] == own[a] and other < a)
                                    if rank == ordering:
                                        row = a
                            order_levels(table, order, size, row, kinds, shares)
                        for gap_left in range(2 if gap else 1):
                            gaps_go = gap_left == 1
                            if classes:
                                entropy = criterion == ENTROPY
                                class_sums(
                                    table, order, size, kinds, first_kinds, own, gaps_go, entropy, on_left, value_left,
                                    below, above,
                                )  # fmt: skip
                                class_scores(size, entropy, outputs, W, on_left, below, above, score)
                            else:
                                for j in range(size):
                                    score[j] = 0.0
                                for o in range(outputs):
                                    if part[o] > 0.0:
                                        number_sums(table, order, size, o, gaps_go, on_left, value_left)
                                        number_scores(
                                            size, criterion == POISSON, W, own[o], part[o], on_left, value_left, score
                                        )
                            if limits[MIN_LEAF] > 1:
                                a = row_table[GAP] if gap_left else 0
                                for j in range(size):
                                    a += row_table[order[j]]
                                    rows_left[j] = np.float64(a)
                            low_bound, high_bound = -math.inf, math.inf
                            if constrained:
                                low_bound, high_bound = lower[node], upper[node]
                                if not classes:
                                    low_bound = (low_bound - middle[0]) * unit
                                    high_bound = (high_bound - middle[0]) * unit
                            best, place = best_cut(
                                size, W, number, own_sum, limits, sign, low_bound, high_bound, best,
                                on_left, value_left, rows_left, score,
                            )  # fmt: skip
                            if place >= 0:
                                best_feature, best_category = f, category
                                lighter = on_left[place] <= W - on_left[place]
                                best_gap = gap_left == 1 if gap else not lighter
                                if category:
                                    fill = uint64(0xFFFFFFFFFFFFFFFF) if best_gap else uint64(0)
                                    for word in range(4):
                                        best_mask[word] = fill
                                    for j in range(size):
                                        word, bit = order[j] >> 6, uint64(1) << uint64(order[j] & 63)
                                        best_mask[word] &= ~bit
                                        best_mask[word] |= bit if j <= place else uint64(0)
                                else:
                                    last = place + 1 == size
                                    best_bin = order[place] if last else (order[place] + order[place + 1] - 1) >> 1
                    if limits[MIN_LEAF] > 1:
                        row_table[GAP] = 0
                        for j in range(size):
                            row_table[order[j]] = 0
                for c in range(channels):
                    table[256 * c + GAP] = 0
                    for j in range(size):
                        table[256 * c + order[j]] = 0
            for k in range(left, varying):  # columns in their order again, for the next node
                j = swaps[k]
                choice[j], choice[k] = choice[k], choice[j]
            if best_feature < 0:
                continue
            gain = (best - parent) / outputs / (unit if criterion == POISSON else unit * unit)
            gain = gain / math.log(2.0) if criterion == ENTROPY else gain
            if gain / total_mass + 2.220446049250313e-16 < min_decrease:
                continue
            features[node], gains[node] = best_feature, gain
            if best_category:
                cuts[node] = 512
                for word in range(4):
                    masks[node, word] = best_mask[word]
            else:
                cuts[node] = best_bin + (256 if best_gap else 0)
            put(waiting, waits, gains, node, limits[MAX_LEAVES] > 0)
            waits += 1
            continue
        if waits == 0 or (limits[MAX_LEAVES] > 0 and leaves >= limits[MAX_LEAVES]):
            break
        # -- split the node that comes next
        node = taken(waiting, waits, gains, limits[MAX_LEAVES] > 0)
        waits -= 1
        start, stop, f = runs[node, 0], runs[node, 1], features[node]
        if cuts[node] == 512:
            for b in range(256):
                goes_left[b] = (masks[node, b >> 6] >> uint64(b & 63)) & uint64(1)
        else:
            for b in range(255):
                goes_left[b] = b <= (cuts[node] & 255)
            goes_left[GAP] = cuts[node] >> 8
        few = stop - start <= FEW
        stride, offset = uint64(d if few else 1), uint64(f if few else f * n)
        codes = by_row if few else by_column
        at = parted(index, start, stop, codes, stride, offset, goes_left, buffer)
        children[node] = nodes
        for side in range(2):
            child = nodes + side
            runs[child, 0] = start if side == 0 else at
            runs[child, 1] = at if side == 0 else stop
            depths[child] = depths[node] + 1
            if constrained:
                lower[child], upper[child] = lower[node], upper[node]
        if constrained and monotone[f] != 0:
            keep_apart(nodes, monotone[f], index, runs, masses, labels, classes, targets, values, lower, upper)
        nodes += 2
        leaves += 1
    for k in range(waits):  # not split: the number of leaves is reached
        features[waiting[k]] = -1
        gains[waiting[k]] = 0.0
    return nodes
