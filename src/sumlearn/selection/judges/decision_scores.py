"""What decisions are worth: areas under ROC curves, and costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiled.roc import areas_of_sorted


def cost_table(costs: Any, classes: int) -> np.ndarray:
    """costs[true, decided], from a matrix, from the costs of false acceptance and rejection, or from nothing."""
    if costs is None:
        return 1.0 - np.eye(classes)
    table = np.asarray(costs, dtype=float)
    if table.shape == (2,) and classes == 2:
        table = np.array([[0.0, table[0]], [table[1], 0.0]])
    if table.shape != (classes, classes):
        raise ValueError(f"costs must have one row and one column for each of {classes} classes, got {table.shape}")
    if not np.isfinite(table).all():
        raise ValueError("costs must be finite")
    return table


def areas(scores: np.ndarray, accepted: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Area under the ROC curve for each column of scores: P(score of the second class > first) + P(equal) / 2."""
    out = np.empty(scores.shape[1])
    if (weight == 1.0).all():  # values can be sorted without their rows
        columns = np.ascontiguousarray(scores.T)
        areas_of_sorted(np.sort(columns[:, accepted]), np.sort(columns[:, ~accepted]), out)
        return out
    for j, column in enumerate(scores.T):
        negative = column[~accepted]
        order = np.argsort(negative)
        below = np.concatenate([[0.0], np.cumsum(weight[~accepted][order])])
        low, high = (np.searchsorted(negative[order], column[accepted], side=side) for side in ("left", "right"))
        out[j] = weight[accepted] @ (below[low] + below[high]) / 2.0
    return out / (weight[accepted].sum() * weight[~accepted].sum())
