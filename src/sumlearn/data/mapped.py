"""Mapped: the rows of another source, sent through a basis, x -> phi(x), chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sparse

from ..statistics.row_checks import raise_if_not_finite
from .chunk import Chunk
from .source import InMemory, Source


def mapped(source: Source, basis: Any) -> Source:
    """The source of phi(x); rows can be read by number where they could before. `basis` has `map` and `size`."""
    return MappedInMemory(source, basis) if isinstance(source, InMemory) else MappedStream(source, basis)


def inputs_of(source: Source) -> Source:
    """The source before any map or view."""
    while hasattr(source, "inputs"):
        source = source.inputs
    return source


class MappedInMemory(InMemory):
    """Rows in memory, mapped when they are read; `native` gives them as they came in."""

    def __init__(self, inputs: InMemory, basis: Any) -> None:
        self.inputs, self.basis = inputs, basis
        self.features, self.rows, self.columns = basis.size(inputs.features), inputs.rows, columns_of(inputs, basis)
        self.gaps = holds_gaps(basis)
        super().__init__(inputs.y, inputs.weight)
        self.target = inputs.target

    @property
    def dtype(self) -> np.dtype[Any]:
        return mapped_dtype(self.inputs, self.basis)

    def read(self, rows: slice | np.ndarray) -> np.ndarray:
        weight = None if self.weight is None else self.weight[rows]
        return mapped_rows(self.basis, self.inputs.read(rows), self.dtype, weight)

    def native(self, rows: np.ndarray) -> Any:
        return self.inputs.native(rows)


class MappedStream(Source):
    """Rows of files or of a cluster, mapped by whoever reads them."""

    def __init__(self, inputs: Source, basis: Any) -> None:
        self.inputs, self.basis = inputs, basis
        self.features, self.rows, self.columns = basis.size(inputs.features), inputs.rows, columns_of(inputs, basis)
        self.target, self.gaps = inputs.target, holds_gaps(basis)

    @property
    def dtype(self) -> np.dtype[Any]:
        return mapped_dtype(self.inputs, self.basis)

    def parts(self, factor: int = 1) -> Iterator[Any]:
        return self.inputs.parts(factor)

    def expected_parts(self, factor: int = 1) -> int | None:
        return self.inputs.expected_parts(factor)

    def chunk(self, part: Any) -> Chunk:
        chunk = self.inputs.chunk(part)
        return chunk._replace(X=mapped_rows(self.basis, chunk.X, self.dtype, chunk.weight), columns=None)


def columns_of(inputs: Source, basis: Any) -> Any:
    """Columns that errors name: those of the inputs, or the coded ones."""
    return basis.columns if holds_gaps(basis) else inputs.columns


def holds_gaps(basis: Any) -> bool:
    return bool(getattr(basis, "gaps", False))


def mapped_rows(basis: Any, X: Any, dtype: Any, weight: np.ndarray | None) -> np.ndarray:
    """phi(x) of rows; coded columns (`CodedColumns`) look at the cells themselves, and leave gaps as they are."""
    if holds_gaps(basis):
        return basis.rows(X, dtype, weight)
    return basis.map(finite(X, dtype, weight))


def mapped_dtype(inputs: Source, basis: Any) -> np.dtype[Any]:
    """float64 where the basis asks for it, else that of the rows."""
    return np.dtype(np.float64) if getattr(basis, "double", False) else inputs.dtype


def finite(X: Any, dtype: Any, weight: np.ndarray | None = None) -> np.ndarray:
    """Dense rows without NaN and infinity, which are named by their column before the map hides it.

    What stands in rows of weight zero does not matter: zeros are as good.
    """
    rows = np.ascontiguousarray(X.toarray() if sparse.issparse(X) else X, dtype=dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        if np.isfinite(rows.sum()):
            return rows
    if weight is not None:
        rows = np.where((weight != 0)[:, None], rows, 0.0).astype(dtype, copy=False)
    raise_if_not_finite(rows)
    return rows
