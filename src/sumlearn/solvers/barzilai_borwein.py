"""Gradient descent with the step of Barzilai and Borwein, also for penalties with kinks."""

from __future__ import annotations

from typing import Any

import numpy as np

from .gradient import FARTHER, DescentState
from .line_search import search_of
from .solver import Solver, expansion


class BarzilaiBorwein(Solver):
    """w_{k+1} = prox(w_k - mu_k g_k) with the step of note 001,

        mu_k = mu_{k-1} g_{k-1}'g_{k-1} / ((g_{k-1} - g_k)'g_{k-1}) = s's / s'(g_k - g_{k-1}),   s = w_k - w_{k-1}

    from mu_0 = 1 and w_0 = 0 until |w_k - w_{k-1}| <= eps. The note has no guard for a denominator that is not
    positive, nor against overshooting: here a step must stay below the largest of the last ten values (Grippo), else
    it is halved; the first is found that way too. The prox is the identity for smooth penalties, and shrinks towards
    zero for L1 and the elastic net (SpaRSA).

    Parameters
    ----------
    tol : float, default=1e-13
        Ends when steps promise less than this share of the objective, several times in a row.
    max_iter : int, default=20000
        Most steps.
    line_search : {"grippo", "armijo"} or LineSearch, default="grippo"
        What a step must stay below: the largest of the last ten values, or the last one.

    References
    ----------
    Lecture note 001; Barzilai & Borwein 1988; Raydan 1997; Wright, Nowak & Figueiredo 2009.
    """

    name = "barzilai_borwein"
    kinks = frozenset({"penalty"})
    line_search: Any = "grippo"

    def __init__(self, tol: float = 1e-13, max_iter: int = 20_000, line_search: Any = "grippo") -> None:
        self.tol, self.max_iter, self.line_search = tol, max_iter, line_search

    def start(self, objective: Any, point: np.ndarray) -> DescentState:
        found = expansion(objective, point)
        value = found.value + (objective.rough(point) if objective.kinks else 0.0)
        length = 1.0 / max(found.weight, 1.0)
        return DescentState(
            point=point, found=found, value=value, passes=objective.cost, length=length,
            nothing=self.nothing * abs(value), recent=(value,),
        )  # fmt: skip

    def step(self, objective: Any, state: DescentState) -> DescentState:
        """One step down the gradient, and through the proximal map."""
        if state.ended or state.iterations >= self.max_iter:
            return state.but(ended=True, noted=())
        search = search_of(self.line_search)
        there = search.bent(objective, state.point, state.found, state.value, max(state.recent), state.length)
        passes = state.passes + there.passes
        if there.step == 0.0:
            shorter = search.shorter(state.point, state.length * state.found.gradient)
            if shorter:
                return state.but(noted=(), passes=passes, length=state.length * shorter)
            # no step brings anything: rounding hides what is left
            return state.but(noted=(state.value,), passes=passes, ended=True, converged=search.is_thorough)
        move, step, length = there.point - state.point, there.step, there.squares
        floor = self.tol * abs(there.value) + state.nothing
        quiet = state.quiet + 1 if length / step <= floor or not length else 0
        bend = float((move * (there.found.gradient - state.found.gradient)).sum())
        following = float(np.clip(length / bend, 1e-12 * step, 1e12 * step)) if bend > 0 else 2.0 * step
        if self.nothing and quiet == state.iterations + 1 and not bend > 0:  # no step has promised anything yet
            following = FARTHER**2 * step
        ended = quiet > 2
        return state.but(
            point=there.point, found=there.found, value=there.value, passes=passes,
            noted=(state.value, there.value) if ended else (state.value,), iterations=state.iterations + 1,
            ended=ended, converged=ended, length=following, quiet=quiet,
            recent=(*state.recent, there.value)[-search.memory :],
        )  # fmt: skip
