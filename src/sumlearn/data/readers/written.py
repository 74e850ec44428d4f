"""How people write numbers and dates in text: 1.234,5 EUR, $1,234.50, 12 %, <5; 15.03.2023, 03/15/2023.

A column has one form. It is found where the column leaves one reading, kept by whoever learnt from it, and is the rule
for later files.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

UNITS = r"[$€£¥₹₽₩%‰]|EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|HUF|RON|TRY|INR|AUD|CAD|NZD|BRL|MXN|ZAR|Fr\.|kr"
CELL = re.compile(
    rf"(?P<bound>[<>≤≥]?)=?\s*(?P<sign>[+\-−]?)\s*(?P<before>{UNITS})?\s*(?P<minus>[+\-−]?)"
    rf"(?P<body>[0-9][0-9.,' ]*[0-9]|[0-9]|[.,][0-9]+)(?P<power>[eE][+-]?[0-9]+)?\s*(?P<after>{UNITS})?"
)
PROGRAMS = re.compile(r"[+-]?[0-9.,]+([eE][+-]?[0-9]+)?")  # how programs write numbers
SPACES = str.maketrans("\u00a0\u202f\u2009’", "   '")  # between groups of digits
BOUNDS = {"<": "below", "≤": "below", ">": "above", "≥": "above"}
NAMED_GAPS = ("n/a", "N/A", "#N/A", "NA", "null", "NULL", "nan", "NaN")  # between quotes they may be words
GAPS = ("-", "--", "–", "—", "?", ".", "..", "n.a.", "N.A.", "k.A.", "k. A.", "none", "None", "NONE", *NAMED_GAPS)
DATE = re.compile(r"(\d{1,4})([./-])(\d{1,2})\2(\d{2}|\d{4})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?")


class Cell(NamedTuple):
    """A number as it stands in a text."""

    bound: str  # "below", "above" or nothing
    negative: bool
    unit: str
    body: str
    power: str
    by_hand: bool = False  # as no program writes it: −5, =5, - 5

    @classmethod
    def of(cls, text: str) -> Cell | None:
        """
        >>> Cell.of("< $1,200"), Cell.of("D-10115"), Cell.of("007")
        (Cell(bound='below', negative=False, unit='$', body='1,200', power='', by_hand=True), None, None)
        """
        found = CELL.fullmatch(text.translate(SPACES).strip())
        if found is None or re.match(r"0\d", found["body"]) or (found["before"] and found["after"]):
            return None
        if found["sign"] and found["minus"]:
            return None
        negative = (found["sign"] or found["minus"]) in ("-", "−")
        unit = found["before"] or found["after"] or ""
        by_hand = PROGRAMS.fullmatch(text.strip(" ")) is None
        return cls(BOUNDS.get(found["bound"], ""), negative, unit, found["body"], found["power"] or "", by_hand)

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
    by_hand: bool = False  # some as no program writes them, such as −5

    @property
    def kind(self) -> str:
        return "number"

    @property
    def is_plain(self) -> bool:
        return not (self.thousands or self.unit or self.bounds or self.gaps or self.by_hand)

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


def joined_forms(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    """Forms, as plain values, of columns that two sites have written; None where a text may mean two things.

    >>> plain, amount = as_plain(NumberForm(gaps=("-",))), as_plain(NumberForm(",", ".", "EUR"))
    >>> joined_forms({"x": plain, "y": amount}, {"x": as_plain(NumberForm(gaps=("?",)))})["x"]["gaps"]
    ['-', '?']
    >>> joined_forms({"x": plain, "y": amount}, {})["y"] is None
    True
    """
    return {name: joined(a.get(name, {}), b.get(name, {})) for name in (*a, *(name for name in b if name not in a))}


def joined(a: dict[str, Any] | None, b: dict[str, Any] | None) -> dict[str, Any] | None:
    if a is None or b is None:
        return None
    freely = ("gaps", "bounds", "by_hand")
    one, other = ({k: v for k, v in form.items() if k not in freely} for form in (a or b, b or a))
    signs = one.get("decimal") == "." and not one["thousands"] and not one["unit"]
    if one != other or not ((a and b) or one["kind"] == "date" or signs):
        return None
    lists = {key: [*dict.fromkeys([*a.get(key, ()), *b.get(key, ())])] for key in ("gaps", "bounds") if key in (a or b)}
    by_hand = {"by_hand": True} if a.get("by_hand") or b.get("by_hand") else {}
    return (a or b) | lists | by_hand


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
