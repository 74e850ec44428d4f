"""Gradient descent, with a fixed rate or a line search."""

from __future__ import annotations

from typing import Any

import numpy as np

from .line_search import LineSearch
from .solver import Meter, Solution, Solver


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

    References
    ----------
    Lecture notes 000 and 001; Nocedal & Wright 2006, ch. 3.
    """

    name = "gradient"

    def __init__(self, rate: float | None = None, tol: float = 1e-12, max_iter: int = 100_000) -> None:
        self.rate, self.tol, self.max_iter = rate, tol, max_iter

    def minimise(self, objective: Any, start: np.ndarray) -> Solution:
        """Descend from the start."""
        self.check(objective)
        meter, search, point = Meter(self.step), LineSearch(), start
        found = meter.expand(objective, point)
        step = 1.0 / max(found.weight, 1.0) if self.rate is None else self.rate / found.weight
        quiet = 0
        for iteration in range(self.max_iter):
            meter.note(found.value)
            g = found.gradient
            gain = step * float((g * g).sum())
            quiet = quiet + 1 if gain <= self.tol * abs(found.value) else 0
            if quiet > 3 or not g.any():
                return meter.solution(point, found, iteration, True)
            if self.rate is None:
                point, found, step = search.along(objective, point, found, -g, meter, found.value, 2.0 * step)
                if step == 0.0:  # rounding hides what is left
                    return meter.solution(point, found, iteration, True)
            else:
                before = found.value
                point = point - step * g
                found = meter.expand(objective, point)
                if found.value > 2.0 * before + 1.0:
                    raise ValueError(f"rate={self.rate!r} is too large: the objective grows; use a smaller one or None")
        return meter.solution(point, found, self.max_iter, False)
