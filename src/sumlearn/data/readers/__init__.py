"""One reader per file format: what columns there are, and their batches with fixed types."""

from __future__ import annotations

try:
    import pyarrow
    import pyarrow.csv
    import pyarrow.ipc
    import pyarrow.json
    import pyarrow.parquet
except ImportError as error:
    raise ImportError(
        "reading tables from files needs pyarrow: pip install 'sumlearn[cli]' (or pip install pyarrow)"
    ) from error

from ..files import format_of
from .arrow import ArrowReader
from .delimited import CsvReader
from .json_lines import JsonReader
from .kinds import common_type
from .parquet import ParquetReader
from .reader import Reader

__all__ = ["Reader", "common_type", "reader_of"]

READERS: dict[str, type[Reader]] = {
    "csv": CsvReader,
    "tsv": CsvReader,
    "parquet": ParquetReader,
    "arrow": ArrowReader,
    "jsonl": JsonReader,
}


def reader_of(file: str) -> Reader:
    """The reader of a file, by its ending; an ending that nobody knows is read as CSV."""
    return READERS[format_of(file) or "csv"](file)
