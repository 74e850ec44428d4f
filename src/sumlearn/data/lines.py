"""Where a record of a text file begins: read again, in plain Python, only when there is an error to place.

Fast readers count records; people look for lines, and quoted line ends and blank lines set the two apart.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

FIELD_LIMIT = 1 << 17  # Python's: a field longer than that is most likely a quote that was never closed


def csv_records(stream: Any, delimiter: str) -> Iterator[tuple[int, list[str] | None]]:
    """The line on which each record begins, counted from 1, and its fields; None for one that cannot be read."""
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
    reader = csv.reader(text, delimiter=delimiter)
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield line, None
            return
        if record:
            yield line, record


def csv_line(stream: Any, number: int, delimiter: str) -> int | None:
    """The line on which record `number` begins; the header is record 0."""
    for count, (line, _) in enumerate(csv_records(stream, delimiter)):
        if count == number:
            return line
    return None


def overlong_line(stream: Any, delimiter: str) -> int | None:
    """The line on which the first record with an overlong field begins."""
    for line, record in csv_records(stream, delimiter):
        if record is None or any(len(field) >= FIELD_LIMIT for field in record):
            return line
    return None


def json_line(stream: Any, number: int) -> int | None:
    """The line of object `number`, counted from 0, where each object has a line of its own."""
    count = -1
    for line, text in enumerate(io.BufferedReader(stream), 1):
        count += bool(text.strip())
        if count == number:
            return line
    return None


def json_fault(stream: Any, kinds: dict[str, str] | None) -> str | None:
    """The first line that is no object, or that holds a value of another kind than the column; None if all is well.

    Where the kinds are not known, the first value of a column decides.
    """
    known = {} if kinds is None else kinds
    for line, text in enumerate(io.BufferedReader(stream), 1):
        if not text.strip():
            continue
        try:
            record = json.loads(text, object_pairs_hook=once)
        except ValueError as error:  # also bytes that are no UTF-8
            return f"line {line}: {error}"
        if not isinstance(record, dict):
            return f"line {line} is no object: {shown(text.decode(errors='replace').strip())}"
        for name, value in record.items():
            if value is None or (kinds is not None and name not in kinds):
                continue
            if json_kind(value) != known.setdefault(name, json_kind(value)):
                return f"line {line}, column {name!r} holds {shown(value)}, not a {known[name]}"
    return None


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"column {next(n for n in names if names.count(n) > 1)!r} stands more than once")
    return record


def json_kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else "text" if isinstance(value, str) else "nested"


def shown(value: Any, length: int = 60) -> str:
    """A value as an error shows it: not longer than a line."""
    text = repr(value)
    return text if len(text) <= length else text[:length] + "..."
