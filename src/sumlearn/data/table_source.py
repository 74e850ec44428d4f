"""Where rows of mixed tables come from: data frames and arrays in memory, and files as a stream.

Chunks hold a `Table` in place of an array; `columns` says what its columns are, and is set by whoever decides it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from .chunk import Chunk
from .files import FileSource, column_array
from .source import InMemory
from .stream import Picked
from .table import LEFT_OUT, Table


class TableSource(InMemory):
    """A table in memory."""

    target_name: str | None = None
    weight_name: str | None = None

    def __init__(self, table: Table, columns: Any, y: np.ndarray | None, weight: np.ndarray | None) -> None:
        self.table, self.columns = table, columns
        self.rows, self.features = table.shape
        super().__init__(y, weight)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.float64)

    def read(self, rows: slice | np.ndarray) -> Table:
        return self.table.take(rows)

    def native(self, rows: np.ndarray) -> Any:
        return self.table.take(rows).native()


class TableFiles(FileSource):
    """Rows of files whose columns are of any kind; numbers are read as float64, text and dates as they are."""

    mixed = True

    def __init__(
        self,
        where: Any,
        target: str | None,
        kind: str | None,
        weight: str | None,
        features: Sequence[str] | None,
        left_out: Sequence[str] = (),
    ) -> None:
        super().__init__(where, target, kind, weight, features, left_out)
        self.target_name, self.weight_name = target, weight

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.float64)

    def types(self) -> dict[str, Any]:
        from .readers.kinds import column_type

        found = {name: column_type([reader.types[name] for reader in self.readers]) for name in self.wanted()}
        assert self.columns is not None
        return found | {name: type for name, type in super().types().items() if name not in self.columns.names}

    def wanted(self) -> list[str]:
        """The columns that are read."""
        assert self.columns is not None
        return [name for name, kind in zip(self.columns.names, self.columns.kinds, strict=True) if kind != LEFT_OUT]

    def counted(self) -> int:
        return sum(part.table.num_rows for part in self.parts(16))

    def chunk(self, part: Any) -> Chunk:
        if isinstance(part, Picked):
            return part.chunk
        y = weight = None
        if self.target is not None:
            y = column_array(part.table.column(self.target), self.kind, part)
        if self.weights is not None:
            weight = column_array(part.table.column(self.weights), "number", part)
        return Chunk(self.table_of(part.table), y, weight, self.columns)

    def first(self) -> Table:
        """The first rows: enough to look at what the columns hold."""
        return self.table_of(next(iter(self.parts(16))).table)

    def table_of(self, table: Any) -> Table:
        return Table(nw.from_native(table.select(self.wanted()), eager_only=True))

    def gather(self, patterns: Sequence[np.ndarray]) -> list[InMemory]:
        held: list[list[Any]] = [[] for _ in patterns]
        for part in self.parts(1, patterns):
            for pattern, rows in part.picks:
                held[pattern].append(part.table.take(rows))
        return [self.together(rows, tables) for rows, tables in zip(patterns, held, strict=True)]

    def together(self, rows: np.ndarray, tables: list[Any]) -> TableSource:
        import pyarrow as pa

        y = None if self.y is None else self.y[rows]
        weight = None if self.weight is None else self.weight[rows]
        return TableSource(self.table_of(pa.concat_tables(tables)), self.columns, y, weight)
