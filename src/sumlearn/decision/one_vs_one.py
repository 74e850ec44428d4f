"""One against one: a two-class problem for every pair of classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.metaestimators import available_if

from ..learners import Description, Roads
from ..objectives.links import softmax
from .parts.many_classes import ManyClasses, confidence, has_odds, log_odds
from .parts.seen import SeenClasses

DECIDE = ("vote", "odds")
NO_DRAWS = "votes are no probabilities; with decide='odds' there are some"


def tells_odds(model: Any) -> bool:
    return model.decide == "odds" and has_odds(model)


class OneVsOneClassifier(ManyClasses, Roads):
    """A two-class model for every pair of classes; they vote, or their odds are coupled to probabilities.

        u_k = 1/K sum_l ln odds_kl,   P(k | x) = exp u_k / sum_l exp u_l

    If the odds are those of the classes, the coupled probabilities are exactly theirs; otherwise u is the least-squares
    solution of u_k - u_l = ln odds_kl. A learner on moments (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis,
    GaussianNB, LeastSquaresClassifier, FisherDiscriminant, Ridge, ...) is asked for its sums class by class, once, and
    every pair is solved from the sums of two classes.

    Statistic: Grouped, the learner's own by class, where the learner is one on moments without a basis; then it can
    merge, forget, decay and restrict as far as that can. One pass. Any other estimator, of scikit-learn too, is fitted
    on the rows of every pair. Cost: summarise as the learner, solve K (K - 1) / 2 times.

    Parameters
    ----------
    estimator : estimator, default=None
        A classifier, or a regressor on 0 and 1; None is LinearDiscriminantAnalysis().
    decide : {"vote", "odds"}, default="vote"
        "vote" counts pairs won, as scikit-learn does, and sums of confidences decide where votes are equal; of a
        regressor, whose votes scikit-learn does not count, an answer above 1/2 is one. "odds" couples the odds, gives
        `predict_proba`, and needs an estimator with probabilities.
    n_jobs : int, default=None
        Threads of the pass over the rows.

    Attributes
    ----------
    classes_ : array
    estimators_ : list
        Models of the pairs (0, 1), (0, 2), ..., (K - 2, K - 1); they answer 1 for the second of the pair.

    Examples
    --------
    >>> from sumlearn import GaussianNB, OneVsOneClassifier
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> model = OneVsOneClassifier(GaussianNB(), decide="odds").fit(iris.X, iris.y)
    >>> print(f"{model.score(iris.X, iris.y):.3f}", model.predict_proba(iris.X[:1]).round(3).tolist())
    0.960 [[1.0, 0.0, 0.0]]
    >>> sites = [OneVsOneClassifier().fit(iris.X[i::2], iris.y[i::2]) for i in (0, 1)]
    >>> bool((sum(sites).predict(iris.X) == OneVsOneClassifier().fit(iris.X, iris.y).predict(iris.X)).all())
    True

    References
    ----------
    Lecture note 002; Hastie & Tibshirani, Classification by pairwise coupling, 1998.
    """

    description = Description(parts=(SeenClasses,), variants={"decide": DECIDE}, lacks={"sample": NO_DRAWS})

    def __init__(self, estimator: Any = None, *, decide: str = "vote", n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.decide = decide
        self.n_jobs = n_jobs

    def table(self, K: int) -> tuple[np.ndarray, np.ndarray]:
        if self.decide not in DECIDE:
            raise ValueError(f"decide must be one of {', '.join(DECIDE)}, got {self.decide!r}")
        if self.decide == "odds" and not has_odds(self):
            raise ValueError(f"decide='odds' needs probabilities, and {type(self.base).__name__} has none: use 'vote'")
        first, second = np.triu_indices(K, 1)
        classes = np.arange(K)
        return second[:, None] == classes, first[:, None] == classes

    def decision_function(self, X: Any) -> np.ndarray:
        """Votes and confidences, or u_k; for two classes one number, positive for the second."""
        scores = self.scores(X)
        if scores.shape[1] != 2:
            return scores
        return scores[:, 1] if self.decide == "vote" else scores[:, 1] - scores[:, 0]

    def predict(self, X: Any) -> np.ndarray:
        """The class of most votes, or the most probable one."""
        scores = self.scores(X)
        return self.classes_[scores.argmax(axis=1)]

    @available_if(tells_odds)
    def predict_proba(self, X: Any) -> np.ndarray:
        """P(k | x), one column per class."""
        return softmax(self.scores(X)).astype(self.float_dtype)

    def many_scores(self, X: Any, models: Iterator[Any]) -> np.ndarray:
        """Models are asked one after the other, so that no table of all pairs is kept."""
        K, n = int(self.found()[1].sum()), X.shape[0]
        votes, sums = np.zeros((n, K)), np.zeros((n, K))
        for i, j, model in zip(*np.triu_indices(K, 1), models, strict=True):
            if self.decide == "odds":
                lead = log_odds(model, X)
            else:
                lead = confidence(model, X)
                won = lead > 0.0 if is_regressor(model) else np.asarray(model.predict(X)) == 1
                votes[:, j] += won
                votes[:, i] += ~won
            sums[:, i] -= lead
            sums[:, j] += lead
        return sums / K if self.decide == "odds" else votes + sums / (3.0 * (np.abs(sums) + 1.0))
