"""JSON from strangers: brackets take memory, so they are counted before they are read."""

from __future__ import annotations

import json
from typing import Any

OBJECT, LIST = 184, 64  # bytes that Python sets aside for each, or so
ROOM, TIMES = 8 << 20, 16  # bytes that are always granted, and how many for each byte of the text


def parsed(text: bytes) -> Any:
    """The content of a JSON text; ValueError where it would take far more memory than it has bytes.

    >>> parsed(b'{"rows": [1, 2]}')
    {'rows': [1, 2]}
    """
    if OBJECT * text.count(b"{") + LIST * text.count(b"[") > ROOM + TIMES * len(text):
        raise ValueError("it has more brackets than content: reading it would take many times its size in memory")
    return json.loads(text)
