"""Names that stand twice, and help with one that is not there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, names: list[str]) -> str:
    """The end of an error message: the nearest name, or the names there are."""
    close = difflib.get_close_matches(name, names, 1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; the columns are {', '.join(map(str, names[:20]))}{', ...' if len(names) > 20 else ''}"


def first_repeated(names: Iterable[str]) -> str | None:
    """The first name that stood before already."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
