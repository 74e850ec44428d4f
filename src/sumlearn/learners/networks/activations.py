"""Activations: what a hidden unit makes of its weighted sum; value and slope side by side.

    value(z)   a = f(z)
    slope(a)   f'(z), told by the value a alone, so that a layer need not keep z

of NumPy arrays, torch tensors and whatever else knows the array API. A network takes one by its name or as an object:
``MLPClassifier(activation="elu")``, ``MLPClassifier(activation=LeakyReLU(0.01))``.

>>> import numpy as np
>>> from sumlearn.learners.networks.activations import ELU, LeakyReLU, Maxout
>>> z = np.array([-2.0, 0.0, 3.0])
>>> LeakyReLU().value(z).tolist(), LeakyReLU().slope(LeakyReLU().value(z)).tolist()
([-0.2, 0.0, 3.0], [0.1, 0.1, 1.0])
>>> ELU().value(z).round(4).tolist()
[-0.8647, 0.0, 3.0]
>>> Maxout().value(np.array([[1.0, -3.0, 0.5, 2.0]])).tolist()  # two units, two pieces each
[[1.0, 2.0]]
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from ...features.input_ranges import is_number, whole_number
from .parts.array_types import namespace


class Activation(ABC):
    """f(z), element by element, unless a unit has several sums (`pieces`)."""

    name: ClassVar[str]
    pieces: int = 1  # weighted sums of a unit
    gain: ClassVar[float] = 6.0  # of Glorot's uniform start, as scikit-learn takes it

    @abstractmethod
    def value(self, z: Any) -> Any:
        """f(z)."""

    @abstractmethod
    def slope(self, a: Any) -> Any:
        """f'(z) where a = f(z)."""


@dataclass(frozen=True)
class Identity(Activation):
    """z."""

    name = "identity"

    def value(self, z: Any) -> Any:
        return z

    def slope(self, a: Any) -> Any:
        return namespace(a).ones_like(a)


@dataclass(frozen=True)
class Sigmoid(Activation):
    """1 / (1 + exp(-z)), with slope a (1 - a)."""

    name = "logistic"
    gain = 2.0

    def value(self, z: Any) -> Any:
        return 0.5 * namespace(z).tanh(0.5 * z) + 0.5  # no overflow on either side

    def slope(self, a: Any) -> Any:
        return a * (1.0 - a)


@dataclass(frozen=True)
class Tanh(Activation):
    """tanh z, with slope 1 - a^2."""

    name = "tanh"

    def value(self, z: Any) -> Any:
        return namespace(z).tanh(z)

    def slope(self, a: Any) -> Any:
        return 1.0 - a * a


@dataclass(frozen=True)
class ReLU(Activation):
    """max(0, z)."""

    name = "relu"

    def value(self, z: Any) -> Any:
        return namespace(z).clip(z, min=0.0)

    def slope(self, a: Any) -> Any:
        xp = namespace(a)
        return xp.astype(a > 0, a.dtype)


@dataclass(frozen=True)
class LeakyReLU(Activation):
    """max(l z, z): a unit that is off still learns a little.

    Parameters
    ----------
    leak : float, default=0.1
        l, from 0 to below 1.
    """

    leak: float = 0.1
    name = "leaky_relu"

    def __post_init__(self) -> None:
        if not is_number(self.leak) or not 0.0 <= self.leak < 1.0:
            raise ValueError(f"leak must be a number from 0 to below 1, got {self.leak!r}")

    def value(self, z: Any) -> Any:
        return namespace(z).where(z > 0, z, self.leak * z)

    def slope(self, a: Any) -> Any:
        xp = namespace(a)
        return self.leak + (1.0 - self.leak) * xp.astype(a > 0, a.dtype)


@dataclass(frozen=True)
class ELU(Activation):
    """z where it is positive, else s (exp(z) - 1), whose slope is a + s.

    Parameters
    ----------
    scale : float, default=1.0
        s; far below zero a unit says -s.
    """

    scale: float = 1.0
    name = "elu"

    def __post_init__(self) -> None:
        if not is_number(self.scale) or not 0.0 < self.scale < float("inf"):
            raise ValueError(f"scale must be a positive number, got {self.scale!r}")

    def value(self, z: Any) -> Any:
        xp = namespace(z)
        return xp.where(z > 0, z, self.scale * xp.expm1(xp.where(z > 0, 0.0 * z, z)))

    def slope(self, a: Any) -> Any:
        xp = namespace(a)
        return xp.where(a > 0, xp.ones_like(a), a + self.scale)


@dataclass(frozen=True)
class Maxout(Activation):
    """max(z_1, z_2, ...) over several weighted sums of a unit: a convex function that is learnt.

    Of k units with p pieces, z has p k columns: the first piece of every unit, then the second of every unit, ...; the
    slope is that of z, one at the largest piece (the first of equal ones) and zero elsewhere.

    Parameters
    ----------
    pieces : int, default=2
    """

    pieces: int = 2
    name = "maxout"

    def __post_init__(self) -> None:
        whole_number(self.pieces, "pieces", 2)

    def value(self, z: Any) -> Any:
        return namespace(z).max(self.apart(z), axis=1)

    def slope(self, z: Any) -> Any:
        """One where a piece is the largest of its unit; asks for z, not for the value."""
        xp, apart = namespace(z), self.apart(z)
        best = xp.argmax(apart, axis=1)
        places = xp.arange(self.pieces, device=best.device) if hasattr(best, "device") else xp.arange(self.pieces)
        return xp.reshape(xp.astype(best[:, None, :] == places[None, :, None], z.dtype), z.shape)

    def apart(self, z: Any) -> Any:
        """(rows, pieces, units)."""
        return namespace(z).reshape(z, (z.shape[0], self.pieces, z.shape[1] // self.pieces))


ACTIVATIONS: dict[str, Activation] = {
    f.name: f for f in (Identity(), Sigmoid(), Tanh(), ReLU(), LeakyReLU(), ELU(), Maxout())
}
ACTIVATIONS["sigmoid"] = ACTIVATIONS["logistic"]

__all__ = [
    "ACTIVATIONS",
    "ELU",
    "Activation",
    "Identity",
    "LeakyReLU",
    "Maxout",
    "ReLU",
    "Sigmoid",
    "Tanh",
    "activation_of",
]


def activation_of(given: Any) -> Activation:
    """An activation by its name or as it is."""
    if isinstance(given, Activation):
        return given
    if not isinstance(given, str) or given not in ACTIVATIONS:
        names = ", ".join(map(repr, ACTIVATIONS))
        raise ValueError(f"activation must be one of {names}, or an Activation, got {given!r}")
    return ACTIVATIONS[given]
