"""Draws: labels from the probabilities of a classifier, targets from a prediction and its noise."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def with_noise(mean: np.ndarray, variance: Any, random_state: Any) -> np.ndarray:
    """A draw from N(mean, variance) for every row; `variance` is a number, or one for each target or each value."""
    deviation = np.sqrt(variance)
    if not np.isfinite(deviation).all():
        raise ValueError("the variance of y around the predictions is out of range: rescale y")
    return mean + deviation * check_random_state(random_state).standard_normal(mean.shape)


class LabelSamplingMixin:
    """`sample` for classifiers that have probabilities."""

    classes_: np.ndarray

    def sample(self, X: Any, random_state: Any = None) -> np.ndarray:
        """Draw a label for every row from P(k | x)."""
        shares = np.cumsum(self.predict_proba(X), axis=1, dtype=np.float64)  # type: ignore[attr-defined]
        drawn = check_random_state(random_state).uniform(size=(len(shares), 1)) * shares[:, -1:]
        return self.classes_[(drawn >= shares).sum(axis=1)]
