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
from typing import Any, NamedTuple, Self

import numpy as np

from .chunk import Chunk, Columns, chunk_rows
from .continuous_labels import ContinuousLabels
from .names import nearest
from .source import FrameSource, InMemory
from .stream import Picked, Picks, Stream, between

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


def is_path(X: Any) -> bool:
    """Whether X names files: a string, a path, or a list of those."""
    if isinstance(X, str | os.PathLike):
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


class FilePart(NamedTuple):
    """Rows of a table that follow one another, and the files they come from."""

    table: Any  # pyarrow.Table
    origin: tuple[tuple[Any, int, int], ...]  # (reader, number of the first row in its file, rows)
    picks: Picks = []

    def name(self, i: int) -> str:
        for reader, first, count in self.origin:
            if i < count:
                return reader.place(first + i)
            i -= count
        raise IndexError(i)


class FileSource(Stream):
    """Rows of one or more files with the same columns.

    `target` and `weight` name columns; `kind` says whether the target is a "number" or a "label". `features` selects
    and orders the other columns; None takes all but `left_out`.
    """

    mixed = False  # whether columns may hold text and dates

    def __init__(
        self,
        where: Any,
        target: str | None,
        kind: str | None,
        weight: str | None,
        features: Sequence[str] | None,
        left_out: Sequence[str] = (),
    ) -> None:
        from .readers import common_type, reader_of

        self.files = find_files(where)
        self.readers = [reader_of(file) for file in self.files]
        first = self.readers[0]
        for name, role in ((target, "target"), (weight, "weight")):
            if name is not None and name not in first.kinds:
                raise ValueError(
                    f"no column {name!r} for the {role} in {first.file!r}{nearest(name, list(first.kinds))}"
                )
        self.target, self.weights, self.kind = target, weight, kind
        chosen = list(features or [c for c in first.kinds if c not in (target, weight, *left_out)])
        if not chosen:
            raise ValueError(f"{first.file!r} holds no column besides the target")
        for reader in self.readers:
            reader.check(chosen, target, weight, kind, extra=features is not None, left_out=left_out, mixed=self.mixed)
        self.features = len(chosen)
        self.columns = Columns(tuple(chosen), tuple(first.kinds[c] for c in chosen))
        self.narrow = all(reader.narrow(chosen) for reader in self.readers)
        self.label_type = common_type([reader.type_of(target) for reader in self.readers]) if target else None

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.float32 if self.narrow else np.float64)

    def expected_parts(self, factor: int = 1) -> int | None:
        rows = [reader.expected_rows() for reader in self.readers]
        known = sum(r for r in rows if r is not None)
        return None if None in rows else -(-known // chunk_rows(self.features, factor))

    def parts(self, factor: int = 1, patterns: Sequence[np.ndarray] | None = None) -> Iterator[FilePart]:
        """Batches of all files, cut anew to the usual number of rows."""
        first = 0
        for part in self.cut(chunk_rows(self.features, factor), self.types()):
            last = first + part.table.num_rows
            yield part if patterns is None else part._replace(picks=between(enumerate(patterns), first, last))
            first = last

    def types(self) -> dict[str, Any]:
        """The columns that are read, and as what."""
        import pyarrow as pa

        assert self.columns is not None
        types = dict.fromkeys(self.columns.names, pa.float32() if self.narrow else pa.float64())
        if self.target is not None:
            types[self.target] = pa.float64() if self.kind == "number" else self.label_type
        if self.weights is not None:
            types[self.weights] = pa.float64()
        return types

    def cut(self, size: int, types: dict[str, Any]) -> Iterator[FilePart]:
        """Those columns in parts of `size` rows, across the borders of batches and files."""
        import pyarrow as pa

        held: list[Any] = []
        found = False
        origin: list[tuple[Any, int, int]] = []
        rows = 0
        for reader in self.readers:
            for first, batch in reader.batches(types, size):
                at, found = 0, found or batch.num_rows > 0
                while at < batch.num_rows:
                    take = min(size - rows, batch.num_rows - at)
                    held.append(batch.slice(at, take))
                    origin.append((reader, first + at, take))
                    rows, at = rows + take, at + take
                    if rows == size:
                        yield FilePart(pa.Table.from_batches(held), tuple(origin))
                        held, origin, rows = [], [], 0
        if not found:
            raise ValueError(f"there are no rows in {', '.join(map(repr, self.files))}")
        if rows:
            yield FilePart(pa.Table.from_batches(held), tuple(origin))

    def chunk(self, part: FilePart | Picked) -> Chunk:
        if isinstance(part, Picked):
            return part.chunk
        assert self.columns is not None
        table = part.table
        X = np.empty((self.features, table.num_rows), dtype=self.dtype).T  # column by column, as the table lies
        for j, name in enumerate(self.columns.names):
            fill(X[:, j], table.column(name))
        y = weight = None
        if self.target is not None:
            y = column_array(table.column(self.target), self.kind, part)
        if self.weights is not None:
            weight = column_array(table.column(self.weights), "number", part)
        return Chunk(X, y, weight, self.columns)

    def number(self) -> Self:
        assert self.columns is not None
        if self.weights is not None:
            self.weight = self.vector(self.weights, "number")
        self.y = None if self.target is None else self.vector(self.target, self.kind)
        self.rows = self.counted() if self.y is None else len(self.y)
        return self

    def counted(self) -> int:
        """The number of rows, by reading one column."""
        assert self.columns is not None
        name = self.columns.names[0]
        return sum(part.table.num_rows for part in self.cut(chunk_rows(1, 16), {name: self.types()[name]}))

    def vector(self, name: str, kind: str | None, argument: str = "y") -> np.ndarray:
        """One column of all rows, as numbers or as labels; the others are not read."""
        import pyarrow as pa

        from .readers import common_type

        for reader in self.readers:
            reader.check([], name, None, kind, extra=True)
        type = pa.float64() if kind == "number" else common_type([reader.type_of(name) for reader in self.readers])
        parts = self.cut(chunk_rows(1, 16), {name: type})
        return np.concatenate([column_array(part.table.column(name), kind, part, argument) for part in parts])

    def gather(self, patterns: Sequence[np.ndarray]) -> list[InMemory]:
        import narwhals.stable.v2 as nw
        import pyarrow as pa

        assert self.columns is not None
        held: list[list[Any]] = [[] for _ in patterns]
        for part in self.parts(1, patterns):
            table = part.table.select(self.columns.names)
            for pattern, rows in part.picks:
                held[pattern].append(table.take(rows))
        sources = []
        for rows, tables in zip(patterns, held, strict=True):
            y = None if self.y is None else self.y[rows]
            weight = None if self.weight is None else self.weight[rows]
            sources.append(FrameSource(nw.from_native(pa.concat_tables(tables), eager_only=True), y, weight))
        return sources  # type: ignore[return-value]


def fill(out: np.ndarray, column: Any) -> None:
    """Copy a chunked column into a column of an array; a null becomes NaN."""
    at = 0
    for piece in column.chunks:
        n = len(piece)
        out[at : at + n] = piece.to_numpy(zero_copy_only=piece.null_count == 0)
        at += n


def column_array(column: Any, kind: str | None, part: FilePart, argument: str = "y") -> np.ndarray:
    """A target, weights or groups, as numbers or as labels."""
    if kind == "number":
        out = np.empty(len(column))
        fill(out, column)
        return out
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy()))
        raise ValueError(f"Input {argument} contains NaN: first at row {part.name(row)}.")
    values = column.to_numpy()
    if values.dtype.kind == "f":
        for row in np.flatnonzero(~np.isfinite(values))[:1]:
            raise ValueError(f"Input {argument} contains NaN or infinity: first at row {part.name(int(row))}.")
        for row in np.flatnonzero(values != np.floor(values))[:1]:
            raise ContinuousLabels(
                "Unknown label type: continuous. Labels must be whole numbers, strings or booleans; "
                f"row {part.name(int(row))} holds {values[row].item()!r}."
            )
        for row in np.flatnonzero(np.abs(values) >= 2.0**53)[:1]:  # as a float, 2^53 + 1 would be the class 2^53
            raise ValueError(
                "Labels of 2^53 and more must be whole numbers in all files, or text: "
                f"row {part.name(int(row))} holds {values[row].item()!r} among floats."
            )
    if values.dtype != object:
        return values
    for row in np.flatnonzero(["\0" in value for value in values])[:1]:  # NumPy cuts text at a trailing NUL
        raise ValueError(f"a label contains a NUL byte: row {part.name(int(row))} holds {values[row]!r}.")
    return values.astype(str)


def standard_input() -> Any:
    return sys.stdin.buffer
