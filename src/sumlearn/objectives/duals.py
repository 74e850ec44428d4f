"""Duals: a regularised risk with a quadratic penalty, seen from its rows.

    min_w  |w|^2 / 2 + sum_n C_n l(y_n, w'x_n)
    max_b  -|sum_n b_n x_n|^2 / 2 + sum_n (t_n b_n - r_n b_n^2 / 2 - e |b_n|),    lower_n <= b_n <= upper_n

Both have the same value, and w = sum_n b_n x_n. A loss is the four things that stand in the second line. The dual of
the notes, max sum a - 1/2 sum a a y y x'x with 0 <= a <= C, is that of the hinge with b = a y; the half is missing
there. Without a penalty on the intercept sum_n b_n = 0, and not otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Dual(NamedTuple):
    """t, bounds, r and e of every row (see above); `entropy` is the logistic loss, whose dual is no quadratic."""

    target: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    ridge: np.ndarray
    epsilon: float = 0.0
    entropy: bool = False

    def value(self, beta: np.ndarray) -> float:
        """The terms of the rows."""
        if self.entropy:  # a ln a + (C - a) ln(C - a) - C ln C, with a = y b
            C = self.upper - self.lower
            a = np.clip(np.abs(beta), 0.0, C)
            with np.errstate(divide="ignore", invalid="ignore"):
                terms = np.where(a > 0, a * np.log(a / C), 0.0) + np.where(a < C, (C - a) * np.log1p(-a / C), 0.0)
            return -float(terms.sum())
        terms = self.target * beta - 0.5 * self.ridge * beta**2
        return float(terms.sum()) - self.epsilon * float(np.abs(beta).sum())


def sided(y: np.ndarray, most: Any) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of b = a y, 0 <= a <= most."""
    most = np.broadcast_to(np.asarray(most, dtype=float), y.shape)
    return np.where(y > 0, 0.0, -most), np.where(y > 0, most, 0.0)


def hinge(loss: Any, y: np.ndarray, C: np.ndarray) -> Dual:
    return Dual(y, *sided(y, C), np.zeros_like(C))


def perceptron(loss: Any, y: np.ndarray, C: np.ndarray) -> Dual:
    return Dual(np.zeros_like(C), *sided(y, C), np.zeros_like(C))


def squared_hinge(loss: Any, y: np.ndarray, C: np.ndarray) -> Dual:
    return Dual(y, *sided(y, np.inf), 0.5 / C)


def logistic(loss: Any, y: np.ndarray, C: np.ndarray) -> Dual:
    return Dual(np.zeros_like(C), *sided(y, C), np.zeros_like(C), entropy=True)


def epsilon_insensitive(loss: Any, y: np.ndarray, C: np.ndarray) -> Dual:
    return Dual(y, -C, C, np.zeros_like(C), float(loss.epsilon))


def squared_epsilon_insensitive(loss: Any, y: np.ndarray, C: np.ndarray) -> Dual:
    every = np.full_like(C, np.inf)
    return Dual(y, -every, every, 0.5 / C, float(loss.epsilon))


def absolute(loss: Any, y: np.ndarray, C: np.ndarray) -> Dual:
    return Dual(y, -C, C, np.zeros_like(C))


def quantile(loss: Any, y: np.ndarray, C: np.ndarray) -> Dual:
    return Dual(y, (loss.quantile - 1.0) * C, loss.quantile * C, np.zeros_like(C))


def huber(loss: Any, y: np.ndarray, C: np.ndarray) -> Dual:
    return Dual(y, -loss.delta * C, loss.delta * C, 1.0 / C)


def squared(loss: Any, y: np.ndarray, C: np.ndarray) -> Dual:
    every = np.full_like(C, np.inf)
    return Dual(y, -every, every, 1.0 / C)


DUALS: dict[str, Callable[[Any, np.ndarray, np.ndarray], Dual]] = {
    kind.__name__: kind
    for kind in (
        hinge, perceptron, squared_hinge, logistic, epsilon_insensitive, squared_epsilon_insensitive, absolute,
        quantile, huber, squared,
    )
}  # fmt: skip


def has_dual(loss: Any) -> bool:
    """Whether there is a dual of one number for each row; of a loss whose kinks are rounded there is none."""
    return loss.name in DUALS and not getattr(loss, "width", 0.0)
