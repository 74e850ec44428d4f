"""Learning pattern by pattern: one epoch of a linear rule w += step * error(y, p) * x, with p = w'x + b.

    perceptron   y in {-1, 1}   error = y where y p <= 0, else 0       loss = max(0, -y p)
    adaline      y in {-1, 1}   error = y - p                          loss = (y - p)^2 / 2
    sigmoid      y in {0, 1}    error = (y - s) s (1 - s), s = sigma(p)  loss = (y - s)^2 / 2
    logistic     y in {0, 1}    error = y - s                          loss = -ln p(y)

Rows are given as `data`, `indices`, `indptr` of a sparse matrix by rows; where these two are empty, `data` holds dense
rows one after the other. Weights are kept as scale * w, so that a quadratic penalty costs nothing per column.
"""

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from .two_words import SETTINGS

PERCEPTRON, ADALINE, SIGMOID, LOGISTIC = 0, 1, 2, 3
PLAIN, CAPPED, NORMALISED = 0, 1, 2  # the step: as given; at most 1 / (curvature x'x); divided by x'x
SUMS = SETTINGS | {"fastmath": {"reassoc", "contract"}}  # sums in any order, so that they use vector instructions
SMALLEST_SCALE = 1e-9
WORD = 0xFFFFFFFF
AHEAD = 4  # rows that are fetched before they are needed: shuffled rows are in no cache


@njit(**SETTINGS)
def shuffle(order, seed):
    """Fisher and Yates, with Marsaglia's xorshift of 32 bits: the order of rows that scikit-learn takes."""
    state = seed if seed != 0 else 1
    n = len(order)
    for i in range(n - 1):
        state ^= (state << 13) & WORD
        state ^= state >> 17
        state ^= (state << 5) & WORD
        j = i + (state & 0x7FFFFFFF) % (n - i)
        order[i], order[j] = order[j], order[i]


@njit(**SETTINGS)
def spread(X):
    """Mean, mean square deviation and largest absolute value of every column; a NaN shows in the mean."""
    n, d = X.shape
    out = np.zeros((3, d))
    for i in range(n):
        for j in range(d):
            x = np.float64(X[i, j])
            away = x - np.float64(X[0, j])
            out[0, j] += away
            out[1, j] += away * away
            out[2, j] = max(out[2, j], abs(x))
    for j in range(d):
        mean = out[0, j] / n
        out[0, j] = mean + np.float64(X[0, j])
        out[1, j] = max(out[1, j] / n - mean * mean, 0.0)
    return out


@intrinsic
def fetch(typing_context, array, index):
    """Begin to read the cache line of array[index] (an address beyond the end does no harm)."""

    def generate(context, builder, signature, arguments):
        data = make_array(signature.args[0])(context, builder, arguments[0]).data
        byte, word = ir.PointerType(ir.IntType(8)), ir.IntType(32)
        address = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        builder.call(prefetch, [address, word(0), word(3), word(1)])  # for reading, into all caches, as data
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


@njit(**SETTINGS)
def fetch_row(data, start, stop):
    step = 64 // data.itemsize
    for a in range(start, stop, step):
        fetch(data, a)


@njit(**SUMS)
def dot(row, columns, w):
    total = 0.0
    if columns.size == 0:
        for j in range(row.size):
            total += w[j] * row[j]
    else:
        for a in range(row.size):
            total += w[columns[a]] * row[a]
    return total


@njit(**SUMS)
def square(row):
    total = 0.0
    for a in range(row.size):
        total += np.float64(row[a]) * row[a]
    return total


@njit(**SETTINGS)
def add(row, columns, w, factor):
    """w += factor * x."""
    if columns.size == 0:
        for j in range(row.size):
            w[j] += factor * row[j]
    else:
        for a in range(row.size):
            w[columns[a]] += factor * row[a]


@njit(**SETTINGS)
def charge(indices, start, stop, w, scale, due, paid):
    """Take the L1 penalty that is due off the columns of a row, cut at zero (Tsuruoka, Tsujii & Ananiadou 2009)."""
    for a in range(start, stop):
        j = indices[a] if indices.size else a - start
        before = w[j]
        if before > 0.0:
            w[j] = max(0.0, before - (due + paid[j]) / scale)
        elif before < 0.0:
            w[j] = min(0.0, before + (due - paid[j]) / scale)
        paid[j] += scale * (w[j] - before)


@njit(**SETTINGS)
def sizes(indices, start, stop, w):
    """Sum of squares and of absolute values of the weights of a row's columns."""
    squares, absolutes = 0.0, 0.0
    for a in range(start, stop):
        v = w[indices[a] if indices.size else a - start]
        squares += v * v
        absolutes += abs(v)
    return squares, absolutes


@njit(**SETTINGS)
def error_and_loss(rule, y, p):
    """See the table above; both tails of the sigmoid keep their digits."""
    if rule == PERCEPTRON:
        return (y, -y * p) if y * p <= 0.0 else (0.0, 0.0)
    if rule == ADALINE:
        return y - p, 0.5 * (y - p) ** 2
    tail = np.exp(-abs(p))
    small, large = tail / (1.0 + tail), 1.0 / (1.0 + tail)
    missing = (small if p >= 0.0 else large) if y > 0.0 else -(large if p >= 0.0 else small)  # y - s
    if rule == SIGMOID:
        return missing * small * large, 0.5 * missing * missing
    against = -p if y > 0.0 else p
    return missing, max(against, 0.0) + np.log1p(tail)


@njit(**SETTINGS)
def present(
    data, indices, indptr, order, codes, positive, low, weight, class_weights, w, paid, state,
    rule, kind, eta, annealing, curvature, ridge, lasso, intercept,
):  # fmt: skip
    """Show the rows of `order` once; the row of class `positive` is a one, the others are `low` (-1 or 0).

    Changes w, `paid` and `state` = (bias, L1 penalty due, patterns seen, loss, weight of the loss, mistakes) in place.
    The loss includes the penalty ridge / 2 |w|^2 + lasso |w|_1 at every pattern; that of the perceptron is not
    weighted, as in scikit-learn. `class_weights` are those of a one and of the others.
    """
    d = len(w)
    penalised = ridge > 0.0 or lasso > 0.0
    bias, due, seen, loss, total, mistakes = state
    scale = 1.0
    none = indices[:0]
    squares, absolutes = sizes(none, 0, d, w) if penalised else (0.0, 0.0)
    for k in range(order.size):
        i = order[k]
        start, stop = (i * d, (i + 1) * d) if indptr.size == 0 else (indptr[i], indptr[i + 1])
        row, columns = data[start:stop], indices[start:stop]
        if indptr.size == 0 and k + AHEAD < order.size:
            fetch_row(data, order[k + AHEAD] * d, (order[k + AHEAD] + 1) * d)
        one = codes[i] == positive
        y = 1.0 if one else low
        before = sizes(indices, start, stop, w) if penalised else (0.0, 0.0)
        if lasso > 0.0 and indptr.size:  # columns that were absent for a while
            charge(indices, start, stop, w, scale, due, paid)
        p = scale * dot(row, columns, w) + bias
        error, cost = error_and_loss(rule, y, p)
        mistakes += p <= 0.0 if one else p >= 0.0
        share = class_weights[0 if one else 1] * (weight[i] if weight.size else 1.0)
        counted = 1.0 if rule == PERCEPTRON else share
        loss += counted * (cost + 0.5 * ridge * scale * scale * squares + lasso * scale * absolutes)
        total += counted
        step = eta / (1.0 + annealing * seen)
        weighted = step * share
        if kind != PLAIN:
            q = square(row) + (1.0 if intercept else 0.0)
            limit = 1.0 / (curvature * q) if q > 0.0 else np.inf
            weighted = min(weighted, limit) if kind == CAPPED else (weighted / q if q > 0.0 else 0.0)
            if q == np.inf:
                weighted = np.nan  # and so are the weights, which is noticed
        if ridge > 0.0:
            scale *= max(0.0, 1.0 - step * ridge)
            if scale < SMALLEST_SCALE:
                w *= scale
                squares, absolutes = squares * scale * scale, absolutes * scale
                before = before[0] * scale * scale, before[1] * scale
                scale = 1.0
        if error != 0.0:
            add(row, columns, w, weighted * error / scale)
            if intercept:
                bias += weighted * error
        if lasso > 0.0:
            due += lasso * step
            charge(indices, start, stop, w, scale, due, paid)
        if penalised:
            after = sizes(indices, start, stop, w)
            squares += after[0] - before[0]
            absolutes += after[1] - before[1]
        seen += 1.0
    w *= scale
    if lasso > 0.0:
        charge(none, 0, d, w, 1.0, due, paid)
    state[0], state[1], state[2], state[3], state[4], state[5] = bias, due, seen, loss, total, mistakes
