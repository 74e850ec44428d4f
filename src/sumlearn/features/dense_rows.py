"""Rows that come in: scikit-learn's protocol, and errors that name argument, column and row."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.utils.validation import validate_data

from ..data.source import is_frame, open_source
from ..statistics import RowError
from ..statistics.row_checks import raise_if_not_finite


def dense_rows(estimator: Any, X: Any, *, reset: bool) -> np.ndarray:
    """X as finite float32 or float64; sets (``reset=True``) or checks names and number of the columns."""
    if sparse.issparse(X):
        raise TypeError(
            f"Sparse data was passed for X, but {type(estimator).__name__} gives dense columns: use X.toarray()"
        )
    if is_frame(X):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        if not X.shape[0]:
            raise ValueError(f"Found array with 0 sample(s) (shape={tuple(X.shape)}) while a minimum of 1 is required.")
    else:
        X = validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite=False)
        if X.dtype.kind not in "fiubO":
            raise ValueError(f"dtype='numeric' is not compatible with arrays of bytes/strings: X has dtype {X.dtype}")
    source = open_source(X)
    rows = np.asarray(source.read(slice(0, source.rows)), dtype=source.dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        finite = np.isfinite(rows.sum())
    if not finite:
        try:
            raise_if_not_finite(rows)
        except RowError as error:
            raise ValueError(error.describe(error.row, column_name(estimator, error.column))) from None
    return rows


def column_name(estimator: Any, column: int | None) -> Any:
    names = getattr(estimator, "feature_names_in_", None)
    return column if names is None or column is None else str(names[column])
