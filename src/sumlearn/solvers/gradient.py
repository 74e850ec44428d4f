"""Gradient descent, with a fixed rate or a line search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .line_search import search_of
from .solver import Solver, expansion, positive_rate
from .state import State

FARTHER = 1024.0  # times the last step, where that promises nothing: in the units of anybody's function it may be tiny

@dataclass(frozen=True, eq=False, kw_only=True)
class DescentState(State):
    """The last step, the gain that is none, how often in a row a step promised no more, and the last values."""

    length: float
    nothing: float
    quiet: int = 0
    recent: tuple[float, ...]


class GradientDescent(Solver):
    """w <- w - mu grad F(w) until the gradient is nearly zero.

    Parameters
    ----------
    rate : float, default=None
        The step mu, the same at all times, per unit of weight: mu = rate / sum of the weights. None searches along the
        line: it begins with twice the last step and halves it until the objective falls enough.
    tol : float, default=1e-12
        Ends when a step promises less than this share of the objective.
    max_iter : int, default=100000
        Most steps.
    line_search : {"armijo", "grippo"} or LineSearch, default="armijo"
        How far to go where no rate is given.

    References
    ----------
    Lecture notes 000 and 001; Nocedal & Wright 2006, ch. 3.
    """

    name = "gradient"
    line_search: Any = "armijo"

    def __init__(
        self, rate: float | None = None, tol: float = 1e-12, max_iter: int = 100_000, line_search: Any = "armijo"
    ) -> None:
        self.rate, self.tol, self.max_iter, self.line_search = rate, tol, max_iter, line_search

    def start(self, objective: Any, point: np.ndarray) -> DescentState:
        found = expansion(objective, point)
        length = 1.0 / max(found.weight, 1.0) if self.rate is None else positive_rate(self.rate) / found.weight
        return DescentState(
            point=point, found=found, value=found.value, passes=objective.cost, length=length,
            nothing=self.nothing * abs(found.value), recent=(found.value,),
        )  # fmt: skip

    def step(self, objective: Any, state: DescentState) -> DescentState:
        """One step down the gradient."""
        if state.ended or state.iterations >= self.max_iter:
            return state.but(ended=True, noted=())
        g, noted = state.found.gradient, (state.value,)
        length = state.length if self.rate is None else max(state.length, 1.0 / state.found.weight)
        gain = length * float((g * g).sum())  # not of a rate that is small anywhere
        quiet = state.quiet + 1 if gain <= self.tol * abs(state.value) + state.nothing else 0
        if quiet > 3 or not g.any():
            return state.but(noted=noted, ended=True, converged=True)
        if self.rate is not None:
            return self._fixed(objective, state).but(noted=noted, quiet=quiet)
        search = search_of(self.line_search)
        first = (FARTHER if quiet and self.nothing else 2.0) * state.length
        there = search.along(objective, state.point, state.found, -g, max(state.recent), first)
        passes = state.passes + there.passes
        if there.step == 0.0:
            shorter = search.shorter(state.point, first * g)
            if shorter:
                return state.but(noted=(), passes=passes, length=0.5 * first * shorter)
            # rounding hides what is left
            return state.but(noted=noted, passes=passes, ended=True, converged=search.is_thorough)
        return state.but(
            point=there.point, found=there.found, value=there.value, passes=passes, noted=noted,
            iterations=state.iterations + 1, length=there.step, quiet=quiet,
            recent=(*state.recent, there.value)[-search.memory :],
        )  # fmt: skip

    def _fixed(self, objective: Any, state: DescentState) -> DescentState:
        """The step of the rate."""
        point = state.point - state.length * state.found.gradient
        found = expansion(objective, point)
        if found.value > state.value + abs(state.value) + 1.0:
            raise ValueError(f"rate={self.rate!r} is too large: the objective grows; use a smaller one or None")
        passes, iterations = state.passes + objective.cost, state.iterations + 1
        return state.but(point=point, found=found, value=found.value, passes=passes, iterations=iterations)
