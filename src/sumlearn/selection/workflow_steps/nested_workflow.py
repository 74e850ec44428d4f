"""The honest score of a workflow: all its steps inside every outer fold."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring

from ...evaluation.outer_loop import ScoredFold, outer_loop, outer_splits
from ..nested_scores import ChosenColumns, NestedScore


def nested(workflow: Any, X: np.ndarray, y: np.ndarray, cv: Any, scoring: Any) -> NestedScore:
    """Fit a workflow without each fold in turn, and score it there; its task is given."""
    scorer = check_scoring(workflow, scoring=scoring)
    outer = outer_splits(workflow, X, y, None, cv)

    def choose(train: np.ndarray) -> Any:
        return clone(workflow).fit(X[train], y[train])

    def score(fitted: Any, train: np.ndarray, test: np.ndarray) -> tuple[ScoredFold[ChosenColumns], int]:
        chosen = ChosenColumns(fitted.subset_, fitted.score_)
        return ScoredFold(chosen, float(scorer(fitted, X[test], y[test]))), len(fitted.all_features_)

    folds = outer_loop(outer, choose, score)
    return NestedScore.of([fold for fold, _ in folds], outer, folds[0][1])
