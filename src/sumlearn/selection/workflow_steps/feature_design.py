"""Steps 2 to 6 on some rows: the features that they are given, their order, and the rows that are set aside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ranker import Ranker
from .choosing import ranked
from .column_expansion import ColumnExpansion
from .outliers import set_aside
from .step import Step
from .workflow_rows import WorkflowRows


@dataclass(frozen=True, eq=False)
class FeatureDesign:
    """What was learnt from some rows.

    Attributes
    ----------
    expansion : ColumnExpansion
    ranker : Ranker or None
    kept : array
        Numbers of the features that go on, ascending.
    own : int
        The first so many features are the table's own columns.
    aside : array
        Numbers of the rows that are set aside.
    inside : WorkflowRows
        All features of the other rows.
    steps : list of Step
    """

    expansion: ColumnExpansion
    ranker: Ranker | None
    kept: np.ndarray
    own: int
    aside: np.ndarray
    inside: WorkflowRows
    steps: list[Step]

    def at(self, rows: np.ndarray, subset: np.ndarray) -> np.ndarray:
        """Some features of other rows."""
        return self.expansion.transform(rows)[:, subset]


def designed(options: Any, rows: WorkflowRows, columns: list[str]) -> FeatureDesign:
    """Carry out steps 2 to 6; `columns` are the names of those of the table."""
    expansion = ColumnExpansion(options.normalise, options.products, options.combinations, options.n_combinations)
    made = rows.seen_as(expansion.fit(rows.X, rows.y, columns, rows.task, rows.weight).transform(rows.X))
    ranker, order, keep, ranking = ranked(options, made, expansion.names)
    aside, outlying = set_aside(options, made.X, rows.y, rows.task, order[order < len(columns)], columns)
    inside = made.take(np.setdiff1d(np.arange(len(rows.y)), aside))
    steps = [*expansion.steps, ranking, outlying]
    return FeatureDesign(expansion, ranker, np.sort(order[:keep]), len(columns), aside, inside, steps)
