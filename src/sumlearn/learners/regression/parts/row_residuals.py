"""What needs the rows of the fit once more: their residuals and leverages, chunk by chunk."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....data import Chunk, Source
from ....engines import total
from ....statistics import RowError, Statistic, in_words
from ....statistics.row_checks import prepare, raise_if_not_finite
from .geometry import Geometry
from .inference import LinearInference

EXACT = 1e-10  # 1 - leverage below which a row is fitted exactly, whatever its target


class ExactRow(RowError):
    """A row whose leverage is one: it is fitted exactly, and its residual says nothing."""

    text = "row {row} has leverage 1, so that it is fitted exactly: what divides by 1 - leverage is not defined"


@dataclass(frozen=True, eq=False)
class Surface:
    """A fitted linear model as rows see it: f(x) = level + b'(x - m), a geometry for each target."""

    geometries: tuple[Geometry, ...]
    coef: np.ndarray
    level: np.ndarray
    low: np.ndarray  # the second word of the level
    precision: bool  # whether weights are precisions

    @classmethod
    def of(cls, model: Any, inference: LinearInference, weights: str) -> Surface:
        moments, parameters = in_words(model.statistic_), model.solved()["parameters"]
        coef, level, low = parameters, np.zeros(moments.targets), np.zeros(moments.targets)
        if model.fit_intercept:
            d = moments.features
            coef, level = parameters[:, 1:], moments.mean[d:]
            low = np.ldexp(moments.centre.lo[d:], moments.exponent[d:])
        return cls(inference.geometries, coef, level, low, weights == "precision")

    def predictions(self, X: np.ndarray) -> np.ndarray:
        """f(x), (rows, targets)."""
        return self.level + (self.geometries[0].away(X) @ self.coef.T + self.low)

    def residuals(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """y - f(x), (rows, targets)."""
        e = (y.reshape(len(X), -1) - self.level) - (self.geometries[0].away(X) @ self.coef.T + self.low)
        if not np.isfinite(e.sum()):
            raise_if_not_finite(X)
            raise_if_not_finite(y, "y")
        return e

    def chunk(self, chunk: Chunk) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows that weigh something, as float64; their residuals and their weights."""
        X, y, weight = prepare(*chunk[:3])
        X = X.astype(np.float64, copy=False)
        e = self.residuals(X, np.asarray(y, dtype=np.float64))
        return X, e, np.ones(len(X)) if weight is None else weight


def refuse_exact(left: np.ndarray, chunk: Chunk) -> None:
    """Raise where 1 - leverage is nothing, for rows of a chunk that weigh something."""
    if (left <= EXACT).any():
        numbers = np.arange(len(left)) if chunk.weight is None else np.flatnonzero(chunk.weight)
        raise ExactRow("X", int(numbers[int((left <= EXACT).argmax())]), None, 1.0)


def rows_of_fit(model: Any, X: Any, y: Any, sample_weight: Any) -> Source:
    """The source of rows that the model has learnt."""
    return copy.copy(model).open(X, y, sample_weight, reset=False)


def total_over(model: Any, source: Source, summarise: Any) -> Any:
    """The sum of summarise(chunk) over the rows of the fit, refused where they weigh something else."""
    workers, learnt = getattr(model, "n_jobs", None), model.statistic_.weight
    sums: Statistic = total(summarise, source, factor=model.chunk_factor, workers=workers, empty_ok=True)
    if abs(sums.weight - learnt) > 1e-6 * learnt:
        raise ValueError(
            f"X holds rows of weight {sums.weight:g}, the model has learnt rows of weight {learnt:g}: this needs the "
            "rows of the fit, with their weights"
        )
    return sums
