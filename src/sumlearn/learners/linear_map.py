"""x -> (x - centre) B + c, right at any offset."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

FAR = 1e3  # offsets beyond this many standard deviations are taken off before multiplying


def is_far(mean: np.ndarray, deviation: np.ndarray) -> bool:
    """Whether x'b would lose digits that (x - mean)'b keeps."""
    return bool((np.abs(mean) > FAR * deviation)[deviation > 0].any())


def away_from(X: np.ndarray, mean: np.ndarray, rest: np.ndarray | None) -> np.ndarray:
    """x - mean, where `rest` is what one word cannot say of the mean."""
    return X - mean if rest is None else (X - mean) - rest


def affine(X: Any, B: np.ndarray, constant: Any, centre: np.ndarray | None = None, centred_constant: Any = None) -> Any:
    """X B + constant; with a centre, (X - centre) B + centred_constant, which is the same in exact arithmetic."""
    with np.errstate(over="ignore", invalid="ignore"):
        if centre is not None and not sparse.issparse(X):
            return numbers_of((X - centre) @ B + centred_constant, centred_constant)
        return numbers_of(X @ B + constant, constant)


def numbers_of(values: Any, constant: Any = 0.0) -> Any:
    """The values, refused where finite rows were so large that theirs is none; a constant may be -inf on purpose."""
    if not np.isfinite(values.sum()):
        bad = np.isnan(values) | (np.isinf(values) & np.isfinite(constant))
        if bad.any():
            row = int(np.argmax(bad.reshape(len(bad), -1).any(axis=1)))
            raise ValueError(f"row {row} is so far from the rows learnt that its values overflow: rescale or drop it")
    return values


def in_type_of(X: Any, values: np.ndarray) -> np.ndarray:
    """float32 for rows of float32; inside, weights that are large and of both signs need float64."""
    return values.astype(np.float32) if getattr(X, "dtype", None) == np.float32 else values
