"""Rows one after the other, made ready for rules that form products with them: floats in reach, with their spread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from ..compiled import patterns
from ..data import Chunk, InMemory, Rows, Source
from ..data.collections import DaskSource
from ..data.mapped import inputs_of
from ..statistics import RowError
from ..statistics.row_checks import check_range, floats, raise_if_not_finite
from .validation import column_name

LARGEST = 2.0**256  # of a value: beyond it, products that a rule forms leave the range of a double
ROOM = 2.0**64  # for the losses of many rows, each times its weight
END = 1023  # of the exponents of a double


class Spread(NamedTuple):
    """Where the columns of some rows lie."""

    mean: np.ndarray
    deviation: np.ndarray
    exponent: np.ndarray  # zero, but for columns of extreme size: these are learnt in units of 2^exponent
    rows: int

    def offset(self, far: float) -> np.ndarray:
        """What to take off before multiplying, where a mean is more than `far` deviations from zero.

        A multiple of a power of two that is at least one deviation, or eight where only far columns are moved: so the
        same rows elsewhere, moved by such a multiple, become the same rows again, bit by bit.
        """
        deviation = np.where(self.deviation > 0, self.deviation, 1.0)
        with np.errstate(over="ignore"):
            unit = np.exp2(np.minimum(np.ceil(np.log2(deviation * (8.0 if far > 0 else 1.0))), END))
            apart = (np.abs(self.mean) > far * deviation) & (self.rows > 1)
            offset = np.clip(np.round(self.mean / unit) * unit, -(2.0**END), 2.0**END)
        return np.where(apart, offset, 0.0)


class OrderedRows:
    """All rows in order, as often as one iterates: rows in memory are made ready once, others are read every time."""

    def __init__(self, source: Source, learner: Any) -> None:
        self.source, self.learner = source, learner
        self.kept: list[tuple[Chunk, Spread]] | None = None
        self.patterns: list[Any] | None = None
        if isinstance(source, InMemory):
            part = Rows(slice(0, source.rows))
            self.kept = [self.ready(source.chunk(part), part)] if source.rows else []

    def __iter__(self) -> Iterator[tuple[Chunk, Spread]]:
        if self.kept is not None:
            return iter(self.kept)
        found = (self.ready(chunk, part) for part, chunk in in_order(self.source))
        return (pair for pair in found if pair[0].X.shape[0])

    def epoch(self, number: int) -> Iterator[Any]:
        """All rows once, as the learner wants them."""
        if self.kept is None:
            yield from (self.learner.patterns_of(chunk) for chunk, _ in self)
            return
        if self.patterns is None:
            self.patterns = [self.learner.patterns_of(chunk) for chunk, _ in self.kept]
        yield from self.patterns

    def held(self) -> Iterator[Any]:
        """Rows held back: the rules hold back their own."""
        return iter(())

    def ready(self, chunk: Chunk, part: Any) -> tuple[Chunk, Spread]:
        """Rows of positive weight as floats that lie together, and their spread; a bad value is named by its place."""
        weight = chunk.weight
        present = None
        try:
            if weight is not None:
                check_weights(weight)
                present = np.flatnonzero(weight)
            taken = slice(None) if present is None or len(present) == len(weight) else present  # type: ignore[arg-type]
            X = floating(chunk.X[taken])
            spread = spread_of(X)
        except RowError as error:
            row = error.row if present is None or error.name != "X" else int(present[error.row])
            column = column_name(self.learner, error.column)
            raise ValueError(error.describe(part.name(row), column)) from None
        self.check_labels(chunk.y, part)
        y = None if chunk.y is None else chunk.y[taken]
        return Chunk(X, y, None if weight is None else weight[taken], chunk.columns), spread

    def check_labels(self, y: np.ndarray | None, part: Any) -> None:
        """Labels that were fixed beforehand are the only ones."""
        known = vars(self.learner).get("classes_")
        if known is None or y is None or not len(y):
            return
        comparable = (y.dtype.kind in "fiub") == (known.dtype.kind in "fiub")
        unknown = ~np.isin(y, known) if comparable else np.ones(len(y), dtype=bool)
        for row in np.flatnonzero(unknown)[:1]:
            raise ValueError(
                f"The target label {y[row : row + 1].tolist()[0]!r} in y, first at row {part.name(int(row))}, does not "
                f"exist in the initial classes {known.tolist()}"
            )


def in_order(source: Source) -> Iterator[tuple[Any, Chunk]]:
    """Parts and their rows; blocks of a Dask collection come here one after the other."""
    for part in source.parts():
        pieces = part.compute().pieces() if isinstance(inputs_of(source), DaskSource) else [part]
        for piece in pieces:
            yield piece, source.chunk(piece)


def check_weights(weight: np.ndarray) -> None:
    bad = ~np.isfinite(weight) | (weight < 0)
    for row in np.flatnonzero(bad)[:1]:
        raise RowError("sample_weight", int(row), None, float(weight[row]))
    with np.errstate(over="ignore"):
        check_range(weight.sum() * ROOM)


def floating(X: Any) -> Any:
    """Rows as float32 or float64 that lie one after the other, or a sparse matrix by rows."""
    if not sparse.issparse(X):
        return floats(X)
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)


def spread_of(X: Any, extreme: float = LARGEST) -> Spread:
    """Mean, deviation and exponent of every column; raises RowError at a NaN or infinity."""
    n, d = X.shape
    if n == 0:
        return Spread(np.zeros(d), np.zeros(d), np.zeros(d, dtype=int), 0)
    describe = sparse_spread if sparse.issparse(X) else patterns.spread
    mean, variance, largest = describe(X)
    if not (np.isfinite(mean).all() and np.isfinite(largest).all()):
        raise_if_not_finite(X.toarray() if sparse.issparse(X) else X)
    exponent = exponents(largest, extreme)
    if exponent.any():
        mean, variance, _ = describe(moved(X, np.zeros(d), exponent))
    return Spread(np.ldexp(mean, exponent), np.ldexp(np.sqrt(variance), exponent), exponent, n)


def exponents(largest: np.ndarray, extreme: float = LARGEST) -> np.ndarray:
    """Multiples of ten, 2^10 being about a thousand, for columns whose largest value is of extreme size."""
    with np.errstate(divide="ignore"):
        size = np.where(largest > 0, np.log2(largest), 0.0)
    return np.where(np.abs(size) > np.log2(extreme), 10.0 * np.round(size / 10.0), 0.0).astype(int)


def sparse_spread(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, mean square deviation and largest absolute value of every column; a NaN shows in the mean."""
    n, d = X.shape
    values = X.data.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        mean = np.bincount(X.indices, values, d) / n
        away = np.bincount(X.indices, (values - mean[X.indices]) ** 2, d)
        absent = n - np.bincount(X.indices, minlength=d)
        largest = np.zeros(d)
        np.maximum.at(largest, X.indices, np.abs(values))
        return mean, (away + absent * mean**2) / n, largest


def moved(X: Any, offset: np.ndarray, exponent: np.ndarray) -> Any:
    """(X - offset) / 2^exponent, column by column."""
    if not exponent.any():
        return shifted(X, offset)
    if not sparse.issparse(X):
        X = np.ldexp(X.astype(np.float64), -exponent)
    else:
        values = np.ldexp(X.data.astype(np.float64), -exponent[X.indices])
        X = sparse.csr_array((values, X.indices, X.indptr), X.shape)
    return shifted(X, np.ldexp(offset, -exponent))


def shifted(X: Any, offset: np.ndarray) -> Any:
    """X - offset; sparse rows stay sparse, since a column that lies far from zero has no zeros to lose."""
    if not offset.any():
        return X
    if not sparse.issparse(X):
        return X - offset
    columns = np.flatnonzero(offset)
    n, k = X.shape[0], len(columns)
    moved = sparse.csr_array(
        (np.tile(offset[columns], n), np.tile(columns, n), np.arange(0, n * k + 1, k)), shape=X.shape
    )
    return sparse.csr_array(X) - moved
