"""MixedRows: rows of columns of different kinds, numbers beside levels, as a learner sees them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .column_values import check_empty, days_of, levels_of, numbers_of, ordered_levels_of, truth_of
from .levels import Levels, stacked_levels
from .schema import LEFT_OUT, LEVELS, Schema
from .table import ColumnTable, Table


class MixedRows:
    """Rows of a table, read by a schema: a column is what the schema says, whatever else stands in it.

    Numbers, booleans (0 and 1) and dates (days since 1970) are arrays of float64, NaN where a value is missing.
    Categories are `Levels`: names and codes, -1 where a value is missing. A chunk has the levels that occur in it, in
    the order they appear; chunks share names, not codes. Ordered categories have all levels that were declared, in
    their order. Columns are read when they are asked for.

    >>> import pandas as pd
    >>> from sumlearn.data.column_kinds import schema_by_kind
    >>> from sumlearn.data.table import table_of
    >>> table = table_of(pd.DataFrame({"size": [1.0, None, 3.0], "city": ["Rome", "Oslo", None]}))
    >>> rows = MixedRows(table, schema_by_kind(table))
    >>> rows.kinds, rows.numbers("size").tolist(), rows.levels("city")
    (('number', 'category'), [1.0, nan, 3.0], Levels(names=('Rome', 'Oslo'), codes=array([ 0,  1, -1])))
    """

    def __init__(self, table: Table, schema: Schema) -> None:
        self.table, self.schema = table, schema

    @property
    def names(self) -> tuple[str, ...]:
        return self.schema.names

    @property
    def kinds(self) -> tuple[str, ...]:
        return self.schema.kinds

    @property
    def shape(self) -> tuple[int, int]:
        return self.table.rows, len(self.schema.columns)

    def __len__(self) -> int:
        return self.table.rows

    def column(self, name: str) -> np.ndarray | Levels:
        """Numbers or levels, as the schema says."""
        return self.levels(name) if self.schema[name].kind in LEVELS else self.numbers(name)

    def numbers(self, name: str) -> np.ndarray:
        """A column of numbers, booleans or dates; one that had no values has none, and must not have got any."""
        values, place = self.table.column(name), self.schema.places[name]
        kind = self.schema[name].kind
        if isinstance(self.table, ColumnTable):
            return values
        if kind == "empty":
            check_empty(values, place)
            return np.full(len(self), np.nan)
        if kind == "boolean":
            return truth_of(values, place)
        return days_of(values, place) if kind == "date" else numbers_of(values, place)

    def levels(self, name: str) -> Levels:
        """A column of levels; one that the schema takes for something else is read as if it were a category."""
        values, column = self.table.column(name), self.schema[name]
        if column.kind == "ordered":
            return ordered_levels_of(values, column.order, self.schema.places[name])
        return levels_of(values)

    def missing(self, name: str) -> np.ndarray:
        """Which rows have no value in a column."""
        values = self.column(name)
        return values.missing if isinstance(values, Levels) else np.isnan(values)

    def take(self, rows: slice | np.ndarray) -> MixedRows:
        return MixedRows(self.table.take(rows), self.schema)

    def __getitem__(self, rows: slice | np.ndarray) -> MixedRows:
        return self.take(rows)

    def stacked(self, other: MixedRows) -> MixedRows:
        """The rows of both, one below the other."""
        return stacked_rows([self, other])

    def read_as(self, schema: Schema) -> MixedRows:
        """The same rows by another schema."""
        return self if schema is self.schema else MixedRows(self.table, schema)


def stacked_rows(blocks: list[MixedRows]) -> MixedRows:
    """Rows of several blocks of one schema, one below the other, whatever their levels are."""
    schema = blocks[0].schema
    columns: dict[str, Any] = {}
    for name in (column.name for column in schema.columns if column.kind != LEFT_OUT):
        parts: list[Any] = [block.column(name) for block in blocks]
        columns[name] = stacked_levels(parts) if isinstance(parts[0], Levels) else np.concatenate(parts)
    return MixedRows(ColumnTable(columns, sum(map(len, blocks))), schema)
