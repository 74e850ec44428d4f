"""Penalties: what large coefficients cost. The intercept is never penalised.

`prox` is the proximal map, argmin_v (v - w)^2 / 2 + step Omega(v), with one step for each coefficient.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from .objective import Kink


class Penalty(ABC):
    """Omega(w): a sum over the coefficients."""

    name: ClassVar[str]
    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True

    @abstractmethod
    def value(self, w: np.ndarray) -> float: ...

    @abstractmethod
    def slope(self, w: np.ndarray) -> np.ndarray: ...

    @abstractmethod
    def curvature(self, w: np.ndarray) -> np.ndarray: ...

    @abstractmethod
    def prox(self, w: np.ndarray, step: Any) -> np.ndarray: ...

    @property
    def kinks(self) -> tuple[Kink, ...]:
        """What a solver has to know of it."""
        return () if self.smooth else (Kink("penalty", f"penalty={self.name!r}", self.convex),)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in vars(self).items())})"


class Free(Penalty):
    """Nothing: maximum likelihood."""

    name = "none"

    def value(self, w: np.ndarray) -> float:
        return 0.0

    def slope(self, w: np.ndarray) -> np.ndarray:
        return np.zeros_like(w)

    def curvature(self, w: np.ndarray) -> np.ndarray:
        return np.zeros_like(w)

    def prox(self, w: np.ndarray, step: Any) -> np.ndarray:
        return w


class L2(Penalty):
    """|w|^2 / 2: weight decay, a Gaussian prior.

    >>> L2().value(np.array([3.0, 4.0])), L2().prox(np.array([3.0]), 2.0).tolist()
    (12.5, [1.0])
    """

    name = "l2"

    def value(self, w: np.ndarray) -> float:
        return 0.5 * float((w * w).sum())

    def slope(self, w: np.ndarray) -> np.ndarray:
        return w

    def curvature(self, w: np.ndarray) -> np.ndarray:
        return np.ones_like(w)

    def prox(self, w: np.ndarray, step: Any) -> np.ndarray:
        return w / (1.0 + step)


class L1(Penalty):
    """sum |w_j|: few coefficients, a Laplace prior. The slope at zero is zero, one of its subgradients.

    >>> L1().value(np.array([-3.0, 4.0])), L1().prox(np.array([3.0, -1.0]), 2.0).tolist()
    (7.0, [1.0, -0.0])
    """

    name, smooth = "l1", False

    def value(self, w: np.ndarray) -> float:
        return float(np.abs(w).sum())

    def slope(self, w: np.ndarray) -> np.ndarray:
        return np.sign(w)

    def curvature(self, w: np.ndarray) -> np.ndarray:
        return np.zeros_like(w)

    def prox(self, w: np.ndarray, step: Any) -> np.ndarray:
        return np.sign(w) * np.maximum(np.abs(w) - step, 0.0)


class ElasticNet(Penalty):
    """rho sum |w_j| + (1 - rho) / 2 |w|^2, with rho = `l1_ratio`.

    >>> ElasticNet(0.5).value(np.array([3.0, -4.0])), ElasticNet(0.5).prox(np.array([4.0]), 2.0).tolist()
    (9.75, [1.5])
    """

    name, smooth = "elasticnet", False

    def __init__(self, l1_ratio: float = 0.5) -> None:
        if not 0.0 <= l1_ratio <= 1.0:
            raise ValueError(f"l1_ratio must lie between 0 and 1, got {l1_ratio!r}")
        self.l1_ratio = l1_ratio

    def value(self, w: np.ndarray) -> float:
        return self.l1_ratio * L1().value(w) + (1.0 - self.l1_ratio) * L2().value(w)

    def slope(self, w: np.ndarray) -> np.ndarray:
        return self.l1_ratio * np.sign(w) + (1.0 - self.l1_ratio) * w

    def curvature(self, w: np.ndarray) -> np.ndarray:
        return np.full_like(w, 1.0 - self.l1_ratio)

    def prox(self, w: np.ndarray, step: Any) -> np.ndarray:
        return L1().prox(w, step * self.l1_ratio) / (1.0 + step * (1.0 - self.l1_ratio))


class L0(Penalty):
    """The number of coefficients that are not zero. Not convex: the best subset is found by search.

    >>> L0().value(np.array([0.0, -4.0])), L0().prox(np.array([3.0, 1.0]), 2.0).tolist()
    (1.0, [3.0, 0.0])
    """

    name, smooth, convex = "l0", False, False

    def value(self, w: np.ndarray) -> float:
        return float(np.count_nonzero(w))

    def slope(self, w: np.ndarray) -> np.ndarray:
        return np.zeros_like(w)

    def curvature(self, w: np.ndarray) -> np.ndarray:
        return np.zeros_like(w)

    def prox(self, w: np.ndarray, step: Any) -> np.ndarray:
        return np.where(w * w > 2.0 * step, w, 0.0)


class Rounded(Penalty):
    """a sum sqrt(w_j^2 + h_j^2) + b / 2 |w|^2: a penalty a |w|_1 + b / 2 |w|^2 with its kinks rounded over widths h.

    >>> Rounded(L1(), 3.0).value(np.array([4.0])), Rounded(L1(), 3.0).slope(np.array([4.0])).tolist()
    (5.0, [0.8])
    """

    name = "rounded"

    def __init__(self, penalty: Penalty, width: Any) -> None:
        mixture = mixture_of(penalty)
        if mixture is None:
            raise ValueError(f"penalty={penalty.name!r} has kinks but cannot round them: it is no mixture of L1 and L2")
        self.a, self.b = mixture
        self.width = width

    def value(self, w: np.ndarray) -> float:
        return float((self.a * np.hypot(w, self.width) + 0.5 * self.b * w * w).sum())

    def slope(self, w: np.ndarray) -> np.ndarray:
        return self.a * w / np.hypot(w, self.width) + self.b * w

    def curvature(self, w: np.ndarray) -> np.ndarray:
        size = np.hypot(w, self.width)
        return self.a * (self.width / size) ** 2 / size + self.b

    def prox(self, w: np.ndarray, step: Any) -> np.ndarray:
        """By Newton's method on v + step slope(v) = w."""
        v = w / (1.0 + step * (self.b + self.a / np.hypot(w, self.width)))
        for _ in range(50):
            v = v - (v + step * self.slope(v) - w) / (1.0 + step * self.curvature(v))
        return v


PENALTIES: dict[str, type[Penalty]] = {penalty.name: penalty for penalty in (Free, L2, L1, ElasticNet, L0)}


def mixture_of(penalty: Penalty) -> tuple[float, float] | None:
    """a and b of a penalty a |w|_1 + b |w|^2 / 2; None for any other.

    >>> mixture_of(ElasticNet(0.3)), mixture_of(L0())
    ((0.3, 0.7), None)
    """
    if isinstance(penalty, ElasticNet):
        return penalty.l1_ratio, 1.0 - penalty.l1_ratio
    known: dict[type, tuple[float, float]] = {Free: (0.0, 0.0), L1: (1.0, 0.0), L2: (0.0, 1.0)}
    return known.get(type(penalty))


def penalty_of(penalty: Any) -> Penalty:
    """A penalty by its name or as it is; None is no penalty."""
    if penalty is None:
        return Free()
    if isinstance(penalty, str) and penalty in PENALTIES:
        return PENALTIES[penalty]()
    if isinstance(penalty, Penalty):
        return penalty
    raise ValueError(f"penalty must be one of {', '.join(PENALTIES)}, None, or a Penalty, got {penalty!r}")
