"""Losses with kinks: piecewise linear, and rounded where a solver needs curvature."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from .losses import Loss


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

    name, target, coding = "perceptron", "label", "sign"

    def ramps(self, y: np.ndarray, score: np.ndarray) -> Iterator[tuple[float, np.ndarray, Any]]:
        yield 1.0, -y * score, -y

    def rounded(self, width: float) -> PerceptronLoss:
        return PerceptronLoss(width)

    def conjugate(self, y: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """Nothing, for 0 <= -y slope <= 1."""
        return np.zeros_like(slope)


class Hinge(Kinked):
    """max(0, 1 - y f).

    >>> Hinge().value(np.array([1.0, 1.0]), np.array([2.0, -1.0])).tolist()
    [0.0, 2.0]
    """

    name, target, coding = "hinge", "label", "sign"

    def ramps(self, y: np.ndarray, score: np.ndarray) -> Iterator[tuple[float, np.ndarray, Any]]:
        yield 1.0, 1.0 - y * score, -y

    def rounded(self, width: float) -> Hinge:
        return Hinge(width)

    def conjugate(self, y: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """y slope, for 0 <= -y slope <= 1."""
        return y * slope


class Absolute(Kinked):
    """|y - f|: its minimum is the median.

    >>> Absolute().value(np.array([3.0]), np.array([1.0])).tolist()
    [2.0]
    """

    name, target, coding = "absolute", "number", "value"

    def ramps(self, y: np.ndarray, score: np.ndarray) -> Iterator[tuple[float, np.ndarray, Any]]:
        yield 1.0, y - score, -1.0
        yield 1.0, score - y, 1.0

    def rounded(self, width: float) -> Absolute:
        return Absolute(width)

    def conjugate(self, y: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """slope y, for |slope| <= 1."""
        return slope * y


class EpsilonInsensitive(Kinked):
    """max(0, |y - f| - epsilon).

    >>> EpsilonInsensitive(0.5).value(np.array([3.0, 1.2]), np.ones(2)).tolist()
    [1.5, 0.0]
    """

    name, target, coding = "epsilon_insensitive", "number", "value"

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

    def conjugate(self, y: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """slope y + epsilon |slope|, for |slope| <= 1."""
        return slope * y + self.epsilon * np.abs(slope)


class Quantile(Kinked):
    """q max(0, y - f) + (1 - q) max(0, f - y): its minimum is the q-quantile.

    >>> Quantile(0.9).value(np.array([3.0, 0.0]), np.ones(2)).round(12).tolist()
    [1.8, 0.1]
    """

    name, target, coding = "quantile", "number", "value"

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

    def conjugate(self, y: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """slope y, for -q <= slope <= 1 - q."""
        return slope * y
