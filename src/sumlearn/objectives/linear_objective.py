"""LinearObjective: a loss over the rows of a source and a penalty on the coefficients.

    F(w) = sum_n s_n l(y_n, f_w(x_n)) + alpha Omega(w)

One call of `expand` is one pass over the chunks, added up by the engine of the source: so every solver that asks for
nothing else works out of core and on a cluster. Solvers see points (outputs x numbers, see `Frame`), never rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..data import Chunk, InMemory, Rows, Source
from ..data.source import ArraySource
from ..statistics import Expansion
from .coding import Coding
from .duals import has_dual
from .frame import Frame
from .held_problem import HeldProblem, held
from .kinked_losses import Kinked
from .loss_sums import EMPTY, conjugate_rows, expand_rows, product_rows, slopes_of_rows, usable
from .losses import Huber, Loss
from .objective import Kink
from .over_rows import OverRows
from .penalties import Penalty, mixture_of

RAMPS = ("none", "l2", "l1", "elasticnet")  # a quadratic and ramps
FEW = 1 << 23  # numbers in all rows up to which parts are small, so that all threads have some


@dataclass(frozen=True)
class LinearObjective(OverRows):
    """F at a point, with gradient and Hessian.

    `multiplier` says how often a row counts (a sample stands for all), `unit` in which units the penalised
    coefficients are when the rows are standardised already. Labels are turned into numbers by `coding`. With an
    `intercept_scaling` the intercept is penalised too, as the coefficient of a column that has this value in every row.
    """

    loss: Loss
    penalty: Penalty
    alpha: float
    source: Source
    frame: Frame
    outputs: int = 1
    coding: Coding | None = None
    multiplier: float = 1.0
    unit: np.ndarray | None = None
    workers: int | None = None
    intercept_scaling: float | None = None

    # -- what solvers ask ---------------------------------------------------------------------------------------------

    @property
    def offers(self) -> frozenset[str]:
        words = {"value and slope", "product", "batches", "sample"}
        return frozenset(
            words
            | ({"planes"} if self.penalty.name == "l2" and self.alpha and not self.loss.smooth else set())
            | ({"dual"} if self._has_dual else set())
            | ({"program"} if self._has_dual and self.loss.name not in ("logistic", "class_hinge") else set())
            | ({"ramps"} if isinstance(self.source, InMemory) and self._has_ramps else set())
            | ({"curvature"} if self.forms_hessian else set())
            | ({"easier"} if isinstance(self.loss, Kinked | Huber) else set())
            | (set() if self.penalty.smooth else {"prox"})
            | (set() if mixture_of(self.penalty) is None else {"columns", "rounded"})
            | ({"gap"} if self.has_gap else set())
        )

    @property
    def kinks(self) -> tuple[Kink, ...]:
        loss = () if self.loss.smooth else (Kink("loss", f"loss={self.loss.name!r}"),)
        return loss + self.penalty.kinks

    @property
    def start(self) -> np.ndarray:
        return np.zeros((self.outputs, self.frame.size))

    @property
    def forms_hessian(self) -> bool:
        return self.forms_hessian_of(self.outputs * self.frame.size)

    def expand(self, point: np.ndarray, order: int = 1) -> Expansion:
        """Value, gradient (order 1) and Hessian (order 2), with the penalty if it is smooth: one pass."""
        margins = not self.alpha and self.loss.asymptotic  # only then they tell something
        total = self._pass(
            partial(expand_rows, loss=self.loss, frame=self.frame, point=point, order=order, margins=margins)
        )
        m, size = self.multiplier, point.size
        gradient = m * self.frame.gradient(total.gradient)
        hessian = m * self.frame.hessian(total.hessian).reshape(size, size) if order > 1 else EMPTY
        return self._penalised(replace(total, value=m * total.value, gradient=gradient, hessian=hessian), point)

    def product(self, point: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """The Hessian at a point times a direction: one pass, no matrix."""
        total = self._pass(
            partial(product_rows, loss=self.loss, frame=self.frame, point=point, direction=direction)
        )
        out = self.multiplier * self.frame.gradient(total.gradient)
        return out + self.penalty_curvature(point) * direction

    def rough(self, point: np.ndarray) -> float:
        """The part of the objective that `expand` leaves to `prox`: a penalty with kinks."""
        return 0.0 if self.penalty.smooth else self.alpha * self.penalty.value(self._natural(point))

    def prox(self, point: np.ndarray, step: float) -> np.ndarray:
        """The proximal map of that part."""
        if self.penalty.smooth:
            return point
        unit = self._unit
        d, out = len(unit), point.copy()
        out[:, :d] = self.penalty.prox(point[:, :d] / unit, step * self.alpha / unit**2) * unit
        return out

    def shrinkage(self) -> tuple[np.ndarray, np.ndarray]:
        """Weights of |u| and u^2 / 2 in the part that `expand` leaves to `prox`, one for each number of a point."""
        l1, l2 = np.zeros_like(self.start), np.zeros_like(self.start)
        mixture = mixture_of(self.penalty)
        if not self.penalty.smooth and mixture is not None:
            unit = self._unit
            d = len(unit)
            l1[:, :d], l2[:, :d] = self.alpha * mixture[0] / unit, self.alpha * mixture[1] / unit**2
        return l1, l2

    def narrowed(self, columns: np.ndarray) -> LinearObjective | None:
        """The same objective on some of the columns, the others at zero; None where rows are a stream."""
        source, frame = self.source, self.frame
        if not isinstance(source, InMemory) or self.coding is not None:
            return None
        X: Any = source.X if isinstance(source, ArraySource) else source.chunk(Rows(np.arange(source.rows))).X
        X = X.tocsc()[:, columns].toarray() if self.is_sparse else np.ascontiguousarray(X[:, columns])
        unit = None if self.unit is None else self.unit[columns]
        part = replace(frame, centre=frame.centre[columns], unit=frame.unit[columns])
        return replace(self, source=ArraySource(X, source.y, source.weight), frame=part, unit=unit)

    @property
    def has_gap(self) -> bool:
        """Whether there is a bound of what is left to gain: the conjugates of loss and penalty are known."""
        mixture = mixture_of(self.penalty)
        return bool(self.loss.conjugate is not None and mixture is not None and any(mixture) and self.alpha)

    def gap(self, point: np.ndarray, found: Expansion) -> float:
        """F less the dual at the slopes of the losses: a bound of what is left to gain; one pass.

        The slopes are shrunk until no column pulls harder than its L1 weight; where there is none, they are taken as
        they are. What is left of the slope along a free intercept counts as if it went on as far as the intercept did.
        """
        unit = self._unit
        d = len(unit)
        a, b = np.multiply(self.alpha, mixture_of(self.penalty) or (0.0, 0.0))
        pull = (found.gradient - self.penalty_gradient(point))[:, :d] * unit  # of the losses, in natural units
        value = found.value + self.rough(point)
        share = 1.0
        if not b:
            largest = float(np.abs(pull).max(initial=0.0))
            share = min(1.0, a / largest) if largest > 0 else 1.0
        over = np.maximum(np.abs(share * pull) - a, 0.0)
        penalty = float((over * over).sum()) / (2.0 * b) if b else 0.0
        total = self._pass(partial(conjugate_rows, loss=self.loss, frame=self.frame, point=point, share=share))
        loose = 0.0
        if self.frame.size > d:
            loose = share * float(np.abs(found.gradient[:, d]) @ np.maximum(np.abs(point[:, d]), 1.0))
        return max(value + self.multiplier * total.value + penalty, 0.0) + loose

    def widths(self, found: Expansion) -> tuple[float, float]:
        """Kinks: from half a margin, or the mean residual, to nothing. Huber's delta: from far above to itself."""
        mean = found.value / found.weight
        if isinstance(self.loss, Huber):
            return mean / self.loss.delta, 2.0 * self.loss.delta  # about the mean residual, if most are above delta
        return 0.5 if self.loss.coding == "sign" else mean, 0.0

    def easier(self, width: float) -> LinearObjective:
        """The same objective with the kinks of the loss rounded, or a larger delta of Huber's loss."""
        loss = self.loss
        if isinstance(loss, Huber):
            return replace(self, loss=loss.eased(width))
        if not isinstance(loss, Kinked):
            raise TypeError(f"loss={loss.name!r} has kinks but cannot round them: make it a sumlearn.objectives.Kinked")
        return replace(self, loss=loss.rounded(width))

    def thinned(self, every: int) -> LinearObjective | None:
        """The objective over every so many rows, standardised and in single precision; None where rows are a stream."""
        source = self.source
        if not isinstance(source, InMemory) or self.is_sparse or self.coding is not None:
            return None
        numbers = np.arange(0, source.rows, every)
        part = source.chunk(Rows(numbers))
        X: Any = np.array(part.X, dtype=np.float64 if self.frame.standardised else np.float32)
        X -= self.frame.centre.astype(X.dtype)
        X /= self.frame.unit.astype(X.dtype)
        X = X.astype(np.float32, copy=False)
        d = self.frame.features
        still = Frame(np.zeros(d), np.ones(d), self.frame.intercept, standardised=False)
        share = source.rows / len(numbers)
        return replace(
            self, source=ArraySource(X, part.y, part.weight), frame=still, multiplier=share, unit=self._unit
        )

    @property
    def named(self) -> str:
        """Loss and penalty, as a person writes them."""
        return f"loss={self.loss.name!r} and penalty={self.penalty.name!r}"

    def held(self) -> HeldProblem:
        """All rows that weigh something, in memory."""
        return held(self)

    def slopes(self, point: np.ndarray, direction: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """Slopes of the sum of losses along a line, at several steps: one pass."""
        summary = partial(slopes_of_rows, loss=self.loss, frame=self.frame)
        return self.multiplier * self._pass(partial(summary, point=point, direction=direction, steps=steps)).gradient

    # -- for stochastic solvers ---------------------------------------------------------------------------------------

    def batches(self, size: int, seed: Any) -> Iterator[Chunk]:
        """All rows that weigh something once, shuffled: over all rows in memory, within the chunks of a stream."""
        rng = np.random.default_rng(seed)
        source = self.source
        if isinstance(source, InMemory):
            order = rng.permutation(source.rows if source.weight is None else np.flatnonzero(source.weight))
            for i in range(0, len(order), size):
                yield self._coded(source.chunk(Rows(order[i : i + size])))
            return
        for chunk in source.chunks():
            chunk = usable(self._coded(chunk))
            n = chunk.X.shape[0]
            order = rng.permutation(n)
            for i in range(0, n, size):
                take = order[i : i + size]
                weight = None if chunk.weight is None else chunk.weight[take]
                yield Chunk(chunk.X[take], chunk.y[take], weight, chunk.columns)  # type: ignore[index]

    def gradient_of(self, batch: Chunk, point: np.ndarray) -> np.ndarray:
        """Gradient of the sum of losses of some rows alone."""
        return self.frame.gradient(expand_rows(batch, self.loss, self.frame, point, 1).gradient)

    def penalty_gradient(self, point: np.ndarray) -> np.ndarray:
        """Gradient of the penalty alone."""
        out = np.zeros_like(point)
        if self.alpha and self.penalty.smooth:
            d = len(self._unit)
            out[:, :d] = self.alpha * self.penalty.slope(self._natural(point)) / self._unit
        return out

    def steepness(self, weight: float) -> float:
        """A bound of the curvature of a batch: that of the loss times the mean square of standardised rows."""
        penalty = float(self.penalty_curvature(self.start).max(initial=0.0))
        return float(self.loss.steepness * (self.frame.size + 1)) + penalty / weight

    def penalty_curvature(self, point: np.ndarray) -> np.ndarray:
        """Second derivatives of the penalty alone."""
        out = np.zeros_like(point)
        if self.alpha and self.penalty.smooth:
            d = len(self._unit)
            out[:, :d] = self.alpha * self.penalty.curvature(self._natural(point)) / self._unit**2
        return out

    # -- how ----------------------------------------------------------------------------------------------------------

    @property
    def _unit(self) -> np.ndarray:
        """In units of what the penalty sees the numbers of a point, as many of them as it sees."""
        unit = self.frame.unit if self.unit is None else self.unit[: self.frame.features]
        return unit if self.intercept_scaling is None else np.append(unit, self.intercept_scaling)

    def _natural(self, point: np.ndarray) -> np.ndarray:
        return point[:, : len(self._unit)] / self._unit

    @property
    def _has_dual(self) -> bool:
        loss = has_dual(self.loss) or self.loss.name == "class_hinge"
        return isinstance(self.source, InMemory) and self.penalty.name == "l2" and self.alpha > 0 and loss

    @property
    def _has_ramps(self) -> bool:
        return isinstance(self.loss, Kinked) and not self.loss.width and self.penalty.name in RAMPS

    def _pass(self, summary: Any) -> Expansion:
        few = self.source.rows is not None and self.source.rows * self.frame.features < FEW  # still a part for each
        return self.total(summary, 1 if few else 8)

    def _coded(self, chunk: Chunk) -> Chunk:
        return chunk if self.coding is None else self.coding(chunk)

    def _penalised(self, total: Expansion, point: np.ndarray) -> Expansion:
        if not self.alpha or not self.penalty.smooth:
            return total
        hessian = total.hessian
        if hessian.size:
            hessian[np.diag_indices(len(hessian))] += self.penalty_curvature(point).ravel()
        value = total.value + self.alpha * self.penalty.value(self._natural(point))
        return replace(total, value=value, gradient=total.gradient + self.penalty_gradient(point))
