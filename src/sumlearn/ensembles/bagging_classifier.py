"""Bagging of classifiers: members that learn from bootstrap samples of the rows, or of the columns, and vote."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if

from ..data import Chunk
from ..learners import Description
from ..learners.label_columns import logarithms
from ..learners.sampling import LabelSamplingMixin
from ..learners.trees.decision_tree_classifier import DecisionTreeClassifier
from ..learners.whole_rows import WholeRows
from ..statistics.warnings import warn
from .parts.bag import LACKING, VARIANTS, Bag
from .parts.bagging_draws import BaggingDraws


class BaggingClassifier(Bag, LabelSamplingMixin, ClassifierMixin, WholeRows):
    """Classifiers on bootstrap samples of the rows; the mean of their probabilities, or the most votes, decide.

        member m: learnt from N of N rows drawn with replacement,   w_mt = how often row t was drawn
        P(k | x) = 1/M sum_m P_m(k | x),   without probabilities the share of members that say k

    A row is left out of a sample with probability (1 - 1/N)^N, about 1/e, so it has honest answers of every third
    member ("out of bag"). Members that take weights learn from w_mt, others from rows. A learner whose statistic is
    Moments or Pooled, without a basis, is asked for sums instead: those of all members are one product of matrices.

    Kind: all rows in memory, those of files and Dask too. What is drawn does not add up: no merge, no forget. Cost:
    members on moments O(M n d^2) in one product, any others M fits.

    Parameters
    ----------
    estimator : classifier, default=None
        Of any library; None is DecisionTreeClassifier().
    n_estimators : int, default=10
    max_samples : int, float or None, default=None
        Rows that are drawn, or a share of the sum of weights; None: as many as there are.
    max_features : int or float, default=1.0
        Columns that each member is given: random subspaces.
    bootstrap, bootstrap_features : bool, default=True, False
        Whether rows, and columns, are drawn with replacement.
    oob_score : bool, default=False
        Judge by the rows that a member has not drawn.
    warm_start : bool, default=False
        Keep the members of the last fit and add more.
    n_jobs : int or None, default=None
        Threads; None takes all processors, for estimators of other libraries one. -1 takes all.
    random_state : int, RandomState or None, default=None
        With the same number the draws are those of scikit-learn. None is a seed like any other: two fits are the same.
    verbose : int, default=0
        Accepted, and nothing is printed.

    Attributes
    ----------
    estimators_ : list
        The members, whose labels are the places of the labels in `classes_`.
    estimators_samples_, estimators_features_ : lists of arrays
        Places of the rows and of the columns of each member; the rows are known to the model that was fitted, and in
        no file.
    classes_, n_classes_ : array, int
    oob_score_, oob_decision_function_ : float, array (rows, classes)
        With `oob_score`: accuracy and probabilities from members that have not drawn the row; NaN for a row that all
        have drawn, which does not count.

    Examples
    --------
    >>> from sumlearn import BaggingClassifier, QuadraticDiscriminantAnalysis
    >>> from sumlearn.data import load_example
    >>> pima = load_example("pima")
    >>> model = BaggingClassifier(QuadraticDiscriminantAnalysis(), 50, oob_score=True, random_state=0)
    >>> print(round(model.fit(pima.X, pima.y).oob_score_, 3), round(model.score(pima.X, pima.y), 3))
    0.742 0.767

    References
    ----------
    Lecture note 002; Breiman, "Bagging predictors", 1996; Ho, "The random subspace method for constructing decision
    forests", 1998.
    """

    description = Description(grows=True, variants=VARIANTS)

    target = "label"

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: Any = None,
        max_features: Any = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @property
    def estimator_(self) -> Any:
        """What members are copies of."""
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def learn(self, rows: Chunk) -> dict[str, Any]:
        classes, code = np.unique(rows.y, return_inverse=True)  # type: ignore[call-overload]
        if "classes_" in self.previous and not np.array_equal(classes, self.previous["classes_"]):
            raise ValueError("warm_start goes on with other labels: fit anew")
        told = self.bag_of(rows, code, list(range(len(classes))))
        if "oob_score_" in told:
            heard = ~np.isnan(told["oob_decision_function_"][:, 0])
            said = told["oob_decision_function_"][heard].argmax(axis=1)
            assert rows.weight is not None
            weight = rows.weight[heard]
            told["oob_score_"] = accuracy_score(code[heard], said, sample_weight=weight) if heard.any() else np.nan
        return told | {"classes_": classes, "n_classes_": len(classes)}

    def left_out(self, rows: Chunk, y: np.ndarray, members: list[Any], draws: BaggingDraws) -> dict[str, Any]:
        classes = int(y.max()) + 1
        sums = np.zeros((len(y), classes))
        for m, member in enumerate(members):
            outside = draws.times(m) == 0
            if outside.any():
                own = rows.X[outside] if draws.of_all_columns else rows.X[outside][:, draws.columns_of(m)]
                sums[outside] += shares_of(member, own, classes)
        total = sums.sum(axis=1, keepdims=True)
        if (total == 0).any():
            warn(LACKING, UserWarning)
        with np.errstate(invalid="ignore"):
            return {"oob_decision_function_": sums / np.where(total > 0, total, np.nan), "oob_score_": np.nan}

    def predict_proba(self, X: Any) -> np.ndarray:
        """The mean of the members' probabilities; of members without them the shares of their votes."""
        rows = self.asked(X)

        def ask(member: int) -> np.ndarray:
            return shares_of(self.estimators_[member], self.own_columns(rows, member), self.n_classes_)

        members = range(len(self.estimators_))
        return (self.each(ask, np.add, members) / len(members)).astype(self.float_dtype)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities, of members that have logarithms by these."""
        if not hasattr(self.estimator_, "predict_log_proba"):
            return logarithms(self.predict_proba(X))
        rows = self.asked(X)

        def ask(member: int) -> np.ndarray:
            model = self.estimators_[member]
            logs = np.full((rows.shape[0], self.n_classes_), -np.inf)
            logs[:, model.classes_] = model.predict_log_proba(self.own_columns(rows, member))
            return logs

        members = range(len(self.estimators_))
        return (self.each(ask, np.logaddexp, members) - np.log(len(members))).astype(self.float_dtype)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable label."""
        shares = self.predict_proba(X)
        return self.classes_.take(shares.argmax(axis=1))

    @available_if(lambda model: hasattr(model.estimator_, "decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """The mean of the members' scores."""
        rows = self.asked(X)

        lacking = next((m for m, model in enumerate(self.estimators_) if len(model.classes_) < self.n_classes_), None)
        if lacking is not None:
            raise ValueError(
                f"the rows of member {lacking} lack a class, which has no score then: ask predict_proba, or draw more"
            )

        def ask(member: int) -> np.ndarray:
            return self.estimators_[member].decision_function(self.own_columns(rows, member))

        members = range(len(self.estimators_))
        return (self.each(ask, np.add, members) / len(members)).astype(self.float_dtype)


def shares_of(model: Any, rows: Any, classes: int) -> np.ndarray:
    """The probabilities of a member among all classes, whose numbers are its labels; its votes, if it has none."""
    shares = np.zeros((rows.shape[0], classes))
    if hasattr(model, "predict_proba"):
        shares[:, model.classes_] = model.predict_proba(rows)
    else:
        shares[np.arange(len(shares)), np.asarray(model.predict(rows), dtype=np.intp)] = 1.0
    return shares
