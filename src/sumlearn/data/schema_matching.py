"""A table beside the schema of the fit: columns are found by name, or by place where there are no names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import scipy.sparse as sparse

from .column_values import array_of
from .files import is_path
from .levels import Levels
from .missing import is_missing
from .names import nearest
from .schema import LEFT_OUT, Schema
from .table import ArrayTable, Table, table_of

WRITTEN = re.compile(r"True|False|-?(0|[1-9]\d*)(\.\d+)?(e[-+]\d+)?")  # a number or a truth value as a level


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


def matched(
    table: Table,
    schema: Schema,
    ignored: Collection[str] = (),
    owner: str = "TableModel",
    levels: Mapping[str, Collection[str]] | None = None,
) -> Table:
    """The same table with the columns of the schema, none missing and none too many, and text where `levels` are text.

    Columns that were left out at the fit need not be there, those in `ignored` may be.
    """
    if isinstance(table, ArrayTable):
        if len(table.names) != len(schema.names):
            raise ValueError(
                f"X has {len(table.names)} features, but {owner} is expecting {len(schema.names)} features as input"
            )
        table = ArrayTable(table.array, schema.names)
    else:
        check_names(table.names, schema, ignored)
    for name, known in text_levels(schema, levels or {}):
        check_text(name, other_than_text(table.column(name)), known)
    return table


def check_readers(readers: Sequence[Any], schema: Schema, levels: Mapping[str, Collection[str]]) -> None:
    """The same for files whose values have types."""
    for name, known in text_levels(schema, levels):
        for reader in readers:
            typed = not reader.untyped and reader.kinds[name] in ("number", "boolean", "date")
            if typed or reader.kinds[name] == "bytes":
                check_text(name, f"{reader.kinds[name]} values in {reader.file!r}", known)


def text_levels(schema: Schema, levels: Mapping[str, Collection[str]]) -> Iterator[tuple[str, Collection[str]]]:
    """Categories and their levels."""
    for column in schema.columns:
        if column.kind == "category":
            yield column.name, levels.get(column.name, ())


def check_text(name: str, other: str, known: Collection[str]) -> None:
    """Numbers as levels would be called otherwise than the text that they once were: 007 is no 7, true no True.

    They are taken where all levels are numbers or truth values that became levels.
    """
    word = next((level for level in sorted(known) if not WRITTEN.fullmatch(level)), None)
    if other and word is not None:
        raise ValueError(
            f"column {name!r} holds {other}, where the model has text such as {word!r}: give the column as text, "
            "written as it was learnt"
        )


def other_than_text(values: Any) -> str:
    """What a column holds that is no text, in words; nothing if there is none."""
    if isinstance(values, Levels):
        return ""
    if isinstance(values, nw.Series) and values.dtype != nw.Object:
        inner = values.cat.get_categories().dtype if values.dtype in (nw.Categorical, nw.Enum) else values.dtype
        plain = inner == nw.String or values.null_count() == len(values)
        return "" if plain else f"values of type {inner}"
    for row, value in enumerate(array_of(values)):
        if not isinstance(value, str) and not is_missing(value):
            return f"{value!r} (row {row})"
    return ""


def check_names(names: Collection[str], schema: Schema, ignored: Collection[str] = ()) -> None:
    present = set(names)
    for column in schema.columns:
        if column.kind != LEFT_OUT and column.name not in present:
            close = nearest(column.name, list(names))
            raise ValueError(f"the table has no column {column.name!r}, which the model needs{close}")
    strange = [name for name in names if name not in schema.by_name and name not in ignored]
    if strange:
        raise ValueError(f"the table has a column {strange[0]!r} that was not there at the fit: drop it first")
