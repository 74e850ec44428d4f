"""Least squares where rows are fewer than columns and held as they are: through the products of the rows.

    b = sum_i w_i a_i (x_i - m),   (x_i - m)'b + alpha a_i = y_i - m_y

One unknown a for each row. The n x n system is factored in double, and its residual is formed from the rows in two
words, so that the solution is as precise as the rows are. Without a penalty this is the solution of least norm; where
rows depend on each other, y is first replaced by its best fit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.linalg import lapack

from ..statistics import Moments, Words
from ..statistics.held_rows import HeldRows
from ..statistics.projection import words_product
from ..statistics.rounding import EXACT_ROUNDING
from .linear_system import (
    REFINABLE,
    UNIT,
    LinearSolution,
    add_words,
    digits_left,
    levels,
    solve_positive,
    system_of,
    words,
)

Inverse = Callable[[np.ndarray], np.ndarray]


def solved(moments: Moments, which: np.ndarray, alpha: float, intercept: bool) -> LinearSolution | None:
    """Coefficients for some targets; None where the products of the columns have to do it."""
    rows, d = moments.spread, moments.features
    if not isinstance(rows, HeldRows) or not 0 < len(rows) < d or moments.exponent.any():
        return None
    targets = rows.of_columns(d + which)
    Y = targets.deviations if intercept else targets.values
    largest = squares_of(rows, d, intercept).max() + alpha  # of the diagonal: alpha is the least eigenvalue
    if alpha and 32.0 * UNIT * np.sqrt(d * largest / alpha) < 1.0:
        rank, aliased = d, np.zeros(0, np.intp)
        digits = digits_left(32.0 * UNIT * np.sqrt(d * largest / alpha))
    else:
        alpha = 0.0  # or less than rows can tell from it
        kept, digits, basic = independent(moments, which, intercept)
        rank, aliased = len(kept), np.setdiff1d(np.arange(d), kept)
        if rank < len(rows) - intercept:
            Y = rows.of_columns(kept).along(turned(basic), intercept)
    b = refined(rows, d, Y, alpha, intercept, inverse_of(rows, d, alpha, intercept, rank))
    if b is None:
        return None
    b0 = levels(moments, which, turned(b), np.zeros(d, np.int64)) if intercept else np.zeros(len(which))
    bounds = (partial(condition, rows, d, alpha, intercept),)
    return LinearSolution(b.hi, b0, rank, (), aliased, digits, bounds=bounds)


def inverse_of(rows: HeldRows, d: int, alpha: float, intercept: bool, rank: int) -> Inverse:
    """The inverse of B B' + alpha I in double, B = sqrt(w) (x - m); on the `rank` largest directions if it has none."""
    K, root = rows.gram(d, intercept).copy(), np.sqrt(rows.mass.hi)
    K[np.diag_indices_from(K)] += alpha
    if intercept:  # sqrt(w) is in the null space of B', and never asked for
        K += (K.trace() / len(K) / (root @ root)) * np.outer(root, root)
    norm = np.abs(K).sum(axis=0).max()
    factor, failed = lapack.dpotrf(K)
    if not failed and rank >= len(K) - intercept and lapack.dpocon(factor, norm)[0] * REFINABLE >= 1.0:
        return lambda right: lapack.dpotrs(factor, right)[0]
    axes, sizes, _ = np.linalg.svd(rows.factor(intercept, d), full_matrices=False)
    axes, sizes = axes[:, :rank], sizes[:rank]
    return lambda right: axes @ ((axes.T @ right) / (sizes**2 + alpha)[:, None])


def refined(rows: HeldRows, d: int, Y: Words, alpha: float, intercept: bool, inverse: Inverse) -> Words | None:
    """b (targets, d), by corrections from residuals in two words until they stand still; None where they do not."""
    root, weights = np.sqrt(rows.mass.hi)[:, None], Words(np.diag(rows.mass.hi), np.diag(rows.mass.lo))
    penalty = words(-alpha * np.eye(Y.hi.shape[1]))
    a, residual, before = Words.zeros(Y.hi.shape), Y.hi, np.inf
    for count in range(12):
        step = inverse(root * residual) / root
        a = add_words(a, words(step))
        size, whole = np.abs(step).max(initial=0.0), np.abs(a.hi).max(initial=0.0)
        b = rows.combined(words_product(weights, a), d, intercept)
        following = size * min(size / before, 1.0) if count else size
        if following <= 2.0**-70 * whole:
            return b
        if size > before / 2:
            return b if size <= 2.0**-50 * whole else None
        before = size
        fit = rows.along(b, intercept)
        rest = add_words(Y, Words(-fit.hi, -fit.lo))
        residual = (add_words(rest, words_product(a, penalty)) if alpha else rest).hi
    return b


def turned(a: Words) -> Words:
    return Words(*(np.ascontiguousarray(word.T) for word in a))


def independent(moments: Moments, which: np.ndarray, intercept: bool) -> tuple[np.ndarray, float, Words]:
    """Columns that are no combinations of earlier ones, digits that rounding leaves, and the fit on them.

    Dependent columns are found in order, some at a time, until the rows can tell no more apart.
    """
    d, kept, seen = moments.features, np.zeros(0, np.intp), 0
    most = len(moments.spread) - intercept
    while True:
        some = np.append(kept, np.arange(seen, min(d, seen + max(most - len(kept), 1))))
        part = moments.restrict(some)
        part = replace(part, rounding=EXACT_ROUNDING * part.diagonal)  # rows have no other rounding
        system = system_of(part, which, 0.0, intercept)
        more = np.sqrt(d / len(some))  # the noise of all columns, as if they were solved together
        system = replace(system, rounding=more * system.rounding, last_bit=more * system.last_bit)
        answer = solve_positive(system)
        seen, kept = int(some[-1]) + 1, some[answer.kept]
        if len(kept) == most or seen == d:
            x = answer.x.shifted(-system.scale[:, None]).at(answer.kept)
            return kept, answer.digits(system), x


def squares_of(rows: HeldRows, d: int, intercept: bool) -> np.ndarray:
    """Diagonal of B'B."""
    squares, mean = rows.sums.squares.hi[:d], rows.sums.mean.hi[:d]
    return squares if intercept else squares + rows.sums.total.hi * mean**2


def condition(rows: HeldRows, d: int, alpha: float, intercept: bool) -> float:
    """A bound of the condition of B'B + alpha I scaled to unit diagonal, from bounds of its spectrum."""
    diagonal = squares_of(rows, d, intercept) + alpha
    F = rows.factor(intercept, d) / np.sqrt(diagonal)
    return float(np.sqrt((alpha / diagonal.min() + np.linalg.norm(F @ F.T, 2)) * diagonal.max() / alpha))
