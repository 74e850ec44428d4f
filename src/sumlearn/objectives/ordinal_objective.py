"""The objective of ordered classes: minus the log-likelihood of cuts on a latent scale, and a penalty.

    F(w, theta) = -sum_n s_n log( F(theta_k - w'x_n) - F(theta_{k-1} - w'x_n) ) + alpha |w|^2 / 2,     k = class of n

A point holds the weights u of standardised columns and behind them the K - 1 cuts, seen from the centre of the columns
(see `Frame`): w = u / s, theta = cuts + m'w. Where cuts are not in order the objective is infinite, so that a line
search turns back. It offers what `solvers.Newton` asks for; one call of `expand` is one pass.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sparse

from ..data import Chunk, InMemory, Rows, Source
from ..data.source import ArraySource
from ..engines import engine_for
from ..statistics import Expansion
from .coding import Coding
from .frame import Frame
from .linear_objective import FORMED
from .loss_sums import EMPTY, summary_of, usable
from .objective import Kink
from .ordinal_losses import OrdinalLoss
from .ordinal_sums import cuts_of, expand_ranks, framed, product_ranks
from .penalties import L2, Penalty


@dataclass(frozen=True)
class RankCoding:
    """Labels to their ranks on the scale: `rank` belongs to the sorted labels of `coding`."""

    coding: Coding
    rank: np.ndarray

    def __call__(self, chunk: Chunk) -> Chunk:
        chunk = self.coding(chunk)
        return chunk._replace(y=self.rank[chunk.y])


@dataclass(frozen=True)
class OrdinalObjective:
    """F at a point, with gradient and Hessian; `multiplier` says how often a row counts (a sample stands for all)."""

    loss: OrdinalLoss
    alpha: float
    source: Source
    frame: Frame
    share: np.ndarray  # of each class, from lowest to highest
    coding: RankCoding | None = None  # None where labels are coded already
    multiplier: float = 1.0
    workers: int | None = None

    penalty: ClassVar[Penalty] = L2()
    outputs: ClassVar[int] = 1
    kinks: ClassVar[tuple[Kink, ...]] = ()
    noise: ClassVar[float] = 0.0

    @classmethod
    def over(cls, source: Source, coding: RankCoding, **parts: Any) -> OrdinalObjective:
        """The objective over a source; labels in memory are coded once, others chunk by chunk."""
        if not isinstance(source, InMemory):
            return cls(source=source, coding=coding, **parts)
        chunk = coding(Chunk(None, source.y, source.weight))
        source = copy.copy(source)
        source.y, source.weight = chunk.y, chunk.weight
        return cls(source=source, **parts)

    @property
    def offers(self) -> frozenset[str]:
        return frozenset({"value and slope", "product", "sample"} | ({"curvature"} if self.forms_hessian else set()))

    @property
    def size(self) -> int:
        return self.frame.features + len(self.share) - 1

    @property
    def forms_hessian(self) -> bool:
        return self.size <= (FORMED // 4 if self.is_sparse else FORMED)

    @property
    def is_sparse(self) -> bool:
        return sparse.issparse(getattr(self.source, "X", None))

    @property
    def rounding(self) -> float:
        """Relative rounding of a pass."""
        return float(np.finfo(self.source.dtype).eps)

    @property
    def start(self) -> np.ndarray:
        """Weights of zero, and the cuts that then give every class its share."""
        below, above = self.share.cumsum()[:-1], self.share[::-1].cumsum()[::-1][1:]
        return np.concatenate([np.zeros(self.frame.features), self.loss.quantile(below, above)])

    def expand(self, point: np.ndarray, order: int = 1) -> Expansion:
        """Value, gradient and (order 2) Hessian with the penalty: one pass, and none where cuts are disordered."""
        if not (np.diff(cuts_of(self.frame, point)[1]) > 0).all():
            return Expansion(np.inf, np.zeros_like(point), EMPTY, -np.inf, 0.0, 0)
        total = self._pass(partial(expand_ranks, loss=self.loss, frame=self.frame, point=point, order=order))
        m, d, unit = self.multiplier, self.frame.features, self.frame.unit
        w = point[:d] / unit
        gradient = m * framed(self.frame, total.gradient)
        gradient[:d] += self.alpha * w / unit
        hessian = EMPTY
        if order > 1:
            hessian = m * framed(self.frame, framed(self.frame, total.hessian).T)
            hessian[np.arange(d), np.arange(d)] += self.alpha / unit**2
        value = m * total.value + self.alpha * self.penalty.value(w)
        margin = -np.inf if self.alpha else total.margin  # with a penalty, rows inside their cuts mean nothing
        return replace(total, value=value, gradient=gradient, hessian=hessian, margin=margin)

    def product(self, point: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """The Hessian at a point times a direction: one pass, no matrix."""
        total = self._pass(partial(product_ranks, loss=self.loss, frame=self.frame, point=point, direction=direction))
        out = self.multiplier * framed(self.frame, total.gradient)
        d = self.frame.features
        out[:d] += self.alpha / self.frame.unit**2 * direction[:d]
        return out

    @property
    def rows(self) -> int:
        """Rows of the source; zero where nobody knows."""
        return self.source.rows or 0

    @property
    def cost(self) -> float:
        return 1.0 / self.multiplier

    def thinned(self, every: int) -> OrdinalObjective | None:
        """The objective over every so many rows; None where rows are a stream, or the sample lacks a class."""
        if not isinstance(self.source, InMemory) or self.is_sparse:
            return None
        numbers = np.arange(0, self.source.rows, every)
        part = self.source.chunk(Rows(numbers))
        if len(np.unique(usable(part).y)) < len(self.share):  # type: ignore[arg-type]
            return None
        sample = ArraySource(part.X, part.y, part.weight)
        return replace(self, source=sample, multiplier=self.source.rows / len(numbers))

    def _pass(self, summary: Any) -> Expansion:
        engine = engine_for(self.source, self.workers)
        return engine.reduce(partial(summary_of, self.source, self.coding, summary), self.source.parts(8))
