"""Tables of mixed columns: one face for data frames of any library and for arrays; columns by name or by place."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from .names import nearest
from .source import is_frame

LEFT_OUT = "left out"  # the kind of a column that is not read


class Table:
    """Rows with columns of any kind. `named` says whether the columns have names of their own."""

    named = True

    def __init__(self, frame: nw.DataFrame[Any]) -> None:
        self.frame = frame
        self.own_names = dict(zip((str(name) for name in frame.columns), frame.columns, strict=True))
        self.names = tuple(self.own_names)

    @property
    def rows(self) -> int:
        return self.frame.shape[0]

    def column(self, name: str) -> Any:
        """A column, as a narwhals series or as an array."""
        return self.frame.get_column(self.own_names[name])

    def take(self, rows: slice | np.ndarray) -> Table:
        return Table(self.frame[rows.start : rows.stop] if isinstance(rows, slice) else self.frame[rows])

    def __getitem__(self, rows: slice | np.ndarray) -> Table:
        return self.take(rows)

    def native(self) -> Any:
        return self.frame.to_native()

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, len(self.names)


class ArrayTable(Table):
    """An array of numbers or objects; its columns are called x0, x1, ..., or as they were called at the fit."""

    named = False

    def __init__(self, array: np.ndarray, names: tuple[str, ...] | None = None) -> None:
        self.array = array
        self.names = names or tuple(f"x{j}" for j in range(array.shape[1]))

    @property
    def rows(self) -> int:
        return self.array.shape[0]

    def column(self, name: str) -> np.ndarray:
        return self.array[:, self.names.index(name)]

    def take(self, rows: slice | np.ndarray) -> ArrayTable:
        return ArrayTable(self.array[rows], self.names)

    def native(self) -> np.ndarray:
        return self.array


def table_of(X: Any) -> Table:
    """The table that a data frame, an array or a list of rows is."""
    if isinstance(X, Table):
        return X
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        names = [str(name) for name in frame.columns]
        repeated = next((name for i, name in enumerate(names) if name in names[:i]), None)
        if repeated is not None:
            raise ValueError(f"column {repeated!r} stands more than once in X")
        return Table(frame)
    array = np.asarray(X)
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
    if not table.named:
        raise ValueError(f"{argument} = {name!r} names a column, so the data must be a data frame or files")
    if name not in table.names:
        raise ValueError(f"no column {name!r} for {argument}{nearest(name, list(table.names))}")
    return Table(table.frame.drop(table.own_names[name])), table.column(name)
