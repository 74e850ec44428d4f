"""Rows of a chunk, made ready for sums: two-dimensional, weights positive, and where a bad value stands."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

import numpy as np
import scipy.sparse as sparse

from .statistic import RowError

KEPT = 2**22  # bytes of a work array that may stay when the sums are done


class _Buffers:
    """Work arrays of one thread, by type of number; they go with the thread."""

    def __init__(self) -> None:
        self.arrays: dict[np.dtype[Any], np.ndarray] = {}


_local = threading.local()
_everyone: weakref.WeakSet[_Buffers] = weakref.WeakSet()
_lock = threading.Lock()  # a set cannot be walked while it grows


def scratch(rows: int, columns: int, dtype: Any) -> np.ndarray:
    """A work array of this thread, reused from chunk to chunk: fresh pages cost more than the sums."""
    buffers = getattr(_local, "buffers", None)
    if buffers is None:
        buffers = _local.buffers = _Buffers()
        with _lock:
            _everyone.add(buffers)
    kind, size = np.dtype(dtype), rows * columns
    flat = buffers.arrays.get(kind)
    if flat is None or flat.size < size:
        flat = buffers.arrays[kind] = np.empty(size, kind)
    return flat[:size].reshape(rows, columns)


def release_scratch() -> None:
    """Let go of large work arrays, of all threads: whoever is at work keeps its own until it is done."""
    with _lock:
        everyone = list(_everyone)
    for buffers in everyone:
        for kind, array in tuple(buffers.arrays.items()):
            if array.nbytes > KEPT:
                buffers.arrays.pop(kind, None)


def available_memory() -> int:
    """Bytes that can be had without swapping."""
    try:
        with open("/proc/meminfo") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        pages = os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 2**22
        return pages * 4096


def check_room(columns: int) -> None:
    """Refuse a scatter that cannot fit into memory before trying: a few copies of two words are needed."""
    if columns > 4096:
        refuse_beyond_memory(columns, 6 * 16 * columns**2)


def refuse_beyond_memory(columns: int, need: float) -> None:
    have = available_memory()
    if need > have:
        raise ValueError(
            f"{columns} columns need about {need / 2**30:.0f} GiB for their sums, {have / 2**30:.0f} GiB are free: "
            "select or project columns first"
        )


def dense(X: Any) -> np.ndarray:
    """Sparse rows as an array, if that fits into memory."""
    rows, columns = X.shape
    if rows * columns > 2**26:
        refuse_beyond_memory(columns, X.dtype.itemsize * rows * columns)
    return X.toarray()


def unmasked(values: Any, name: str) -> Any:
    """A masked array without its mask, if nothing is masked: arithmetic would use what lies behind it."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    for place in np.argwhere(np.ma.getmaskarray(values))[:1]:
        where = f"row {place[0]}" + (f", column {place[1]}" if values.ndim > 1 else "")
        raise ValueError(
            f"{name} is a masked array, and {where} is masked: leave such rows out, or give {name}.filled(np.nan) to a "
            "learner that takes gaps, such as TableModel"
        )
    return values.data


def prepare(
    X: Any, y: Any = None, weight: Any = None, faintest: float = 0.0
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    """Dense X, y and weight without the rows of zero weight, and of those below `faintest`."""
    X = dense(X) if sparse.issparse(X) else np.asarray(unmasked(X, "X"))
    if X.ndim != 2:
        raise ValueError(f"X must be two-dimensional, got {X.ndim} dimension(s)")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"X must hold real numbers, got dtype {X.dtype}")
    if y is not None:
        y = np.asarray(unmasked(y, "y"))
        if len(y) != len(X):
            raise ValueError(f"X has {len(X)} rows and y has {len(y)}")
    if weight is not None:
        weight = checked_weight(weight, len(X), faintest)
        if len(weight) and weight.min() == 0:
            keep = np.flatnonzero(weight)
            X, weight = X[keep], weight[keep]
            y = None if y is None else y[keep]
            raise_by_number(X, "X", keep)
            raise_by_number(y, "y", keep)
    return X, y, weight


def checked_weight(weight: Any, rows: int, faintest: float = 0.0) -> np.ndarray:
    """Weights of so many rows as floats: finite, and none negative; below `faintest` they are zero."""
    weight = np.asarray(unmasked(weight, "sample_weight"), dtype=float)
    if weight.shape != (rows,):
        raise ValueError(f"weight must have shape ({rows},), got {weight.shape}")
    if len(weight):
        smallest = weight.min()
        if not np.isfinite(smallest) or not np.isfinite(weight.max()):
            row = int(np.argmin(np.isfinite(weight)))
            raise RowError("sample_weight", row, None, weight[row])
        if smallest < 0:
            row = int(np.argmax(weight < 0))
            raise RowError("sample_weight", row, None, weight[row])
        with np.errstate(over="ignore"):
            check_range(weight.sum())
        if smallest < faintest:  # products of floats with them would have few digits left, or none
            weight = np.where(weight < faintest, 0.0, weight)
    return weight


def check_range(sums: Any) -> None:
    """Refuse weights whose sums, or weighted squares, are no numbers any more."""
    if not np.isfinite(sums).all():
        raise ValueError("sample_weight is so large that its sums overflow: scale it down")


def raise_by_number(values: np.ndarray | None, name: str, rows: np.ndarray) -> None:
    """Refuse NaN and infinity here already, while it is known which rows these were."""
    if values is None or values.dtype.kind != "f":
        return
    with np.errstate(invalid="ignore", over="ignore"):
        if np.isfinite(values.sum()):
            return
    try:
        raise_if_not_finite(values, name)
    except RowError as error:
        raise RowError(name, int(rows[error.row]), error.column, error.value) from None


def floats(X: np.ndarray, *, by_rows: bool = True) -> np.ndarray:
    """X as contiguous float32 or float64: the only two kinds the compiled loops are built for.

    With ``by_rows=False`` columns that lie together stay so (Fortran order).
    """
    dtype = X.dtype if X.dtype in (np.float32, np.float64) and X.dtype.isnative else np.float64
    columns_together = not by_rows and X.ndim == 2 and X.strides[0] == X.itemsize and X.shape[1] > 1
    return np.asfortranarray(X, dtype=dtype) if columns_together else np.ascontiguousarray(X, dtype=dtype)


def floats_as_they_lie(X: np.ndarray) -> np.ndarray:
    """X as float32 or float64, by rows; where columns lie one after the other they stay so, some of their rows too."""
    known = X.dtype in (np.float32, np.float64) and X.dtype.isnative
    by_columns = X.size > 0 and X.strides[0] == X.itemsize and X.strides[1] >= len(X) * X.itemsize
    by_columns = by_columns and X.strides[1] % X.itemsize == 0
    return X if known and by_columns else floats(X)


def raise_if_not_finite(X: np.ndarray, name: str = "X") -> None:
    """Find the first NaN or infinity; called only when a sum came out non-finite."""
    X = np.asarray(X)
    if X.dtype.kind != "f":
        return
    bad = ~np.isfinite(X)
    if bad.any():
        if X.ndim == 1:
            row = int(bad.argmax())
            raise RowError(name, row, None, X[row])
        row = int(bad.any(axis=1).argmax())
        column = int(bad[row].argmax())
        raise RowError(name, row, column, X[row, column])


def encode(y: np.ndarray) -> tuple[list[Any], np.ndarray]:
    """Labels that occur, sorted, and for each row the index of its label.

    Small integers are coded by a table; everything else by ``np.unique``.
    """
    y = np.asarray(y)
    if y.size == 0:
        return [], np.zeros(0, np.intp)
    if y.dtype.kind in "iub":
        low, high = int(y.min()), int(y.max())
        if high - low < 4096 and high < 2**62:
            codes = np.subtract(y, low, dtype=np.intp, casting="unsafe")
            present = np.bincount(codes, minlength=high - low + 1) > 0
            values = np.flatnonzero(present) + low
            if len(values) <= high - low:
                codes = (np.cumsum(present) - 1)[codes]
            labels = [bool(v) for v in values] if y.dtype.kind == "b" else [int(v) for v in values]
            return labels, codes
    unique, codes = np.unique(y, return_inverse=True)
    return [v.item() if isinstance(v, np.generic) else v for v in unique], codes.reshape(-1).astype(np.intp, copy=False)
