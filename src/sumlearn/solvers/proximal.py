"""Accelerated gradient steps through the proximal map of a penalty, also for losses with kinks and for L0."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..objectives import Free
from .coordinate import violation_of
from .line_search import attempt, search_of
from .solver import Solver, expansion
from .state import State

NARROWER = 0.2  # kinks are rounded over this share of the width before
EASY = 3000  # steps at a width at most, before the last one
LOOSE = 1e-8  # tolerance of hard thresholding: once it is known what is zero, Newton's method does the rest
CLOSE = 1e-4  # share of the objective that the gap may be where kinks are rounded: steps are short there, near or far
SLIGHT = 1e-9  # and, for each unit of weight
QUIET = 5  # steps in a row that promise nothing


@dataclass(frozen=True, eq=False, kw_only=True)
class ProximalState(State):
    """What is minimised now, `inner`; where the momentum leads, `ahead`; the step, and how the kinks are rounded."""

    inner: Any
    ahead: np.ndarray
    momentum: float
    length: float
    nothing: float
    recent: tuple[float, ...]
    quiet: int = 0
    width: float = 0.0
    widest: float = 0.0
    steps: int = 0  # at this width
    best: Any = None  # of other starts: value and point
    lower: float = -np.inf  # the best value of the dual problem


class Proximal(Solver):
    """FISTA: a step down the gradient from a point ahead, then through the proximal map.

        x_{k+1} = prox(y_k - s g(y_k)),     y_{k+1} = x_{k+1} + (t_k - 1) / t_{k+1} (x_{k+1} - x_k)

    The step s grows a little each time and is shrunk until the losses lie below the parabola that it assumes. Momentum
    begins anew where it leads uphill (O'Donoghue & Candes). A loss with kinks is rounded, over smaller and smaller
    widths. With the L0 penalty this is iterative hard thresholding, without momentum: what it finds is a minimum among
    its neighbours (`Solution.local`), the best of two starts, the one given and the minimum without a penalty.

    Parameters
    ----------
    tol : float, default=1e-13
        Ends when steps promise less than this share of the objective, several times in a row.
    max_iter : int, default=20000
        Most steps.
    line_search : {"grippo", "armijo"} or LineSearch, default="grippo"
        Where momentum begins anew: at values above the largest of the last ten, or above the last one. Its `shrink` is
        that of the steps.

    References
    ----------
    Beck & Teboulle 2009; O'Donoghue & Candes 2015; Blumensath & Davies 2009 (hard thresholding); Nesterov 2005
    (rounded kinks).
    """

    name = "proximal"
    kinks = frozenset({"loss", "penalty"})
    local = True
    line_search: Any = "grippo"

    def __init__(self, tol: float = 1e-13, max_iter: int = 20_000, line_search: Any = "grippo") -> None:
        self.tol, self.max_iter, self.line_search = tol, max_iter, line_search

    def start(self, objective: Any, point: np.ndarray) -> ProximalState:
        local = any(not kink.convex for kink in objective.kinks)
        width = 0.0
        if any(kink.part == "loss" for kink in objective.kinks):
            width, _ = objective.widths(expansion(objective, point))
        state = self._begin(objective, point, width, objective.cost, widest=width, local=local)
        if not local or not self.max_iter:
            return state
        free = self._begin(Bare(state.inner), point, width, 0.0, widest=width)
        for _ in range(min(self.max_iter, 500)):
            free = self._advance(free, True)
            if free.ended:
                break
        passes = state.passes + free.passes
        there = self._settled(self._begin(objective, free.point, width, passes, widest=width, local=True))
        return state.but(passes=there.passes, best=(there.value, there.point), local=True)

    def step(self, objective: Any, state: ProximalState) -> ProximalState:
        """One step; at the end of a width, on to the next."""
        if state.ended:
            return state.but(noted=())
        if state.iterations >= self.max_iter:
            return self._ended(objective, state.but(ended=True, noted=()))
        after = self._advance(state, not state.local)
        if not after.ended and (not after.width or after.steps < EASY):
            return after
        following = self._narrower(objective, after)
        return following if following is not None else self._ended(objective, after.but(ended=True))

    # -- how ----------------------------------------------------------------------------------------------------------

    def _begin(self, objective: Any, point: np.ndarray, width: float, passes: float, **more: Any) -> ProximalState:
        inner = objective.easier(width) if width else objective
        found = expansion(inner, point)
        value = found.value + rough(inner, point)
        length = more.pop("length", 1.0 / max(found.weight, 1.0))
        return ProximalState(
            inner=inner, point=point, ahead=point, found=found, value=value, passes=passes + inner.cost, momentum=1.0,
            length=length, nothing=self.nothing * abs(value), recent=(value,), width=width, **more,
        )  # fmt: skip

    def _advance(self, state: ProximalState, accelerated: bool) -> ProximalState:
        inner, search = state.inner, search_of(self.line_search)
        noted, passes, step = (state.value,), state.passes, state.length
        at = state.ahead if accelerated else state.point
        here = state.found
        if at is not state.point:
            here = attempt(inner, at, 1) or state.found
            at, passes = (at if here is not state.found else state.point), passes + inner.cost
        slack = 8.0 * inner.rounding * abs(here.value)
        for _ in range(search.most):
            trial = at - step * here.gradient
            trial = inner.prox(trial, step) if "prox" in inner.offers else trial
            move = trial - at
            squares = float((move * move).sum())
            there = attempt(inner, trial, 1)
            passes += inner.cost
            bound = here.value + float((here.gradient * move).sum()) + 0.5 / step * squares
            if there is not None and there.value <= bound + slack:
                break
            step *= search.shrink
        else:
            if search.shorter(at, state.length * here.gradient):
                return state.but(noted=(), passes=passes, length=step)
            return state.but(noted=noted, passes=passes, ended=True, converged=search.is_thorough)
        assert there is not None
        value = there.value + rough(inner, trial)
        rose = value > max(state.recent) + slack
        if rose and at is not state.point:  # momentum went too far: from here, without it
            return state.but(noted=(), passes=passes, ahead=state.point, momentum=1.0, length=step)
        uphill = float(((at - trial) * (trial - state.point)).sum()) > 0
        t = 1.0 if uphill or not accelerated else 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * state.momentum**2))
        ahead = trial + (0.0 if t == 1.0 else (state.momentum - 1.0) / t) * (trial - state.point)
        gain = max(squares / step, state.value - value)
        tol = max(self.tol, LOOSE) if state.local and getattr(inner, "outputs", 1) == 1 else self.tol
        quiet = state.quiet + 1 if gain <= tol * abs(value) + state.nothing else 0
        ended = quiet > QUIET
        longer = 64.0 if quiet and self.nothing else 1.1  # in the units of anybody's function a step may be tiny
        return state.but(
            point=trial, ahead=trial if t == 1.0 else ahead, momentum=t, found=there, value=value, passes=passes,
            length=longer * step, noted=(state.value, value) if ended else noted, iterations=state.iterations + 1,
            ended=ended, converged=ended, quiet=quiet, recent=(*state.recent, value)[-search.memory :],
            steps=state.steps + 1,
        )  # fmt: skip

    def _narrower(self, objective: Any, state: ProximalState) -> ProximalState | None:
        """The same with kinks rounded less; None where that is done."""
        if not state.width:
            return None
        state = state.but(lower=self._lower(state))
        exact = expansion(objective, state.point)
        added = state.inner.expand(state.point, 0).value - exact.value
        if added <= 1e-9 * abs(exact.value) or state.width < 1e-9 * state.widest:
            return None
        return self._begin(
            objective, state.point, NARROWER * state.width, state.passes + objective.cost, widest=state.widest,
            length=NARROWER * state.length, iterations=state.iterations, noted=state.noted, best=state.best,
            local=state.local, lower=state.lower,
        )  # fmt: skip

    @staticmethod
    def _lower(state: ProximalState) -> float:
        """A value of the dual problem, from the slopes of what is minimised now."""
        if "gap" not in state.inner.offers:
            return state.lower
        return max(state.lower, state.value - float(state.inner.gap(state.point, state.found)))

    def _settled(self, state: ProximalState) -> ProximalState:
        """The end of steps without momentum."""
        while not state.ended and state.steps < EASY:
            state = self._advance(state, False)
        return state

    def _ended(self, objective: Any, state: ProximalState) -> ProximalState:
        """The last state in terms of the objective itself, with what it leaves to gain."""
        if state.best is not None and state.best[0] < state.value:
            state = state.but(point=state.best[1], converged=True)
        lower = -np.inf if state.local else self._lower(state)
        if state.local:
            state = state.but(point=best_on_support(objective, state.point))
        found = expansion(objective, state.point)
        value = found.value + rough(objective, state.point)
        state = state.but(found=found, value=value, passes=state.passes + objective.cost, best=None)
        if "columns" in objective.offers and not state.width:
            l1, l2 = (weights.ravel() for weights in objective.shrinkage())
            state = state.but(violation=violation_of(found.gradient.ravel(), state.point.ravel(), l1, l2))
        if lower == -np.inf:
            return state
        gap = max(value - lower, 0.0)
        close = gap <= CLOSE * abs(value) + SLIGHT * found.weight
        return state.but(gap=gap, converged=state.converged and (close or not state.width))


def best_on_support(objective: Any, point: np.ndarray) -> np.ndarray:
    """The minimum over the coefficients that are not zero, by Newton's method where rows are held; else the point."""
    from .newton import Newton

    part = None
    if hasattr(objective, "frame"):
        d = objective.frame.features
        some = np.flatnonzero(point[:, :d].any(axis=0))
        part = objective.narrowed(some)
    if part is None:
        return point
    where = np.append(some, d) if objective.frame.intercept else some
    free = replace(part, penalty=Free(), alpha=0.0)
    if Newton.lack(free):
        return point
    found, out = Newton().minimise(free, point[:, where]), np.zeros_like(point)
    out[:, where] = found.point
    before, after = (expansion(objective, at).value + rough(objective, at) for at in (point, out))
    return out if after <= before else point


class Bare:
    """An objective without its rough part."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.offers = inner.offers - {"prox"}
        self.rounding, self.cost = inner.rounding, inner.cost

    def expand(self, point: np.ndarray, order: int = 1) -> Any:
        return self.inner.expand(point, order)

    def easier(self, width: float) -> Any:
        return self


def rough(objective: Any, point: np.ndarray) -> float:
    return objective.rough(point) if "prox" in objective.offers else 0.0
