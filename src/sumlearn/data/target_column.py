"""A column of a table as a target or as weights."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from ..statistics import RowError
from .column_values import numbers_of
from .target import Target, check_labels


def target_of(values: Any, name: str, target: Target | str | None) -> np.ndarray:
    """A column of a table as a target: numbers, or labels; none is missing unless the target is partly known."""
    target = Target.named(target)
    if target.kind == "number":
        return numeric_column(values, name)
    missing = values.is_null().to_numpy()
    if missing.any() and target.partly:
        labels = np.array(values.to_list(), dtype=object)
        labels[missing] = None
        return labels
    if missing.any():
        raise ValueError(f"Input y contains NaN: first at row {int(np.argmax(missing))}, column {name!r}.")
    if values.dtype.is_numeric() or values.dtype == nw.Boolean:
        return values.to_numpy()
    labels = values.to_list()
    if values.dtype in (nw.Object, nw.String):
        check_labels(labels, f"column {name!r}")
    return np.array(labels) if values.dtype == nw.Object else np.array([str(label) for label in labels])


def numeric_column(values: Any, name: str) -> np.ndarray:
    """A column of numbers, NaN where one is missing."""
    try:
        return numbers_of(values, 0)
    except RowError as error:
        raise ValueError(error.describe(error.row, name)) from None
