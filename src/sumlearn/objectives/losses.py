"""Losses: what a wrong score costs, with slope and curvature beside it.

Classification losses take y in {-1, +1} and the score f, and depend on the margin m = y f; regression losses take a
number y and the residual r = y - f. Every method is elementwise. The derivatives are with respect to the score f.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from .links import log_softmax, sigmoid


class Loss(ABC):
    """l(y, f), dl/df and d2l/df2.

    `smooth` losses have a slope without jumps; `steepness` bounds the curvature. `target` is what y is, "number" or
    "label"; `coding` how the loss takes it: as its "value", as "sign" (+1 for one label, -1 for all others), or as
    "class" (the number of a label, with one score for each).
    """

    name: ClassVar[str]
    target: ClassVar[str]
    coding: ClassVar[str]
    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    asymptotic: ClassVar[bool] = False  # whether the loss of a right score goes on falling for ever
    steepness: float

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        task = vars(cls).get("task")
        if task is not None:  # the one word for both, before
            message = f"{cls.__name__}.task is now target ('number' or 'label') and coding ('value', 'sign' or 'class')"
            warnings.warn(message, FutureWarning, stacklevel=2)
            cls.target, cls.coding = ("number", "value") if task == "number" else ("label", task)

    @abstractmethod
    def value(self, y: np.ndarray, score: np.ndarray) -> np.ndarray: ...

    @abstractmethod
    def slope(self, y: np.ndarray, score: np.ndarray) -> np.ndarray: ...

    @abstractmethod
    def curvature(self, y: np.ndarray, score: np.ndarray) -> np.ndarray: ...

    def terms(self, y: np.ndarray, score: np.ndarray, order: int) -> tuple[Any, Any, Any]:
        """Value, slope and (order 2) curvature at once, for losses whose terms share work."""
        return self.value(y, score), self.slope(y, score), self.curvature(y, score) if order > 1 else None

    conjugate: Any = None  # where it is known: (y, slope) -> sup_f slope f - l(y, f), from which bounds follow

    def margin(self, y: np.ndarray, score: np.ndarray) -> float:
        """Smallest margin of some rows; -inf where the loss knows none."""
        return float((y * score).min(initial=np.inf)) if self.coding == "sign" else -np.inf

    def __repr__(self) -> str:
        inside = ", ".join(f"{k}={v!r}" for k, v in vars(self).items() if k not in ("width", "steepness"))
        return f"{type(self).__name__}({inside})"


# -- losses of the margin -------------------------------------------------------------------------------------------


class ZeroOne(Loss):
    """1 if y f <= 0 else 0: what one would like to minimise. Not convex: for evaluation only.

    >>> ZeroOne().value(np.array([1, 1, -1]), np.array([2.0, -1.0, -3.0])).tolist()
    [0.0, 1.0, 0.0]
    """

    name, target, coding, smooth, convex = "zero_one", "label", "sign", False, False
    steepness = np.inf

    def value(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return (y * score <= 0).astype(float)

    def slope(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return np.zeros_like(score)

    def curvature(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return np.zeros_like(score)


class Logistic(Loss):
    """log(1 + exp(-y f)): minus the log-likelihood of P(y | x) = sigma(y f).

    >>> round(float(Logistic().value(np.array([1.0]), np.array([0.0]))[0]), 6)
    0.693147
    """

    name, target, coding, steepness, asymptotic = "logistic", "label", "sign", 0.25, True

    def value(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return np.logaddexp(0.0, -y * score)

    def slope(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return -y * sigmoid(-y * score)

    def curvature(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        p = sigmoid(score)
        return p * (1.0 - p)

    def terms(self, y: np.ndarray, score: np.ndarray, order: int) -> tuple[Any, Any, Any]:
        m = y * score
        e, wrong = self.wrong(m)  # one exponential for all three
        value = np.log1p(e)
        value -= np.minimum(m, 0.0)
        return value, -y * wrong, wrong * (1.0 - wrong) if order > 1 else None

    @staticmethod
    def wrong(m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """exp(-|m|), which never overflows, and sigma(-m)."""
        e = np.exp(-np.abs(m))
        wrong = np.where(m > 0, e, 1.0)
        wrong /= 1.0 + e
        return e, wrong

    def conjugate(self, y: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """p ln p + (1 - p) ln(1 - p) with p = -y slope."""
        p = np.clip(-y * slope, 0.0, 1.0)
        return entropy(p) + entropy(1.0 - p)


class SquaredHinge(Loss):
    """max(0, 1 - y f)^2.

    >>> SquaredHinge().value(np.array([1.0, 1.0]), np.array([2.0, -1.0])).tolist()
    [0.0, 4.0]
    """

    name, target, coding, steepness = "squared_hinge", "label", "sign", 2.0

    def value(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return np.maximum(0.0, 1.0 - y * score) ** 2

    def slope(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return -2.0 * y * np.maximum(0.0, 1.0 - y * score)

    def curvature(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return 2.0 * (y * score < 1.0)

    def conjugate(self, y: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """a^2 / 4 - a with a = -y slope."""
        a = -y * slope
        return 0.25 * a * a - a


class Softmax(Loss):
    """-log p_y with p = softmax(f): y is the number of a class, f one score per class.

        slope = p - e_y        Hessian = diag(p) - p p'

    >>> float(Softmax().value(np.array([1]), np.array([[0.0, np.log(3.0)]]))[0])
    0.287682
    """

    name, target, coding, steepness, asymptotic = "softmax", "label", "class", 0.5, True

    def value(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return -log_softmax(score)[np.arange(len(y)), y]

    def slope(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        p = np.exp(log_softmax(score))
        p[np.arange(len(y)), y] -= 1.0
        return p

    def curvature(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        """The probabilities p, of which the Hessian of a row is made."""
        return np.exp(log_softmax(score))

    def terms(self, y: np.ndarray, score: np.ndarray, order: int) -> tuple[Any, Any, Any]:
        every = np.arange(len(y))
        p = score - score.max(axis=1, keepdims=True)
        own = p[every, y]
        np.exp(p, out=p)
        total = p.sum(axis=1, keepdims=True)
        p /= total
        value = np.log(total[:, 0]) - own
        slope = p.copy() if order > 1 else p
        slope[every, y] -= 1.0
        return value, slope, p if order > 1 else None

    def margin(self, y: np.ndarray, score: np.ndarray) -> float:
        """Smallest lead of the own class over the best other."""
        own = score[np.arange(len(y)), y].copy()
        others = score.copy()
        others[np.arange(len(y)), y] = -np.inf
        return float((own - others.max(axis=1)).min(initial=np.inf))

    def conjugate(self, y: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """sum_k p_k ln p_k with p = slope + e_y."""
        p = slope.copy()
        p[np.arange(len(y)), y] += 1.0
        return entropy(np.clip(p, 0.0, 1.0)).sum(axis=1)


# -- losses of the residual -------------------------------------------------------------------------------------------


class Squared(Loss):
    """(y - f)^2 / 2. The notes write it without the half; then their penalty is twice ours too, lambda stays.

    >>> Squared().value(np.array([3.0]), np.array([1.0])).tolist()
    [2.0]
    """

    name, target, coding, steepness = "squared", "number", "value", 1.0

    def value(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return 0.5 * (y - score) ** 2

    def slope(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return score - y

    def curvature(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return np.ones_like(score)

    def conjugate(self, y: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """slope^2 / 2 + slope y."""
        return 0.5 * slope * slope + slope * y


class Huber(Loss):
    """r^2 / 2 if |r| <= delta, else delta |r| - delta^2 / 2: squared for small residuals, absolute for large ones.

    >>> Huber(1.0).value(np.array([0.5, 3.0]), np.zeros(2)).tolist()
    [0.125, 2.5]
    """

    name, target, coding, steepness = "huber", "number", "value", 1.0

    def __init__(self, delta: float = 1.35) -> None:
        if not (np.isfinite(delta) and delta > 0):
            raise ValueError(f"delta must be positive, got {delta!r}")
        self.delta = delta

    def value(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        r = np.abs(y - score)
        small = np.minimum(r, self.delta)
        return small * (r - 0.5 * small)

    def slope(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return np.clip(score - y, -self.delta, self.delta)

    def curvature(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return (np.abs(y - score) <= self.delta).astype(score.dtype)

    def eased(self, delta: float) -> Huber:
        """The same loss with a larger delta: fewer residuals on its flat sides, where it has no curvature."""
        return Huber(max(delta, self.delta))

    def conjugate(self, y: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """slope^2 / 2 + slope y, for |slope| <= delta."""
        return 0.5 * slope * slope + slope * y


def entropy(p: np.ndarray) -> np.ndarray:
    """p ln p, zero where p is."""
    return p * np.log(np.where(p > 0, p, 1.0))
