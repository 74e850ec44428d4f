"""The curvature of the log-likelihood of logistic regression at its maximum, in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sparse

from ....data import Chunk, Source
from ....engines import total
from ....objectives import Coding, Frame, Logistic, Softmax
from ....objectives.loss_sums import expand_rows, usable
from ....statistics import RowError, Total
from ....statistics.row_checks import prepare, raise_if_not_finite

FEW = 4e9  # rows * parameters^2 up to which a fit without a penalty keeps its curvature: well below a second


class UnknownLabel(RowError):
    """A label that was not among the classes of the fit."""

    text = "y holds a label at row {row} that is none of the classes of the fit"


@dataclass(frozen=True, eq=False)
class Scores:
    """Linear scores with their classes: level + b'(x - centre) for each output."""

    classes: np.ndarray
    coef: np.ndarray
    level: np.ndarray
    centre: np.ndarray | None  # None is zero
    intercept: bool

    @classmethod
    def of(cls, values: Any, intercept: bool) -> Scores:
        """From fitted attributes."""
        coef = values["coef_"]
        coef = np.asarray(coef.toarray() if hasattr(coef, "toarray") else coef, dtype=float)
        centre = values["_centre"]
        level = np.asarray(values["intercept_"] if centre is None else values["_level"], dtype=float)
        return cls(values["classes_"], coef, np.atleast_1d(level), centre, intercept)

    @property
    def parameters(self) -> np.ndarray:
        """(outputs, size), the level first."""
        return np.column_stack([self.level, self.coef]) if self.intercept else self.coef

    @property
    def outputs(self) -> int:
        return len(self.coef)

    @property
    def size(self) -> int:
        """Parameters of an output."""
        return self.coef.shape[1] + self.intercept

    @property
    def origin(self) -> np.ndarray:
        return np.zeros(self.coef.shape[1]) if self.centre is None else self.centre


def information(scores: Scores, source: Source, workers: int | None) -> Total:
    """Curvature, slope and value of -ln L, and the weight of each class, in one run of numbers: one pass."""
    return total(partial(of_rows, scores=scores), source, factor=8, workers=workers, empty_ok=True)


def of_rows(chunk: Chunk, scores: Scores) -> Total:
    d = scores.coef.shape[1]
    prepare(np.zeros((chunk.X.shape[0], 0)), weight=chunk.weight)  # refuses weights that are negative or no numbers
    refuse_unknown(chunk, scores.classes)
    two = scores.outputs == 1
    coded = usable(Coding(scores.classes, 1 if two else None)(chunk))
    frame = Frame(scores.origin, np.ones(d), scores.intercept, standardised=scores.centre is not None)
    point = np.column_stack([scores.coef, scores.level]) if scores.intercept else scores.coef
    coded = coded._replace(X=coded.X.astype(np.float64, copy=False))
    found = expand_rows(coded, Logistic() if two else Softmax(), frame, point, 2)
    if not np.isfinite(found.value):
        prepare(chunk.X, weight=chunk.weight)  # names rows by their place among all, where some weigh nothing
        raise_if_not_finite(chunk.X.toarray() if sparse.issparse(chunk.X) else chunk.X)
    y = np.asarray(coded.y)
    codes = (y > 0 if two else y).astype(np.intp)
    weight = np.bincount(codes, coded.weight, len(scores.classes)).astype(float)
    gradient, hessian = frame.gradient(found.gradient), frame.hessian(found.hessian)
    return Total(np.concatenate([hessian.ravel(), gradient.ravel(), [found.value], weight]), found.weight, found.rows)


def refuse_unknown(chunk: Chunk, classes: np.ndarray) -> None:
    """Raise where a row that weighs something has a label that is no class."""
    y = np.asarray(chunk.y)
    unknown = classes[np.minimum(np.searchsorted(classes, y), len(classes) - 1)] != y
    if chunk.weight is not None:
        unknown &= chunk.weight > 0
    if unknown.any():
        raise UnknownLabel("y", int(unknown.argmax()), None, 0.0)


@dataclass(frozen=True, eq=False)
class Curvature:
    """What `information` collected, unpacked: H (outputs, size, outputs, size), the level first."""

    hessian: np.ndarray
    gradient: np.ndarray
    value: float
    weight: np.ndarray

    @classmethod
    def of(cls, total: Total, scores: Scores) -> Curvature:
        K, p = scores.outputs, scores.size
        H, g, value, weight = np.split(total.values, np.cumsum([(K * p) ** 2, K * p, 1]))
        shift = int(scores.intercept)  # sums have the level last
        H = np.roll(H.reshape(K, p, K, p), (shift, shift), axis=(1, 3))
        return cls(H, np.roll(g.reshape(K, p), shift, axis=1), float(value[0]), weight)
