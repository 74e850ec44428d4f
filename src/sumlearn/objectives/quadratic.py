"""Quadratic: the objective of least squares on moments that are there already. No pass at all.

    F(b, b0) = 1/2 sum_n s_n (y_n - b'x_n - b0)^2 + alpha Omega(b)
             = 1/2 [ S_yy - 2 b'S_xy + b'S_xx b + W (m_y - b'm_x - b0)^2 ] + alpha Omega(b)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..statistics import Expansion, Moments
from .frame import Frame, frame_of
from .loss_sums import EMPTY
from .objective import Kink
from .penalties import Penalty, mixture_of


@dataclass(frozen=True)
class Quadratic:
    """An `Objective` on the moments of (x, y), for one target.

    >>> from sumlearn.objectives import L2
    >>> moments = Moments.of(np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 2.0, 4.0]))
    >>> objective = Quadratic.of(moments, L2(), 1.0)
    >>> float(objective.expand(objective.start).value)
    10.5
    """

    penalty: Penalty
    alpha: float
    frame: Frame
    S: np.ndarray  # scatter of (x, y) in units of the columns, or B with S = B'B, a line for each row that is held
    apart: float  # mean of y
    weight: float
    rows: int

    rounding = float(np.finfo(np.float64).eps)
    outputs = 1
    cost = 1.0

    @classmethod
    def of(cls, moments: Moments, penalty: Penalty, alpha: float, intercept: bool = True) -> Quadratic:
        d = moments.features
        mean, deviation = moments.mean, moments.deviation
        if not intercept:
            deviation = np.hypot(deviation, mean)
        frame = replace(frame_of(mean[:d], deviation[:d], intercept, np.float64), standardised=True)
        scale = np.append(frame.unit, 1.0)
        B = moments.factor(intercept)
        if B is not None:
            S = np.ldexp(B, moments.exponent) / scale
        else:
            S = moments.scatter
            if not intercept:
                S = S + moments.weight * mean * mean[:, None]
            S = S / scale / scale[:, None]
        return cls(penalty, alpha, frame, S, float(mean[d]), moments.weight, moments.rows)

    def products(self, columns: slice) -> np.ndarray:
        """Those columns of the scatter."""
        held = len(self.S) < self.S.shape[1]
        return self.S.T @ self.S[:, columns] if held else self.S[:, columns]

    def product_with(self, u: np.ndarray) -> np.ndarray:
        """S_xx u."""
        d = self.frame.features
        if len(self.S) == self.S.shape[1]:
            return self.S[:d, :d] @ u
        return self.S[:, :d].T @ (self.S[:, :d] @ u)

    @cached_property
    def target(self) -> np.ndarray:
        """S_xy, and S_yy behind it."""
        return self.products(slice(-1, None))[:, 0]

    @property
    def offers(self) -> frozenset[str]:
        mixture = mixture_of(self.penalty)
        return frozenset(
            {"value and slope", "curvature"}
            | (set() if self.penalty.smooth else {"prox"})
            | (set() if mixture is None else {"columns", "rounded"})
            | ({"gap"} if mixture is not None and any(mixture) and self.alpha else set())
        )

    @property
    def kinks(self) -> tuple[Kink, ...]:
        return self.penalty.kinks

    @property
    def named(self) -> str:
        """Loss and penalty, as a person writes them."""
        return f"loss='squared' and penalty={self.penalty.name!r}"

    @property
    def start(self) -> np.ndarray:
        return np.zeros((1, self.frame.size))

    @property
    def noise(self) -> float:
        """Rounding of a value, which is a difference of sums as large as the squares of y."""
        return self.rounding * float(self.target[-1])

    def expand(self, point: np.ndarray, order: int = 1) -> Expansion:
        """Value, gradient and Hessian at a point."""
        d = self.frame.features
        u = point[0, :d]
        coef = u / self.frame.unit
        cross, away = self.target[:d], (self.apart - point[0, d]) if self.frame.intercept else 0.0
        slack = self.product_with(u) - cross
        value = 0.5 * (self.target[d] + u @ (slack - cross) + self.weight * away**2)
        gradient = np.append(slack, -self.weight * away)[: self.frame.size]
        hessian = EMPTY
        if order > 1:
            hessian = np.zeros((len(gradient), len(gradient)))
            hessian[:d, :d] = self.products(slice(0, d))[:d]
            hessian[d:, d:] = self.weight
        if self.alpha and self.penalty.smooth:
            value += self.alpha * self.penalty.value(coef)
            gradient[:d] += self.alpha * self.penalty.slope(coef) / self.frame.unit
            if order > 1:
                hessian[np.diag_indices(d)] += self.alpha * self.penalty.curvature(coef) / self.frame.unit**2
        return Expansion(float(value), gradient[None], hessian, -np.inf, self.weight, self.rows)

    def rough(self, point: np.ndarray) -> float:
        """The part of the objective that `expand` leaves to `prox`: a penalty with kinks."""
        if self.penalty.smooth:
            return 0.0
        return self.alpha * self.penalty.value(point[:, : self.frame.features] / self.frame.unit)

    def prox(self, point: np.ndarray, step: float) -> np.ndarray:
        """The proximal map of that part."""
        if self.penalty.smooth:
            return point
        d, unit = self.frame.features, self.frame.unit
        out = point.copy()
        out[:, :d] = self.penalty.prox(point[:, :d] / unit, step * self.alpha / unit**2) * unit
        return out

    def shrinkage(self) -> tuple[np.ndarray, np.ndarray]:
        """Weights of |u| and u^2 / 2 in the part that `expand` leaves to `prox`, one for each number of a point."""
        l1, l2 = np.zeros_like(self.start), np.zeros_like(self.start)
        mixture = mixture_of(self.penalty)
        if not self.penalty.smooth and mixture is not None:
            d, unit = self.frame.features, self.frame.unit
            l1[:, :d], l2[:, :d] = self.alpha * mixture[0] / unit, self.alpha * mixture[1] / unit**2
        return l1, l2

    def narrowed(self, columns: np.ndarray) -> None:
        """There are no rows to take columns from, and no need: the curvature is there."""

    def gap(self, point: np.ndarray, found: Expansion) -> float:
        """F less the dual at the residuals, shrunk until no column pulls harder than its L1 weight."""
        d, unit = self.frame.features, self.frame.unit
        a, b = np.multiply(self.alpha, mixture_of(self.penalty) or (0.0, 0.0))
        u = point[0, :d]
        cross, away = self.target[:d], (self.apart - point[0, d]) if self.frame.intercept else 0.0
        slack = cross - self.product_with(u)
        residual = max(float(self.target[d] - u @ (cross + slack)), 0.0)
        pull = np.abs(slack) * unit
        largest = float(pull.max(initial=0.0))
        share = min(1.0, a / largest) if largest > 0 and not b else 1.0
        over = np.maximum(share * pull - a, 0.0)
        penalty = float((over * over).sum()) / (2.0 * b) if b else 0.0
        primal = 0.5 * (residual + self.weight * away**2) + self.alpha * self.penalty.value(point[:, :d] / unit)
        dual = share * float(self.target[d] - u @ cross) - 0.5 * share**2 * residual - penalty
        return max(primal - dual, 0.0)

    def thinned(self, every: int) -> None:
        """There are no rows to choose from, and no need."""
