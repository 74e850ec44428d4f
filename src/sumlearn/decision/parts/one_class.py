"""What learners of one class share: a score, a threshold of it, and how well others are kept out."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import OutlierMixin

from ...evaluation.two_classes.roc_curve import RocCurve
from ...features.input_ranges import is_number


class OneClassRule(OutlierMixin):
    """Rows are accepted whose score is at least `offset_`; scikit-learn's protocol of outlier detectors."""

    offset_: float
    float_dtype: Any  # of the learner

    @abstractmethod
    def scores(self, X: Any) -> np.ndarray:
        """A number for each row, high where rows were learnt."""

    def score_samples(self, X: Any) -> np.ndarray:
        """The score of each row: high where rows were learnt."""
        return self.scores(X).astype(self.float_dtype, copy=False)

    def decision_function(self, X: Any) -> np.ndarray:
        """The score less its threshold: not negative where a row is accepted."""
        return (self.scores(X) - self.offset_).astype(self.float_dtype, copy=False)

    def predict(self, X: Any) -> np.ndarray:
        """1 where a row is accepted, -1 for outliers."""
        return np.where(self.scores(X) >= self.offset_, 1, -1).astype(np.intp)

    def roc(self, X: Any, y: Any, sample_weight: Any = None) -> RocCurve:
        """The curve of rows of the class (y is 1, or true) and real negatives (-1, 0 or false).

        A threshold for known costs or rates is chosen on it: `decision.WorkingPoint`.
        """
        labels = np.asarray(y)
        if labels.dtype.kind not in "biuf" or not np.isin(labels, (-1, 0, 1)).all():
            raise ValueError("y must be 1 (or true) for rows of the class and -1, 0 (or false) for others")
        return RocCurve(labels == 1, self.scores(X), sample_weight, positive=True)


def check_share(value: Any, name: str) -> None:
    """A share strictly between 0 and 1."""
    if not is_number(value) or not 0.0 < value < 1.0:
        raise ValueError(f"{name} must be between 0 and 1, got {value!r}")
