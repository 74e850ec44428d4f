"""Penalised: any objective with a penalty beside it; solvers take one with kinks by its proximal map.

F(w) = E(w) + alpha Omega(w)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..statistics import Expansion
from .objective import Kink
from .penalties import Penalty, mixture_of


class Penalised:
    """An objective and a penalty on all of its numbers.

    >>> from sumlearn.objectives import L1, OwnFunction
    >>> both = Penalised(OwnFunction.of(lambda w: ((w - 3.0) ** 2).sum(), np.zeros(2)), L1(), 2.0)
    >>> both.rough(np.array([1.0, -1.0])), both.prox(np.array([3.0, 1.0]), 1.0).tolist()
    (4.0, [1.0, 0.0])
    """

    def __init__(self, inner: Any, penalty: Penalty, alpha: float) -> None:
        self.inner, self.penalty, self.alpha = inner, penalty, alpha
        self.rounding, self.noise, self.cost, self.outputs = inner.rounding, inner.noise, inner.cost, 1

    @property
    def offers(self) -> frozenset[str]:
        words = set() if self.penalty.smooth else {"prox"}
        words |= {"columns"} if mixture_of(self.penalty) is not None else set()
        return frozenset((self.inner.offers & {"value and slope", "curvature"}) | words)

    @property
    def kinks(self) -> tuple[Kink, ...]:
        return self.inner.kinks + self.penalty.kinks

    @property
    def start(self) -> np.ndarray:
        return self.inner.start

    def natural(self, point: np.ndarray) -> Any:
        """A point in the shape of the start."""
        return self.inner.natural(point)

    def expand(self, point: np.ndarray, order: int = 1) -> Expansion:
        """That of E, with the penalty if it is smooth."""
        found = self.inner.expand(point, order)
        if not self.penalty.smooth:
            return found
        value = found.value + self.alpha * self.penalty.value(point)
        gradient = found.gradient + self.alpha * self.penalty.slope(point) if order else found.gradient
        hessian = found.hessian + np.diag(self.alpha * self.penalty.curvature(point)) if order > 1 else found.hessian
        return replace(found, value=value, gradient=gradient, hessian=hessian)

    def rough(self, point: np.ndarray) -> float:
        """The part that `expand` leaves to `prox`: a penalty with kinks."""
        return 0.0 if self.penalty.smooth else self.alpha * self.penalty.value(point)

    def prox(self, point: np.ndarray, step: float) -> np.ndarray:
        """The proximal map of that part."""
        return point if self.penalty.smooth else self.penalty.prox(point, step * self.alpha)

    def shrinkage(self) -> tuple[np.ndarray, np.ndarray]:
        """Weights of |w| and w^2 / 2 in that part, one for each number of a point."""
        a, b = (not self.penalty.smooth and mixture_of(self.penalty)) or (0.0, 0.0)
        return np.full_like(self.start, self.alpha * a), np.full_like(self.start, self.alpha * b)

    def narrowed(self, columns: np.ndarray) -> None:
        """There are no rows to take columns from."""
