"""Shares of the classes among the rows learnt."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data import Chunk
from ...learners import Fitted, OnePass
from ...statistics import ClassTotals


class ClassShares(OnePass):
    """What the rows of each class weigh.

    Statistic: ClassTotals without columns. One pass. Can merge, forget, decay.

    >>> ClassShares().fit([[0.0], [0.0], [0.0], [0.0]], ["a", "b", "b", "b"]).weights_.tolist()
    [1.0, 3.0]
    """

    target, statistic_type = "label", ClassTotals
    takes_gaps = True  # columns are not looked at

    classes_ = Fitted("Labels, sorted.")
    weights_ = Fitted("What the rows of each class weigh.")

    def summarise(self, chunk: Chunk, look: Any = None) -> ClassTotals:
        return ClassTotals.of(np.zeros((chunk.X.shape[0], 0)), chunk.y, chunk.weight)

    def solution(self, statistic: ClassTotals) -> dict[str, Any]:
        fixed = vars(self).get("_classes")
        classes = np.array(statistic.labels) if fixed is None else fixed
        weights = dict(zip(statistic.labels, statistic.classes, strict=True))
        return {"classes_": classes, "weights_": np.array([weights.get(label, 0.0) for label in classes.tolist()])}
