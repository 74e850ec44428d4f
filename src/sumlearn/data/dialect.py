"""How text files are written, where somebody has said it or has found it out."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import NamedTuple

ORDERS = ("dmy", "mdy", "ymd")
SIGNS = {"point": ".", "comma": ","}


class ReadingNote(NamedTuple):
    """Something that was found out about a file and that its owner should know: a code, a column, a sentence."""

    code: str  # encoding, dates, numbers, units, bounds, gaps, mostly-numbers
    column: str | None
    text: str


class ReadingWarning(UserWarning):
    """A text file is read in a way that it does not say itself."""


@dataclass(frozen=True)
class Dialect:
    """What is known beforehand; what is not is found from the file, where the file leaves one reading.

    Attributes
    ----------
    encoding : str or None
        Of all files.
    fallback : str or None
        The encoding of those that are not UTF-8, where none is said.
    dates : {"dmy", "mdy", "ymd"} or None
        The order of day, month and year.
    decimal : {"point", "comma"} or None
    missing : tuple of str
        Cells that count as gaps; numbers, also infinite ones, by their value.

    >>> Dialect(dates="dym")
    Traceback (most recent call last):
    ValueError: dates 'dym': dmy, mdy or ymd
    """

    encoding: str | None = None
    dates: str | None = None
    decimal: str | None = None
    missing: tuple[str, ...] = ()
    fallback: str | None = None

    def __post_init__(self) -> None:
        if self.dates not in (None, *ORDERS):
            raise ValueError(f"dates {self.dates!r}: dmy, mdy or ymd")
        if self.decimal not in (None, *SIGNS):
            raise ValueError(f"decimal {self.decimal!r}: point or comma")
        try:
            codecs.lookup(self.encoding or "utf-8")
        except LookupError:
            raise ValueError(f"encoding {self.encoding!r} is none that Python knows, such as cp1252") from None

    @property
    def gaps(self) -> list[float]:
        """The numbers among the cells that count as gaps."""
        return [number for text in self.missing for number in numbers_in(text)]


def numbers_in(text: str) -> list[float]:
    """
    >>> numbers_in("inf"), numbers_in("-999"), numbers_in("?")
    ([inf, -inf], [-999.0], [])
    """
    try:
        number = float(text)
    except ValueError:
        return []
    return [number, -number] if number == float("inf") else [number]
