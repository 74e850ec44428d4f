"""The sums over rows that an objective is made of: value, gradient and Hessian in raw coordinates (x - origin, 1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sparse

from ..data import Chunk
from ..statistics import Expansion
from .frame import Frame
from .losses import Loss

BLOCK = 1 << 19  # bytes of rows that are multiplied twice while they are in the cache
EMPTY = np.zeros(0)
FUSED = 1 << 17  # numbers in a chunk from which on a compiled loop is loaded


def usable(chunk: Chunk) -> Chunk:
    """Rows of positive weight, X as float; sparse stays sparse. Few rows lie one after the other: no bit of small fits
    depends on their layout (to turn many takes the time of a pass)."""
    X, y, weight, columns = chunk
    if weight is not None and not weight.all():
        keep = np.flatnonzero(weight)
        X, y, weight = X[keep], None if y is None else y[keep], weight[keep]
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    X = np.ascontiguousarray(X) if not sparse.issparse(X) and X.size < FUSED else X
    return Chunk(X, y, weight, columns)


def blocks(chunk: Chunk, frame: Frame, dense: bool) -> Iterator[tuple[Any, np.ndarray, Any]]:
    """Rows as they are multiplied, targets and weights, some at a time; standardising makes sparse rows dense."""
    X, y, weight, _ = chunk
    n, d = X.shape
    assert y is not None
    dense = dense or frame.standardised
    whole = sparse.issparse(X) and not dense
    size = n if whole else max(256, BLOCK // (8 * max(d, 1)))
    for start in range(0, n, max(size, 1)):
        part = slice(start, start + size)
        rows = X if whole else X[part]
        if sparse.issparse(rows) and dense:
            rows = rows.toarray()
        yield rows if whole else frame.rows(rows), y[part], None if weight is None else weight[part]


def scores(rows: Any, coef: np.ndarray, constant: np.ndarray) -> np.ndarray:
    """(rows, outputs)."""
    f = rows @ coef.T.astype(rows.dtype)
    f += constant.astype(rows.dtype)
    return f


def expand_rows(
    chunk: Chunk, loss: Loss, frame: Frame, point: np.ndarray, order: int, margins: bool = False
) -> Expansion:
    """The expansion of the sum of losses, gradient (outputs, d + 1), Hessian (outputs, d + 1, outputs, d + 1)."""
    chunk = usable(chunk)
    if order < 2 and is_fused(loss, frame, chunk):
        return expand_fused(chunk, loss, frame, point, margins)
    coef, constant = frame.scoring(point)
    K, d = coef.shape
    single = loss.coding != "class"
    value, margin = 0.0, np.inf if margins else -np.inf
    gradient = np.zeros((K, d + 1))
    hessian = np.zeros((K * (d + 1), K * (d + 1))) if order > 1 else EMPTY
    for rows, y, weight in blocks(chunk, frame, dense=order > 1):
        f = scores(rows, coef, constant)
        f = f[:, 0] if single else f
        y = y.astype(f.dtype) if single else y
        v, slope, bend = loss.terms(y, f, order)
        if margins:
            margin = min(margin, loss.margin(y, f))
        if weight is not None:
            w = weight.astype(f.dtype)
            v, slope = v * w, slope * (w if single else w[:, None])
        else:
            w = None
        value += float(v.sum(dtype=np.float64))
        if order:
            slope = np.atleast_2d(slope.T)
            gradient[:, :d] += slope @ rows if not sparse.issparse(rows) else (rows.T @ slope.T).T
            gradient[:, d] += slope.sum(axis=1, dtype=np.float64)
        if order > 1:
            (add_curvature if single else add_softmax_curvature)(hessian, rows, bend, w)
    weight_sum = float(chunk.X.shape[0]) if chunk.weight is None else float(chunk.weight.sum())
    if order > 1:
        hessian = hessian.reshape((K, d + 1, K, d + 1))
    return Expansion(value, gradient, hessian, margin, weight_sum, chunk.X.shape[0])


def is_fused(loss: Loss, frame: Frame, chunk: Chunk) -> bool:
    """Whether a compiled loop is worth it: rows that lie together, and enough of them to pay for loading it."""
    X = chunk.X
    if sparse.issparse(X) or frame.standardised or X.size < FUSED or not X.flags.c_contiguous:
        return False
    return loss.name == "logistic" or (loss.name == "softmax" and X.dtype == np.float64)


def expand_fused(chunk: Chunk, loss: Loss, frame: Frame, point: np.ndarray, margins: bool) -> Expansion:
    """Value, gradient and margin by a compiled loop that reads every row once."""
    from ..compiled import risk

    X, y, weight, _ = chunk
    coef, constant = frame.scoring(point)
    gradient = np.zeros((len(coef), coef.shape[1] + 1))
    weight = EMPTY if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
    coef = np.ascontiguousarray(coef)
    if loss.name == "logistic":
        y = np.ascontiguousarray(y, np.float64)
        value, margin = risk.logistic(X, y, weight, coef[0], float(constant[0]), gradient[0])
    else:
        y = np.ascontiguousarray(y, np.int64)
        value, margin = risk.softmax(X, y, weight, coef, np.ascontiguousarray(constant), gradient)
    total = float(weight.sum()) if len(weight) else float(len(X))
    return Expansion(float(value), gradient, EMPTY, float(margin) if margins else -np.inf, total, len(X))


def with_ones(rows: np.ndarray) -> np.ndarray:
    out = np.empty((rows.shape[0], rows.shape[1] + 1), rows.dtype)
    out[:, :-1] = rows
    out[:, -1] = 1.0
    return out


def add_curvature(hessian: np.ndarray, rows: np.ndarray, bend: np.ndarray, weight: np.ndarray | None) -> None:
    """H += sum_n c_n (x, 1)(x, 1)'."""
    A = with_ones(rows)
    A *= np.sqrt(bend if weight is None else bend * weight)[:, None]
    hessian += A.T @ A


def add_softmax_curvature(hessian: np.ndarray, rows: np.ndarray, p: np.ndarray, weight: np.ndarray | None) -> None:
    """H_kl += sum_n (p_k [k = l] - p_k p_l) (x, 1)(x, 1)', and 1 - p_k is the sum of the others, to all digits."""
    X = with_ones(rows)
    size, K = X.shape[1], p.shape[1]
    if weight is not None:
        X *= np.sqrt(weight)[:, None]
    V = (p[:, :, None] * X[:, None, :]).reshape(len(X), K * size)
    across = V.T @ V
    for k in range(K):
        others = np.delete(p, k, axis=1).sum(axis=1)
        A = X * np.sqrt(p[:, k] * others)[:, None]
        own = slice(k * size, (k + 1) * size)
        across[own, own] = -(A.T @ A)
    hessian -= across


def product_rows(chunk: Chunk, loss: Loss, frame: Frame, point: np.ndarray, direction: np.ndarray) -> Expansion:
    """Hessian times a direction, in the place of the gradient."""
    chunk = usable(chunk)
    coef, constant = frame.scoring(point)
    turn, shift = frame.scoring(direction)
    K, d = coef.shape
    single = loss.coding != "class"
    out = np.zeros((K, d + 1))
    for rows, y, weight in blocks(chunk, frame, dense=False):
        f = scores(rows, coef, constant)
        change = scores(rows, turn, shift)
        if single:
            bend = loss.curvature(y.astype(f.dtype), f[:, 0])[:, None] * change
        else:
            p = loss.curvature(y, f)
            bend = p * (change - (p * change).sum(axis=1, keepdims=True))
        if weight is not None:
            bend = bend * weight[:, None]
        out[:, :d] += (rows.T @ bend).T
        out[:, d] += bend.sum(axis=0)
    return Expansion(0.0, out, EMPTY, np.inf, float(chunk.X.shape[0]), chunk.X.shape[0])


def conjugate_rows(chunk: Chunk, loss: Loss, frame: Frame, point: np.ndarray, share: float) -> Expansion:
    """The sum of the conjugate of the loss at a share of its slopes, in the place of the value."""
    chunk = usable(chunk)
    coef, constant = frame.scoring(point)
    single = loss.coding != "class"
    value = 0.0
    for rows, y, weight in blocks(chunk, frame, dense=False):
        f = scores(rows, coef, constant).astype(np.float64, copy=False)
        f = f[:, 0] if single else f
        y = y.astype(f.dtype) if single else y
        v = loss.conjugate(y, share * loss.slope(y, f))
        value += float((v if weight is None else v * weight).sum())
    return Expansion(value, EMPTY, EMPTY, -np.inf, float(chunk.X.shape[0]), chunk.X.shape[0])


def slopes_of_rows(
    chunk: Chunk, loss: Loss, frame: Frame, point: np.ndarray, direction: np.ndarray, steps: np.ndarray
) -> Expansion:
    """d/dt of the sum of losses at point + t direction for several t, in the place of the gradient."""
    chunk = usable(chunk)
    coef, constant = frame.scoring(point)
    turn, shift = frame.scoring(direction)
    single = loss.coding != "class"
    out = np.zeros(len(steps))
    for rows, y, weight in blocks(chunk, frame, dense=False):
        f, change = scores(rows, coef, constant), scores(rows, turn, shift)
        f, change = (f[:, 0], change[:, 0]) if single else (f, change)
        y = y.astype(f.dtype) if single else y
        for k, t in enumerate(steps):
            slope = loss.slope(y, f + f.dtype.type(t) * change) * change
            slope = slope if single else slope.sum(axis=1)
            out[k] += float((slope if weight is None else slope * weight).sum(dtype=np.float64))
    return Expansion(0.0, out, EMPTY, np.inf, float(chunk.X.shape[0]), chunk.X.shape[0])
