"""Coordinate descent for penalties with kinks: on a quadratic model of the losses, over working sets of the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engines import one_blas_thread
from .line_search import search_of
from .solver import Solver, expansion
from .sparse_quadratic import sparse_minimum
from .state import State

FEW_COLUMNS = 100  # up to which the Hessian of all columns is formed at once
FIRST = 32  # columns of the first working set
FLAT = 1e-8  # curvature per unit of weight that is none, in coordinates of unit spread
LIFT = 1e-2  # what takes its place
MANY_ROWS = 100_000  # from here on a sample of the rows gives the start
PER_NUMBER = 12  # rows of the sample for each number of a point, at least


@dataclass(frozen=True, eq=False, kw_only=True)
class CoordinateState(State):
    """What the last step promised, the last values, and the columns that were in the working set."""

    recent: tuple[float, ...]
    idle: int = 0
    size: int = FIRST


class Coordinate(Solver):
    """Newton's method where the penalty is a |w|_1 + b |w|^2 / 2, one coordinate after the other:

        v = argmin_v g'(v - w) + (v - w)'H(v - w) / 2 + sum_j a_j |v_j| + b_j v_j^2 / 2,     w <- w + t (v - w)

    with a line search for t. The quadratic problem is solved to rounding, by coordinate descent on H and linear systems
    on what is not zero. Least squares needs one step. Of many columns held in memory only a working set is looked at:
    those that pull hardest against their penalty; the gradient of all columns then says who comes in. It ends when the
    duality gap, where the objective offers one, or the gain that a step promises is below the tolerance.

    Parameters
    ----------
    tol : float, default=1e-13
        Ends when no more than this share of the objective is left to gain.
    max_iter : int, default=200
        Most steps.
    line_search : {"armijo", "grippo"} or LineSearch, default="armijo"
        How much of a step to take.

    References
    ----------
    Friedman, Hastie & Tibshirani 2010; Yuan, Ho & Lin 2012; Massias, Gramfort & Salmon 2018.
    """

    name = "coordinate"
    asks = frozenset({"value and slope", "columns"})
    one_of = frozenset({"curvature", "product"})
    kinks = frozenset({"penalty"})
    line_search: Any = "armijo"
    at_once = False  # whether the Hessian of all columns is formed, however many there are

    def __init__(self, tol: float = 1e-13, max_iter: int = 200, line_search: Any = "armijo") -> None:
        self.tol, self.max_iter, self.line_search = tol, max_iter, line_search

    def start(self, objective: Any, point: np.ndarray) -> CoordinateState:
        passes = 0.0
        if "sample" in objective.offers and objective.rows >= MANY_ROWS and self.max_iter:
            sample = objective.thinned(16) if objective.rows // 16 >= PER_NUMBER * point.size else None
            if sample is not None:
                rough = Coordinate(1e-6, 20).minimise(sample, point)
                point, passes = rough.point, rough.passes * sample.cost
        found = expansion(objective, point, 1 if self.in_sets(objective) else 2)
        value = found.value + objective.rough(point)
        return CoordinateState(point=point, found=found, value=value, passes=passes + objective.cost, recent=(value,))

    def step(self, objective: Any, state: CoordinateState) -> CoordinateState:
        """One quadratic problem, or the minimum on one working set."""
        if state.ended or state.iterations >= self.max_iter:
            return state.but(ended=True, noted=())
        with one_blas_thread():
            return (self._set if self.in_sets(objective) else self._newton)(objective, state)

    def in_sets(self, objective: Any) -> bool:
        """Whether columns are many and rows are held, so that only some columns are looked at."""
        if "curvature" not in objective.offers:
            return True
        held = "sample" in objective.offers and objective.narrowed(np.zeros(0, np.intp)) is not None
        return bool(not self.at_once and held and objective.start.shape[-1] > FEW_COLUMNS)

    # -- all columns --------------------------------------------------------------------------------------------------

    def _newton(self, objective: Any, state: CoordinateState) -> CoordinateState:
        found, point = state.found, state.point
        l1, l2 = (weights.ravel() for weights in objective.shrinkage())
        violation = violation_of(found.gradient.ravel(), point.ravel(), l1, l2)
        H = anchored(found.hessian, objective.outputs, l1)
        flat = H.diagonal() < FLAT * found.weight  # Huber's sides, the hinge's far one: no curvature, but a slope
        if flat.any() and violation > 0:
            H = H + np.diag(np.where(flat, LIFT * found.weight, 0.0))
        w = point.ravel()
        best = sparse_minimum(H, H @ w - found.gradient.ravel(), l1, l2, w).w
        direction = (best - w).reshape(point.shape)
        promise = objective.rough(point) - objective.rough(point + direction)
        promise -= float((found.gradient * direction).sum())
        floor = max(self.tol, 1e-3 * objective.rounding) * abs(state.value)
        state = state.but(iterations=state.iterations + 1, noted=(state.value,), violation=violation)
        search = search_of(self.line_search)
        there = search.along(objective, point, found, direction, max(state.recent), 1.0, 2)
        passes = state.passes + there.passes
        if there.step == 0.0:  # rounding hides what is left
            gap = self.gap(objective, state)
            close = promise <= 1e4 * objective.rounding * abs(state.value)
            return state.but(ended=True, converged=close and search.is_thorough, passes=passes, gap=gap)
        after = state.but(
            point=there.point, found=there.found, value=there.value, passes=passes,
            recent=(*state.recent, there.value)[-search.memory :],
            idle=state.idle + 1 if state.value - there.value <= 4.0 * objective.rounding * abs(state.value) else 0,
        )  # fmt: skip
        if promise <= floor or after.idle > 2:
            gap = self.gap(objective, after)
            violation = violation_of(after.found.gradient.ravel(), after.point.ravel(), l1, l2)
            close = gap is None or gap <= 1e-6 * abs(after.value) or after.found.weight * objective.rounding >= gap
            values = (state.value, after.value)
            return after.but(ended=True, converged=close, noted=values, gap=gap, violation=violation)
        return after

    # -- some columns -------------------------------------------------------------------------------------------------

    def _set(self, objective: Any, state: CoordinateState) -> CoordinateState:
        """The minimum on a working set, then the slopes of all columns."""
        from .proximal import Proximal

        point, found, noted = state.point, state.found, (state.value,)
        d = objective.frame.features
        l1, l2 = objective.shrinkage()
        violation = violation_of(found.gradient.ravel(), point.ravel(), l1.ravel(), l2.ravel())
        gap = self.gap(objective, state)
        state = state.but(iterations=state.iterations + 1, noted=noted, violation=violation, gap=gap)
        enough = max(self.tol, 10.0 * objective.rounding) * abs(state.value)
        if (gap is not None and gap <= enough) or state.idle > 2:
            return state.but(ended=True, converged=True)
        active = np.flatnonzero(point[:, :d].any(axis=0))
        slope = found.gradient + l2 * point
        force = (np.abs(slope[:, :d]) / np.where(l1[:, :d] > 0, l1[:, :d], 1.0)).max(axis=0)
        force[active] = np.inf
        size = min(max(state.size, 2 * len(active)), d)
        some = np.sort(np.argpartition(force, d - size)[d - size :])
        part = objective.narrowed(some)
        if part is None or "curvature" not in part.offers:  # no Hessian of so many numbers is formed
            return self._along_gradients(Proximal(self.tol, 50 * self.max_iter), objective, state)
        inner = Coordinate(min(1e-13, self.tol), 50, self.line_search)
        inner.at_once = True
        where = np.append(some, d) if objective.frame.intercept else some
        reached = inner.minimise(part, point[:, where])
        moved = np.zeros_like(point)
        moved[:, where] = reached.point
        there = expansion(objective, moved)
        value = there.value + objective.rough(moved)
        gained = state.value - value > 4.0 * objective.rounding * abs(state.value)
        passes = state.passes + 2.0 * objective.cost + reached.passes * len(some) / max(d, 1)
        return state.but(
            point=moved, found=there, value=value, passes=passes, idle=0 if gained else state.idle + 1,
            size=state.size if gained else 2 * state.size,
        )  # fmt: skip

    def _along_gradients(self, other: Any, objective: Any, state: CoordinateState) -> CoordinateState:
        found = other.minimise(objective, state.point)
        there = expansion(objective, found.point)
        after = state.but(
            point=found.point, found=there, value=found.objective, passes=state.passes + found.passes,
            iterations=state.iterations + found.iterations, ended=True, converged=found.converged,
        )  # fmt: skip
        return after.but(gap=self.gap(objective, after))

    @staticmethod
    def gap(objective: Any, state: State) -> float | None:
        """The duality gap, where there is one; else nobody knows."""
        return float(objective.gap(state.point, state.found)) if "gap" in objective.offers else None


def violation_of(gradient: np.ndarray, w: np.ndarray, l1: np.ndarray, l2: np.ndarray) -> float:
    """The largest slope that should be zero: beyond a kink only what exceeds its weight counts."""
    slope = gradient + l2 * w
    beyond = np.where(w != 0, np.abs(slope + l1 * np.sign(w)), np.maximum(np.abs(slope) - l1, 0.0))
    return float(beyond.max(initial=0.0))


def anchored(hessian: np.ndarray, outputs: int, l1: np.ndarray) -> np.ndarray:
    """The Hessian with curvature along a common shift of what is not penalised, in which gradients have no part."""
    if outputs == 1:
        return hessian
    size = len(hessian) // outputs
    mean = np.where(l1[:size] > 0, 0.0, hessian.diagonal().reshape(outputs, size).mean(axis=0))
    return hessian + np.kron(np.full((outputs, outputs), 1.0 / outputs), np.diag(mean))
