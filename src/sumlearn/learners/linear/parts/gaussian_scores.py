"""Probabilities of classifiers by scores, from the sums of the classes: scores are taken to be Gaussian in each class.

    P(k | x) = softmax_k(s g(x)),   of two classes  ln P(1 | x) / P(0 | x) = s g(x)
    s = argmax of  sum_k N_k / N  sum_{l != k} E ln sigma(s (g_k - g_l)),    g ~ N(m_k, C) in class k

g are the scores that `predict` compares, m_k their means in the classes and C their covariance within the classes; of
two classes, g_1 - g_0 is the one score. The likelihood of pairs is that of all classes where there are two. The order
of the scores is kept, so that `predict` and the probabilities agree; where the border of two classes is that of
Gaussian posteriors, s = (m_1 - m_0) / C is the slope of these. All of it is a function of the sums of the fit: merging
and forgetting stay exact.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import brentq

from ....objectives.links import log_softmax, sigmoid
from ....statistics import Grouped, Moments, Pooled
from ...fitted import Later
from ...sampling import LabelSamplingMixin

POINTS = 145  # of the integral over a Gaussian
LEAST, MOST = 1e-6, 1e9  # of the slope times the range of the scores: even odds, and no doubt


class GaussianScores(LabelSamplingMixin):
    """`predict_proba` from `scores`; the solution holds "slope", made by `later_slope`, and "shares" of the classes."""

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
        shares, slope = self.solved()["shares"], scores.dtype.type(self.score_slope_)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            # classes of no row have none, and scores that tell nothing leave the shares
            scaled = scores * slope if slope else np.broadcast_to(np.log(shares), scores.shape)
            log_odds = np.where(shares > 0, scaled, -np.inf)
            return log_softmax(log_odds.astype(scores.dtype))

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(k | x), one column per class, where the scores of every class are Gaussian with one covariance."""
        return np.exp(self.predict_log_proba(X))

    def _score_slope(self) -> float:
        return float(self.solved()["slope"]())


def shares_of(sums: Pooled | Grouped[Moments], labels: np.ndarray) -> np.ndarray:
    """Weights of the classes, as shares; zero for classes of no row."""
    groups = (sums.groups if isinstance(sums, Pooled) else sums).groups
    return np.array([groups[label].weight if label in groups else 0.0 for label in labels.tolist()]) / sums.weight


def later_slope(
    sums: Pooled | Grouped[Moments], B: np.ndarray, mean: np.ndarray, level: np.ndarray, shares: np.ndarray
) -> Any:
    """A function that gives the slope of the scores B (x - mean) + level, of the classes that have rows."""
    seen = shares > 0
    return partial(slope, sums, *((B[seen], mean, level[seen]) if len(B) == len(seen) else (B, mean, level)))


def slope(sums: Pooled | Grouped[Moments], B: np.ndarray, mean: np.ndarray, level: np.ndarray) -> float:
    """Where the expected log-likelihood, which is concave in s, is largest; zero where scores tell nothing."""
    pooled = Pooled.from_groups(sums, len(mean)) if isinstance(sums, Grouped) else sums
    parts = list(pooled.groups.groups.values())
    share = np.array([part.weight for part in parts]) / pooled.weight
    means = level + np.array([part.shift(-mean).mean for part in parts]) @ B.T
    C = pooled.within.project(np.ascontiguousarray(B.T)).scatter / pooled.weight
    if len(B) == 1:
        means, C = np.column_stack([0.0 * means, means]), np.diag([0.0, C[0, 0]])
    own = np.arange(len(parts)) if len(parts) == len(C) else means.argmax(axis=1)  # one class of two has rows
    lead = means[np.arange(len(parts)), own][:, None] - means
    v = C.diagonal()
    deviation = np.sqrt(np.maximum(v[own][:, None] + v - 2.0 * C[own], 0.0))
    x = np.linspace(-9.0, 9.0, POINTS)
    weights = np.exp(-0.5 * x**2)  # the trapezoidal rule is exact to rounding for such integrals
    d = lead[..., None] + deviation[..., None] * x  # (classes, other classes, points); zero for the class itself
    unit = float(np.abs(d).max())

    def rise(s: float) -> float:
        """d/ds of the log-likelihood of pairs."""
        return float(share @ ((d * sigmoid(-s * d)) @ weights).sum(axis=1))

    if unit == 0.0:
        return 0.0
    if rise(LEAST / unit) <= 0.0:
        return LEAST / unit
    if rise(MOST / unit) >= 0.0:
        return MOST / unit
    return float(np.exp(brentq(lambda t: rise(np.exp(t)), np.log(LEAST / unit), np.log(MOST / unit), xtol=1e-14)))
