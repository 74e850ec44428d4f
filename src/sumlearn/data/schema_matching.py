"""A table beside the schema of the fit: columns are found by name, or by place where there are no names."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import scipy.sparse as sparse

from .files import is_path
from .names import nearest
from .schema import LEFT_OUT, Schema
from .table import ArrayTable, Table, table_of


def opened(X: Any) -> Table:
    """A data frame or an array as a table; what is neither is refused."""
    if sparse.issparse(X):
        raise TypeError("Sparse data was passed for X, but dense data is required: a table has values in all cells")
    if hasattr(X, "__dask_graph__"):
        raise TypeError("a Dask collection is not read as a table of mixed columns: write it to Parquet, give the path")
    if is_path(X):
        raise TypeError("X names files, which are read by fit, partial_fit, forget and predict of TableModel alone")
    table = table_of(X)
    if isinstance(table, ArrayTable):
        if table.array.dtype.kind == "c":
            raise ValueError("Complex data not supported: X")
        if table.array.dtype.kind not in "fiubOMmUS":
            raise ValueError(f"X of dtype {table.array.dtype} is no table")
    return table


def not_empty(table: Table, minimum: int = 1) -> Table:
    rows, columns = table.shape
    if columns == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape={table.shape}) while a minimum of 1 is required.")
    if rows < minimum:
        raise ValueError(f"Found array with {rows} sample(s) (shape={table.shape}) while a minimum of 1 is required.")
    return table


def matched(table: Table, schema: Schema, ignored: Collection[str] = (), owner: str = "TableModel") -> Table:
    """The same table with the columns of the schema, none missing and none too many.

    Columns that were left out at the fit need not be there, those in `ignored` may be.
    """
    if isinstance(table, ArrayTable):
        if len(table.names) != len(schema.names):
            raise ValueError(
                f"X has {len(table.names)} features, but {owner} is expecting {len(schema.names)} features as input"
            )
        return ArrayTable(table.array, schema.names)
    check_names(table.names, schema, ignored)
    return table


def check_names(names: Collection[str], schema: Schema, ignored: Collection[str] = ()) -> None:
    present = set(names)
    for column in schema.columns:
        if column.kind != LEFT_OUT and column.name not in present:
            close = nearest(column.name, list(names))
            raise ValueError(f"the table has no column {column.name!r}, which the model needs{close}")
    strange = [name for name in names if name not in schema.by_name and name not in ignored]
    if strange:
        raise ValueError(f"the table has a column {strange[0]!r} that was not there at the fit: drop it first")


