"""One class by a classifier of two: the other one is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.utils import check_random_state

from ..data import Chunk
from ..engines.summing import NO_WEIGHT
from ..evaluation.two_classes.roc_curve import RocCurve
from ..features.input_ranges import is_number, one_of, whole_number
from ..learners import Description, WholeRows
from ..learners.fitted import check_variances
from ..statistics import Moments
from .contrastive_density import told_apart
from .parts.many_classes import confidence, log_odds
from .parts.one_class import OneClassRule, check_share
from .parts.references import SAMPLERS, EvenBox, Normal, Shuffled, StandardCoordinates, default_learner


class PhantomNegatives(OneClassRule, WholeRows):
    """One class told from phantoms: negatives that are drawn, and any learner of two classes.

        draw w~_0 around the rows;  learn w against w~_0;  accept if log-odds(x) >= theta

    theta is such that a share of the rows is accepted by models that have not learnt them: folds are left out in turn,
    with all copies of a row in the same fold.

    Statistic: none, all rows are in memory, and what is drawn is drawn anew. No merge, no forget. Cost: n_folds + 1
    fits on rows and phantoms.

    Parameters
    ----------
    estimator : estimator, default=None
        Of any library: a classifier, or a regressor on 0 and 1; it sees columns of mean zero and deviation one. None
        is a logistic regression on Gaussian bumps.
    sampler : {"box", "gaussian", "shuffled"}, default="box"
        Where phantoms are: anywhere in the box of the rows; as a normal density of their mean and covariance; or every
        column by itself as it is in the rows, so that only what columns have to do with each other is learnt.
    acceptance : float, default=0.95
        The share of rows of the class that shall be accepted.
    spread : float, default=1.5
        How far phantoms reach: the sides of the box, or deviations, times this. Shuffled columns stay.
    n_phantoms : int, default=None
        How many; None is as many as the rows weigh, at least 100.
    n_folds : int, default=5
        Folds that are left out in turn.
    random_state : int, RandomState or None, default=None
        Seeds the draws; None is a seed like any other.

    Attributes
    ----------
    learner_ : estimator
        Fitted to all rows and phantoms.
    offset_ : float
        theta.
    row_scores_, row_weights_, phantom_scores_ : arrays
        Scores of the rows and of the phantoms by models that have not learnt them: see `phantom_roc`.

    Examples
    --------
    >>> from sumlearn import PhantomNegatives
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> setosa = iris.y == "setosa"
    >>> model = PhantomNegatives().fit(iris.X[setosa])
    >>> [int((model.predict(iris.X[rows]) == 1).sum()) for rows in (setosa, ~setosa)]
    [50, 0]
    >>> print(f"{model.roc(iris.X, setosa).auc():.3f}")
    1.000

    References
    ----------
    Lecture note 002; Hastie, Tibshirani & Friedman 2009, sec. 14.2.4; Shi & Horvath, "Unsupervised learning with random
    forest predictors", 2006 (shuffled columns).
    """

    description = Description(parts=(StandardCoordinates, EvenBox, Normal, Shuffled))

    target = None
    private = ("_frame", "_level")

    def __init__(
        self,
        estimator: Any = None,
        sampler: str = "box",
        *,
        acceptance: float = 0.95,
        spread: float = 1.5,
        n_phantoms: int | None = None,
        n_folds: int = 5,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.sampler = sampler
        self.acceptance = acceptance
        self.spread = spread
        self.n_phantoms = n_phantoms
        self.n_folds = n_folds
        self.random_state = random_state

    def check(self) -> None:
        if isinstance(self.estimator, type) or not (self.estimator is None or hasattr(self.estimator, "fit")):
            raise TypeError(f"estimator must be an estimator or None, got {self.estimator!r}")
        one_of(self.sampler, "sampler", tuple(SAMPLERS))
        check_share(self.acceptance, "acceptance")
        if not is_number(self.spread) or not 0.0 < self.spread < np.inf:
            raise ValueError(f"spread must be finite and above zero, got {self.spread!r}")
        if self.n_phantoms is not None:
            whole_number(self.n_phantoms, "n_phantoms", 2)
        whole_number(self.n_folds, "n_folds", 2)

    def learn(self, rows: Chunk) -> dict[str, Any]:
        weight = np.asarray(rows.weight)
        moments = Moments.of(rows.X, weight=weight)
        if not moments.rows:
            raise ValueError(NO_WEIGHT)
        check_variances(moments.deviation)
        frame = StandardCoordinates.of(moments)
        Z = frame.coordinates(np.asarray(rows.X, dtype=float))
        random = check_random_state(0 if self.random_state is None else self.random_state)
        W = float(weight.sum())
        n = max(100, round(W)) if self.n_phantoms is None else int(self.n_phantoms)
        drawn = SAMPLERS[self.sampler].of(Z, weight, float(self.spread)).draw(n, random)
        own, others = folds(Z, self.n_folds, random), np.arange(n) % min(self.n_folds, n)
        level = float(np.log(n) - np.log(W))
        row_scores, phantom_scores = np.empty(len(Z)), np.empty(n)
        for k in range(int(own.max()) + 1):
            left, apart = own == k, others == k
            model = told_apart(self.fresh(W), Z[~left], drawn[~apart], weight[~left])
            row_scores[left] = answers(model, Z[left], level)
            phantom_scores[apart] = answers(model, drawn[apart], level)
        return {
            "learner_": told_apart(self.fresh(W), Z, drawn, weight),
            "offset_": threshold(row_scores, weight, self.acceptance),
            "row_scores_": row_scores,
            "row_weights_": weight,
            "phantom_scores_": phantom_scores,
            "_frame": frame,
            "_level": level,
        }

    def fresh(self, rows: float) -> Any:
        """The learner of two classes, unfitted."""
        return default_learner(rows) if self.estimator is None else clone(self.estimator)

    def scores(self, X: Any) -> np.ndarray:
        """ln f(x) / f~_0(x) by the odds of the classifier; its own score, where it has no probabilities."""
        rows = self.rows_of(X)
        return answers(self.learner_, self._frame.coordinates(np.asarray(rows, dtype=float)), self._level)

    def phantom_roc(self) -> RocCurve:
        """How well rows and phantoms are told apart that were not learnt."""
        self.check_ready()
        y = np.repeat([True, False], [len(self.row_scores_), len(self.phantom_scores_)])
        weight = np.append(self.row_weights_, np.ones(len(self.phantom_scores_)))
        return RocCurve(y, np.append(self.row_scores_, self.phantom_scores_), weight, positive=True)


def answers(model: Any, Z: np.ndarray, level: float) -> np.ndarray:
    """Log-odds as if there were as many phantoms as rows; or what the learner says in their place."""
    if is_regressor(model) or not hasattr(model, "predict_proba"):
        return confidence(model, Z)
    return log_odds(model, Z) + level


def folds(Z: np.ndarray, most: int, random: np.random.RandomState) -> np.ndarray:
    """The fold of every row: that of the rows that equal it."""
    different, which = np.unique(Z, axis=0, return_inverse=True)
    if len(different) < 2:
        alone = "1 sample" if len(Z) == 1 else "rows that are all alike"
        raise ValueError(f"{alone}: at least 2 different rows are needed, to leave some out")
    return (random.permutation(len(different)) % min(most, len(different)))[which.ravel()]


def threshold(scores: np.ndarray, weight: np.ndarray, acceptance: float) -> float:
    """The score that a new row reaches with this probability at least, if any place among the others is as likely."""
    order = np.argsort(scores, kind="stable")
    place = np.floor((1.0 - acceptance) * (weight.sum() + 1.0) + 1e-9)  # among the rows, from the lowest
    return float(scores[order][np.searchsorted(np.cumsum(weight[order]) + 1e-9, place)])
