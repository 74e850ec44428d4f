"""Coordinates along some axes, and the rows that they stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.utils import check_array


def decoded(Z: Any, axes: np.ndarray, scale: np.ndarray | None = None) -> Any:
    """Z C for coordinates Z, checked: as many columns as there are axes, numbers in all of them."""
    Z = check_array(Z, accept_sparse=("csr", "csc"), dtype=[np.float64, np.float32], ensure_min_features=0)
    if Z.shape[1] != len(axes):
        raise ValueError(f"X has {Z.shape[1]} columns, but there are {len(axes)} components")
    if scale is not None:
        Z = Z.multiply(scale).tocsr() if sparse.issparse(Z) else Z * scale
    return Z @ axes
