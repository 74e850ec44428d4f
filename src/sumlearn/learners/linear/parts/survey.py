"""Survey: one pass before the first step, for labels, class weights, centre and spread of the columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sparse

from ....data import Chunk
from ....objectives import Coding, Frame
from ....objectives.frame import frame_of
from ....statistics import Grouped, Moments, RowError, Total
from ...passes import Passes


@dataclass(frozen=True)
class Labels:
    """Labels in order, the weight of each, and the weights that `class_weight` gives them."""

    classes: np.ndarray
    weight: np.ndarray
    factor: np.ndarray | None

    def coding(self, positive: int | None) -> Coding:
        return Coding(self.classes, positive, self.factor)


def by_label(chunk: Chunk) -> Grouped[Moments]:
    """Diagonal moments of each label; of sparse rows the weights of the labels alone."""
    return Grouped.of(bare(chunk), chunk.y, chunk.weight, form="diagonal")


def with_target(chunk: Chunk) -> Moments:
    """Diagonal moments of (x, y); of sparse rows those of y alone."""
    X = bare(chunk)
    try:
        return Moments.of(X, chunk.y, chunk.weight, form="diagonal")
    except RowError as error:
        if error.column is None or error.column < X.shape[1]:
            raise
        raise RowError("y", error.row, None, error.value) from None


def bare(chunk: Chunk) -> Any:
    """Rows, dense as they are; sparse ones checked for NaN and infinity, and then without their columns."""
    X = chunk.X
    if not sparse.issparse(X):
        return X
    bad = ~np.isfinite(X.data)
    if bad.any() and chunk.weight is not None:
        bad &= np.repeat(chunk.weight != 0, np.diff(X.indptr))
    if bad.any():
        place = int(np.argmax(bad))
        row = int(np.searchsorted(X.indptr, place, side="right")) - 1
        raise RowError("X", row, int(X.indices[place]), float(X.data[place]))
    return np.zeros((X.shape[0], 0))


def frame_for(rows: Passes, moments: Moments, intercept: bool, penalised: bool = False) -> Frame:
    """Coordinates for dense rows; sparse rows keep their zeros, in units of the root mean square of each column.

    A penalised intercept is the score at zero: there is no centre then.
    """
    if penalised and intercept:
        return replace(frame_for(rows, moments, False), intercept=True)
    source, features = rows.source, rows.source.features
    if moments.features != features:
        squares = rows.total(column_squares)
        unit = np.sqrt(squares.values / squares.weight)
        return replace(frame_of(np.zeros(features), unit, intercept, source.dtype), standardised=False)
    mean, deviation = moments.mean[:features], moments.deviation[:features]
    if not intercept:
        deviation = np.hypot(deviation, mean)
    return frame_of(mean, deviation, intercept, source.dtype)


def column_squares(chunk: Chunk) -> Total:
    """Sums of the squares of the columns of sparse rows."""
    X, n = chunk.X, chunk.X.shape[0]
    if chunk.weight is None:
        return Total(np.bincount(X.indices, np.square(X.data, dtype=np.float64), X.shape[1]), float(n), n)
    weight = chunk.weight
    share = np.repeat(weight, np.diff(X.indptr))
    values = np.where(share > 0, X.data.astype(np.float64) ** 2 * share, 0.0)  # rows of weight zero may hold NaN
    return Total(np.bincount(X.indices, values, X.shape[1]), float(weight.sum()), n)
