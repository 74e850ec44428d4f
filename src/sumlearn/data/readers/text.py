"""Lines of text, packed or not."""

from __future__ import annotations

import codecs
import os
from functools import cached_property
from typing import Any

import pyarrow as pa

from ..dialect import ReadingNote
from ..files import PACKED
from .encoding import encoding_of, recoded
from .reader import Reader

LONGEST_LINE = 1 << 28  # bytes; what is longer is no line


class TextReader(Reader):
    """What CSV and JSON lines share: packed files, and booleans, which the parsers do not take for numbers."""

    guessed = True
    BLOCK = 1 << 20  # bytes of text
    AT_A_TIME = BLOCK  # text is parsed in blocks that stay in the cache; the types of the first are looked at

    def recode(self) -> None:
        dialect = self.dialect
        encoding = dialect.encoding or encoding_of(self.stream(), dialect.fallback, self.file)
        if codecs.lookup(encoding).name in ("utf-8", "ascii"):
            return
        self.path = self.spooled(recoded(self.stream(), encoding, self.file))
        self.encoding = encoding
        if dialect.encoding is None:
            text = f"{self.file!r} is not UTF-8: read as {encoding}"
            named = "(its encoding can be named: --encoding, encoding= of Files)"
            self.notes.append(ReadingNote("encoding", None, f"{text} {named}"))

    def stream(self) -> Any:
        return pa.input_stream(self.path, compression=self.compression())

    def head(self) -> bytes:
        """The first block of text, and two lines at least, however long they are."""
        stream = self.stream()
        head = block = stream.read(self.BLOCK)
        while block and head.count(b"\n") < 2 and len(head) < LONGEST_LINE:
            block = stream.read(len(head))
            head += block
        return head

    @cached_property
    def at_a_time(self) -> int:
        """Bytes of a block: several lines of very many columns."""
        line = max(map(len, self.head().split(b"\n", 2)[:2]))
        return self.AT_A_TIME if 2 * line <= self.AT_A_TIME else 4 * min(line, LONGEST_LINE)

    def expected_rows(self) -> int | None:
        """From the size of the file and of its first lines; a packed file does not tell."""
        if self.compression() is not None:
            return None
        head = self.head()
        return os.path.getsize(self.path) * max(head.count(b"\n"), 1) // max(len(head), 1)

    def compression(self) -> str | None:
        return pa.Codec.detect(self.path).name if self.path.endswith(PACKED) else None

    def parsed(self, types: dict[str, Any]) -> dict[str, Any]:
        """The types to parse: booleans stay, to be converted later."""
        return {
            name: self.types[name] if self.kinds[name] == "boolean" and not pa.types.is_string(type) else type
            for name, type in types.items()
        }
