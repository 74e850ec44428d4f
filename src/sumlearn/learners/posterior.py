"""What classifiers by Bayes' rule share: probabilities and draws from ln p(k) + ln p(x | k)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..objectives.links import log_softmax
from ..statistics.warnings import warn
from .sampling import LabelSamplingMixin


class PosteriorMixin(LabelSamplingMixin):
    """p(k | x) ~ p(k) p(x | k)."""

    classes_: Any  # of the learner
    priors: Any
    exact_priors: ClassVar[bool] = False  # whether priors that do not sum to one are refused

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

    # -- for the solutions ------------------------------------------------------------------------------------------

    def priors_of(self, weights: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """p(k) of the labels, whose weights these are: given by name or by place; none for a class without rows."""
        if self.priors is None:
            return weights / weights.sum()
        given = self.priors
        if isinstance(given, Mapping):
            strange = [label for label in labels[weights > 0].tolist() if label not in given]
            if strange:
                raise ValueError(f"priors name {list(given)}, and there are rows of class {strange[0]!r}: give it one")
            names = labels.tolist() + [label for label in given if label not in labels.tolist()]
            weights = np.append(weights, np.zeros(len(names) - len(weights)))
            given = [given.get(label, 0.0) for label in names]
        priors = np.asarray(given, dtype=float)
        if priors.shape != weights.shape:
            raise ValueError(
                f"Number of priors must match number of classes: {priors.shape} and {len(weights)} classes"
            )
        if (priors < 0).any() or not np.isfinite(priors).all():
            raise ValueError(f"{'Priors' if self.exact_priors else 'priors'} must be non-negative")  # its words
        total = priors.sum()
        if abs(total - 1.0) > 1e-5:
            if self.exact_priors:
                raise ValueError(f"The sum of the priors should be 1, got {total:g}.")
            warn("The priors do not sum to 1. Renormalizing", UserWarning)
        priors = np.where(weights > 0, priors, 0.0)[: len(labels)]
        if not priors.any():
            raise ValueError("the priors of all classes that have rows are zero: give one of them a share")
        return priors / priors.sum()
