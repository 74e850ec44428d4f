"""What can go wrong for reasons that are not ours: an option, or the data."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UsageProblem(ValueError):
    """An option that cannot be honoured; the message names it."""


class DataProblem(ValueError):
    """A table that cannot be learnt from; the message names column, row and the option that helps."""


def suggested(name: str, names: Iterable[str]) -> str:
    """The end of an error message: the nearest name, or the first of all names.

    >>> suggested("glucos", ["glucose", "mass"])
    "; did you mean 'glucose'?"
    """
    known = [str(n) for n in names]
    close = difflib.get_close_matches(str(name), known, 1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; there are {', '.join(map(repr, known[:12]))}{', ...' if len(known) > 12 else ''}"


class CannotDo(ValueError):
    """The model cannot do exactly what is asked, so it is not done."""
