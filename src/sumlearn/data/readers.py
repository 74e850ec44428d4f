"""One reader per file format: what columns there are, and their batches with fixed types."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .files import STDIN, format_of, standard_input
from .names import nearest

try:
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.ipc
    import pyarrow.json
    import pyarrow.parquet
except ImportError as error:  # pragma: no cover - depends on what is installed
    raise ImportError(
        "reading tables from files needs pyarrow: pip install 'sumlearn[cli]' (or pip install pyarrow)"
    ) from error

BLOCK = 1 << 20  # bytes of text read at a time
SAMPLES = 5  # blocks over which the types of a text file are decided


class Reader(ABC):
    """A file: the kinds and types of its columns, and its batches."""

    kinds: dict[str, str]
    types: dict[str, Any]

    def __init__(self, file: str) -> None:
        self.file = file
        self.stamp = self._stamp()
        with self.faults():
            self.types = self.sniff()
        repeated = [name for name in self.types if list(self.types).count(name) > 1]
        if repeated:
            raise ValueError(f"column {repeated[0]!r} stands more than once in {file!r}")
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
    def sniff(self) -> dict[str, Any]:
        """Names and types of the columns."""

    @abstractmethod
    def read(self, types: dict[str, Any], rows: int) -> Iterator[Any]:
        """Record batches of those columns, of about so many rows where the format leaves the choice."""

    def batches(self, types: dict[str, Any], rows: int) -> Iterator[tuple[int, Any]]:
        """Batches with exactly those columns and types, each with the number of its first row."""
        schema = pa.schema(list(types.items()))
        first = 0
        with self.faults():
            for batch in self.read(types, rows):
                yield first, batch if batch.schema.equals(schema) else self.converted(batch, schema, first)
                first += batch.num_rows
        if self._stamp() != self.stamp:
            raise ValueError(f"{self.file!r} changed while it was read")

    def converted(self, batch: Any, schema: Any, first: int) -> Any:
        columns = []
        for field in schema:
            column = batch.column(batch.schema.get_field_index(field.name))
            try:
                columns.append(column if column.type.equals(field.type) else column.cast(field.type, safe=False))
            except pa.ArrowInvalid as error:
                raise ValueError(f"{self.file!r}, column {field.name!r}, rows from {first}: {error}") from None
        return pa.RecordBatch.from_arrays(columns, schema=schema)

    def check(self, features: Sequence[str], others: Sequence[str], kind: str | None, extra: bool) -> None:
        """All columns are there and of the right kind; a column too many is an error unless features were chosen."""
        for name in (*features, *others):
            if name not in self.kinds:
                raise ValueError(f"no column {name!r} in {self.file!r}{nearest(name, list(self.kinds))}")
        unknown = [name for name in self.kinds if name not in features and name not in others]
        if unknown and not extra:
            raise ValueError(f"{self.file!r} has a column {unknown[0]!r} that other files do not have")
        for name in features:
            if self.kinds[name] not in ("number", "boolean"):
                raise ValueError(
                    f"column {name!r} of {self.file!r} holds {self.kinds[name]} values, not numbers; "
                    "encode it or leave it out"
                )

    def narrow(self, names: Sequence[str]) -> bool:
        return all(pa.types.is_float32(self.types[name]) for name in names)

    def type_of(self, name: str) -> Any:
        return self.types[name]

    @staticmethod
    def common_type(types: Sequence[Any]) -> Any:
        """The type of labels over several files: text as soon as one of them is."""
        types = [t.value_type if pa.types.is_dictionary(t) else t for t in types]
        if all(t.equals(types[0]) for t in types):
            return types[0]
        if all(pa.types.is_integer(t) or pa.types.is_boolean(t) for t in types):
            return pa.int64()
        return pa.float64() if all(kind_of(t) == "number" for t in types) else pa.string()

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Errors of the reading library as ValueErrors that name the file."""
        try:
            yield
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowKeyError, EOFError) as error:
            raise ValueError(f"{self.file!r} cannot be read: {self.explained(str(error))}") from None
        except OSError as error:
            if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
                raise
            raise ValueError(f"{self.file!r} cannot be read: {error}") from None

    def explained(self, message: str) -> str:
        return message

    def _stamp(self) -> tuple[int, int] | None:
        if self.file == STDIN:
            return None
        status = os.stat(self.file)
        return status.st_size, status.st_mtime_ns


class ParquetReader(Reader):
    """Row groups are read one after the other without pre-buffering: memory stays at a few batches."""

    def open(self) -> Any:
        return pa.parquet.ParquetFile(self.file, pre_buffer=False, buffer_size=65536)

    def sniff(self) -> dict[str, Any]:
        with self.open() as file:
            schema = file.schema_arrow
            return dict(zip(schema.names, schema.types, strict=True))

    def read(self, types: dict[str, Any], rows: int) -> Iterator[Any]:
        with self.open() as file:
            yield from file.iter_batches(batch_size=rows, columns=list(types))


class ArrowReader(Reader):
    """The IPC file format, memory-mapped, or the stream format."""

    def open(self) -> Any:
        source = pa.memory_map(self.file)
        try:
            return pa.ipc.open_file(source)
        except pa.ArrowInvalid:
            return pa.ipc.open_stream(source)

    def sniff(self) -> dict[str, Any]:
        schema = self.open().schema
        return dict(zip(schema.names, schema.types, strict=True))

    def read(self, types: dict[str, Any], rows: int) -> Iterator[Any]:
        reader = self.open()
        if hasattr(reader, "num_record_batches"):
            batches: Any = (reader.get_batch(i) for i in range(reader.num_record_batches))
        else:
            batches = reader
        for batch in batches:
            yield batch.select(list(types))


class JsonReader(Reader):
    """One object per line."""

    def sniff(self) -> dict[str, Any]:
        options = pa.json.ReadOptions(block_size=SAMPLES * BLOCK)
        schema = pa.json.open_json(self.file, read_options=options).schema
        return dict(zip(schema.names, schema.types, strict=True))

    def read(self, types: dict[str, Any], rows: int) -> Iterator[Any]:
        schema = pa.schema(list(types.items()))
        options = pa.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
        yield from pa.json.open_json(
            self.file, read_options=pa.json.ReadOptions(block_size=BLOCK), parse_options=options
        )


class CsvReader(Reader):
    """Text with a header; types are decided over several blocks, numbers are float64."""

    def sniff(self) -> dict[str, Any]:
        blocks = self.samples()
        header = blocks[0].split(b"\n", 1)[0].decode("utf-8-sig", errors="replace").strip("\r")
        if not header.strip():
            raise ValueError(f"{self.file!r} is empty")
        self.delimiter = delimiter_of(header, self.file)
        found: dict[str, Any] = {}
        for number, block in enumerate(blocks):
            text = block if number == 0 else blocks[0].split(b"\n", 1)[0] + b"\n" + block
            table = pa.csv.read_csv(
                pa.BufferReader(text), parse_options=self.parse_options(ragged_ok=True), convert_options=null_options()
            )
            for name, type in zip(table.schema.names, table.schema.types, strict=True):
                found[name] = wider(found.get(name), type)
        if all(looks_like_number(name) for name in found):
            raise ValueError(
                f"the first line of {self.file!r} holds numbers instead of column names: is the header missing?"
            )
        return {name: pa.string() if pa.types.is_null(type) else type for name, type in found.items()}

    def samples(self) -> list[bytes]:
        """Blocks of whole lines from the beginning, the middle and the end."""
        if self.file == STDIN:
            import io

            self.text = standard_input().read()
            with io.BytesIO(self.text) as stream:
                return [whole_lines(stream.read(BLOCK))]
        with pa.input_stream(self.file, compression="detect") as stream:
            blocks = [stream.read(BLOCK)]
        size = os.path.getsize(self.file)
        blocks[0] = whole_lines(blocks[0])
        if not self.file.endswith((".gz", ".bz2", ".zst", ".lz4")) and size > 2 * BLOCK:
            with open(self.file, "rb") as raw:
                for i in range(1, SAMPLES):
                    raw.seek(i * (size - BLOCK // 4) // (SAMPLES - 1))
                    raw.readline()  # to the next line
                    block = whole_lines(raw.read(BLOCK // 4))
                    if block:
                        blocks.append(block)
        return blocks

    def parse_options(self, ragged_ok: bool = False) -> Any:
        skip = {"invalid_row_handler": lambda row: "skip"} if ragged_ok else {}
        return pa.csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True, **skip)

    def read(self, types: dict[str, Any], rows: int) -> Iterator[Any]:
        if self.file == STDIN:
            source: Any = pa.BufferReader(self.text)
        else:
            source = pa.input_stream(self.file, compression="detect")
        yield from pa.csv.open_csv(
            source,
            # row numbers stand in errors only where one thread reads
            read_options=pa.csv.ReadOptions(use_threads=False, block_size=4 * BLOCK),
            parse_options=self.parse_options(),
            convert_options=null_options(include_columns=list(types), column_types=types),
        )

    def explained(self, message: str) -> str:
        """Column numbers as names, rows as lines."""
        import re

        names = list(self.types) if hasattr(self, "types") else []
        if (found := re.search(r"In CSV column #(\d+)", message)) and int(found[1]) < len(names):
            message = message.replace(found[0], f"column {names[int(found[1])]!r}")
        message = re.sub(r"Row #(\d+)", r"line \1", message)
        if re.search(r"invalid value '-?\d+,\d+'", message):
            message += " (a decimal comma? write decimal points)"
        return message


def null_options(**more: Any) -> Any:
    return pa.csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=False, **more)


def delimiter_of(header: str, file: str) -> str:
    if format_of(file) == "tsv":
        return "\t"
    counts = {mark: header.count(mark) for mark in (",", ";", "\t", "|")}
    best = max(counts, key=lambda mark: counts[mark])
    return best if counts[best] and not counts[","] else ","


def whole_lines(block: bytes) -> bytes:
    """Up to the last end of a line, unless there is none."""
    end = block.rfind(b"\n")
    return block[: end + 1] if end >= 0 else block


def wider(a: Any, b: Any) -> Any:
    """The type that holds what two blocks found."""
    if a is None or pa.types.is_null(a):
        return b
    if pa.types.is_null(b) or a.equals(b):
        return a
    if kind_of(a) == kind_of(b) == "number":
        return pa.float64()
    return pa.string()


def kind_of(type: Any) -> str:
    if pa.types.is_dictionary(type):
        return "category"
    if pa.types.is_boolean(type):
        return "boolean"
    if pa.types.is_integer(type) or pa.types.is_floating(type) or pa.types.is_decimal(type):
        return "number"
    if pa.types.is_temporal(type):
        return "date"
    return "text"


def looks_like_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
