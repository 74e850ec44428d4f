"""One tree, best leaf first: partition of the rows, histograms of the smaller side, the other side by subtraction."""

from __future__ import annotations

import numpy as np
from numba import int64, njit, uint64

from .boost_histograms import OPTIONS, divide, fill
from .boost_splits import (
    BIN,
    DEPTH,
    FEATURE,
    GAIN,
    HIGH,
    LEFT_G,
    LEFT_H,
    LOW,
    PENALTY,
    SCALE_G,
    SCALE_H,
    SUM_G,
    SUM_H,
    WAY,
    best_split,
    sides,
)

# limits of a tree: most leaves, depth, columns drawn for a split; rows and Hessian that a leaf needs to be split;
# whether the best leaf comes first; histograms of more rows than this are left to the caller
MOST_LEAVES, MOST_DEPTH, DRAWN, SPLIT_ROWS, SPLIT_H, BEST_FIRST, ALONE = range(7)
# where the work stands: phase, leaves, nodes, free slots, leaf at work and its new sister, rows and slot wanted
PHASE, LEAVES, NODES, FREE, PARENT, SISTER, WANT_START, WANT_STOP, WANT_SLOT, OPEN = range(10)
START, ROOT, CHILD, DONE = range(4)


@njit(**OPTIONS)
def mixed(key):
    """A number without a trace of the one it comes from (splitmix64, Steele, Lea & Flood 2014)."""
    z = key + uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> uint64(27))) * uint64(0x94D049BB133111EB)
    return z ^ (z >> uint64(31))


@njit(**OPTIONS)
def columns_of(key, drawn, groups, active, usable, allowed):
    """The columns that a leaf may split by: of its interaction groups, and of these as many as are to be drawn."""
    many = 0
    for f in range(len(usable)):
        inside = len(groups) == 0
        for s in range(len(groups)):
            inside = inside or (active[s] == 1 and groups[s, f] == 1)
        if inside and usable[f] == 1:
            allowed[many] = f
            many += 1
    if drawn < 0:  # a share, in parts of 2^-30
        drawn = max(1, (many * -drawn) >> 30)
    if drawn == 0 or drawn >= many:
        return many
    for t in range(drawn):
        key = mixed(key)
        j = t + int64(key % uint64(many - t))
        allowed[t], allowed[j] = allowed[j], allowed[t]
    return drawn


@njit(**OPTIONS)
def partition(column, left, rows, start, stop, spare):
    """Rows whose code goes left first, both sides in their order, without branches; where the right side begins."""
    own, many = rows[start:stop], uint64(stop - start)  # places without a sign need no look whether they are negative
    a, k = uint64(0), uint64(0)
    while k < many:
        i = own[k]
        own[a] = i
        spare[k - a] = i
        a += uint64(left[column[i]])
        k += uint64(1)
    for k in range(stop - start - int64(a)):
        own[int64(a) + k] = spare[k]
    return start + int64(a)


@njit(**OPTIONS)
def share_bounds(leaf, right, numbers, direction):
    """Bounds on the values below the two sides: between them lies the middle of their own values (LightGBM's basic)."""
    unit = numbers[SCALE_G] / numbers[SCALE_H]
    v = -leaf[SUM_G] / (leaf[SUM_H] + numbers[PENALTY]) / unit
    w = -right[SUM_G] / (right[SUM_H] + numbers[PENALTY]) / unit
    v = min(max(v, leaf[LOW]), leaf[HIGH])
    w = min(max(w, right[LOW]), right[HIGH])
    middle = 0.5 * (v + w)
    if direction > 0:
        leaf[HIGH], right[LOW] = middle, middle
    elif direction < 0:
        leaf[LOW], right[HIGH] = middle, middle


@njit(**OPTIONS)
def divided(leaf, right, numbers, directions):
    """Sums, depth and bounds of the two sides of a leaf that is split: the leaf becomes the left one."""
    f = int(leaf[FEATURE])
    right[SUM_G], right[SUM_H] = leaf[SUM_G] - leaf[LEFT_G], leaf[SUM_H] - leaf[LEFT_H]
    right[LOW], right[HIGH] = leaf[LOW], leaf[HIGH]
    leaf[SUM_G], leaf[SUM_H] = leaf[LEFT_G], leaf[LEFT_H]
    leaf[DEPTH] += 1.0
    right[DEPTH] = leaf[DEPTH]
    leaf[GAIN] = -1.0
    right[GAIN] = -1.0
    if directions[f] != 0:
        share_bounds(leaf, right, numbers, directions[f])


@njit(**OPTIONS)
def grow(
    words, columns, packed, rows, spare, amount, bins, kinds, directions, groups, usable, numbers, limits, control,
    pool, free, slots, leaves, spans, nodes, keys, active, sets, waiting, tree_links, tree_numbers, tree_sets,
    gathered, values,
):  # fmt: skip
    """Grow a tree on rows; again after every histogram that is left to the caller (control[PHASE] is then not DONE).

    tree_links (nodes, 4): column or -1, left child, bin, way; tree_numbers (nodes, 3): gain, sum of G, sum of H;
    tree_sets: categories that go left. spans, nodes and leaves are those of the leaves, in the order of their birth.
    """
    d = len(bins)
    groups_of_columns = words.shape[1]
    allowed = np.empty(d, np.int64)
    left = np.empty(256, np.uint8)
    counts = np.empty((0, 256), np.int64)
    if control[PHASE] == START:
        spans[0, 0], spans[0, 1] = 0, len(rows)
        nodes[0] = 0
        total = int64(0)
        for k in range(len(rows)):
            total += packed[rows[k]]
        leaves[0, SUM_G], leaves[0, SUM_H], leaves[0, DEPTH], leaves[0, GAIN] = (
            total >> 32,
            total & int64(0xFFFFFFFF),
            0.0,
            -1.0,
        )
        leaves[0, LOW], leaves[0, HIGH] = -np.inf, np.inf
        control[LEAVES], control[NODES], control[OPEN] = 1, 1, 0
        tree_links[0, 0] = -1
        if (
            limits[MOST_LEAVES] < 2
            or limits[MOST_DEPTH] < 1
            or len(rows) < limits[SPLIT_ROWS]
            or leaves[0, SUM_H] < limits[SPLIT_H]
        ):
            control[PHASE] = DONE
            return
        control[FREE] -= 1
        slots[0] = free[control[FREE]]
        control[PHASE] = ROOT
        control[WANT_START], control[WANT_STOP], control[WANT_SLOT] = 0, len(rows), slots[0]
        if len(rows) > limits[ALONE]:
            return
        fill(words, bins, packed, rows, 0, len(rows), 0, groups_of_columns, pool[slots[0]], gathered, values)
    while True:
        first, second = 0, 0
        if control[PHASE] == ROOT:
            second = -1
        elif control[PHASE] == CHILD:
            first, second = control[PARENT], control[SISTER]
            # the slot of the parent still holds its histogram, the other one that of the smaller side
            swap = spans[first, 1] - spans[first, 0] <= spans[second, 1] - spans[second, 0]
            divide(pool[slots[first]], pool[slots[second]], bins, swap)
        for turn in range(2):
            one = first if turn == 0 else second
            if one < 0:
                continue
            if can_split(leaves[one], spans[one], limits):
                many = columns_of(keys[one], limits[DRAWN], groups, active[one], usable, allowed)
                best_split(
                    pool[slots[one]], counts, allowed, many, bins, kinds, directions, numbers, leaves[one], sets[one],
                    columns, rows, spans[one, 0], spans[one, 1], amount,
                )  # fmt: skip
            if leaves[one, GAIN] > 0.0:
                waiting[control[OPEN]] = one
                control[OPEN] += 1
            else:
                free[control[FREE]] = slots[one]
                control[FREE] += 1
        if limits[BEST_FIRST] == 0 and control[OPEN] > 1:  # the smaller side first: few histograms wait
            a, b = waiting[control[OPEN] - 2], waiting[control[OPEN] - 1]
            if a == first and b == second and spans[a, 1] - spans[a, 0] < spans[b, 1] - spans[b, 0]:
                waiting[control[OPEN] - 2], waiting[control[OPEN] - 1] = b, a
        while True:  # split leaves until a histogram is needed
            if control[OPEN] == 0 or control[LEAVES] == limits[MOST_LEAVES]:
                control[PHASE] = DONE
                return
            place = control[OPEN] - 1
            if limits[BEST_FIRST]:
                for w in range(control[OPEN] - 1):
                    a, b = waiting[w], waiting[place]
                    if leaves[a, GAIN] > leaves[b, GAIN] or (leaves[a, GAIN] == leaves[b, GAIN] and a < b):
                        place = w
            p = waiting[place]
            control[OPEN] -= 1
            waiting[place] = waiting[control[OPEN]]
            r = control[LEAVES]
            f = int(leaves[p, FEATURE])
            sides(kinds[f], int(leaves[p, BIN]), int(leaves[p, WAY]), sets[p], left)
            middle = partition(columns[f], left, rows, spans[p, 0], spans[p, 1], spare)
            here, child = nodes[p], control[NODES]
            tree_links[here, 0], tree_links[here, 1] = f, child
            tree_links[here, 2], tree_links[here, 3] = int(leaves[p, BIN]), int(leaves[p, WAY])
            tree_numbers[here, 0] = leaves[p, GAIN]
            tree_numbers[here, 1], tree_numbers[here, 2] = leaves[p, SUM_G], leaves[p, SUM_H]
            for k in range(4):
                tree_sets[here, k] = sets[p, k]
            tree_links[child, 0], tree_links[child + 1, 0] = -1, -1
            spans[r, 0], spans[r, 1], spans[p, 1] = middle, spans[p, 1], middle
            nodes[p], nodes[r] = child, child + 1
            control[NODES] += 2
            control[LEAVES] += 1
            divided(leaves[p], leaves[r], numbers, directions)
            for s in range(len(groups)):
                active[p, s] &= groups[s, f]
                active[r, s] = active[p, s]
            keys[p], keys[r] = mixed(keys[p]), mixed(keys[p] + uint64(1))
            ends = control[LEAVES] == limits[MOST_LEAVES]
            if ends or not (can_split(leaves[p], spans[p], limits) or can_split(leaves[r], spans[r], limits)):
                free[control[FREE]] = slots[p]
                control[FREE] += 1
                continue
            control[FREE] -= 1
            slots[r] = free[control[FREE]]
            small = p if spans[p, 1] - spans[p, 0] <= spans[r, 1] - spans[r, 0] else r
            control[PHASE], control[PARENT], control[SISTER] = CHILD, p, r
            control[WANT_START], control[WANT_STOP], control[WANT_SLOT] = spans[small, 0], spans[small, 1], slots[r]
            if spans[small, 1] - spans[small, 0] > limits[ALONE]:
                return
            fill(
                words, bins, packed, rows, spans[small, 0], spans[small, 1], 0, groups_of_columns, pool[slots[r]],
                gathered, values,
            )  # fmt: skip
            break


@njit(**OPTIONS)
def can_split(leaf, span, limits):
    """Whether a leaf is neither too deep nor too small."""
    many = span[1] - span[0] >= limits[SPLIT_ROWS] and leaf[SUM_H] >= limits[SPLIT_H]
    return many and leaf[DEPTH] < limits[MOST_DEPTH]
