"""Points in leaves of neighbours: how they are laid out, and how a query is compared with those of a leaf.

A leaf keeps its points about its own centre c in single precision, one coordinate after the other, and |x - c|^2, which
is large where a point only fills the leaf. Of a query q and every x within r of it

    |x - c|^2 - 2 (q - c)'(x - c) = |q - x|^2 - |q - c|^2 <= r^2 - |q - c|^2

is above that in single precision by its rounding alone, for which `product_limit` has a bound. So no point is lost, and
what passes is measured again in double, as sum (q_j - x_j)^2.
"""

import numpy as np
from numba import njit
from numba.extending import intrinsic

from .two_words import SETTINGS

SAMPLED = 128  # points that tell how wide a column is
REORDERED = SETTINGS | {"fastmath": {"reassoc", "contract", "nsz"}}  # sums in any order; infinity stays what it is
UNIT = 2.0**-24 * 1.01  # rounding to single precision
TINY = 1e-36  # what is lost where single precision has no numbers
FIVE = 5  # coordinates at a time
RUN = 16  # points of a leaf of which none may be near; leaves are filled up to a number of runs


@intrinsic
def least(context, x, y):
    """min(x, y) as compare and select: the built-in one never becomes a vector reduction."""

    def generate(context, builder, signature, arguments):
        smaller = builder.fcmp_ordered("<", arguments[0], arguments[1], flags=["fast"])
        return builder.select(smaller, arguments[0], arguments[1], flags=["fast"])

    return x(x, x), generate


@njit(**SETTINGS)
def split(key, order, first, last, middle):
    """Reorder order[first:last] so that no key before `middle` is above one from there on (Hoare's selection)."""
    last -= 1
    while first < last:
        pivot = key[order[(first + last) // 2]]
        i, j = first, last
        while i <= j:
            while key[order[i]] < pivot:
                i += 1
            while key[order[j]] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            last = j
        elif middle >= i:
            first = i
        else:
            return


@njit(**SETTINGS)
def halve(X, order, starts, upto):
    """An order of points, columns by rows, in which neighbours stand together: halves along the widest column.

    starts[leaf] is where a leaf begins, of the first and behind the last it is given; there are a power of two of them,
    as large as each other but for one point. Halves of `upto` leaves stay as they are. Which column is widest, some of
    the points tell.
    """
    d = len(X)
    leaves = len(starts) - 1
    step = leaves
    while step > upto:
        for leaf in range(0, leaves, step):
            first, last = starts[leaf], starts[leaf + step]
            middle = (first + last) // 2
            widest, column = -1.0, 0
            for j in range(d):
                low, high = np.inf, -np.inf
                for t in range(first, last, max(1, (last - first) // SAMPLED)):
                    value = X[j, order[t]]
                    low, high = min(low, value), max(high, value)
                if high - low > widest:
                    widest, column = high - low, j
            if first < last:
                split(X[column], order, first, last, middle)
            starts[leaf + step // 2] = middle
        step //= 2


@njit(**SETTINGS)
def fill_leaves(X, starts, centres, blocks, lengths, boxes, radii):
    """Boxes of the leaves, their centres and radii, their points about these in single precision, and |x - c|^2."""
    d = X.shape[1]
    for leaf in range(len(starts) - 1):
        first, last = starts[leaf], starts[leaf + 1]
        for j in range(d):
            bottom, top = np.inf, -np.inf
            for t in range(first, last):
                bottom, top = min(bottom, X[t, j]), max(top, X[t, j])
            boxes[leaf, 0, j], boxes[leaf, 1, j] = bottom, top
            centre = 0.5 * (bottom + top) if first < last else 0.0
            centres[leaf, j] = centre
            for t in range(first, last):
                blocks[leaf, j, t - first] = np.float32(X[t, j] - centre)
        radius = 0.0
        for t in range(first, last):
            length = squared(X[t], centres[leaf])
            lengths[leaf, t - first] = np.float32(length)
            radius = max(radius, length)
        radii[leaf] = np.sqrt(radius)


@njit(**SETTINGS)
def squared(a, b):
    """|a - b|^2 in double, term after term: the distance that counts."""
    total = 0.0
    for j in range(len(a)):
        apart = a[j] - b[j]
        total += apart * apart
    return total


@njit(**REORDERED)
def leaf_products(q, blocks, lengths, leaf, out):
    """|x|^2 - 2 q'x of a query and the points of a leaf in single precision; returns the least. q holds -2 q.

    Five coordinates at a time, so that sums stay in registers; and no views, which would be counted.
    """
    d, size = blocks.shape[1:]
    for t in range(size):
        out[t] = lengths[leaf, t]
    nearest = np.float32(np.inf)
    for j in range(0, d, FIVE):
        q0, q1, q2, q3, q4 = q[j], q[j + 1], q[j + 2], q[j + 3], q[j + 4]
        if j + FIVE < d:
            for t in range(size):
                a, b = q0 * blocks[leaf, j, t] + q1 * blocks[leaf, j + 1, t], q2 * blocks[leaf, j + 2, t]
                out[t] += a + (b + q3 * blocks[leaf, j + 3, t] + q4 * blocks[leaf, j + 4, t])
        else:
            for t in range(size):
                a, b = q0 * blocks[leaf, j, t] + q1 * blocks[leaf, j + 1, t], q2 * blocks[leaf, j + 2, t]
                total = out[t] + (a + (b + q3 * blocks[leaf, j + 3, t] + q4 * blocks[leaf, j + 4, t]))
                out[t] = total
                nearest = least(nearest, total)
    return nearest


@njit(**REORDERED)
def next_near(values, first, limit):
    """Where the next run of values begins of which one is up to a limit; their number if there is none."""
    for start in range(first, len(values), RUN):
        nearest = np.float32(np.inf)
        for t in range(start, start + RUN):
            nearest = least(nearest, values[t])
        if nearest <= limit:
            return start
    return len(values)


@njit(**SETTINGS)
def product_limit(within, square, radius, d):
    """Above which |x - c|^2 - 2 (q - c)'(x - c), in single precision, no point is within; square = |q - c|^2.

    A product of d + 1 terms is off by at most (d + 6) 2^-24 of the sum of their sizes, in any order.
    """
    limit = within - square + (d + 6) * UNIT * radius * (2.0 * np.sqrt(square) + radius) + TINY
    return np.float32(limit + 2.0**-22 * abs(limit))


@njit(**SETTINGS)
def insert(distances, numbers, distance, number):
    """Into a list sorted by distance and number, of which the last goes."""
    p = len(distances) - 1
    if distances[p] < distance or (distances[p] == distance and numbers[p] < number):
        return
    while p > 0 and (distances[p - 1] > distance or (distances[p - 1] == distance and numbers[p - 1] > number)):
        distances[p], numbers[p] = distances[p - 1], numbers[p - 1]
        p -= 1
    distances[p], numbers[p] = distance, number


@njit(**REORDERED)
def about_leaf(q, centre, out):
    """A query about the centre of a leaf, as -2 (q - c) in single precision; returns |q - c|^2."""
    total = 0.0
    for j in range(len(q)):
        apart = q[j] - centre[j]
        out[j] = np.float32(-2.0 * apart)
        total += apart * apart
    return total


@njit(**REORDERED)
def bound_of_box(q, box):
    """The squared distance from a query to a box, never above that to a point in it."""
    total = 0.0
    for j in range(len(q)):
        outside = least(least(q[j] - box[0, j], box[1, j] - q[j]), 0.0)
        total += outside * outside
    return total * (1.0 - 1e-13)  # rounding of the sum
