"""Probabilities of classifiers by scores, from the sums of the classes: scores are taken to be Gaussian in each class.

    two classes:  ln P(1 | x) / P(0 | x) = s g(x),      s = (m1 - m0) / v
    K classes:    P(k | x) = softmax_k(s g(x)),         s = (m_own - m_other) / v

m1, m0 are the mean scores of the classes and v their variance within the classes; of several classes, m_own and m_other
are the mean scores of a row for its own class and for another, and v is half the variance of the difference of two
scores. Where the scores of all classes have one variance, the slope s is that of Gaussian log-odds; the border is the
one of `predict`. All of it is a function of the sums of the fit, so that merging and forgetting stay exact.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ....objectives.links import log_softmax
from ....statistics import Grouped, Moments, Pooled
from ...fitted import Later
from ...sampling import LabelSamplingMixin

NARROW = 1e-12  # variance of the scores within the classes, beside that between them: less is none


class GaussianScores(LabelSamplingMixin):
    """`predict_proba` from `scores`; the solution holds "slope", a function that `later_slope` makes, or a number."""

    scores: Any  # of the learner
    solved: Any

    score_slope_ = Later("_score_slope", "The factor s of the scores that makes them log-odds.")

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """ln P(k | x), one column per class."""
        scores = self.scores(X)
        if len(self.classes_) == 1:
            return np.zeros((len(scores), 1), scores.dtype)
        if scores.shape[1] == 1:
            scores = np.column_stack([np.zeros_like(scores[:, 0]), scores[:, 0]])
        with np.errstate(over="ignore"):
            return log_softmax(scores * scores.dtype.type(self.score_slope_))

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(k | x), one column per class, where the scores of every class are Gaussian with one variance."""
        return np.exp(self.predict_log_proba(X))

    def _score_slope(self) -> float:
        return float(self.solved()["slope"]())


def later_slope(sums: Pooled | Grouped[Moments], B: np.ndarray, mean: np.ndarray, level: np.ndarray) -> Any:
    """A function that gives the slope of the scores B (x - mean) + level."""
    return partial(slope, sums, B, mean, level)


def slope(sums: Pooled | Grouped[Moments], B: np.ndarray, mean: np.ndarray, level: np.ndarray) -> float:
    pooled = Pooled.from_groups(sums, len(mean)) if isinstance(sums, Grouped) else sums
    parts = list(pooled.groups.groups.values())
    share = np.array([part.weight for part in parts]) / pooled.weight
    means = level + np.array([part.shift(-mean).mean for part in parts]) @ B.T
    C = pooled.within.project(np.ascontiguousarray(B.T)).scatter / pooled.weight
    K = len(B)
    if K == 1:
        apart, variance = float(np.ptp(means)) if len(parts) > 1 else 2.0, float(C[0, 0])
    else:
        own = means.max(axis=1) if len(parts) != K else means.diagonal()
        apart = float(share @ (own - (means.sum(axis=1) - own) / (K - 1)))
        variance = float(C.trace() - C.mean() * K) / (K - 1)
    return apart / max(variance, NARROW * apart**2) if apart > 0 else 0.0
