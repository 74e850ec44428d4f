"""Sums over Gaussian kernels: numerators and denominators of many queries, and leave-one-out errors of many bandwidths.

Rows are columns of `points` (coordinates, rows), in blocks of neighbouring rows with a bounding box each. Coordinates
are in units of sqrt(2) bandwidths, so that the kernel is exp(-|q - x|^2).
"""

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

SETTINGS = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz", "nnan"}}
NEGLIGIBLE = 80.0  # exponents so far below the largest add nothing to a double, however many rows there are
PLAIN = SETTINGS | {"fastmath": {"contract", "nsz", "nnan"}}  # sums in the order they are written in
ROOM = 500.0  # exponents up to so much above the shift are summed without moving it
LEAST = 1e-30  # of the largest kernel; squares only make it less
LOWEST = -700.0  # below it the exponential is taken for zero

LOG2E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
ROUNDER = 6755399441055744.0  # 1.5 * 2^52: adding it leaves the nearest whole number in the last bits
ROUNDER_BITS = 4843621399236968448


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
def exponential(x):
    """exp(x) for x <= 700, without branches, so that loops over it are vectorised: x = k ln 2 + r, and a series for r.

    The error is below 3e-16 of the value.
    """
    t = max(x, LOWEST) * LOG2E + ROUNDER
    k = t - ROUNDER
    r = (max(x, LOWEST) - k * LN2_HIGH) - k * LN2_LOW
    p = 1.0 / 6227020800.0
    p = p * r + 1.0 / 479001600.0
    p = p * r + 1.0 / 39916800.0
    p = p * r + 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    scale = double_of(((bits_of(t) - ROUNDER_BITS) + 1023) << 52)
    return p * scale if x > LOWEST else 0.0


@njit(**SETTINGS)
def exponents(points, first, last, query, out):
    """-|q - x|^2 of some rows."""
    n = last - first
    out[:n] = 0.0
    for j in range(points.shape[0]):
        q, coordinates = query[j], points[j, first:last]
        for i in range(n):
            away = coordinates[i] - q
            out[i] -= away * away


@njit(**SETTINGS)
def nearest_in_box(low, high, query):
    """-|q - b|^2 for the point b of a box that is nearest to q."""
    total = 0.0
    for j in range(len(query)):
        away = max(max(low[j] - query[j], query[j] - high[j]), 0.0)
        total -= away * away
    return total


@njit(**SETTINGS)
def add_block(points, values, weight, first, last, query, bound, shift, work, sums):
    """Add a block to the sums (values first, the weight last), which are in units of exp(shift); the new shift.

    No exponent of the block is above `bound`.
    """
    exponents(points, first, last, query, work)
    n, targets = last - first, values.shape[0]
    if bound > shift + ROOM:
        largest = work[:n].max()
        if largest > shift:
            sums *= exponential(shift - largest)
            shift = largest
    total, mass = 0.0, weight[first:last]
    for i in range(n):
        work[i] = exponential(work[i] - shift) * mass[i]
        total += work[i]
    sums[targets] += total
    for t in range(targets):
        part, column = 0.0, values[t, first:last]
        for i in range(n):
            part += work[i] * column[i]
        sums[t] += part
    return shift


@njit(**SETTINGS)
def kernel_sums(points, values, weight, starts, lows, highs, queries, shifts, sums):
    """sum_i w_i K(q, x_i) y_i and sum_i w_i K(q, x_i) of every query, times exp(-shift).

    The block nearest to a query comes first: it tells which others cannot matter.
    """
    blocks, work = len(starts) - 1, np.empty(np.diff(starts).max())
    bounds = np.empty((len(queries), blocks))
    for m in range(len(queries)):
        for b in range(blocks):
            bounds[m, b] = nearest_in_box(lows[b], highs[b], queries[m])
        b = np.argmax(bounds[m])
        shifts[m] = add_block(
            points, values, weight, starts[b], starts[b + 1], queries[m], np.inf, -np.inf, work, sums[m]
        )
        bounds[m, b] = -np.inf
    for b in range(blocks):  # a block stays in the cache for all queries
        for m in range(len(queries)):
            if bounds[m, b] > shifts[m] - NEGLIGIBLE:
                shifts[m] = add_block(
                    points, values, weight, starts[b], starts[b + 1], queries[m], bounds[m, b], shifts[m], work, sums[m]
                )


@njit(**SETTINGS)
def pressed(kernel, mass, values, n, least):
    """Move the rows whose kernel is above `least` to the front; returns how many there are."""
    kept = 0
    for i in range(n):
        if kernel[i] > least:
            kernel[kept], mass[kept] = kernel[i], mass[i]
            for t in range(values.shape[0]):
                values[t, kept] = values[t, i]
            kept += 1
    return kept


@njit(**SETTINGS)
def add_errors(kernel, mass, values, n, target, weight, errors):
    """Add the squared error of sum m K y / sum m K for every target (`values` are m y), and square the kernels."""
    total, parts = 0.0, np.zeros(len(target))
    for t in range(1, len(target)):
        column = values[t]
        for i in range(n):
            parts[t] += kernel[i] * column[i]
    part, column = 0.0, values[0]
    for i in range(n):
        total += kernel[i] * mass[i]
        part += kernel[i] * column[i]
        kernel[i] *= kernel[i]
    parts[0] = part
    for t in range(len(target)):
        errors[t] += weight * (target[t] - parts[t] / total) ** 2


@njit(**SETTINGS)
def left_out_errors(points, values, weight, left_out, rates, halvings, errors):
    """Add to `errors` (rates, halvings + 1, targets) the weighted squared errors of rows predicted without themselves.

    The kernels are exp(-rate 2^k |x - x'|^2) for several rates, or for one rate and k = 0, ..., halvings: each is
    the square of the one before. One of the copies of a row is left out, or the whole of it where it weighs less than
    one. Rows that do not matter are dropped.
    """
    n, targets = len(weight), len(values)
    distance, kernel, mass, others = np.empty(n), np.empty(n), np.empty(n), np.empty((targets, n))
    for row in left_out:
        exponents(points, 0, n, points[:, row].copy(), distance)
        if weight[row] <= 1.0:
            distance[row] = -np.inf
        nearest = distance.max()
        if nearest == -np.inf:
            continue
        least, count = nearest - NEGLIGIBLE / rates.min(), 0
        for i in range(n):
            if distance[i] >= least:
                distance[count], mass[count] = distance[i], weight[i] - (1.0 if i == row else 0.0)
                for t in range(targets):
                    others[t, count] = mass[count] * values[t, i]
                count += 1
        for r in range(len(rates)):
            for i in range(count):
                kernel[i] = exponential(rates[r] * (distance[i] - nearest))
            for k in range(halvings + 1):
                if k % 4 == 3:
                    count = pressed(kernel, mass, others, count, LEAST)
                add_errors(kernel, mass, others, count, values[:, row], weight[row], errors[r, k])
