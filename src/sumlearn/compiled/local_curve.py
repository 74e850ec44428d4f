"""Local polynomials of one column. Rows are sorted, so that the neighbourhood of a query is a range of them."""

import numpy as np
from numba import njit

from .local_polynomial import FROM_AFAR, SETTINGS, value_at_origin, weighted_products


@njit(**SETTINGS)
def first_at_least(values, wanted, low):
    """The first place from `low` on whose value is at least `wanted`."""
    high = len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@njit(**SETTINGS)
def least_radius(x, reach, query, wanted):
    """The smallest distance within which rows have the weight `wanted`; `reach` holds the weight before each row.

    A range that begins at row l ends where its weight is enough. The later it begins, the nearer is its left end and
    the farther its right one: the best range is where the two distances cross.
    """
    low, high = 0, first_at_least(reach, reach[-1] - wanted, 0)  # ranges that begin later weigh too little
    high = min(high, len(x) - 1)
    best = np.inf
    while low <= high:
        middle = (low + high) // 2
        end = min(first_at_least(reach, reach[middle] + wanted, middle + 1), len(x))
        left, right = query - x[middle], x[end - 1] - query
        if reach[end] - reach[middle] >= wanted:
            best = min(best, max(left, right))
        if right < left:
            low = middle + 1
        else:
            high = middle - 1
    return best


@njit(**SETTINGS)
def fill(x, mass, robust, query, radius, terms, design, weight):
    """Tricube weights, and 1, u, u^2 with u = (x - q) / radius; returns the sum of the weights."""
    scale, total, one, line = 1.0 / radius, 0.0, design[0], design[1]
    for i in range(len(x)):
        u = (x[i] - query) * scale
        one[i] = 1.0
        line[i] = u
        share = max(1.0 - abs(u) * u * u, 0.0)
        weight[i] = mass[i] * robust[i] * share * share * share
        total += weight[i]
    if terms > 2:
        square = design[2]
        for i in range(len(x)):
            square[i] = line[i] * line[i]
    return total


@njit(**SETTINGS)
def curves(x, values, mass, robust, reach, queries, wanted, bandwidth, degree, out, done):
    """The local polynomial at every query, as `polynomials` does.

    Where no row has a weight, or a term depends on others as seen from the query, `done` stays False.
    """
    n, targets, terms = len(x), values.shape[0], 1 + degree
    design, weight, scaled = np.empty((3 + targets, n)), np.empty(n), np.empty(n)
    system = np.empty((terms, terms + targets + 1))
    for m in range(len(queries)):
        q = queries[m]
        radius = bandwidth if bandwidth > 0.0 else least_radius(x, reach, q, wanted)
        if not radius > 0.0:  # rows of one place
            continue
        first = first_at_least(x, q - radius, 0)
        last = first_at_least(x, q + radius, first)
        size = last - first
        near = weight[:size]
        total = fill(x[first:last], mass[first:last], robust[first:last], q, radius, terms, design, near)
        if not total > 0.0:
            continue
        for t in range(targets):
            column, given = design[terms + t], values[t, first:last]
            for i in range(size):
                column[i] = given[i]
        weighted_products(design, near, terms, terms + targets, scaled, system)
        done[m] = value_at_origin(system, terms, FROM_AFAR, out[m]) == 0
