"""One reader per file format: what columns there are, and their batches with fixed types."""

from __future__ import annotations

import csv
import os
import re
import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from . import lines
from .files import PACKED, STDIN, format_of, standard_input
from .names import nearest

try:
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.ipc
    import pyarrow.json
    import pyarrow.parquet
except ImportError as error:
    raise ImportError(
        "reading tables from files needs pyarrow: pip install 'sumlearn[cli]' (or pip install pyarrow)"
    ) from error

BLOCK = 1 << 20  # bytes of text
AT_A_TIME = BLOCK  # text is parsed in blocks that stay in the cache; the types of the first are looked at
SAMPLES = 4  # further blocks that decide the types of a CSV file, from there to its end
DECODED = 1 << 23  # bytes of a batch of Parquet: a column's part of it is then worth a call
SMALL_GROUP = 1 << 26  # bytes of a row group of Parquet that is read as a whole
NUMERIC = ("number", "boolean", "empty")


class Reader(ABC):
    """A file: the kinds and types of its columns, and its batches."""

    kinds: dict[str, str]
    types: dict[str, Any]

    def __init__(self, file: str) -> None:
        self.file = file
        self.path = self.spooled() if file == STDIN else file
        self.stamp = self._stamp()
        with self.faults():
            names, types = self.sniff()
        repeated = next((name for i, name in enumerate(names) if name in names[:i]), None)
        if repeated is not None:
            raise ValueError(f"column {repeated!r} stands more than once in {file!r}")
        self.types = dict(zip(names, types, strict=True))
        self.kinds = {name: kind_of(type) for name, type in self.types.items()}

    @staticmethod
    def of(file: str) -> Reader:
        readers: dict[str, Any] = {
            "csv": CsvReader,
            "tsv": CsvReader,
            "parquet": ParquetReader,
            "arrow": ArrowReader,
            "jsonl": JsonReader,
        }
        return readers[format_of(file) or "csv"](file)

    @abstractmethod
    def sniff(self) -> tuple[list[str], list[Any]]:
        """Names and types of the columns."""

    @abstractmethod
    def read(self, types: dict[str, Any], rows: int) -> Iterator[Any]:
        """Record batches of those columns, of about so many rows where the format leaves the choice."""

    def batches(self, types: dict[str, Any], rows: int) -> Iterator[tuple[int, Any]]:
        """Batches with exactly those columns and types, each with the number of its first row."""
        schema = pa.schema(list(types.items()))
        first = 0
        self.check_unchanged()
        with self.faults():
            for batch in self.read(types, rows):
                self.check_unchanged()  # rows of a file that is being written are not handed on
                yield first, batch if batch.schema.equals(schema) else self.converted(batch, schema, first)
                first += batch.num_rows
        self.check_unchanged()

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
        kind: str | None,
        extra: bool,
        left_out: str | None = None,
    ) -> None:
        """All columns are there and of the right kind; a column too many is an error unless features were chosen."""
        others = [name for name in (target, weight) if name is not None]
        for name in (*features, *others):
            if name not in self.kinds:
                raise ValueError(f"no column {name!r} in {self.file!r}{nearest(name, list(self.kinds))}")
        unknown = [name for name in self.kinds if name not in (*features, *others, left_out)]
        if unknown and not extra:
            raise ValueError(f"{self.file!r} has a column {unknown[0]!r} that other files do not have")
        for name in (*features, *others):
            found = self.kinds[name]
            if name == target and kind == "label":
                if found in ("bytes", "nested"):
                    raise ValueError(
                        f"column {name!r} of {self.file!r} holds {found} values, not labels{self.example(name)}"
                    )
            elif found not in NUMERIC:
                raise ValueError(
                    f"column {name!r} of {self.file!r} holds {found} values, not numbers{self.example(name)}; "
                    "encode it or leave it out"
                )

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

    def type_of(self, name: str) -> Any:
        return self.types[name]

    @staticmethod
    def common_type(types: Sequence[Any]) -> Any:
        """The type of labels over several files: text as soon as one of them is; dates are labels as they are written.

        A column that is empty as far as anybody looked says nothing.
        """
        types = [t.value_type if pa.types.is_dictionary(t) else t for t in types]
        types = [pa.string() if pa.types.is_temporal(t) else t for t in types if not pa.types.is_null(t)]
        if not types:
            return pa.string()
        if all(t.equals(types[0]) for t in types):
            return types[0]
        if all(pa.types.is_integer(t) or pa.types.is_boolean(t) for t in types):
            return pa.int64()
        return pa.float64() if all(kind_of(t) in NUMERIC for t in types) else pa.string()

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

    def spooled(self) -> str:
        """Standard input in a temporary file, which goes with the reader: it can be looked at and read, also twice."""
        self.spool = tempfile.NamedTemporaryFile(suffix=".csv")  # noqa: SIM115  closed with the reader
        shutil.copyfileobj(standard_input(), self.spool)
        self.spool.flush()
        return self.spool.name

    def check_unchanged(self) -> None:
        if self._stamp() != self.stamp:
            raise ValueError(f"{self.file!r} changed while it was read")

    def _stamp(self) -> tuple[int, int, int]:
        status = os.stat(self.path)
        return status.st_size, status.st_mtime_ns, status.st_ino


class ParquetReader(Reader):
    """Row groups are read one after the other without pre-buffering: memory stays at a few batches.

    A small row group is read as a whole, column by column, which is quickest. A large one is read in batches; every
    column then holds a page, and its dictionary if it has one, as long as the row group lasts: some 2 MB a column for
    files that pyarrow wrote with its default of dictionaries for all columns.
    """

    def open(self) -> Any:
        return pa.parquet.ParquetFile(self.path, pre_buffer=False, buffer_size=65536)

    def sniff(self) -> tuple[list[str], list[Any]]:
        with self.open() as file:
            return file.schema_arrow.names, file.schema_arrow.types

    def expected_rows(self) -> int:
        with self.open() as file:
            return file.metadata.num_rows

    def read(self, types: dict[str, Any], rows: int) -> Iterator[Any]:
        width = 8 * len(types)
        at_a_time = max(rows, DECODED // width // rows * rows)
        with self.open() as file:
            for group in range(file.num_row_groups):
                if file.metadata.row_group(group).num_rows * width <= SMALL_GROUP:
                    yield from file.read_row_group(group, columns=list(types)).to_batches()
                else:
                    yield from file.iter_batches(at_a_time, row_groups=[group], columns=list(types))


class ArrowReader(Reader):
    """The IPC file or stream format, batch by batch. Not memory-mapped: a map of a file cut short ends the process."""

    @contextmanager
    def open(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        # indices of columns: only those are read
        fields = None if columns is None else [list(self.types).index(name) for name in columns]
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        with pa.OSFile(self.path) as source:
            stream = source.read(6) != b"ARROW1"
            source.seek(0)
            yield (pa.ipc.open_stream if stream else pa.ipc.open_file)(source, options=options)

    def sniff(self) -> tuple[list[str], list[Any]]:
        with self.open() as reader:
            return reader.schema.names, reader.schema.types

    def read(self, types: dict[str, Any], rows: int) -> Iterator[Any]:
        with self.open(list(types)) as reader:
            if hasattr(reader, "num_record_batches"):
                yield from (reader.get_batch(i) for i in range(reader.num_record_batches))
            else:
                yield from reader


class TextReader(Reader):
    """What CSV and JSON lines share: packed files, and booleans, which the parsers do not take for numbers."""

    def stream(self) -> Any:
        return pa.input_stream(self.path, compression=self.compression())

    def expected_rows(self) -> int | None:
        """From the size of the file and of its first lines; a packed file does not tell."""
        if self.compression() is not None:
            return None
        head = self.stream().read(BLOCK)
        return os.path.getsize(self.path) * max(head.count(b"\n"), 1) // max(len(head), 1)

    def compression(self) -> str | None:
        return pa.Codec.detect(self.path).name if self.path.endswith(PACKED) else None

    def parsed(self, types: dict[str, Any]) -> dict[str, Any]:
        """The types to parse: booleans stay, to be converted later."""
        return {
            name: self.types[name] if self.kinds[name] == "boolean" and not pa.types.is_string(type) else type
            for name, type in types.items()
        }


class JsonReader(TextReader):
    """One object per line."""

    def open(self, block: int, **options: Any) -> Any:
        return pa.json.open_json(self.stream(), read_options=pa.json.ReadOptions(block_size=block), **options)

    def sniff(self) -> tuple[list[str], list[Any]]:
        if not self.stream().read(BLOCK).strip():
            raise ValueError(f"{self.file!r} is empty")
        schema = self.open(AT_A_TIME).schema
        return schema.names, schema.types

    def read(self, types: dict[str, Any], rows: int) -> Iterator[Any]:
        schema = pa.schema(list(self.parsed(types).items()))
        options = pa.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
        self.reading = types
        yield from self.open(AT_A_TIME, parse_options=options)

    def place(self, row: int) -> str:
        return f"{super().place(row)}, line {lines.json_line(self.stream(), row)}"

    def explained(self, message: str) -> str:
        """The parser counts rows within a block: look for the line again."""
        reading = hasattr(self, "reading")
        kinds = {name: kind_of(type) for name, type in self.parsed(self.reading).items()} if reading else None
        return lines.json_fault(self.stream(), kinds) or message


class CsvReader(TextReader):
    """Text with a header; types are decided over several blocks, numbers are float64."""

    def sniff(self) -> tuple[list[str], list[Any]]:
        head = self.stream().read(BLOCK)
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise ValueError(f"{self.file!r} is UTF-16; save it as UTF-8")
        header, _, rest = head.decode("utf-8-sig", errors="replace").strip().replace("\r", "\n").partition("\n")
        if not header:
            raise ValueError(f"{self.file!r} is empty")
        self.delimiter = delimiter_of(header, self.file)
        self.bare = not rest and len(head) < BLOCK
        if self.bare:
            names = next(csv.reader([header], delimiter=self.delimiter))
            types = [pa.null()] * len(names)
        else:
            schema = self.open(ragged_ok=True).schema
            names, types = schema.names, schema.types
            for block in self.samples():
                types = [wider(a, b) for a, b in zip(types, self.types_in(block, names), strict=True)]
        if all(map(looks_like_number, names)):
            raise ValueError(
                f"the first line of {self.file!r} holds numbers instead of column names: is the header missing?"
            )
        return names, types

    def samples(self) -> Iterator[bytes]:
        """Whole lines behind the first block, up to the end of the file.

        Not from a packed file, which would have to be read up to there; nor where there are quotes, since a line may
        then begin inside a field.
        """
        size = os.path.getsize(self.path)
        if self.compression() or size <= 2 * AT_A_TIME:
            return
        with open(self.path, "rb") as raw:
            for i in range(SAMPLES):
                raw.seek(AT_A_TIME + i * (size - AT_A_TIME - BLOCK // 4) // (SAMPLES - 1))
                raw.readline()  # to the next line
                block = raw.read(BLOCK // 4)
                block = block[: block.rfind(b"\n") + 1]
                if block.strip() and b'"' not in block:
                    yield block

    def types_in(self, block: bytes, names: list[str]) -> list[Any]:
        return pa.csv.read_csv(
            pa.BufferReader(block),
            read_options=pa.csv.ReadOptions(column_names=names),
            parse_options=self.parse_options(ragged_ok=True),
            convert_options=null_options(),
        ).schema.types

    def open(self, threads: bool = False, ragged_ok: bool = False, **options: Any) -> Any:
        return pa.csv.open_csv(
            self.stream(),
            read_options=pa.csv.ReadOptions(use_threads=threads, block_size=AT_A_TIME),
            parse_options=self.parse_options(ragged_ok),
            convert_options=null_options(**options),
        )

    def parse_options(self, ragged_ok: bool = False) -> Any:
        skip = {"invalid_row_handler": lambda row: "skip"} if ragged_ok else {}
        return pa.csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True, **skip)

    def read(self, types: dict[str, Any], rows: int) -> Iterator[Any]:
        """In threads; an error found there does not say the row, so it is then looked for with one."""
        if self.bare:
            return
        options: dict[str, Any] = {"include_columns": list(types), "column_types": self.parsed(types)}
        try:
            yield from self.open(threads=True, **options)
        except pa.ArrowInvalid:
            for _ in self.open(**options):
                pass
            raise

    def place(self, row: int) -> str:
        return f"{super().place(row)}, line {self.line(row + 1)}"

    def line(self, record: int) -> int | None:
        return lines.csv_line(self.stream(), record, self.delimiter)

    def example(self, name: str) -> str:
        """The first value that is no number; in a column of bytes, the first that is not UTF-8."""
        position, bytes_only = list(self.types).index(name), self.kinds[name] == "bytes"
        for number, (line, record) in enumerate(lines.csv_records(self.stream(), self.delimiter)):
            if number and record and len(record) > position and record[position].strip():
                value = record[position]
                if "\N{REPLACEMENT CHARACTER}" in value if bytes_only else not looks_like_number(value):
                    return f" (line {line}: {lines.shown(value)}{decimal_comma(value)})"
        return ""

    def explained(self, message: str) -> str:
        """Column numbers as names, records as lines."""
        names = list(getattr(self, "types", {}))
        if (found := re.search(r"In CSV column #(\d+)", message)) and int(found[1]) < len(names):
            message = message.replace(found[0], f"column {names[int(found[1])]!r}")
        if found := re.search(r"Row #(\d+)", message):
            message = message.replace(found[0], f"line {self.line(int(found[1]) - 1)}", 1)
        if "straddling" in message:
            line = lines.overlong_line(self.stream(), self.delimiter)
            message = f"line {line}: a field does not end; is a quote not closed?"
        if found := re.search(r"invalid value '(.*)'", message):
            message += decimal_comma(found[1])
        return message.partition("\n")[0][:300]


def null_options(**more: Any) -> Any:
    return pa.csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=False, **more)


def delimiter_of(header: str, file: str) -> str:
    """What separates the names of the columns; a comma wherever there is one outside quotes."""
    if format_of(file) == "tsv":
        return "\t"
    bare = re.sub(r'"[^"]*"', "", header)
    counts = {mark: bare.count(mark) for mark in (",", ";", "\t", "|")}
    best = max(counts, key=lambda mark: counts[mark])
    return best if counts[best] and not counts[","] else ","


def decimal_comma(value: str) -> str:
    return " (a decimal comma? write decimal points)" if re.fullmatch(r"\s*-?\d+,\d+\s*", value) else ""


def wider(a: Any, b: Any) -> Any:
    """The type that holds what two blocks found."""
    if pa.types.is_null(a):
        return b
    if pa.types.is_null(b) or a.equals(b):
        return a
    if kind_of(a) == kind_of(b) == "number":
        return pa.float64()
    return pa.binary() if "bytes" in (kind_of(a), kind_of(b)) else pa.string()


def kind_of(type: Any) -> str:
    if pa.types.is_null(type):
        return "empty"
    if pa.types.is_dictionary(type):
        return "category"
    if pa.types.is_boolean(type):
        return "boolean"
    if pa.types.is_integer(type) or pa.types.is_floating(type) or pa.types.is_decimal(type):
        return "number"
    if pa.types.is_temporal(type):
        return "date"
    if pa.types.is_nested(type):
        return "nested"
    if pa.types.is_binary(type) or pa.types.is_large_binary(type) or pa.types.is_fixed_size_binary(type):
        return "bytes"
    return "text"


def looks_like_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
