"""Line search: how far to go along a direction of descent."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..statistics import Expansion
from .solver import Meter

ENOUGH = 1e-4  # share of the promised decrease that a step must bring (Armijo 1966)


class LineSearch:
    """Backtracking: the first of t, t/2, t/4, ... with

        F(w + t v) <= F_ref + 1e-4 t g'v

    where F_ref is F(w), or the largest of some values before it (a search that is not monotone).

    >>> from sumlearn.objectives import L2, Quadratic
    >>> from sumlearn.statistics import Moments
    >>> line = Quadratic.of(Moments.of(np.array([[0.0], [1.0]]), np.array([0.0, 2.0])), L2(), 0.0)
    >>> found = line.expand(line.start)
    >>> point, there, step = LineSearch().along(line, line.start, found, -found.gradient, Meter(), found.value)
    >>> bool(there.value < found.value), step
    (True, 0.5)
    """

    def __init__(self, shrink: float = 0.5, most: int = 60) -> None:
        self.shrink, self.most = shrink, most

    def along(
        self,
        objective: Any,
        point: np.ndarray,
        found: Expansion,
        direction: np.ndarray,
        meter: Meter,
        reference: float,
        step: float = 1.0,
        order: int = 1,
    ) -> tuple[np.ndarray, Expansion, float]:
        """The new point, its expansion and the step; a step of zero where none brings enough."""
        slope = float((found.gradient * direction).sum())
        slack = 8.0 * objective.rounding * abs(reference)
        for _ in range(self.most):
            trial = point + step * direction
            there = attempt(objective, trial, meter, order)
            if there is not None and there.value <= reference + ENOUGH * step * slope + slack:
                return trial, there, step
            step *= self.shrink
        return point, found, 0.0


def attempt(objective: Any, point: np.ndarray, meter: Meter, order: int) -> Expansion | None:
    """The expansion at a point; None where the objective overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            return meter.expand(objective, point, order)
        except ValueError:
            return None
