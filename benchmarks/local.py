"""What the tasks of local models share: queries, bandwidth, centres."""

from __future__ import annotations

import numpy as np

from benchmarks.candidates import Numbers
from benchmarks.data import Data

QUERIES = 20_000
CENTRES = 10
SPAN = 0.3  # of the rows that a local polynomial sees
FACTORS = 8.0 * 2.0 ** (-0.5 * np.arange(25))  # bandwidths in deviations, all tried by leaving out one row at a time
ROWS = 4_000  # of methods whose work grows with rows times queries, whatever the table
FIRST = 50  # queries that a slow rival answers, and by which it is judged


def queries(data: Data) -> np.ndarray:
    """Points between the rows, all different."""
    some = np.resize(np.arange(len(data.X)), QUERIES)
    share = np.linspace(0.25, 0.75, QUERIES)[:, None]
    return share * data.X[some] + (1.0 - share) * data.X[some[::-1]]


def bandwidth(data: Data) -> float:
    """Half the typical deviation of a column."""
    return 0.5 * float(np.median(data.X[:10_000].std(axis=0)))


def places(data: Data) -> tuple[np.ndarray, float]:
    """Centres on rows, and a width that reaches the neighbours."""
    return data.X[:CENTRES].astype(np.float64), 4.0 * bandwidth(data)


def deviations(X: np.ndarray) -> np.ndarray:
    """X in standard deviations of its columns."""
    return (X - X.mean(axis=0)) / X.std(axis=0)


def predictions(found: np.ndarray) -> Numbers:
    return {"predictions": found, "first predictions": found[:FIRST]}
