"""What every solver takes and gives.

A solver sees an objective (`expand`, and what it `offers`) and points; it knows no source and no array layout. It is a
`start` and a `step` from state to state; `minimise` is the loop over them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, final

import numpy as np

from ..objectives import OFFERS
from ..statistics import Expansion
from .iteration import iterate
from .state import Solution, State


class PerfectSeparationWarning(UserWarning):
    """A hyperplane separates the classes, so that without a penalty the coefficients grow without end."""


class Solver(ABC):
    """Minimises an objective from a start.

    `asks` are words of `sumlearn.objectives.OFFERS` that it needs, all of them; of `one_of` it needs one. `kinks` are
    the parts of an objective, "loss" or "penalty", that need not be smooth; `local` ones take penalties that are not
    convex, of which they find a minimum among its neighbours.
    """

    name: ClassVar[str]
    asks: ClassVar[frozenset[str]] = frozenset({"value and slope"})
    one_of: ClassVar[frozenset[str]] = frozenset()
    kinks: ClassVar[frozenset[str]] = frozenset()
    local: ClassVar[bool] = False  # whether it goes to a minimum among neighbours where a part is not convex
    nothing: float = 0.0  # share of the first value that is no gain
    watch: Callable[[], None] | None = None  # called for every entry of the trace

    @abstractmethod
    def start(self, objective: Any, point: np.ndarray) -> State:
        """The state before the first step."""

    @abstractmethod
    def step(self, objective: Any, state: Any) -> State:
        """The next state: the same one from the same state, which is not changed."""

    @final
    def minimise(self, objective: Any, start: np.ndarray) -> Solution:
        """The point of least value that can be reached from the start."""
        self.check(objective)
        run = iterate(
            self.start(objective, start), partial(self.step, objective), has_ended, None, self.watch, noted_by
        )
        return run.state.solution(run.trace)

    @final
    def check(self, objective: Any) -> None:
        """Refuse what this solver cannot minimise, and say who can."""
        from . import SOLVERS

        absent = [name for name in MEMBERS if not hasattr(objective, name)]
        if absent:
            raise TypeError(f"{type(objective).__name__} is no sumlearn.objectives.Objective: no {', '.join(absent)}")
        lack = self.lack(objective)
        if lack:
            able = [repr(name) for name, kind in SOLVERS.items() if not kind.lack(objective)]
            raise ValueError(f"solver={self.name!r} {lack}; {' and '.join(able) or 'no solver'} can")

    @classmethod
    @final
    def lack(cls, objective: Any) -> str:
        """What is missing, as the end of a sentence about this solver; nothing where it can."""
        for kink in objective.kinks:
            if kink.part not in cls.kinks:
                return f"needs a smooth {kink.part} and cannot minimise {kink.name}"
            if not kink.convex and not cls.local:
                return f"finds the minimum of what is convex, which {kink.name} is not"
        words, joint = cls.asks - objective.offers, " and "
        if not words and not cls.one_of & objective.offers:
            words, joint = cls.one_of, " or "
        if not words:
            return ""
        missing = [word for word in OFFERS if word in words]
        needs = joint.join(OFFERS[word].needs for word in missing)
        kind = type(objective).__name__
        parts = f" with {objective.named}" if words & OF_LOSS_AND_PENALTY and hasattr(objective, "named") else ""
        return f"asks for {joint.join(missing)} (it needs {needs}), which {kind} does not offer{parts}"


OF_LOSS_AND_PENALTY = frozenset({"dual", "program", "ramps", "planes"})  # whether they are there depends on both
MEMBERS = ("offers", "kinks", "rounding", "noise", "cost", "start", "expand")


def has_ended(before: State, after: State) -> bool:
    return after.ended


def noted_by(state: State) -> tuple[float, ...]:
    return state.noted


def expansion(objective: Any, point: np.ndarray, order: int = 1) -> Expansion:
    """The objective about a point, if it is a number there."""
    found = objective.expand(point, order)
    if not np.isfinite(found.value):
        raise ValueError("the objective overflows: rescale the columns, or use a stronger penalty")
    return found


def positive_rate(rate: float) -> float:
    """A step that was given, if it leads anywhere."""
    if not (np.isfinite(rate) and rate > 0):
        raise ValueError(f"rate must be a positive number or None, got {rate!r}")
    return rate


def positive_whole(name: str, number: int) -> int:
    """A number of something of which there must be some."""
    if not isinstance(number, int | np.integer) or number < 1:
        raise ValueError(f"{name} must be a whole number above 0, got {number!r}")
    return int(number)
