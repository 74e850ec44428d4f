"""A table in files with all its columns, as a model reads them; a `Source` of the library has features and a target."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..data.dialect import Dialect
from ..data.file_rows import MixedFileRows
from ..data.target import check_spelling
from .opened_table import OpenedTable
from .problems import DataProblem
from .reading import PLAIN, Reading

ROWS_AT_A_TIME = 65536
BLOCK = 64 << 20  # bytes of a block, or so
CELL = 8  # bytes of a value, or so
PACKED = 6  # times that packed text grows


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
                hashlib.file_digest(raw, lambda: digest)
        return digest.hexdigest()

    @property
    def bytes_in_memory(self) -> int:
        """About how much memory the whole table takes."""
        expected = [reader.expected_rows() for reader in self.readers]
        if None in expected:
            return sum(PACKED * os.path.getsize(reader.path) for reader in self.readers)
        return CELL * len(self.types) * sum(expected)

    def expected_blocks(self) -> int:
        """About how many blocks there are; 1 where nobody knows."""
        rows = [reader.expected_rows() for reader in self.readers]
        return max(1, -(-sum(count or 0 for count in rows) // self.size_of(len(self.types))))

    def size_of(self, width: int) -> int:
        """Rows of a block of a table of so many columns."""
        return min(ROWS_AT_A_TIME, max(1024, BLOCK // (CELL * width)))

    def __iter__(self) -> Iterator[OpenedTable]:
        return self.in_blocks(len(self.types))

    def in_blocks(self, width: int) -> Iterator[OpenedTable]:
        """Blocks of as many rows as a table of so many columns has."""
        import pyarrow as pa

        schema, first = pa.schema(list(self.types.items())), 0
        size = self.size_of(width)
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
