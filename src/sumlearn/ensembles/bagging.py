"""Bagging: members that learn from bootstrap samples of the rows, or of the columns, and answer together."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.metaestimators import available_if

from ..data import Chunk
from ..learners import Description
from ..learners.label_columns import logarithms
from ..learners.regression.parts.linear_model import LinearModel
from ..learners.sampling import LabelSamplingMixin
from ..learners.trees.decision_tree_classifier import DecisionTreeClassifier
from ..learners.trees.decision_tree_regressor import DecisionTreeRegressor
from ..learners.whole_rows import WholeRows
from ..statistics.warnings import warn
from .parts.bag import Bag
from .parts.bagging_draws import BaggingDraws

LACKING = (
    "Some inputs do not have OOB scores. This probably means too few estimators were used to compute any reliable oob "
    "estimates."
)
VARIANTS = {
    "n_estimators": (4,),
    "max_samples": (None, 0.7),
    "max_features": (1.0, 2),
    "bootstrap_features": (False, True),
}


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


class BaggingRegressor(Bag, RegressorMixin, WholeRows):
    """Regressions on bootstrap samples of the rows, and the mean of their answers.

        f(x) = 1/M sum_m f_m(x),   f_m learnt from N of N rows drawn with replacement

    As `BaggingClassifier`, whose page tells more. Linear members are averaged before they are asked.

    Kind: all rows in memory, those of files and Dask too. No merge, no forget. Cost: members on moments O(M n d^2) in
    one product, any others M fits.

    Parameters
    ----------
    estimator : regressor, default=None
        Of any library; None is DecisionTreeRegressor().
    n_estimators : int, default=10
    max_samples, max_features, bootstrap, bootstrap_features, oob_score, warm_start, n_jobs, random_state, verbose
        As of `BaggingClassifier`.

    Attributes
    ----------
    estimators_, estimators_samples_, estimators_features_ : lists
    oob_score_, oob_prediction_ : float, array (rows,)
        With `oob_score`: R^2 and predictions from members that have not drawn the row; NaN for a row that all have
        drawn, which does not count.

    Examples
    --------
    >>> from sumlearn import BaggingRegressor, Ridge
    >>> from sumlearn.data import load_example
    >>> rows = load_example("faithful").X
    >>> model = BaggingRegressor(Ridge(), 200, oob_score=True, random_state=0).fit(rows[:, :1], rows[:, 1])
    >>> spread = model.parameters()
    >>> print(spread.mean.round(2), spread.standard_error.round(2), spread.interval(0.9).ravel().round(1))
    [10.75] [0.32] [10.2 11.3]
    >>> print(round(model.oob_score_, 3), model.band(rows[:1, :1]).ravel().round(1))
    0.808 [71.4 72.9]

    References
    ----------
    Lecture note 002; Breiman, "Bagging predictors", 1996.
    """

    description = Description(
        grows=True, variants=VARIANTS, lacks={"sample": "members spread about the mean; how targets do is not kept"}
    )

    target = "number"
    many_targets = True

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
        return DecisionTreeRegressor() if self.estimator is None else self.estimator

    def learn(self, rows: Chunk) -> dict[str, Any]:
        y = np.asarray(rows.y)
        if self.oob_score and y.ndim > 1:
            raise ValueError(f"oob_score judges one target, got {y.shape[1]} columns of y")
        return self.bag_of(rows, y, None)

    def left_out(self, rows: Chunk, y: np.ndarray, members: list[Any], draws: BaggingDraws) -> dict[str, Any]:
        sums, heard = np.zeros(len(y)), np.zeros(len(y))
        coefficients = linear(members) if draws.of_all_columns else None
        for m, member in enumerate(members):
            outside = draws.times(m) == 0
            if coefficients is not None:
                coef, intercept = coefficients
                sums[outside] += rows.X[outside] @ coef[m] + intercept[m]
            elif outside.any():
                own = rows.X[outside] if draws.of_all_columns else rows.X[outside][:, draws.columns_of(m)]
                sums[outside] += member.predict(own)
            heard += outside
        known = heard > 0
        if not known.all():
            warn(LACKING, UserWarning)
        answers = np.full(len(y), np.nan)
        answers[known] = sums[known] / heard[known]
        assert rows.weight is not None
        score = r2_score(y[known], answers[known], sample_weight=rows.weight[known]) if known.sum() > 1 else np.nan
        return {"oob_prediction_": answers, "oob_score_": score}

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the members' answers."""
        rows, members = self.asked(X), range(len(self.estimators_))
        coefficients = linear(self.estimators_) if self.same_columns(rows.shape[1]) else None
        if coefficients is not None:
            coef, intercept = (part.mean(axis=0) for part in coefficients)
            return np.asarray(rows @ coef.T + intercept).astype(self.float_dtype)

        def ask(member: int) -> np.ndarray:
            return np.asarray(self.estimators_[member].predict(self.own_columns(rows, member)))

        return (self.each(ask, np.add, members) / len(members)).astype(self.float_dtype)

    def same_columns(self, width: int) -> bool:
        """Whether every member has all columns in their order."""
        every = np.arange(width)
        return all(np.array_equal(columns, every) for columns in self.estimators_features_)

    def band(self, X: Any, level: float = 0.95) -> np.ndarray:
        """Where the middle `level` of the members' answers lies, (2, rows, ...): how sure the mean is, no target."""
        if not 0.0 < level < 1.0:
            raise ValueError(f"level must be between 0 and 1, got {level!r}")
        rows = self.asked(X)
        answers = [np.asarray(m.predict(self.own_columns(rows, k))) for k, m in enumerate(self.estimators_)]
        tail = (1.0 - level) / 2.0
        return np.quantile(np.array(answers), [tail, 1.0 - tail], axis=0)


def linear(members: list[Any]) -> tuple[np.ndarray, np.ndarray] | None:
    """Coefficients and intercepts of members that are all linear in their columns."""
    if not all(isinstance(member, LinearModel) and getattr(member, "basis", None) is None for member in members):
        return None
    coef = np.array([member.coef_ for member in members])
    return coef, np.array([np.broadcast_to(member.intercept_, coef.shape[1:-1]) for member in members])
