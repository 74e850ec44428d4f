"""Nearest points by Euclidean distance: leaves of neighbours, a filter in single precision, distances in double.

Points stand together in leaves. A leaf keeps its points about its own centre c in single precision, one coordinate
after the other, padded with points far away. For a query q and every x within r of it

    |q - x|_32 <= (r + 2^-24 (|x - c| + |q - c|)) (1 + (d + 4) 2^-24)

holds: each coordinate of x - c and q - c is rounded once, and a sum of d squares by at most (d + 2) 2^-24 of itself. So
no point is lost, and what passes is measured again in double, as sum (q_j - x_j)^2. Where most leaves would be looked
at, products of blocks of queries and points are the filter (`scan`), about the centre of each block too.
"""

import numpy as np
from numba import njit
from numba.extending import intrinsic

from .two_words import SETTINGS

REORDERED = SETTINGS | {"fastmath": {"reassoc", "contract", "nsz"}}  # sums in any order; infinity stays what it is
UNIT = 2.0**-24 * 1.01  # rounding to single precision
TINY = 1e-36  # what is lost where single precision has no numbers
SAMPLED = 128  # points that tell how wide a column is
NEAR, FURTHER = 0.08, 4.0  # of the first bound: near leaves are looked at first, so that the radius falls early
GROUP = 32  # leaves in one wider box, or all of them: powers of two
FIVE = 5  # coordinates at a time
RUN = 16  # points of a leaf of which none may be near; leaves are filled up to a number of runs
TIED = 1.0 + 4e-12  # squared distances up to here may be said to be equal


@intrinsic
def least(context, x, y):
    """min(x, y) as compare and select: the built-in one never becomes a vector reduction."""

    def generate(context, builder, signature, arguments):
        smaller = builder.fcmp_ordered("<", arguments[0], arguments[1], flags=["fast"])
        return builder.select(smaller, arguments[0], arguments[1], flags=["fast"])

    return x(x, x), generate


# -- the tree ----------------------------------------------------------------------------------------------------------


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
def fill_leaves(X, starts, centres, blocks, low, high, radii):
    """Boxes of the leaves, their centres and radii, and their points about these in single precision."""
    d = X.shape[1]
    for leaf in range(len(starts) - 1):
        first, last = starts[leaf], starts[leaf + 1]
        for j in range(d):
            bottom, top = np.inf, -np.inf
            for t in range(first, last):
                bottom, top = min(bottom, X[t, j]), max(top, X[t, j])
            low[j, leaf], high[j, leaf] = bottom, top
            centre = 0.5 * (bottom + top) if first < last else 0.0
            centres[leaf, j] = centre
            for t in range(first, last):
                blocks[leaf, j, t - first] = np.float32(X[t, j] - centre)
        radius = 0.0
        for t in range(first, last):
            radius = max(radius, squared(X[t], centres[leaf]))
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
def box_bounds(q, low, high, first, last, out):
    """Squared distance from q to some boxes, never above that to a point in it."""
    for c in range(first, last):
        out[c] = 0.0
    for j in range(len(q)):
        value = q[j]
        for c in range(first, last):
            outside = least(least(value - low[j, c], high[j, c] - value), 0.0)
            out[c] += outside * outside
    for c in range(first, last):
        out[c] *= 1.0 - 1e-13  # rounding of the sum


@njit(**REORDERED)
def leaf_distances(q, blocks, leaf, out):
    """Squared distances from q to the points of a leaf in single precision; returns the least.

    Five coordinates at a time, so that sums stay in registers; and no views, which would be counted.
    """
    d, size = blocks.shape[1:]
    for t in range(size):
        out[t] = np.float32(0.0)
    nearest = np.float32(np.inf)
    for j in range(0, d, FIVE):
        q0, q1, q2, q3, q4 = q[j], q[j + 1], q[j + 2], q[j + 3], q[j + 4]
        if j + FIVE < d:
            for t in range(size):
                a, b, c = blocks[leaf, j, t] - q0, blocks[leaf, j + 1, t] - q1, blocks[leaf, j + 2, t] - q2
                e, f = blocks[leaf, j + 3, t] - q3, blocks[leaf, j + 4, t] - q4
                out[t] += a * a + b * b + c * c + e * e + f * f
        else:
            for t in range(size):
                a, b, c = blocks[leaf, j, t] - q0, blocks[leaf, j + 1, t] - q1, blocks[leaf, j + 2, t] - q2
                e, f = blocks[leaf, j + 3, t] - q3, blocks[leaf, j + 4, t] - q4
                total = out[t] + (a * a + b * b + c * c + e * e + f * f)
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
def reach(radius, width, relative):
    """Above which value in single precision no point of a leaf of radius `width` is within `radius`.

    |x - c| <= width and |q - c| <= |q - x| + |x - c|, so both together are at most radius + 2 width.
    """
    far = (radius + UNIT * (radius + 2.0 * width)) * (1.0 + relative)
    return np.float32(far * far * (1.0 + 2.0**-22) + TINY)


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


@njit(**SETTINGS)
def nearest_in_tree(Q, m, X, starts, centres, blocks, low, high, radii, distances, numbers):
    """The m nearest points of every query and those as near as the last, as far as the lists are long.

    Squared distances in ascending order; returns the leaves looked at. Queries that are neighbours come one after the
    other: points near the last one bound the radius of the next, and its own nearest leaves do before the others. The
    boxes of leaves are looked at where the wider box of a group is near; these stand behind them.
    """
    leaves, padded, size = blocks.shape
    d = X.shape[1]
    relative = (d + 4) * UNIT
    bound, inner, about = np.empty(low.shape[1]), np.empty(size, np.float32), np.zeros(padded, np.float32)
    group = min(GROUP, leaves)
    known, waiting = np.empty(leaves // group, np.bool_), np.empty(leaves + 1, np.int64)
    distances[:] = np.inf
    numbers[:] = -1
    visited = 0
    for a in range(len(Q)):
        box_bounds(Q[a], low, high, leaves if a > 0 else 0, len(bound), bound)
        known[:] = a == 0
        within, first = np.inf, 0.0
        if a > 0:
            within = 0.0
            for t in range(m):
                within = max(within, squared(Q[a], X[numbers[a - 1, t]]))
            within *= TIED
            first = NEAR * within
        else:
            first = bound[:leaves].min()
        before, radius = -1.0, np.sqrt(within)
        for stage in range(3):
            upto = first if stage == 0 else (min(within, FURTHER * first) if stage == 1 else within)
            count = 0
            for g in range(len(known)):
                if bound[leaves + g] > upto:
                    continue
                if not known[g]:
                    box_bounds(Q[a], low, high, g * group, (g + 1) * group, bound)
                    known[g] = True
                for c in range(g * group, (g + 1) * group):
                    waiting[count] = c
                    count += np.int64((bound[c] > before) & (bound[c] <= upto))
            before = upto
            for w in range(count):
                c = waiting[w]
                if bound[c] > within:
                    continue
                visited += 1
                for j in range(d):
                    about[j] = np.float32(Q[a, j] - centres[c, j])
                limit = reach(radius, radii[c], relative)
                if not leaf_distances(about, blocks, c, inner) <= limit:
                    continue
                there, start = starts[c + 1] - starts[c], next_near(inner, 0, limit)
                while start < size:
                    for t in range(start, min(start + RUN, there)):
                        if not inner[t] <= limit:
                            continue
                        number, distance = starts[c] + t, 0.0
                        for j in range(d):
                            apart = Q[a, j] - X[number, j]
                            distance += apart * apart
                        if distance <= within:
                            insert(distances[a], numbers[a], distance, number)
                            if distances[a, m - 1] * TIED < within:
                                within = distances[a, m - 1] * TIED
                                radius = np.sqrt(within)
                                limit = reach(radius, radii[c], relative)
                    start = next_near(inner, start + RUN, limit)
    return visited


@njit(**SETTINGS)
def all_within(Q, squares, X, starts, centres, blocks, low, high, radii, ends, distances, numbers):
    """All points whose squared distance from a query is at most its own; without room for them they are counted.

    ends[a + 1] is how many there are of the first a + 1 queries.
    """
    leaves, padded, size = blocks.shape
    d = X.shape[1]
    relative = (d + 4) * UNIT
    bound, inner, about = np.empty(low.shape[1]), np.empty(size, np.float32), np.zeros(padded, np.float32)
    found, room = 0, len(numbers) > 0
    for a in range(len(Q)):
        q, within = Q[a], squares[a]
        radius = np.sqrt(within)
        box_bounds(q, low, high, 0, leaves, bound)
        for c in range(leaves):
            if bound[c] > within:
                continue
            for j in range(d):
                about[j] = np.float32(q[j] - centres[c, j])
            limit = reach(radius, radii[c], relative)
            if not leaf_distances(about, blocks, c, inner) <= limit:
                continue
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


@njit(**SETTINGS)
def bounds_of_boxes(Q, low, high, out):
    """Squared distances from every query to every box."""
    for a in range(len(Q)):
        box_bounds(Q[a], low, high, 0, out.shape[1], out[a])


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
def product_limit(within, square, radius, d):
    """Above which |x - c|^2 - 2 (q - c)'(x - c), in single precision, no point is within; square = |q - c|^2.

    A product of d + 1 terms is off by at most (d + 6) 2^-24 of the sum of their sizes, in any order.
    """
    limit = within - square + (d + 6) * UNIT * radius * (2.0 * np.sqrt(square) + radius) + TINY
    return np.float32(limit + 2.0**-22 * abs(limit))


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
