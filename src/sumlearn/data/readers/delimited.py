"""CSV, TSV and their kin: values between commas, semicolons, tabs or bars."""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from .. import lines
from ..dialect import SIGNS
from ..files import format_of
from .kinds import kind_of, wider
from .spelling import has_form, is_fraction, spelling_of
from .text import TextReader

FIRST = 1000  # lines that decide whether numbers are written with commas
SAMPLES = 4  # blocks that decide the types besides the first, from there to the end of the file


class CsvReader(TextReader):
    """Text with a header; types are decided over several blocks, numbers are float64."""

    untyped = True
    flags: dict[str, tuple[str, Any, str]]  # columns that say where numbers are bounds: of which column, form, side

    def sniff(self) -> tuple[list[str], list[Any]]:
        head = self.head()
        header, _, rest = head.decode("utf-8-sig", errors="replace").strip().replace("\r", "\n").partition("\n")
        if not header:
            raise ValueError(f"{self.file!r} is empty")
        self.delimiter = delimiter_of(header, self.file)
        self.decimal_point = SIGNS.get(self.dialect.decimal or "", decimal_point_of(rest, self.delimiter))
        self.bare = not rest and (len(head) < self.BLOCK or len(header) >= self.BLOCK)
        if self.bare:
            names = next(csv.reader([header], delimiter=self.delimiter))
            types = [pa.null()] * len(names)
        else:
            schema = self.open(ragged_ok=True).schema
            names, types = schema.names, schema.types
            for block in self.samples():
                types = [wider(a, b) for a, b in zip(types, self.parsed_block(block, names).schema.types, strict=True)]
        if all(map(looks_like_number, names)):
            raise ValueError(
                f"the first line of {self.file!r} holds numbers instead of column names: is the header missing?"
            )
        self.width, self.flags = len(names), {}
        return names, types

    def samples(self) -> Iterator[bytes]:
        """Whole lines behind the first block, up to the end of the file.

        Not from a packed file, which would have to be read up to there; nor where there are quotes, since a line may
        then begin inside a field.
        """
        size = os.path.getsize(self.path)
        if self.compression() or size <= 2 * self.at_a_time:
            return
        block_size = self.BLOCK // 4 if self.at_a_time == self.AT_A_TIME else self.at_a_time
        with open(self.path, "rb") as raw:
            for i in range(SAMPLES):
                raw.seek(self.at_a_time + i * (size - self.at_a_time - block_size) // (SAMPLES - 1))
                raw.readline()  # to the next line
                block = raw.read(block_size)
                block = block[: block.rfind(b"\n") + 1]
                if block.strip() and b'"' not in block:
                    yield block

    def parsed_block(self, block: bytes, names: list[str], **options: Any) -> Any:
        return pa.csv.read_csv(
            pa.BufferReader(block),
            read_options=pa.csv.ReadOptions(column_names=names),
            parse_options=self.parse_options(ragged_ok=True),
            convert_options=self.convert_options(**options),
        )

    def open(self, threads: bool = False, ragged_ok: bool = False, **options: Any) -> Any:
        return pa.csv.open_csv(
            self.stream(),
            read_options=pa.csv.ReadOptions(use_threads=threads, block_size=self.at_a_time),
            parse_options=self.parse_options(ragged_ok),
            convert_options=self.convert_options(**options),
        )

    def convert_options(self, **more: Any) -> Any:
        options = pa.csv.ConvertOptions(
            strings_can_be_null=True, quoted_strings_can_be_null=False, decimal_point=self.decimal_point, **more
        )
        options.null_values = [*options.null_values, *self.dialect.missing]
        return options

    def parse_options(self, ragged_ok: bool = False) -> Any:
        skip = {"invalid_row_handler": lambda row: "skip"} if ragged_ok else {}
        return pa.csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True, **skip)

    def read(self, types: dict[str, Any], rows: int, units: int = 0) -> Iterator[Any]:
        """In threads; an error found there does not say the row, so it is then looked for with one."""
        if self.bare:
            return
        first = [name for name, type in types.items() if self.is_text_first(name, type)]
        columns = dict.fromkeys(self.flags[name][0] if name in self.flags else name for name in types)
        parsed = self.parsed({name: types.get(name, pa.string()) for name in columns})
        parsed |= dict.fromkeys([*first, *(self.flags[name][0] for name in types if name in self.flags)], pa.string())
        options: dict[str, Any] = {"include_columns": list(columns), "column_types": parsed}
        plain = not first and len(columns) == len(types) and not any(name in self.flags for name in types)
        try:
            batches = self.open(threads=True, **options)
            yield from batches if plain else self.meant(batches, types, set(first))
        except pa.ArrowInvalid:
            for _ in self.open(**options):
                pass
            raise

    # -- what is text first: labels, so that those that differ as text stay apart; numbers and dates by their forms ----

    def is_text_first(self, name: str, type: Any) -> bool:
        if pa.types.is_string(type):
            return False
        form = self.written.get(name)
        by_form = form is not None and not (
            form.kind == "number" and form.is_plain and form.decimal == self.decimal_point
        )
        return name in self.forms or by_form

    def meant(self, batches: Any, types: dict[str, Any], first: set[str]) -> Iterator[Any]:
        """Batches of those columns, with what was read as text as what it means."""
        at = 0
        for batch in batches:
            columns = []
            for name in types:
                text = batch.column(self.flags[name][0] if name in self.flags else name)
                if name in self.flags:
                    column = flags_in(text, *self.flags[name][1:])
                elif name not in first:
                    column = text
                elif name in self.forms:
                    column = self.spelled(text, name, at)
                else:
                    column = self.by_form(text, name, types[name], at)
                columns.append(column)
            yield pa.RecordBatch.from_arrays(columns, names=list(types))
            at += batch.num_rows

    def by_form(self, texts: Any, name: str, type: Any, first: int) -> Any:
        """Numbers or dates; every text is read once."""
        form, coded = self.written[name], texts.dictionary_encode()
        values: list[Any] = []
        for text in coded.dictionary.to_pylist():
            try:
                values.append(form.read(text))
            except ValueError as error:
                line = self.line(first + texts.index(text).as_py() + 1)
                raise ValueError(f"column {name!r} of {self.file!r}, line {line}: {error}") from None
        native = pa.float64() if form.kind == "number" else pa.timestamp("s")
        return pa.array(values, native).take(coded.indices).cast(type)

    def hold_forms(self, forms: Mapping[str, Any]) -> None:
        self.written = {name: form for name, form in forms.items() if name in self.types}
        for name, form in self.written.items():
            self.types[name] = pa.float64() if form.kind == "number" else pa.timestamp("s")
            self.kinds[name] = form.kind
            for side in form.bounds if form.kind == "number" else ():
                self.flags[flag_name(name, side)] = (name, form, side)
                self.types[flag_name(name, side)], self.kinds[flag_name(name, side)] = pa.bool_(), "boolean"

    def texts(self, names: Sequence[str]) -> dict[str, Counter[str]]:
        """In the first block, and in others up to the end of the file."""
        found: dict[str, Counter[str]] = {name: Counter() for name in names}
        if self.bare or not names:
            return found
        options: dict[str, Any] = {"include_columns": list(names), "column_types": dict.fromkeys(names, pa.string())}
        with self.faults():
            batch = next(iter(self.open(ragged_ok=True, **options)), None)
            blocks = [] if batch is None else [batch]
            blocks += [self.parsed_block(block, list(self.types)[: self.width], **options) for block in self.samples()]
        for block in blocks:
            for name in names:
                for entry in block.column(name).value_counts().to_pylist():
                    if entry["values"] is not None:
                        found[name][entry["values"]] += entry["counts"]
        return found

    def hold_spelling(self, name: str) -> None:
        """Labels are numbers or truth values only if they are written alike, as far as the first block tells.

        Else they are text. A label further down that is not written like the first ones is refused. Fractions are no
        labels at all, which is for others to say.
        """
        if name in self.forms or self.bare or self.kinds[name] not in ("number", "boolean"):
            return
        with self.faults():
            first = next(iter(self.open(include_columns=[name], column_types={name: pa.string()})), None)
        texts = [] if first is None else [text for text in first.column(0).unique().to_pylist() if text is not None]
        if any(map(is_fraction, texts)):
            return
        if (form := spelling_of(texts)) is not None:
            self.forms[name] = form
        else:
            self.types[name], self.kinds[name] = pa.string(), "text"

    def spelled(self, texts: Any, name: str, first: int) -> Any:
        """Labels as numbers again, once their spelling is looked at."""
        form = self.forms[name]
        for text in texts.unique().to_pylist():
            if text is not None and not has_form(text, form) and not is_fraction(text):
                raise ValueError(
                    f"column {name!r} of {self.file!r}, line {self.line(first + texts.index(text).as_py() + 1)}: the "
                    f"label {text!r} is not written like the others, such as {form}: write all of them alike"
                )
        return self.numbers(texts, self.types[name])

    def numbers(self, texts: Any, type: Any) -> Any:
        """Texts as the parser reads numbers and truth values."""
        texts = pc.utf8_trim_whitespace(texts)
        if self.decimal_point == "," and kind_of(type) == "number":
            texts = pc.replace_substring(texts, ",", ".")
        return texts.cast(type)

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


def flag_name(column: str, side: str) -> str:
    return f"{column}: {side}"


def flags_in(texts: Any, form: Any, side: str) -> Any:
    """Where a number is a bound."""
    coded = texts.dictionary_encode()
    flags = pa.array([form.is_bound(text, side) for text in coded.dictionary.to_pylist()], pa.bool_())
    return flags.take(coded.indices).fill_null(False)


def delimiter_of(header: str, file: str) -> str:
    """What separates the names of the columns; a comma wherever there is one outside quotes."""
    if format_of(file) == "tsv":
        return "\t"
    bare = re.sub(r'"[^"]*"', "", header)
    counts = {mark: bare.count(mark) for mark in (",", ";", "\t", "|")}
    best = max(counts, key=lambda mark: counts[mark])
    return best if counts[best] and not counts[","] else ","


def decimal_point_of(text: str, delimiter: str) -> str:
    """A comma, where the first numbers with a fraction have one and nothing else does.

    >>> decimal_point_of("0,5;a\\n1;b\\n", ";"), decimal_point_of("0,5;1.5\\n", ";"), decimal_point_of("1.5,2", ",")
    (',', '.', '.')
    """
    if delimiter == ",":
        return "."
    cells = [cell.strip() for line in text.split("\n")[:FIRST] for cell in line.split(delimiter)]
    commas = any(re.fullmatch(r"[+-]?\d+,\d+", cell) for cell in cells)
    return "," if commas and not any(re.fullmatch(r"[+-]?\d*\.\d+", cell) for cell in cells) else "."


def decimal_comma(value: str) -> str:
    return " (a decimal comma? write decimal points)" if re.fullmatch(r"\s*-?\d+,\d+\s*", value) else ""


def looks_like_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
