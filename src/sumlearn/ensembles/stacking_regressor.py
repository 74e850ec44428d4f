"""Stacking of regressors: a regression on what other models say of rows that they have not learnt."""

from __future__ import annotations

from typing import Any

from sklearn.base import RegressorMixin

from ..data import InMemory
from ..features import Polynomial
from ..learners import Description, Offer
from ..learners.regression.bayesian_regression import BayesianRegression
from ..learners.regression.ridge import Ridge
from ..learners.regression.ridge_cv import RidgeCV
from .parts.left_out import AnswersLeftOut, OnLeftOutRows
from .parts.stacked import Stacked

# What `train` offers: paths of penalties in the place of a choice among them, on columns and on products of two. All of
# them add up.
OFFERED = [
    *((f"ridge{k}", Ridge(alpha)) for k, alpha in enumerate((0.1, 10.0, 1000.0))),
    *((f"products{k}", Ridge(alpha, basis=Polynomial(2))) for k, alpha in enumerate((1.0, 100.0))),
]


class StackingRegressor(Stacked, RegressorMixin, OnLeftOutRows):
    """A regression that learns from what several models say of rows that they have not learnt.

        z_n = (f_1^(-n)(x_n), ..., f_M^(-n)(x_n)),    answer(x) = g(f_1(x), ..., f_M(x))

    g is learnt from (z_n, y_n), where f^(-n) has not learnt the fold of n; the f_m that answer have learnt all rows.

    Statistic: none; the rows must be in memory. Members that add up are solved from sums of folds: one read for each
    kind of sums, however many members share it, gives the models of all folds and of all rows. Others are fitted for
    each fold, and once more. Cannot merge or forget: the final estimator depends on rows left out. Cost: of members
    that add up, one pass for each kind of sums, and a solution and a prediction for each fold.

    Parameters
    ----------
    estimators : list of (name, regressor) or None, default=None
        Of any library, "drop" in the place of one that is left out. None is Ridge() and BayesianRegression().
    final_estimator : regressor, default=None
        None is RidgeCV().
    cv : int, splitter, splits, "prefit" or None, default=None
        Must leave every row out once; None is five folds. With "prefit" the members are fitted already, on other rows,
        and `fit` learns the final estimator alone.
    n_jobs : int, default=None
        Threads: of the read where members add up, for fits at the same time where not (None: one after the other).
    passthrough : bool, default=False
        Whether the final estimator sees the rows as well.
    verbose : int, default=0
        Changes nothing.

    Attributes
    ----------
    estimators_ : list
        The members, fitted on all rows.
    named_estimators_ : Bunch
    final_estimator_ : regressor
    stack_method_ : list of str

    Examples
    --------
    >>> from sumlearn import Lasso, Ridge, StackingRegressor
    >>> from sumlearn.data import load_example
    >>> X = load_example("iris").X  # the width of a petal from the rest of a flower
    >>> model = StackingRegressor([("ridge", Ridge()), ("lasso", Lasso(alpha=0.1))]).fit(X[:, :3], X[:, 3])
    >>> round(model.score(X[:, :3], X[:, 3]), 3)
    0.937

    References
    ----------
    Lecture note 002; Wolpert, Stacked generalization, 1992; Breiman, Stacked regressions, 1996.
    """

    description = Description(
        offers=(Offer("stack", "stack of ridges", 160, {"estimators": OFFERED}, extra=True, most_features=60),),
        lacks={"sample": "how far the truth is from the answer of a stack is not known"},
        variants={"passthrough": (False, True), "verbose": (0,)},
    )

    def __init__(
        self,
        estimators: Any = None,
        final_estimator: Any = None,
        *,
        cv: Any = None,
        n_jobs: int | None = None,
        passthrough: bool = False,
        verbose: int = 0,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.n_jobs = n_jobs
        self.passthrough = passthrough
        self.verbose = verbose

    def default_members(self) -> list[tuple[str, Any]]:
        return [("ridge", Ridge()), ("bayes", BayesianRegression())]

    def default_final(self) -> Any:
        return RidgeCV()

    def methods(self, members: list[tuple[str, Any]]) -> list[str]:
        self.check_final()
        return [self.method_of(name, member, "predict") for name, member in members]

    def learnt(self, found: AnswersLeftOut, rows: InMemory) -> dict[str, Any]:
        return self.stacked(found, rows)
