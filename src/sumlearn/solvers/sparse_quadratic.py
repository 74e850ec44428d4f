"""The minimum of a quadratic function with an L1 penalty, to rounding: coordinate descent, then linear systems.

    w'Gw / 2 - c'w + sum_j l1_j |w_j| + sum_j l2_j w_j^2 / 2,    w >= 0 where that is asked for

Coordinate descent finds which coefficients are not zero, and their signs; on those the minimum solves a linear system.
Where its solution keeps the signs and no other coefficient wants to leave zero (the conditions of Karush, Kuhn and
Tucker), that is the minimum, whatever the tolerance. Where a sign would change, the way ends at zero, and the
coefficient is dropped: values fall at every step. Along a path of penalties the system of the last minimum is kept, and
only what enters or leaves is changed in it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import lapack

from ..compiled import active_set
from ..compiled import coordinate_gram as kernels

ROUGH = 1e-6  # moves of coordinates, as a share of the largest gain, at which linear systems take over
EPS = float(np.finfo(float).eps)
SLACK = 1e-11  # share of l1 by which a slope may exceed it: rounding
INDEPENDENT = 1e-10  # share of the least pivot of a system that has one solution
ROUNDED = 4.0 * EPS  # of |c| + |G w|: what a slope may be off
LIFT = 1e-8  # share that is added to the diagonal of a system without one solution
BURST = 20  # sweeps between two linear systems


class Sparse(NamedTuple):
    """Coefficients, slopes q = c - G w of the smooth part without l2, sweeps, and whether the minimum was reached.

    Of a path, a row for each penalty.
    """

    w: np.ndarray
    q: np.ndarray
    sweeps: Any
    converged: Any


def sparse_minimum(
    G: np.ndarray,
    c: np.ndarray,
    l1: np.ndarray,
    l2: np.ndarray,
    start: np.ndarray | None = None,
    nonnegative: bool = False,
    tol: float = 1e-16,
    most: int = 100_000,
) -> Sparse:
    """The minimum, from a start; `tol` is the gain of a move, as a share of the scale of the gains, that is none.

    >>> found = sparse_minimum(np.eye(2), np.array([3.0, 0.5]), np.ones(2), np.zeros(2))
    >>> found.w.tolist(), found.converged
    ([2.0, 0.0], True)
    """
    w = np.zeros(len(c)) if start is None else start.copy()
    G = np.ascontiguousarray(G)
    q = c - G @ w if w.any() else c.copy()
    diagonal = G.diagonal()
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        gains = np.where(diagonal > 0, np.maximum(np.abs(c) - l1, 0.0) ** 2 / (diagonal + l2), 0.0)
    scale = float(gains.max(initial=0.0)) or float((q * q).max(initial=0.0)) or 1.0
    sweeps, settled, tight = 0, False, False
    while sweeps < most:
        limit, some = (tol * scale, most) if tight else (max(ROUGH, tol) * scale, BURST)
        more, settled = kernels.descend(G, q, w, l1, l2, nonnegative, limit, min(some, most - sweeps))
        sweeps += more
        if not tight:
            tight = not settle(G, c, l1, l2, w, nonnegative)
            q = c - G @ w
            noise = ROUNDED * (float(np.abs(c).max(initial=0.0)) + float(diagonal.max(initial=0.0) * np.abs(w).sum()))
            if not tight and settled_at(q, w, l1 * (1.0 + SLACK) + noise, diagonal, nonnegative):
                return Sparse(w, q, sweeps, True)
        elif settled:
            break
    return Sparse(w, c - G @ w, sweeps, settled and tight)


def sparse_path(
    G: np.ndarray,
    c: np.ndarray,
    l1: np.ndarray,
    l2: np.ndarray,
    start: np.ndarray | None = None,
    nonnegative: bool = False,
    most: int = 100_000,
) -> Sparse:
    """The minima for every row of l1 and l2, each from the one before.

    >>> found = sparse_path(np.eye(2), np.array([3.0, 0.5]), np.array([[1.0] * 2, [0.25] * 2]), np.zeros((2, 2)))
    >>> found.w.tolist()
    [[2.0, 0.0], [2.75, 0.25]]
    """
    count, G, w = len(l1), np.ascontiguousarray(G), start
    points, slopes = np.empty(l1.shape), np.empty(l1.shape)
    sweeps, converged = np.zeros(count, np.int64), np.ones(count, bool)
    a = 0
    while a < count:
        w, slopes[a], sweeps[a], converged[a] = sparse_minimum(G, c, l1[a], l2[a], w, nonnegative, most=most)
        points[a] = w
        a += 1
        if a == 1 < count:
            a += active_set.follow(
                G, c, l1[1:], l2[1:], w, nonnegative, SLACK, ROUNDED, INDEPENDENT, most, points[1:], slopes[1:],
                sweeps[1:],
            )  # fmt: skip
            w = points[a - 1]
    return Sparse(points, slopes, sweeps, converged)


def settled_at(q: np.ndarray, w: np.ndarray, room: np.ndarray, diagonal: np.ndarray, nonnegative: bool) -> bool:
    """Whether no coefficient that is zero wants to leave it."""
    idle = (w == 0) & (diagonal > 0)
    pull = q[idle] if nonnegative else np.abs(q[idle])
    return bool((pull <= room[idle]).all())


def settle(G: np.ndarray, c: np.ndarray, l1: np.ndarray, l2: np.ndarray, w: np.ndarray, nonnegative: bool) -> bool:
    """Go to the minimum on the coefficients that are not zero, in place; False where it is not unique."""
    free = (l1 == 0) & (G.diagonal() > 0) & (not nonnegative)  # they may have any sign
    for _ in range(len(w) + 1):
        active = np.flatnonzero((w != 0) | free)
        if not len(active):
            return True
        signs = np.sign(w[active])
        A = G[np.ix_(active, active)]
        A[np.diag_indices(len(active))] += l2[active]
        factor, failed = lapack.dpotrf(A, lower=1)
        pivots = factor.diagonal() ** 2
        right = c[active] - l1[active] * signs
        if failed or (pivots < INDEPENDENT * A.diagonal()).any():
            x = nearest(A, right, w[active])
        else:
            x = lapack.dpotrs(factor, right, lower=1)[0]
            x = x + lapack.dpotrs(factor, right - A @ x, lower=1)[0]
        if x is None or not np.isfinite(x).all():
            return False
        crossed = (x * signs <= 0) & ~free[active]
        if not crossed.any():
            w[active] = x
            return True
        here = w[active]
        steps = np.where(crossed, here / np.where(crossed, here - x, 1.0), np.inf)
        first = int(np.argmin(steps))
        moved = here + steps[first] * (x - here)
        moved[((moved * signs <= 0) & ~free[active]) | (np.arange(len(active)) == first)] = 0.0
        cut = np.where(crossed, 0.0, x)  # all that cross at once, if that is lower still
        w[active] = min((moved, cut), key=lambda v: 0.5 * v @ (A @ v) - right @ v)
    return False


def nearest(A: np.ndarray, right: np.ndarray, here: np.ndarray) -> np.ndarray | None:
    """A solution of a singular system near a point; where there is none, a point far along a way that never rises.

    Columns that depend on each other can be exchanged without changing a score. Where that lowers the penalty there is
    no solution, and the way leads beyond the first coefficient that becomes zero.
    """
    lifted = A.copy()
    lifted[np.diag_indices(len(A))] *= 1.0 + LIFT
    factor, failed = lapack.dpotrf(lifted, lower=1)
    if failed:
        return None
    wanted = 1e-13 * float(np.abs(right).max(initial=0.0) + np.abs(A @ here).max(initial=0.0))
    x = first = here + lapack.dpotrs(factor, right - A @ here, lower=1)[0]
    for _ in range(3):
        rest = right - A @ x
        if np.abs(rest).max(initial=0.0) <= wanted:
            return x
        x = x + lapack.dpotrs(factor, rest, lower=1)[0]
    return x if np.abs(right - A @ x).max(initial=0.0) <= 100.0 * wanted else first


def duality_gaps(
    w: np.ndarray, q: np.ndarray, c: np.ndarray, squares: float, l1: np.ndarray, l2: np.ndarray, nonnegative: bool
) -> np.ndarray:
    """Bounds of what is left to gain on a path, for G = X'X, c = X'y and y'y = `squares`: q = X'r, r = y - X w.

    The dual point is the residual, shrunk until no column pulls harder than its penalty; where l2 bends every
    coefficient, the residual itself is one too, and the better of both counts. Without a penalty there is no bound.
    """
    fit = w @ c
    residual = np.maximum(squares - fit - (q * w).sum(axis=1), 0.0)  # r'r, since X'r = q and y'r = y'y - c'w
    bent = (l2 * w * w).sum(axis=1)
    pull = q - l2 * w
    pull = pull if nonnegative else np.abs(pull)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        share = np.where((pull > l1) & (pull > 0), l1 / pull, 1.0).min(axis=1, initial=1.0)
        primal = 0.5 * residual + (l1 * np.abs(w)).sum(axis=1) + 0.5 * bent
        dual = share * (squares - fit) - 0.5 * share**2 * (residual + bent)
        over = np.maximum((q if nonnegative else np.abs(q)) - l1, 0.0)
        other = squares - fit - 0.5 * residual - 0.5 * (over * over / l2).sum(axis=1)
    return np.maximum(primal - np.where(l2.all(axis=1), np.maximum(dual, other), dual), 0.0)
