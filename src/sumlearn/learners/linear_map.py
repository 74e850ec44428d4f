"""x -> (x - centre) B + c, right at any offset."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

FAR = 1e3  # offsets beyond this many standard deviations are taken off before multiplying


def is_far(mean: np.ndarray, deviation: np.ndarray) -> bool:
    """Whether x'b would lose digits that (x - mean)'b keeps."""
    return bool((np.abs(mean) > FAR * deviation)[deviation > 0].any())


def affine(X: Any, B: np.ndarray, constant: Any, centre: np.ndarray | None = None, centred_constant: Any = None) -> Any:
    """X B + constant; with a centre, (X - centre) B + centred_constant, which is the same in exact arithmetic."""
    if centre is not None and not sparse.issparse(X):
        return (X - centre) @ B + centred_constant
    return X @ B + constant


def in_type_of(X: Any, values: np.ndarray) -> np.ndarray:
    """float32 for rows of float32; inside, weights that are large and of both signs need float64."""
    return values.astype(np.float32) if getattr(X, "dtype", None) == np.float32 else values
