"""What the columns of everyday files hold: numbers and dates as people write them, found where one reading is left."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..dialect import SIGNS, Dialect, ReadingNote
from .reader import PLAIN
from .written import DATE, GAPS, Cell, DateForm, Form, NumberForm, as_plain, date_orders, number_signs

MOST = 0.5  # share of numbers from which on the others are named
FEW = 20  # rows below which nobody can tell
GROUPED = re.compile(r"[1-9]\d{0,2}([.,]\d{3})+")  # thousands or three decimals: nobody can tell
MONEY = re.compile(r"[^%‰]+")
SHOWN = 3


@dataclass
class Everyday:
    """What was found in the columns of some files.

    Attributes
    ----------
    forms : dict {column: Form}
        How numbers and dates are written, of columns that are more than plain.
    unclear : dict {column: str}
        Columns that can be read in several ways, and what decides.
    notes : list of ReadingNote
        What is said of the others.
    encoding : str or None
        Of files that are not UTF-8.
    sign : str
        The decimal sign of plain numbers.
    """

    dialect: Dialect = PLAIN
    forms: dict[str, Form] = field(default_factory=dict)
    unclear: dict[str, str] = field(default_factory=dict)
    notes: list[ReadingNote] = field(default_factory=list)
    encoding: str | None = None
    sign: str = "."

    @classmethod
    def of(cls, readers: Sequence[Any], dialect: Dialect, columns: Collection[str] | None = None) -> Everyday:
        """Look at the columns of text in text files, and at numbers whose decimal sign may be none.

        With `columns` the others are kept as they are written; they help to find the decimal sign.
        """
        encodings = [r.encoding for r in readers if not r.encoding.startswith("utf")]
        found = cls(
            dialect, notes=[note for reader in readers for note in reader.notes], encoding=next(iter(encodings), None)
        )
        readers = [reader for reader in readers if reader.untyped]
        names = list(dict.fromkeys(name for reader in readers for name in reader.types))
        wanted = names if columns is None else columns
        text = [name for name in names if any(reader.kinds.get(name) == "text" for reader in readers)]
        found.sign = readers[0].decimal_point if readers else "."
        grouped = found.grouped([name for name in names if name not in text], readers)
        if any(name in wanted for name in (*text, *grouped)):
            texts = gathered(readers, text)
            sign = found.decimal_sign(readers, texts, grouped)
            for name in (name for name in text if name in wanted):
                found.look(name, texts[name], sign)
            for name in (name for name in grouped if name in wanted):
                found.decide(name, grouped[name], sign)
            for reader in readers:
                reader.hold_forms(found.forms)
        return found

    def facts(self) -> dict[str, Any]:
        """What a model keeps, and reads later files by."""
        forms = {name: as_plain(form) for name, form in self.forms.items()}
        known = {"encoding": self.encoding, "dates": self.dialect.dates, "missing": list(self.dialect.missing)}
        return known | {"sign": self.sign, "forms": forms}

    def note(self, code: str, column: str, text: str) -> None:
        self.notes.append(ReadingNote(code, column, f"{column!r} {text}"))

    def decimal_sign(self, readers: Sequence[Any], texts: dict[str, Counter[str]], but: Collection[str]) -> str | None:
        """The decimal sign that all columns but some leave no doubt about."""
        if self.dialect.decimal:
            return SIGNS[self.dialect.decimal]
        signs = set()
        for reader in readers:
            fractions = [name for name, type in reader.types.items() if str(type) == "double" and name not in but]
            signs |= {reader.decimal_point} if fractions else set()
        for values in texts.values():
            found = [Cell.of(text) for text in values if text.strip() not in GAPS]
            cells = [cell for cell in found if cell is not None]
            pairs = number_signs([c for c in cells if re.search("[.,]", c.body)]) if len(cells) == len(found) else []
            signs |= {pairs[0][0]} if len(pairs) == 1 else set()
        return signs.pop() if len(signs) == 1 else None

    def grouped(self, names: Sequence[str], readers: Sequence[Any]) -> dict[str, Counter[str]]:
        """Columns of plain numbers between semicolons or tabs that are 1.234 or 1,234, if they have a sign at all."""
        readers = [reader for reader in readers if reader.delimiter != ","]
        numbers = [name for name in names if any(str(reader.types.get(name)) == "double" for reader in readers)]
        if self.dialect.decimal or not numbers:
            return {}
        return {name: texts for name, texts in gathered(readers, numbers).items() if all(map(may_be_grouped, texts))}

    def decide(self, name: str, texts: Counter[str], sign: str | None) -> None:
        """The sign of other columns decides; without one, three decimals throughout are a table printed so."""
        marked = [text.strip() for text in texts if re.search("[.,]", text)]
        if sign is None and not (len(marked) == len(texts) and all("." in text for text in marked)):
            self.unclear[name] = (
                f"holds numbers such as {marked[0]}, with decimals or with thousands: --decimal point or comma "
                "(decimal= of Files) decides"
            )
        elif sign is not None and sign != self.sign:
            self.numbers(name, [cell for text in texts if (cell := Cell.of(text)) is not None], (), sign)

    def look(self, name: str, texts: Counter[str], sign: str | None) -> None:
        gaps = tuple(text for text in texts if text.strip() in GAPS)
        known = [text for text in texts if text not in gaps]
        if known and all(DATE.fullmatch(text.strip()) for text in known):
            self.dates(name, known, gaps)
            return
        cells = {text: cell for text in known if (cell := Cell.of(text)) is not None}
        rows, numbers = sum(texts[text] for text in known), sum(texts[text] for text in cells)
        bounds = sum(texts[text] for text, cell in cells.items() if cell.bound)
        if not known or 2 * bounds > rows:
            return
        if len(cells) == len(known):
            self.numbers(name, list(cells.values()), gaps, sign)
        elif numbers >= MOST * rows and rows >= FEW:
            others = [text for text in known if text not in cells]
            self.note(
                "mostly-numbers",
                name,
                f"is read as text: {numbers} of {rows} values are numbers, not {listed(others)} "
                f"(--missing {','.join(others[:SHOWN])}, missing= of Files, reads those as gaps)",
            )

    def numbers(self, name: str, cells: list[Cell], gaps: tuple[str, ...], sign: str | None) -> None:
        units = sorted({cell.unit for cell in cells})
        if len(units) > 1:
            shown = listed([unit or "none" for unit in units])
            self.note("units", name, f"is read as text: numbers of several units, {shown}")
            return
        pairs = number_signs(cells)
        if not pairs:
            self.note("numbers", name, "is read as text: numbers with decimal points and others with decimal commas")
            return
        if len(pairs) > 1:
            pairs = [pair for pair in pairs if pair[0] == sign]
        if len(pairs) != 1:
            body = next(cell.body for cell in cells if GROUPED.fullmatch(cell.body))
            self.unclear[name] = (
                f"holds numbers such as {body}: --decimal point or comma (decimal= of Files) says which sign that is"
            )
            return
        if gaps and units[0] and MONEY.fullmatch(units[0]) and "-" in gaps:
            self.unclear[name] = (
                "holds amounts and '-', a gap or nothing: --missing - (missing= of Files) says that it is a gap"
            )
            return
        sides = tuple(sorted({cell.bound for cell in cells} - {""}))
        form = NumberForm(*pairs[0], units[0], sides, gaps, any(cell.by_hand for cell in cells))
        self.forms[name] = form
        said = [f"written like {form.example}"] if form.thousands or form.unit or form.decimal == "," else []
        said += [f"bounds ({', '.join(sides)}) as the number they name, with a flag"] if sides else []
        said += [f"{listed(list(gaps))} as a gap"] if gaps else []
        self.note("numbers", name, f"holds numbers: {'; '.join(said)}" if said else "holds numbers")

    def dates(self, name: str, known: list[str], gaps: tuple[str, ...]) -> None:
        orders = date_orders(known)
        if self.dialect.dates in orders:
            orders = [str(self.dialect.dates)]
        elif any(len(re.split(r"\D", text.strip())[2]) == 2 and not re.match(r"\d{4}", text.strip()) for text in known):
            option = "--dates dmy, mdy or ymd (dates= of Files)"
            self.note("dates", name, f"is read as text: if {known[0]!r} is a date, {option} says so")
            return
        if not orders:
            self.note("dates", name, f"is read as text: dates in no one order, such as {listed(known)}")
        elif len(orders) > 1:
            self.unclear[name] = (
                f"holds dates such as {known[0]}: --dates {' or '.join(orders)} (dates= of Files) says which order"
            )
        else:
            self.forms[name] = DateForm(orders[0], gaps)
            words = {"d": "day", "m": "month", "y": "year"}
            order = ", ".join(words[letter] for letter in orders[0])
            assumed = (
                " (assumed between dots)" if "." in known[0] and not self.dialect.dates and not sure(known) else ""
            )
            self.note("dates", name, f"holds dates: {order}, such as {known[0]}{assumed}")


def held_forms(readers: Sequence[Any], dialect: Dialect, columns: Collection[str]) -> list[ReadingNote]:
    """Read some columns as they are written, for a model that does not remember it: each file says it anew.

    What one file cannot say for another, and what can be read in several ways, is refused.
    """
    found = Everyday.of(readers, dialect, columns)
    refused = dict(found.unclear)
    for name, form in found.forms.items():
        if isinstance(form, NumberForm) and (form.unit or form.bounds):
            what = f"a unit, {form.unit}" if form.unit else f"bounds, {' and '.join(form.bounds)} a number"
            refused[name] = f"holds numbers with {what}: write numbers alone, or take `sumlearn train`"
    for name, why in refused.items():
        raise ValueError(f"column {name!r} of {readers[0].file!r} {why}; drop= of Files leaves it out")
    return found.notes


def sure(texts: Sequence[str]) -> bool:
    """Whether some date between dots has a first number that is no month."""
    return any(int(re.split(r"\D", text.strip())[0]) > 12 for text in texts)


def may_be_grouped(text: str) -> bool:
    """
    >>> may_be_grouped("1.234"), may_be_grouped("12"), may_be_grouped("0.234"), may_be_grouped("1.5")
    (True, True, False, False)
    """
    body = text.strip().lstrip("+-")
    return body.isdigit() or bool(GROUPED.fullmatch(body))


def gathered(readers: Sequence[Any], names: Sequence[str]) -> dict[str, Counter[str]]:
    """The texts in some columns of all files."""
    found: dict[str, Counter[str]] = {name: Counter() for name in names}
    for reader in readers:
        for name, texts in reader.texts([name for name in names if name in reader.types]).items():
            found[name].update(texts)
    return found


def listed(texts: Sequence[str]) -> str:
    return ", ".join(map(repr, texts[:SHOWN])) + (", ..." if len(texts) > SHOWN else "")
