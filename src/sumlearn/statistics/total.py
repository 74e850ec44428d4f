"""Total: a plain sum of numbers over rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from .statistic import Counted


@dataclass(frozen=True, eq=False)
class Total(Counted):
    """Sums of some quantities over rows, such as the squared errors of many models at once.

    >>> (Total(np.array([1.0, 2.0]), 1.0, 1) + Total(np.array([0.5, 4.0]), 1.0, 1)).values.tolist()
    [1.5, 6.0]
    """

    values: np.ndarray
    total: float
    count: int

    def merge(self, other: Self) -> Self:
        if self.values.shape != other.values.shape:
            raise ValueError(f"totals differ in shape: {self.values.shape} and {other.values.shape}")
        return type(self)(self.values + other.values, self.total + other.total, self.count + other.count)

    def zero(self) -> Self:
        return type(self)(np.zeros_like(self.values), 0.0, 0)
