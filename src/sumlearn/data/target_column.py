"""A column of a table, or what comes as y, as a target or as weights."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from ..statistics import RowError
from ..statistics.warnings import warn
from .column_values import numbers_of
from .source import vector
from .target import LABELS, Target, check_labels, partly_labelled


def target_of(values: Any, name: str, target: Target | str | None) -> np.ndarray:
    """A column of a table as a target: numbers, or labels; none is missing unless the target is partly known."""
    target = Target.named(target)
    if target.kind == "number":
        return numeric_column(values, name)
    missing = values.is_null().to_numpy()
    if missing.any() and target.partly:
        labels = np.array(values.to_list(), dtype=object)
        labels[missing] = None
        return partly_labelled(labels, f"column {name!r}")
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


def partly_known_target(y: Any) -> np.ndarray:
    """Labels as a vector, of which some may be missing; see `data.target.partly_labelled`."""
    scalars = tuple(kind for kinds in LABELS.values() for kind in kinds)
    if isinstance(y, list | tuple) and all(label is None or isinstance(label, scalars) for label in y):
        values: np.ndarray = np.empty(len(y), dtype=object)  # as an array they might all be text
        values[:] = y
    elif nw.dependencies.is_into_series(y) and (series := nw.from_native(y, series_only=True)).null_count():
        values = np.array(series.to_list(), dtype=object)  # NumPy would make floats of whole numbers
    else:
        values = vector(y)
    if values.ndim == 2 and values.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        warn("A column-vector y was passed when a 1d array was expected; use ravel().", DataConversionWarning)
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {values.shape} instead.")
    if values.dtype.kind == "c":
        raise ValueError("Complex data not supported: y")
    return partly_labelled(values)
