"""A table of mixed columns in memory, as a source. Its chunks hold `MixedRows`, read by the schema in `columns`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .mixed import MixedRows
from .source import InMemory
from .table import Table


class TableSource(InMemory):
    """A table in memory; `target_name` and `weight_name` are the columns that y and weights were, if any."""

    target_name: str | None = None
    weight_name: str | None = None

    def __init__(self, table: Table, schema: Any, y: np.ndarray | None, weight: np.ndarray | None) -> None:
        self.table, self.columns = table, schema
        self.rows, self.features = table.shape
        super().__init__(y, weight)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.float64)

    def read(self, rows: slice | np.ndarray) -> MixedRows:
        return MixedRows(self.table.take(rows), self.columns)  # type: ignore[arg-type]

    def native(self, rows: np.ndarray) -> Any:
        return self.table.take(rows).native()
