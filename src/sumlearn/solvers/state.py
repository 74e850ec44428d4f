"""What a solver knows between two steps, and what it gives at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..statistics import Expansion


@dataclass(frozen=True)
class Solution:
    """A point and how it was reached: `passes` counts reads of all rows, `trace` holds the objective after each."""

    point: np.ndarray
    objective: float
    gradient_norm: float
    iterations: int
    passes: float
    converged: bool
    trace: np.ndarray
    separated: bool = False
    direction: np.ndarray | None = None  # along which some rows, not all, are separated: quasi-complete separation
    gap: float | None = None  # a bound of what is left to gain, where the solver finds one
    violation: float | None = None  # of the conditions of Karush, Kuhn and Tucker: the largest slope that is too much
    local: bool = False  # whether the objective is not convex, so that there may be lower minima elsewhere


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """A point, the expansion found there and the value of the objective; solvers add what they remember besides.

    `noted` is what the last step adds to the trace. A step from a state that has `ended` stays there.
    """

    point: np.ndarray
    found: Expansion
    value: float
    passes: float
    iterations: int = 0
    noted: tuple[float, ...] = ()
    ended: bool = False
    converged: bool = False
    separated: bool = False
    direction: np.ndarray | None = None
    gap: float | None = None
    violation: float | None = None
    local: bool = False

    def but(self, **changes: Any) -> Self:
        """The next state: like this one, with some things changed. Many times faster than `dataclasses.replace`."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__, **changes)
        return made

    @property
    def is_separated(self) -> bool:
        return self.separated or self.found.margin > 0

    def solution(self, trace: np.ndarray) -> Solution:
        norm = float(np.abs(self.found.gradient).max(initial=0.0))
        return Solution(
            self.point, self.value, norm, self.iterations, self.passes, self.converged, trace, self.is_separated,
            self.direction, self.gap, self.violation, self.local,
        )  # fmt: skip
