"""Nearest points by Euclidean distance: leaves of neighbours, a filter in single precision, distances in double.

Queries that are neighbours go through the leaves together, so that a leaf is fetched once for all of them. Where most
leaves would be looked at, products of blocks of queries and points are the filter (`scan`), about the centre of each
block, with the same bound as within a leaf.
"""

import numpy as np
from numba import njit

from .leaves import (
    REORDERED,
    RUN,
    about_leaf,
    bound_of_box,
    insert,
    leaf_products,
    least,
    next_near,
    product_limit,
    squared,
)
from .two_words import SETTINGS

NEAR, FURTHER = 0.08, 4.0  # of the first bound: near leaves are looked at first, so that the radius falls early
GROUP = 32  # leaves in one wider box, or all of them: powers of two
TILE = 8  # queries that go through the leaves together
NOWHERE = np.full(TILE, -1.0)
FAR = 1e30  # squared distance from the centre of a leaf: products in single precision may overflow
TIED = 1.0 + 4e-12  # squared distances up to here may be said to be equal


# -- leaves ----------------------------------------------------------------------------------------------------------


@njit(**REORDERED)
def bounds_of_tile(tile, boxes, first, last, out):
    """Squared distances from some queries, coordinates by queries, to some boxes, never above that to a point there."""
    width = tile.shape[1]  # a number that is known beforehand would not become a vector
    for c in range(first, last):
        for a in range(width):
            out[c, a] = 0.0
        for j in range(len(tile)):
            low, high = boxes[c, 0, j], boxes[c, 1, j]
            for a in range(width):
                outside = least(least(tile[j, a] - low, high - tile[j, a]), 0.0)
                out[c, a] += outside * outside
        for a in range(width):
            out[c, a] *= 1.0 - 1e-13  # rounding of the sum


@njit(**SETTINGS)
def within_reach(bounds, c, before, upto):
    """How many of the queries have a box above one bound and up to another."""
    found, width = 0, len(upto)
    for a in range(width):
        found += np.int64(bounds[c, a] > before[a]) & np.int64(bounds[c, a] <= upto[a])
    return found


@njit(**SETTINGS)
def nearest_in_tree(Q, m, X, starts, centres, blocks, lengths, boxes, radii, distances, numbers):
    """The m nearest points of every query and those as near as the last, as far as the lists are long.

    Squared distances in ascending order; returns how often a query looked at a leaf. Queries that are neighbours come
    one after the other, and some of them go through the leaves together: points near the last one bound the radii of
    the next, and their own nearest leaves do before the others. The boxes of leaves are looked at where the wider box
    of a group is near; these stand behind them.
    """
    leaves, padded, size = blocks.shape
    d = X.shape[1]
    bounds, inner = np.empty((len(boxes), TILE)), np.empty(size, np.float32)
    about, tile = np.zeros(padded, np.float32), np.empty((d, TILE))
    within, first, before, upto = np.empty(TILE), np.empty(TILE), np.empty(TILE), np.empty(TILE)
    group = min(GROUP, leaves)
    known, waiting = np.empty(leaves // group, np.bool_), np.empty(leaves + 1, np.int64)
    distances[:] = np.inf
    numbers[:] = -1
    visited = 0
    for start in range(0, len(Q), TILE):
        count = min(TILE, len(Q) - start)
        for a in range(TILE):
            q = Q[start + min(a, count - 1)]
            for j in range(d):
                tile[j, a] = q[j]
            within[a] = np.inf
            if start > 0:
                within[a] = 0.0
                for t in range(m):
                    within[a] = max(within[a], squared(q, X[numbers[start - 1, t]]))
                within[a] *= TIED
            first[a] = NEAR * within[a]
        bounds_of_tile(tile, boxes, leaves if start > 0 else 0, len(boxes), bounds)
        known[:] = start == 0
        if start == 0:
            for a in range(TILE):
                first[a] = bounds[:leaves, a].min()
        before[:] = -1.0
        for stage in range(3):
            for a in range(TILE):
                far = first[a] if stage == 0 else (min(within[a], FURTHER * first[a]) if stage == 1 else within[a])
                upto[a] = far if a < count else -1.0
            found = 0
            for g in range(len(known)):
                if not within_reach(bounds, leaves + g, NOWHERE, upto):
                    continue
                if not known[g]:
                    bounds_of_tile(tile, boxes, g * group, (g + 1) * group, bounds)
                    known[g] = True
                for c in range(g * group, (g + 1) * group):
                    waiting[found] = c
                    found += np.int64(within_reach(bounds, c, before, upto) > 0)
            for w in range(found):
                c = waiting[w]
                there = starts[c + 1] - starts[c]
                for a in range(count):
                    if bounds[c, a] <= before[a] or bounds[c, a] > min(upto[a], within[a]):
                        continue
                    visited += 1
                    q, limit, begin = Q[start + a], np.float32(np.inf), 0
                    square = about_leaf(q, centres[c], about)
                    if square < FAR:
                        limit = product_limit(within[a], square, radii[c], d)
                        if not leaf_products(about, blocks, lengths, c, inner) <= limit:
                            continue
                        begin = next_near(inner, 0, limit)
                    else:
                        inner[:] = np.float32(0.0)
                    nearest, number = distances[start + a], numbers[start + a]
                    while begin < size:
                        for t in range(begin, min(begin + RUN, there)):
                            if not inner[t] <= limit:
                                continue
                            distance = squared(q, X[starts[c] + t])
                            if distance <= within[a]:
                                insert(nearest, number, distance, starts[c] + t)
                                if nearest[m - 1] * TIED < within[a]:
                                    within[a] = nearest[m - 1] * TIED
                                    if square < FAR:
                                        limit = product_limit(within[a], square, radii[c], d)
                        begin = next_near(inner, begin + RUN, limit)
            before[:] = upto
    return visited


@njit(**SETTINGS)
def all_within(Q, reach, X, starts, centres, blocks, lengths, boxes, radii, ends, distances, numbers):
    """All points whose squared distance from a query is at most its own; without room for them they are counted.

    ends[a + 1] is how many there are of the first a + 1 queries.
    """
    leaves, padded, size = blocks.shape
    d = X.shape[1]
    inner, about = np.empty(size, np.float32), np.zeros(padded, np.float32)
    found, room = 0, len(numbers) > 0
    for a in range(len(Q)):
        q, within = Q[a], reach[a]
        for c in range(leaves):
            if bound_of_box(q, boxes[c]) > within:
                continue
            square, limit = about_leaf(q, centres[c], about), np.float32(np.inf)
            if square < FAR:
                limit = product_limit(within, square, radii[c], d)
                if not leaf_products(about, blocks, lengths, c, inner) <= limit:
                    continue
            else:
                inner[:] = np.float32(0.0)
            base = starts[c]
            for t in range(starts[c + 1] - base):
                if inner[t] <= limit:
                    distance = squared(q, X[base + t])
                    if distance <= within:
                        if room:
                            distances[found], numbers[found] = distance, base + t
                        found += 1
        ends[a + 1] = found


# -- products of blocks ------------------------------------------------------------------------------------------------


@njit(**REORDERED)
def bounds_of_boxes(Q, low, high, out):
    """Squared distances from every query to some boxes, never above those to a point there."""
    boxes = out.shape[1]
    for a in range(len(Q)):
        for c in range(boxes):
            out[a, c] = 0.0
        for j in range(Q.shape[1]):
            value = Q[a, j]
            for c in range(boxes):
                outside = least(least(value - low[j, c], high[j, c] - value), 0.0)
                out[a, c] += outside * outside
        for c in range(boxes):
            out[a, c] *= 1.0 - 1e-13  # rounding of the sum


@njit(**SETTINGS)
def queries_about(Q, who, centre, out, squares):
    """Some queries about a centre, as (-2 (q - c), 1) in single precision, and |q - c|^2."""
    d = Q.shape[1]
    for a in range(len(who)):
        q, total = Q[who[a]], 0.0
        for j in range(d):
            apart = q[j] - centre[j]
            out[a, j] = np.float32(-2.0 * apart)
            total += apart * apart
        out[a, d] = np.float32(1.0)
        squares[a] = total


@njit(**REORDERED)
def next_group(values, first, limit):
    """The first group of values, from `first` on, that holds one up to a limit."""
    for e in range(first, len(values)):
        nearest = np.float32(np.inf)
        for t in range(values.shape[1]):
            nearest = least(nearest, values[e, t])
        if nearest <= limit:
            return e
    return len(values)


@njit(**SETTINGS)
def scan(values, who, squares, Q, X, base, count, radius, m, distances, numbers):
    """Put the points of a block that may be near into the lists of the queries; values[query, group, point]."""
    d = X.shape[1]
    for a in range(len(who)):
        q, nearest, number = Q[who[a]], distances[who[a]], numbers[who[a]]
        within = nearest[m - 1] * TIED
        limit = product_limit(within, squares[a], radius, d)
        e = next_group(values[a], 0, limit)
        while e < values.shape[1]:
            first = e * values.shape[2]
            for t in range(min(values.shape[2], count - first)):
                if values[a, e, t] <= limit:
                    distance = squared(q, X[base + first + t])
                    if distance <= within:
                        insert(nearest, number, distance, base + first + t)
                        within = nearest[m - 1] * TIED
                        limit = product_limit(within, squares[a], radius, d)
            e = next_group(values[a], e + 1, limit)
