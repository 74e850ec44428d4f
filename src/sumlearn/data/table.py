"""Tables of mixed columns: one face for data frames of any library, for arrays and for columns that are read already.

Columns are found by name or by place.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from ..statistics.row_checks import unmasked
from .levels import Levels
from .names import nearest
from .source import frame_of, is_frame


class Table(ABC):
    """Rows with columns of any kind. `named` says whether the columns have names of their own."""

    named = True
    names: tuple[str, ...]
    rows: int

    @abstractmethod
    def column(self, name: str) -> Any:
        """A column: a narwhals series, an array, or levels."""

    @abstractmethod
    def take(self, rows: slice | np.ndarray) -> Table:
        """Some of the rows."""

    @abstractmethod
    def native(self) -> Any:
        """The table as it came."""

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, len(self.names)

    def matrix(self) -> np.ndarray | None:
        """All columns as they lie together in memory, where they are doubles that do."""
        return None


class FrameTable(Table):
    """A data frame of any library."""

    def __init__(self, frame: nw.DataFrame[Any]) -> None:
        self.frame, self.rows = frame, frame.shape[0]
        self.own_names = dict(zip((str(name) for name in frame.columns), frame.columns, strict=True))
        self.names = tuple(self.own_names)

    def column(self, name: str) -> Any:
        return self.frame.get_column(self.own_names[name])

    def take(self, rows: slice | np.ndarray) -> FrameTable:
        return FrameTable(self.frame[rows.start : rows.stop] if isinstance(rows, slice) else self.frame[rows])

    def native(self) -> Any:
        return self.frame.to_native()

    def matrix(self) -> np.ndarray | None:
        if not self.frame.implementation.is_pandas():
            return None
        native: Any = self.native()
        return native.to_numpy() if set(native.dtypes) == {np.dtype(float)} else None


class ArrayTable(Table):
    """An array of numbers or objects; its columns are called x0, x1, ..., or as they were called at the fit."""

    named = False

    def __init__(self, array: np.ndarray, names: tuple[str, ...] | None = None) -> None:
        self.array, self.rows = array, array.shape[0]
        self.names = names or tuple(f"x{j}" for j in range(array.shape[1]))

    def column(self, name: str) -> np.ndarray:
        return self.array[:, self.places[name]]

    @cached_property
    def places(self) -> dict[str, int]:
        return {name: j for j, name in enumerate(self.names)}

    def take(self, rows: slice | np.ndarray) -> ArrayTable:
        return ArrayTable(self.array[rows], self.names)

    def native(self) -> np.ndarray:
        return self.array

    def matrix(self) -> np.ndarray | None:
        return self.array if self.array.dtype == np.float64 else None


class ColumnTable(Table):
    """Columns that are read already: numbers as arrays, categories as levels."""

    def __init__(self, columns: dict[str, np.ndarray | Levels], rows: int) -> None:
        self.columns, self.rows, self.names = columns, rows, tuple(columns)

    def column(self, name: str) -> np.ndarray | Levels:
        return self.columns[name]

    def take(self, rows: slice | np.ndarray) -> ColumnTable:
        taken = {
            name: column.take(rows) if isinstance(column, Levels) else column[rows]
            for name, column in self.columns.items()
        }
        return ColumnTable(taken, len(np.arange(self.rows)[rows]))

    def native(self) -> dict[str, np.ndarray | Levels]:
        return self.columns


def table_of(X: Any) -> Table:
    """The table that a data frame, an array or a list of rows is."""
    if isinstance(X, Table):
        return X
    if is_frame(X):
        return FrameTable(frame_of(X))
    array = np.asarray(unmasked(X, "X"))
    if array.ndim > 2:
        raise ValueError(f"Found array with dim {array.ndim}, while dim <= 2 is required: a table is rows and columns.")
    if array.ndim < 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead: a table has rows and columns. Reshape your data "
            "either using array.reshape(-1, 1) if it has a single column or array.reshape(1, -1) if it is one row."
        )
    return ArrayTable(array)


def without(table: Table, name: str, argument: str) -> tuple[Table, Any]:
    """The table without a column, and that column."""
    if not isinstance(table, FrameTable):
        raise ValueError(f"{argument} = {name!r} names a column, so the data must be a data frame or files")
    if name not in table.names:
        raise ValueError(f"no column {name!r} for {argument}{nearest(name, list(table.names))}")
    return FrameTable(table.frame.drop(table.own_names[name])), table.column(name)
