"""What networks with a fixed hidden layer share: regression or classification on its outputs."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ....data import Chunk
from ....features import Basis
from ....statistics import Grouped, Moments, Pooled
from ...linear.least_squares_classifier import precisely_pooled
from ...linear.parts.label_regression import LabelRegression
from ...linear_map import in_type_of
from ...regression.parts.linear_model import LinearModel
from ...regression.ridge import penalties
from ...validation import term_name


class LayeredRegressor(LinearModel):
    """f(x) = b'phi(x) + b0 for a hidden layer phi that is a function of the hyperparameters, and perhaps of ranges."""

    alpha: Any
    fit_intercept: bool
    column_target = True
    single_out = True

    @property
    @abstractmethod
    def basis(self) -> Basis:
        """The hidden layer."""

    def summarise(self, chunk: Chunk, look: Any = None) -> Moments:
        return Moments.of(chunk.X, chunk.y, chunk.weight, precise=not is_penalised(self.alpha))

    def solution(self, statistic: Moments) -> dict[str, Any]:
        return self.regression(statistic, penalties(self.alpha, statistic.targets))


class LayeredClassifier(LabelRegression):
    """The same with targets +1 and -1: the class of the largest output."""

    fit_intercept: bool

    @property
    @abstractmethod
    def basis(self) -> Basis:
        """The hidden layer."""

    @property
    def statistic_type(self) -> Any:
        return Pooled if self.class_weight is None else Grouped[Moments]

    def summarise(self, chunk: Chunk, look: Any = None) -> Pooled | Grouped[Moments]:
        if self.class_weight is not None:
            return Grouped.of(chunk.X, chunk.y, chunk.weight)
        pooled = Pooled.of if is_penalised(self.alpha) else precisely_pooled
        return pooled(chunk.X, chunk.y, chunk.weight)

    def solution(self, statistic: Pooled | Grouped[Moments]) -> dict[str, Any]:
        return self.regression(statistic, self.labels_of(statistic))

    def scores(self, X: Any) -> np.ndarray:
        return in_type_of(X, self.planes(X))

    def term_name(self, term: int) -> Any:
        return term_name(self, term)


def is_penalised(alpha: Any) -> bool:
    """Whether nearly dependent hidden units do no harm, so that products need not be in two words."""
    return isinstance(alpha, int | float) and alpha > 0
