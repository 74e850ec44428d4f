"""Tables for TableModel: data frames, arrays and files, with their targets and weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..data import Chunk, Source, vector
from ..data.coded_columns import CodedColumns
from ..data.collections import DaskSource, frame_target, is_dask
from ..data.column_kinds import adapted, decide
from ..data.column_values import text_of
from ..data.files import FileSource, is_path
from ..data.levels import order_of
from ..data.mixed_sources import files_of, first_rows, order_of_labels, typed_columns
from ..data.names import nearest
from ..data.schema import LEFT_OUT, Column, Schema
from ..data.schema_matching import check_names, check_readers, matched, not_empty, opened
from ..data.source import numbers
from ..data.table import Table, table_of, without
from ..data.table_source import TableSource
from ..data.target import Target
from ..data.target_column import numeric_column, partly_known_target, target_of
from ..features.table.codes import levels_in
from ..features.table.design import Design
from ..features.table.encoder import column_options, design_rows, names_of
from ..statistics import RowError
from .learner import Learner
from .precision import is_exact
from .validation import known_labels, label_target, numeric_target


def open_table(
    model: Any, X: Any, y: Any, weight: Any, *, reset: bool, empty_ok: bool, left_out: Sequence[str] = ()
) -> Source:
    """The source of a table, with its schema as `columns`: decided at a fit, that of the fit afterwards."""
    if is_path(X):
        return open_files(model, X, y, weight, reset=reset, left_out=left_out)
    if is_dask(X):
        return open_blocks(model, X, y, weight, reset=reset)
    known = vars(model).get("_handed_columns" if reset else "columns_")
    if known is not None:
        return open_coded(model, known, X, y, weight)
    target_name, weight_name = (value if isinstance(value, str) else None for value in (y, weight))
    table = opened(X)
    if weight_name is not None:
        table, weight = without(table, weight_name, "sample_weight")
        weight = numeric_column(weight, weight_name)
    order = order_of(y) if target_name is None else None
    if target_name is not None:
        table, column = without(table, target_name, "y")
        y = target_of(column, target_name, model.target)
        order = order_of_labels(column, y)
    not_empty(table, 0 if empty_ok else 1)
    y = checked_target(model, y)
    if reset:
        schema = with_categories(model, with_orders(model, decide(table, *column_options(model)), table))
        remember_names(model, table.names if table.named else None, len(table.names))
    else:
        levels = levels_in(model.statistic_.parts)
        table = matched(table, model.schema_, ignored_by(model), type(model).__name__, levels)
        schema = counted_by(model, adapted(model.schema_, table))
    known = Target.named(model.target)
    known = known.with_order(order) if known.labels else known
    source = TableSource(table, schema, y, checked_weight(weight, table.rows)).known_as(known)
    source.target_name, source.weight_name = target_name, weight_name
    return source


def open_coded(model: Any, columns: CodedColumns, X: Any, y: Any, weight: Any) -> Source:
    """Rows that come coded, by columns that were handed over (`with_columns`)."""
    model.columns_ = columns
    table, schema = columns.table(X)
    remember_names(model, None, len(table.names))
    return TableSource(table, schema, checked_target(model, y), checked_weight(weight, table.rows)).known_as(
        Target.named(model.target)
    )


def open_files(model: Any, X: Any, y: Any, weight: Any, *, reset: bool, left_out: Sequence[str] = ()) -> FileSource:
    """Files, where y and the weights are names of columns; kinds come from the types and from the first rows."""
    for name, value in (("y", y if model.target else None), ("sample_weight", weight)):
        if value is not None and not isinstance(value, str):
            raise ValueError(f"X names files, so {name} must name a column, got {type(value).__name__}")
    if model.target and y is None:
        raise ValueError(f"{type(model).__name__} requires y to be passed: the name of the target column")
    ids, drop, _ = options = column_options(model)
    if not model.target and isinstance(y, str):
        left_out = (*left_out, y)
    known = dict.fromkeys(categories_of(model), "category") if reset else model.schema_
    if reset:
        known |= dict.fromkeys([*ids, *drop], LEFT_OUT)
    source = files_of(X, y if model.target else None, model.target, weight, known, left_out)
    if not reset:
        check_readers(source.readers, model.schema_, levels_in(model.statistic_.parts))
        source.columns = model.schema_
        return source.labelled_like(known_labels(model), vars(model).get("_spelling"))
    schema = with_categories(model, decide(first_rows(source), *options, typed=typed_columns(source)))
    source.columns = schema  # type: ignore[assignment]
    remember_names(model, schema.names, len(schema.names))
    return source


def open_blocks(model: Any, X: Any, y: Any, weight: Any, *, reset: bool) -> DaskSource:
    """A Dask frame; its kinds come from the types and from the first rows, which a worker looks at."""
    if not hasattr(X, "columns"):
        raise TypeError("a Dask array is no table of mixed columns: give a Dask data frame")
    if model.target and y is None:
        raise ValueError(f"{type(model).__name__} requires y to be passed, but the target y is None.")
    target = Target.named(model.target)
    if not reset:
        ignored = [name for name in (y, weight) if isinstance(name, str)]
        check_names([str(name) for name in X.columns], model.schema_, [*ignored, *ignored_by(model)])
        return DaskSource(X, y, weight, target, model.schema_)
    rest = frame_target(frame_target(X, y)[0], weight)[0]
    typed = {str(name) for name, dtype in rest.dtypes.items() if dtype != np.dtype(object)}
    orders = {str(name): order for name in rest.columns if (order := order_of(rest[name]))}
    schema = with_categories(model, decided_on_worker(rest, column_options(model), typed))
    if getattr(model, "keeps_orders", False):
        schema = in_order(schema, orders)
    source = DaskSource(X, y, weight, target, schema)
    names = {"target_name": y, "weight_name": weight}
    vars(source).update({name: value if isinstance(value, str) else None for name, value in names.items()})
    remember_names(model, schema.names, len(schema.names))
    return source


def decided_on_worker(X: Any, options: Any, typed: set[str]) -> Schema:
    """The schema by the first block of a Dask frame that has rows; it alone comes here."""
    from dask import delayed

    for block in X.to_delayed():
        found = delayed(decided, pure=True)(block, delayed(options, traverse=False), typed).compute()
        if found is not None:
            return found
    raise ValueError("there are no rows in the Dask data frame")


def decided(block: Any, options: Any, typed: set[str]) -> Schema | None:
    table, (ids, drop, max_levels) = table_of(block), options
    return decide(table, ids, drop, max_levels, typed=typed) if table.rows else None


def categories_of(model: Any) -> list[str]:
    """Columns of numbers that the model takes for levels."""
    return names_of(getattr(model, "categorical_features", None), "categorical_features")


def with_orders(model: Any, schema: Schema, table: Table) -> Schema:
    """The schema with the categories that are ordered, for a model that makes something of an order."""
    if not getattr(model, "keeps_orders", False):
        return schema
    return in_order(schema, {c.name: order_of(table.column(c.name)) for c in schema.columns if c.kind == "category"})


def in_order(schema: Schema, orders: Mapping[str, Any]) -> Schema:
    """The schema with the categories that have an order."""
    columns = (
        Column(c.name, "ordered", order=tuple(map(text_of, orders[c.name] or ()))) if orders.get(c.name) else c
        for c in schema.columns
    )
    return replace(schema, columns=tuple(columns))


def with_categories(model: Any, schema: Schema) -> Schema:
    """The schema with the columns that are levels because the model says so."""
    wanted, schema = categories_of(model), counted_by(model, schema)
    for name in wanted:
        if name not in schema.by_name:
            raise ValueError(f"no column {name!r} for categorical_features{nearest(name, list(schema.names))}")
    columns = (
        Column(c.name, "numbered") if c.name in wanted and c.kind in ("number", "boolean", LEFT_OUT) else c
        for c in schema.columns
    )
    return replace(schema, columns=tuple(columns)) if wanted else schema


def counted_by(model: Any, schema: Schema) -> Schema:
    """The schema whose values are counted from zero where sums are exact: an origin would tell of the first rows."""
    learner = getattr(model, "plain_learner", model)
    if not (isinstance(learner, Learner) and is_exact(learner)):
        return schema
    return replace(schema, columns=tuple(column._replace(origin=0.0) for column in schema.columns))


def remember_names(model: Any, names: Sequence[str] | None, count: int) -> None:
    model.n_features_in_ = count
    model.__dict__.pop("feature_names_in_", None)
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)


def ignored_by(model: Any) -> list[str]:
    """Columns that are no features but may stand in a table: the target and the weights of the fit."""
    return [name for name in (model.__dict__.get("target_name_"), model.__dict__.get("weight_name_")) if name]


def checked_target(model: Any, y: Any) -> np.ndarray | None:
    if model.target is None:
        return None
    if y is None:
        raise ValueError(f"{type(model).__name__} requires y to be passed, but the target y is None.")
    if Target.named(model.target).partly:
        return partly_known_target(y)
    return numeric_target(y) if model.target == "number" else label_target(y)


def checked_weight(weight: Any, rows: int) -> np.ndarray | None:
    if weight is None:
        return None
    weight = vector(weight, "sample_weight")
    weight = weight.astype(np.float64, copy=False) if weight.dtype.kind in "fiub" else numbers(weight)
    if weight.ndim == 0:
        return np.full(rows, float(weight))
    if weight.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weight.ndim} dimensions")
    return weight


def rows_of_table(design: Design, X: Any, ignored: Sequence[str], owner: str) -> np.ndarray:
    """The features of a table or of files, in memory."""
    if not is_path(X):
        return design_rows(design, X, ignored, owner)
    source = files_of(X, None, None, None, design.schema)
    source.columns = design.schema  # type: ignore[assignment]
    for reader in source.readers:
        check_names([name for name in reader.kinds if name in source.offered], design.schema, ignored)
    check_readers(source.readers, design.schema, design.level_names)
    return np.concatenate([features_of_part(design, source.chunk(part), part) for part in source.parts()])


def features_of_part(design: Design, chunk: Chunk, part: Any) -> np.ndarray:
    """The features of a chunk; an error names the row as its part does."""
    try:
        return design.rows(chunk.X)
    except RowError as error:
        schema: Schema = design.schema
        column = None if error.column is None else schema.names[error.column]
        raise ValueError(error.describe(part.name(error.row), column)) from None


def split_named(X: Any, y: Any) -> tuple[Any, Any]:
    """A table without its target, and the target, where y may name it."""
    if not isinstance(y, str):
        return X, y
    table: Table = opened(X)
    rest, values = without(table, y, "y")
    kind = "number" if values.dtype.is_numeric() else "label"
    return rest, target_of(values, y, kind)
