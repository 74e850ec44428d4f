"""Rows of files as arrays, or as mixed columns: how the columns are read, and what becomes of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from .chunk import Columns
from .continuous_labels import ContinuousLabels
from .mixed import MixedRows
from .schema import LEFT_OUT, Schema
from .source import FrameSource, InMemory, open_source
from .stream import Picks
from .table import FrameTable
from .table_source import TableSource
from .target import Target, check_labels, partly_labelled
from .word_levels import numbers_of

if TYPE_CHECKING:
    from .readers import Reader


class FilePart(NamedTuple):
    """Rows of a table that follow one another, and the files they come from."""

    table: Any  # pyarrow.Table
    origin: tuple[tuple[Any, int, int], ...]  # (reader, number of the first row in its file, rows)
    picks: Picks = []
    first: int = 0  # the number of the first row in all files

    def name(self, i: int) -> str:
        for reader, first, count in self.origin:
            if i < count:
                return reader.place(first + i)
            i -= count
        raise IndexError(i)

    def row_numbers(self) -> np.ndarray:
        """The numbers of the rows in all files."""
        return np.arange(self.first, self.first + self.table.num_rows)


class FileRows(ABC):
    """What the feature columns of files become."""

    mixed: bool  # whether they may hold text and dates
    words: Sequence[str] = ()  # columns that are read as text, as they are written

    @abstractmethod
    def types(self, readers: Sequence[Reader], columns: Any) -> dict[str, Any]:
        """The columns that are read, and as what."""

    @abstractmethod
    def read(self, table: Any, columns: Any) -> Any:
        """X of some rows."""

    @abstractmethod
    def source(self, table: Any, columns: Any, y: np.ndarray | None, weight: np.ndarray | None) -> InMemory:
        """A source in memory of some rows."""


class NumberRows(FileRows):
    """Arrays of numbers: float32 where all columns are, else float64."""

    mixed = False

    def types(self, readers: Sequence[Reader], columns: Columns) -> dict[str, Any]:
        import pyarrow as pa

        narrow = all(reader.narrow(columns.names) for reader in readers)
        return dict.fromkeys(columns.names, pa.float32() if narrow else pa.float64())

    def read(self, table: Any, columns: Columns) -> np.ndarray:
        narrow = table.schema.field(columns.names[0]).type == "float"
        dtype = np.float32 if narrow else np.float64
        X = np.empty((len(columns.names), table.num_rows), dtype=dtype).T  # column by column, as the table lies
        for j, name in enumerate(columns.names):
            fill(X[:, j], table.column(name))
        return X

    def source(self, table: Any, columns: Any, y: np.ndarray | None, weight: np.ndarray | None) -> InMemory:
        return FrameSource(nw.from_native(table.select(columns.names), eager_only=True), y, weight)


class LevelRows(FileRows):
    """Arrays of numbers, in which a number stands for every word."""

    mixed = True

    def __init__(self, words: Sequence[str] = ()) -> None:
        self.words = words

    def types(self, readers: Sequence[Reader], columns: Columns) -> dict[str, Any]:
        import pyarrow as pa

        from .readers.kinds import NUMERIC

        found: dict[str, Any] = {}
        for name in columns.names:
            types = {reader.types[name] for reader in readers}
            moments = len(types) == 1 and pa.types.is_temporal(*types) and not any(r.untyped for r in readers)
            numbers = name not in self.words and all(reader.kinds[name] in NUMERIC for reader in readers)
            found[name] = pa.float64() if numbers else types.pop() if moments else pa.string()
        return found

    def read(self, table: Any, columns: Columns) -> np.ndarray:
        X = np.empty((len(columns.names), table.num_rows)).T
        for j, name in enumerate(columns.names):
            column = table.column(name)
            if column.type == "double":
                fill(X[:, j], column)
            else:
                X[:, j] = numbers_of(column.to_pylist(), words=True)
        return X

    def source(self, table: Any, columns: Columns, y: np.ndarray | None, weight: np.ndarray | None) -> InMemory:
        source = open_source(self.read(table, columns), y, weight)
        source.columns = columns
        return source


class MixedFileRows(FileRows):
    """Mixed columns by a schema: numbers are read as float64, text and dates as they are.

    Levels that are texts are read as they are written, also where a file holds nothing but digits.
    """

    mixed = True

    def __init__(self, words: Sequence[str] = ()) -> None:
        self.words = words

    def types(self, readers: Sequence[Reader], columns: Any) -> dict[str, Any]:
        from .readers.kinds import column_type

        ruled = isinstance(columns, Schema)  # kinds that were decided; else those that one file seems to have
        untyped, guessed = any(reader.untyped for reader in readers), any(reader.guessed for reader in readers)
        return {
            name: column_type([r.types[name] for r in readers], kind if ruled else None, untyped, guessed)
            for name, kind in zip(columns.names, columns.kinds, strict=True)
            if kind != LEFT_OUT
        }

    def read(self, table: Any, columns: Any) -> MixedRows:
        return MixedRows(self.table(table, columns), columns)

    def source(self, table: Any, columns: Any, y: np.ndarray | None, weight: np.ndarray | None) -> InMemory:
        return TableSource(self.table(table, columns), columns, y, weight)

    def table(self, table: Any, columns: Any) -> FrameTable:
        wanted = [name for name, kind in zip(columns.names, columns.kinds, strict=True) if kind != LEFT_OUT]
        return FrameTable(nw.from_native(table.select(wanted), eager_only=True))


def fill(out: np.ndarray, column: Any) -> None:
    """Copy a chunked column into a column of an array; a null becomes NaN."""
    at = 0
    for piece in column.chunks:
        n = len(piece)
        out[at : at + n] = piece.to_numpy(zero_copy_only=piece.null_count == 0)
        at += n


def column_array(column: Any, target: Target, part: FilePart, argument: str = "y") -> np.ndarray:
    """A target, weights or groups, as numbers or as labels."""
    if target.kind == "number":
        out = np.empty(len(column))
        fill(out, column)
        return out
    if column.null_count and target.partly:
        return partly_labelled(np.array(column.to_pylist(), dtype=object), argument, part.name)
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy()))
        raise ValueError(f"Input {argument} contains NaN: first at row {part.name(row)}.")
    coded = coded_text(column)
    if coded is not None:
        return partly_labelled(coded, argument, part.name) if target.partly else coded
    values = column.to_numpy()
    if values.dtype.kind == "f":
        check_whole(values, part, argument)
    if values.dtype != object:
        return values
    check_labels(values, argument, part.name)
    return values.astype(str)


def coded_text(column: Any) -> np.ndarray | None:
    """Labels that are text, each level turned into one of NumPy once; None where they are none, or hold a NUL byte."""
    import pyarrow as pa

    kind = column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)) or not len(column):
        return None
    coded = column.dictionary_encode().combine_chunks()
    levels = coded.dictionary.to_pylist()
    return None if any("\0" in level for level in levels) else np.array(levels)[coded.indices.to_numpy()]


def check_whole(values: np.ndarray, part: FilePart, argument: str) -> None:
    """Labels that are floats must be whole numbers, below 2^53."""
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
