"""What solvers of the dual share: the primal that belongs to it, the gap between both, and steps on a face.

    w = sum_n b_n x_n        alpha (P(w, c) - D(b)) >= 0 bounds what is left to gain

A free intercept makes sum_n b_n = 0 a condition. It is kept by the method of multipliers: a column of the value B in
every row, whose weight is penalised about where it was before (Rockafellar 1976).
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse
from scipy.linalg import cho_factor, cho_solve

from ..objectives.duals import Dual
from ..objectives.held_problem import HeldProblem

FACE = 600  # numbers of a linear system that is solved at once
SLIGHT = 1e-14  # share of the diagonal that is added to it, so that there is a solution


def primal_value(problem: HeldProblem, w: np.ndarray, level: float) -> float:
    """P: |w|^2 / 2 + sum C_n l(y_n, f_n), with the intercept where it is penalised."""
    f = problem.X @ w + level
    own = 0.0 if problem.scaling is None else (level / problem.scaling) ** 2
    return 0.5 * (float(w @ w) + own) + float(problem.costs @ problem.loss.value(problem.y, f))


def dual_value(problem: HeldProblem, dual: Dual, beta: np.ndarray, w: np.ndarray) -> float:
    """D at numbers that keep every condition; those of a free intercept are moved a little so that they do."""
    if problem.free:
        beta = balanced(np.clip(beta, dual.lower, dual.upper), dual)
        w = problem.X.T @ beta
    own = 0.0 if problem.scaling is None else (problem.scaling * float(beta.sum())) ** 2
    return dual.value(beta) - 0.5 * (float(w @ w) + own)


def balanced(beta: np.ndarray, dual: Dual) -> np.ndarray:
    """Numbers between the same bounds whose sum is zero: all are moved by the same share of the room they have."""
    excess = float(beta.sum())
    if not excess:
        return beta
    room = beta - dual.lower if excess > 0 else dual.upper - beta
    endless = np.isinf(room)
    if endless.any():
        room = endless.astype(float)
    total = float(room.sum())
    return beta if total <= 0 else beta - np.sign(excess) * room * min(1.0, abs(excess) / total)


def face_step(
    problem: HeldProblem, curvature: np.ndarray, slope: np.ndarray, inside: np.ndarray, bias: float, width: float
) -> np.ndarray:
    """The Newton step of the numbers that are at no bound: (diag(h) + Z Z')^-1 (-g) over those rows, Z = (x, B).

    Where nothing bends, |g| / width is added to h: steps are about as long as the way from bound to bound, `width`, and
    not shortened in the end.
    """
    rows = problem.X[inside]
    m, d = rows.shape
    Z = rows.toarray() if sparse.issparse(rows) else rows
    Z = np.column_stack([Z, np.full(m, bias)]) if bias else Z
    h, g = curvature[inside], slope[inside]
    if m <= d + 1 or m <= FACE:
        system = Z @ Z.T
        system[np.diag_indices(m)] += h + np.abs(g).max() / width + SLIGHT * (float(np.diag(system).mean()) or 1.0)
        return cho_solve(cho_factor(system, lower=True), -g)
    h = h + np.abs(g).max() / width + SLIGHT * (float((Z * Z).sum() / m) or 1.0)
    small = Z.T @ (Z / h[:, None])  # Woodbury
    small[np.diag_indices(len(small))] += 1.0
    inner = cho_solve(cho_factor(small, lower=True), Z.T @ (g / h))
    return (Z @ inner - g) / h


def longest(beta: np.ndarray, step: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> float:
    """How much of a step stays between the bounds, at most all of it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(step > 0, (upper - beta) / step, np.where(step < 0, (lower - beta) / step, np.inf))
    return float(min(1.0, room.min(initial=np.inf)))
