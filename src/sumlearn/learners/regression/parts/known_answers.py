"""Predictions that are there already."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin


class KnownAnswers(RegressorMixin, BaseEstimator):
    """Predictions that are there already, for a scorer."""

    def fit(self, X: Any, y: Any = None) -> Self:
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return X

    def __sklearn_is_fitted__(self) -> bool:
        return True
