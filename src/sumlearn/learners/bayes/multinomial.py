"""Multinomial naive Bayes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data import Chunk
from ...statistics import ClassTotals
from ..description import Description
from ..one_pass import OnePass
from .parts.discrete import VARIANTS, TotalsClassifier, logarithm


class MultinomialNB(TotalsClassifier, OnePass):
    """Classes whose counts are drawn from shares of their own, such as words of texts.

        ln p(k | x) = ln p(k) + sum_j x_j ln t_kj + const,   t_kj = (N_kj + alpha_j) / sum_i (N_ki + alpha_i)

    N_kj is the sum of column j in class k. The smoothing enters in `solve`, never in the sums. Without it (alpha = 0)
    what a class never had rules it out; where that leaves no class, the priors decide.

    Statistic: ClassTotals. One pass. Can merge, forget, decay, restrict. Cost: summarise O(n d), of sparse rows
    O(numbers that are not zero), solve O(K d).

    Parameters
    ----------
    alpha : float or array of shape (features,), default=1.0
        Counts that are added to those of every column: Laplace 1, Lidstone less.
    force_alpha : bool, default=True
        False raises an alpha below 1e-10 to that.
    fit_prior : bool, default=True
        Priors are the shares of the weights, else uniform.
    class_prior : array of shape (classes,), default=None
        Prior probabilities by the place of the classes.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_ : labels, their weights, logarithms of their priors.
    feature_count_ : sum of every column in each class, (classes, features).
    feature_log_prob_ : ln t, (classes, features).

    Examples
    --------
    >>> from sumlearn import MultinomialNB
    >>> texts = [[2, 1, 0], [3, 0, 0], [0, 1, 4]]  # counts of three words
    >>> model = MultinomialNB().fit(texts, ["spam", "spam", "ham"])
    >>> model.predict_proba([[1, 0, 1]]).round(3).tolist()
    [[0.345, 0.655]]

    References
    ----------
    McCallum & Nigam, "A comparison of event models for naive Bayes text classification", 1998.
    """

    description = Description(variants=VARIANTS)

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def summarise(self, chunk: Chunk, look: Any = None) -> ClassTotals:
        with self.words_of_errors():
            return ClassTotals.of(chunk.X, chunk.y, chunk.weight)

    def solution(self, statistic: ClassTotals) -> dict[str, Any]:
        self.check()
        labels, weights, sums = self.counts_of(statistic)
        smoothed = sums + self.smoothing(statistic.features)
        whole = smoothed.sum(axis=1, keepdims=True)
        return {
            "classes_": labels,
            "class_count_": weights,
            "class_log_prior_": self.log_prior(weights),
            "feature_count_": sums,
            "feature_log_prob_": logarithm(smoothed / np.where(whole > 0, whole, 1.0)),
        }

    def joint(self, X: Any) -> np.ndarray:
        joint = self.scores_of(X, self.solved(), "feature_log_prob_")
        joint += self.class_log_prior_
        return joint

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
