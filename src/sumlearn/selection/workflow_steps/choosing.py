"""Steps 5 and 7: the ranker and the search that a workflow is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from ...features.input_ranges import one_of, whole_number
from ...learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis
from ...learners.regression.linear_regression import LinearRegression
from ...statistics.bins import quantiles
from ..ranker import Ranker
from ..search_options import METHODS
from ..subset_search import SubsetSearch
from .step import Step, listed, skipped

INFORMATION = ("mutual_information", "symmetric_uncertainty")  # scores of levels, not of numbers
BINS = 8  # of numbers, for those scores


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


def search_of(given: Any, task: str, cv: Any) -> SubsetSearch:
    """A search by the name of its method, or as it was given; one that has no model yet gets that of the task."""
    model = LinearDiscriminantAnalysis() if task == "classification" else LinearRegression()
    if isinstance(given, SubsetSearch):
        search = clone(given)
        return search.set_params(estimator=model) if search.estimator is None and search.criterion is None else search
    one_of(given, "search", METHODS)
    return SubsetSearch(given, model, k="parsimonious", cv=cv)


def ranked(
    options: Any, features: np.ndarray, y: np.ndarray, task: str, names: list[str]
) -> tuple[Ranker | None, np.ndarray, int, Step]:
    """The ranker, the features in its order, and how many of them go on."""
    count = len(names)
    if options.ranking is None or options.ranking is False:
        return None, np.arange(count), count, skipped("ranking")
    ranker, target = ranking_of(options.ranking, task, y)
    ranker.fit(features, target)
    order, scores = ranker.order_, ranker.scores_
    keep = count if options.keep is None else min(whole_number(options.keep, "keep", 1), count)
    best = ", ".join(f"{names[j]} {scores[j]:.3g}" for j in order[:3])
    what = f"by {ranker.chosen_score}: {best}; {keep} of {count} features go on"
    return ranker, order, keep, Step("ranking", what, {"scores": {names[j]: float(scores[j]) for j in order}})


def searched(
    options: Any, features: np.ndarray, y: np.ndarray, task: str, names: list[str], kept: np.ndarray
) -> tuple[SubsetSearch | None, np.ndarray, Step]:
    """The search among the kept features, and the numbers of those that it chose."""
    if options.search is None or options.search is False:
        return None, kept, skipped("subset")
    search = search_of(options.search, task, options.cv).fit(features[:, kept], y)
    subset = kept[search.subset_]
    what = f"{search.method}: {listed([names[j] for j in subset])}; J {search.score_:.4g}, optimistic"
    return search, subset, Step("subset", what, {"score": search.score_, "evaluations": search.evaluations_})
