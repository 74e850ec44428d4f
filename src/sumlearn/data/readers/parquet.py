"""Parquet, row group by row group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyarrow.parquet import ParquetFile

from .reader import Reader

DECODED = 1 << 23  # bytes of a batch: a column's part of it is then worth a call
SMALL_GROUP = 1 << 26  # bytes of a row group that is read as a whole


class ParquetReader(Reader):
    """Row groups are read one after the other without pre-buffering: memory stays at a few batches.

    A small row group is read as a whole, column by column, which is quickest. A large one is read in batches; every
    column then holds a page, and its dictionary if it has one, as long as the row group lasts: some 2 MB a column for
    files that pyarrow wrote with its default of dictionaries for all columns.
    """

    def open(self) -> Any:
        return ParquetFile(self.path, pre_buffer=False, buffer_size=65536)

    def sniff(self) -> tuple[list[str], list[Any]]:
        with self.open() as file:
            return file.schema_arrow.names, file.schema_arrow.types

    def expected_rows(self) -> int:
        with self.open() as file:
            return file.metadata.num_rows

    def units(self) -> list[int]:
        with self.open() as file:
            return [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]

    def read(self, types: dict[str, Any], rows: int, units: int = 0) -> Iterator[Any]:
        width = 8 * len(types)
        at_a_time = max(rows, DECODED // width // rows * rows)
        with self.open() as file:
            for group in range(units, file.num_row_groups):
                if file.metadata.row_group(group).num_rows * width <= SMALL_GROUP:
                    yield from file.read_row_group(group, columns=list(types)).to_batches()
                else:
                    yield from file.iter_batches(at_a_time, row_groups=[group], columns=list(types))
