"""The objective of ordered classes: minus the log-likelihood of cuts on a latent scale, and a penalty.

    F(w, theta) = -sum_n s_n log( F(theta_k - w'x_n) - F(theta_{k-1} - w'x_n) ) + alpha |w|^2 / 2,     k = class of n

A point holds the weights u of standardised columns and behind them the K - 1 cuts, seen from the centre of the columns
(see `Frame`): w = u / s, theta = cuts + m'w. Where cuts are not in order the objective is infinite, so that a line
search turns back. It offers what `solvers.Newton` asks for; one call of `expand` is one pass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from ..data import Chunk, InMemory, Rows, Source
from ..data.source import ArraySource
from ..statistics import Expansion
from .coding import Coding
from .frame import Frame
from .loss_sums import EMPTY, usable
from .objective import Kink
from .ordinal_losses import OrdinalLoss
from .ordinal_sums import cuts_of, expand_ranks, framed, product_ranks
from .over_rows import OverRows
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
class OrdinalObjective(OverRows):
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

    @property
    def offers(self) -> frozenset[str]:
        return frozenset({"value and slope", "product", "sample"} | ({"curvature"} if self.forms_hessian else set()))

    @property
    def size(self) -> int:
        return self.frame.features + len(self.share) - 1

    @property
    def forms_hessian(self) -> bool:
        return self.forms_hessian_of(self.size)

    @property
    def start(self) -> np.ndarray:
        """Weights of zero, and the cuts that then give every class its share."""
        below, above = self.share.cumsum()[:-1], self.share[::-1].cumsum()[::-1][1:]
        return np.concatenate([np.zeros(self.frame.features), self.loss.quantile(below, above)])

    def expand(self, point: np.ndarray, order: int = 1) -> Expansion:
        """Value, gradient and (order 2) Hessian with the penalty: one pass, and none where cuts are disordered."""
        if not (np.diff(cuts_of(self.frame, point)[1]) > 0).all():
            return Expansion(np.inf, np.zeros_like(point), EMPTY, -np.inf, 0.0, 0)
        total = self.total(partial(expand_ranks, loss=self.loss, frame=self.frame, point=point, order=order), 8)
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
        total = self.total(
            partial(product_ranks, loss=self.loss, frame=self.frame, point=point, direction=direction), 8
        )
        out = self.multiplier * framed(self.frame, total.gradient)
        d = self.frame.features
        out[:d] += self.alpha / self.frame.unit**2 * direction[:d]
        return out

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
