"""Sums of the rows of a sparse matrix that are not filled: zeros add nothing but their number."""

from __future__ import annotations

from typing import Any

import numpy as np

from .chunk_sums import fields_of
from .rounding import rounding_of_product
from .row_checks import checked_weight
from .statistic import Words

SAFE = (1e-200, 1e200)  # sums of squares that one word holds


def diagonals(X: Any, weight: Any) -> dict[str, Any] | None:
    """Fields of the diagonal moments of sparse rows; None where they are filled after all: none, or out of range."""
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    weight = np.ones(X.shape[0]) if weight is None else checked_weight(weight, X.shape[0])
    if X.dtype.kind not in "fiub" or not len(weight) or not weight.all():
        return None
    values, columns = X.data.astype(np.float64), X.indices
    own = np.repeat(weight, np.diff(X.indptr))

    def summed(terms: np.ndarray) -> np.ndarray:
        return np.bincount(columns, own * terms, X.shape[1])

    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        raw = summed(values**2)
        if not np.isfinite(raw.sum()) or raw.max(initial=0.0) > SAFE[1] or ((raw < SAFE[0]) & (raw > 0)).any():
            return None
    total = float(weight.sum())
    mean, absent = summed(values) / total, total - summed(np.ones(len(values)))
    away = values - mean[columns]
    low = (summed(away) - absent * mean) / total  # what rounding left of the mean
    spread = np.maximum(summed(away**2) + absent * mean**2 - total * low**2, 0.0)
    faint = spread <= rounding_of_product(len(weight), np.float64) * raw
    flat, value = constant(X, values, faint)
    mean, low = np.where(flat, value, mean), np.where(flat, 0.0, low)
    spread, raw = np.where(flat, 0.0, spread), np.where(flat, 0.0, raw)
    rounding = 2.0 * rounding_of_product(len(weight), np.float64) * raw
    centre = Words(mean + low, low - ((mean + low) - mean))
    return fields_of(len(weight), total, centre, Words(spread, np.zeros_like(spread)), rounding)


def constant(X: Any, values: np.ndarray, asked: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Those of the columns asked about that have one value in every row, and which it is."""
    low, high, cells = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf), asked[X.indices]
    np.minimum.at(low, X.indices[cells], values[cells])
    np.maximum.at(high, X.indices[cells], values[cells])
    gaps = np.bincount(X.indices, minlength=X.shape[1]) < X.shape[0]
    low, high = np.where(gaps, np.minimum(low, 0.0), low), np.where(gaps, np.maximum(high, 0.0), high)
    return asked & (low == high), high
