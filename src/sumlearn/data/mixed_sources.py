"""Mixed columns, opened: data frames, files and Dask frames whose chunks hold levels beside numbers.

Kinds come from a schema where there is one: a column is a category, a number or a date because the model says so. Where
there is none, a data frame is looked at as a whole, files and Dask frames by their types and first rows, so that they
are read once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .collections import DaskSource, block_rows, frame_target, is_dask
from .column_kinds import schema_by_kind
from .file_rows import MixedFileRows
from .files import FileSource, is_path
from .levels import order_of
from .schema import LEFT_OUT, NUMERIC, Schema
from .schema_matching import check_names, matched, opened
from .source import Source, numbers
from .table import ArrayTable, Table, table_of, without
from .table_source import TableSource
from .target import Target
from .target_column import numeric_column, target_of

Kinds = Schema | Mapping[str, Any] | None


def open_mixed(
    X: Any,
    y: Any = None,
    weight: Any = None,
    *,
    target: Target | str | None = None,
    schema: Kinds = None,
    left_out: Sequence[str] = (),
) -> Source:
    """A source whose chunks hold `MixedRows`.

    `y` and `weight` name columns or are arrays of as many rows (Dask collections, if X is one). `target` says what y is
    asked for as. `schema` is the schema of a model, which rules; or says of some columns what they are (a kind, or the
    levels of an ordered category from lowest to highest); or is None. An array must hold numbers: text that nobody
    named a column is refused.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": [1.0, 2.0], "city": ["Rome", None], "kind": ["dear", "fair"]})
    >>> source = open_mixed(frame, "kind", target="label", schema={"size": "category"})
    >>> [(chunk.X.kinds, chunk.X.levels("size").names, chunk.y.tolist()) for chunk in source.chunks()]
    [(('numbered', 'category'), ('1', '2'), ['dear', 'fair'])]
    """
    wanted = Target.named(target)
    if is_path(X):
        return mixed_files(X, y, weight, wanted, schema, left_out)
    if is_dask(X):
        return mixed_blocks(X, y, weight, wanted, schema)
    table = table_of_numbers(opened(X))
    names = [value if isinstance(value, str) else None for value in (y, weight)]
    if names[1] is not None:
        table, weight = without(table, names[1], "sample_weight")
        weight = numeric_column(weight, names[1])
    if names[0] is not None:
        table, column = without(table, names[0], "y")
        y = target_of(column, names[0], wanted) if wanted.kind else None
        wanted = wanted.with_order(order_of_labels(column, y)) if wanted.labels else wanted
    for name in left_out:
        table, _ = without(table, name, "left_out")
    if isinstance(schema, Schema):
        table = matched(table, schema, owner="the model")
    else:
        schema = schema_by_kind(table, schema)
    source = TableSource(table, schema, None if wanted.kind is None else y, weight)
    source.target_name, source.weight_name = names
    return source.known_as(wanted)


def order_of_labels(column: Any, labels: np.ndarray) -> tuple[Any, ...] | None:
    """The order of a column, in words where its labels are words."""
    order = order_of(column)
    return tuple(map(str, order)) if order is not None and labels.dtype.kind == "U" else order


def table_of_numbers(table: Table) -> Table:
    """A data frame as it is; an array if it holds numbers."""
    if not isinstance(table, ArrayTable) or table.array.dtype.kind in "fiub":
        return table
    if table.array.dtype.kind != "O":
        raise ValueError(
            f"dtype='numeric' is not compatible with arrays of bytes/strings: X has dtype {table.array.dtype}"
        )
    return ArrayTable(numbers(table.array), table.names)


# -- files -------------------------------------------------------------------------------------------------------------


def mixed_files(X: Any, y: Any, weight: Any, target: Target, schema: Kinds, left_out: Sequence[str]) -> FileSource:
    """Files, where y and the weights are names of columns."""
    for name, value in (("y", y if target.kind else None), ("sample_weight", weight)):
        if value is not None and not isinstance(value, str):
            raise ValueError(f"X names files, so {name} must name a column, got {type(value).__name__}")
    ignored = [name for name in (y, weight) if isinstance(name, str)]
    source = files_of(X, y if target.kind else None, target, weight, schema, (*left_out, *ignored))
    if isinstance(schema, Schema):
        for reader in source.readers:
            check_names([name for name in reader.kinds if name in source.offered], schema, (*ignored, *left_out))
        source.columns = schema  # type: ignore[assignment]
        return source
    assert source.columns is not None
    orders = {name: order for name in source.columns.names if (order := source.order_of(name))}
    found = schema_by_kind(first_rows(source), schema, typed_columns(source), orders)
    source.columns = found  # type: ignore[assignment]
    return source


def files_of(
    X: Any,
    target_name: str | None,
    target: Target | str | None,
    weight_name: str | None,
    schema: Kinds,
    left_out: Sequence[str] = (),
) -> FileSource:
    """Files of mixed columns; a schema is still to be set as their `columns`, a whole one names them.

    Columns that are levels, or left out, are read as they are written.
    """
    ruled = isinstance(schema, Schema)
    kinds = dict(zip(schema.names, schema.kinds, strict=True)) if isinstance(schema, Schema) else schema or {}
    words = [name for name, kind in kinds.items() if kind not in (*NUMERIC, "empty")]
    names = [name for name, kind in kinds.items() if kind != LEFT_OUT] if ruled else None
    return FileSource(X, target_name, target, weight_name, names, left_out, MixedFileRows(words))


def first_rows(source: FileSource) -> Table:
    """The first rows of files: enough to look at what the columns hold."""
    return MixedFileRows().table(next(iter(source.parts(16))).table, source.columns)


def typed_columns(source: FileSource) -> set[str]:
    """The columns that have a type in some file, so that a kind is known even where the first rows have no value."""
    assert source.columns is not None
    return {name for name in source.columns.names if any(r.kinds[name] != "empty" for r in source.readers)}


# -- Dask --------------------------------------------------------------------------------------------------------------


def mixed_blocks(X: Any, y: Any, weight: Any, target: Target, schema: Kinds) -> DaskSource:
    """A Dask frame; kinds are looked up by the worker that has the first rows, and only they come here."""
    if not hasattr(X, "columns"):
        raise TypeError("a Dask array has no mixed columns: give a Dask data frame")
    if isinstance(schema, Schema):
        ignored = [name for name in (y, weight) if isinstance(name, str)]
        check_names([str(name) for name in X.columns], schema, ignored)
        return DaskSource(X, y, weight, target, schema)
    rest = frame_target(frame_target(X, y)[0], weight)[0]
    typed = {str(name) for name, dtype in rest.dtypes.items() if dtype != np.dtype(object)}
    orders = {str(name): order for name in rest.columns if (order := order_of(rest[name]))}
    return DaskSource(X, y, weight, target, schema_of_blocks(rest, schema, typed, orders))


def schema_of_blocks(X: Any, declared: Any, typed: set[str], orders: dict[str, Any]) -> Schema:
    """The schema by the first block that has rows."""
    from dask import delayed

    for block in X.to_delayed():
        found = delayed(schema_of_block, pure=True)(block, delayed(declared, traverse=False), typed, orders).compute()
        if found is not None:
            return found
    raise ValueError("there are no rows in the Dask data frame")


def schema_of_block(block: Any, declared: Any, typed: set[str], orders: dict[str, Any]) -> Schema | None:
    """On a worker: what the columns of a block are; None if it has no rows."""
    return schema_by_kind(table_of(block), declared, typed, orders) if block_rows(block) else None
