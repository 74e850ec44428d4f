"""What networks with a fixed hidden layer share: regression or classification on its outputs."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ...data import Chunk
from ...features import Basis
from ...statistics import Moments, Pooled, Removable
from ..linear.least_squares_classifier import LeastSquaresClassifier
from ..regression.linear_model import LinearModel
from ..regression.ridge import penalties


class LayeredRegressor(LinearModel):
    """f(x) = b'phi(x) + b0 for a hidden layer phi that is a function of the hyperparameters, and perhaps of ranges."""

    alpha: Any
    fit_intercept = True
    flat_target = True

    @property
    @abstractmethod
    def basis(self) -> Basis:
        """The hidden layer."""

    def summarise(self, chunk: Chunk) -> Removable:
        return Moments.of(chunk.X, chunk.y, chunk.weight, precise=not is_penalised(self.alpha))

    def penalty(self, targets: int) -> np.ndarray:
        return penalties(self.alpha, targets)

    def predict(self, X: Any) -> np.ndarray:
        """b'phi(x) + b0 for every row."""
        return in_type_of(X, super().predict(X))


class LayeredClassifier(LeastSquaresClassifier):
    """The same with targets +1 and -1: the class of the largest output."""

    fit_intercept = True

    @property
    @abstractmethod
    def basis(self) -> Basis:
        """The hidden layer."""

    def summarise(self, chunk: Chunk) -> Removable:
        if self.class_weight is None and is_penalised(self.alpha):
            return Pooled.of(chunk.X, chunk.y, chunk.weight)
        return super().summarise(chunk)

    def scores(self, X: Any) -> np.ndarray:
        return in_type_of(X, super().scores(X))


def is_penalised(alpha: Any) -> bool:
    """Whether nearly dependent hidden units do no harm, so that products need not be in two words."""
    return isinstance(alpha, int | float) and alpha > 0


def in_type_of(X: Any, values: np.ndarray) -> np.ndarray:
    """float32 for rows of float32; inside, weights that are large and of both signs need float64."""
    return values.astype(np.float32) if getattr(X, "dtype", None) == np.float32 else values
