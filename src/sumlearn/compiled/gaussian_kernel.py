"""Sums over Gaussian kernels: numerators and denominators of many queries, and leave-one-out errors of many bandwidths.

Rows are columns of `points` (coordinates, rows), in blocks of neighbouring rows with a bounding box each. Coordinates
are in units in which the kernel is 2^(-|q - x|^2). `columns` holds w y for every target, and w last.
"""

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

SETTINGS = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz", "nnan"}}
PLAIN = SETTINGS | {"fastmath": {"contract", "nsz", "nnan"}}  # sums in the order they are written in
ROOM = 700.0  # exponents up to so much above the shift are summed without moving it
NEAR = 1e4  # squares up to which the product of a query and a row costs no digits that matter
TILE = 512  # rows whose kernels are squared while they are in the cache
LOWEST = -1023.0  # the power of two is zero from here on

ROUNDER = 6755399441056767.0  # 1.5 * 2^52 + 1023: adding it leaves the exponent of the nearest power in the last bits


@intrinsic
def bits_of(typing_context, value):
    """The 64 bits of a double as an integer."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], context.get_value_type(types.int64))

    return types.int64(types.float64), generate


@intrinsic
def double_of(typing_context, bits):
    """The double that has these 64 bits."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], context.get_value_type(types.float64))

    return types.float64(types.int64), generate


@njit(**PLAIN)
def power_of_two(x):
    """2^x for x <= 1023, without branches, so that loops over it are vectorised: 2^k times a series for the rest.

    The series is the best one of its degree on [-1/2, 1/2]; the error is below 2e-16 of the value. From 2^-1023 down
    the exponent of the result is zero, and so is the result.
    """
    x = max(x, LOWEST)
    t = x + ROUNDER
    r = x - (t - ROUNDER)
    p = 4.4558179083360645e-10
    p = p * r + 7.074194297288521e-09
    p = p * r + 1.0178057087733941e-07
    p = p * r + 1.3215432535912375e-06
    p = p * r + 1.5252733841556773e-05
    p = p * r + 0.00015403530463724353
    p = p * r + 0.001333355814640647
    p = p * r + 0.009618129107587256
    p = p * r + 0.055504108664821625
    p = p * r + 0.24022650695910158
    p = p * r + 0.6931471805599453
    p = p * r + 1.0
    return p * double_of(bits_of(t) << 52)


@njit(**SETTINGS)
def exponents(points, first, last, query, out):
    """-|q - x|^2 of some rows, from differences: right however far away they are."""
    n = last - first
    for i in range(n):
        out[i] = 0.0
    for j in range(points.shape[0]):
        q, coordinates = query[j], points[j, first:last]
        for i in range(n):
            away = coordinates[i] - q
            out[i] -= away * away


@njit(**SETTINGS)
def products(points, first, last, start, query, out):
    """start_i + 2 q'x_i of some rows, four coordinates at a time where there are so many left."""
    d, begin = len(query), start[first:last]
    for i in range(len(out)):
        out[i] = begin[i]
    j = 0
    while j + 4 <= d:
        p, q, r, s = 2.0 * query[j], 2.0 * query[j + 1], 2.0 * query[j + 2], 2.0 * query[j + 3]
        v, x = points[j, first:last], points[j + 1, first:last]
        y, z = points[j + 2, first:last], points[j + 3, first:last]
        for i in range(len(out)):
            out[i] += (p * v[i] + q * x[i]) + (r * y[i] + s * z[i])
        j += 4
    while j + 2 <= d:
        p, q, v, x = 2.0 * query[j], 2.0 * query[j + 1], points[j, first:last], points[j + 1, first:last]
        for i in range(len(out)):
            out[i] += p * v[i] + q * x[i]
        j += 2
    if j < d:
        p, v = 2.0 * query[j], points[j, first:last]
        for i in range(len(out)):
            out[i] += p * v[i]


@njit(**SETTINGS)
def largest_of(values):
    found = -np.inf
    for i in range(len(values)):
        found = max(found, values[i])
    return found


@njit(**SETTINGS)
def nearest_in_box(centre, half, query):
    """-|q - b|^2 for the point b of a box that is nearest to q."""
    total = 0.0
    for j in range(len(query)):
        away = max(abs(query[j] - centre[j]) - half[j], 0.0)
        total -= away * away
    return total


@njit(**SETTINGS)
def block_exponents(points, squares, least, first, last, away, out):
    """Exponents of a block for a query that is `away` from its centre, less what is returned."""
    length = 0.0
    for j in range(len(away)):
        length += away[j] * away[j]
    if length - least > NEAR:
        exponents(points, first, last, away, out)
        return 0.0
    products(points, first, last, squares, away, out)
    return length


@njit(**SETTINGS)
def add_block(points, columns, squares, least, first, last, away, bound, shift, work, sums):
    """Add a block to the sums, which are in units of 2^shift; the new shift. No exponent is above `bound`."""
    out = work[: last - first]
    length = block_exponents(points, squares, least, first, last, away, out)
    if bound > shift + ROOM:
        largest = largest_of(out) - length
        if largest > shift:
            sums *= power_of_two(shift - largest)
            shift = largest
    less = length + shift
    for i in range(len(out)):
        out[i] = power_of_two(out[i] - less)
    for t in range(len(columns)):
        part, column = 0.0, columns[t, first:last]
        for i in range(len(out)):
            part += out[i] * column[i]
        sums[t] += part
    return shift


@njit(**SETTINGS)
def kernel_sums(points, columns, squares, leasts, starts, centres, halves, queries, negligible, shifts, sums):
    """sum_i w_i K(q, x_i) y_i and sum_i w_i K(q, x_i) of every query, times 2^(-shift).

    Points are counted from the centres of their blocks, and `squares` are minus their squared lengths. The block
    nearest to a query comes first: it tells which others cannot matter.
    """
    blocks, work = len(starts) - 1, np.empty(np.diff(starts).max())
    bounds, away = np.empty((len(queries), blocks)), np.empty(queries.shape[1])
    for m in range(len(queries)):
        for b in range(blocks):
            bounds[m, b] = nearest_in_box(centres[b], halves[b], queries[m])
        b = np.argmax(bounds[m])
        for j in range(len(away)):
            away[j] = queries[m, j] - centres[b, j]
        shifts[m] = add_block(
            points, columns, squares, leasts[b], starts[b], starts[b + 1], away, np.inf, -np.inf, work, sums[m]
        )
        bounds[m, b] = -np.inf
    for b in range(blocks):  # a block stays in the cache for all queries
        for m in range(len(queries)):
            if bounds[m, b] > shifts[m] - negligible:
                for j in range(len(away)):
                    away[j] = queries[m, j] - centres[b, j]
                shifts[m] = add_block(
                    points, columns, squares, leasts[b], starts[b], starts[b + 1], away, bounds[m, b], shifts[m],
                    work, sums[m],
                )  # fmt: skip


@njit(**SETTINGS)
def add_halvings(kernel, columns, first, largest, least, totals):
    """Add sum_i K_i^(2^k) column_i of some rows to totals[k], for every column, until no kernel is above `least`."""
    last = len(columns) - 1
    column, mass = columns[0, first : first + len(kernel)], columns[last, first : first + len(kernel)]
    for k in range(len(totals)):
        if largest <= least:
            break
        for t in range(1, last):
            part, other = 0.0, columns[t, first : first + len(kernel)]
            for i in range(len(kernel)):
                part += kernel[i] * other[i]
            totals[k, t] += part
        part, total = 0.0, 0.0
        for i in range(len(kernel)):
            part += kernel[i] * column[i]
            total += kernel[i] * mass[i]
            kernel[i] *= kernel[i]
        totals[k, 0] += part
        totals[k, last] += total
        largest *= largest


@njit(**SETTINGS)
def left_out_errors(points, columns, targets, weight, left_out, rates, halvings, least, errors):
    """Add to `errors` (rates, halvings + 1, targets) the weighted squared errors of rows predicted without themselves.

    The kernels are 2^(-rate 2^k |x - x'|^2) for several rates, or for one rate and k = 0, ..., halvings: each is the
    square of the one before. One of the copies of a row is left out, or the whole of it where it weighs less than one.
    """
    n, last = len(weight), len(columns) - 1
    distance, kernel, totals = np.empty(n), np.empty(TILE), np.empty((halvings + 1, last + 1))
    query = np.empty(len(points))
    for row in left_out:
        for j in range(len(points)):
            query[j] = points[j, row]
        exponents(points, 0, n, query, distance)
        distance[row] = -np.inf
        copies = max(weight[row] - 1.0, 0.0)
        nearest = 0.0 if copies > 0.0 else largest_of(distance)
        if nearest == -np.inf:
            continue
        for r in range(len(rates)):
            for k in range(halvings + 1):
                totals[k, last] = copies
                for t in range(last):
                    totals[k, t] = copies * targets[t, row]
            for first in range(0, n, TILE):
                tile = kernel[: min(TILE, n - first)]
                away = distance[first : first + len(tile)]
                largest = power_of_two(rates[r] * (largest_of(away) - nearest))
                if largest > least:
                    for i in range(len(tile)):
                        tile[i] = power_of_two(rates[r] * (away[i] - nearest))
                    add_halvings(tile, columns, first, largest, least, totals)
            for k in range(halvings + 1):
                for t in range(last):
                    errors[r, k, t] += weight[row] * (targets[t, row] - totals[k, t] / totals[k, last]) ** 2
