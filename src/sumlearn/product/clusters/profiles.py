"""What the clusters have in the units of the table: means of numbers, frequent levels, middle dates."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...data.schema import LEVELS
from ..labelled_rows import column_values


class Profile(NamedTuple):
    """A column: its share of variance between the clusters, and what it is in all rows and in every cluster."""

    column: str
    kind: str
    apart: float
    all: Any
    clusters: list[Any]


def profiles_of(schema: Any, frame: Any, labels: np.ndarray, k: int, weight: np.ndarray | None) -> list[Profile]:
    """The columns, those first that tell the clusters best apart; labels count from 1."""
    mass = np.ones(len(labels)) if weight is None else weight
    found = [profile(column, frame.column(column.name), labels, k, mass) for column in schema.used]
    return sorted(found, key=lambda one: -one.apart)


def profile(column: Any, values: Any, labels: np.ndarray, k: int, mass: np.ndarray) -> Profile:
    cells = days(values) if column.kind == "date" else column_values(values)
    if column.kind in LEVELS or cells.dtype == object:
        return of_levels(column, cells, labels, k, mass)
    there = np.isfinite(cells) & (mass > 0)
    parts = [there] + [there & (labels == c) for c in range(1, k + 1)]
    means = [float(np.average(cells[part], weights=mass[part])) if part.any() else None for part in parts]
    deviations = [spread(cells[part], mass[part]) for part in parts]
    pairs = zip(parts[1:], means[1:], strict=True)
    between = sum(mass[part].sum() * (m - (means[0] or 0.0)) ** 2 for part, m in pairs if m is not None)
    whole = mass[there].sum() * deviations[0] ** 2
    if column.kind == "date":
        told: list[Any] = [None if m is None else str(np.datetime64(round(m), "D")) for m in means]
    else:
        told = [None if m is None else (m, s) for m, s in zip(means, deviations, strict=True)]
    return Profile(column.name, column.kind, float(between / whole) if whole > 0 else 0.0, told[0], told[1:])


def of_levels(column: Any, cells: np.ndarray, labels: np.ndarray, k: int, mass: np.ndarray) -> Profile:
    """The most frequent level and its share; apart: Goodman and Kruskal's tau, the same share for levels."""
    texts = np.array(["" if value is None or value != value else str(value) for value in cells.tolist()])
    there = (texts != "") & (mass > 0)
    names, codes = np.unique(texts[there], return_inverse=True)
    if not len(names):
        return Profile(column.name, column.kind, 0.0, None, [None] * k)
    table = np.zeros((k, len(names)))
    np.add.at(table, (labels[there] - 1, codes), mass[there])
    shares, sizes = table.sum(axis=0) / table.sum(), table.sum(axis=1)
    left = 1.0 - (shares**2).sum()
    within = 1.0 - sum((row**2).sum() / size for row, size in zip(table, sizes, strict=True) if size) / table.sum()
    told = [top(names, row) for row in (shares, *table)]
    return Profile(column.name, column.kind, float((left - within) / left) if left > 0 else 0.0, told[0], told[1:])


def top(names: np.ndarray, counts: np.ndarray) -> str | None:
    """The most frequent level with its share."""
    return None if not counts.sum() else f"{names[counts.argmax()]} ({counts.max() / counts.sum():.0%})"


def spread(values: np.ndarray, mass: np.ndarray) -> float:
    """The standard deviation."""
    if not len(values):
        return 0.0
    return float(np.sqrt(np.average((values - np.average(values, weights=mass)) ** 2, weights=mass)))


def days(values: Any) -> np.ndarray:
    """Dates as days, NaN where missing."""
    import pyarrow as pa

    column = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if not pa.types.is_temporal(column.type):
        return column_values(values)
    found = column.cast(pa.timestamp("us")).to_numpy(zero_copy_only=False).astype("datetime64[us]")
    out = found.astype(np.int64) / 86_400e6
    return np.where(np.isnat(found), np.nan, out)
