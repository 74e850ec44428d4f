"""Edges of bins: quantiles from a first look at the rows, or given beforehand."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from ..data import Source
from ..engines.sampling import sample_of
from ..statistics.bins import given_edges, quantile_edges
from ..statistics.level_sums import MOST_LEVELS

MOST_NUMBERS = 2**23  # that are kept of a table to find quantiles: 64 MiB


def edges_of(bins: Any, source: Source) -> np.ndarray | None:
    """None for levels; quantiles for a number of bins; edges that are given as an array or a list for each column."""
    if bins is None:
        return None
    if isinstance(bins, bool | np.bool_ | str) or (np.ndim(bins) == 0 and not isinstance(bins, int | np.integer)):
        raise ValueError(f"bins must be a whole number, edges for each column, or None, got {bins!r}")
    if isinstance(bins, int | np.integer):
        if not 2 <= bins <= MOST_LEVELS:
            raise ValueError(f"bins must be between 2 and {MOST_LEVELS}, got {bins}")
        sample = sample_of(source, max(1, MOST_NUMBERS // source.features))
        rows = sample.X.toarray() if sparse.issparse(sample.X) else sample.X
        return quantile_edges(rows.astype(np.float64), sample.weight, int(bins))
    return given_edges(bins, source.features)
