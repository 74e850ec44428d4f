"""What every solver takes and gives.

A solver sees an objective (`expand`, `prox`, ...) and points; it knows no source and no array layout. What it gives
is a `Solution`: the point, and how it was reached.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..statistics import Expansion


class PerfectSeparationWarning(UserWarning):
    """A hyperplane separates the classes, so that without a penalty the coefficients grow without end."""


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


@dataclass
class Meter:
    """Counts passes and keeps the trace; `step` hears of every entry."""

    step: Callable[[], None] | None = None
    passes: float = 0.0
    trace: list[float] = field(default_factory=list)

    def expand(self, objective: Any, point: np.ndarray, order: int = 1) -> Expansion:
        """Expand, and note that rows were read."""
        found = objective.expand(point, order)
        self.passes += 1.0 / getattr(objective, "multiplier", 1.0)
        if not np.isfinite(found.value):
            raise ValueError("the objective overflows: rescale the columns, or use a stronger penalty")
        return found

    def note(self, value: float) -> None:
        self.trace.append(float(value))
        if self.step is not None:
            self.step()

    def solution(self, point: np.ndarray, found: Expansion, iterations: int, converged: bool, **more: Any) -> Solution:
        """The solution at a point whose expansion was found."""
        norm = float(np.abs(found.gradient).max(initial=0.0))
        value = more.pop("objective", found.value)
        more.setdefault("separated", found.margin > 0)
        return Solution(point, value, norm, iterations, self.passes, converged, np.array(self.trace), **more)


class Solver(ABC):
    """Minimises an objective from a start."""

    name: ClassVar[str]
    needs_smooth_loss: ClassVar[bool] = True
    needs_smooth_penalty: ClassVar[bool] = True
    step: Callable[[], None] | None = None  # called at every iteration

    @abstractmethod
    def minimise(self, objective: Any, start: np.ndarray) -> Solution:
        """The point of least value that can be reached from the start."""

    def check(self, objective: Any) -> None:
        """Refuse what this solver cannot minimise, and say who can."""
        from . import SOLVERS

        loss = getattr(objective, "loss", None)
        if not objective.penalty.convex:
            raise ValueError(
                f"penalty={objective.penalty.name!r} is not convex: no solver finds its minimum; search the subsets"
            )
        if loss is not None and not loss.smooth and not objective.penalty.smooth:
            raise ValueError(
                f"no solver minimises loss={loss.name!r} with penalty={objective.penalty.name!r}: one of the two must "
                "be smooth"
            )
        if self.needs_smooth_loss and loss is not None and not loss.smooth:
            able = [name for name, kind in SOLVERS.items() if not kind.needs_smooth_loss]
            raise ValueError(
                f"solver={self.name!r} needs a smooth loss and cannot minimise loss={loss.name!r}; "
                f"{' and '.join(map(repr, able))} can"
            )
        if self.needs_smooth_penalty and not objective.penalty.smooth:
            able = [name for name, kind in SOLVERS.items() if not kind.needs_smooth_penalty]
            raise ValueError(
                f"solver={self.name!r} needs a smooth penalty and cannot minimise "
                f"penalty={objective.penalty.name!r}; {' and '.join(map(repr, able))} can"
            )
