"""Many fits of one estimator on rows chosen by number: from sums where the learner has them, else from the rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from ...data import split_target, vector
from ...data.collections import is_dask
from ...data.files import is_path
from ...data.mapped import inputs_of
from ...data.stream import Stream, in_memory
from ...engines import engine_for, sums_of_patterns
from ...learners.ability import sums_by_row
from ...learners.validation import rows_by_number, training_source
from ...statistics import Total
from .row_losses import RowLoss


class Refits(ABC):
    """An estimator and rows that it is fitted on again and again. A row that stands twice in an index counts twice."""

    rows: int
    y: np.ndarray | None
    weight: np.ndarray | None

    @abstractmethod
    def models(self, samples: Sequence[np.ndarray]) -> list[Any]:
        """The fit on each sample of rows."""

    @abstractmethod
    def predict(self, model: Any, rows: np.ndarray) -> np.ndarray:
        """Predictions of a fitted model for some rows."""

    @abstractmethod
    def total_losses(self, models: Sequence[Any], samples: Sequence[np.ndarray], loss: RowLoss) -> list[Total]:
        """The weighted sum of the losses of each model on a sample of its own."""

    def losses(self, model: Any, rows: np.ndarray, loss: RowLoss) -> np.ndarray:
        assert self.y is not None
        return loss(self.y[rows], self.predict(model, rows))

    def weights(self, rows: np.ndarray) -> np.ndarray:
        return np.ones(len(rows)) if self.weight is None else self.weight[rows]


class FromSums(Refits):
    """A one-pass learner: one read of the data for all samples given at once, also of files and Dask collections."""

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self.estimator, self.probe = estimator, clone(estimator)
        self.source = rows_by_number(
            training_source(self.probe, X, y, sample_weight, target=estimator.target, reset=True)
        )
        self.rows, self.y, self.weight = self.source.rows, self.source.y, self.source.weight  # type: ignore[assignment]

    def models(self, samples: Sequence[np.ndarray]) -> list[Any]:
        sums = self._sums(partial(summary, self.probe, self.source), samples)
        return [clone(self.estimator).solve(statistic, like=self.source) for statistic in sums]

    def predict(self, model: Any, rows: np.ndarray) -> np.ndarray:
        source, index = in_memory(self.source, rows)
        return model.predict(source.native(index))

    def total_losses(self, models: Sequence[Any], samples: Sequence[np.ndarray], loss: RowLoss) -> list[Total]:
        bare = [model.without_names() for model in models]
        return self._sums(partial(loss_of_chunk, bare, loss, self.source), samples)

    def _sums(self, summary_of: Any, samples: Sequence[np.ndarray]) -> list[Any]:
        engine = engine_for(self.source, getattr(self.estimator, "n_jobs", None))
        return sums_of_patterns(summary_of, self.source, engine, samples, self.estimator.chunk_factor)


class FromRows(Refits):
    """Any other estimator: a fit for every sample."""

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any) -> None:
        if is_path(X) or is_dask(X):
            raise ValueError(f"{type(estimator).__name__} needs its rows in memory; X is read as a stream")
        X, y = split_target(X, y)
        self.estimator, self.X = estimator, X
        self.y = None if y is None else vector(y)
        self.weight = None if sample_weight is None else vector(sample_weight, "sample_weight")
        self.rows = X.shape[0] if hasattr(X, "shape") else len(X)
        for name, values in (("y", self.y), ("sample_weight", self.weight)):
            if values is not None and len(values) != self.rows:
                raise ValueError(f"X has {self.rows} rows, {name} has {len(values)}")

    def models(self, samples: Sequence[np.ndarray]) -> list[Any]:
        return [self._fit(rows) for rows in samples]

    def predict(self, model: Any, rows: np.ndarray) -> np.ndarray:
        return np.asarray(model.predict(_safe_indexing(self.X, rows)))

    def total_losses(self, models: Sequence[Any], samples: Sequence[np.ndarray], loss: RowLoss) -> list[Total]:
        totals = []
        for model, rows in zip(models, samples, strict=True):
            weight = self.weights(rows)
            totals.append(total(self.losses(model, rows, loss), weight))
        return totals

    def _fit(self, rows: np.ndarray) -> Any:
        y = None if self.y is None else self.y[rows]
        extra = {} if self.weight is None else {"sample_weight": self.weight[rows]}
        return clone(self.estimator).fit(_safe_indexing(self.X, rows), y, **extra)


def refits(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Refits:
    kind = FromSums if sums_by_row(estimator) else FromRows
    return kind(estimator, X, y, sample_weight)


def refits_in_memory(estimator: Any, X: Any, y: Any, what: str, sample_weight: Any = None) -> Refits:
    """The same, for methods that keep a number for every row and every model."""
    table = refits(estimator, X, y, sample_weight)
    if isinstance(table, FromSums) and isinstance(table.source, Stream):
        raise ValueError(f"{what} asks about single rows: load the table into memory first")
    if table.y is None:
        raise ValueError(f"{what} needs y")
    return table


def summary(probe: Any, source: Any, sample: int, rows: Any) -> Any:
    return probe.summary_of(source, rows)


def loss_of_chunk(models: Sequence[Any], loss: RowLoss, source: Any, sample: int, rows: Any) -> Total:
    chunk = inputs_of(source).chunk(rows)
    assert chunk.y is not None
    weight = np.ones(chunk.X.shape[0]) if chunk.weight is None else chunk.weight
    return total(loss(chunk.y, models[sample].predict(chunk.X)), weight)


def total(losses: np.ndarray, weight: np.ndarray) -> Total:
    return Total(np.array([weight @ losses]), float(weight.sum()), len(losses))
