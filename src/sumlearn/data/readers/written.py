"""How people write numbers and dates in text: 1.234,5 EUR, $1,234.50, 12 %, <5; 15.03.2023, 03/15/2023.

A column has one form. It is found where the column leaves one reading, kept by whoever learnt from it, and is the rule
for later files.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

UNITS = r"[$€£¥₹₽₩%‰]|EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|HUF|RON|TRY|INR|AUD|CAD|NZD|BRL|MXN|ZAR|Fr\.|kr"
CELL = re.compile(
    rf"(?P<bound>[<>≤≥]?)=?\s*(?P<sign>[+\-−]?)\s*(?P<before>{UNITS})?\s*(?P<minus>[+\-−]?)"
    rf"(?P<body>\d[\d.,' ]*\d|\d|[.,]\d+)(?P<power>[eE][+-]?\d+)?\s*(?P<after>{UNITS})?"
)
SPACES = str.maketrans("\u00a0\u202f\u2009’", "   '")  # between groups of digits
BOUNDS = {"<": "below", "≤": "below", ">": "above", "≥": "above"}
GAPS = ("-", "--", "–", "—", "?", ".", "..", "n.a.", "N.A.", "k.A.", "k. A.", "none", "None", "NONE")
DATE = re.compile(r"(\d{1,4})([./-])(\d{1,2})\2(\d{2}|\d{4})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?")


class Cell(NamedTuple):
    """A number as it stands in a text."""

    bound: str  # "below", "above" or nothing
    negative: bool
    unit: str
    body: str
    power: str

    @classmethod
    def of(cls, text: str) -> Cell | None:
        """
        >>> Cell.of("< $1,200"), Cell.of("D-10115"), Cell.of("007")
        (Cell(bound='below', negative=False, unit='$', body='1,200', power=''), None, None)
        """
        found = CELL.fullmatch(text.translate(SPACES).strip())
        if found is None or re.match(r"0\d", found["body"]) or (found["before"] and found["after"]):
            return None
        if found["sign"] and found["minus"]:
            return None
        negative = (found["sign"] or found["minus"]) in ("-", "−")
        unit = found["before"] or found["after"] or ""
        return cls(BOUNDS.get(found["bound"], ""), negative, unit, found["body"], found["power"] or "")

    def value(self, decimal: str, thousands: str) -> float | None:
        """
        >>> cell = Cell.of("1.234,5")
        >>> cell.value(",", "."), cell.value(".", ",")
        (1234.5, None)
        """
        point = re.escape(decimal)
        groups = rf"|[1-9]\d{{0,2}}({re.escape(thousands)}\d{{3}})+({point}\d+)?" if thousands else ""
        if not re.fullmatch(rf"\d+({point}\d*)?|{point}\d+{groups}", self.body):
            return None
        text = self.body.replace(thousands, "") if thousands else self.body
        number = float(text.replace(decimal, ".") + self.power)
        return -number if self.negative else number


class NumberForm(NamedTuple):
    """How the numbers of a column are written."""

    decimal: str = "."
    thousands: str = ""
    unit: str = ""
    bounds: tuple[str, ...] = ()  # of "below" and "above": cells such as <5 and >100
    gaps: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        return "number"

    @property
    def is_plain(self) -> bool:
        return not (self.thousands or self.unit or self.bounds or self.gaps)

    @property
    def example(self) -> str:
        number = f"1{self.thousands}234{self.decimal}5"
        return number + (f" {self.unit}" if self.unit else "")

    def read(self, text: str) -> float | None:
        """The number that a text is; None for a gap. A bound is the number that it names.

        >>> NumberForm(",", ".", "EUR").read("1.234,5 EUR"), NumberForm(bounds=("below",)).read("<5")
        (1234.5, 5.0)
        """
        if text.strip() in self.gaps or not text.strip():
            return None
        cell = Cell.of(text)
        value = None if cell is None else cell.value(self.decimal, self.thousands)
        if cell is None or value is None or cell.unit != self.unit or (cell.bound and cell.bound not in self.bounds):
            raise ValueError(f"{text!r} is not written like {self.example}")
        return value

    def is_bound(self, text: str, side: str) -> bool:
        cell = Cell.of(text)
        return cell is not None and cell.bound == side


class DateForm(NamedTuple):
    """The order of day, month and year of a column."""

    order: str
    gaps: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        return "date"

    @property
    def example(self) -> str:
        return {"dmy": "31.12.2024", "mdy": "12/31/2024", "ymd": "2024-12-31"}[self.order]

    def read(self, text: str) -> datetime.datetime | None:
        """
        >>> DateForm("mdy").read("03/15/2023"), DateForm("mdy").read("2023-03-15").day
        (datetime.datetime(2023, 3, 15, 0, 0), 15)
        """
        if text.strip() in self.gaps or not text.strip():
            return None
        moment = date_in(text, self.order)
        if moment is None:
            raise ValueError(f"{text!r} is no date like {self.example}")
        return moment


Form = NumberForm | DateForm


def date_in(text: str, order: str) -> datetime.datetime | None:
    """A date in an order; one that begins with a year of four digits has its own. None where it is no date.

    >>> date_in("15.03.2023", "mdy"), date_in("15/03/23 10:30", "dmy")
    (None, datetime.datetime(2023, 3, 15, 10, 30))
    """
    found = DATE.fullmatch(text.strip())
    if found is None:
        return None
    parts = [found[1], found[3], found[4]]
    fields = dict(zip("ymd" if len(found[1]) == 4 else order, parts, strict=True))
    if len(fields["y"]) not in (2, 4) or any(len(fields[field]) > 2 for field in "md"):
        return None
    year = int(fields["y"]) + (0 if len(fields["y"]) == 4 else 2000 if int(fields["y"]) < 69 else 1900)
    try:
        hour, minute, second = (int(part or 0) for part in found.groups()[4:])
        return datetime.datetime(year, int(fields["m"]), int(fields["d"]), hour, minute, second)
    except ValueError:
        return None


def as_plain(form: Form) -> dict[str, Any]:
    """A form for a file."""
    return {"kind": form.kind} | {name: list(v) if isinstance(v, tuple) else v for name, v in form._asdict().items()}


def form_of(plain: dict[str, Any]) -> Form:
    """
    >>> form_of(as_plain(NumberForm(unit="%"))) == NumberForm(unit="%")
    True
    """
    fields: dict[str, Any] = {
        name: tuple(v) if isinstance(v, list) else v for name, v in plain.items() if name != "kind"
    }
    return DateForm(**fields) if plain["kind"] == "date" else NumberForm(**fields)


# -- what a column leaves open ----------------------------------------------------------------------------------------


def number_signs(cells: Sequence[Cell]) -> list[tuple[str, str]]:
    """The decimal and thousands signs that all cells allow, one pair for each way to read the column.

    >>> number_signs([Cell.of("1,234")]), number_signs([Cell.of("1,234"), Cell.of("0.5")])
    ([('.', ','), (',', '')], [('.', ',')])
    """
    readings: dict[tuple[float, ...], tuple[str, str]] = {}
    for decimal, thousands in product(".,", ("", ".", ",", "'", " ")):
        values = [cell.value(decimal, thousands) for cell in cells] if decimal != thousands else [None]
        known = tuple(value for value in values if value is not None)
        if len(known) == len(cells):
            readings.setdefault(known, (decimal, thousands))
    return list(readings.values())


def date_orders(texts: Sequence[str]) -> list[str]:
    """The orders in which all texts are dates, one for each way to read the column; between dots the day comes first.

    >>> date_orders(["15/03/2023"]), date_orders(["03/04/2023"]), date_orders(["03.04.2023"])
    (['dmy'], ['dmy', 'mdy'], ['dmy'])
    """
    dots = any("." in text for text in texts)
    readings: dict[tuple[datetime.datetime, ...], str] = {}
    for order in ("ymd", "dmy") if dots else ("ymd", "dmy", "mdy"):
        known = tuple(moment for text in texts if (moment := date_in(text, order)) is not None)
        if len(known) == len(texts):
            readings.setdefault(known, order)
    return list(readings.values())
