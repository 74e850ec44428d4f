"""What the tasks of local models share: queries, bandwidth, centres."""

from __future__ import annotations

import numpy as np

from benchmarks.candidates import Numbers
from benchmarks.data import Data

QUERIES = 20_000
CENTRES = 10
FIRST = 50  # queries that a slow rival answers, and by which it is judged


def queries(data: Data) -> np.ndarray:
    """Points between the rows."""
    some = np.resize(np.arange(len(data.X)), QUERIES)
    return 0.5 * (data.X[some] + data.X[some[::-1]])


def bandwidth(data: Data) -> float:
    """Half the typical deviation of a column."""
    return 0.5 * float(np.median(data.X[:10_000].std(axis=0)))


def places(data: Data) -> tuple[np.ndarray, float]:
    """Centres on rows, and a width that reaches the neighbours."""
    return data.X[:CENTRES].astype(np.float64), 4.0 * bandwidth(data)


def predictions(found: np.ndarray) -> Numbers:
    return {"predictions": found, "first predictions": found[:FIRST]}
