"""Whether the arrays of a tree fit together: a file could say anything, and compiled walks trust them."""

from __future__ import annotations

from typing import Any

import numpy as np

WHOLE = ("feature", "first", "branches", "place", "width", "side", "gap", "n_node_samples")
NUMBERS = ("threshold", "impurity", "weighted_n_node_samples")


def fits_together(tree: Any) -> bool:
    """Whether every walk from the root ends at a leaf, every question is about a column, every value is a number."""
    arrays = [getattr(tree, name) for name in (*WHOLE, *NUMBERS)]
    if not all(isinstance(array, np.ndarray) and array.ndim == 1 for array in arrays):
        return False
    if not all(array.dtype == (np.int64 if k < len(WHOLE) else np.float64) for k, array in enumerate(arrays)):
        return False
    if not isinstance(tree.n_features, int | np.integer) or not isinstance(tree.value, np.ndarray):
        return False
    nodes = len(tree.feature)
    of_nodes = (tree.threshold, tree.place, tree.width, tree.gap, tree.n_node_samples, *map(tree.__dict__.get, NUMBERS))
    if not nodes or any(len(array) != nodes for array in of_nodes) or len(tree.first) != nodes + 1:
        return False
    finite = tree.value.dtype == np.float64 and np.isfinite(tree.value).all() and np.isfinite(tree.impurity).all()
    masses = tree.weighted_n_node_samples
    if tree.value.ndim != 3 or len(tree.value) != nodes or not finite or not ((masses >= 0) & (masses < np.inf)).all():
        return False
    counts = np.diff(tree.first)
    if tree.first[0] != 0 or (counts < 0).any() or not tree.first[-1] == len(tree.branches) == nodes - 1:
        return False
    above = np.repeat(np.arange(nodes), counts)
    if not np.array_equal(np.sort(tree.branches), np.arange(1, nodes)) or not (tree.branches > above).all():
        return False
    return questions_fit(tree, counts)


def questions_fit(tree: Any, counts: np.ndarray) -> bool:
    """Whether what inner nodes ask about is there, and all their answers lead to a branch."""
    inner = np.flatnonzero(counts)
    feature, gap, place, width = (getattr(tree, name)[inner] for name in ("feature", "gap", "place", "width"))
    numbers = place < 0
    if not ((feature >= 0) & (feature < tree.n_features) & (gap >= -1) & (gap < counts[inner])).all():
        return False
    if (counts[inner][numbers] != 2).any() or np.isnan(tree.threshold[inner][numbers]).any():
        return False
    place, width, most = place[~numbers], width[~numbers], counts[inner][~numbers]
    if (width < 0).any() or (width > len(tree.side)).any() or (place > len(tree.side) - width).any():
        return False
    return all(
        (tree.side[start : start + size] < branches).all() and (tree.side[start : start + size] >= -1).all()
        for start, size, branches in zip(place, width, most, strict=True)
    )
