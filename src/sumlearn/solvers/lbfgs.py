"""L-BFGS: Newton's steps with a curvature that the last few steps have shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..statistics import Expansion
from .line_search import ENOUGH, Reached, attempt, search_of
from .solver import Solver, expansion, positive_whole
from .state import State

STEEP = 0.9  # share of the slope that a step must take away (Wolfe 1969): then what it shows is convex
MOST = 40  # values on one line
SMALLEST = float(np.finfo(float).tiny)  # products below it have lost their digits
LEAST = 1e-10  # cosine of a step and the change of slope below which it tells nothing


@dataclass(frozen=True, eq=False, kw_only=True)
class CurvatureState(State):
    """The last steps with the changes of slope along them, newest last; the gain that is none; the last step alone."""

    pairs: tuple[tuple[np.ndarray, np.ndarray], ...] = ()
    nothing: float
    recent: tuple[float, ...]
    quiet: int = 0
    length: float = 0.0


class LBFGS(Solver):
    """w <- w - t H g, where H is the inverse curvature that fits the last few steps,

        H_k = (I - r s y') H_{k-1} (I - r y s') + r s s',   s = step, y = change of slope, r = 1 / s'y

    from H_0 = s'y / y'y times the identity, and is never formed: two passes over the pairs (s, y) give H g (Nocedal
    1980). Steps t along a line, of which the first is one, must bring enough, and must be so long that the slope along
    the line has fallen (Wolfe's conditions, by doubling and halving): s'y is positive then, also where the objective is
    not convex, of which a minimum among neighbours is found.

    Parameters
    ----------
    memory : int, default=10
        Pairs that are kept.
    tol : float, default=1e-13
        Ends when steps bring less than this share of the objective, several times in a row.
    line_search : {"wolfe", "armijo", "grippo"} or LineSearch, default="wolfe"
        Wolfe's conditions, or steps that are only halved: then some show nothing of the curvature.
    slope : float, default=0.0
        Ends where no slope is larger.
    max_iter : int, default=20000
        Most steps.
    max_passes : int, default=None
        Most values that are asked for.

    References
    ----------
    Nocedal, "Updating quasi-Newton matrices with limited storage", 1980; Nocedal & Wright 2006, ch. 3 and 7.
    """

    name = "lbfgs"

    def __init__(
        self,
        memory: int = 10,
        tol: float = 1e-13,
        max_iter: int = 20_000,
        line_search: Any = "wolfe",
        slope: float = 0.0,
        max_passes: int | None = None,
    ) -> None:
        self.line_search = line_search if line_search == "wolfe" else search_of(line_search)
        self.memory, self.tol, self.max_iter = positive_whole("memory", memory), tol, max_iter
        self.slope, self.max_passes = slope, max_passes

    def start(self, objective: Any, point: np.ndarray) -> CurvatureState:
        found = expansion(objective, point)
        return CurvatureState(
            point=point, found=found, value=found.value, passes=objective.cost,
            nothing=self.nothing * abs(found.value), recent=(found.value,),
        )  # fmt: skip

    def step(self, objective: Any, state: CurvatureState) -> CurvatureState:
        """One step along the direction of Newton, as far as it is known."""
        left = np.inf if self.max_passes is None else self.max_passes - state.passes / objective.cost
        if state.ended or state.iterations >= self.max_iter or left < 1:
            return state.but(ended=True, noted=())
        g = state.found.gradient
        if np.abs(g).max(initial=0.0) <= self.slope:
            return state.but(ended=True, converged=True, noted=(state.value,))
        if not float((g * g).sum()) < np.inf:  # it falls without end
            return state.but(ended=True, noted=(state.value,))
        direction = -self.turned(g, state.pairs)
        first = 1.0
        if not state.pairs:
            first = max(min(1.0, 1.0 / float(np.abs(g).sum())), state.length / float(np.sqrt((g * g).sum())))
        there = self.along(objective, state, direction, first, min(left, MOST))
        passes = state.passes + there.passes
        if there.step == 0.0:
            if state.pairs:  # the curvature misleads: down the slope, as at the start
                return state.but(pairs=(), passes=passes, noted=(), length=0.0)
            return state.but(ended=True, converged=left > MOST, noted=(state.value,), passes=passes)
        s, y = there.point - state.point, there.found.gradient - g
        length = float(np.sqrt((s * s).sum()))
        bend, square = float((s * y).sum()), float((y * y).sum())
        tells = min(bend, square) >= SMALLEST and bend > LEAST * length * float(np.sqrt(square))
        pairs = (*state.pairs, (s, y))[-self.memory :] if tells else state.pairs
        small = state.value - there.value <= self.tol * abs(state.value) + state.nothing
        quiet = state.quiet + 1 if small else 0
        ended = quiet > 2
        return state.but(
            point=there.point, found=there.found, value=there.value, passes=passes, pairs=pairs, quiet=quiet,
            noted=(state.value, there.value) if ended else (state.value,), iterations=state.iterations + 1,
            ended=ended, converged=ended, length=length, recent=(*state.recent, there.value)[-10:],
        )  # fmt: skip

    def turned(self, g: np.ndarray, pairs: tuple[tuple[np.ndarray, np.ndarray], ...]) -> np.ndarray:
        """H g, newest pair first and then oldest first (Nocedal & Wright, algorithm 7.4)."""
        if not pairs:
            return g
        q, shares = g, []
        for s, y in reversed(pairs):
            share = float((s * q).sum()) / float((s * y).sum())
            q = q - share * y
            shares.append(share)
        s, y = pairs[-1]
        q = q * (float((s * y).sum()) / float((y * y).sum()))
        for (s, y), share in zip(pairs, reversed(shares), strict=True):
            q = q + (share - float((y * q).sum()) / float((s * y).sum())) * s
        return q

    def along(
        self, objective: Any, state: CurvatureState, direction: np.ndarray, step: float, most: float
    ) -> Reached:
        """A step with Wolfe's conditions; where there is none, the best that brings enough."""
        if self.line_search != "wolfe":
            reference, search = max(state.recent[-self.line_search.memory :]), self.line_search
            return search.along(objective, state.point, state.found, direction, reference, step)
        slope, low, high = float((state.found.gradient * direction).sum()), 0.0, np.inf
        slack = 8.0 * objective.rounding * abs(state.value)
        best: tuple[float, np.ndarray, Expansion] | None = None
        tries = 0
        while slope < 0.0 and tries < most:
            tries += 1
            trial = state.point + step * direction
            there = attempt(objective, trial, 1)
            if there is None or there.value > state.value + ENOUGH * step * slope + slack:
                high = step
            else:
                if best is None or there.value <= best[2].value:
                    best = step, trial, there
                if float((there.gradient * direction).sum()) >= STEEP * slope:
                    break
                low = step
            step = 2.0 * step if high == np.inf else 0.5 * (low + high)
        if best is None:
            return Reached(state.point, state.found, state.value, 0.0, tries * objective.cost)
        return Reached(best[1], best[2], best[2].value, best[0], tries * objective.cost)
