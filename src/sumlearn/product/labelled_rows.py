"""Rows with their target, for a model that exists: to learn or to forget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..data.schema_matching import check_text
from .opened_table import OpenedTable
from .problems import DataProblem, suggested
from .row_ledger import row_words
from .targets import values_of_column, weights_of, whole


class LabelledRows(NamedTuple):
    """Rows that have a target: the whole table, the features, targets, and weights."""

    table: OpenedTable
    features: Any
    values: np.ndarray
    weight: np.ndarray | None
    dates: Mapping[str, str] = {}

    def words(self, columns: Sequence[str]) -> np.ndarray:
        """Rows as words for the ledger: some columns, the target and the weight."""
        for name in columns:
            self.table.require(name, "the model's rows have it")
        arrays = [column_values(as_learnt(self.table.frame.column(name), self.dates.get(name))) for name in columns]
        return row_words([*arrays, self.values, *([] if self.weight is None else [self.weight])])


def labelled_rows(table: OpenedTable, facts: dict[str, Any]) -> LabelledRows:
    """The rows of a table as a model needs them; rows without a target are an error, since they cannot be counted."""
    name = facts["target"]
    table.require(name, "the model's target")
    features = features_of(table, facts)
    target = table.frame.column(name).combine_chunks()
    missing = np.flatnonzero(np.asarray(target.is_null(nan_is_null=True)))
    if len(missing):
        raise DataProblem(f"the target {name!r} is missing in row {table.first + missing[0]}: leave such rows out")
    values = like_classes(values_of_column(target), facts)
    weight = None if facts["weights"] is None else weights_of(table, facts["weights"])
    return LabelledRows(table, features, values, weight, facts.get("dates", {}))


def check_classes(rows: LabelledRows, facts: dict[str, Any], remedy: str = "") -> None:
    """A label that the model has never met is an error."""
    if facts["task"] == "classify":
        for row in np.flatnonzero(~np.isin(rows.values, np.asarray(facts["classes"])))[:1]:
            label, place = rows.values[row].item(), rows.table.first + row
            text = f"the target {facts['target']!r} is {label!r} in row {place}{suggested(label, facts['classes'])}"
            raise DataProblem(f"{text} ({remedy})" if remedy else text)


def like_classes(values: np.ndarray, facts: dict[str, Any]) -> np.ndarray:
    """Targets of the type that the model knows: a column of digits may be text in one file and numbers in another."""
    if facts["task"] == "regress":
        if values.dtype.kind not in "fiub":
            raise DataProblem(f"the target {facts['target']!r} holds text such as {str(values[0])!r}, not numbers")
        return values.astype(float)
    known = facts["classes"][0]
    if isinstance(known, str):
        if values.dtype.kind != "U":  # 007 is no 7, and true no True
            check_text(facts["target"], f"numbers such as {values[0]}", facts["classes"])
        return values.astype(str)
    if values.dtype.kind == "f":
        values = whole(values, facts["target"])
    if values.dtype.kind == "U":
        raise DataProblem(f"the target {facts['target']!r} holds text such as {str(values[0])!r}, not numbers")
    return values.astype(bool if isinstance(known, bool) else np.int64)


def as_learnt(column: Any, type: str | None) -> Any:
    """Dates as the type that they had at the training: a file of dates alone says less than one with times."""
    import pyarrow as pa

    if type is None or pa.types.is_string(column.type):
        return column
    try:
        return column.cast(pa.type_for_alias(type))
    except pa.ArrowInvalid:  # a time where only dates were learnt
        return column


def column_values(column: Any) -> np.ndarray:
    """Numbers, with NaN where missing, or text, with None where missing."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_boolean(column.type) or pa.types.is_decimal(column.type) or pa.types.is_integer(column.type):
        column = column.cast(pa.float64(), safe=False)
    if pa.types.is_floating(column.type):
        return np.asarray(column.to_numpy(zero_copy_only=False), dtype=float)
    return np.array(column.cast(pa.string()).to_pylist(), dtype=object)


def features_of(table: OpenedTable, facts: dict[str, Any]) -> Any:
    """The columns that a model reads."""
    for name in facts["columns"]:
        table.require(name, "the model reads it")
    return table.frame.select(facts["columns"])
