"""Expansion: an objective about a point, as a sum over rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from .statistic import Counted


@dataclass(frozen=True, eq=False)
class Expansion(Counted):
    """Value, gradient and Hessian of a sum of losses at one point; what was not asked for is empty.

    `margin` is the smallest margin of the rows (-inf: not asked for): above zero, every row is on its own side.

    >>> a = Expansion(1.0, np.array([2.0]), np.array([[3.0]]), 0.5, 1.0, 1)
    >>> b = a + Expansion(0.5, np.array([-1.0]), np.array([[1.0]]), -0.2, 1.0, 1)
    >>> b.value, b.gradient.tolist(), b.hessian.tolist(), b.margin
    (1.5, [1.0], [[4.0]], -0.2)
    """

    value: float
    gradient: np.ndarray
    hessian: np.ndarray
    margin: float
    total: float
    count: int

    def merge(self, other: Self) -> Self:
        if self.gradient.shape != other.gradient.shape or self.hessian.shape != other.hessian.shape:
            raise ValueError(
                f"expansions differ in shape: {self.gradient.shape}, {self.hessian.shape} and "
                f"{other.gradient.shape}, {other.hessian.shape}"
            )
        return type(self)(
            self.value + other.value,
            self.gradient + other.gradient,
            self.hessian + other.hessian,
            min(self.margin, other.margin),
            self.total + other.total,
            self.count + other.count,
        )

    def zero(self) -> Self:
        return type(self)(0.0, np.zeros_like(self.gradient), np.zeros_like(self.hessian), np.inf, 0.0, 0)
