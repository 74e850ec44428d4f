"""Tables by path, glob, folder, standard input or bundled name, in memory with all their columns."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..data.examples import ENTRIES, TABLES
from ..data.files import STDIN, find_files
from .named_tables import MADE, made_table
from .problems import DataProblem, suggested

ROWS_AT_A_TIME = 65536


@dataclass(frozen=True, eq=False)
class Table:
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
    """

    frame: Any
    name: str
    origin: str
    digest: str
    target: str | None = None

    @property
    def columns(self) -> list[str]:
        return list(self.frame.column_names)

    @property
    def rows(self) -> int:
        return int(self.frame.num_rows)

    def require(self, name: str, option: str) -> None:
        """A column that an option names must be there."""
        if name not in self.columns:
            raise DataProblem(f"no column {name!r} in {self.origin!r}{suggested(name, self.columns)} ({option})")


def read_table(where: str | os.PathLike[str]) -> Table:
    """Read a table: CSV, TSV, Parquet, Arrow or JSON lines; a path, a glob, a folder, "-", or a bundled name.

    A file or folder of that name goes before a bundled table. Types of CSV columns are decided over several blocks of
    the file. Whatever is wrong with a file is an error that names it, with its line.

    Examples
    --------
    >>> from sumlearn.product import read_table
    >>> iris = read_table("iris")
    >>> iris.rows, iris.columns[-1], iris.target
    (150, 'Species', 'Species')
    """
    text = os.fspath(where)
    if text in (*ENTRIES, *MADE) and not os.path.exists(text):
        return named_table(text)
    try:
        files = find_files(text)
    except FileNotFoundError as error:
        raise DataProblem(f"{error}{suggested(text, (*ENTRIES, *MADE))} (`sumlearn datasets` lists the bundled tables)") from None
    frame, digest = read_files(files)
    if not frame.num_rows:
        raise DataProblem(f"there are no rows in {text!r}")
    return Table(frame, short_name(text), STDIN if text == STDIN else os.path.abspath(text), digest)


def named_table(name: str) -> Table:
    """A bundled table, or one that is made."""
    if name in MADE:
        frame, digest = made_table(name)
        return Table(frame, name, name, digest, MADE[name].target)
    entry = ENTRIES[name]
    frame, digest = read_files([str(TABLES / entry.file)])
    if entry.row_names is not None:
        frame = frame.drop_columns([entry.row_names])
    return Table(frame, name, name, digest, entry.target)


def as_table(data: Any, name: str = "table") -> Table:
    """A table that is there already (pyarrow, pandas, polars), or one that is named."""
    import narwhals.stable.v2 as nw

    if isinstance(data, Table):
        return data
    if isinstance(data, str | os.PathLike):
        return read_table(data)
    return Table(nw.from_native(data, eager_only=True).to_arrow(), name, "", "")


def read_files(files: list[str]) -> tuple[Any, str]:
    """All rows of some files with the same columns, and the digest of their bytes."""
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
    types = {name: pa.float64() if pa.types.is_null(type) else type for name, type in types.items()}
    digest = hashlib.sha256()
    batches = []
    for reader in readers:
        batches += [batch for _, batch in reader.batches(types, ROWS_AT_A_TIME)]
        with open(reader.path, "rb") as raw:
            for block in iter(lambda raw=raw: raw.read(1 << 20), b""):  # type: ignore[misc]
                digest.update(block)
    schema = pa.schema(list(types.items()))
    return pa.Table.from_batches(batches, schema=schema).combine_chunks(), digest.hexdigest()


def short_name(text: str) -> str:
    """
    >>> short_name("trips/2024-*.parquet"), short_name("-"), short_name("data/pima.csv.gz")
    ('2024', 'stdin', 'pima')
    """
    if text == STDIN:
        return "stdin"
    stem = Path(text.rstrip("/")).name.split(".")[0]
    return stem.replace("*", "").replace("?", "").strip("-_ ") or "table"
