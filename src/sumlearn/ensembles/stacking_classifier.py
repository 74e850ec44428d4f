"""Stacking of classifiers: a classifier on what other models say of rows that they have not learnt."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from ..data import InMemory
from ..learners import Description, Offer
from ..learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis
from ..learners.gaussian.naive_bayes import GaussianNB
from ..learners.gaussian.quadratic_discriminant import QuadraticDiscriminantAnalysis
from ..learners.linear.logistic_regression import LogisticRegression
from ..learners.sampling import LabelSamplingMixin
from .parts.left_out import AnswersLeftOut, OnLeftOutRows
from .parts.stacked import AUTO, Stacked, final_has

# What `train` offers: paths of shrinkages in the place of a choice among them. All of them add up.
OFFERED = [
    *((f"lda{k}", LinearDiscriminantAnalysis(solver="lsqr", shrinkage=s)) for k, s in enumerate((None, 0.1, 0.5))),
    *((f"qda{k}", QuadraticDiscriminantAnalysis(reg_param=r)) for k, r in enumerate((0.01, 0.3))),
    ("nb", GaussianNB()),
]


class StackingClassifier(Stacked, LabelSamplingMixin, ClassifierMixin, OnLeftOutRows):
    """A classifier that learns from what several models say of rows that they have not learnt.

        z_n = (f_1^(-n)(x_n), ..., f_M^(-n)(x_n)),    answer(x) = g(f_1(x), ..., f_M(x))

    g is learnt from (z_n, y_n), where f^(-n) has not learnt the fold of n; the f_m that answer have learnt all rows.

    Statistic: none; the rows must be in memory. Members that add up are solved from sums of folds: one read for each
    kind of sums, however many members share it, gives the models of all folds and of all rows. Others are fitted for
    each fold, and once more. Cannot merge or forget: the final estimator depends on rows left out. Cost: of members
    that add up, one pass for each kind of sums, and a solution and a prediction for each fold.

    Parameters
    ----------
    estimators : list of (name, estimator) or None, default=None
        Of any library, "drop" in the place of one that is left out; regressors learn the numbers of the classes. None
        is LinearDiscriminantAnalysis() and GaussianNB().
    final_estimator : classifier, default=None
        None is LogisticRegression().
    cv : int, splitter, splits, "prefit" or None, default=None
        Must leave every row out once; None is five stratified folds. With "prefit" the members are fitted already, on
        other rows, and `fit` learns the final estimator alone.
    stack_method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        What the members are asked; "auto" is the first of these that a member has. Of two classes the probability of
        the second is enough.
    n_jobs : int, default=None
        Threads: of the read where members add up, for fits at the same time where not (None: one after the other).
    passthrough : bool, default=False
        Whether the final estimator sees the rows as well.
    verbose : int, default=0
        Changes nothing.

    Attributes
    ----------
    classes_ : array
    estimators_ : list
        The members, fitted on all rows.
    named_estimators_ : Bunch
    final_estimator_ : classifier
    stack_method_ : list of str

    Examples
    --------
    >>> from sumlearn import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, StackingClassifier
    >>> from sumlearn.data import load_example
    >>> pima = load_example("pima")
    >>> kinds = LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB()
    >>> model = StackingClassifier([("lda", kinds[0]), ("qda", kinds[1]), ("nb", kinds[2])]).fit(pima.X, pima.y)
    >>> model.transform(pima.X[:1]).round(2).tolist(), round(model.score(pima.X, pima.y), 3)
    ([[0.73, 0.58, 0.67]], 0.776)

    References
    ----------
    Lecture note 002; Wolpert, Stacked generalization, 1992.
    """

    description = Description(
        offers=(Offer("stack", "stack of discriminants", 160, {"estimators": OFFERED}, extra=True),),
        variants={"stack_method": ("auto", "predict"), "passthrough": (False, True), "verbose": (0,)},
    )
    target = "label"

    def __init__(
        self,
        estimators: Any = None,
        final_estimator: Any = None,
        *,
        cv: Any = None,
        stack_method: str = "auto",
        n_jobs: int | None = None,
        passthrough: bool = False,
        verbose: int = 0,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.stack_method = stack_method
        self.n_jobs = n_jobs
        self.passthrough = passthrough
        self.verbose = verbose

    def default_members(self) -> list[tuple[str, Any]]:
        return [("lda", LinearDiscriminantAnalysis()), ("nb", GaussianNB())]

    def default_final(self) -> Any:
        return LogisticRegression()

    def methods(self, members: list[tuple[str, Any]]) -> list[str]:
        if self.stack_method not in ("auto", *AUTO):
            raise ValueError(f"stack_method must be one of auto, {', '.join(AUTO)}, got {self.stack_method!r}")
        self.check_final()
        return [self.method_of(name, member, self.stack_method) for name, member in members]

    def learnt(self, found: AnswersLeftOut, rows: InMemory) -> dict[str, Any]:
        return self.stacked(found, rows)

    @available_if(final_has("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """P(k | x) of the final estimator, one column per class."""
        said = self.transform(X)
        return self.narrowed(self.final_estimator_.predict_proba(said))

    @available_if(final_has("decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """The decision function of the final estimator."""
        said = self.transform(X)
        return self.narrowed(self.final_estimator_.decision_function(said))
