"""Line search: how far to go along a direction of descent."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..statistics import Expansion
from .solver import expansion, positive_whole

ENOUGH = 1e-4  # share of the promised decrease that a step must bring (Armijo 1966)


class Reached(NamedTuple):
    """Where a search ended, with what it cost; a step of zero where none brings enough.

    `squares` is |move|^2, where the way was bent.
    """

    point: np.ndarray
    found: Expansion
    value: float
    step: float
    passes: float
    squares: float = 0.0


class LineSearch:
    """Backtracking: the first of t, t/2, t/4, ... with

        F(w + t v) <= F_ref + 1e-4 t g'v

    where F_ref is the largest of the last values: of one (`memory=1`, Armijo), so that values never rise, or of
    several (Grippo), so that they may rise for a while.

    Parameters
    ----------
    shrink : float, default=0.5
        What a step that is too long is multiplied with.
    most : int, default=60
        Most steps that are tried.
    memory : int, default=1
        Values among which the largest is the reference.

    Examples
    --------
    >>> from sumlearn.objectives import L2, Quadratic
    >>> from sumlearn.statistics import Moments
    >>> line = Quadratic.of(Moments.of(np.array([[0.0], [1.0]]), np.array([0.0, 2.0])), L2(), 0.0)
    >>> found = line.expand(line.start)
    >>> reached = LineSearch().along(line, line.start, found, -found.gradient, found.value)
    >>> bool(reached.value < found.value), reached.step
    (True, 0.5)
    """

    def __init__(self, shrink: float = 0.5, most: int = 60, memory: int = 1) -> None:
        if not 0.0 < shrink < 1.0:
            raise ValueError(f"shrink must lie between 0 and 1, got {shrink!r}")
        self.shrink, self.most, self.memory = shrink, positive_whole("most", most), positive_whole("memory", memory)

    @property
    def is_thorough(self) -> bool:
        """Whether its shortest step is so short that nothing but rounding can hide a gain."""
        return self.shrink**self.most < 1e-9

    def shorter(self, point: np.ndarray, move: np.ndarray) -> float:
        """What to shorten a move by that brought nothing at any length; zero where the shortest led nowhere either.

        The first move down a slope of 1e27 is still long after sixty halvings.
        """
        share = self.shrink**self.most
        led = np.isfinite(move).all() and not np.array_equal(point + share * move, point)
        return share if self.is_thorough and led else 0.0

    def along(
        self,
        objective: Any,
        point: np.ndarray,
        found: Expansion,
        direction: np.ndarray,
        reference: float,
        step: float = 1.0,
        order: int = 1,
    ) -> Reached:
        """Along a straight line; where a part is rough, `reference` is with that part, and steps are at most one."""
        slope, is_rough = float((found.gradient * direction).sum()), "prox" in objective.offers
        if is_rough:
            slope += objective.rough(point + direction) - objective.rough(point)
        slack = 8.0 * objective.rounding * abs(reference)
        for tries in range(1, self.most + 1):
            trial = point + step * direction
            there = attempt(objective, trial, order)
            value = np.inf if there is None else there.value + (objective.rough(trial) if is_rough else 0.0)
            if there is not None and value <= reference + ENOUGH * step * slope + slack:
                return Reached(trial, there, value, step, tries * objective.cost)
            step *= self.shrink
        return Reached(point, found, found.value, 0.0, self.most * objective.cost)

    def bent(
        self, objective: Any, point: np.ndarray, found: Expansion, value: float, reference: float, step: float
    ) -> Reached:
        """Down the gradient, and through the proximal map of what is rough; `value` is with that part."""
        g, is_rough = found.gradient, bool(objective.kinks)
        slack = 8.0 * objective.rounding * abs(value)
        for tries in range(1, self.most + 1):
            trial = point - step * g
            trial = objective.prox(trial, step) if is_rough else trial
            move = trial - point
            squares = float((move * move).sum())
            there = attempt(objective, trial, 1)
            if there is not None:
                reached = there.value + (objective.rough(trial) if is_rough else 0.0)
                if reached <= reference - ENOUGH / step * squares + slack:
                    return Reached(trial, there, reached, step, tries * objective.cost, squares)
            step *= self.shrink
        return Reached(point, found, value, 0.0, self.most * objective.cost)

    def __repr__(self) -> str:
        return f"LineSearch(shrink={self.shrink!r}, most={self.most!r}, memory={self.memory!r})"


LINE_SEARCHES: dict[str, LineSearch] = {"armijo": LineSearch(), "grippo": LineSearch(memory=10)}


def search_of(search: Any) -> LineSearch:
    """A line search by its name or as it is."""
    if isinstance(search, LineSearch):
        return search
    if not isinstance(search, str) or search not in LINE_SEARCHES:
        names = ", ".join(map(repr, LINE_SEARCHES))
        raise ValueError(f"line_search must be one of {names}, or a LineSearch, got {search!r}")
    return LINE_SEARCHES[search]


def attempt(objective: Any, point: np.ndarray, order: int) -> Expansion | None:
    """The expansion at a point; None where the objective overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            return expansion(objective, point, order)
        except ValueError:
            return None
