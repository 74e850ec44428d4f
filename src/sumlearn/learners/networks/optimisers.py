"""Optimisers: how the weights follow the slopes of one batch after the other; every rule in a few lines.

They go by the slope and the speed that past slopes have given (`Momentum`: a share of 0 is the plain rule), or give
each weight a rate of its own by the size of its slopes so far (`AdaGrad`), of late (`RMSProp`), or by speed and size
(`Adam`). With w the weights, g their slopes, t the number of the step, and all of them vectors:

    Momentum   v = m v - rate g                          w = w + v         (Nesterov: w = w + m v - rate g)
    AdaGrad    s = s + g^2                               w = w - rate g / (sqrt(s) + e)
    RMSProp    s = r s + (1 - r) g^2                     w = w - rate g / (sqrt(s) + e)
    Adam       v = b1 v + (1 - b1) g                     w = w - rate' v / (sqrt(s) + e)
               s = b2 s + (1 - b2) g^2                   rate' = rate sqrt(1 - b2^t) / (1 - b1^t)

>>> import numpy as np
>>> from sumlearn.learners.networks.optimisers import AdaGrad
>>> w, sums = np.array([1.0, 1.0]), (np.zeros(2),)
>>> AdaGrad().step(w, np.array([10.0, 0.1]), sums, rate=0.5, t=1)  # a large slope and a small one: equal steps
>>> w.round(6).tolist()
[0.5, 0.5]
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...compiled import network_steps
from ...features.input_ranges import is_number
from .parts.array_types import namespace


class Optimiser(ABC):
    """A rule w, g, memories -> w, memories: all of them are changed in place."""

    name: ClassVar[str]
    memories: ClassVar[int] = 1  # vectors of the length of w that it remembers, zero at the start

    @abstractmethod
    def step(self, w: Any, g: Any, memories: Any, rate: float, t: int) -> None:
        """One step; t counts from 1. The slopes may be overwritten."""


@dataclass(frozen=True)
class Momentum(Optimiser):
    """Down the slope, with some of the speed of the step before.

    Parameters
    ----------
    momentum : float, default=0.9
        Share of the speed that stays; 0 is the plain rule.
    nesterov : bool, default=True
        Whether the slope's correction is made as if the speed had already acted.

    Examples
    --------
    >>> import numpy as np
    >>> w, speed = np.zeros(1), (np.zeros(1),)
    >>> for t in (1, 2, 3):
    ...     Momentum(0.5, nesterov=False).step(w, np.array([1.0]), speed, rate=0.1, t=t)
    >>> w.round(3).tolist(), speed[0].round(3).tolist()  # - .1 - .15 - .175
    ([-0.425], [-0.175])
    """

    momentum: float = 0.9
    nesterov: bool = True
    name = "sgd"

    def __post_init__(self) -> None:
        check_share(self.momentum, "momentum", closed=True)

    def step(self, w: Any, g: Any, memories: Any, rate: float, t: int) -> None:
        (v,) = memories
        if isinstance(w, np.ndarray):
            network_steps.sgd(w, g, v, rate, float(self.momentum), bool(self.nesterov))
            return
        v *= self.momentum
        v -= rate * g
        w += self.momentum * v - rate * g if self.nesterov else v


@dataclass(frozen=True)
class AdaGrad(Optimiser):
    """A rate for every weight that falls with the sum of its squared slopes.

    Parameters
    ----------
    epsilon : float, default=1e-8
        Keeps a weight without slopes from being divided by zero.

    Examples
    --------
    >>> import numpy as np
    >>> w, sums = np.zeros(1), (np.zeros(1),)
    >>> for t in (1, 2):
    ...     AdaGrad().step(w, np.array([3.0]), sums, rate=0.1, t=t)
    >>> w.round(4).tolist(), sums[0].tolist()  # - .1 - .1 / sqrt(2)
    ([-0.1707], [18.0])
    """

    epsilon: float = 1e-8
    name = "adagrad"

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon)

    def step(self, w: Any, g: Any, memories: Any, rate: float, t: int) -> None:
        (s,) = memories
        s += g * g
        w -= rate * g / (namespace(s).sqrt(s) + self.epsilon)


@dataclass(frozen=True)
class RMSProp(Optimiser):
    """A rate for every weight that falls with the size of its slopes of late.

    Parameters
    ----------
    decay : float, default=0.9
        Share of the past in the mean of squared slopes.
    epsilon : float, default=1e-8

    Examples
    --------
    >>> import numpy as np
    >>> w, mean = np.zeros(1), (np.zeros(1),)
    >>> RMSProp(decay=0.75).step(w, np.array([3.0]), mean, rate=0.1, t=1)
    >>> w.round(4).tolist(), mean[0].tolist()  # - .1 * 3 / sqrt(9 / 4)
    ([-0.2], [2.25])
    """

    decay: float = 0.9
    epsilon: float = 1e-8
    name = "rmsprop"

    def __post_init__(self) -> None:
        check_share(self.decay, "decay")
        check_epsilon(self.epsilon)

    def step(self, w: Any, g: Any, memories: Any, rate: float, t: int) -> None:
        (s,) = memories
        s *= self.decay
        s += (1.0 - self.decay) * g * g
        w -= rate * g / (namespace(s).sqrt(s) + self.epsilon)


@dataclass(frozen=True)
class Adam(Optimiser):
    """Speed and size together, both freed of their start at zero.

    Parameters
    ----------
    beta_1, beta_2 : float, default=0.9, 0.999
        Shares of the past in the means of slopes, and of their squares.
    epsilon : float, default=1e-8

    Examples
    --------
    >>> import numpy as np
    >>> w, memories = np.zeros(2), (np.zeros(2), np.zeros(2))
    >>> Adam().step(w, np.array([5.0, -0.01]), memories, rate=0.1, t=1)
    >>> w.round(4).tolist()  # the first step has the length of the rate, whatever the slopes
    [-0.1, 0.1]
    """

    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8
    name = "adam"
    memories = 2

    def __post_init__(self) -> None:
        check_share(self.beta_1, "beta_1")
        check_share(self.beta_2, "beta_2")
        check_epsilon(self.epsilon)

    def step(self, w: Any, g: Any, memories: Any, rate: float, t: int) -> None:
        v, s = memories
        rate = rate * (1.0 - self.beta_2**t) ** 0.5 / (1.0 - self.beta_1**t)
        if isinstance(w, np.ndarray):
            network_steps.adam(w, g, v, s, rate, float(self.beta_1), float(self.beta_2), float(self.epsilon))
            return
        v *= self.beta_1
        v += (1.0 - self.beta_1) * g
        s *= self.beta_2
        s += (1.0 - self.beta_2) * g * g
        w -= rate * v / (namespace(s).sqrt(s) + self.epsilon)


OPTIMISERS: dict[str, type[Optimiser]] = {rule.name: rule for rule in (Momentum, AdaGrad, RMSProp, Adam)}

__all__ = ["OPTIMISERS", "AdaGrad", "Adam", "Momentum", "Optimiser", "RMSProp"]


def check_share(value: Any, name: str, closed: bool = False) -> None:
    if not is_number(value) or not (0.0 <= value < 1.0 or (closed and value == 1.0)):
        raise ValueError(f"{name} must be a number from 0 to {'' if closed else 'below '}1, got {value!r}")


def check_epsilon(value: Any) -> None:
    if not is_number(value) or not 0.0 < value < float("inf"):
        raise ValueError(f"epsilon must be a positive number, got {value!r}")
