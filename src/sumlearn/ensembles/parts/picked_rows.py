"""Some rows or some columns of a source, as a source of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...data import Chunk, Columns, InMemory, Source
from ...data.mapped import inputs_of
from ...data.source import is_frame


def cut_columns(columns: Columns | None, chosen: np.ndarray) -> Columns | None:
    """Names and kinds of some columns."""
    if columns is None:
        return None
    return Columns(*(tuple(part[j] for j in chosen) for part in columns))


def cut(X: Any, columns: np.ndarray | None) -> Any:
    """Some columns of rows, or of a table of any library; None is all of them."""
    if columns is None:
        return X
    if not is_frame(X):
        return X[:, columns]
    import narwhals.stable.v2 as nw

    frame = nw.from_native(X, eager_only=True)
    return frame.select([frame.columns[j] for j in columns]).to_native()


class PickedRows(InMemory):
    """Some rows of a source in memory, with targets of their own where they are given."""

    def __init__(self, whole: InMemory, numbers: np.ndarray, y: np.ndarray | None = None) -> None:
        self.whole, self.numbers = whole, numbers
        self.rows, self.features, self.columns, self.gaps = len(numbers), whole.features, whole.columns, whole.gaps
        y = y if y is not None or whole.y is None else whole.y[numbers]
        super().__init__(y, None if whole.weight is None else whole.weight[numbers])

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.whole.dtype

    def read(self, rows: slice | np.ndarray) -> Any:
        return self.whole.read(self.numbers[rows])

    def native(self, rows: np.ndarray) -> Any:
        return inputs_of(self.whole).native(self.numbers[rows])  # type: ignore[attr-defined]


class PickedColumns(InMemory):
    """Some columns of a source in memory; `chosen` are their numbers."""

    def __init__(self, whole: InMemory, chosen: np.ndarray) -> None:
        self.whole, self.chosen = whole, chosen
        self.rows, self.features, self.gaps = whole.rows, len(chosen), whole.gaps
        self.columns = cut_columns(whole.columns, chosen)
        super().__init__(whole.y, whole.weight)
        self.target = whole.target

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.whole.dtype

    def read(self, rows: slice | np.ndarray) -> Any:
        if not len(self.chosen):
            return np.zeros((len(np.arange(self.rows)[rows]), 0))
        return self.whole.read(rows)[:, self.chosen]

    def native(self, rows: np.ndarray) -> Any:
        return cut(inputs_of(self.whole).native(rows), self.chosen)  # type: ignore[attr-defined]


class PickedColumnsStream(Source):
    """Some columns of files or of blocks on a cluster."""

    def __init__(self, whole: Source, chosen: np.ndarray) -> None:
        self.inputs, self.chosen = whole, chosen  # by `inputs` an engine finds where the rows are
        self.rows, self.features, self.gaps = whole.rows, len(chosen), whole.gaps
        self.columns, self.target = cut_columns(whole.columns, chosen), whole.target

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.inputs.dtype

    def parts(self, factor: int = 1) -> Iterator[Any]:
        return self.inputs.parts(factor)

    def expected_parts(self, factor: int = 1) -> int | None:
        return self.inputs.expected_parts(factor)

    def chunk(self, part: Any) -> Chunk:
        chunk = self.inputs.chunk(part)
        return chunk._replace(X=chunk.X[:, self.chosen], columns=self.columns)


def with_columns(source: Source, chosen: np.ndarray) -> Source:
    """The source of some columns; of all of them in their order, the source itself."""
    if np.array_equal(chosen, np.arange(source.features)):
        return source
    return (PickedColumns if isinstance(source, InMemory) else PickedColumnsStream)(source, chosen)  # type: ignore
