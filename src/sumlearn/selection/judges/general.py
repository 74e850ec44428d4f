"""Any estimator on subsets of the features: refitted from sums where it adds up, else from rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from ...data import InMemory, open_source
from ...engines import fold_sums, one_blas_thread
from ...evaluation.resampling.scoring import score_all, scorers_of
from ...evaluation.resampling.splits import Split
from .judge import Judge, JudgesFolds, Subset


class CrossValidated(JudgesFolds, Judge):
    """J(S) = mean over the splits of the score on the rows left out."""

    def score(self, subset: Subset) -> float:
        """The mean score; -inf without any column."""
        return float(np.mean(self.fold_scores(subset))) if subset else -np.inf

    @abstractmethod
    def fold_scores(self, subset: Subset) -> np.ndarray:
        """The score of every split."""


class RefitJudge(CrossValidated):
    """Any estimator of scikit-learn's kind: a fit for every split and subset. This is what wrappers cost elsewhere.

    Parameters
    ----------
    estimator : estimator
    X, y, weight : rows in memory; weights are used in fitting and in scoring
    splits : list of (train, test)
    scorer : function (estimator, X, y) -> float

    Examples
    --------
    >>> from sklearn.metrics import get_scorer
    >>> from sklearn.model_selection import KFold
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> splits = list(KFold(5, shuffle=True, random_state=0).split(iris.X))
    >>> judge = RefitJudge(KNeighborsClassifier(), iris.X, iris.y, splits, get_scorer("accuracy"))
    >>> judge.with_each((3,), [0, 1, 2]).round(3).tolist()
    [0.96, 0.953, 0.967]
    """

    def __init__(
        self, estimator: Any, X: Any, y: np.ndarray, splits: Sequence[Split], scorer: Any, weight: Any = None
    ) -> None:
        self.estimator, self.X, self.y, self.weight = estimator, X, y, weight
        self.splits, self.scorer, self.size = splits, scorer, X.shape[1]

    def fold_scores(self, subset: Subset) -> np.ndarray:
        X = _safe_indexing(self.X, list(subset), axis=1)
        return np.array([self.scored(X, *split) for split in self.splits])

    def scored(self, X: Any, train: np.ndarray, test: np.ndarray) -> float:
        model = clone(self.estimator).fit(_safe_indexing(X, train), self.y[train], **self.weights(train))
        return float(self.scorer(model, _safe_indexing(X, test), self.y[test], **self.weights(test)))

    def weights(self, rows: np.ndarray) -> dict[str, Any]:
        return {} if self.weight is None else {"sample_weight": self.weight[rows]}


class RestrictedSumsJudge(CrossValidated):
    """Any one-pass learner: the sums of the splits are there, a subset is cut out of them and solved.

    Statistic: the learner's own, for every group of rows that share their role in all splits. One pass; rows left out
    are kept for scores that need them.
    """

    def __init__(self, estimator: Any, source: InMemory, splits: Sequence[Split], scoring: Any) -> None:
        self.estimator, self.source, self.splits, self.size = estimator, source, splits, source.features
        self.scorers = scorers_of(estimator, scoring)
        self.train: list[Any] = [None] * len(splits)
        self.test: list[Any] = [None] * len(splits)
        probe = clone(estimator)
        for fold in fold_sums(probe.summariser(), source, splits, factor=estimator.chunk_factor):
            self.train[fold.number], self.test[fold.number] = fold.train, fold.test()
        for number, (train, test) in enumerate(zip(self.train, self.test, strict=True)):
            if train.weight == 0 or test.weight == 0:
                raise ValueError(f"sample_weight is zero for all rows to train on or to test on in split {number}")

    def fold_scores(self, subset: Subset) -> np.ndarray:
        with one_blas_thread():
            return np.array([self.scored(number, list(subset)) for number in range(len(self.splits))])

    def scored(self, number: int, columns: list[int]) -> float:
        cut = self.estimator.parameters_on(np.array(columns), self.size) or {}
        model = clone(self.estimator).set_params(**cut).solve(self.train[number].restrict(columns))
        held = self.test[number].restrict(columns)
        return score_all(self.scorers, model, held, partial(self.rows, self.splits[number][1], columns))["score"]

    def rows(self, test: np.ndarray, columns: list[int]) -> tuple[InMemory, np.ndarray]:
        """The rows left out, cut to the columns."""
        y, weight = self.source.y, self.source.weight
        cut = open_source(
            self.source.read(test)[:, columns], None if y is None else y[test], None if weight is None else weight[test]
        )
        return cut, np.arange(len(test))


class FunctionJudge(Judge):
    """A plain function of the columns.

    Parameters
    ----------
    function : function (tuple of column numbers) -> float, larger is better
    size : int
        Number of columns.
    """

    def __init__(self, function: Any, size: int) -> None:
        self.function, self.size = function, size

    def score(self, subset: Subset) -> float:
        return float(self.function(subset))
