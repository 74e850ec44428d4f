"""What the selectors on sums share: columns as levels or in bins, and the columns that are selected."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.feature_selection import SelectorMixin

from ..data import Chunk
from ..data.files import is_path
from ..statistics import LevelCounts
from ..statistics.level_sums import LevelError


class FilterMixin(SelectorMixin):
    """A selector of features, whose columns may be levels or are put into bins (`bins`); for learners on sums."""

    rows_of: Any  # of the learner

    def transform(self, X: Any) -> Any:
        """The selected columns of X."""
        rows = self.rows_of(X, sparse_ok=True)  # names the first value that is no number
        return self._transform(rows) if is_path(X) else super().transform(X)


def looks_for_edges(bins: Any) -> bool:
    """Whether edges are taken from the rows."""
    return isinstance(bins, int | np.integer) and not isinstance(bins, bool)


def levels_of(chunk: Chunk, edges: np.ndarray | None, form: Any) -> LevelCounts:
    """The counts of some rows."""
    try:
        return LevelCounts.of(chunk.X, chunk.y, chunk.weight, form=form, edges=edges)
    except LevelError as error:
        names = None if chunk.columns is None else chunk.columns.names
        raise ValueError(error.describe(error.column if names is None else names[error.column])) from None
