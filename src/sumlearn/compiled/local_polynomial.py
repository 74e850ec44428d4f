"""Polynomials around queries, with tricube weights. Rows are columns of `points` (coordinates, rows)."""

import numpy as np
from numba import njit

SETTINGS = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz"}}
DEPENDENT = 1e-12  # share of its square below which the rest of a column is nothing but rounding
FROM_AFAR = 1e-6  # where less is left of a column as seen from the query, six digits go: terms about the rows' mean
ROUGHLY = 1e-6  # the same for sums that were moved
CLOSE = 1e3  # square of the reach of the rows in radii up to which sums are moved
BINS, FEW = 256, 64  # of distances; rows that are sorted
LARGEST = 1e300  # places of bins stay numbers up to here
ROUNDED = 1e-12  # room at the ends of a bin


@njit(**SETTINGS)
def squared_distances(points, query, out):
    out[:] = 0.0
    for j in range(points.shape[0]):
        q, coordinates = query[j], points[j]
        for i in range(len(out)):
            away = coordinates[i] - q
            out[i] += away * away


@njit(**SETTINGS)
def quantile(squares, mass, wanted):
    """The smallest squared distance within which the rows have the weight `wanted`: bins, then sorting a few."""
    low, high, below = 0.0, squares.max(), 0.0
    first, last = low, high
    within, found = np.empty(BINS), np.empty(BINS, np.int64)
    for _ in range(3):
        within[:], found[:] = 0.0, 0
        scale = (BINS - 0.5) / (high - low) if high > low else np.inf
        if scale > LARGEST:  # all that is left is one distance
            break
        for i in range(len(squares)):
            if low <= squares[i] <= high:
                place = int((squares[i] - low) * scale)
                within[place] += mass[i]
                found[place] += 1
        place = 0
        while place < BINS - 1 and below + within[place] < wanted:
            below += within[place]
            place += 1
        first, last = low + place / scale, low + (place + 1) / scale
        if found[place] <= FEW:
            break
        low, high = first, min(last, high)
    few = np.flatnonzero((squares >= first * (1.0 - ROUNDED)) & (squares <= last * (1.0 + ROUNDED)))
    few = few[np.argsort(squares[few])]
    reach = 0.0  # of the rows before these
    for i in range(len(squares)):
        reach += mass[i] if squares[i] < squares[few[0]] else 0.0
    for i in few:
        reach += mass[i]
        if reach >= wanted:
            return squares[i]
    return squares[few[-1]]


@njit(**SETTINGS)
def tricube(squares, square, mass, robust, out):
    """mass * robust * (1 - (distance / radius)^3)^3 within the radius, else zero; returns the sum."""
    scale, total = 1.0 / square if square > 0.0 else 0.0, 0.0
    for i in range(len(out)):
        u = squares[i] * scale
        share = 1.0 - u * np.sqrt(u)
        inside = squares[i] < square or (square == 0.0 and squares[i] == 0.0)
        out[i] = mass[i] * robust[i] * share * share * share if inside else 0.0
        total += out[i]
    return total


@njit(**SETTINGS)
def terms_of(points, query, near, radius, degree, out):
    """1, then u = (x - q) / radius, then the products u_j u_k, j <= k, of the rows `near`, a row of `out` for each."""
    d, scale = points.shape[0], 1.0 / radius if radius > 0.0 else 0.0
    count = 1
    for i in range(len(near)):
        out[0, i] = 1.0
    if degree > 0:
        for j in range(d):
            for i in range(len(near)):
                out[1 + j, i] = (points[j, near[i]] - query[j]) * scale
        count += d
    if degree > 1:
        for j in range(d):
            for k in range(j, d):
                for i in range(len(near)):
                    out[count, i] = out[1 + j, i] * out[1 + k, i]
                count += 1
    return count


@njit(**SETTINGS)
def weighted_products(design, weight, terms, columns, scaled, out):
    """sum_i w_i design[a, i] design[b, i] for the terms a and all columns b >= a, and the same below the diagonal."""
    n = len(weight)
    for a in range(terms):
        mine = design[a, :n]
        for i in range(n):
            scaled[i] = weight[i] * mine[i]
        for b in range(a, columns):
            part, theirs = 0.0, design[b, :n]
            for i in range(n):
                part += scaled[i] * theirs[i]
            out[a, b] = part
            if b < terms:
                out[b, a] = part


@njit(**SETTINGS)
def value_at_origin(system, terms, least, out):
    """The constant of the polynomial for every target, and behind them what a row of weight one here counts in it.

    By elimination; terms that depend on earlier ones are left out. `least` is the share of its square that a term must
    keep; `system` is the Gram matrix with the right sides and one more column behind it, and is overwritten. Returns
    how many terms were left out.
    """
    left_out = 0
    columns = system.shape[1]
    system[:, columns - 1] = 0.0
    system[0, columns - 1] = 1.0
    size = np.array([system[j, j] for j in range(terms)])
    for j in range(terms):
        if system[j, j] <= least * size[j]:
            left_out += 1
            continue
        for i in range(terms):
            if i != j:
                factor = system[i, j] / system[j, j]
                for k in range(j, columns):
                    system[i, k] -= factor * system[j, k]
    for t in range(len(out)):
        out[t] = system[0, terms + t] / system[0, 0]
    return left_out


@njit(**SETTINGS)
def value_at(system, terms, least, at, out):
    """The same at a place whose terms are `at`: those of the origin are 1, 0, 0, ..."""
    columns = system.shape[1]
    system[:, columns - 1] = at
    size = np.array([system[j, j] for j in range(terms)])
    out[:] = 0.0
    kept = np.zeros(terms, np.bool_)
    for j in range(terms):
        kept[j] = system[j, j] > least * size[j]
        if kept[j]:
            for i in range(terms):
                if i != j:
                    factor = system[i, j] / system[j, j]
                    for k in range(j, columns):
                        system[i, k] -= factor * system[j, k]
    for j in range(terms):
        if kept[j]:
            for t in range(len(out)):
                out[t] += at[j] * system[j, terms + t] / system[j, j]


@njit(**SETTINGS)
def about_their_mean(points, near, weight, query, degree, terms, targets, design, scaled, system, out):
    """The same polynomial from terms about the mean of the rows, in units of their reach.

    For queries that are far from their rows beside the reach of these: seen from there all terms are nearly one.
    The targets are in `design` already.
    """
    d = points.shape[0]
    centre, place = np.zeros(d), np.zeros((d, 1))
    reach = 0.0
    for j in range(d):
        for i in range(len(near)):
            centre[j] += weight[i] * points[j, near[i]]
        centre[j] /= weight.sum()
        place[j, 0] = query[j]
        for i in range(len(near)):
            reach = max(reach, abs(points[j, near[i]] - centre[j]))
    at = np.empty((terms, 1))
    terms_of(place, centre, np.zeros(1, np.int64), reach, degree, at)
    terms_of(points, centre, near, reach, degree, design)
    weighted_products(design, weight, terms, terms + targets, scaled, system)
    value_at(system, terms, DEPENDENT, at[:, 0], out)


@njit(**SETTINGS)
def neighbourhoods(points, mass, robust, queries, wanted, bandwidth, weights, radii):
    """Weights of all rows (queries, rows) and the radius of every query; by a weight, or by a bandwidth if that is > 0.

    Where no row has a weight, robust weights are left out; if that does not help, the nearest rows count alike.
    """
    n = points.shape[1]
    squares, ones = np.empty(n), np.ones(n)
    for m in range(len(queries)):
        squared_distances(points, queries[m], squares)
        square = bandwidth * bandwidth if bandwidth > 0.0 else quantile(squares, mass, wanted)
        total = tricube(squares, square, mass, robust, weights[m])
        if total <= 0.0:
            total = tricube(squares, square, mass, ones, weights[m])
        if total <= 0.0:
            nearest = squares.min()
            for i in range(n):
                weights[m, i] = mass[i] if squares[i] == nearest else 0.0
        radii[m] = np.sqrt(square)


@njit(**SETTINGS)
def polynomials(points, values, weights, radii, queries, degree, out):
    """The local polynomial at every query, from the rows that have a weight: (queries, targets + 1), as above."""
    d, n = points.shape
    targets, widest = values.shape[0], 1 + d + d * (d + 1) // 2
    design, system = np.empty((widest + targets, n)), np.empty((widest, widest + targets + 1))
    scaled = np.empty(n)
    for m in range(len(queries)):
        near = np.flatnonzero(weights[m])
        terms = terms_of(points, queries[m], near, radii[m], degree, design)
        for t in range(targets):
            for i in range(len(near)):
                design[terms + t, i] = values[t, near[i]]
        own, equations = weights[m][near], system[:terms, : terms + targets + 1]
        weighted_products(design, own, terms, terms + targets, scaled, equations)
        if value_at_origin(equations, terms, FROM_AFAR, out[m]):
            query = queries[m]
            about_their_mean(points, near, own, query, degree, terms, targets, design, scaled, equations, out[m])


@njit(**SETTINGS)
def planes(sums, queries, radii, degree, reach, out, done):
    """The same for degree 0 and 1 from weighted sums of (1, y, x, x y, x x') about the origin, moved to the query.

    Where the radius is so small beside the reach of the rows that this would cost digits, or a term depends on others
    as far as moved sums can tell, `done` is left False: the rows themselves know better.
    """
    targets, d = out.shape[1] - 1, queries.shape[1]
    terms = 1 + d * degree
    for m in range(len(queries)):
        q, s, h = queries[m], sums[m], radii[m]
        if degree > 0 and not h * h * CLOSE > reach + (q * q).sum():
            continue
        system = np.empty((terms, terms + targets + 1))
        system[0, 0] = s[0]
        system[0, terms : terms + targets] = s[1 : 1 + targets]
        if degree > 0:
            x, place = s[1 + targets :], 1 + targets + d + d * targets
            for j in range(d):
                system[0, 1 + j] = system[1 + j, 0] = (x[j] - q[j] * s[0]) / h
                for t in range(targets):
                    system[1 + j, terms + t] = (x[d + j * targets + t] - q[j] * s[1 + t]) / h
                for k in range(j, d):
                    moved = (s[place] - q[j] * x[k] - q[k] * x[j] + q[j] * q[k] * s[0]) / (h * h)
                    system[1 + j, 1 + k] = system[1 + k, 1 + j] = moved
                    place += 1
        done[m] = value_at_origin(system, terms, ROUGHLY, out[m]) == 0
