"""The objective of ordered classes: minus the log-likelihood of cuts on a latent scale, and a penalty.

    F(w, theta) = -sum_n s_n log( F(theta_k - w'x_n) - F(theta_{k-1} - w'x_n) ) + alpha |w|^2 / 2,     k = class of n

A point holds the weights u of standardised columns and behind them the K - 1 cuts, seen from the centre of the columns
(see `Frame`): w = u / s, theta = cuts + m'w. Where cuts are not in order the objective is infinite, so that a line
search turns back. It has the face that `solvers.Newton` asks for; one call of `expand` is one pass.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
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
from .objective import FORMED
from .ordinal_losses import OrdinalLoss, Terms
from .penalties import L2, Penalty
from .rows import EMPTY, blocks, usable


@dataclass(frozen=True)
class Places:
    """Labels to their places on the scale: `place` belongs to the sorted labels of `coding`."""

    coding: Coding
    place: np.ndarray

    def __call__(self, chunk: Chunk) -> Chunk:
        chunk = self.coding(chunk)
        return chunk._replace(y=self.place[chunk.y])


@dataclass(frozen=True)
class OrdinalObjective:
    """F at a point, with gradient and Hessian; `multiplier` says how often a row counts (a sample stands for all)."""

    loss: OrdinalLoss
    alpha: float
    source: Source
    frame: Frame
    share: np.ndarray  # of each class, from lowest to highest
    places: Places | None = None  # None where labels are coded already
    multiplier: float = 1.0
    workers: int | None = None

    penalty: ClassVar[Penalty] = L2()
    outputs: ClassVar[int] = 1

    @classmethod
    def over(cls, source: Source, places: Places, **parts: Any) -> OrdinalObjective:
        """The objective over a source; labels in memory are coded once, others chunk by chunk."""
        if not isinstance(source, InMemory):
            return cls(source=source, places=places, **parts)
        chunk = places(Chunk(None, source.y, source.weight))
        source = copy.copy(source)
        source.y, source.weight = chunk.y, chunk.weight
        return cls(source=source, **parts)

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
        total = self._pass(partial(expand_places, loss=self.loss, frame=self.frame, point=point, order=order))
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
        total = self._pass(partial(product_places, loss=self.loss, frame=self.frame, point=point, direction=direction))
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

    def _pass(self, summary: Any) -> Expansion:
        engine = engine_for(self.source, self.workers)
        return engine.reduce(partial(summary_of, self.source, self.places, summary), self.source.parts(8))


def summary_of(source: Source, places: Places | None, summary: Any, part: Any) -> Expansion:
    """Read some rows, code their labels and sum them: what a worker does."""
    chunk = source.chunk(part)
    return summary(chunk if places is None else places(chunk))


# -- coordinates ------------------------------------------------------------------------------------------------------


def cuts_of(frame: Frame, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights and cuts for rows as they are multiplied: standardised, or as they come."""
    d = frame.features
    if frame.standardised:
        return point[:d], point[d:]
    w = point[:d] / frame.unit
    return w, point[d:] + w @ frame.centre


def framed(frame: Frame, raw: np.ndarray) -> np.ndarray:
    """Derivatives by those weights and cuts, along the last axis, as derivatives by the numbers of a point."""
    if frame.standardised:
        return raw
    d = frame.features
    moved = raw[..., :d] + raw[..., d:].sum(axis=-1, keepdims=True) * frame.centre
    return np.concatenate([moved / frame.unit, raw[..., d:]], axis=-1)


# -- sums over rows ---------------------------------------------------------------------------------------------------


def expand_places(chunk: Chunk, loss: OrdinalLoss, frame: Frame, point: np.ndarray, order: int) -> Expansion:
    """The expansion of the sum of losses by weights and cuts.

    The margin is log 2 less the largest loss. Above zero every row has its own class with more than one half, so that
    it is also inside its cuts, a < 0 < b: larger weights and cuts are then always better.
    """
    chunk = usable(chunk)
    size, d = len(point), frame.features
    value, margin = 0.0, np.inf
    gradient = np.zeros(size)
    hessian = np.zeros((size, size)) if order > 1 else EMPTY
    for rows, y, weight, terms in evaluated(chunk, loss, frame, point, order > 1):
        margin = min(margin, np.log(2.0) - float(terms.value.max()))
        if weight is not None:
            terms = Terms(*(weight * part for part in terms))
        value += float(terms.value.sum())
        gradient += gathered(rows, y, terms.slope_a, terms.slope_b, size)
        if order > 1:
            add_curvature(hessian, rows, y, terms, d)
    weight_sum = float(chunk.X.shape[0]) if chunk.weight is None else float(chunk.weight.sum())
    return Expansion(value, gradient, hessian, margin, weight_sum, chunk.X.shape[0])


def product_places(
    chunk: Chunk, loss: OrdinalLoss, frame: Frame, point: np.ndarray, direction: np.ndarray
) -> Expansion:
    """Hessian times a direction, in the place of the gradient."""
    chunk = usable(chunk)
    turn, shift = cuts_of(frame, direction)
    shift = np.concatenate([[0.0], shift, [0.0]])  # the outer limits stay infinite
    out = np.zeros_like(point)
    for rows, y, weight, terms in evaluated(chunk, loss, frame, point, False):
        change = rows @ turn.astype(rows.dtype)
        da, db = shift[y] - change, shift[y + 1] - change
        s_a, s_b = terms.t_a * da + terms.q * (da - db), terms.t_b * db + terms.q * (db - da)
        if weight is not None:
            s_a, s_b = weight * s_a, weight * s_b
        out += gathered(rows, y, s_a, s_b, len(point))
    return Expansion(0.0, out, EMPTY, np.inf, float(chunk.X.shape[0]), chunk.X.shape[0])


def evaluated(
    chunk: Chunk, loss: OrdinalLoss, frame: Frame, point: np.ndarray, dense: bool
) -> Iterator[tuple[Any, np.ndarray, np.ndarray | None, Terms]]:
    """Rows, places and weights, and the terms of the loss of every row; some rows at a time."""
    w, cuts = cuts_of(frame, point)
    edges = np.concatenate([[-np.inf], cuts, [np.inf]])
    gaps = np.diff(edges)
    for rows, y, weight in blocks(chunk, frame, dense):
        rows = rows if sparse.issparse(rows) else np.ascontiguousarray(rows)  # the same bits for any layout
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # a step too far: the value will tell
            f = rows @ w.astype(rows.dtype)
            terms = loss.terms(edges[y] - f, edges[y + 1] - f, gaps[y])
        yield rows, y, weight, terms


def gathered(rows: Any, y: np.ndarray, slope_a: np.ndarray, slope_b: np.ndarray, size: int) -> np.ndarray:
    """Slopes by the limits of each row as slopes by weights and cuts: each cut is b of one class and a of the next."""
    d = rows.shape[1]
    K = size - d + 1
    own, next_ = np.bincount(y, slope_b, K)[:-1], np.bincount(y, slope_a, K)[1:]
    return np.concatenate([-(rows.T @ (slope_a + slope_b).astype(rows.dtype)), own + next_])


def add_curvature(hessian: np.ndarray, rows: np.ndarray, y: np.ndarray, terms: Terms, d: int) -> None:
    """H += sum_n t_a (x, -e_{k-1})(x, -e_{k-1})' + t_b (x, -e_k)(x, -e_k)' + q (e_k - e_{k-1})(e_k - e_{k-1})'."""
    K = len(hessian) - d + 1
    every = np.arange(len(y))
    T = np.zeros((len(y), K + 1))
    T[every, y], T[every, y + 1] = terms.t_a, terms.t_b
    T = T[:, 1:-1]  # no cut below the first class, none above the last
    A = rows * np.sqrt(T.sum(axis=1)).astype(rows.dtype)[:, None]
    cross = rows.T @ T.astype(rows.dtype)
    Q = np.bincount(y, terms.q, K)
    hessian[:d, :d] += A.T @ A
    hessian[:d, d:] -= cross
    hessian[d:, :d] -= cross.T
    k = np.arange(d, len(hessian))
    hessian[k, k] += T.sum(axis=0) + Q[:-1] + Q[1:]
    hessian[k[:-1], k[1:]] -= Q[1:-1]
    hessian[k[1:], k[:-1]] -= Q[1:-1]
