"""Tables by path, glob, folder, standard input or bundled name: in memory with all their columns, or in blocks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..data.dialect import Dialect
from ..data.examples import ENTRIES, TABLES
from ..data.files import STDIN, find_files
from .named_tables import MADE, made_table
from .opened_table import OpenedTable
from .problems import DataProblem, suggested
from .reading import PLAIN, Reading
from .table_blocks import BLOCK, Blocks, readers_of


def open_table(
    where: str | os.PathLike[str], memory: float = BLOCK, reading: Reading | None = None, dialect: Dialect = PLAIN
) -> OpenedTable | Blocks:
    """A table in memory if it takes less than `memory` bytes, else in blocks: CSV, TSV, Parquet, Arrow or JSON lines.

    A path, a glob, a folder, "-", or a name of `sumlearn datasets`; a file or folder of that name goes before it. Types
    of CSV columns are decided over several blocks of the file, or are those of the `reading` of a model. Whatever is
    wrong with a file is an error that names it, with its line.
    """
    text = os.fspath(where)
    if text in (*ENTRIES, *MADE) and not os.path.exists(text):
        return named_table(text)
    if os.path.isfile(os.path.join(text, "metrics.json")):  # its predictions are no rows to learn from
        raise DataProblem(f"{text!r} is a folder that `sumlearn train` wrote, and no table: name a file, or its path")
    try:
        files = find_files(text)
    except FileNotFoundError as error:
        advice = "(`sumlearn datasets` lists the tables that are there by name)"
        raise DataProblem(f"{error}{suggested(text, (*ENTRIES, *MADE))} {advice}") from None
    readers, types, found = readers_of(files, dialect if reading is None else reading.dialect)
    blocks = Blocks(readers, types, short_name(text), STDIN if text == STDIN else os.path.abspath(text), found=found)
    blocks = blocks if reading is None else blocks.read_as(reading)
    if blocks.bytes_in_memory > memory:
        return blocks
    table = blocks.whole()
    if not table.rows:
        raise DataProblem(f"there are no rows in {text!r}")
    return table


def read_table(where: str | os.PathLike[str], reading: Reading | None = None, dialect: Dialect = PLAIN) -> OpenedTable:
    """Read a table into memory, whatever it takes; see `open_table`.

    Examples
    --------
    >>> from sumlearn.product import read_table
    >>> iris = read_table("iris")
    >>> iris.rows, iris.columns[-1], iris.target
    (150, 'Species', 'Species')
    """
    table = open_table(where, float("inf"), reading, dialect)
    assert isinstance(table, OpenedTable)
    return table


def named_table(name: str) -> OpenedTable:
    """A bundled table, or one that is made."""
    if name in MADE:
        frame, digest = made_table(name)
        return OpenedTable(frame, name, name, digest, MADE[name].target)
    entry = ENTRIES[name]
    readers, types, found = readers_of([str(TABLES / entry.file)])
    table = Blocks(readers, types, name, name, entry.target, found=found).whole()
    frame = table.frame if entry.row_names is None else table.frame.drop_columns([entry.row_names])
    return replace(table, frame=frame)


def as_table(data: Any, name: str = "table", reading: Reading | None = None) -> OpenedTable:
    """A table that is there already (pyarrow, pandas, polars), or one that is named; in files, read as a model does."""
    import narwhals.stable.v2 as nw

    if isinstance(data, str | os.PathLike):
        return read_table(data, reading)
    if isinstance(data, OpenedTable | Blocks):
        data = data if reading is None else data.read_as(reading)
        return data if isinstance(data, OpenedTable) else data.whole()
    return OpenedTable(nw.from_native(data, eager_only=True).to_arrow(), name, "", "")


def tables_of(data: Any, reading: Reading) -> Iterator[OpenedTable]:
    """A table as a model reads it, block by block, or at once."""
    if isinstance(data, str | os.PathLike):
        data = open_table(data, reading=reading)
    if isinstance(data, Blocks):
        yield from data.read_as(reading)
    else:
        yield as_table(data, reading=reading)


def short_name(text: str) -> str:
    """
    >>> short_name("trips/2024-*.parquet"), short_name("-"), short_name("data/pima.csv.gz")
    ('2024', 'stdin', 'pima')
    """
    if text == STDIN:
        return "stdin"
    stem = Path(text.rstrip("/")).name.split(".")[0]
    return stem.replace("*", "").replace("?", "").strip("-_ ") or "table"
