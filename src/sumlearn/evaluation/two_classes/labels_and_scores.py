"""Labels and scores of a two-class problem, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data import vector
from ...statistics import RowError

EXACT_INTEGERS = 2**53  # beyond, float64 makes ties of different numbers


def labels_of(y: Any, name: str = "y_true") -> np.ndarray:
    """Labels as a one-dimensional array without missing values."""
    labels = vector(y, name)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {labels.shape}")
    if labels.dtype.kind in "fO":
        missing = (
            np.isnan(labels) if labels.dtype.kind == "f" else np.array([is_missing(v) for v in labels], dtype=bool)
        )
        if missing.any():
            raise RowError(name, int(np.argmax(missing)), None, np.nan)
    return labels


def is_missing(label: Any) -> bool:
    """None, NaN, NaT, or pandas' NA, which will not say whether it equals itself."""
    try:
        return label is None or bool(label != label)
    except TypeError:
        return True


def two_labels(labels: np.ndarray) -> list[Any]:
    """The labels that occur, smallest first, where they are one or two; present by comparing, without a sort."""
    if not len(labels):
        raise ValueError("y_true has no rows")
    others = labels != labels[0]
    present = [labels[0]]
    if others.any():
        present.append(labels[int(np.argmax(others))])
        third = others & (labels != present[1])
        if third.any():
            row = int(np.argmax(third))
            raise ValueError(
                f"y_true holds more than two labels, the third, {as_python(labels[row])!r}, first at row {row}: say "
                "with positive= which of them is to be told from all others"
            )
    return sorted(present)


def split_classes(y_true: Any, positive: Any = None) -> tuple[np.ndarray, Any]:
    """Which rows are positive, and the positive label: the greater of two unless given."""
    labels = labels_of(y_true)
    if positive is None:
        present = two_labels(labels)
        if len(present) == 1:
            raise ValueError(f"y_true holds one class only, {as_python(present[0])!r}: there is nothing to tell apart")
        positive = present[1]
    accepted, positive = np.asarray(labels == positive), as_python(positive)
    if accepted.shape != labels.shape or not accepted.any():
        raise ValueError(f"positive label {positive!r} does not occur in y_true")
    if accepted.all():
        raise ValueError(f"y_true holds one class only, {positive!r}: there is nothing to tell apart")
    return accepted, positive


def as_python(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def scores_of(score: Any, rows: int, name: str = "score") -> np.ndarray:
    """Scores as a contiguous array of float32 or float64, one for each row. Values are not scanned."""
    values = vector(score, name)
    if values.dtype.kind not in "fiub":
        raise TypeError(f"{name} must hold real numbers, got dtype {values.dtype}")
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.shape != (rows,):
        raise ValueError(f"{name} has shape {values.shape}, y_true has {rows} rows")
    if values.dtype.kind in "iu" and values.itemsize == 8 and rows:
        large = max(int(values.max()), -int(values.min()))
        if large > EXACT_INTEGERS:
            raise ValueError(f"{name} holds whole numbers up to {large}: beyond 2**53 they would become ties")
    kind = values.dtype if values.dtype in (np.float32, np.float64) else np.dtype(float)
    return np.ascontiguousarray(values, dtype=kind.newbyteorder("="))
