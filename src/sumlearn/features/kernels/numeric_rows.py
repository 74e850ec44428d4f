"""X of a kernel: an array of floats, or a sparse matrix by rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from ..input_ranges import finite_numbers


def rows_of(X: Any) -> Any:
    """float32 stays what it is, other numbers become float64; values are not scanned where they are floats.

    >>> rows_of([[1, 2]]).tolist()
    [[1.0, 2.0]]
    """
    if sparse.issparse(X):
        found = sparse.csr_matrix(X) if isinstance(X, sparse.spmatrix) else sparse.csr_array(X)
        return found if found.dtype in (np.float32, np.float64) else found.astype(np.float64)
    if not isinstance(X, np.ndarray) or X.dtype not in (np.float32, np.float64):
        X = np.asarray(X)
        X = finite_numbers(X, "X") if X.dtype == object or X.dtype.kind not in "fiub" else np.asarray(X, dtype=kind(X))
    if X.ndim != 2:
        raise ValueError(f"X must be a matrix with a row for each point, got shape {X.shape}")
    return np.ascontiguousarray(X)  # sums of products are the same to the bit however rows lay in memory


def kind(X: np.ndarray) -> type:
    return np.float32 if X.dtype == np.float32 else np.float64
