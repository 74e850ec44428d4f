"""Counts of one chunk: values as codes of one byte, tables of classes, tables of pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled import tables as kernels
from .row_checks import floats, raise_if_not_finite

MOST_LEVELS = 256  # of a column: what a byte can tell apart
BLOCK = 256  # columns that are counted at a time
BYTE_LEVELS = 24  # up to which every level is compared with every row, many columns at once
EXACT = 2**53  # whole numbers beyond this are not told apart by a float
FEW_LEVELS = 12  # on average, up to which pairs are counted by bits


CONTINUOUS = ", so it looks continuous: give a number of bins"
WORDS = -(2.0**52)  # levels that are words have numbers at or below this, where no others are to be expected


def are_words(values: np.ndarray) -> np.ndarray:
    """Which numbers stand for words."""
    return (values <= WORDS) & (values > 2 * WORDS)


class LevelError(ValueError):
    """A column has too many levels to be counted."""

    def __init__(self, column: int, levels: int, rows: int, words: bool = False) -> None:
        self.column, self.levels, self.rows, self.words = column, levels, rows, words
        super().__init__(self.describe(column))

    def describe(self, column: object) -> str:
        """The message, for the name of the column."""
        found = f"column {column!r} has more than {MOST_LEVELS} levels ({self.levels} in {self.rows} rows)"
        return found + (": put words together, or leave it out" if self.words else CONTINUOUS)


class Coded(NamedTuple):
    """Columns as codes: the value of code c in column j is ``low[j] + c``, or ``others[j][c]`` where that is given."""

    codes: np.ndarray
    low: np.ndarray
    others: dict[int, np.ndarray]

    def value(self, column: np.ndarray, code: np.ndarray) -> np.ndarray:
        found = self.low[column] + code
        for j, values in self.others.items():
            found[column == j] = values[code[column == j]]
        return found


def code_columns(X: np.ndarray, edges: np.ndarray | None) -> Coded:
    """Every value as a byte: the number of edges at or below it, or its place among the values of its column."""
    n, d = X.shape
    levels = np.zeros(d, bool) if edges is None else np.asarray(np.isneginf(edges).any(axis=1))
    if edges is not None and levels.any():
        return together(code_columns(X[:, levels], None), code_columns(X[:, ~levels], edges[~levels]), levels)
    if edges is None and X.dtype in (np.uint8, np.bool_):
        return Coded(np.ascontiguousarray(X).view(np.uint8), np.zeros(d), {})
    codes = np.empty((n, d), np.uint8)
    integers = edges is None and X.dtype.kind in "iu" and X.dtype != np.uint64
    rows = np.ascontiguousarray(X, dtype=np.int64) if integers else floats(X)
    if edges is not None:
        if not kernels.codes_of_bins(rows, edges, codes):
            raise_if_not_finite(X)
        return Coded(codes, np.zeros(d), {})
    low, wide = whole_columns(rows)
    kernels.codes_of_whole(rows, low, codes)
    others = {}
    for j in np.flatnonzero(wide).tolist():
        values, place = np.unique(rows[:, j].astype(np.float64), return_inverse=True)
        if not np.isfinite(values[[0, -1]]).all():
            raise_if_not_finite(X)
        if len(values) > MOST_LEVELS:
            raise LevelError(j, len(values), n, bool(are_words(values).all()))
        others[j], codes[:, j] = values, place
    return Coded(codes, low.astype(np.float64), others)


def together(levels: Coded, bins: Coded, is_level: np.ndarray) -> Coded:
    """Columns of levels and columns in bins, in the order of the table."""
    codes, low = np.empty((len(levels.codes), len(is_level)), np.uint8), np.zeros(len(is_level))
    codes[:, is_level], codes[:, ~is_level], low[is_level] = levels.codes, bins.codes, levels.low
    place = np.flatnonzero(is_level)
    return Coded(codes, low, {int(place[j]): values for j, values in levels.others.items()})


def whole_columns(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least value of columns of whole numbers that span less than a byte, and which columns are others."""
    d = rows.shape[1]
    if rows.dtype == np.int64:
        low, high = rows.min(axis=0), rows.max(axis=0)
        wide = (high.astype(np.float64) - low >= MOST_LEVELS) | (np.maximum(-low, high) > EXACT)
    else:
        low, high, whole = np.full(d, np.inf), np.full(d, -np.inf), np.ones(d, bool)
        kernels.whole_ranges(rows, low, high, whole)
        with np.errstate(over="ignore", invalid="ignore"):
            wide = ~whole | ~(high - low < MOST_LEVELS)
    return np.where(wide, np.zeros_like(low), low), wide


def class_table(codes: np.ndarray, y: np.ndarray, classes: int, weight: np.ndarray | None) -> np.ndarray:
    """table[column, code, class], for codes up to the largest."""
    n, d = codes.shape
    size = int(codes.max()) + 1
    if weight is None and size <= BYTE_LEVELS and classes * size <= n:
        return byte_counts(codes, y, size, classes)
    table = np.zeros((d, size, classes))
    for start in range(0, d, BLOCK):
        part = np.ascontiguousarray(codes[:, start : start + BLOCK]) if d > BLOCK else codes
        if weight is None:
            counts = np.zeros((part.shape[1], size, classes), np.int64)
            kernels.count_classes(part, y, counts)
            table[start : start + BLOCK] = counts
        else:
            kernels.weigh_classes(part, y, weight, table[start : start + BLOCK])
    return table


def byte_counts(codes: np.ndarray, y: np.ndarray, size: int, classes: int) -> np.ndarray:
    """The same for few levels: rows are gone through class by class, and counted in bytes."""
    order = np.argsort(y.astype(np.min_scalar_type(classes)), kind="stable")  # of small numbers it is linear
    starts = np.concatenate([[0], np.cumsum(np.bincount(y, minlength=classes))])
    counts = np.zeros((classes, size, codes.shape[1]), np.int64)
    kernels.count_few_levels(codes, order, starts, counts)
    return np.ascontiguousarray(counts.transpose(2, 1, 0), dtype=np.float64)


def levels_of(present: np.ndarray, coded: Coded) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray, np.ndarray]:
    """Where the levels that occur stand in a table by column and code, the start of each column, and their values."""
    column, code = np.nonzero(present)
    starts = np.searchsorted(column, np.arange(len(present) + 1))
    return (column, code), starts, coded.value(column, code)


def pair_table(
    codes: np.ndarray,
    found: tuple[np.ndarray, np.ndarray],
    starts: np.ndarray,
    totals: np.ndarray,
    weight: np.ndarray | None,
) -> np.ndarray:
    """Weight of every pair of levels: bit by bit where rows weigh one and levels are few, else row by row."""
    (n, d), m = codes.shape, len(totals)
    place = np.full((d, int(codes.max()) + 1), -1)
    if weight is not None or m > FEW_LEVELS * d:
        place[found] = np.arange(m)
        pairs = np.zeros((m, m))
        kernels.weigh_pairs(codes, place, np.ones(n) if weight is None else weight, pairs)
        return pairs
    counted = np.ones(m, bool)
    counted[starts[:-1]] = False  # the first level of a column is what the others leave
    index = np.flatnonzero(counted)
    place[tuple(axis[index] for axis in found)] = np.arange(len(index))
    bits = np.zeros((len(index), -(-n // kernels.WORD)), np.uint64)
    kernels.pack(codes, place, bits)
    pairs = np.zeros((m, m))
    kernels.count_common(bits, index, pairs)
    kernels.complete_pairs(starts, totals, pairs)
    return pairs
