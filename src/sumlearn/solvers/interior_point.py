"""Interior point: losses that are ramps, as the linear or quadratic program that they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from ..engines import in_threads, one_blas_thread
from ..objectives.held_problem import HeldProblem
from .corner import exact_end, summed
from .newton_system import corrected, factor
from .solver import Solver, expansion
from .state import State

BLOCK = 4096  # rows that are multiplied while they are in the cache
ROUNDING = 1e-13  # share of the objective below which a gap says nothing
BORDER = 0.995  # of the way to where something would vanish


class Ramps(NamedTuple):
    """sum_k c_k max(0, a_k + g_k'v) over v = (w, level): for each row one ramp or two, and those of an L1 penalty.

    `signs` (ramps, rows) says how g_k follows from a row: s (x, 1). The last 2 x `size` ramps are +v_j and -v_j.
    """

    cost: np.ndarray
    constant: np.ndarray
    signs: np.ndarray
    size: int  # numbers of v that an L1 penalty acts on


class Pair(NamedTuple):
    """For each ramp: how far it is above zero, p, and below, q, and its multiplier l between 0 and c."""

    p: np.ndarray
    q: np.ndarray
    l: np.ndarray


@dataclass(frozen=True, eq=False, kw_only=True)
class InteriorState(State):
    """The point in natural units, the ramps with their multipliers, and the gap that is left."""

    problem: HeldProblem
    ramps: Ramps
    quadratic: np.ndarray  # diagonal of the quadratic penalty
    slope: np.ndarray  # that no multiplier explains
    most: np.ndarray  # slopes that the ramps could explain
    v: np.ndarray
    pair: Pair
    t: np.ndarray  # heights of the ramps at v
    gap: float = np.inf
    residual: float = np.inf  # the largest of these slopes, as a share
    began: float = np.inf
    idle: int = 0
    best: float = np.inf


class InteriorPoint(Solver):
    """Primal and dual steps along the central path, each a system of d x d numbers that is a sum over the rows.

        min_v  v'Pv / 2 + sum_k c_k max(0, a_k + g_k'v):    p - q = a + g'v,   l q = (c - l) p = mu -> 0
        (P + sum_k theta_k g_k g_k') dv = r,    1 / theta = p / (c - l) + q / l

    For the losses with kinks (hinge, perceptron, epsilon-insensitive, absolute, quantile) with an L2, L1, elastic-net
    or no penalty; the absolute values of L1 are ramps too. Some twenty steps lead to ten digits, whatever the units of
    the columns. Mehrotra's predictor and corrector share a matrix. Rows in memory.

    Parameters
    ----------
    tol : float, default=1e-10
        Ends when the gap between primal and dual is below this share of the objective.
    max_iter : int, default=100
        Most steps.
    workers : int, default=None
        Threads; None is all.

    References
    ----------
    Lecture notes 001; Mehrotra 1992; Ferris & Munson 2002; Portnoy & Koenker 1997; Nocedal & Wright 2006, ch. 14, 16.
    """

    name = "interior_point"
    asks = frozenset({"value and slope", "ramps", "curvature"})
    kinks = frozenset({"loss", "penalty"})

    def __init__(self, tol: float = 1e-10, max_iter: int = 100, workers: int | None = None) -> None:
        self.tol, self.max_iter, self.workers = tol, max_iter, workers

    def start(self, objective: Any, point: np.ndarray) -> InteriorState:
        problem = objective.held()
        ramps, quadratic = ramps_of(problem)
        w, level = problem.natural(point)
        v = np.append(w, level) if problem.frame.intercept else w
        t = heights(problem, ramps, v)
        apart = float(np.average(np.abs(t), weights=ramps.cost)) + 1e-300 if len(t) else 1.0
        pair = Pair(np.maximum(t, 0.0) + apart, np.maximum(-t, 0.0) + apart, 0.5 * ramps.cost)
        value = objective_value(ramps, quadratic, v, t)
        return InteriorState(
            point=point, found=expansion(objective, point), value=value, passes=2.0, problem=problem, ramps=ramps,
            quadratic=quadratic, slope=quadratic * v + summed(problem, ramps, pair.l),
            most=summed(problem, ramps, ramps.cost, absolute=True), v=v, pair=pair, t=t,
            began=value, gap=np.inf if value > 0 else 0.0,
            ended=value <= 0, converged=value <= 0,
        )  # fmt: skip  (nothing is less than no loss at all)

    def step(self, objective: Any, state: InteriorState) -> InteriorState:
        """Where the path would lead without a corner to avoid, then a step that keeps to the middle of it."""
        if state.ended or state.iterations >= self.max_iter:
            return state.but(ended=True, noted=())
        with one_blas_thread():
            there = self._moved(state)
        gap, size = there.gap, abs(there.value)
        nothing = 0.0 if state.quadratic.any() else 1e-15 * state.began  # a minimum may be zero
        idle = 0 if gap < 0.9 * state.best else state.idle + 1
        close = gap <= max(self.tol, ROUNDING) * size + nothing and there.residual <= 1e-8
        stuck = idle > 8
        there = there.but(noted=(there.value,), idle=idle, best=min(gap, state.best))
        if not (close or stuck or there.iterations >= self.max_iter):
            return there
        there = cornered(there)
        found = expansion(objective, there.point)
        value = found.value + objective.rough(there.point)
        close = close or (gap <= 1e-8 * size + 1e-12 * state.began and there.residual <= 1e-6)
        return there.but(found=found, value=value, ended=True, converged=close, passes=there.passes + 1)

    def _moved(self, state: InteriorState) -> InteriorState:
        problem, ramps, v, t, (p, q, l) = state.problem, state.ramps, state.v, state.t, state.pair
        upper = ramps.cost - l
        apart = t - (p - q)
        slope = state.slope
        theta = 1.0 / (p / upper + q / l)
        matrix = self._matrix(problem, ramps, theta)
        matrix[np.diag_indices(len(v))] += state.quadratic
        cholesky = factor(matrix, 1)
        total = float((l * q).sum() + (upper * p).sum())
        count = 2 * len(t)

        def direction(rp: np.ndarray, rq: np.ndarray) -> tuple[np.ndarray, ...]:
            rest = apart - rp / upper + rq / l
            right = -slope - summed(problem, ramps, theta * rest)
            dv = corrected(cholesky, right, ())
            dv = dv + corrected(cholesky, right - matrix @ dv, ())
            dl = theta * (heights(problem, ramps, dv, constant=False) + rest)
            return dv, (rp + p * dl) / upper, (rq - q * dl) / l, dl

        dv, dp, dq, dl = direction(-upper * p, -l * q)
        share = longest((p, dp), (q, dq), (l, dl), (upper, -dl))
        ahead = float(((l + share * dl) * (q + share * dq)).sum() + ((upper - share * dl) * (p + share * dp)).sum())
        mu = (max(ahead, 0.0) / total) ** 3 * total / count
        dv, dp, dq, dl = direction(mu - upper * p + dl * dp, mu - l * q - dl * dq)
        share = min(1.0, BORDER * longest((p, dp), (q, dq), (l, dl), (upper, -dl), most=np.inf))
        v = v + share * dv
        pair = Pair(*(np.maximum(a + share * da, 1e-300) for a, da in ((p, dp), (q, dq), (l, dl))))
        pair = pair._replace(l=np.minimum(pair.l, ramps.cost * (1.0 - 1e-16)))
        t = heights(problem, ramps, v)
        return judged(state.but(v=v, pair=pair, t=t, iterations=state.iterations + 1, passes=state.passes + 6))

    def _matrix(self, problem: HeldProblem, ramps: Ramps, theta: np.ndarray) -> np.ndarray:
        """sum_k theta_k g_k g_k': a sum over blocks of rows."""
        n, X, d = problem.rows, problem.X, problem.frame.features
        weight = theta[: len(ramps.signs) * n].reshape(-1, n).sum(axis=0)
        size = d + problem.frame.intercept
        out = np.zeros((size, size))
        if sparse.issparse(X):
            out[:d, :d] = (X.T @ X.multiply(weight[:, None])).toarray()
        else:
            root = np.sqrt(weight)

            def product(start: int) -> np.ndarray:
                total = np.zeros((d, d))
                for first in range(start, min(start + 8 * BLOCK, n), BLOCK):
                    A = X[first : first + BLOCK] * root[first : first + BLOCK, None]
                    total += A.T @ A
                return total

            for part in in_threads(product, range(0, n, 8 * BLOCK), self.workers):
                out[:d, :d] += part
        if problem.frame.intercept:
            out[d, :d] = out[:d, d] = X.T @ weight
            out[d, d] = weight.sum()
        both = theta[len(ramps.signs) * n :].reshape(2, -1).sum(axis=0)
        out[np.arange(len(both)), np.arange(len(both))] += both
        return out


def judged(state: InteriorState) -> InteriorState:
    """Value, gap, and the slope that is not explained, as a share of what the ramps could explain."""
    problem, ramps, v, (p, q, l) = state.problem, state.ramps, state.v, state.pair
    slope = state.quadratic * v + summed(problem, ramps, l)
    gap = float((l * q).sum() + ((ramps.cost - l) * p).sum()) + abs(float(v @ slope))
    most = np.maximum(state.most + np.abs(state.quadratic * v), 1e-300)
    residual = float((np.abs(slope) / most).max(initial=0.0))
    d = problem.frame.features
    level = float(v[d]) if problem.frame.intercept else 0.0
    value = objective_value(ramps, state.quadratic, v, state.t)
    return state.but(point=problem.point(v[:d], level), value=value, gap=gap, residual=residual, slope=slope)


def cornered(state: InteriorState) -> InteriorState:
    """The state at the exact end, if there is one that is as good."""
    problem, ramps = state.problem, state.ramps
    v = exact_end(problem, ramps, state.quadratic, state.v, state.t, state.pair)
    if v is None:
        return state
    value = objective_value(ramps, state.quadratic, v, heights(problem, ramps, v))
    d = problem.frame.features
    level = float(v[d]) if problem.frame.intercept else 0.0
    if value > state.value * (1.0 + 1e-14):
        return state
    return state.but(v=v, value=value, point=problem.point(v[:d], level))


def ramps_of(problem: HeldProblem) -> tuple[Ramps, np.ndarray]:
    """The ramps of loss and penalty, and the diagonal of the quadratic that is left."""
    d, name, alpha = problem.frame.features, problem.penalty.name, problem.alpha
    n, zero = problem.rows, np.zeros(problem.rows)
    parts = list(problem.loss.ramps(problem.y, zero))  # type: ignore[attr-defined]
    signs = np.array([np.broadcast_to(np.asarray(s, dtype=float), n) for _, _, s in parts])
    share = {"l1": 1.0, "elasticnet": getattr(problem.penalty, "l1_ratio", 0.0)}.get(name, 0.0)
    acts = d + (problem.scaling is not None)
    unit = np.ones(d + problem.frame.intercept)
    if problem.scaling is not None:
        unit[d] = problem.scaling
    size = acts if share and alpha else 0
    cost = np.concatenate([*(c * problem.weight for c, _, _ in parts), np.tile(alpha * share / unit[:size], 2)])
    constant = np.concatenate([*(t for _, t, _ in parts), np.zeros(2 * size)])
    quadratic = np.zeros(len(unit))
    if name in ("l2", "elasticnet"):
        quadratic[:acts] = alpha * (1.0 - share) / unit[:acts] ** 2
    return Ramps(cost, constant, signs, size), quadratic


def heights(problem: HeldProblem, ramps: Ramps, v: np.ndarray, constant: bool = True) -> np.ndarray:
    """a + g'v of every ramp, or g'v alone."""
    d = problem.frame.features
    f = problem.X @ v[:d] + (v[d] if problem.frame.intercept else 0.0)
    own = v[: ramps.size]
    out = np.concatenate([(ramps.signs * f).reshape(-1), own, -own])
    return out + ramps.constant if constant else out


def objective_value(ramps: Ramps, quadratic: np.ndarray, v: np.ndarray, t: np.ndarray) -> float:
    return float(0.5 * (quadratic * v) @ v + ramps.cost @ np.maximum(t, 0.0))


def longest(*moves: tuple[np.ndarray, np.ndarray], most: float = 1.0) -> float:
    """How far all of them can go before the first vanishes."""
    for here, change in moves:
        with np.errstate(divide="ignore", invalid="ignore"):
            ways = np.where(change < 0, -here / change, np.inf)
        most = min(most, float(ways.min(initial=np.inf)))
    return most
