"""Newton's method: a subsampled start, full Hessians where they are needed, kinks rounded less and less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .line_search import search_of
from .newton_system import conjugate_gradients, corrected, factor
from .solver import Solver, expansion
from .state import State

MANY_ROWS = 100_000  # from here on a sample of the rows gives the start and the first Hessian
PER_NUMBER = 12  # rows of the sample for each number of a point, at least
SLOW = 0.5  # a borrowed Hessian is kept while every step at least halves what the next one promises
NOTHING = 1e-20  # share of the first value that is no gain, in any units of y
NARROWER = 0.3  # kinks are rounded over this share of the width before


@dataclass(frozen=True, eq=False, kw_only=True)
class NewtonState(State):
    """What is minimised now, `inner`, and how far; the Hessian in use, and what was seen along past steps.

    The phases are "easing" (objectives that are easier, on the way to the one asked for), "sampling" (some rows in the
    place of all), "full" (the one asked for) and "following" (its kinks rounded, over smaller and smaller widths).
    """

    phase: str
    inner: Any
    tol: float
    left: int  # steps
    formed: bool  # whether there is a Hessian
    nothing: float  # value that is no gain
    recent: tuple[float, ...]
    hessian: Any = None  # its factor
    borrowed: bool = False  # from a sample
    pairs: tuple[tuple[np.ndarray, np.ndarray], ...] = ()  # steps and changes of the gradient, for a borrowed one
    previous: float = np.inf  # what the step before promised
    idle: int = 0
    scout: Any = None  # easing: the objective, or a sample of it
    width: float = 0.0  # of what is eased or rounded
    widest: float = 0.0
    began: float = 0.0  # value at the start
    reached: float = np.inf  # value at the width before
    origin: np.ndarray | None = None  # sampling and following: the point before
    every: tuple[int, ...] = ()  # sampling: one in so many rows, now and then


class Newton(Solver):
    """w <- w - t H^-1 g, with a line search for t.

    Many rows: a sample of them (1 in 16; 1 in 64, then 1 in 8 for several outputs), in single precision, gives start
    and Hessian; gradients are those of all rows, and as long as what a step promises falls by half each time no other
    Hessian is computed. Few rows, or a sample that misleads: full Hessians. More than 3,000 numbers: no Hessian is
    formed, the step is found by conjugate gradients. A loss with kinks is rounded, and followed as the rounding goes
    to zero.

    Parameters
    ----------
    tol : float, default=1e-16
        Ends when a step promises less than this share of the objective; the step is then still taken.
    max_iter : int, default=100
        Most steps with all rows.
    line_search : {"armijo", "grippo"} or LineSearch, default="armijo"
        How much of a step to take.

    References
    ----------
    Lecture notes 001 and 004; Nocedal & Wright 2006, ch. 3 and 7; Roosta-Khorasani & Mahoney 2019 (subsampling);
    Chapelle 2007 (rounded hinge).
    """

    name = "newton"
    one_of = frozenset({"curvature", "product"})
    kinks = frozenset({"loss"})
    line_search: Any = "armijo"

    def __init__(self, tol: float = 1e-16, max_iter: int = 100, line_search: Any = "armijo") -> None:
        self.tol, self.max_iter, self.line_search = tol, max_iter, line_search

    def start(self, objective: Any, point: np.ndarray) -> NewtonState:
        if objective.kinks:
            return self._follow(objective, point)
        if "easier" not in objective.offers:
            return self._sample(objective, point)
        scout = (objective.thinned(16) if objective.rows >= MANY_ROWS else None) or objective
        width, last = scout.widths(expansion(scout, point))
        return self._ease(objective, point, scout, width, last, passes=scout.cost)

    def step(self, objective: Any, state: NewtonState) -> NewtonState:
        """One step on what is minimised now; where that was the last, on to what comes next."""
        if state.ended:
            return state.but(noted=())
        state = self._descend(state)
        if not state.ended or state.phase == "full":
            return state
        if state.phase == "easing":  # a start with enough residuals below delta, where Huber's loss is curved
            return self._ease(
                objective, state.point, state.scout, state.width * NARROWER, state.widest, passes=state.passes,
                noted=state.noted,
            )  # fmt: skip
        return self._sampled(objective, state) if state.phase == "sampling" else self._followed(objective, state)

    # -- one objective ------------------------------------------------------------------------------------------------

    def _begin(
        self, phase: str, inner: Any, point: np.ndarray, passes: float, hessian: Any = None, **more: Any
    ) -> NewtonState:
        formed = "curvature" in inner.offers
        found = expansion(inner, point, 2 if formed and hessian is None else 1)
        more = {"tol": self.tol, "left": self.max_iter} | more
        return NewtonState(
            phase=phase, inner=inner, point=point, found=found, value=found.value, passes=passes + inner.cost,
            nothing=inner.noise or NOTHING * abs(found.value), recent=(found.value,), hessian=hessian,
            formed=formed, borrowed=hessian is not None, **more,
        )  # fmt: skip

    def _descend(self, state: NewtonState) -> NewtonState:
        if not state.left:
            return state.but(ended=True, noted=())
        inner, point, found, passes = state.inner, state.point, state.found, state.passes
        noted = () if state.phase == "sampling" else (state.value,)
        if found.margin > 0:  # every row is on its own side, so that larger coefficients are always better
            return state.but(noted=noted, ended=True, converged=True, separated=True)
        state = state.but(noted=noted, iterations=state.iterations + 1, left=state.left - 1)
        hessian = state.hessian
        if state.formed and not state.borrowed:
            hessian = factor(found.hessian, inner.outputs, 10.0 * inner.rounding)
        if hessian is not None:
            direction = -corrected(hessian, found.gradient, state.pairs)
        else:
            direction, products = conjugate_gradients(inner, point, found.gradient)
            passes += products
        state = state.but(hessian=hessian, passes=passes)
        decrement = float(-(found.gradient * direction).sum())  # lambda^2
        if state.borrowed and decrement > SLOW * state.previous:  # the sample misleads
            return without_loan(state)
        floor = max(state.tol, 1e-4 * inner.rounding) * abs(found.value) + state.nothing
        idle = state.idle + 1 if decrement > 0.25 * state.previous and decrement < 1e4 * floor else 0
        state = state.but(idle=idle)
        if 0.5 * decrement <= floor or idle > 2:
            separated, products = diverges(inner, direction, found)
            return state.but(
                point=point + direction, value=found.value - 0.5 * max(decrement, 0.0), ended=True,
                converged=True, separated=separated, direction=direction if separated else None,
                passes=passes + products,
            )  # fmt: skip
        search, order = search_of(self.line_search), 2 if state.formed and not state.borrowed else 1
        there = search.along(inner, point, found, direction, max(state.recent), 1.0, order)
        state = state.but(passes=passes + there.passes)
        if there.step == 0.0:
            close = 0.5 * decrement <= 1e3 * inner.rounding * abs(found.value)
            if close or not state.borrowed:
                return state.but(ended=True, converged=close)
            return without_loan(state)
        state = state.but(
            point=there.point, found=there.found, value=there.value,
            recent=(*state.recent, there.value)[-search.memory :],
        )  # fmt: skip
        if there.step < 1.0 and state.borrowed:
            state = without_loan(state)
        pair = (state.point - point, state.found.gradient - found.gradient)
        return state.but(previous=decrement, pairs=(*state.pairs, pair) if state.borrowed else ())

    # -- start and continuation ---------------------------------------------------------------------------------------

    def _ease(
        self, objective: Any, point: np.ndarray, scout: Any, width: float, last: float, **more: Any
    ) -> NewtonState:
        """Larger widths first, as far as they are above the last."""
        if width > last:
            eased = scout.easier(width)
            return self._begin("easing", eased, point, tol=1e-4, scout=scout, width=width, widest=last, **more)
        return self._sample(objective, point, **more)

    def _sample(self, objective: Any, point: np.ndarray, passes: float = 0.0, **more: Any) -> NewtonState:
        """Start and Hessian from a sample of the rows, if there are many."""
        if {"sample", "curvature"} <= objective.offers and objective.rows >= MANY_ROWS:
            left = (64, 8) if objective.outputs > 1 else (16,)
            for i, every in enumerate(left):
                sample = objective.thinned(every) if objective.rows // every >= PER_NUMBER * point.size else None
                if sample is not None:
                    return self._begin(
                        "sampling", sample, point, passes, tol=1e-4, left=15, origin=point, every=left[i:], **more
                    )
        return self._begin("full", objective, point, passes, **more)

    def _sampled(self, objective: Any, state: NewtonState) -> NewtonState:
        """All rows, with the Hessian of the sample, or of a larger one."""
        if state.is_separated:
            assert state.origin is not None
            return self._begin("full", objective, state.origin, state.passes, noted=state.noted)
        point, passes, hessian = state.point, state.passes, None
        for every in state.every:
            sample = state.inner if every == state.every[0] else objective.thinned(every)
            found, passes = expansion(sample, point, 2), passes + sample.cost
            hessian = factor(found.hessian, objective.outputs)
            point = point - corrected(hessian, found.gradient, ())
        return self._begin("full", objective, point, passes, hessian, noted=state.noted)

    def _follow(self, objective: Any, point: np.ndarray) -> NewtonState:
        """The minimum of a loss with kinks: the limit of minima with the kinks rounded."""
        exact = expansion(objective, point)
        width, _ = objective.widths(exact)
        if width and self.max_iter:
            return self._round_off(objective, point, objective.cost, width=width, widest=width, began=exact.value)
        return NewtonState(  # nothing is less than no loss at all
            phase="full", inner=objective, point=point, found=exact, value=exact.value, passes=objective.cost,
            tol=self.tol, left=0, formed=False, nothing=0.0, recent=(), ended=True, converged=not width,
        )  # fmt: skip

    def _round_off(self, objective: Any, point: np.ndarray, passes: float, width: float, **more: Any) -> NewtonState:
        rounded = objective.easier(width)
        return self._begin("following", rounded, point, passes, tol=1e-10, width=width, **more)

    def _followed(self, objective: Any, state: NewtonState) -> NewtonState:
        """A smaller width, as long as rounding adds something."""
        exact = expansion(objective, state.point)
        passes, iterations = state.passes + objective.cost, state.iterations
        rose = exact.value > state.reached  # the last step is taken unseen, and among kinks it may go too far
        if rose and state.origin is not None:
            state = state.but(point=state.origin)
            exact = expansion(objective, state.point)
        gap = state.inner.expand(state.point, 0).value - exact.value  # what rounding adds here
        close = gap <= max(1e-9, objective.rounding) * abs(exact.value)
        stop = (close and state.converged and not rose) or state.width < 1e-12 * state.widest
        if not stop and iterations < 10 * self.max_iter:
            return self._round_off(
                objective, state.point, passes, state.width * NARROWER, widest=state.widest, began=state.began,
                noted=state.noted, iterations=iterations, reached=exact.value, origin=state.point,
            )  # fmt: skip
        converged = stop and (state.converged or exact.value <= 1e-9 * state.began)
        return state.but(found=exact, value=exact.value, passes=passes, converged=converged)


def without_loan(state: NewtonState) -> NewtonState:
    """The same point with a Hessian of its own."""
    found = expansion(state.inner, state.point, 2 if state.formed else 1)
    return state.but(found=found, borrowed=False, previous=np.inf, passes=state.passes + state.inner.cost)


def diverges(objective: Any, direction: np.ndarray, found: Any) -> tuple[bool, float]:
    """Whether a last step, which promises nothing, is still long: some rows are separated from all others.

    Only where margins tell something: without a penalty. A long step along dependent columns changes no score:
    d'H(0)d, a sum of squared changes, tells them apart. That takes a pass, whose number is given too.
    """
    if found.margin == -np.inf or np.abs(direction).max(initial=0.0) <= 1e-2:
        return False, 0.0
    change = float((direction * objective.product(objective.start, direction)).sum())
    return change > max(1e-16, 1e4 * objective.rounding**2) * found.weight, 1.0
