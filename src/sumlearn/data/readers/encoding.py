"""In which encoding a text file is written; files that are not UTF-8 are read through a copy that is."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Any

CHECKED = 1 << 24  # bytes that are looked at
AT_A_TIME = 1 << 20
MARKS = {codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32"}  # begins like one of UTF-16
MARKS |= {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16", codecs.BOM_UTF8: "utf-8"}
WESTERN = "cp1252"  # holds the letters of Latin-1
UNUSED = frozenset(b"\x81\x8d\x8f\x90\x9d")  # bytes that stand for nothing in it


def encoding_of(stream: Any, fallback: str | None, file: str) -> str:
    """By a mark, by the zeros of UTF-16, UTF-8 where it is that, else the `fallback`, else cp1252.

    Bytes that are nothing in cp1252 are refused: nobody can tell from the bytes which of the other encodings it is.
    """
    head = stream.read(AT_A_TIME)
    marked = next((encoding for mark, encoding in MARKS.items() if head.startswith(mark)), None)
    if marked is not None:
        return marked
    if (wide := without_mark(head[:4096])) is not None:
        return wide
    decoder, looked_at, utf8, western = codecs.getincrementaldecoder("utf-8")(), 0, True, True
    while head and looked_at < CHECKED:
        looked_at += len(head)
        western = western and not UNUSED.intersection(head)
        try:
            utf8 = utf8 and decoder.decode(head) is not None
        except UnicodeDecodeError:
            utf8 = False
        head = stream.read(AT_A_TIME)
    if utf8:
        return "utf-8"
    if fallback is None and not western:
        raise ValueError(f"{file!r} is neither UTF-8 nor {WESTERN}: name its encoding (--encoding)")
    return fallback or WESTERN


def without_mark(head: bytes) -> str | None:
    """UTF-16 of western text has a zero in every second byte; other text has none at all.

    >>> without_mark("a,b".encode("utf-16-le")), without_mark("a,b".encode("utf-16-be")), without_mark(b"a,b")
    ('utf-16-le', 'utf-16-be', None)
    """
    first, second = head[0::2], head[1::2]
    if second and second.count(0) > 0.7 * len(second) and not first.count(0):
        return "utf-16-le"
    return "utf-16-be" if first and first.count(0) > 0.7 * len(first) and not second.count(0) else None


def recoded(stream: Any, encoding: str, file: str) -> Iterator[bytes]:
    """The text of a file as UTF-8, piece by piece."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for block in iter(lambda: stream.read(AT_A_TIME), b""):
            yield decoder.decode(block).encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError as error:
        raise ValueError(f"{file!r} is not {encoding}: {error} (--encoding)") from None
