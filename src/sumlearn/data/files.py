"""Tables in files: CSV, TSV, Parquet, Arrow, JSON lines; a path, a list, a glob, a folder, or - for standard input.

Files are read as a stream of batches and cut anew to chunks, across the borders of batches and files, so that a fit has
the bits of a fit on the whole table in memory. Only the columns needed are read. Whatever is wrong with a file is an
error that names it, with column and row, and no model.
"""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..statistics.warnings import warn
from .chosen_files import Files, is_lazy, spooled
from .chunk import Chunk, Columns, chunk_rows
from .dialect import ReadingWarning
from .file_rows import FilePart, FileRows, NumberRows, column_array
from .levels import order_of_dictionaries
from .names import nearest
from .source import InMemory
from .stream import Picked, Stream, between
from .target import Target, check_spelling

FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
PACKED = (".gz", ".bz2", ".zst", ".lz4")
STDIN = "-"
NUMBERS = Target("number")


def is_path(X: Any) -> bool:
    """Whether X names files: a string, a path, or a list of those; or is a lazy frame, which becomes one."""
    if isinstance(X, str | os.PathLike | Files) or is_lazy(X):
        return True
    return isinstance(X, list | tuple) and bool(X) and all(isinstance(x, str | os.PathLike) for x in X)


def find_files(where: Any) -> list[str]:
    """The files that a path, a list of paths, a glob or a folder names, sorted; "-" is standard input."""
    if isinstance(where, list | tuple):
        return [file for part in where for file in find_files(part)]
    text = os.fspath(where)
    if text == STDIN:
        return [STDIN]
    if os.path.isdir(text):
        found = sorted(str(p) for p in Path(text).rglob("*") if is_table(p, Path(text)))
    elif os.path.exists(text):
        if not os.path.isfile(text):
            raise ValueError(f"{text!r} is a pipe or a device and cannot be read twice: name a file, or - for a pipe")
        found = [text]
    else:
        found = sorted(f for f in glob.glob(text, recursive=True) if os.path.isfile(f))
    if not found:
        raise FileNotFoundError(
            f"no table found at {text!r}: it is no file, no folder with tables, and no pattern that matches"
        )
    return found


def is_table(path: Path, folder: Path) -> bool:
    """Whether a file in a folder is one of its tables; what begins with a dot or an underscore is somebody's notes."""
    hidden = any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    return not hidden and path.is_file() and format_of(str(path), None) is not None


def format_of(file: str, default: str | None = "csv") -> str | None:
    path = Path(file)
    suffix = Path(path.stem).suffix if path.suffix in PACKED else path.suffix
    return FORMATS.get(suffix.lower(), default)


class FileSource(Stream):
    """Rows of one or more files with the same columns.

    `target_name` and `weight_name` are columns; `target` says what y is asked for as: a word, or a `Target`. `features`
    selects and orders the other columns; None takes all but `left_out`. `form` says what the rows become: arrays of
    numbers, or mixed columns by the schema in `columns`.
    """

    def __init__(
        self,
        where: Any,
        target_name: str | None,
        target: Target | str | None,
        weight_name: str | None,
        features: Sequence[str] | None,
        left_out: Sequence[str] = (),
        form: FileRows | None = None,
    ) -> None:
        from .readers import label_type, reader_of
        from .readers.everyday import held_forms

        self.form = NumberRows() if form is None else form
        where = where if isinstance(where, Files) else Files(where)
        self.spool = spooled(where.where) if is_lazy(where.where) else None
        self.files = find_files(where.where if self.spool is None else self.spool.name)
        self.readers = [reader_of(file, where.dialect) for file in self.files]
        first = self.readers[0]
        if self.spool is not None:
            first.file = "a LazyFrame"
        for name, role in ((target_name, "target"), (weight_name, "weight")):
            if name is not None and name not in first.kinds:
                raise ValueError(
                    f"no column {name!r} for the {role} in {first.file!r}{nearest(name, list(first.kinds))}"
                )
        self.target_name, self.weight_name, self.target = target_name, weight_name, Target.named(target)
        self.offered = where.chosen(list(first.kinds), (target_name, weight_name, *left_out))
        chosen = list(features or self.offered)
        offered = set(self.offered)  # of many columns a list would be searched for each of them
        left_out = (*left_out, *(name for name in first.kinds if name not in offered))
        if not chosen:
            raise ValueError(f"{first.file!r} holds no column besides the target")
        numbers = [target_name if self.target.kind == "number" else None, weight_name]
        written = [name for name in (*chosen, *numbers) if name is not None and name not in self.form.words]
        for note in held_forms(self.readers, where.dialect, written):
            warn(note.text, ReadingWarning)
        for reader in self.readers:
            reader.check(chosen, target_name, weight_name, self.target, features is not None, left_out, self.form.mixed)
        self.features = len(chosen)
        self.columns = Columns(tuple(chosen), tuple(first.kinds[c] for c in chosen))
        self.narrow = not self.form.mixed and all(reader.narrow(chosen) for reader in self.readers)
        if target_name is not None:
            if self.target.kind != "number":
                self.label_type = label_type(self.readers, target_name)
            if self.target.labels:
                self.target = self.target.with_order(self.order_of(target_name))

    @property
    def spelling(self) -> str | None:
        """How labels that become numbers or truth values are written, by an example; None where that is not known."""
        return next((r.forms[self.target_name] for r in self.readers if self.target_name in r.forms), None)

    def labelled_like(self, labels: Sequence[Any], spelling: str | None = None) -> Self:
        """The same, for a model that knows labels: where they are text, labels are read as they are written.

        Where they are none, they must be written as they were before: true and TRUE would be one class.
        """
        import pyarrow as pa

        check_spelling(spelling, self.spelling, f"the labels {self.target_name!r} of {self.files[0]!r}")
        written = all(reader.untyped or reader.kinds.get(self.target_name or "") == "text" for reader in self.readers)
        if self.target_name is not None and written and len(labels) and isinstance(labels[0], str):
            self.label_type = pa.string()
        return self

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.float32 if self.narrow else np.float64)

    def expected_parts(self, factor: int = 1) -> int | None:
        rows = [reader.expected_rows() for reader in self.readers]
        known = sum(r for r in rows if r is not None)
        return None if None in rows else -(-known // chunk_rows(self.features, factor))

    def parts(
        self, factor: int = 1, patterns: Sequence[np.ndarray] | None = None, begin: int = 0
    ) -> Iterator[FilePart]:
        """Batches of all files, cut anew to the usual number of rows; without the first ones, from part `begin` on."""
        size = chunk_rows(self.features, factor)
        first = begin * size
        for part in self.cut(size, self.types(), first):
            last = first + part.table.num_rows
            picks = [] if patterns is None else between(enumerate(patterns), first, last)
            yield part._replace(picks=picks, first=first)
            first = last

    def types(self) -> dict[str, Any]:
        """The columns that are read, and as what."""
        import pyarrow as pa

        types = self.form.types(self.readers, self.columns)
        if self.target_name is not None:
            types[self.target_name] = pa.float64() if self.target.kind == "number" else self.label_type
        if self.weight_name is not None:
            types[self.weight_name] = pa.float64()
        return types

    def cut(self, size: int, types: dict[str, Any], skip: int = 0) -> Iterator[FilePart]:
        """Those columns in parts of `size` rows, across the borders of batches and files; `skip` rows are left out."""
        import pyarrow as pa

        held: list[Any] = []
        found = False
        origin: list[tuple[Any, int, int]] = []
        rows = 0
        for reader in self.readers:
            if reader.length is not None and reader.length <= skip:  # read before: all of it is left out
                reader.check_unchanged()
                skip, found = skip - reader.length, found or reader.length > 0
                continue
            start = skip
            for first, batch in reader.batches(types, size, *([start] if start else [])):
                at = min(max(start - first, 0), batch.num_rows)
                found = found or batch.num_rows > 0
                while at < batch.num_rows:
                    take = min(size - rows, batch.num_rows - at)
                    held.append(batch.slice(at, take))
                    origin.append((reader, first + at, take))
                    rows, at = rows + take, at + take
                    if rows == size:
                        yield FilePart(pa.Table.from_batches(held), tuple(origin))
                        held, origin, rows = [], [], 0
            skip = max(start - (reader.length or 0), 0)
        if not found:
            raise ValueError(f"there are no rows in {', '.join(map(repr, self.files))}")
        if rows:
            yield FilePart(pa.Table.from_batches(held), tuple(origin))

    def chunk(self, part: FilePart | Picked) -> Chunk:
        if isinstance(part, Picked):
            return part.chunk
        y = weight = None
        if self.target_name is not None:
            y = column_array(part.table.column(self.target_name), self.target, part)
        if self.weight_name is not None:
            weight = column_array(part.table.column(self.weight_name), NUMBERS, part)
        return Chunk(self.form.read(part.table, self.columns), y, weight, self.columns)

    def number(self) -> Self:
        if self.weight_name is not None:
            self.weight = self.vector(self.weight_name, NUMBERS)
        self.y = None if self.target_name is None else self.vector(self.target_name, self.target)
        self.rows = self.counted() if self.y is None else len(self.y)
        return self

    def counted(self) -> int:
        """The number of rows, by reading one column."""
        first = dict(list(self.types().items())[:1])
        return sum(part.table.num_rows for part in self.cut(chunk_rows(1, 16), first))

    def vector(self, name: str, target: Target | str | None, argument: str = "y") -> np.ndarray:
        """One column of all rows, as numbers or as labels; the others are not read."""
        import pyarrow as pa

        from .readers import label_type

        target = Target.named(target)
        for reader in self.readers:
            reader.check([], name, None, target, extra=True)
        if target.kind == "number":
            type = pa.float64()
        elif name == self.target_name:
            type = self.label_type
        else:
            type = label_type(self.readers, name)
        parts = self.cut(chunk_rows(1, 16), {name: type})
        return np.concatenate([column_array(part.table.column(name), target, part, argument) for part in parts])

    def order_of(self, name: str) -> tuple[Any, ...] | None:
        """The order of a column that is an ordered category in all files."""
        if not all(getattr(reader.types[name], "ordered", False) for reader in self.readers):
            return None
        return order_of_dictionaries([found for reader in self.readers for found in reader.dictionaries(name)])

    def gather(self, patterns: Sequence[np.ndarray]) -> list[InMemory]:
        import pyarrow as pa

        held: list[list[Any]] = [[] for _ in patterns]
        for part in self.parts(1, patterns):
            for pattern, rows in part.picks:
                held[pattern].append(part.table.take(rows))
        sources = []
        for rows, tables in zip(patterns, held, strict=True):
            y = None if self.y is None else self.y[rows]
            weight = None if self.weight is None else self.weight[rows]
            source = self.form.source(pa.concat_tables(tables), self.columns, y, weight)
            sources.append(source.known_as(self.target))
        return sources


def standard_input() -> Any:
    return sys.stdin.buffer
