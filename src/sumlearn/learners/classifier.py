"""What all one-pass classifiers share: labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin

from ..data import split_target, vector
from .fitted import Fitted, Holder
from .learner import OnePass


class OnePassClassifier(ClassifierMixin, OnePass):
    """A learner of labels. Its solution holds ``classes_``, made with `labels_of`."""

    target = "label"

    classes_ = Fitted("Labels, sorted.")

    def partial_fit(  # type: ignore[override]
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from more rows. With `classes` at the first call the labels are fixed; else new ones may come."""
        fixed = self.__dict__.get("_classes") if "statistic_" in self.__dict__ else None
        if classes is not None:
            classes = np.unique(np.asarray(classes))
            if fixed is not None and not np.array_equal(fixed, classes):
                raise ValueError(f"`classes={classes.tolist()}` differs from the earlier call, {fixed.tolist()}")
            fixed = classes
        if fixed is not None:
            X, y = split_target(X, y)
            y = vector(y)
            unknown = np.setdiff1d(y, fixed)
            if len(unknown):
                raise ValueError(
                    f"The target label(s) {unknown.tolist()} in y do not exist in the initial classes {fixed.tolist()}"
                )
        super().partial_fit(X, y, sample_weight)
        if fixed is not None:
            self._classes = fixed
            self._holder = Holder()
        return self

    def labels_of(self, statistic: Any) -> np.ndarray:
        """Labels that occurred and those fixed beforehand."""
        fixed = self.__dict__.get("_classes")
        return np.array(statistic.labels) if fixed is None else fixed
