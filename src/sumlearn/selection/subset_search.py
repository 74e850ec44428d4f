"""Subset search: which features, together, do best."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..data.files import is_path
from ..data.source import is_frame
from ..learners.callbacks import CallbackSupportMixin, stepwise, with_callbacks
from ..learners.validation import prediction_rows
from .evaluations import BudgetSpent, Evaluations
from .judging import Case, case_for, is_given
from .outcome import BUDGET_SPENT, BY_HAND, outcome_of
from .run_search import run
from .search_options import ADMISSIBLE, Sizes, check_parameters, field_of, sizes_of


class SubsetSearch(CallbackSupportMixin, SelectorMixin, BaseEstimator):
    """Search for the subset of features with the largest J(S), by the methods of note 002 and Pudil's floating ones.

        S* = argmax over S of J(S),   J(S) = 1 - cross-validated error of a model on the columns S, or another criterion

    "sfs" one feature in at a time, "sbe" one out; "pta" some in and some out (`plus`, `minus`); "gsfs", "gpta" the same
    with the best block of features at once; "sffs", "sbfs" floating: after each step forward, steps back as long as
    they beat the best subset of that size. "exhaustive" looks at all subsets. "bnb" (branch and bound) and "astar" cut
    off what cannot win; their answer is the best there is, for monotone criteria. They come down from all features; for
    a few of many, where that is less work, they look at all subsets. The best subset of every size that a search meets
    is kept.

    For least squares, ridge, discriminants and naive Bayes J comes from sums that are taken once: a subset costs
    microseconds, and X may be files or a Dask collection. Other one-pass learners are solved from sums cut to the
    subset, any other estimator is refitted. Cost: SFS to n of D features asks about n D - n (n - 1) / 2 subsets, SBE
    down to n about (D - n)(D + n + 1) / 2, a step of GSFS(m) about C(D - n, m).

    Parameters
    ----------
    method : {"sfs", "sbe", "pta", "gsfs", "gpta", "sffs", "sbfs", "exhaustive", "bnb", "astar"}, default="sfs"
    estimator : estimator, default=None
        None is LinearRegression for numbers and LinearDiscriminantAnalysis for labels (text, booleans, a few whole
        numbers).
    criterion : str, callable, Judge or None, default=None
        What J is; larger is better. None: R^2 or accuracy. Cross-validated: "r2", "mse", "accuracy", "auc", "cost", or
        any scorer of scikit-learn, by name or as a function (estimator, X, y). Of least squares, without folds: "loo",
        "aic", "bic". Of the classes, without a model: "mahalanobis", "bhattacharyya", "trace", "likelihood"; "nearest"
        is the leave-one-out accuracy of the nearest neighbour on discrete columns. A function of the column numbers
        alone, or a Judge of `sumlearn.selection.judges`.
    k : int, "best" or "parsimonious", default="best"
        How many features. "best": the size with the largest J, the smallest of equals. "parsimonious": the smallest
        size whose J is within one standard error of that.
    cv : int, splitter or iterable of splits, default=5
        As in scikit-learn.
    plus, minus : int, default=2 and 1
        For "pta" and "gpta"; with plus < minus the search goes downwards from all features.
    block : int, default=2
        For "gsfs".
    stop : {None, "worse"}, default=None
        None: all sizes of interest are gone through. "worse": "sfs", "sbe", "pta" and "gpta" end when a step, or a
        round, up has not bettered J, J(S') <= J(S), or one down has worsened it.
    prophet : Prophet, default=None
        With "astar": the prophet says what to judge next, the criterion need not be monotone, and the answer need not
        be the best.
    n_best : int, default=1
        How many subsets to return in ``best_subsets_``; with "exhaustive", "bnb" and "astar" they are the n best there
        are.
    fixed, excluded : names, numbers or masks of columns, default=None
        Columns that are always in, and never.
    column_groups : list of lists of columns, or dict of such, default=None
        Columns that enter and leave together and count as one feature, such as the levels of a category.
    max_features : int, default=None
        Where the search ends; all by default, or k if that is a number. Floating search may find a better subset of k
        features if it goes further.
    costs : array (classes, classes) or pair, default=None
        For "cost": what it costs to decide for the class of the column where that of the row is true; of two classes
        the pair (false acceptance, false rejection) will do. None: one for every error.
    tol : float, default=1e-12
        Scores that differ by less than `tol` times their size are equal: the first column, the smallest size wins.
    max_evaluations, max_seconds : numbers, default=None
        A budget. When it is spent, or at Ctrl-C, the best subset so far is the result, with a warning.

    Attributes
    ----------
    subset_, score_
        Numbers of the chosen columns, and their J. It was maximised, so it is too kind: see `nested_score`.
    path_, scores_by_size_
        Best subset met of every size and its J.
    best_subsets_, best_scores_
        The `n_best` subsets.
    trace_
        All evaluations (`sumlearn.selection.Trace`).
    evaluations_ : int
        How often the judge was asked.
    standard_error_ : float or None
        Of `score_`, over the folds; None where J is no mean.
    approximate_ : bool
        False if no subset of the sizes in question is better.
    interrupted_ : bool
        Whether the search ended before its time.

    Examples
    --------
    >>> from sumlearn import SubsetSearch
    >>> from sumlearn.data import load_example
    >>> pima = load_example("pima")
    >>> search = SubsetSearch("sffs", criterion="auc").fit(pima.X, pima.y)
    >>> search.subset_.tolist(), round(search.score_, 4)
    ([0, 1, 2, 5, 6], 0.835)

    References
    ----------
    Lecture note 002; Pudil, Novovicova & Kittler, "Floating search methods in feature selection", 1994; Narendra &
    Fukunaga, "A branch and bound algorithm for feature subset selection", 1977; Hart, Nilsson & Raphael, "A formal
    basis for the heuristic determination of minimum cost paths", 1968.
    """

    def __init__(
        self,
        method: str = "sfs",
        estimator: Any = None,
        criterion: Any = None,
        *,
        k: int | str = "best",
        cv: Any = 5,
        plus: int = 2,
        minus: int = 1,
        block: int = 2,
        stop: str | None = None,
        prophet: Any = None,
        n_best: int = 1,
        fixed: Any = None,
        excluded: Any = None,
        column_groups: Any = None,
        max_features: int | None = None,
        costs: Any = None,
        tol: float = 1e-12,
        max_evaluations: int | None = None,
        max_seconds: float | None = None,
    ) -> None:
        self.method = method
        self.estimator = estimator
        self.criterion = criterion
        self.k = k
        self.cv = cv
        self.plus = plus
        self.minus = minus
        self.block = block
        self.stop = stop
        self.prophet = prophet
        self.n_best = n_best
        self.fixed = fixed
        self.excluded = excluded
        self.column_groups = column_groups
        self.max_features = max_features
        self.costs = costs
        self.tol = tol
        self.max_evaluations = max_evaluations
        self.max_seconds = max_seconds

    @with_callbacks
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Search. X, y and groups as in `cross_validate`: arrays, tables, files, Dask collections."""
        check_parameters(self)
        case = case_for(self, X, y, sample_weight, groups)
        field = field_of(self, case.judge.size, case.names)
        sizes = sizes_of(self, field)
        if self.method in ADMISSIBLE and self.prophet is None and not case.judge.monotone:
            raise ValueError(
                f"method {self.method!r} needs a criterion that never falls when a feature is added: 'mahalanobis', "
                "'bhattacharyya', 'trace' or 'likelihood', or a Judge whose `monotone` is True; with method='astar' a "
                "prophet will do"
            )
        with stepwise(self) as step:
            board = Evaluations(
                case.judge,
                field.units,
                field.always,
                base=field.base,
                least=sizes.least,
                most=sizes.most,
                tol=self.tol,
                max_evaluations=self.max_evaluations,
                max_seconds=self.max_seconds,
                watch=step,
                names=case.names,
            )
            ended = self._search(board, sizes)
        return self._commit(case, outcome_of(self, board, sizes, ended))

    def transform(self, X: Any) -> Any:
        """The chosen columns of X."""
        check_is_fitted(self)
        if is_path(X):
            return self._transform(prediction_rows(self, X, sparse_ok=True))
        if not self._takes_anything(X):
            prediction_rows(self, X, sparse_ok=True)  # names the first value that is no number
        return super().transform(X)

    # -- how ----------------------------------------------------------------------------------------------------------

    def _search(self, board: Evaluations, sizes: Sizes) -> str | None:
        """Run the method; what ended it before its time, if anything did."""
        try:
            run(self, board, sizes)
        except BudgetSpent:
            return BUDGET_SPENT
        except KeyboardInterrupt:
            if not board.best:
                raise
            return BY_HAND
        return None

    def _commit(self, case: Case, values: dict[str, Any]) -> Self:
        """Take over what was found; a fit that fails changes nothing."""
        kept = {name: value for name, value in vars(self).items() if not name.endswith("_")}
        names = ("n_features_in_", "feature_names_in_")
        seen = {name: getattr(case.seen, name) for name in names if hasattr(case.seen, name)}
        self.__dict__.clear()
        self.__dict__.update(kept | seen | values)
        return self

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.subset_] = True
        return mask

    def _takes_anything(self, X: Any) -> bool:
        """Tables of mixed columns are for the estimator to understand, and gaps, where it can."""
        tags = None if self.estimator is None else get_tags(self.estimator).input_tags
        return (tags is not None and tags.allow_nan) or (is_frame(X) and tags is not None)

    def __sklearn_is_fitted__(self) -> bool:
        return "subset_" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = None if self.estimator is None else get_tags(self.estimator).input_tags
        tags.input_tags.sparse = inner is None or inner.sparse
        tags.input_tags.allow_nan = inner is not None and inner.allow_nan
        tags.target_tags.required = not is_given(self.criterion)
        return tags
