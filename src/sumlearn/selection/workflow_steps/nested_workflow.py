"""The honest score of a workflow: all its steps inside every outer fold."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring

from ...evaluation.outer_loop import ScoredFold, outer_loop, outer_splits
from ...evaluation.resampling.scoring import score_limits
from ..nested_scores import ChosenColumns, NestedScore
from .workflow_rows import WorkflowRows


def nested(workflow: Any, rows: WorkflowRows, cv: Any, scoring: Any) -> NestedScore:
    """Fit a workflow without each fold in turn, and score it there; its task is given."""
    scorer = check_scoring(workflow, scoring=scoring)
    outer = outer_splits(workflow, rows.X, rows.y, None, cv)

    def choose(train: np.ndarray) -> Any:
        return rows.take(train).fit(clone(workflow))

    def score(fitted: Any, train: np.ndarray, test: np.ndarray) -> tuple[ScoredFold[ChosenColumns], int]:
        chosen, held = ChosenColumns(fitted.subset_, fitted.score_), rows.take(test)
        weights = {} if held.weight is None else {"sample_weight": held.weight}
        return ScoredFold(chosen, float(scorer(fitted, held.X, held.y, **weights))), len(fitted.all_features_)

    folds = outer_loop(outer, choose, score)
    return NestedScore.of([fold for fold, _ in folds], outer, folds[0][1], score_limits(scoring, workflow))
