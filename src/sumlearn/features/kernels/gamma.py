"""The scale of a kernel, where it is given by a word."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from ..input_ranges import is_number, one_of

WORDS = (None, "auto", "scale")


def checked_gamma(gamma: Any) -> None:
    """Refuse what is neither a number from zero on nor a word for one."""
    if is_number(gamma):
        if not 0.0 <= gamma < np.inf:
            raise ValueError(f"gamma must be finite and not negative, got {gamma!r}")
    else:
        one_of(gamma, "gamma", WORDS)


def gamma_number(gamma: Any, rows: Any, weight: np.ndarray | None) -> float:
    """1 / n_features for None and "auto", 1 / (n_features variance) for "scale".

    The variance is that of all entries of X about their common mean, as in scikit-learn, with the weights as numbers of
    rows; a table without any has gamma one.

    >>> gamma_number("scale", np.array([[0.0, 2.0]]), None), gamma_number("auto", np.eye(2), None)
    (0.5, 0.5)
    """
    columns = max(rows.shape[1], 1)
    if gamma is None or gamma == "auto":
        return 1.0 / columns
    if gamma != "scale":
        return float(gamma)
    weight = np.ones(rows.shape[0]) if weight is None else np.asarray(weight, dtype=np.float64)
    weight = weight / weight.max()
    total = weight.sum() * columns
    if sparse.issparse(rows):
        values = rows.data.astype(np.float64)
        each = np.repeat(weight, np.diff(rows.indptr))
        mean = (each * values).sum() / total
        squares = (each * (values - mean) ** 2).sum() + (total - each.sum()) * mean**2
    else:
        start = float(rows[0].mean(dtype=np.float64))
        mean = start + (weight @ (rows - start).sum(axis=1)) / total  # from near, so that an offset costs no digits
        squares = weight @ ((rows - mean) ** 2).sum(axis=1)
    variance = squares / total
    return float(1.0 / (columns * variance)) if variance > 0 else 1.0
