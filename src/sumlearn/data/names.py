"""Help with a name that is not there."""

from __future__ import annotations

import difflib


def nearest(name: str, names: list[str]) -> str:
    """The end of an error message: the nearest name, or the names there are."""
    close = difflib.get_close_matches(name, names, 1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; the columns are {', '.join(map(str, names[:20]))}{', ...' if len(names) > 20 else ''}"
