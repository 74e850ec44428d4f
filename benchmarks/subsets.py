"""The tasks of subset search: what is searched, and how the time of slow rivals is extrapolated.

A forward search over c columns evaluates c - s + 1 subsets at step s, so its time is linear in c: a rival runs it over
few columns and over some, and the line through both times is read at all of them.
"""

from __future__ import annotations

import atexit
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.candidates import BOTH_BLAS, Candidate, Numbers, Sample
from benchmarks.data import Data

FOLDS = 5
ALPHA = 10.0  # of the ridge regressions
# features to find, and columns of the two shares of the work that slow rivals do
SIZES = {"": (15, 20, 30), "wide": (30, 32, 36), "parquet": (5, 6, 9)}


def classes(data: Data) -> np.ndarray:
    """Five classes, each of two that lie apart."""
    return data.labels % 5


def features(data: Data, size: str = "") -> int:
    """How many to find."""
    return min(SIZES[size][0], data.X.shape[1] - 1)


def columns(data: Data, size: str = "") -> int:
    """How many of the first columns the results are compared on: those of the larger share."""
    return data.X.shape[1] if data.whole else min(SIZES[size][2], data.X.shape[1])


def found(subset: Any, score: float) -> Numbers:
    """A subset and its score."""
    return {"subset": np.sort(np.asarray(subset, dtype=np.int64)), "score": np.array([float(score)])}


def over_columns(
    setting: str,
    search: Callable[[int], Any],
    data: Data,
    read: Callable[[Any], Numbers],
    size: str = "",
    blas: tuple[int | None, ...] = BOTH_BLAS,
) -> Candidate:
    """A candidate whose work is linear in the number of columns: `search(c)` is over the first c."""
    d, (_, few, some) = data.X.shape[1], SIZES[size]
    if data.whole or some >= d:
        return Candidate(setting, lambda: search(d), read, blas)
    sample = Sample(lambda: search(few), lambda: search(d), (d - few) / (some - few))
    return Candidate(setting, lambda: search(some), read, blas, sample)


FILES: dict[Any, Path] = {}


def parquet(data: Data) -> Path:
    """The rows as a Parquet file, written once for all who read it and removed at the end."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    key = (data.X.shape, float(data.target[0]))
    if key not in FILES:
        folder = tempfile.TemporaryDirectory()
        atexit.register(folder.cleanup)
        names = [f"x{j}" for j in range(data.X.shape[1])]
        table = pa.table(dict(zip([*names, "target"], [*data.X.T, data.target], strict=True)))
        FILES[key] = Path(folder.name) / "rows.parquet"
        pq.write_table(table, FILES[key], row_group_size=100_000)
    return FILES[key]
