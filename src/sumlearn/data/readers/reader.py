"""What the readers of all formats share: checks of columns, batches with fixed types, errors that name the file."""

from __future__ import annotations

import os
import tempfile
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..chunk import chunk_rows
from ..dialect import Dialect, ReadingNote
from ..files import STDIN, standard_input
from ..names import first_repeated, nearest
from ..target import Target
from .kinds import NUMERIC, kind_of

PLAIN = Dialect()


class Reader(ABC):
    """A file: the kinds and types of its columns, and its batches."""

    kinds: dict[str, str]
    types: dict[str, Any]
    untyped = False  # whether every value is text in the file
    encoding = "utf-8"
    guessed = False  # whether the types were guessed from the first rows

    def __init__(self, file: str, dialect: Dialect = PLAIN) -> None:
        self.file, self.dialect = file, dialect
        self.forms: dict[str, str] = {}  # columns of labels that are numbers or truth values: how they are written
        self.notes: list[ReadingNote] = []
        self.written: dict[str, Any] = {}  # columns of numbers and dates in text: their forms
        self.spools: list[Any] = []
        self.length: int | None = None  # its rows, once they were read
        self.original = self.path = self.spooled(blocks_of(standard_input())) if file == STDIN else file
        self.stamp = self._stamp()
        with self.faults():
            self.recode()
            names, types = self.sniff()
        repeated = first_repeated(names)
        if repeated is not None:
            raise ValueError(f"column {repeated!r} stands more than once in {file!r}")
        self.types = dict(zip(names, types, strict=True))
        self.kinds = {name: kind_of(type) for name, type in self.types.items()}

    @abstractmethod
    def sniff(self) -> tuple[list[str], list[Any]]:
        """Names and types of the columns."""

    @abstractmethod
    def read(self, types: dict[str, Any], rows: int, units: int = 0) -> Iterator[Any]:
        """Record batches of those columns, of about so many rows where the format leaves the choice.

        Without the first of those `units` that the format can skip.
        """

    def batches(self, types: dict[str, Any], rows: int, skip: int = 0) -> Iterator[tuple[int, Any]]:
        """Batches with exactly those columns and types, each with the number of its first row.

        Of the rows to `skip` at the beginning those are left out that the format need not read.
        """
        schema = pa.schema(list(types.items()))
        ends = [0, *accumulate(self.units())] if skip else [0]
        units = bisect_right(ends, skip) - 1
        first = ends[units]
        self.check_unchanged()
        with self.faults():
            for batch in self.read(types, rows, *([units] if units else [])):
                self.check_unchanged()  # rows of a file that is being written are not handed on
                whole = batch if batch.schema.equals(schema) else self.converted(batch, schema, first)
                yield first, without_gaps(whole, self.dialect.gaps) if self.dialect.missing else whole
                first += batch.num_rows
        self.check_unchanged()
        self.length = first

    def units(self) -> list[int]:
        """The rows of those pieces that need not be read to read what follows; none where the format has none."""
        return []

    def converted(self, batch: Any, schema: Any, first: int) -> Any:
        columns = []
        for field in schema:
            column = batch.column(batch.schema.get_field_index(field.name))
            try:
                # whole numbers above 2^53 are rounded, labels never are
                safe = not pa.types.is_floating(field.type)
                columns.append(column if column.type.equals(field.type) else column.cast(field.type, safe=safe))
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
                raise ValueError(f"{self.file!r}, column {field.name!r}, rows from {first}: {error}") from None
        return pa.RecordBatch.from_arrays(columns, schema=schema)

    def check(
        self,
        features: Sequence[str],
        target: str | None,
        weight: str | None,
        target_is: Target,
        extra: bool,
        left_out: Sequence[str] = (),
        mixed: bool = False,
    ) -> None:
        """All columns are there and of the right kind; a column too many is an error unless features were chosen.

        Features hold numbers, or, if they are `mixed`, anything.
        """
        others = [name for name in (target, weight) if name is not None]
        for name in (*features, *others):
            if name not in self.kinds:
                raise ValueError(f"no column {name!r} in {self.file!r}{nearest(name, list(self.kinds))}")
        known = {*features, *others, *left_out}
        unknown = [name for name in self.kinds if name not in known]
        if unknown and not extra:
            raise ValueError(f"{self.file!r} has a column {unknown[0]!r} that other files do not have")
        for name in (*features, *others):
            found = self.kinds[name]
            if name == target and target_is.labels:
                if found in ("bytes", "nested"):
                    hint = "; name the encoding of the file" if found == "bytes" and self.untyped else ""
                    raise ValueError(
                        f"column {name!r} of {self.file!r} holds {found} values, not labels{self.example(name)}{hint}"
                    )
            elif found not in NUMERIC and not (mixed and name not in others):
                raise ValueError(
                    f"column {name!r} of {self.file!r} holds {found} values, not numbers{self.example(name)}; "
                    "encode it or leave it out"
                )

    def recode(self) -> None:  # noqa: B027  most files have no encoding
        """Read text that is not UTF-8 through a copy that is."""

    def hold_spelling(self, name: str) -> None:  # noqa: B027  most files have types
        """From now on a column is one of labels: where all values are text, those that differ as text stay apart."""

    def hold_forms(self, forms: Mapping[str, Any]) -> None:  # noqa: B027  most files have types
        """From now on numbers and dates are read as they are written: by the forms of some columns."""

    def texts(self, names: Sequence[str]) -> dict[str, Counter[str]]:
        """The texts that stand in some columns, as far as anybody looks; nothing where values have types."""
        return {}

    def expected_rows(self) -> int | None:
        """About how many rows there are, without reading them; None where nobody knows."""
        return None

    def example(self, name: str) -> str:
        """For an error: where the first value stands that made the column what it is."""
        return ""

    def place(self, row: int) -> str:
        """What to call a row in an error."""
        return f"{row} of {self.file!r}"

    def narrow(self, names: Sequence[str]) -> bool:
        return all(pa.types.is_float32(self.types[name]) for name in names)

    def dictionaries(self, name: str) -> Iterator[Any]:
        """The dictionaries of a column that is a category: its levels in their order."""
        with self.faults():
            yield from (batch.column(0).dictionary for batch in self.read({name: self.types[name]}, chunk_rows(1)))

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Errors of the reading library as ValueErrors that name the file."""
        try:
            yield
        except MemoryError:
            raise
        except UnicodeDecodeError as error:
            raise ValueError(f"{self.file!r} cannot be read: a column name is not UTF-8 ({error.reason})") from None
        except (pa.ArrowException, EOFError) as error:
            self.check_unchanged()
            raise ValueError(f"{self.file!r} cannot be read: {self.explained(str(error))}") from None
        except OSError as error:
            if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
                raise
            self.check_unchanged()
            raise ValueError(f"{self.file!r} cannot be read: {error}") from None

    def explained(self, message: str) -> str:
        return message

    def spooled(self, content: Iterable[bytes]) -> str:
        """Bytes in a temporary file, which goes with the reader: it can be looked at and read, also twice."""
        spool = tempfile.NamedTemporaryFile(suffix=".csv")  # noqa: SIM115  closed with the reader
        self.spools.append(spool)
        spool.writelines(content)
        spool.flush()
        return spool.name

    def check_unchanged(self) -> None:
        if self._stamp() != self.stamp:
            raise ValueError(f"{self.file!r} changed while it was read")

    def _stamp(self) -> tuple[int, int, int]:
        status = os.stat(self.original)
        return status.st_size, status.st_mtime_ns, status.st_ino


def blocks_of(stream: Any) -> Iterator[bytes]:
    return iter(lambda: stream.read(1 << 20), b"")


def without_gaps(batch: Any, gaps: Sequence[float]) -> Any:
    """Numbers that count as gaps become gaps."""
    for j, column in enumerate(batch.columns):
        if gaps and pa.types.is_floating(column.type):
            found = pc.is_in(column, value_set=pa.array(gaps, column.type))
            batch = batch.set_column(j, batch.schema.field(j), pc.if_else(found, None, column))
    return batch
