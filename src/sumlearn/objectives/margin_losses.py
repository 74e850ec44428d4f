"""Losses of support vectors beside the hinge: the square outside of a tube, and the hinge of several classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .losses import Loss


class SquaredEpsilonInsensitive(Loss):
    """max(0, |y - f| - epsilon)^2.

    >>> SquaredEpsilonInsensitive(0.5).value(np.array([3.0, 1.2]), np.ones(2)).tolist()
    [2.25, 0.0]
    """

    name, target, coding, steepness = "squared_epsilon_insensitive", "number", "value", 2.0

    def __init__(self, epsilon: float = 0.1) -> None:
        if not (np.isfinite(epsilon) and epsilon >= 0):
            raise ValueError(f"epsilon must not be negative, got {epsilon!r}")
        self.epsilon = epsilon

    def value(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return np.maximum(0.0, np.abs(y - score) - self.epsilon) ** 2

    def slope(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        r = score - y
        return 2.0 * np.sign(r) * np.maximum(0.0, np.abs(r) - self.epsilon)

    def curvature(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return 2.0 * (np.abs(y - score) > self.epsilon)


class ClassHinge(Loss):
    """max(0, 1 + max_{k != y} f_k - f_y): y is the number of a class, f one score per class (Crammer & Singer 2001).

    The slope is one of its subgradients: that of the first class among the best of the others.

    >>> ClassHinge().value(np.array([0, 0]), np.array([[2.0, 0.5, 0.0], [0.0, 0.5, 0.0]])).tolist()
    [0.0, 1.5]
    """

    name, target, coding, smooth = "class_hinge", "label", "class", False
    steepness = np.inf

    def value(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return np.maximum(0.0, self._lack(y, score)[0])

    def slope(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        lack, other = self._lack(y, score)
        every, wrong = np.arange(len(y)), (lack > 0).astype(score.dtype)
        out = np.zeros_like(score)
        out[every, other] = wrong
        out[every, y] -= wrong
        return out

    def curvature(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        """None: it is piecewise linear."""
        return np.zeros_like(score)

    def margin(self, y: np.ndarray, score: np.ndarray) -> float:
        """Smallest lead of the own class over the best other."""
        return float((1.0 - self._lack(y, score)[0]).min(initial=np.inf))

    def _lack(self, y: np.ndarray, score: np.ndarray) -> tuple[Any, Any]:
        every = np.arange(len(y))
        others = score.copy()
        others[every, y] = -np.inf
        other = others.argmax(axis=1)
        return 1.0 + others[every, other] - score[every, y], other
