"""Bernoulli naive Bayes."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from ...data import Chunk
from ...statistics import ClassTotals
from ..description import Description
from ..one_pass import OnePass
from .parts.discrete import VARIANTS, TotalsClassifier, logarithm, product


class BernoulliNB(TotalsClassifier, OnePass):
    """Classes with independent truth values: absence tells as much as presence.

        ln p(k | x) = ln p(k) + sum_j [b_j ln t_kj + (1 - b_j) ln (1 - t_kj)] + const,   b_j = [x_j > binarize]
        t_kj = (N_kj + alpha_j) / (N_k + 2 alpha_j)

    N_kj is the weight of the rows of class k with b_j, N_k that of all of them.

    Statistic: ClassTotals. One pass. Can merge, forget, decay, restrict. Cost: summarise O(n d), of sparse rows
    O(numbers that are not zero), solve O(K d).

    Parameters
    ----------
    alpha : float or array of shape (features,), default=1.0
        Rows that are added with each of the two values.
    force_alpha : bool, default=True
        False raises an alpha below 1e-10 to that.
    binarize : float or None, default=0.0
        What a number has to exceed to be true; None where X holds nothing but 0 and 1.
    fit_prior : bool, default=True
        Priors are the shares of the weights, else uniform.
    class_prior : array of shape (classes,), default=None
        Prior probabilities by the place of the classes.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_ : labels, their weights, logarithms of their priors.
    feature_count_ : weight of the rows in which a column is true, (classes, features).
    feature_log_prob_ : ln t, (classes, features).

    Examples
    --------
    >>> from sumlearn import BernoulliNB
    >>> from sumlearn.data import load_example
    >>> dna = load_example("dna")
    >>> print(round(BernoulliNB().fit(dna.X[:2000], dna.y[:2000]).score(dna.X[2000:], dna.y[2000:]), 4))
    0.9325

    References
    ----------
    McCallum & Nigam, "A comparison of event models for naive Bayes text classification", 1998.
    """

    description = Description(variants=VARIANTS)
    sums_depend_on = ("binarize",)

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def check_own(self) -> None:
        limit = self.binarize
        if limit is not None and not (isinstance(limit, int | float | np.number) and np.isfinite(limit)):
            raise ValueError(f"binarize must be a number or None, got {limit!r}")

    def summarise(self, chunk: Chunk, look: Any = None) -> ClassTotals:
        if self.binarize is not None:
            return ClassTotals.of(chunk.X, chunk.y, chunk.weight, above=self.binarize)
        self.refuse_others(chunk.X)
        with self.words_of_errors():
            return ClassTotals.of(chunk.X, chunk.y, chunk.weight)

    def refuse_others(self, X: Any) -> None:
        """Without a limit, numbers beside 0 and 1 would be taken for many truths."""
        values = X.data if sparse.issparse(X) else X
        strange = values[(values != 0) & (values != 1) & np.isfinite(values)]
        if len(strange):
            raise ValueError(f"binarize=None takes columns of 0 and 1, X holds {strange[0]:g}: give binarize a limit")

    def solution(self, statistic: ClassTotals) -> dict[str, Any]:
        self.check()
        labels, weights, sums = self.counts_of(statistic)
        alpha = self.smoothing(statistic.features)
        whole = weights[:, None] + 2.0 * alpha
        share = np.where(whole > 0, whole, 1.0)
        return {
            "classes_": labels,
            "class_count_": weights,
            "class_log_prior_": self.log_prior(weights),
            "feature_count_": sums,
            "feature_log_prob_": logarithm((sums + alpha) / share),
            "absent": logarithm((np.maximum(weights[:, None] - sums, 0.0) + alpha) / share),
        }

    def joint(self, X: Any) -> np.ndarray:
        solution = self.solved()
        present, absent, prior = (solution[name] for name in ("feature_log_prob_", "absent", "class_log_prior_"))
        if self.binarize is None:
            self.refuse_others(X)
        true = (0.0 if self.binarize is None else self.binarize) < X
        if "none" not in solution:  # the later of the two
            with np.errstate(invalid="ignore"):
                solution["odds"], solution["none"] = present - absent, absent.sum(axis=1)
        if not (np.isfinite(solution["none"]).all() and np.isfinite(solution["odds"].sum())):
            dense = np.asarray(true.todense() if sparse.issparse(true) else true, dtype=float)
            return product(dense, present) + product(1.0 - dense, absent) + prior
        return self.scores_of(true.astype(float), solution, "odds") + (solution["none"] + prior)
