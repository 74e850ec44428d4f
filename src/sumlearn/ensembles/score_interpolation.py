"""Interpolation of scores: one mixture of several classifiers' probabilities, weighed on rows left out."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, is_classifier
from sklearn.model_selection import StratifiedShuffleSplit

from ..data import InMemory
from ..features.input_ranges import is_number, whole_number
from ..learners import Description
from ..learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis
from ..learners.gaussian.naive_bayes import GaussianNB
from ..learners.sampling import LabelSamplingMixin
from ..statistics.warnings import warn
from .parts.left_out import AnswersLeftOut, OnLeftOutRows
from .parts.members import Asked, placed
from .parts.mixture_weights import mixture_weights


class ScoreInterpolation(LabelSamplingMixin, ClassifierMixin, OnLeftOutRows):
    """A mixture of the probabilities of several classifiers, with weights that make rows left out most likely.

        u_k(x) = sum_m pi_m P_m(k | x),    pi_m >= 0, sum_m pi_m = 1
        pi = argmax 1/N sum_n ln sum_m pi_m P_m(y_n | x_n)          over rows n that the classifiers have not learnt
        step of EM: pi_m <- pi_m g_m,    g_m = 1/N sum_n P_m(y_n | x_n) / u_{y_n}(x_n)

    The likelihood is concave, so there is one maximum: the best classifier alone where no mixture is better, else a
    true mixture. At any pi the mean log-likelihood is below its maximum by ln max_m g_m at most; steps end when that is
    at most `tol`. Steps of EM are slow near the end, so a Newton step is tried after each of them, and taken where the
    likelihood is higher; the trace never falls.

    Statistic: none; the rows must be in memory. Members that add up are solved from sums of folds, in one read for each
    kind of sums; others are fitted for every split. Cannot merge or forget: the weights depend on rows left out. Cost:
    that of the members, and O(n m^2) for a step.

    Parameters
    ----------
    estimators : list of (name, classifier) or None, default=None
        With `predict_proba`, of any library. None is LinearDiscriminantAnalysis() and GaussianNB().
    cv : int, float, splitter, splits or "prefit", default=5
        Folds whose rows are left out in turn; below one, the share of rows that is held out once. With "prefit" the
        classifiers are fitted already, on other rows, and `fit` learns the weights alone.
    tol : float, default=1e-8
        How far the mean log-likelihood may be below its maximum.
    max_iter : int, default=1000
    random_state : int, RandomState or None, default=None
        Which rows are held out, where `cv` is a share.
    n_jobs : int, default=None
        Threads: of the read where members add up, for fits at the same time where not (None: one after the other).

    Attributes
    ----------
    weights_ : array
        pi, in the order of the classifiers.
    trace_ : array
        Mean log-likelihood of the rows left out before the first step and after each, never falling.
    gap_ : float
        Bound of what is missing to the maximum, ln max_m g_m.
    n_iter_ : int
    classes_ : array
    estimators_ : list
        The classifiers, fitted on all rows.
    named_estimators_ : dict

    Examples
    --------
    >>> from sumlearn import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, ScoreInterpolation
    >>> from sumlearn.data import load_example
    >>> pima = load_example("pima")
    >>> kinds = LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB()
    >>> model = ScoreInterpolation([("lda", kinds[0]), ("qda", kinds[1]), ("nb", kinds[2])]).fit(pima.X, pima.y)
    >>> model.weights_.round(2).tolist(), model.trace_[[0, -1]].round(4).tolist()
    ([0.85, 0.15, 0.0], [-0.4989, -0.4805])

    References
    ----------
    Lecture note 002; Jelinek & Mercer, Interpolated estimation of Markov source parameters from sparse data, 1980;
    Kim, Carbonetto, Stephens & Anitescu, A fast algorithm for maximum likelihood estimation of mixture proportions
    using sequential quadratic programming, 2020.
    """

    description = Description()
    target = "label"

    def __init__(
        self,
        estimators: Any = None,
        *,
        cv: Any = 5,
        tol: float = 1e-8,
        max_iter: int = 1000,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimators = estimators
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def default_members(self) -> list[tuple[str, Any]]:
        return [("lda", LinearDiscriminantAnalysis()), ("nb", GaussianNB())]

    def methods(self, members: list[tuple[str, Any]]) -> list[str]:
        whole_number(self.max_iter, "max_iter", 1)
        if not (is_number(self.tol) and self.tol > 0):
            raise ValueError(f"tol must be positive, got {self.tol!r}")
        if isinstance(self.cv, float) and not 0.0 < self.cv < 1.0:
            raise ValueError(f"cv must be a number of folds or a share between 0 and 1, got {self.cv!r}")
        for name, member in members:
            if not is_classifier(member) or not hasattr(member, "predict_proba"):
                raise TypeError(
                    f"estimators: {name!r} ({type(member).__name__}) has no predict_proba: probabilities are mixed"
                )
        return ["predict_proba"] * len(members)

    def scheme(self, rows: InMemory) -> Any:
        if not isinstance(self.cv, float):
            return self.cv
        return StratifiedShuffleSplit(1, test_size=self.cv, random_state=self.random_state)

    def learnt(self, found: AnswersLeftOut, rows: InMemory) -> dict[str, Any]:
        codes = np.searchsorted(self.classes_, np.asarray(rows.y)[found.rows])
        every = np.arange(len(codes))
        likelihoods = np.column_stack([said[every, codes] for said in found.answers])
        weight = None if rows.weight is None else np.asarray(rows.weight, dtype=np.float64)[found.rows]
        end = mixture_weights(likelihoods, weight, self.tol, self.max_iter)
        if end.gap > self.tol:
            warn(
                f"the weights of ScoreInterpolation may be {end.gap:.2g} below the best mean log-likelihood after "
                f"{self.max_iter} steps: raise max_iter or tol"
            )
        trace = np.array(end.trace)
        return {"weights_": end.weights, "trace_": trace, "gap_": end.gap, "n_iter_": len(trace) - 1} | {
            "estimators_": found.models
        }

    @property
    def named_estimators_(self) -> dict[str, Any]:
        """The classifiers by name."""
        return dict(zip((name for name, _ in self.members()), self.estimators_, strict=True))

    def predict_proba(self, X: Any) -> np.ndarray:
        """u_k(x), one column for each class."""
        asked, total = Asked(self, X), 0.0
        for weight, model in zip(self.weights_.tolist(), self.estimators_, strict=True):
            if weight > 0.0:
                said = asked.answers(model, "predict_proba").astype(np.float64)
                total = total + weight * placed(said, model.classes_, self.classes_, 0.0)
        return np.asarray(total).astype(self.float_dtype)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class; of equally probable ones the first."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]
