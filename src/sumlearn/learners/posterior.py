"""What classifiers by Bayes' rule share: labels, probabilities and draws from ln p(k) + ln p(x | k)."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ..objectives.links import log_softmax
from .classifier import LabelMixin
from .sampling import LabelSamplingMixin


class PosteriorMixin(LabelSamplingMixin, LabelMixin):
    """p(k | x) ~ p(k) p(x | k)."""

    @abstractmethod
    def joint_rows(self, X: Any) -> np.ndarray:
        """ln p(k) + ln p(x | k) of rows that are not checked yet, up to a term that all classes share."""

    def predict(self, X: Any) -> np.ndarray:
        """The most probable label of every row."""
        best = self.joint_rows(X).argmax(axis=1)
        return self.classes_[best]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """ln p(k | x), one column per class."""
        return log_softmax(self.joint_rows(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """p(k | x), one column per class."""
        return np.exp(self.predict_log_proba(X))
