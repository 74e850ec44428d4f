"""Tables by path, glob, folder, standard input or bundled name: in memory with all their columns, or in blocks."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ..data.dialect import Dialect
from ..data.examples import ENTRIES, TABLES
from ..data.file_rows import MixedFileRows
from ..data.files import STDIN, find_files
from ..data.schema import Schema
from ..data.target import check_spelling
from .named_tables import MADE, made_table
from .problems import DataProblem, suggested

ROWS_AT_A_TIME = 65536
BLOCK = 64 << 20  # bytes of a block, or so
CELL = 8  # bytes of a value, or so
PACKED = 6  # times that packed text grows
NOTHING = Schema(())
PLAIN = Dialect()


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
    blocks : Blocks or None
        The files that it was read from as a whole: what a model reads otherwise is read again.
    found : Everyday or None
        What was found out about the columns of its files.
    """

    frame: Any
    name: str
    origin: str
    digest: str
    target: str | None = None
    first: int = 0
    blocks: Blocks | None = None
    found: Any = None

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

    def as_written(self) -> Iterator[dict[str, list[Any]]]:
        """All columns, those of text files as text."""
        if self.blocks is None:
            yield self.frame.to_pydict()
        else:
            yield self.blocks.written().frame().to_pydict()

    def check_clear(self, names: Iterable[str]) -> None:
        """Columns that can be read in several ways are an error that names the option that decides."""
        for name in names:
            if self.found is not None and name in self.found.unclear:
                text = f"column {name!r} of {self.origin!r} {self.found.unclear[name]}"
                raise DataProblem(f"{text}; --drop {name} leaves it out")

    def flags_of(self, names: Iterable[str]) -> list[str]:
        """The columns that say where numbers of some columns are bounds."""
        forms = {} if self.found is None else self.found.forms
        sides = [(name, side) for name in names for side in getattr(forms.get(name), "bounds", ())]
        return [f"{name}: {side}" for name, side in sides]

    def check_exact(self, names: Iterable[str]) -> None:
        """Targets, weights and times that are bounds are an error."""
        for flag in self.flags_of(names):
            name, _, side = flag.rpartition(": ")
            raise DataProblem(f"column {name!r} of {self.origin!r} has bounds ({side} a number): it needs the numbers")

    def read_as(self, reading: Reading) -> OpenedTable:
        """The same table, read as a model reads it, whatever else the files hold."""
        if self.blocks is None:
            return self
        before, now, frame = self.blocks, self.blocks.read_as(reading), self.frame
        wanted = [name for name in reading.names if name in now.types]
        again = {name: now.types[name] for name in wanted if name not in self.columns or now.spelt(name, before)}
        columns = replace(now, types=again).frame() if again else frame
        for name in again:
            if name in self.columns:
                frame = frame.set_column(self.columns.index(name), name, columns.column(name))
            else:
                frame = frame.append_column(name, columns.column(name))
        blocks = replace(before, types=before.types | again, labels=(*before.labels, *now.labels))
        return replace(self, frame=frame, blocks=blocks)


Table = OpenedTable  # its public name


@dataclass(frozen=True, eq=False)
class Reading:
    """How a model reads files.

    Attributes
    ----------
    schema : Schema
        Of its features.
    labels, numbers, texts : tuple of str
        Other columns that it needs. In text files, texts and all that nobody needs are text as it is written.
    spelling : str or None
        How labels were written in the text file that they were learnt from, by an example.
    dialect : Dialect
        How text files are written, as far as it was said or found.
    forms : dict {column: form} or None
        How numbers and dates were written in text; None where nobody knows: the file itself is looked at.
    sign : str
        The decimal sign, where a file leaves it open.
    """

    schema: Schema = NOTHING
    labels: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    spelling: str | None = None
    dialect: Dialect = PLAIN
    forms: Mapping[str, Any] | None = None
    sign: str = "."

    @property
    def names(self) -> list[str]:
        return [*(column.name for column in self.schema.used), *self.labels, *self.numbers, *self.texts]


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
    labels : tuple of str
        Columns whose values are told apart as they are written.
    found : Everyday or None
    """

    readers: list[Any]
    types: dict[str, Any]
    name: str
    origin: str
    target: str | None = None
    labels: tuple[str, ...] = ()
    found: Any = None

    @property
    def columns(self) -> list[str]:
        return list(self.types)

    @cached_property
    def digest(self) -> str:
        digest = hashlib.sha256()
        for reader in self.readers:
            with open(reader.original, "rb") as raw:
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
        return self.in_blocks(len(self.types))

    def in_blocks(self, width: int) -> Iterator[OpenedTable]:
        """Blocks of as many rows as a table of so many columns has."""
        import pyarrow as pa

        schema, first = pa.schema(list(self.types.items())), 0
        size = min(ROWS_AT_A_TIME, max(1024, BLOCK // (CELL * width)))
        for reader in self.readers:
            for _, batch in reader.batches(self.types, size):
                for at in range(0, batch.num_rows, size):
                    frame = pa.Table.from_batches([batch.slice(at, size)], schema=schema)
                    yield OpenedTable(frame, self.name, self.origin, "", self.target, first)
                    first += frame.num_rows

    def written(self) -> Blocks:
        """The columns that stand in the files; those of text files as text."""
        import pyarrow as pa

        flags = {name for reader in self.readers for name in getattr(reader, "flags", ())}
        untyped = all(reader.untyped for reader in self.readers)
        return replace(self, types={n: pa.string() if untyped else t for n, t in self.types.items() if n not in flags})

    def as_written(self) -> Iterator[dict[str, list[Any]]]:
        """The same, block by block, of as many rows as the blocks of the table."""
        blocks, width = self.written(), len(self.types)
        for table in blocks.in_blocks(width):
            yield table.frame.to_pydict()

    def whole(self) -> OpenedTable:
        """All rows in memory."""
        return OpenedTable(self.frame(), self.name, self.origin, self.digest, self.target, 0, self, self.found)

    def frame(self) -> Any:
        import pyarrow as pa

        schema = pa.schema(list(self.types.items()))
        batches = [batch for reader in self.readers for _, batch in reader.batches(self.types, ROWS_AT_A_TIME)]
        return pa.Table.from_batches(batches, schema=schema).combine_chunks()

    def spelt(self, name: str, before: Blocks) -> bool:
        """Whether a column is read otherwise than before: as another type, or minding how labels are written."""
        held = name in self.labels and name not in before.labels and any(name in r.forms for r in self.readers)
        ruled = any(name in found.forms for found in (self.found, before.found)) and self.found is not before.found
        others = self.found.dialect.missing != before.found.dialect.missing
        return held or ruled or others or not self.types[name].equals(before.types[name])

    def spelling(self, name: str) -> str | None:
        """How the labels of a column are written, where that is known."""
        return next((reader.forms[name] for reader in self.readers if name in reader.forms), None)

    def read_as(self, reading: Reading) -> Blocks:
        """The same table, read as a model reads it, whatever else the files hold."""
        import pyarrow as pa

        from ..data.readers import label_type
        from ..data.readers.kinds import kind_of

        if reading.forms is not None:
            return self.ruled_by(reading).read_as(replace(reading, forms=None))
        labels = tuple(name for name in reading.labels if name in self.types)
        schema = replace(reading.schema, columns=tuple(c for c in reading.schema.columns if c.name in self.types))
        types = MixedFileRows().types(self.readers, schema) | {name: label_type(self.readers, name) for name in labels}
        found = self.spelling(labels[-1]) if labels else None
        if found is not None:
            check_spelling(reading.spelling, found, f"the labels {labels[-1]!r} of {self.origin!r}", DataProblem)
        if all(reader.guessed for reader in self.readers):
            types |= {name: pa.float64() for name in reading.numbers if name in self.types}
        if all(reader.untyped for reader in self.readers):  # what nobody needs cannot be wrong
            others = [name for name, type in self.types.items() if name not in types and kind_of(type) != "bytes"]
            types |= {name: pa.string() for name in (*others, *reading.texts) if name in self.types}
        return replace(self, types=self.types | types, labels=labels)

    def ruled_by(self, reading: Reading) -> Blocks:
        """The same files, with numbers and dates written as in those that a model has learnt from."""
        assert reading.forms is not None
        mixed = [name for name, form in reading.forms.items() if form is None and name in self.types]
        for name in (name for name in mixed if name in self.found.unclear):
            raise DataProblem(
                f"column {name!r} of {self.origin!r} may be read in several ways, and the models that were merged "
                "differ in it: write it such that one is left, or give a Parquet file"
            )
        own = {name: self.found.forms[name] for name in mixed if name in self.found.forms}
        forms = {name: form for name, form in reading.forms.items() if form is not None} | own
        dialect = replace(self.found.dialect, missing=reading.dialect.missing)
        flags: dict[str, Any] = {}
        for reader in self.readers:
            reader.dialect = dialect
            reader.hold_forms(forms)
            if reader.untyped and self.found.unclear:
                reader.decimal_point = reading.sign
            flags |= {name: reader.types[name] for name in getattr(reader, "flags", ())}
        return replace(self, types=self.types | flags, found=replace(self.found, forms=forms, dialect=dialect))


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


def written_as(facts: Mapping[str, Any]) -> Reading:
    """How the text files were written that a model has learnt from; models of older versions do not know."""
    from ..data.readers.written import form_of

    known = facts.get("reading")
    if known is None:
        return Reading()
    dialect = Dialect(None, known["dates"], None, tuple(known["missing"]), known["encoding"])
    return Reading(
        dialect=dialect, forms={name: f and form_of(f) for name, f in known["forms"].items()}, sign=known["sign"]
    )


def readers_of(files: list[str], dialect: Dialect = PLAIN) -> tuple[list[Any], dict[str, Any], Any]:
    """The readers of some files with the same columns, the types that hold all their values, and what was found."""
    import pyarrow as pa

    from ..data.readers import reader_of
    from ..data.readers.everyday import Everyday
    from ..data.readers.kinds import wider

    readers = [reader_of(file, dialect) for file in files]
    for reader in readers[1:]:
        strange = set(reader.types) ^ set(readers[0].types)
        if strange:
            raise DataProblem(f"column {min(strange)!r} is not in all files: {files[0]!r} and {reader.file!r} differ")
    found = Everyday.of(readers, dialect)
    types = dict(readers[0].types)
    for reader in readers[1:]:
        types = {name: wider(type, reader.types[name]) for name, type in types.items()}
    # a column that is empty everywhere has no type of its own
    return readers, {name: pa.float64() if pa.types.is_null(type) else type for name, type in types.items()}, found


def short_name(text: str) -> str:
    """
    >>> short_name("trips/2024-*.parquet"), short_name("-"), short_name("data/pima.csv.gz")
    ('2024', 'stdin', 'pima')
    """
    if text == STDIN:
        return "stdin"
    stem = Path(text.rstrip("/")).name.split(".")[0]
    return stem.replace("*", "").replace("?", "").strip("-_ ") or "table"
