"""What classifiers on sums share: labels."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin

from .ability import with_ability
from .fitted import Fitted
from .one_pass import OnePass


class LabelMixin(ClassifierMixin):
    """A one-pass learner of labels. Its solution holds ``classes_``, made with `labels_of`."""

    target: ClassVar[str | None] = "label"
    updated: Any  # of the learner

    classes_ = Fitted("Labels, sorted.")

    @with_ability("update")
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows. With `classes` at the first call the labels are fixed; else new ones may come."""
        return self.updated(X, y, sample_weight, classes)

    def labels_of(self, statistic: Any) -> np.ndarray:
        """Labels that occurred and those fixed beforehand."""
        fixed = self.__dict__.get("_classes")
        return np.array(statistic.labels) if fixed is None else fixed


class OnePassClassifier(LabelMixin, OnePass):
    """Base of learners of labels that need their rows only through one sum: `LabelMixin` on `OnePass`."""
