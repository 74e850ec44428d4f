"""Iterative: every step is a sum, the model is not. So it works out of core and on a cluster, but has no + and no -."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..data import Source
from ..engines import engine_for
from ..statistics import Statistic
from .callbacks import STATE, CallbackSupportMixin, stepwise, with_callbacks
from .fitted import parameter_names
from .validation import prediction_rows, summary_of_part, training_source


class Iterative(CallbackSupportMixin, BaseEstimator):
    """Base of learners that read the rows several times, each time for a sum: one reduce for each step.

    >>> from sumlearn.statistics import Total
    >>> class Spread(Iterative):
    ...     "The mean of y, and in a second pass the mean distance from it."
    ...     def learn(self, source):
    ...         def mean(of):
    ...             sums = self.total_of(lambda c: Total(of(c.y).sum(keepdims=True), float(len(c.y)), len(c.y)), source)
    ...             return float(sums.values[0] / sums.weight)
    ...         middle = mean(lambda y: y)
    ...         return {"mean_": middle, "distance_": mean(lambda y: np.abs(y - middle))}
    >>> model = Spread().fit([[0.0]] * 4, [1.0, 2.0, 3.0, 6.0])
    >>> model.mean_, model.distance_
    (3.0, 1.5)
    """

    one_pass: ClassVar[bool] = False
    mergeable: ClassVar[bool] = False
    forgettable: ClassVar[bool] = False
    target: ClassVar[str | None] = "number"  # what y is: "number", "label", or None

    n_features_in_: int
    _previous: dict[str, Any]  # while fitting: the fit before, with `warm_start`
    _step: Callable[[], None] | None  # while fitting: to be called at every step

    @abstractmethod
    def learn(self, source: Source) -> dict[str, Any]:
        """Fitted attributes by name, from the rows of a source."""

    @with_callbacks
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows: several passes over X (array, sparse matrix, table, files or a Dask collection)."""
        work = copy.copy(self)  # a fit that fails changes nothing
        parameters = set(parameter_names(type(self)))
        previous = {
            name: value for name, value in vars(self).items() if name.endswith("_") and name not in parameters
        }
        for name in previous:
            del work.__dict__[name]
        source = training_source(work, X, y, sample_weight, target=self.target, reset=True)
        work._previous = previous if getattr(self, "warm_start", False) else {}
        with stepwise(self) as work._step:
            values = work.learn(source)
        del work._previous, work._step
        work._dtype = source.dtype
        watching = {name: self.__dict__[name] for name in STATE if name in self.__dict__}
        self.__dict__.clear()
        self.__dict__.update(work.__dict__ | values | watching)
        return self

    def total_of(self, summarise: Any, source: Source) -> Any:
        """The sum of summarise(chunk) over a source; a bad value is named by its row and column."""
        engine = engine_for(source, getattr(self, "n_jobs", None))
        total: Statistic = engine.reduce(partial(summary_of_part, summarise, source), source.parts(8))
        if self._step is not None:
            self._step()
        if total.weight == 0:
            raise ValueError("sample_weight is zero for every row: the sum of the weights must be positive")
        return total

    def rows_of(self, X: Any, *, sparse_ok: bool = False) -> Any:
        """X checked against the fit, for predicting."""
        check_is_fitted(self)
        return prediction_rows(self, X, sparse_ok=sparse_ok)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = self.target is not None
        return tags

    @property
    def float_dtype(self) -> np.dtype[Any]:
        """float32 if all rows learnt were, else float64."""
        return self.__dict__.get("_dtype", np.dtype(np.float64))
