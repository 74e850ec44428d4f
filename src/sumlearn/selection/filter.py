"""What the selectors on sums share: columns as levels or in bins, and the columns that are selected."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.feature_selection import SelectorMixin

from ..data import Chunk, Source
from ..data.files import is_path
from ..learners.learner import OnePass
from ..learners.validation import plain_source
from ..statistics import LevelCounts
from ..statistics.level_sums import LevelError
from .binning import edges_of


class Filter(SelectorMixin, OnePass):
    """A selector of features on sums, whose columns may be levels or are put into bins (`bins`).

    Edges that were taken from the rows stay with the counts; later rows, and models to be added, use the same.
    """

    bins: Any
    _edges: np.ndarray | None

    def open_table(
        self, X: Any, y: Any, weight: Any, *, reset: bool, empty_ok: bool = False, left_out: Sequence[str] = ()
    ) -> Source:
        """The source, and the edges of its bins; called wherever rows are opened."""
        self.check()
        source = plain_source(
            self, X, y, weight, target=self.target, reset=reset, empty_ok=empty_ok, left_out=left_out
        )
        if reset:
            self._edges = edges_of(self.bins, source) if self.counts_levels else None
        else:
            self._edges = getattr(self.statistic_, "edges", None)
        return source

    @abstractmethod
    def check(self) -> None:
        """Refuse parameters that make no sense, whatever the rows are."""

    def transform(self, X: Any) -> Any:
        """The selected columns of X."""
        rows = self.rows_of(X, sparse_ok=True)  # names the first value that is no number
        return self._transform(rows) if is_path(X) else super().transform(X)

    @property
    def counts_levels(self) -> bool:
        """Whether the statistic is one of levels."""
        return True

    @property
    def adds_up(self) -> bool:
        """Whether the model of some rows is a sum over them: edges that are taken from the rows are none."""
        return not isinstance(self.bins, int | np.integer)

    def levels_of(self, chunk: Chunk, form: Any) -> LevelCounts:
        """The counts of some rows."""
        try:
            return LevelCounts.of(chunk.X, chunk.y, chunk.weight, form=form, edges=self._edges)
        except LevelError as error:
            names = None if chunk.columns is None else chunk.columns.names
            raise ValueError(error.describe(error.column if names is None else names[error.column])) from None
