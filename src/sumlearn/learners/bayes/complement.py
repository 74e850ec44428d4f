"""Complement naive Bayes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data import Chunk
from ...statistics import ClassTotals
from ..description import Description
from ..fitted import Fitted
from ..one_pass import OnePass
from .parts.discrete import VARIANTS, TotalsClassifier


class ComplementNB(TotalsClassifier, OnePass):
    """Multinomial classes, each told by the counts of all others: steadier where some classes have few rows.

        k(x) = argmax_k sum_j x_j w_kj,   w_kj = -ln t_kj
        t_kj = (N_j - N_kj + alpha_j) / sum_i (N_i - N_ki + alpha_i)

    N_kj is the sum of column j in class k and N_j that in all. With `norm` a class's weights are divided by their sum.
    Priors count where there is a single class. Probabilities are those of the scores, as scikit-learn has them.

    Statistic: ClassTotals. One pass. Can merge, forget, decay, restrict. Cost: summarise O(n d), of sparse rows
    O(numbers that are not zero), solve O(K d).

    Parameters
    ----------
    alpha : float or array of shape (features,), default=1.0
        Counts that are added to those of every column.
    force_alpha : bool, default=True
        False raises an alpha below 1e-10 to that.
    fit_prior : bool, default=True
        Of a single class.
    class_prior : array of shape (classes,), default=None
        Not used by the scores of several classes.
    norm : bool, default=False
        Divide the weights of a class by their sum.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_ : labels, their weights, logarithms of their priors.
    feature_count_, feature_all_ : sum of every column in each class, and in all.
    feature_log_prob_ : w, (classes, features).

    Examples
    --------
    >>> from sumlearn import ComplementNB
    >>> texts = [[2, 1, 0], [3, 0, 0], [0, 1, 4]]  # counts of three words
    >>> model = ComplementNB().fit(texts, ["spam", "spam", "ham"])
    >>> model.predict([[1, 0, 1], [2, 1, 0]]).tolist()
    ['ham', 'spam']

    References
    ----------
    Rennie, Shih, Teevan & Karger, "Tackling the poor assumptions of naive Bayes text classifiers", 2003.
    """

    description = Description(variants=VARIANTS)

    feature_all_ = Fitted("Sum of every column.")

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm

    def summarise(self, chunk: Chunk, look: Any = None) -> ClassTotals:
        with self.words_of_errors():
            return ClassTotals.of(chunk.X, chunk.y, chunk.weight)

    def solution(self, statistic: ClassTotals) -> dict[str, Any]:
        self.check()
        labels, weights, sums = self.counts_of(statistic)
        others = np.empty_like(sums)
        others[:] = self.smoothing(statistic.features)
        for order in (range(len(sums)), range(len(sums) - 1, -1, -1)):  # those before and those behind: nothing cancels
            told = np.zeros(statistic.features)
            for k in order:
                others[k] += told
                told += sums[k]
        whole = others.sum(axis=1, keepdims=True)
        others /= np.where(whole > 0, whole, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(others, out=others)
            if self.norm:
                logs = np.nan_to_num(-logs / logs.sum(axis=1, keepdims=True), nan=-0.0)
        return {
            "classes_": labels,
            "class_count_": weights,
            "class_log_prior_": self.log_prior(weights),
            "feature_count_": sums,
            "feature_all_": told,
            "feature_log_prob_": np.negative(logs, out=logs),
        }

    def joint(self, X: Any) -> np.ndarray:
        scores = self.scores_of(X, self.solved(), "feature_log_prob_")
        if not np.isfinite(scores.sum()):  # without smoothing: what no other class ever had
            sure = np.isposinf(scores)
            scores = np.where(sure.any(axis=1, keepdims=True), np.where(sure, 0.0, -np.inf), scores)
        return scores + self.class_log_prior_ if scores.shape[1] == 1 else scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
