"""An honest score of a search: the whole of it is repeated inside every outer fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, count
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from ..evaluation.outer_loop import (
    ScoredFold,
    expected_score,
    outer_loop,
    outer_splits,
    rows_to_split,
    weights_of_rows,
)
from ..evaluation.resampling.scoring import score_limits
from ..evaluation.resampling.splits import Split
from .judging import LONG, default_estimator
from .subset_search import SubsetSearch
from .target_kinds import estimator_for


class ChosenColumns(NamedTuple):
    """Columns chosen without an outer fold, and the score that chose them; None of a selector that has none."""

    subset: np.ndarray
    inner_score: float | None


@dataclass(frozen=True, eq=False)
class NestedScore:
    """The outcome of `nested_score`.

    Attributes
    ----------
    scores : array (folds,)
        Of the model on the subset that was chosen without a fold, on that fold.
    subsets : list of arrays
        The subset chosen in every outer fold.
    inner_scores : array (folds,)
        The scores that chose them; too kind. Empty for a selector that has none.
    score : float
        Mean of `scores`: what to expect of search and model on new rows.
    interval : (float, float)
        95 % interval of that mean, by the corrected resampled t-test; it ends at the limit of the score, where known.
    stability : float
        Mean Jaccard index |S & T| / |S + T| of the subsets of two folds: 1 if all folds choose the same.
    counts : array (features,)
        How many folds have chosen each column.

    Examples
    --------
    >>> from sumlearn.data import load_example
    >>> from sumlearn.selection import SubsetSearch, nested_score
    >>> iris = load_example("iris")
    >>> honest = nested_score(SubsetSearch("sfs", k=2), iris.X, iris.y)
    >>> print(honest)
    honest score 0.9667, 95% interval 0.9046 to 1.0000; the search itself says 0.9667
    stability of the subsets: 0.433
    >>> honest.counts.tolist()
    [2, 3, 1, 4]
    """

    scores: np.ndarray
    subsets: list[np.ndarray]
    inner_scores: np.ndarray
    score: float
    interval: tuple[float, float]
    stability: float
    counts: np.ndarray

    @classmethod
    def of(
        cls, folds: Sequence[ScoredFold[ChosenColumns]], splits: Sequence[Split], features: int, limits: Any
    ) -> NestedScore:
        """The outer folds of a search among so many columns, summed up; `limits` are those of the score."""
        expected = expected_score(folds, splits)
        subsets = [fold.choice.subset for fold in folds]
        inner = [fold.choice.inner_score for fold in folds if fold.choice.inner_score is not None]
        return cls(
            np.array([fold.score for fold in folds]),
            subsets,
            np.array(inner),
            expected.mean,
            expected.interval(limits=limits),
            jaccard(subsets),
            np.bincount(np.concatenate(subsets), minlength=features),
        )

    def __str__(self) -> str:
        low, high = self.interval
        kind = f"; the search itself says {self.inner_scores.mean():.4f}" if len(self.inner_scores) else ""
        return (
            f"honest score {self.score:.4f}, 95% interval {low:.4f} to {high:.4f}{kind}\n"
            f"stability of the subsets: {self.stability:.3f}"
        )


def nested_score(
    search: Any,
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    cv: Any = 5,
    scoring: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
) -> NestedScore:
    """Repeat a search inside each outer fold and score the chosen subset's model on the rows left out.

        outer fold: search on the training rows, fit the model on the chosen columns, score the rows left out

    The J that a search ends with is the largest of many, so it is too good; even of a target that is pure noise. So are
    the scores of a ranker.

    Parameters
    ----------
    search : SubsetSearch, Ranker, FCBF, or another selector with `get_support`
    X, y : tables in memory; y may name a column of X
    estimator : estimator, default=None
        The model. None is that of the search; of a selector that has none, linear discriminants for labels and linear
        regression for numbers.
    cv : int or splitter, default=5
        Outer folds. The search has its own, inner ones.
    scoring : str, callable or None
        None is the criterion of the search where that is a score of a model, else the score of the estimator.
    groups : array or name of a column, default=None
        For splitters that keep groups together, outside and inside.
    sample_weight : array, default=None
        In searching, fitting and scoring.

    Returns
    -------
    NestedScore
        ``scores``, ``subsets``, ``inner_scores``, ``score``, ``interval``, ``stability``, ``counts``.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn.selection import SubsetSearch, nested_score
    >>> rng = np.random.default_rng(5)
    >>> X, noise = rng.standard_normal((80, 40)), rng.standard_normal(80)
    >>> search = SubsetSearch("sffs", criterion="r2").fit(X, noise)
    >>> honest = nested_score(SubsetSearch("sffs", criterion="r2"), X, noise)
    >>> bool(search.score_ > 0.1), bool(honest.score < 0.0)
    (True, True)
    >>> from sumlearn.selection import Ranker
    >>> bool(nested_score(Ranker("pearson", k=5), X, noise).score < 0.0)
    True

    References
    ----------
    Cawley & Talbot, "On over-fitting in model selection and subsequent selection bias in performance evaluation",
    2010; Nadeau & Bengio, "Inference for the generalization error", 2003; Kalousis, Prados & Hilario, "Stability of
    feature selection algorithms", 2007.
    """
    X, y, groups = rows_to_split("nested_score", X, y, groups)
    weights = partial(weights_of_rows, sample_weight)
    criterion = getattr(search, "criterion", None)
    model = model_of(search, X, y) if estimator is None else estimator
    scoring = model_score(criterion) if scoring is None else scoring
    scorer = check_scoring(model, scoring=scoring)
    outer = outer_splits(model, X, y, groups, cv)
    numbers = count()

    def choose(train: np.ndarray) -> ChosenColumns:
        number = next(numbers)
        grouped = {} if groups is None or not has_fit_parameter(search, "groups") else {"groups": groups[train]}
        done = clone(search).fit(_safe_indexing(X, train), y[train], **grouped, **weights(train))
        subset = done.get_support(indices=True)
        if not len(subset):
            raise ValueError(f"without outer fold {number}, {type(search).__name__} chooses no column")
        return ChosenColumns(subset, getattr(done, "score_", None))

    def score(chosen: ChosenColumns, train: np.ndarray, test: np.ndarray) -> ScoredFold[ChosenColumns]:
        columns = _safe_indexing(X, chosen.subset, axis=1)
        fitted = clone(model).fit(_safe_indexing(columns, train), y[train], **weights(train))
        return ScoredFold(chosen, float(scorer(fitted, _safe_indexing(columns, test), y[test], **weights(test))))

    return NestedScore.of(outer_loop(outer, choose, score), outer, X.shape[1], score_limits(scoring, model))


def model_of(search: Any, X: Any, y: Any) -> Any:
    """The estimator of a search; a ranker's is the name of a way to rank."""
    if not isinstance(search, SubsetSearch):
        return estimator_for(X, y)
    return search.estimator if search.estimator is not None else default_estimator(search.criterion, X, y)


def model_score(criterion: Any) -> Any:
    """The criterion where it is a score of a model on rows, else None."""
    from sklearn.metrics import get_scorer_names

    name = LONG.get(criterion, criterion) if isinstance(criterion, str) else None
    return name if name in get_scorer_names() else None


def jaccard(subsets: list[np.ndarray]) -> float:
    """Mean of |S & T| / |S + T| over all pairs.

    >>> jaccard([np.array([0, 1]), np.array([1, 2]), np.array([0, 1])])
    0.555
    """
    pairs = [len(np.intersect1d(a, b)) / len(np.union1d(a, b)) for a, b in combinations(subsets, 2)]
    return float(np.mean(pairs))
