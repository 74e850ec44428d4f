"""What the selectors on sums share: columns as levels or in bins, and the columns that are selected."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.feature_selection import SelectorMixin

from ..data import Chunk
from ..data.files import is_path
from ..learners.validation import file_source, word_columns
from ..statistics import LevelCounts
from ..statistics.bins import given_edges
from ..statistics.level_sums import LevelError, are_words


class FilterMixin(SelectorMixin):
    """A selector of features, whose columns may be levels or are put into bins (`bins`); for learners on sums."""

    rows_of: Any  # of the learner
    bins: Any

    def parameters_on(self, columns: np.ndarray, features: int) -> dict[str, Any] | None:
        given = self.bins is not None and not looks_for_edges(self.bins)
        return {"bins": [self.bins[j] for j in columns]} if given else None

    def transform(self, X: Any) -> Any:
        """The selected columns of X."""
        rows = self.rows_of(X, sparse_ok=True)  # names the first value that is no number
        if not is_path(X):
            return super().transform(X)
        return values_of_files(self, X) if word_columns(self) else self._transform(rows)


def values_of_files(model: Any, X: Any) -> np.ndarray:
    """The selected columns of files: words as they are written, beside numbers."""
    parts = list(file_source(model, X, None, None, None, reset=False).parts())
    names = np.asarray(model.feature_names_in_)[model.get_support()]
    columns = [[value for part in parts for value in part.table.column(name).to_pylist()] for name in names]
    return np.array(columns, dtype=object).reshape(len(names), -1).T


def looks_for_edges(bins: Any) -> bool:
    """Whether edges are taken from the rows."""
    return isinstance(bins, int | np.integer) and not isinstance(bins, bool)


def refuse_other_bins(model: Any, bins: Any, edges: np.ndarray | None) -> None:
    """Sums are those of their own edges: neither another number of bins nor other edges follow from them."""
    if bins is None or looks_for_edges(bins):
        fits = (bins is None) == (edges is None) and model.__dict__.get("_bins", bins) == bins
    else:
        fits = edges is not None and np.array_equal(given_edges(bins, len(edges)), edges)
    if not fits:
        raise ValueError("bins has changed since the sums were counted, and is no function of them: fit anew")


def levels_of(chunk: Chunk, edges: np.ndarray | None, form: Any) -> LevelCounts:
    """The counts of some rows; words have no place among the edges of numbers."""
    names = None if chunk.columns is None else chunk.columns.names
    if edges is not None and not sparse.issparse(chunk.X):
        words = are_words(chunk.X.min(axis=0, initial=0.0)) & ~np.isneginf(edges).any(axis=1)
        for j in np.flatnonzero(words)[:1]:
            raise ValueError(
                f"column {int(j) if names is None else names[j]!r} holds words, but bins has edges of numbers for it: "
                "give -inf instead of them, or fit anew"
            )
    try:
        return LevelCounts.of(chunk.X, chunk.y, chunk.weight, form=form, edges=edges)
    except LevelError as error:
        raise ValueError(error.describe(error.column if names is None else names[error.column])) from None
