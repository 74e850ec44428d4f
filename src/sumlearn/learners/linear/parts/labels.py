"""Labels of rows that are read one chunk after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....engines.summing import NO_WEIGHT
from ...ordered_rows import OrderedRows


def label_counts(rows: OrderedRows) -> tuple[np.ndarray, np.ndarray]:
    """The labels, sorted, and how many rows bear each."""
    pairs = [np.unique(np.asarray(chunk.y), return_counts=True) for chunk, _ in rows if chunk.X.shape[0]]
    if not pairs:
        raise ValueError(NO_WEIGHT)
    labels, place = np.unique(np.concatenate([found for found, _ in pairs]), return_inverse=True)
    return labels, np.bincount(place.reshape(-1), np.concatenate([count for _, count in pairs]))


def fixed_classes(known: np.ndarray | None, classes: Any) -> np.ndarray:
    """The labels that were fixed at the first call."""
    if classes is None:
        if known is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        return known
    classes = np.unique(np.asarray(classes))
    if known is not None and not np.array_equal(known, classes):
        raise ValueError(
            f"`classes={classes.tolist()}` is not the same as on last call to partial_fit, was: {known.tolist()}"
        )
    return classes
