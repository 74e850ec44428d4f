"""The honest score of a workflow: all its steps inside every outer fold."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring

from ...evaluation.comparison.corrected_test import corrected_t_test
from ...evaluation.resampling.splits import splits_of
from ..nested import NestedScore, jaccard


def nested(workflow: Any, X: np.ndarray, y: np.ndarray, cv: Any, scoring: Any) -> NestedScore:
    """Fit a workflow without each fold in turn, and score it there; its task is given."""
    scorer = check_scoring(workflow, scoring=scoring)
    outer = splits_of(workflow, X, y, None, cv)
    if len(outer) < 2:
        raise ValueError(f"cv makes {len(outer)} split: an interval needs at least two")
    fitted = [clone(workflow).fit(X[train], y[train]) for train, _ in outer]
    scores = np.array([float(scorer(found, X[test], y[test])) for found, (_, test) in zip(fitted, outer, strict=True)])
    outcome = corrected_t_test(scores, *np.array([(len(train), len(test)) for train, test in outer]).T)
    subsets = [found.subset_ for found in fitted]
    counts = np.bincount(np.concatenate(subsets), minlength=len(fitted[0].all_features_))
    inner = np.array([found.score_ for found in fitted])
    return NestedScore(scores, subsets, inner, outcome.mean, outcome.interval(), jaccard(subsets), counts)
