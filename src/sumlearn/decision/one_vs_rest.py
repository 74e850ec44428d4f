"""One against the rest: a two-class problem for every class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.utils.metaestimators import available_if

from ..learners import Description, Roads
from ..objectives.links import softmax
from .parts.by_label import ByLabel, OneAnswer
from .parts.many_classes import ManyClasses, claims, confidence, has_odds, log_odds
from .parts.seen import SeenClasses, SeenLabels

CONTRASTS = ("rest", "common")


class OneVsRestClassifier(ManyClasses, Roads):
    """A two-class model for every class, against the other classes or against one sample that all have in common.

        contrast="rest":    P_k = odds_k / (1 + odds_k), over their sum
        contrast="common":  P_k = odds_k / sum_l odds_l

    Both are exact where the odds are: against the rest, odds_k is P_k / (1 - P_k). The common contrast is all rows
    together, the own ones too, so odds_k = |w_k| f_k / |w| f is P_k itself; with another contrast for every class it
    would not be. A learner on moments is asked for its sums class by class, once; all problems are solved from them.

    Where y has a column of 0 and 1 for each label, a row may have several labels or none. Every label is a problem of
    its own, `predict` answers with such columns, and `predict_proba` with P(label | x), which do not add up to one.

    Statistic: Grouped, the learner's own by class, where the learner is one on moments without a basis; then it can
    merge, forget, decay and restrict as far as that can. One pass. Any other estimator, of scikit-learn too, is fitted
    on the rows of every problem. Cost: summarise as the learner (of several labels, once for each), solve K times.

    Parameters
    ----------
    estimator : estimator, default=None
        A classifier, or a regressor on 0 and 1; None is LinearDiscriminantAnalysis().
    contrast : {"rest", "common"}, default="rest"
        What each class is told from; "common" needs an estimator with probabilities. With "rest" the answers are those
        of scikit-learn, and two classes are one problem.
    n_jobs : int, default=None
        Threads of the pass over the rows.

    Attributes
    ----------
    classes_ : array
        Labels, sorted; of columns of y their numbers.
    estimators_ : list
        Models of the problems, which answer 1 for the class.
    multilabel_ : bool
        Whether y had a column for each label. Sparse columns are answered by sparse ones.

    Examples
    --------
    >>> from sumlearn import OneVsRestClassifier, QuadraticDiscriminantAnalysis
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> model = OneVsRestClassifier(QuadraticDiscriminantAnalysis()).fit(iris.X, iris.y)
    >>> print(f"{model.score(iris.X, iris.y):.3f}", len(model.estimators_))
    0.980 3
    >>> model.forget(iris.X[:10], iris.y[:10]).statistic_.rows
    140

    References
    ----------
    Lecture note 002; Rifkin & Klautau, In defense of one-vs-all classification, 2004.
    """

    description = Description(parts=(SeenClasses, SeenLabels, ByLabel, OneAnswer), variants={"contrast": CONTRASTS})
    takes_indicators = True
    private = ("_plan", "_sparse_labels")

    def __init__(self, estimator: Any = None, *, contrast: str = "rest", n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.contrast = contrast
        self.n_jobs = n_jobs

    def table(self, K: int) -> tuple[np.ndarray, np.ndarray]:
        if self.contrast not in CONTRASTS:
            raise ValueError(f"contrast must be one of {', '.join(CONTRASTS)}, got {self.contrast!r}")
        own = np.eye(K, dtype=bool)
        if self.contrast == "rest":
            own = own[1:] if K == 2 else own
            return own, ~own
        if not has_odds(self):
            raise ValueError(f"contrast='common' compares odds, and {type(self.base).__name__} has no probabilities")
        return own, np.ones((K, K), dtype=bool)

    def check_several(self) -> None:
        if self.contrast != "rest":
            self.table(2)
            raise ValueError(f"contrast={self.contrast!r} tells classes apart of which a row has one: use 'rest'")

    def remember(self, source: Any) -> None:
        super().remember(source)
        self._sparse_labels = bool(source.target.sparse)

    @property
    def multilabel_(self) -> bool:
        """Whether a row may have several labels."""
        self.shown(0)
        return self.tells_several

    def decision_function(self, X: Any) -> np.ndarray:
        """The confidence of every model, or its log-odds; for two classes one number, positive for the second."""
        self.check_ready()
        if self.tells_several:
            rows, models = self.asked(X)
            return np.column_stack([confidence(model, rows) for model in models])
        scores = self.scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The class of the most confident model; of several labels, 1 in the columns of those that a row has."""
        self.check_ready()
        if self.tells_several:
            rows, models = self.asked(X)
            found = np.column_stack([claims(model, rows) for model in models]).astype(np.intp)
            return sparse.csr_array(found) if self._sparse_labels else found
        scores = self.scores(X)
        return self.classes_[scores.argmax(axis=1)]

    @available_if(has_odds)
    def predict_proba(self, X: Any) -> np.ndarray:
        """P(k | x), one column per class or label."""
        rows, models = self.asked(X)
        if self.tells_several:
            told = [np.asarray(model.predict_proba(rows))[:, 1] for model in models]
            return np.column_stack(told).astype(self.float_dtype)
        if self.contrast == "common" or int(self.found()[1].sum()) == 1:
            return softmax(self.scores(X)).astype(self.float_dtype)
        own = np.column_stack([np.asarray(model.predict_proba(rows))[:, 1] for model in models])
        if self.found()[1].sum() == 2:
            return self.over_all(np.column_stack([1.0 - own, own]), 0.0).astype(self.float_dtype)
        total = own.sum(axis=1, keepdims=True)
        shares = np.where(total > 0, own, 1.0) / np.where(total > 0, total, own.shape[1])
        return self.over_all(shares, 0.0).astype(self.float_dtype)

    def many_scores(self, rows: Any, models: Iterator[Any]) -> np.ndarray:
        if self.contrast == "common":
            return np.column_stack([log_odds(model, rows) for model in models])
        found = np.column_stack([confidence(model, rows) for model in models])
        if found.shape[1] == 1:
            (only,) = self.found()[2]
            found = found if hasattr(only, "decision_function") or not has_odds(self) else found - 0.5
            found = np.column_stack([-found / 2, found / 2])
        return found
