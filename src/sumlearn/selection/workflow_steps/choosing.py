"""Steps 5 and 7: the ranker and the search that a workflow is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ...features.input_ranges import one_of, whole_number
from ...learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis
from ...learners.regression.linear_regression import LinearRegression
from ...statistics.bins import quantiles
from ..fcbf import FCBF
from ..judging import counterpart
from ..ranker import Ranker
from ..search_options import METHODS
from ..subset_search import SubsetSearch
from .step import Step, fitted, listed, skipped
from .workflow_rows import WorkflowRows, folds_of

INFORMATION = ("mutual_information", "symmetric_uncertainty")  # scores of levels, not of numbers
BINS = 8  # of numbers, for those scores
OWN, FILTER = "own", "fcbf"
OTHERS = (OWN, FILTER)  # beside the searches: the table's own columns, and the correlation-based filter
USUAL = ("sffs", FILTER, OWN)  # who competes by default


def ranking_of(given: Any, task: str, y: Any, weight: Any = None) -> tuple[Ranker, Any]:
    """A ranker by the name of its score, or as it was given, and the target for it.

    Scores of information count levels: numbers are put into bins, a numeric target as well.
    """
    if isinstance(given, Ranker):
        return clone(given) if given.task is not None else clone(given).set_params(task=task), y
    if not isinstance(given, str):
        raise TypeError(f"ranking must be the name of a score, a Ranker or None, got {given!r}")
    if given not in INFORMATION:
        return Ranker(given, task=task), y
    return Ranker(given, bins=BINS), y if task == "classification" else in_quantiles(y, BINS, weight)


def in_quantiles(y: np.ndarray, count: int, weight: np.ndarray | None = None) -> np.ndarray:
    """Numbers as the numbers of their bins, which weigh about the same; equal numbers share one.

    >>> in_quantiles(np.array([5.0, 1.0, 2.0, 9.0, 2.0, 7.0]), 3).tolist()
    [1, 0, 0, 2, 0, 2]
    """
    edges = quantiles(y, np.ones(len(y)) if weight is None else weight, count)
    return np.searchsorted(edges, y, side="right")


def techniques_of(given: Any) -> dict[str, Any]:
    """Who chooses features, by name: methods and searches, other selectors, or None for all that go on."""
    if given is None or given is False:
        return {"all": None}
    if isinstance(given, str) and given == "auto":
        return {name: name for name in USUAL}
    if isinstance(given, Mapping):
        named = dict(given)
    elif isinstance(given, list | tuple):
        named = {name_of(one): one for one in given}
        if len(named) < len(given):
            raise ValueError("search: two selectors of one kind need names; give a dict")
    else:
        named = {name_of(given): given}
    if not named:
        raise ValueError("search is empty: give methods, or None")
    for one in named.values():
        if one is not None and not hasattr(one, "fit"):
            one_of(one, "search", (*METHODS, *OTHERS))
    return named


def name_of(given: Any) -> str:
    if isinstance(given, SubsetSearch):
        return given.method
    return "all" if given is None else given if isinstance(given, str) else type(given).__name__


def search_of(given: Any, task: str, cv: Any, k: Any, learner: Any = None) -> Any:
    """A selector by its name, or as it was given.

    A search that has no model yet gets the learner, where its subsets are judged from sums, else that of the task.
    """
    if given == FILTER:
        return FCBF(bins=BINS)
    model = LinearDiscriminantAnalysis() if task == "classification" else LinearRegression()
    if judged_by(learner):
        model = clone(learner)
    if isinstance(given, str):
        return SubsetSearch(given, model, k=k, cv=cv)
    search = clone(given)
    asks = isinstance(search, SubsetSearch) and search.estimator is None and search.criterion is None
    return search.set_params(estimator=model) if asks else search


def judged_by(learner: Any) -> bool:
    return learner is not None and getattr(learner, "basis", None) is None and counterpart(learner) is not None


def ranked(options: Any, made: WorkflowRows, names: list[str]) -> tuple[Ranker | None, np.ndarray, int, Step]:
    """The ranker, the features in its order, and how many of them go on."""
    count = len(names)
    if options.ranking is None or options.ranking is False:
        return None, np.arange(count), count, skipped("ranking")
    ranker, target = ranking_of(options.ranking, made.task, made.y, made.weight)
    ranker.fit(made.X, target, made.weight)
    order, scores = ranker.order_, ranker.scores_
    keep = count if options.keep is None else min(whole_number(options.keep, "keep", 1), count)
    best = ", ".join(f"{names[j]} {scores[j]:.3g}" for j in order[:3])
    what = f"by {ranker.chosen_score}: {best}; {keep} of {count} features go on"
    return ranker, order, keep, Step("ranking", what, {"scores": {names[j]: float(scores[j]) for j in order}})


class ChosenSubset(NamedTuple):
    """The selector, the numbers of the features that it chose, and what is said of that."""

    search: Any
    subset: np.ndarray
    step: Step


def chosen(options: Any, given: Any, learner: Any, design: Any) -> ChosenSubset:
    """The features that a technique chooses among those that go on, for a learner."""
    rows, kept, names = design.inside, design.kept, design.expansion.names
    if given is None:
        return ChosenSubset(None, kept, skipped("subset"))
    if given == OWN:
        own = np.flatnonzero(np.ptp(rows.X[:, : design.own], axis=0) > 0)
        return ChosenSubset(None, own, Step("subset", f"all {len(own)} columns of the table that vary", {}))
    search = search_of(given, rows.task, folds_of(options, rows.task), options.k, learner)
    binned = isinstance(search, FCBF) and rows.task == "regression"
    target = in_quantiles(rows.y, BINS, rows.weight) if binned else rows.y
    fitted(search, rows.X[:, kept], target, rows.weight)
    subset = kept[search.get_support(indices=True)]
    if not len(subset):
        raise ValueError(f"{name_of(given)} chose no feature: none says anything about the target by itself")
    listing, numbers = listed([names[j] for j in subset]), {}
    if isinstance(search, SubsetSearch):
        listing += f"; J {search.score_:.4g}, optimistic"
        numbers = {"score": search.score_, "evaluations": search.evaluations_}
    return ChosenSubset(search, subset, Step("subset", f"{name_of(given)}: {listing}", numbers))
