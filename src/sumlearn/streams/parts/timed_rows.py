"""Rows with their times, portion by portion, in the order in which they come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...data import Chunk, Source
from ...data.collections import DaskSource
from ...data.mapped import inputs_of
from ...engines.summing import named_column
from ...statistics import RowError
from ...statistics.row_checks import checked_weight
from .times import Times, times_of


@dataclass(frozen=True, eq=False)
class TimedRows:
    """Some rows of a source that weigh something: a chunk, the numbers of its rows in their part, and their times."""

    chunk: Chunk
    numbers: np.ndarray  # in the part that was read
    times: np.ndarray | None
    part: Any
    source: Source

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: slice | np.ndarray) -> TimedRows:
        X, y, weight, columns = self.chunk
        chunk = Chunk(X[rows], None if y is None else y[rows], None if weight is None else weight[rows], columns)
        times = None if self.times is None else self.times[rows]
        return TimedRows(chunk, self.numbers[rows], times, self.part, self.source)

    def in_order(self) -> TimedRows:
        """The same rows by their times; those of one time as they came."""
        if self.times is None or len(self) < 2 or (self.times[1:] >= self.times[:-1]).all():
            return self
        return self.take(np.argsort(self.times, kind="stable"))

    def summary(self, summarise: Any, factor: np.ndarray | None = None) -> Any:
        """summarise(chunk), every weight times its factor; a bad value is named by its row and column."""
        chunk = self.chunk
        if factor is not None:
            chunk = chunk._replace(weight=factor if chunk.weight is None else factor * chunk.weight)
        try:
            return summarise(chunk)
        except RowError as error:
            raise ValueError(error.describe(self.name(error.row), named_column(error, self.source))) from None

    def name(self, row: int) -> str:
        """What to call a row in an error."""
        return self.part.name(int(self.numbers[row]))


def timed_rows(source: Source, times: Times | None, time_name: str | None) -> Iterator[tuple[TimedRows, str | None]]:
    """All rows of positive weight with their times, and the kind of these; files have a column of them."""
    inputs = inputs_of(source)
    if isinstance(inputs, DaskSource):
        raise ValueError("a Dask collection has no time that passes: hand over its parts one after the other")
    if times is not None and source.rows is not None and len(times.values) != source.rows:
        raise ValueError(f"there are {source.rows} rows and {len(times.values)} times: each row has one")
    parts = source.parts() if time_name is None else parts_with_time(inputs, time_name)
    first = 0
    for part in parts:
        chunk = source.chunk(part)
        size = chunk.X.shape[0]
        if time_name is not None:
            found: Times | None = times_of_part(part, time_name)
        else:
            found = None if times is None else Times(times.kind, times.values[first : first + size])
        first += size
        rows = TimedRows(chunk, np.arange(size), None if found is None else found.values, part, source)
        yield without_absent(rows), None if found is None else found.kind


def without_absent(rows: TimedRows) -> TimedRows:
    """Rows of weight zero are none: no window counts them, and no time passes."""
    if rows.chunk.weight is None:
        return rows
    try:
        weight = checked_weight(rows.chunk.weight, len(rows))
    except RowError as error:
        raise ValueError(error.describe(rows.name(error.row), error.column)) from None
    return rows if weight.all() else rows.take(np.flatnonzero(weight))


def parts_with_time(files: Any, name: str) -> Iterator[Any]:
    """Parts of files that hold the column of times too."""
    import pyarrow as pa

    from ...data.chunk import chunk_rows

    kinds = {reader.kinds.get(name) for reader in files.readers}
    if None in kinds:
        raise ValueError(f"no column {name!r} for the time in {files.readers[0].file!r}")
    if not kinds <= {"number", "date"}:
        raise ValueError(f"the time {name!r} holds {sorted(map(str, kinds))[0]} values, not numbers or moments")
    written = {reader.types[name] for reader in files.readers}
    type = pa.float64() if kinds == {"number"} else written.pop() if len(written) == 1 else pa.timestamp("ns")
    first = 0
    for part in files.cut(chunk_rows(files.features), {**files.types(), name: type}):
        yield part._replace(first=first)
        first += part.table.num_rows


def times_of_part(part: Any, name: str) -> Times:
    column = part.table.column(name)
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise ValueError(f"the time {name!r} is missing at row {part.name(row)}")
    times = times_of(column.to_numpy(), f"the time {name!r}")
    return times._replace(kind="moment with zone") if getattr(column.type, "tz", None) is not None else times
