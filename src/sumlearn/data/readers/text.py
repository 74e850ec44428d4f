"""Lines of text, packed or not."""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa

from ..files import PACKED
from .reader import Reader


class TextReader(Reader):
    """What CSV and JSON lines share: packed files, and booleans, which the parsers do not take for numbers."""

    guessed = True
    BLOCK = 1 << 20  # bytes of text
    AT_A_TIME = BLOCK  # text is parsed in blocks that stay in the cache; the types of the first are looked at

    def stream(self) -> Any:
        return pa.input_stream(self.path, compression=self.compression())

    def expected_rows(self) -> int | None:
        """From the size of the file and of its first lines; a packed file does not tell."""
        if self.compression() is not None:
            return None
        head = self.stream().read(self.BLOCK)
        return os.path.getsize(self.path) * max(head.count(b"\n"), 1) // max(len(head), 1)

    def compression(self) -> str | None:
        return pa.Codec.detect(self.path).name if self.path.endswith(PACKED) else None

    def parsed(self, types: dict[str, Any]) -> dict[str, Any]:
        """The types to parse: booleans stay, to be converted later."""
        return {
            name: self.types[name] if self.kinds[name] == "boolean" and not pa.types.is_string(type) else type
            for name, type in types.items()
        }
