"""Bagging of regressions: the mean of members that learn from bootstrap samples of the rows, or of the columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from ..data import Chunk
from ..learners import Description
from ..learners.regression.parts.linear_model import LinearModel
from ..learners.trees.decision_tree_regressor import DecisionTreeRegressor
from ..learners.whole_rows import WholeRows
from ..statistics.warnings import warn
from .parts.bag import LACKING, VARIANTS, Bag
from .parts.bagging_draws import BaggingDraws
from .parts.determination import determination


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
        score = determination(y[known], answers[known], rows.weight[known]) if known.sum() > 1 else np.nan
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
