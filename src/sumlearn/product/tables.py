"""Tables by path, glob, folder, standard input or bundled name: in memory with all their columns, or in blocks."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..data.examples import ENTRIES, TABLES
from ..data.files import STDIN, find_files
from .named_tables import MADE, made_table
from .problems import DataProblem, suggested

ROWS_AT_A_TIME = 65536
BLOCK = 64 << 20  # bytes of a block, or so
CELL = 8  # bytes of a value, or so
PACKED = 6  # times that packed text grows


@dataclass(frozen=True, eq=False)
class OpenedTable:
    """A table in memory and where it came from.

    Attributes
    ----------
    frame : pyarrow.Table
    name : str
        A short name: of the file without its ending, or of the bundled table.
    origin : str
        What reads it again: an absolute path or pattern, a bundled name, or "-".
    digest : str
        SHA-256 of the bytes of its files.
    target : str or None
        The target that a bundled table is known for.
    first : int
        Number of its first row, where it is a block of a larger table.
    """

    frame: Any
    name: str
    origin: str
    digest: str
    target: str | None = None
    first: int = 0

    @property
    def columns(self) -> list[str]:
        return list(self.frame.column_names)

    @property
    def rows(self) -> int:
        return int(self.frame.num_rows)

    def require(self, name: str, option: str) -> None:
        """A column that an option names must be there."""
        if self.frame.schema.get_field_index(name) < 0:
            raise DataProblem(f"no column {name!r} in {self.origin!r}{suggested(name, self.columns)} ({option})")


Table = OpenedTable  # its public name


@dataclass(frozen=True, eq=False)
class Blocks:
    """A table in files that is read block by block, as often as it is gone through.

    Attributes
    ----------
    readers : list of Reader
    types : dict {column: Arrow type}
        Decided over several blocks of all files.
    name, origin, digest
        As of an OpenedTable.
    """

    readers: list[Any]
    types: dict[str, Any]
    name: str
    origin: str
    target: str | None = None

    @property
    def columns(self) -> list[str]:
        return list(self.types)

    @cached_property
    def digest(self) -> str:
        digest = hashlib.sha256()
        for reader in self.readers:
            with open(reader.path, "rb") as raw:
                for block in iter(lambda raw=raw: raw.read(1 << 20), b""):  # type: ignore[misc]
                    digest.update(block)
        return digest.hexdigest()

    @property
    def bytes_in_memory(self) -> int:
        """About how much memory the whole table takes."""
        expected = [reader.expected_rows() for reader in self.readers]
        if None in expected:
            return sum(PACKED * os.path.getsize(reader.path) for reader in self.readers)
        return CELL * len(self.types) * sum(expected)

    def __iter__(self) -> Iterator[OpenedTable]:
        import pyarrow as pa

        schema, first = pa.schema(list(self.types.items())), 0
        size = min(ROWS_AT_A_TIME, max(1024, BLOCK // (CELL * len(self.types))))
        for reader in self.readers:
            for _, batch in reader.batches(self.types, size):
                for at in range(0, batch.num_rows, size):
                    frame = pa.Table.from_batches([batch.slice(at, size)], schema=schema)
                    yield OpenedTable(frame, self.name, self.origin, "", self.target, first)
                    first += frame.num_rows

    def whole(self) -> OpenedTable:
        """All rows in memory."""
        import pyarrow as pa

        schema = pa.schema(list(self.types.items()))
        batches = [batch for reader in self.readers for _, batch in reader.batches(self.types, ROWS_AT_A_TIME)]
        frame = pa.Table.from_batches(batches, schema=schema).combine_chunks()
        return OpenedTable(frame, self.name, self.origin, self.digest, self.target)


def open_table(where: str | os.PathLike[str], memory: float = BLOCK) -> OpenedTable | Blocks:
    """A table in memory if it takes less than `memory` bytes, else in blocks: CSV, TSV, Parquet, Arrow or JSON lines.

    A path, a glob, a folder, "-", or a name of `sumlearn datasets`; a file or folder of that name goes before it. Types
    of CSV columns are decided over several blocks of the file. Whatever is wrong with a file is an error that names it,
    with its line.
    """
    text = os.fspath(where)
    if text in (*ENTRIES, *MADE) and not os.path.exists(text):
        return named_table(text)
    try:
        files = find_files(text)
    except FileNotFoundError as error:
        advice = "(`sumlearn datasets` lists the tables that are there by name)"
        raise DataProblem(f"{error}{suggested(text, (*ENTRIES, *MADE))} {advice}") from None
    readers, types = readers_of(files)
    blocks = Blocks(readers, types, short_name(text), STDIN if text == STDIN else os.path.abspath(text))
    if blocks.bytes_in_memory > memory:
        return blocks
    table = blocks.whole()
    if not table.rows:
        raise DataProblem(f"there are no rows in {text!r}")
    return table


def read_table(where: str | os.PathLike[str]) -> OpenedTable:
    """Read a table into memory, whatever it takes; see `open_table`.

    Examples
    --------
    >>> from sumlearn.product import read_table
    >>> iris = read_table("iris")
    >>> iris.rows, iris.columns[-1], iris.target
    (150, 'Species', 'Species')
    """
    table = open_table(where, float("inf"))
    assert isinstance(table, OpenedTable)
    return table


def named_table(name: str) -> OpenedTable:
    """A bundled table, or one that is made."""
    if name in MADE:
        frame, digest = made_table(name)
        return OpenedTable(frame, name, name, digest, MADE[name].target)
    entry = ENTRIES[name]
    table = Blocks(*readers_of([str(TABLES / entry.file)]), name, name, entry.target).whole()
    frame = table.frame if entry.row_names is None else table.frame.drop_columns([entry.row_names])
    return OpenedTable(frame, name, name, table.digest, entry.target)


def as_table(data: Any, name: str = "table") -> OpenedTable:
    """A table that is there already (pyarrow, pandas, polars), or one that is named."""
    import narwhals.stable.v2 as nw

    if isinstance(data, OpenedTable):
        return data
    if isinstance(data, Blocks):
        return data.whole()
    if isinstance(data, str | os.PathLike):
        return read_table(data)
    return OpenedTable(nw.from_native(data, eager_only=True).to_arrow(), name, "", "")


def tables_of(data: Any) -> Iterator[OpenedTable]:
    """A table as it comes: block by block, or at once."""
    if isinstance(data, Blocks):
        yield from data
    else:
        yield as_table(data)


def readers_of(files: list[str]) -> tuple[list[Any], dict[str, Any]]:
    """The readers of some files with the same columns, and the types that hold the values of all of them."""
    import pyarrow as pa

    from ..data.readers import reader_of
    from ..data.readers.kinds import wider

    readers = [reader_of(file) for file in files]
    types = dict(readers[0].types)
    for reader in readers[1:]:
        strange = set(reader.types) ^ set(types)
        if strange:
            raise DataProblem(f"column {min(strange)!r} is not in all files: {files[0]!r} and {reader.file!r} differ")
        types = {name: wider(type, reader.types[name]) for name, type in types.items()}
    # a column that is empty everywhere has no type of its own
    return readers, {name: pa.float64() if pa.types.is_null(type) else type for name, type in types.items()}


def short_name(text: str) -> str:
    """
    >>> short_name("trips/2024-*.parquet"), short_name("-"), short_name("data/pima.csv.gz")
    ('2024', 'stdin', 'pima')
    """
    if text == STDIN:
        return "stdin"
    stem = Path(text.rstrip("/")).name.split(".")[0]
    return stem.replace("*", "").replace("?", "").strip("-_ ") or "table"
