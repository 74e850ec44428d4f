"""Which judge for which question: from sums where there is one, else by refitting."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.validation import validate_data

from ..data import InMemory, Stream, split_target, vector
from ..data.collections import is_dask
from ..data.files import is_path
from ..data.source import is_frame
from ..engines.summing import NO_WEIGHT
from ..evaluation.resampling.splits import Split, checked_splits, columns_apart, numbered_source
from ..learners.ability import sums_by_row
from ..learners.description import description_of, kind_of
from ..learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis
from ..learners.regression.linear_regression import LinearRegression
from ..learners.validation import (
    label_target,
    numeric_target,
    plain_source,
    prediction_rows,
    training_source,
)
from .judges.general import FunctionJudge, RefitJudge, RestrictedSumsJudge
from .judges.judge import Judge
from .target_kinds import estimator_for

SEPARABILITY = ("mahalanobis", "bhattacharyya", "trace", "likelihood")  # of the classes, from statistics alone
WITHOUT_FOLDS = ("loo", "aic", "bic")
REGRESSION = ("r2", "mse", *WITHOUT_FOLDS)
CLASSIFICATION = ("accuracy", "auc", "cost")
SHORT = {"neg_mean_squared_error": "mse", "roc_auc": "auc"}  # scikit-learn's names of the same scores
LONG = {short: long for long, short in SHORT.items()}


class Case(NamedTuple):
    """A judge, and somebody who has seen the names and the number of the columns."""

    judge: Judge
    seen: Any

    @property
    def names(self) -> list[str] | None:
        names = getattr(self.seen, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]


def case_for(search: Any, X: Any, y: Any, weight: Any, groups: Any) -> Case:
    """The judge of a search for these rows."""
    criterion = search.criterion
    criterion = SHORT.get(criterion, criterion) if isinstance(criterion, str) else criterion
    if is_given(criterion):
        return given(criterion, X, y)
    if y is None:
        raise ValueError("SubsetSearch requires y to be passed, but the target y is None.")
    if isinstance(criterion, str) and criterion in (*SEPARABILITY, "nearest"):
        if search.estimator is not None:
            raise ValueError(f"criterion {criterion!r} has no use for an estimator: leave it None")
        return nearest(X, y, weight) if criterion == "nearest" else separability(criterion, X, y, weight)
    estimator = search.estimator if search.estimator is not None else default_estimator(criterion, X, y)
    if not hasattr(estimator, "fit") or isinstance(estimator, type):
        raise TypeError(f"estimator must be an estimator or None, got {estimator!r}")
    known = counterpart(estimator)
    plain = getattr(estimator, "basis", None) is None and reads_numbers(estimator)
    if plain and (known is not None or sums_by_row(estimator)):  # else columns of the sums are not columns of X
        return from_sums(search, estimator, known, criterion, X, y, weight, groups)
    return from_rows(estimator, criterion, X, y, weight, groups, search.cv)


# -- criteria that need no estimator ----------------------------------------------------------------------------------


def reads_numbers(estimator: Any) -> bool:
    """Whether columns of the sums are those of X, whatever the rows are."""
    return not getattr(estimator, "looks", False) and getattr(estimator, "reads", "numbers") == "numbers"


def is_given(criterion: Any) -> bool:
    """A judge, a class of judges, or a function of one argument; a scorer has three."""
    if isinstance(criterion, Judge) or (isinstance(criterion, type) and issubclass(criterion, Judge)):
        return True
    if isinstance(criterion, str) or not callable(criterion):
        return False
    try:
        parameters = inspect.signature(criterion).parameters.values()
    except ValueError:  # some functions written in C do not say
        return False
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return sum(p.default is p.empty for p in places) == 1


def given(criterion: Any, X: Any, y: Any) -> Case:
    """A criterion that knows its rows, or needs none: X says how the columns are called."""
    X, y = split_target(X, y)
    seen = BaseEstimator()
    if isinstance(criterion, type) and not hasattr(criterion, "of"):
        criterion = criterion()
    if isinstance(criterion, type):
        probe: Any = estimator_for(X, y)
        return Case(criterion.of(training_source(probe, X, y, None, target=probe.target, reset=True)), probe)  # type: ignore[attr-defined]
    validate_data(seen, X, skip_check_array=True)
    features: int = seen.n_features_in_
    judge = criterion if isinstance(criterion, Judge) else FunctionJudge(criterion, features)
    if not hasattr(judge, "size"):  # it knows no rows, so their columns say how many there are
        judge = copy.copy(judge)
        judge.size = features
    if judge.size != features:
        raise ValueError(f"X has {features} columns, the judge was made for {judge.size}")
    return Case(judge, seen)


def separability(criterion: str, X: Any, y: Any, weight: Any) -> Case:
    from .judges.separability import SeparabilityJudge

    probe = LinearDiscriminantAnalysis()
    source = training_source(probe, X, y, weight, target="label", reset=True)
    return Case(SeparabilityJudge.of(source, criterion), probe)


def nearest(X: Any, y: Any, weight: Any) -> Case:
    from .judges.neighbours import NearestNeighbourJudge

    probe = LinearDiscriminantAnalysis()
    source = in_memory_only(training_source(probe, X, y, weight, target="label", reset=True), "criterion 'nearest'")
    rows = source.read(slice(0, source.rows))
    rows = rows.toarray() if hasattr(rows, "toarray") else rows
    return Case(NearestNeighbourJudge.of(rows, source.y, source.weight), probe)


# -- criteria of an estimator -----------------------------------------------------------------------------------------


def from_sums(
    search: Any, estimator: Any, known: Any, criterion: Any, X: Any, y: Any, weight: Any, groups: Any
) -> Case:
    """A learner that adds up: every subset is solved from sums that were taken once."""
    learner = estimator if known is None else known
    probe = clone(learner) if known is None else type(known)()  # only sees the columns
    source, groups = numbered_source(probe, X, y, groups, weight)
    check_rows(source.rows)
    if source.weight is not None and not np.any(source.weight):
        raise ValueError(NO_WEIGHT)
    name = ("accuracy" if is_classifier(learner) else "r2") if criterion is None else criterion
    if isinstance(name, str) and name in WITHOUT_FOLDS:
        splits: list[Split] | None = None
        if description_of(learner).judge != "least_squares":
            raise ValueError(f"criterion {name!r} is for LinearRegression and Ridge, got {type(estimator).__name__}")
    else:
        splits = checked_splits(learner, source.rows, source.y, groups, search.cv)
    judge = None if known is None else fast_judge(known, source, name, splits, search.costs)
    if judge is None:
        if splits is None:
            raise ValueError(f"criterion {name!r} needs one target, y has {source.targets} columns")
        held = in_memory_only(source, f"{type(estimator).__name__} with criterion {criterion!r}")
        judge = RestrictedSumsJudge(learner, held, splits, scorer_name(learner, criterion))
    return Case(judge, probe)


def fast_judge(
    learner: Any, source: InMemory | Stream, criterion: Any, splits: list[Split] | None, costs: Any
) -> Judge | None:
    """The judge that a learner asks for, if it judges by the criterion; else None."""
    if not isinstance(criterion, str):
        return None
    return JUDGES[str(description_of(learner).judge)](learner, source, criterion, splits, costs)


def least_squares(learner: Any, source: Any, criterion: str, splits: Any, costs: Any) -> Judge | None:
    """Of a regression with coefficients (S_xx + alpha I)^-1 S_xy; alpha is zero where it has none."""
    if criterion not in REGRESSION or source.targets != 1:
        return None
    from .judges.least_squares import LeastSquaresJudge

    penalty, intercept = getattr(learner, "alpha", 0.0), getattr(learner, "fit_intercept", True)
    return LeastSquaresJudge.of(source, penalty, intercept, criterion, splits)


def discriminant(learner: Any, source: Any, criterion: str, splits: Any, costs: Any) -> Judge | None:
    """Of a Gaussian classifier; which one the word says."""
    if criterion not in CLASSIFICATION:
        return None
    from .judges.discriminants import DiscriminantJudge

    return DiscriminantJudge.of(source, learner, criterion, splits or [], costs)


JUDGES: dict[str, Callable[..., Judge | None]] = {  # by the word that learners have for them, `description.judge`
    "least_squares": least_squares,
    "linear_discriminant": discriminant,
    "quadratic_discriminant": discriminant,
    "naive_bayes": discriminant,
}


def from_rows(estimator: Any, criterion: Any, X: Any, y: Any, weight: Any, groups: Any, cv: Any) -> Case:
    """Any other estimator: refitted for every subset and split."""
    if is_path(X) or is_dask(X):
        raise ValueError(
            f"{type(estimator).__name__} is refitted for every subset: load the table into memory, or take a learner "
            "whose subsets are solved from sums (LinearRegression, Ridge, LinearDiscriminantAnalysis, ...)"
        )
    X, y, groups = columns_apart(X, y, groups)
    seen = BaseEstimator()
    target = "label" if is_classifier(estimator) else "number"
    if is_frame(X):
        validate_data(seen, X, y, skip_check_array=True)
        y = label_target(y) if target == "label" else numeric_target(y)
        weight = None if weight is None else np.asarray(vector(weight, "sample_weight"), dtype=float)
        check_consistent_length(X, y, weight)
    else:
        source: Any = plain_source(seen, X, y, weight, target=target, reset=True)
        X, y, weight = source.X, source.y, source.weight
        if not get_tags(estimator).input_tags.allow_nan:
            prediction_rows(seen, X, sparse_ok=True)  # names the first value that is no number
    groups = None if groups is None else vector(groups, "groups")
    check_rows(X.shape[0])
    splits = checked_splits(estimator, X.shape[0], y, groups, cv)
    scorer = check_scoring(estimator, scoring=scorer_name(estimator, criterion))
    return Case(RefitJudge(estimator, X, y, splits, scorer, weight), seen)


def scorer_name(estimator: Any, criterion: Any) -> Any:
    """A criterion in scikit-learn's words."""
    if not isinstance(criterion, str):
        if criterion is not None and not callable(criterion):
            raise TypeError(f"criterion must be a name, a function or a Judge, got {criterion!r}")
        return criterion
    if criterion in ("cost", *WITHOUT_FOLDS):
        raise ValueError(f"criterion {criterion!r} cannot be judged for {type(estimator).__name__}")
    return LONG.get(criterion, criterion)


def counterpart(estimator: Any) -> Any:
    """Our learner that gives the same models, if there is a judge written for it; else None."""
    kind: Any = kind_of(estimator)
    word, own = description_of(kind).judge, type(estimator) is kind
    if word is None:
        return None
    if word not in JUDGES:
        raise ValueError(f"{kind.__name__} asks for the judge {word!r}; there are {', '.join(JUDGES)}")
    options = vars(estimator) if own else estimator.get_params(deep=False)
    refused = (
        options.get("positive")
        or isinstance(options.get("shrinkage"), str)
        or options.get("covariance_estimator") is not None
        or not (own or set(options) <= set(kind().get_params(deep=False)))
    )
    return None if refused else estimator if own else kind(**options)


def default_estimator(criterion: Any, X: Any, y: Any) -> Any:
    """Linear regression for numbers, linear discriminants for labels."""
    if isinstance(criterion, str) and criterion in (*REGRESSION, *CLASSIFICATION):
        return LinearRegression() if criterion in REGRESSION else LinearDiscriminantAnalysis()
    return estimator_for(X, y)


def check_rows(rows: int | None) -> None:
    if rows is not None and rows < 2:
        raise ValueError(f"Found array with {rows} sample(s) while a minimum of 2 is required to choose features.")


def in_memory_only(source: Any, what: str) -> InMemory:
    if isinstance(source, Stream):
        raise ValueError(f"{what} asks about single rows again and again: load the table into memory first")
    return source
