"""JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.json

from .. import lines
from .kinds import kind_of
from .text import TextReader


class JsonReader(TextReader):
    """One object per line."""

    def open(self, block: int, **options: Any) -> Any:
        return pa.json.open_json(self.stream(), read_options=pa.json.ReadOptions(block_size=block), **options)

    def sniff(self) -> tuple[list[str], list[Any]]:
        if not self.stream().read(self.BLOCK).strip():
            raise ValueError(f"{self.file!r} is empty")
        schema = self.open(self.at_a_time).schema
        return schema.names, schema.types

    def read(self, types: dict[str, Any], rows: int, units: int = 0) -> Iterator[Any]:
        schema = pa.schema(list(self.parsed(types).items()))
        options = pa.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
        self.reading = types
        yield from self.open(self.at_a_time, parse_options=options)

    def place(self, row: int) -> str:
        return f"{super().place(row)}, line {lines.json_line(self.stream(), row)}"

    def explained(self, message: str) -> str:
        """The parser counts rows within a block: look for the line again."""
        reading = hasattr(self, "reading")
        kinds = {name: kind_of(type) for name, type in self.parsed(self.reading).items()} if reading else None
        return lines.json_fault(self.stream(), kinds) or message
