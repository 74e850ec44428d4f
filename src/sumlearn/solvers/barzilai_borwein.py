"""Gradient descent with the step of Barzilai and Borwein, also for penalties with kinks."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from .line_search import ENOUGH, attempt
from .solver import Meter, Solution, Solver

MEMORY = 10  # values among which the largest is the reference: the step may go uphill for a while


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

    References
    ----------
    Lecture note 001; Barzilai & Borwein 1988; Raydan 1997; Wright, Nowak & Figueiredo 2009.
    """

    name = "barzilai_borwein"
    needs_smooth_penalty = False

    def __init__(self, tol: float = 1e-13, max_iter: int = 20_000) -> None:
        self.tol, self.max_iter = tol, max_iter

    def minimise(self, objective: Any, start: np.ndarray) -> Solution:
        """Descend from the start."""
        self.check(objective)
        meter, point = Meter(self.step), start
        found = meter.expand(objective, point)
        value = found.value + objective.rough(point)
        recent = deque([value], MEMORY)
        step, quiet = 1.0 / max(found.weight, 1.0), 0
        for iteration in range(self.max_iter):
            meter.note(value)
            g = found.gradient
            slack = 8.0 * objective.rounding * abs(value)
            for _ in range(60):
                trial = objective.prox(point - step * g, step)
                move = trial - point
                length = float((move * move).sum())
                there = attempt(objective, trial, meter, 1)
                reached = np.inf if there is None else there.value + objective.rough(trial)
                if reached <= max(recent) - ENOUGH / step * length + slack:
                    break
                step *= 0.5
            else:  # no step brings anything: rounding hides what is left
                return meter.solution(point, found, iteration, True, objective=value)
            quiet = quiet + 1 if length / step <= self.tol * abs(reached) or not length else 0
            assert there is not None
            change = there.gradient - g
            point, found, value = trial, there, reached
            recent.append(value)
            if quiet > 2:
                meter.note(value)
                return meter.solution(point, found, iteration + 1, True, objective=value)
            bend = float((move * change).sum())
            step = float(np.clip(length / bend, 1e-12 * step, 1e12 * step)) if bend > 0 else 2.0 * step
        return meter.solution(point, found, self.max_iter, False, objective=value)
