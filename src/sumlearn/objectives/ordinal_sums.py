"""The sums over rows that the objective of ordered classes is made of, and the coordinates they are in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sparse

from ..data import Chunk
from ..statistics import Expansion
from .frame import Frame
from .loss_sums import EMPTY, blocks, usable
from .ordinal_losses import OrdinalLoss, OrdinalTerms

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


def expand_ranks(chunk: Chunk, loss: OrdinalLoss, frame: Frame, point: np.ndarray, order: int) -> Expansion:
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
            terms = OrdinalTerms(*(weight * part for part in terms))
        value += float(terms.value.sum())
        gradient += gathered(rows, y, terms.slope_a, terms.slope_b, size)
        if order > 1:
            add_curvature(hessian, rows, y, terms, d)
    weight_sum = float(chunk.X.shape[0]) if chunk.weight is None else float(chunk.weight.sum())
    return Expansion(value, gradient, hessian, margin, weight_sum, chunk.X.shape[0])


def product_ranks(chunk: Chunk, loss: OrdinalLoss, frame: Frame, point: np.ndarray, direction: np.ndarray) -> Expansion:
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
) -> Iterator[tuple[Any, np.ndarray, np.ndarray | None, OrdinalTerms]]:
    """Rows, ranks and weights, and the terms of the loss of every row; some rows at a time."""
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


def add_curvature(hessian: np.ndarray, rows: np.ndarray, y: np.ndarray, terms: OrdinalTerms, d: int) -> None:
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
