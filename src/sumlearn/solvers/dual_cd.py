"""Dual coordinate descent: support vectors and logistic regression, one row at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..objectives.duals import Dual
from ..objectives.held_problem import HeldProblem
from .dual_problem import FACE, dual_value, face_step, longest, primal_value
from .solver import Solver, expansion
from .state import State

TOGETHER = 10  # epochs of a step
STEPS = 8  # Newton steps of a step
ROUNDING = 1e-14  # share of the objective below which a gap says nothing


@dataclass(frozen=True, eq=False, kw_only=True)
class DualState(State):
    """The number of every row, what they add up to, the rows in turn, and how wrong the worst of them was.

    `gap` is the duality gap, `offset` the intercept so far where it has no penalty, `bias` the column of the rest.
    """

    problem: HeldProblem
    beta: np.ndarray
    w: np.ndarray
    order: np.ndarray
    active: int
    bound: float
    worst: float
    bias: float
    offset: float
    sizes: np.ndarray
    limit: float  # violation that an epoch is satisfied with
    gap: float = np.inf
    best: float = np.inf  # least gap so far, and since how many steps
    idle: int = 0


class DualCD(Solver):
    """b_n <- argmin over b_n alone, row after row in random order; w = sum_n b_n x_n is kept up to date.

    Rows at a bound that will stay there are left out until the others have come to rest. After some epochs the numbers
    at no bound take a Newton step together, if rows or columns are few: so badly scaled columns are no obstacle. Ends
    by the duality gap. For hinge, squared hinge, logistic, epsilon-insensitive, absolute, quantile, Huber and squared
    loss with an L2 penalty, and for the hinge of several classes; rows in memory, sparse or dense.

    Parameters
    ----------
    tol : float, default=1e-10
        Ends when the duality gap is below this share of the objective.
    max_iter : int, default=10000
        Most epochs.
    seed : int, default=0
        Of the order of the rows.

    References
    ----------
    Lecture notes 001 (where the dual lacks its 1/2); Hsieh et al. 2008; Yu, Huang & Lin 2011; Ho & Lin 2012; Keerthi et
    al. 2008; Rockafellar 1976 (multipliers).
    """

    name = "dual_cd"
    asks = frozenset({"value and slope", "dual"})
    kinks = frozenset({"loss"})

    def __init__(self, tol: float = 1e-10, max_iter: int = 10_000, seed: Any = 0) -> None:
        self.tol, self.max_iter, self.seed = tol, max_iter, seed

    def start(self, objective: Any, point: np.ndarray) -> DualState:
        from ..compiled import dual_rows

        problem = objective.held()
        n, d = problem.rows, problem.frame.features
        sizes = dual_rows.squares(problem.values, problem.indptr, n)
        outputs = objective.outputs
        several = problem.loss.coding == "class"
        if several and problem.free:
            raise ValueError(
                "solver='dual_cd' penalises the intercepts of several classes: use intercept_scaling=1, or no intercept"
            )
        bias = problem.scaling or 0.0
        if problem.free:
            bias = float(np.sqrt(sizes.mean())) or 1.0
        beta = np.zeros((n, outputs)) if several else np.zeros(n)
        level = 0.0 if several else problem.natural(point)[1]
        return DualState(
            point=objective.start, found=expansion(objective, objective.start), value=np.inf, passes=2.0,
            problem=problem, beta=beta, w=np.zeros((d + 1, outputs)) if several else np.zeros(d + 1),
            order=np.arange(n), active=n, bound=np.inf, worst=np.inf, bias=bias, sizes=sizes,
            offset=level if problem.free else 0.0, limit=1e-1,
        )  # fmt: skip

    def step(self, objective: Any, state: DualState) -> DualState:
        """Some epochs, a Newton step of what is at no bound, and the gap."""
        if state.ended or state.iterations >= self.max_iter:
            return state.but(ended=True, noted=())
        if state.problem.loss.coding == "class":
            return self._ended(objective, self._classes(state))
        dual = state.problem.dual()
        state = self._epochs(state, dual)
        state = together(state, dual)
        w, level = state.w[:-1], state.offset + state.bias * state.w[-1]
        upper, lower = primal_value(state.problem, w, level), dual_value(state.problem, dual, state.beta, w)
        gap = state.problem.alpha * max(upper - lower, 0.0)
        state = state.but(
            point=state.problem.point(w, level), gap=gap, value=state.problem.alpha * upper, passes=state.passes + 2
        )
        return self._ended(objective, multiplied(state) if state.problem.free else state)

    def _ended(self, objective: Any, state: DualState) -> DualState:
        """Whether the gap is small enough, or as small as it gets."""
        gap, size = state.gap, abs(state.value)
        idle = 0 if gap < 0.7 * state.best else state.idle + 1
        close = gap <= max(self.tol, ROUNDING) * size or (idle > 30 and gap <= 1e-10 * size)
        limit = state.limit * (0.1 if state.worst <= state.limit else 1.0)
        state = state.but(noted=(state.value,), best=min(gap, state.best), idle=idle, limit=max(limit, 1e-16))
        if close or state.iterations >= self.max_iter:
            found = expansion(objective, state.point)
            return state.but(found=found, value=found.value, ended=True, converged=close, passes=state.passes + 1)
        return state

    def _seed(self, state: DualState) -> int:
        drawn = np.random.default_rng([0 if self.seed is None else int(self.seed), state.iterations])
        return int(drawn.integers(1, 2**31))

    def _epochs(self, state: DualState, dual: Dual) -> DualState:
        from ..compiled import dual_rows

        problem, beta, w, order = state.problem, state.beta.copy(), state.w.copy(), state.order.copy()
        epochs = min(TOGETHER, self.max_iter - state.iterations)
        rows = (problem.values, problem.indices, problem.indptr, state.sizes)
        if dual.entropy:
            C = problem.costs
            first = np.minimum(1e-3 * C, 1e-8)
            low = np.where(np.abs(beta) > 0, np.abs(beta), first)
            if not beta.any():
                w = with_bias(problem, problem.y * low, state.bias)
            high = C - low
            worst, done = dual_rows.entropy_epochs(
                *rows, problem.y, C, state.bias, state.offset, low, high, w, order, self._seed(state), epochs,
                state.limit,
            )  # fmt: skip
            return state.but(beta=problem.y * low, w=w, order=order, worst=worst, iterations=state.iterations + done,
                             passes=state.passes + done)  # fmt: skip
        active, bound, worst, done = dual_rows.box_epochs(
            *rows, dual.target, dual.lower, dual.upper, dual.ridge, dual.epsilon, state.bias, state.offset, beta, w,
            order, state.active, state.bound, self._seed(state), epochs, state.limit,
        )  # fmt: skip
        return state.but(
            beta=beta, w=w, order=order, active=active, bound=bound, worst=worst, iterations=state.iterations + done,
            passes=state.passes + done,
        )  # fmt: skip

    def _classes(self, state: DualState) -> DualState:
        from ..compiled import dual_rows

        problem, beta, W, order = state.problem, state.beta.copy(), state.w.copy(), state.order.copy()
        epochs = min(TOGETHER, self.max_iter - state.iterations)
        active, bound, worst, done = dual_rows.class_epochs(
            problem.values, problem.indices, problem.indptr, state.sizes, problem.y, problem.costs, state.bias, beta,
            W, order, state.active, state.bound, self._seed(state), epochs, state.limit,
        )  # fmt: skip
        coef, level = W[:-1], state.bias * W[-1]
        size = 0.5 * float((W**2).sum() if state.bias else (coef**2).sum())
        losses = problem.loss.value(problem.y, problem.X @ coef + level)
        upper = size + float(problem.costs @ losses)
        own = beta[np.arange(problem.rows), problem.y]
        gap = problem.alpha * max(upper - (float(own.sum()) - size), 0.0)
        u = coef.T * problem.frame.unit
        point = np.column_stack([u, level]) if problem.frame.intercept else u
        return state.but(
            beta=beta, w=W, order=order, active=active, bound=bound, worst=worst, point=point, gap=gap,
            value=problem.alpha * upper, iterations=state.iterations + done, passes=state.passes + done + 1,
        )  # fmt: skip


def with_bias(problem: HeldProblem, beta: np.ndarray, bias: float) -> np.ndarray:
    """sum b_n (x_n, B)."""
    return np.append(problem.X.T @ beta, bias * beta.sum())


def together(state: DualState, dual: Dual) -> DualState:
    """The numbers at no bound, which epochs change one by one, take Newton steps: until nothing is won."""
    for _ in range(STEPS):
        there = together_once(state, dual)
        if there is state:
            break
        won, size = quadratic(state, dual) - quadratic(there, dual), abs(quadratic(state, dual))
        state = there
        if won <= 1e-3 * min(size, state.gap / state.problem.alpha) or won <= 1e-16 * size:
            break
    return state


def together_once(state: DualState, dual: Dual) -> DualState:
    """One such step, cut at the bounds; or as much of it as stays between them."""
    problem, beta = state.problem, state.beta
    lower, upper = dual.lower, dual.upper
    if dual.entropy:
        a, C = np.abs(beta), problem.costs
        curvature, slope = C / (a * (C - a)), problem.y * np.log(a / (C - a))
        inside = np.arange(len(beta))
    else:
        curvature, slope = dual.ridge, dual.ridge * beta - dual.target + dual.epsilon * np.sign(beta)
        inside = np.flatnonzero((beta > lower) & (beta < upper) & ((beta != 0) | (dual.epsilon == 0)))
        if dual.epsilon:  # a sign does not change on the way
            lower, upper = np.where(beta > 0, 0.0, lower), np.where(beta < 0, 0.0, upper)
    few = min(len(inside), problem.frame.features + 1) <= FACE
    if not len(inside) or not few or (len(problem.indptr) and len(inside) > FACE):
        return state
    slope = slope + problem.X @ state.w[:-1] + state.bias * state.w[-1] + state.offset
    width = upper - lower
    width = float(width[np.isfinite(width)].mean()) if np.isfinite(width).any() and not dual.entropy else np.inf
    step = face_step(problem, curvature, slope, inside, state.bias, width)
    if not np.isfinite(step).all():
        return state
    here, low, high, now = beta[inside], lower[inside], upper[inside], quadratic(state, dual)
    most = longest(here, step, low, high)
    for share in (most * (1.0 if most == 1.0 else 0.9),) if dual.entropy else (1.0, 0.3, 0.1, 0.03, 0.01, most):
        change = np.zeros(len(beta))
        change[inside] = np.clip(here + share * step, low, high) - here
        there = state.but(beta=beta + change, w=state.w + with_bias(problem, change, state.bias))
        if quadratic(there, dual) < now:
            return there
    return state


def quadratic(state: DualState, dual: Dual) -> float:
    """What epochs minimise: minus the dual, about the intercept so far."""
    return 0.5 * float(state.w @ state.w) + state.offset * float(state.beta.sum()) - dual.value(state.beta)


def multiplied(state: DualState) -> DualState:
    """The intercept so far moves to where the rows have put it; nothing else changes what they add up to."""
    if state.worst > max(state.limit, 0.1 * abs(state.bias * state.w[-1])):
        return state
    return state.but(
        offset=state.offset + state.bias * float(state.w[-1]), active=len(state.order), bound=np.inf,
    )  # fmt: skip
