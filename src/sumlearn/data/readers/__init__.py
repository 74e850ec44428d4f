"""One reader per file format: what columns there are, and their batches with fixed types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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

from ..dialect import Dialect
from ..files import format_of
from .arrow import ArrowReader
from .delimited import CsvReader
from .json_lines import JsonReader
from .kinds import common_type
from .parquet import ParquetReader
from .reader import PLAIN, Reader

__all__ = ["Reader", "label_type", "reader_of"]

READERS: dict[str, type[Reader]] = {
    "csv": CsvReader,
    "tsv": CsvReader,
    "parquet": ParquetReader,
    "arrow": ArrowReader,
    "jsonl": JsonReader,
}


def label_type(readers: Sequence[Reader], name: str) -> Any:
    """The type of a column of labels over several files: text where labels that differ as text would be one."""
    for reader in readers:
        reader.hold_spelling(name)
    forms = {reader.forms[name] for reader in readers if name in reader.forms}
    return pyarrow.string() if len(forms) > 1 else common_type([reader.types[name] for reader in readers])


def reader_of(file: str, dialect: Dialect = PLAIN) -> Reader:
    """The reader of a file, by its ending; an ending that nobody knows is read as CSV."""
    return READERS[format_of(file) or "csv"](file, dialect)
