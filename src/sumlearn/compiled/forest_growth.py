"""The growth of one tree on bins: rows with whole-number masses, a random choice of columns at every node.

Masses are whole numbers, and what is added up beside them is rounded to whole numbers first, so no sum depends on the
order of its rows. A node is a run of rows in `index`; nodes wait on a stack or, where the number of leaves is limited,
in a heap by their gain.

    gini           score = sum_c L_c^2 / W_l + sum_c R_c^2 / W_r       gain = score - sum_c T_c^2 / W
    entropy        score = sum_c L_c ln L_c - W_l ln W_l + that of R   (bits: divided by ln 2)
    squared error  score = S_l^2 / W_l + S_r^2 / W_r                   S = sum of mass * (y - middle of the node)
    poisson        score = S_l ln(S_l / W_l) + S_r ln(S_r / W_r)       S = sum of mass * y
"""

import math

import numpy as np
from numba import njit, uint64

from .two_words import INSIDE, SETTINGS

GINI, ENTROPY, SQUARED, POISSON = 0, 1, 2, 3
GAP = 255
FEW = 384  # rows of a node that are read by row: those of larger ones are read by column
MANY = 64  # rows that are likely to meet most bins
SMALL = 24  # rows that are sorted rather than counted
UNITS = 2.0**26  # mass of a node, up to which targets are rounded before they are multiplied with it
ORDERINGS = 10  # of levels that are tried where there are more than two classes
# Places in `limits`, the numbers that bound the growth.
MTRY, MAX_DEPTH, MIN_SPLIT, MIN_LEAF, MIN_MASS, MAX_LEAVES = 0, 1, 2, 3, 4, 5


@njit(**INSIDE)
def xlogx(x):
    return x * math.log(x) if x > 0.0 else 0.0


@njit(**INSIDE)
def lowest_bit(x):
    """The place of the lowest bit that is set."""
    x = (x & (~x + uint64(1))) - uint64(1)
    x = x - ((x >> uint64(1)) & uint64(0x5555555555555555))
    x = (x & uint64(0x3333333333333333)) + ((x >> uint64(2)) & uint64(0x3333333333333333))
    x = (x + (x >> uint64(4))) & uint64(0x0F0F0F0F0F0F0F0F)
    return (x * uint64(0x0101010101010101)) >> uint64(56)


@njit(**INSIDE)
def begun(seed, node):
    """Where the draws of a node begin: they depend on no other node's."""
    z = (uint64(seed) + uint64(node + 1) * uint64(0x9E3779B97F4A7C15)) * uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> uint64(29))) * uint64(0x94D049BB133111EB)
    return z ^ (z >> uint64(32)) | uint64(1)


@njit(**INSIDE)
def drawn(state):
    """Marsaglia's xorshift of 64 bits."""
    state ^= state << uint64(13)
    state ^= state >> uint64(7)
    state ^= state << uint64(17)
    return state


@njit(**INSIDE)
def bins_met(marks, words, order, rows):
    """The bins that are marked, ascending, without that of gaps; marks are taken off."""
    size = 0
    if rows > MANY:
        for b in range(GAP):
            order[size] = b
            size += marks[b]
            marks[b] = 0
        return size
    for word in range(32):
        w = words[word]
        if w:
            words[word] = 0
            while w:
                bit = lowest_bit(w)
                w &= w - uint64(1)
                order[size] = 8 * word + np.int64(bit >> uint64(3))
                size += 1
    return size


@njit(**INSIDE)
def sort_rows(codes, places, offset, rows, keys):
    """Rows of a small node by their codes: code and place in one number, ascending."""
    for k in range(rows):
        key = (np.int64(codes[places[k] + offset]) << 8) | k
        at = k
        while at > 0 and keys[at - 1] > key:
            keys[at] = keys[at - 1]
            at -= 1
        keys[at] = key


@njit(**INSIDE)
def small_class_cut(keys, rows, mass, shift, classes, totals, W, least, left):
    """Best cut of a small node by the Gini score, from rows that are sorted; the place of the last row on the left."""
    best, place, a = least, -1, 0
    for c in range(classes):
        left[c] = 0.0
    for k in range(rows - 1):
        row = keys[k] & 255
        left[shift[row] >> uint64(8)] += mass[row]
        a += mass[row]
        if keys[k] >> 8 != keys[k + 1] >> 8:
            below, above = 0.0, 0.0
            for c in range(classes):
                x = left[c]
                y = totals[c] - x
                below += x * x
                above += y * y
            x = np.float64(a)
            y = W - x
            score = (below * y + above * x) / (x * y)
            if score > best:
                best, place = score, k
    return best, place


@njit(**INSIDE)
def small_number_cut(keys, rows, mass, amount, total, W, least):
    """The same by squared errors."""
    best, place, a, s = least, -1, 0, 0
    for k in range(rows - 1):
        row = keys[k] & 255
        a += mass[row]
        s += amount[row]
        if keys[k] >> 8 != keys[k + 1] >> 8:
            left, x = np.float64(a), np.float64(s)
            right, y = W - left, total - x
            score = (x * x * right + y * y * left) / (left * right)
            if score > best:
                best, place = score, k
    return best, place


@njit(**INSIDE)
def order_levels(table, order, size, row, classes, keys):
    """Levels by the share of a class, or by the mean target (`classes` is 0); equal ones as they are."""
    for j in range(size):
        b = order[j]
        if classes == 0:
            keys[j] = table[256 + b] / table[b]
        else:
            mass = 0.0
            for c in range(classes):
                mass += table[256 * c + b]
            keys[j] = table[256 * row + b] / mass
    for j in range(1, size):
        key, b, at = keys[j], order[j], j
        while at > 0 and (keys[at - 1] > key or (keys[at - 1] == key and order[at - 1] > b)):
            keys[at], order[at] = keys[at - 1], order[at - 1]
            at -= 1
        keys[at], order[at] = key, b


@njit(**INSIDE)
def class_sums(table, order, size, classes, totals, gap_left, entropy, left, value, below, above):
    """Mass left of each cut, and the sums over classes of squares (or x ln x) on both sides."""
    for j in range(size):
        left[j] = 0.0
        below[j] = 0.0
        above[j] = 0.0
    for c in range(classes):
        at = 256 * c
        a, whole = table[at + GAP] if gap_left else 0, totals[c]
        for j in range(size):
            a += table[at + order[j]]
            value[j] = np.float64(a)  # of the last class: of two, the one that a constraint is about
        for j in range(size):
            left[j] += value[j]
        if entropy:
            for j in range(size):
                below[j] += xlogx(value[j])
                above[j] += xlogx(whole - value[j])
        else:
            for j in range(size):
                x = value[j]
                y = whole - x
                below[j] += x * x
                above[j] += y * y


@njit(**INSIDE)
def number_sums(table, order, size, gap_left, left, value):
    """Mass left of each cut, and the sum of its targets."""
    mass, target = (table[GAP], table[256 + GAP]) if gap_left else (0, 0)
    for j in range(size):
        mass += table[order[j]]
        target += table[256 + order[j]]
        left[j] = np.float64(mass)
        value[j] = np.float64(target)


@njit(**INSIDE)
def class_scores(size, entropy, W, left, below, above, score):
    """The score of each cut; not a number where a side has no mass."""
    if entropy:
        for j in range(size):
            score[j] = below[j] - xlogx(left[j]) + above[j] - xlogx(W - left[j])
    else:
        for j in range(size):
            x = left[j]
            y = W - x
            score[j] = (below[j] * y + above[j] * x) / (x * y)


@njit(**INSIDE)
def number_scores(size, poisson, W, total, left, value, score):
    if poisson:
        for j in range(size):
            x, y = value[j], total - value[j]
            allowed = x > 0.0 and y > 0.0
            score[j] = x * math.log(x / left[j]) + y * math.log(y / (W - left[j])) if allowed else -math.inf
    else:
        for j in range(size):
            x, a = value[j], left[j]
            y, b = total - x, W - a
            score[j] = (x * x * b + y * y * a) / (a * b)


@njit(**INSIDE)
def best_cut(size, W, rows, total, limits, sign, low, high, least, left, value, counts, score):
    """The cut of highest score that leaves enough on both sides, and its score; -1 where there is none.

    `total` is the sum of `value` over the node; `low` and `high` are bounds of its means, where the column has a sign.
    """
    best, place = least, -1
    for j in range(size):
        if score[j] > best:
            x, y = left[j], W - left[j]
            if not (x > 0.0 and y > 0.0) or x < limits[MIN_MASS] or y < limits[MIN_MASS]:
                continue
            if limits[MIN_LEAF] > 1 and (counts[j] < limits[MIN_LEAF] or rows - counts[j] < limits[MIN_LEAF]):
                continue
            if sign != 0.0:
                a, b = value[j] / x, (total - value[j]) / y
                if min(a, b) < low or max(a, b) > high or (a - b) * sign > 0.0:
                    continue
            best, place = score[j], j
    return best, place


@njit(**SETTINGS)
def grow(
    by_row, by_column, columns, levels, monotone, masses, multiples, labels, classes, targets, criterion, limits,
    min_decrease, seed, index, features, cuts, children, gains, weights, impurities, values, runs, depths, masks,
):  # fmt: skip
    """Grow one tree into the arrays of its nodes; returns how many there are.

    by_row, by_column: codes (n d,), flat, by row and by column. columns: which of them vary. levels (d,): above zero
    for categories. monotone (d,): signs, or empty. masses (n,): of the rows, zero if not drawn. multiples (n,): how
    many rows each stands for, or empty. labels, classes or targets (within -1 and 1): what is learnt; `classes` is 0
    for targets. index (n,): room
    for row numbers; a node's rows are its run. features: -1 for a leaf. cuts: the last bin that goes left, plus 256 if
    gaps do; of a category 512. masks: the bins that go left. children: the left one, the right one follows it.
    """
    n, d, varying = len(masses), len(levels), len(columns)
    whole, count = 0, 0
    for i in range(n):
        if masses[i] > 0:
            index[count] = i
            count += 1
            whole += masses[i]
    total_mass = np.float64(whole)
    buffer = np.empty(count, np.uint32)
    mass, shift, amount = np.empty(count, np.int64), np.empty(count, np.uint64), np.empty(count, np.int64)
    table, row_table = np.zeros(256 * max(classes, 2), np.int64), np.zeros(256, np.int64)
    marks = np.zeros(256, np.uint8)
    mark_words = marks.view(np.uint64)
    order, shares, keys = np.empty(256, np.int64), np.empty(256), np.empty(SMALL, np.int64)
    on_left, value_left, below, above = np.empty(256), np.empty(256), np.empty(256), np.empty(256)
    rows_left, score, places = np.empty(256), np.empty(256), np.empty(SMALL, np.uint64)
    class_left = np.empty(max(classes, 1))
    simple = limits[MIN_LEAF] <= 1 and limits[MIN_MASS] <= 0 and len(monotone) == 0
    simple = simple and criterion in (GINI, SQUARED)
    class_mass, present, own = np.zeros(classes + 1, np.int64), np.empty(classes + 1, np.int64), np.empty(classes + 1)
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
            own_sum, kinds, scale, parent = 0.0, 0, 1.0, 0.0
            if classes:
                for k in range(rows):
                    i = index[start + k]
                    c = labels[i]
                    if class_mass[c] == 0:
                        present[kinds] = c
                        kinds += 1
                    class_mass[c] += masses[i]
                    mass[k] = masses[i]
                for a in range(1, kinds):  # ascending, whatever row came first
                    c, at = present[a], a
                    while at > 0 and present[at - 1] > c:
                        present[at] = present[at - 1]
                        at -= 1
                    present[at] = c
                for a in range(kinds):
                    c = present[a]
                    own[a] = np.float64(class_mass[c])
                    node_mass += class_mass[c]
                    local[c] = uint64(256 * a)
                    parent += xlogx(own[a]) if criterion == ENTROPY else own[a] * own[a]
                    class_mass[c] = 0
                    own_sum = own[a]
                W = np.float64(node_mass)
                parent = parent - xlogx(W) if criterion == ENTROPY else parent / W
                impurities[node] = -parent / W / math.log(2.0) if criterion == ENTROPY else 1.0 - parent / W
                if constrained:  # the share of the second class, also where it does not occur
                    own_sum = own[kinds - 1] if present[kinds - 1] == 1 else 0.0
                    values[node] = min(max(own_sum / W, lower[node]), upper[node])
                pure = kinds == 1
            else:
                low, high = math.inf, -math.inf
                for k in range(rows):
                    i = index[start + k]
                    mass[k] = masses[i]
                    node_mass += mass[k]
                    low, high = min(low, targets[i]), max(high, targets[i])
                W = np.float64(node_mass)
                half = 0.5 * (high - low)
                middle = 0.0 if criterion == POISSON else low + half
                pure = low == high
                value, squares, own_target = low, 0.0, 0
                if not pure:
                    reach = high if criterion == POISSON else half
                    # Sums stay below 2^52: as floats they are exact, and so are their differences. A mass that is a
                    # number of rows multiplies what was rounded: so it is the row that many times.
                    scale = math.ldexp(1.0, 52 - math.frexp(W * reach)[1])
                    few_units = W < UNITS
                    for k in range(rows):
                        away = targets[index[start + k]] - middle
                        if few_units:
                            amount[k] = mass[k] * np.int64(np.rint(away * scale))
                        else:
                            amount[k] = np.int64(np.rint(mass[k] * away * scale))
                        own_target += amount[k]
                        squares += mass[k] * away * away
                    own_sum = np.float64(own_target)
                    value = middle + own_sum / W / scale
                    parent = own_sum * math.log(own_sum / W) if criterion == POISSON else own_sum * own_sum / W
                values[node] = min(max(value, lower[node]), upper[node]) if constrained else value
                impurities[node] = max(squares / W - (value - middle) ** 2, 0.0)
                if criterion == POISSON and not pure:
                    impurities[node] = 0.0
                    for k in range(rows):
                        impurities[node] += mass[k] * xlogx(targets[index[start + k]])
                    impurities[node] = max(impurities[node] / W - value * math.log(value), 0.0)
            weights[node] = node_mass
            if (
                pure
                or depths[node] >= limits[MAX_DEPTH]
                or number < limits[MIN_SPLIT]
                or number < 2 * limits[MIN_LEAF]
                or node_mass < 2 * limits[MIN_MASS]
            ):
                continue
            if classes:
                for k in range(rows):
                    shift[k] = local[labels[index[start + k]]]
            channels = kinds if classes else 2
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
                            best, place = small_class_cut(keys, rows, mass, shift, kinds, own, W, best, class_left)
                        else:
                            best, place = small_number_cut(keys, rows, mass, amount, own_sum, W, best)
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
                        table[shift[k] + b] += mass[k]
                        marks[b] = 1
                else:
                    for k in range(rows):
                        b = uint64(codes[uint64(index[start + k]) * stride + offset])
                        table[b] += mass[k]
                        table[uint64(256) + b] += amount[k]
                        marks[b] = 1
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
                    orderings = min(kinds, ORDERINGS) if category and kinds > 2 else 1
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
                                    table, order, size, kinds, own, gaps_go, entropy, on_left, value_left, below, above
                                )
                                class_scores(size, entropy, W, on_left, below, above, score)
                            else:
                                number_sums(table, order, size, gaps_go, on_left, value_left)
                                number_scores(size, criterion == POISSON, W, own_sum, on_left, value_left, score)
                            if limits[MIN_LEAF] > 1:
                                a = row_table[GAP] if gap_left else 0
                                for j in range(size):
                                    a += row_table[order[j]]
                                    rows_left[j] = np.float64(a)
                            low_bound, high_bound = -math.inf, math.inf
                            if constrained:
                                low_bound, high_bound = lower[node], upper[node]
                                if not classes:
                                    low_bound, high_bound = (low_bound - middle) * scale, (high_bound - middle) * scale
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
            gain = (best - parent) / scale if criterion == POISSON else (best - parent) / (scale * scale)
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
            # a stack; or a heap whose first node has the largest gain, the earliest one of equals
            at = waits
            waits += 1
            waiting[at] = node
            if limits[MAX_LEAVES] > 0:
                while at > 0:
                    over = (at - 1) >> 1
                    if gains[waiting[over]] >= gain:
                        break
                    waiting[at], waiting[over] = waiting[over], node
                    at = over
            continue
        if waits == 0 or (limits[MAX_LEAVES] > 0 and leaves >= limits[MAX_LEAVES]):
            break
        # -- split the node that comes next
        waits -= 1
        node = waiting[waits]
        if limits[MAX_LEAVES] > 0 and waits > 0:
            moved, node, at = node, waiting[0], 0
            while True:
                under = 2 * at + 1
                if under >= waits:
                    break
                if under + 1 < waits:
                    first, second = waiting[under], waiting[under + 1]
                    if gains[second] > gains[first] or (gains[second] == gains[first] and second < first):
                        under += 1
                child = waiting[under]
                if gains[child] < gains[moved] or (gains[child] == gains[moved] and moved < child):
                    break
                waiting[at] = child
                at = under
            waiting[at] = moved
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
        at, others = start, 0
        for k in range(start, stop):
            i = index[k]
            side = np.int64(goes_left[codes[uint64(i) * stride + offset]])
            index[at] = i
            buffer[others] = i
            at += side
            others += 1 - side
        for k in range(others):
            index[at + k] = buffer[k]
        children[node] = nodes
        for side in range(2):
            child = nodes + side
            runs[child, 0] = start if side == 0 else at
            runs[child, 1] = at if side == 0 else stop
            depths[child] = depths[node] + 1
            if constrained:
                lower[child], upper[child] = lower[node], upper[node]
        if constrained and monotone[f] != 0:
            # the bound between both sides is the middle of their means, as known when they are looked at
            for side in range(2):
                total, weight = 0.0, 0.0
                for k in range(runs[nodes + side, 0], runs[nodes + side, 1]):
                    i = index[k]
                    weight += masses[i]
                    total += masses[i] * ((1.0 if labels[i] == 1 else 0.0) if classes else targets[i])
                values[nodes + side] = total / weight
            between = 0.5 * (values[nodes] + values[nodes + 1])
            if monotone[f] > 0:
                upper[nodes] = min(upper[nodes], between)
                lower[nodes + 1] = max(lower[nodes + 1], between)
            else:
                lower[nodes] = max(lower[nodes], between)
                upper[nodes + 1] = min(upper[nodes + 1], between)
        nodes += 2
        leaves += 1
    for k in range(waits):  # not split: the number of leaves is reached
        features[waiting[k]] = -1
        gains[waiting[k]] = 0.0
    return nodes
