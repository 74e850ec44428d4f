"""Schedules: the learning rate from epoch to epoch.

A network takes one by scikit-learn's word or as an object: ``MLPClassifier(learning_rate=Cosine(50))``. Rates that
differ from weight to weight, by slope and speed, are those of `sumlearn.networks.optimisers`.

>>> from sumlearn.learners.networks.schedules import Cosine, StepDecay, WarmUp
>>> [StepDecay(every=2, factor=0.5).rate(0.1, epoch, 0) for epoch in range(5)]
[0.1, 0.1, 0.05, 0.05, 0.025]
>>> [round(WarmUp(4, Cosine(8)).rate(1.0, epoch, 0), 3) for epoch in (0, 3, 4, 8)]
[0.25, 1.0, 1.0, 0.5]
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import cos, pi
from typing import Any

from ...features.input_ranges import is_number, whole_number

LEAST = 1e-6  # a rate that is not divided any further


class Schedule:
    """rate(initial, epoch, rows): the rate of an epoch, after `epoch` of them in which `rows` rows were shown."""

    @abstractmethod
    def rate(self, initial: float, epoch: int, rows: int) -> float:
        """The rate of the next epoch."""

    def stalled(self, factor: float) -> Any:
        """What the rate is multiplied with from now on, not `factor`, where learning would end; none: it ends."""


@dataclass(frozen=True)
class Constant(Schedule):
    """The same rate always."""

    def rate(self, initial: float, epoch: int, rows: int) -> float:
        return initial


@dataclass(frozen=True)
class InverseScaling(Schedule):
    """initial / (rows + 1)^power, the rows being those shown so far.

    Parameters
    ----------
    power : float, default=0.5
    """

    power: float = 0.5

    def __post_init__(self) -> None:
        check_number(self.power, "power", 0.0)

    def rate(self, initial: float, epoch: int, rows: int) -> float:
        return initial / (rows + 1) ** self.power


@dataclass(frozen=True)
class Adaptive(Schedule):
    """The same rate as long as it helps, then a fifth of it, and so on down to a millionth."""

    def rate(self, initial: float, epoch: int, rows: int) -> float:
        return initial

    def stalled(self, factor: float) -> Any:
        return factor / 5.0


@dataclass(frozen=True)
class StepDecay(Schedule):
    """The rate times `factor` after every so many epochs.

    Parameters
    ----------
    every : int, default=10
    factor : float, default=0.5
    """

    every: int = 10
    factor: float = 0.5

    def __post_init__(self) -> None:
        whole_number(self.every, "every", 1)
        check_number(self.factor, "factor", 0.0)

    def rate(self, initial: float, epoch: int, rows: int) -> float:
        return initial * self.factor ** (epoch // self.every)


@dataclass(frozen=True)
class Cosine(Schedule):
    """Down to `least` of the rate in so many epochs, along half a cosine.

    Parameters
    ----------
    epochs : int, default=100
    least : float, default=0.0
        Share of the rate that is left in the end.
    """

    epochs: int = 100
    least: float = 0.0

    def __post_init__(self) -> None:
        whole_number(self.epochs, "epochs", 1)
        check_number(self.least, "least", 0.0)

    def rate(self, initial: float, epoch: int, rows: int) -> float:
        fallen = 0.5 - 0.5 * cos(pi * min(epoch / self.epochs, 1.0))
        return initial * (1.0 - (1.0 - self.least) * fallen)


@dataclass(frozen=True)
class WarmUp(Schedule):
    """Up to the rate in so many epochs, in equal steps, then as another schedule says.

    Parameters
    ----------
    epochs : int, default=5
    then : Schedule, default=Constant()
    """

    epochs: int = 5
    then: Schedule = Constant()

    def __post_init__(self) -> None:
        whole_number(self.epochs, "epochs", 1)
        if not isinstance(self.then, Schedule):
            raise TypeError(f"then must be a Schedule, got {self.then!r}")

    def rate(self, initial: float, epoch: int, rows: int) -> float:
        if epoch < self.epochs:
            return initial * (epoch + 1) / self.epochs
        return self.then.rate(initial, epoch - self.epochs, rows)

    def stalled(self, factor: float) -> Any:
        return self.then.stalled(factor)


SCHEDULES = (Constant, InverseScaling, Adaptive, StepDecay, Cosine, WarmUp)

__all__ = [
    "SCHEDULES",
    "Adaptive",
    "Constant",
    "Cosine",
    "InverseScaling",
    "Schedule",
    "StepDecay",
    "WarmUp",
    "schedule_of",
]


def schedule_of(given: Any, power: float = 0.5) -> Schedule:
    """A schedule by scikit-learn's word for it, or as it is."""
    if isinstance(given, Schedule):
        return given
    named = {"constant": Constant, "invscaling": lambda: InverseScaling(power), "adaptive": Adaptive}
    if not isinstance(given, str) or given not in named:
        raise ValueError(f"learning_rate must be one of {', '.join(map(repr, named))}, or a Schedule, got {given!r}")
    return named[given]()


def check_number(value: Any, name: str, least: float) -> None:
    if not is_number(value) or not least <= value < float("inf"):
        raise ValueError(f"{name} must be a number of at least {least:g}, got {value!r}")
