"""The dual of a kernel machine by other roads than pairs: as a quadratic program, and as a linear machine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ....data.source import ArraySource
from ....engines import one_blas_thread
from ....objectives import L2, EpsilonInsensitive, Frame, Hinge, LinearObjective
from ....objectives.duals import Dual
from ....solvers import InteriorPoint, box_qp, iterate
from ....solvers.decomposition import decomposed
from ....solvers.dual_problem import balanced
from ....solvers.dual_qp import MANY
from ....solvers.multipliers import Multipliers
from ....solvers.whole_dual import Whole

SOLVERS = ("smo", "dual_qp", "interior_point")
NOTHING = {"dual_qp": 1e-9, "interior_point": 1e-5}  # of its bound, below which a number is zero
CLOSE = 1e-4  # share of the objective that the gap may be
POSITIVE = 1e-13  # of the largest eigenvalue: those below are rounding


def solved(kernel: Any, dual: Dual, solver: str, start: np.ndarray | None = None, **options: Any) -> Multipliers:
    """The numbers of a dual by name of a solver; `options` are those of `decomposed`."""
    if solver == "smo":
        with one_blas_thread():
            return decomposed(kernel, dual, start, **options)
    n = len(dual.target)
    if n * (2 if dual.epsilon else 1) > MANY:
        raise ValueError(f"solver={solver!r} solves systems of at most {MANY} numbers, not {n} rows: use 'smo'")
    if not kernel.kernel.definite:
        raise ValueError(f"solver={solver!r} needs a kernel that is positive definite, which {kernel.kernel} is not")
    every = np.arange(n)
    K = kernel.block(every, every)
    K = 0.5 * (K + K.T)
    total = 0.0 if start is None else float(start.sum())
    beta, steps = (programmed if solver == "dual_qp" else from_ramps)(K, dual, total)
    size = np.where(np.isfinite(dual.upper - dual.lower), dual.upper - dual.lower, np.abs(beta).max(initial=0.0))
    near = NOTHING[solver] * size
    for bound in (np.zeros(n), dual.lower, dual.upper):
        beta = np.where(np.abs(beta - bound) <= near, bound, beta)
    beta = balanced_inside(beta, dual, total)
    work = Whole(kernel, dual, beta, options.get("tol", 1e-3), 0, 0.0, False)  # the end is exact
    work.K = K + np.diag(dual.ridge)
    work.faces()
    found = Multipliers.of(dual, work.beta, work.slope, options.get("tol", 1e-3), steps, steps)
    return replace(found, converged=found.gap <= CLOSE * abs(found.objective) + 1e-300)


def balanced_inside(beta: np.ndarray, dual: Dual, total: float) -> np.ndarray:
    """The same numbers with their sum: those between zero and a bound are moved by the same share of the room there."""
    inside = np.minimum(np.abs(beta), np.minimum(beta - dual.lower, dual.upper - beta))
    inside = np.where(np.isfinite(inside), inside, np.abs(beta))
    room = float(inside.sum())
    excess = float(beta.sum()) - total
    return beta - inside * (excess / room) if room > abs(excess) else beta


def programmed(K: np.ndarray, dual: Dual, total: float) -> tuple[np.ndarray, int]:
    """By `box_qp`; where |b| has a price, b is the difference of two numbers."""
    n, e = len(K), dual.epsilon
    if not e:
        path = box_qp(K, -dual.target, dual.lower, dual.upper, np.ones(n), total)
        return path.x, path.steps
    signs = np.repeat([1.0, -1.0], n)
    c = np.concatenate([e - dual.target, e + dual.target])
    upper = np.concatenate([dual.upper, -dual.lower])
    path = box_qp(np.tile(K, (2, 2)) * signs * signs[:, None], c, 0.0, upper, signs, total)
    return path.x[:n] - path.x[n:], path.steps


def from_ramps(K: np.ndarray, dual: Dual, total: float) -> tuple[np.ndarray, int]:
    """As a linear machine on the rows of a root of K, whose ramps have the numbers as multipliers."""
    both = bool(((dual.lower < 0) & (dual.upper > 0)).any())
    cost = dual.upper if both else dual.upper - dual.lower
    if total or not np.isfinite(cost).all():
        raise ValueError("solver='interior_point' is for a finite C and an intercept: use 'smo' or 'dual_qp'")
    values, axes = np.linalg.eigh(K)
    kept = values > POSITIVE * values[-1]
    rows = np.ascontiguousarray(axes[:, kept] * np.sqrt(values[kept])) if kept.any() else np.zeros((len(K), 1))
    d = rows.shape[1]
    frame = Frame(np.zeros(d), np.ones(d), True, standardised=False)
    loss = EpsilonInsensitive(dual.epsilon) if both else Hinge()
    objective = LinearObjective(loss, L2(), 1.0, ArraySource(rows, dual.target, cost), frame)
    solver = InteriorPoint(tol=1e-12)
    run = iterate(
        solver.start(objective, objective.start), lambda state: solver.step(objective, state),
        lambda before, after: after.ended,
    )  # fmt: skip
    l, signs = run.state.pair.l, run.state.ramps.signs
    beta = -(signs * l[: signs.size].reshape(signs.shape)).sum(axis=0)
    return balanced(np.clip(beta, dual.lower, dual.upper), dual), run.state.iterations
