"""Losses: what a wrong score costs, with slope and curvature beside it.

Classification losses take y in {-1, +1} and the score f, and depend on the margin m = y f; regression losses take a
number y and the residual r = y - f. Every method is elementwise. The derivatives are with respect to the score f.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from .links import log_softmax, sigmoid


class Loss(ABC):
    """l(y, f), dl/df and d2l/df2.

    `smooth` losses have a slope without jumps; `steepness` bounds the curvature. `task` is what y holds: "sign",
    "number", or "class" (the number of a class, with one score for each).
    """

    name: ClassVar[str]
    task: ClassVar[str]
    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    asymptotic: ClassVar[bool] = False  # whether the loss of a right score goes on falling for ever
    steepness: float

    @abstractmethod
    def value(self, y: np.ndarray, score: np.ndarray) -> np.ndarray: ...

    @abstractmethod
    def slope(self, y: np.ndarray, score: np.ndarray) -> np.ndarray: ...

    @abstractmethod
    def curvature(self, y: np.ndarray, score: np.ndarray) -> np.ndarray: ...

    def terms(self, y: np.ndarray, score: np.ndarray, order: int) -> tuple[Any, Any, Any]:
        """Value, slope and (order 2) curvature at once, for losses whose terms share work."""
        return self.value(y, score), self.slope(y, score), self.curvature(y, score) if order > 1 else None

    def margin(self, y: np.ndarray, score: np.ndarray) -> float:
        """Smallest margin of some rows; -inf where the loss knows none."""
        return float((y * score).min(initial=np.inf)) if self.task == "sign" else -np.inf

    def __repr__(self) -> str:
        inside = ", ".join(f"{k}={v!r}" for k, v in vars(self).items() if k not in ("width", "steepness"))
        return f"{type(self).__name__}({inside})"


# -- losses of the margin -------------------------------------------------------------------------------------------


class ZeroOne(Loss):
    """1 if y f <= 0 else 0: what one would like to minimise. Not convex: for evaluation only.

    >>> ZeroOne().value(np.array([1, 1, -1]), np.array([2.0, -1.0, -3.0])).tolist()
    [0.0, 1.0, 0.0]
    """

    name, task, smooth, convex = "zero_one", "sign", False, False
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

    name, task, steepness, asymptotic = "logistic", "sign", 0.25, True

    def value(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return np.logaddexp(0.0, -y * score)

    def slope(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return -y * sigmoid(-y * score)

    def curvature(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        p = sigmoid(score)
        return p * (1.0 - p)

    def terms(self, y: np.ndarray, score: np.ndarray, order: int) -> tuple[Any, Any, Any]:
        m = y * score
        e = np.exp(-np.abs(m))  # never overflows; one exponential for all three
        wrong = np.where(m > 0, e, 1.0)
        wrong /= 1.0 + e  # sigma(-m)
        value = np.log1p(e)
        value -= np.minimum(m, 0.0)
        return value, -y * wrong, wrong * (1.0 - wrong) if order > 1 else None


class SquaredHinge(Loss):
    """max(0, 1 - y f)^2.

    >>> SquaredHinge().value(np.array([1.0, 1.0]), np.array([2.0, -1.0])).tolist()
    [0.0, 4.0]
    """

    name, task, steepness = "squared_hinge", "sign", 2.0

    def value(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return np.maximum(0.0, 1.0 - y * score) ** 2

    def slope(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return -2.0 * y * np.maximum(0.0, 1.0 - y * score)

    def curvature(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return 2.0 * (y * score < 1.0)


class Softmax(Loss):
    """-log p_y with p = softmax(f): y is the number of a class, f one score per class.

        slope = p - e_y        Hessian = diag(p) - p p'

    >>> float(Softmax().value(np.array([1]), np.array([[0.0, np.log(3.0)]]))[0])
    0.287682
    """

    name, task, steepness, asymptotic = "softmax", "class", 0.5, True

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


# -- losses of the residual -------------------------------------------------------------------------------------------


class Squared(Loss):
    """(y - f)^2 / 2. The notes write it without the half; then their penalty is twice ours too, lambda stays.

    >>> Squared().value(np.array([3.0]), np.array([1.0])).tolist()
    [2.0]
    """

    name, task, steepness = "squared", "number", 1.0

    def value(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return 0.5 * (y - score) ** 2

    def slope(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return score - y

    def curvature(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return np.ones_like(score)


class Huber(Loss):
    """r^2 / 2 if |r| <= delta, else delta |r| - delta^2 / 2: squared for small residuals, absolute for large ones.

    >>> Huber(1.0).value(np.array([0.5, 3.0]), np.zeros(2)).tolist()
    [0.125, 2.5]
    """

    name, task, steepness = "huber", "number", 1.0

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


# -- losses with kinks ------------------------------------------------------------------------------------------------


class Kinked(Loss):
    """A sum of ramps c max(0, t) with t = a + s f: convex and piecewise linear.

    `width` h > 0 rounds every kink: (t + sqrt(t^2 + h^2)) / 2 in place of max(0, t). The loss then grows by at most
    c h / 2 for each ramp, and a solver for smooth losses can follow h to zero (it is the path of an interior-point
    method).
    """

    smooth = False

    def __init__(self, width: float = 0.0) -> None:
        self.width = width
        self.steepness = 1.0 / width if width else np.inf  # two ramps may bend at the same place

    @abstractmethod
    def ramps(self, y: np.ndarray, score: np.ndarray) -> Iterator[tuple[float, np.ndarray, Any]]:
        """(c, t, s) of every ramp."""

    @abstractmethod
    def rounded(self, width: float) -> Kinked:
        """The same loss with kinks of this width."""

    def value(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return sum(c * self._ramp(t) for c, t, _ in self.ramps(y, score))  # type: ignore[return-value]

    def slope(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return sum(c * s * self._rise(t) for c, t, s in self.ramps(y, score))

    def curvature(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return sum(c * self._bend(t) for c, t, _ in self.ramps(y, score))  # type: ignore[return-value]

    def _ramp(self, t: np.ndarray) -> np.ndarray:
        if not self.width:
            return np.maximum(t, 0.0)
        size = np.hypot(t, self.width)
        return np.where(t > 0, 0.5 * (t + size), 0.5 * self.width * (self.width / (size - np.minimum(t, 0.0))))

    def _rise(self, t: np.ndarray) -> np.ndarray:
        return 0.5 * (1.0 + t / np.hypot(t, self.width)) if self.width else (t > 0).astype(t.dtype)

    def _bend(self, t: np.ndarray) -> np.ndarray:
        return 0.5 / self.width * (self.width / np.hypot(t, self.width)) ** 3 if self.width else np.zeros_like(t)


class PerceptronLoss(Kinked):
    """max(0, -y f).

    >>> PerceptronLoss().value(np.array([1.0, 1.0]), np.array([0.5, -2.0])).tolist()
    [0.0, 2.0]
    """

    name, task = "perceptron", "sign"

    def ramps(self, y: np.ndarray, score: np.ndarray) -> Iterator[tuple[float, np.ndarray, Any]]:
        yield 1.0, -y * score, -y

    def rounded(self, width: float) -> PerceptronLoss:
        return PerceptronLoss(width)


class Hinge(Kinked):
    """max(0, 1 - y f).

    >>> Hinge().value(np.array([1.0, 1.0]), np.array([2.0, -1.0])).tolist()
    [0.0, 2.0]
    """

    name, task = "hinge", "sign"

    def ramps(self, y: np.ndarray, score: np.ndarray) -> Iterator[tuple[float, np.ndarray, Any]]:
        yield 1.0, 1.0 - y * score, -y

    def rounded(self, width: float) -> Hinge:
        return Hinge(width)


class Absolute(Kinked):
    """|y - f|: its minimum is the median.

    >>> Absolute().value(np.array([3.0]), np.array([1.0])).tolist()
    [2.0]
    """

    name, task = "absolute", "number"

    def ramps(self, y: np.ndarray, score: np.ndarray) -> Iterator[tuple[float, np.ndarray, Any]]:
        yield 1.0, y - score, -1.0
        yield 1.0, score - y, 1.0

    def rounded(self, width: float) -> Absolute:
        return Absolute(width)


class EpsilonInsensitive(Kinked):
    """max(0, |y - f| - epsilon).

    >>> EpsilonInsensitive(0.5).value(np.array([3.0, 1.2]), np.ones(2)).tolist()
    [1.5, 0.0]
    """

    name, task = "epsilon_insensitive", "number"

    def __init__(self, epsilon: float = 0.1, width: float = 0.0) -> None:
        if not (np.isfinite(epsilon) and epsilon >= 0):
            raise ValueError(f"epsilon must not be negative, got {epsilon!r}")
        super().__init__(width)
        self.epsilon = epsilon

    def ramps(self, y: np.ndarray, score: np.ndarray) -> Iterator[tuple[float, np.ndarray, Any]]:
        yield 1.0, y - score - self.epsilon, -1.0
        yield 1.0, score - y - self.epsilon, 1.0

    def rounded(self, width: float) -> EpsilonInsensitive:
        return EpsilonInsensitive(self.epsilon, width)


class Quantile(Kinked):
    """q max(0, y - f) + (1 - q) max(0, f - y): its minimum is the q-quantile.

    >>> Quantile(0.9).value(np.array([3.0, 0.0]), np.ones(2)).round(12).tolist()
    [1.8, 0.1]
    """

    name, task = "quantile", "number"

    def __init__(self, quantile: float = 0.5, width: float = 0.0) -> None:
        if not 0.0 < quantile < 1.0:
            raise ValueError(f"quantile must lie between 0 and 1, got {quantile!r}")
        super().__init__(width)
        self.quantile = quantile

    def ramps(self, y: np.ndarray, score: np.ndarray) -> Iterator[tuple[float, np.ndarray, Any]]:
        yield self.quantile, y - score, -1.0
        yield 1.0 - self.quantile, score - y, 1.0

    def rounded(self, width: float) -> Quantile:
        return Quantile(self.quantile, width)


LOSSES: dict[str, type[Loss]] = {
    loss.name: loss
    for loss in (
        ZeroOne,
        PerceptronLoss,
        Hinge,
        SquaredHinge,
        Logistic,
        Softmax,
        Squared,
        Absolute,
        EpsilonInsensitive,
        Huber,
        Quantile,
    )
}


def loss_of(loss: Any, tasks: tuple[str, ...]) -> Loss:
    """A loss by its name or as it is, if it suits the task."""
    suitable = [name for name, kind in LOSSES.items() if kind.task in tasks and kind.convex]
    if isinstance(loss, str):
        if loss not in LOSSES:
            raise ValueError(f"loss must be one of {', '.join(suitable)}, or a Loss, got {loss!r}")
        loss = LOSSES[loss]()
    if not isinstance(loss, Loss):
        raise ValueError(f"loss must be one of {', '.join(suitable)}, or a Loss, got {loss!r}")
    if not loss.convex:
        raise ValueError(f"loss={loss.name!r} is not convex: it serves to evaluate, not to fit; use {suitable}")
    if loss.task not in tasks:
        raise ValueError(f"loss={loss.name!r} is not one for this task; use one of {', '.join(suitable)}")
    return loss
