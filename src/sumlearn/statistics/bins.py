"""Edges of bins: quantiles of weighted values, and edges that are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from .level_sums import MOST_LEVELS, are_words

LEVELS = np.array([-np.inf])  # instead of edges: the values are levels


def quantile_edges(X: np.ndarray, weight: np.ndarray | None, bins: int) -> np.ndarray:
    """Edges between bins of about equal weight for every column: a matrix filled up with infinity.

    A column of words has no bins: its row is -infinity.
    """
    mass = np.ones(len(X)) if weight is None else weight
    return padded([LEVELS if are_words(column[:1]).all() else quantiles(column, mass, bins) for column in X.T])


def given_edges(bins: Any, columns: int) -> np.ndarray:
    """Edges that are given as an array or a list for each column, checked."""
    edges = [np.asarray(row, dtype=float) for row in bins]
    if len(edges) != columns:
        raise ValueError(f"bins has edges for {len(edges)} columns, X has {columns} features")
    for j, row in enumerate(edges):
        row = row[np.isfinite(row)] if row.ndim == 1 else row
        if row.ndim != 1 or len(row) >= MOST_LEVELS or (np.diff(row) <= 0).any() or np.isnan(edges[j]).any():
            raise ValueError(f"the edges in bins of column {j} must be fewer than {MOST_LEVELS} ascending numbers")
    return padded([LEVELS if np.isneginf(row).all() and len(row) else row[np.isfinite(row)] for row in edges])


def padded(rows: list[np.ndarray]) -> np.ndarray:
    """Rows of different lengths as a matrix, filled with infinity."""
    out = np.full((len(rows), max(map(len, rows), default=0)), np.inf)
    for j, row in enumerate(rows):
        out[j, : len(row)] = row
        out[j] = -np.inf if row is LEVELS else out[j]
    return out


def quantiles(column: np.ndarray, weight: np.ndarray, bins: int) -> np.ndarray:
    """Edges between bins of about equal weight; few values stay apart, each in a bin of its own.

    >>> quantiles(np.array([3.0, 1.0, 2.0, 4.0]), np.ones(4), 2).tolist()
    [3.0]
    >>> quantiles(np.array([0.0, 1.0, 1.0, 1.0]), np.ones(4), 4).tolist()
    [1.0]
    """
    order = np.argsort(column, kind="stable")
    values = column[order]
    return values[quantile_places(values, np.cumsum(weight[order]), bins)]


def quantile_places(values: np.ndarray, below: np.ndarray, bins: int) -> np.ndarray:
    """Where bins of about equal weight begin in sorted values, but the first one; `below` is the weight up to each.

    >>> quantile_places(np.array([1.0, 2.0, 2.0, 4.0]), np.arange(1.0, 5.0), 2).tolist()
    [3]
    """
    first = np.concatenate([[0], 1 + np.flatnonzero(values[1:] > values[:-1])])
    if len(first) <= bins:
        return first[1:]
    share = np.concatenate([[0.0], below])[first] / below[-1]  # of the rows below each value
    wanted = np.arange(1, bins) / bins
    chosen = np.unique(np.minimum(np.searchsorted(share, wanted - 1e-12), len(first) - 1))
    return first[chosen[chosen > 0]]
