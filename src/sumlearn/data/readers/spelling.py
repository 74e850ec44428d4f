"""How labels are written in text files: as numbers or truth values, all of them alike, or in any other way."""

from __future__ import annotations

import re
from collections.abc import Iterable

FORMS = {
    "7": re.compile(r"(0|-?[1-9]\d*)(\.0)?"),  # 7.0 is the 7 of a table that has gaps
    "true": re.compile("true|false"),
    "True": re.compile("True|False"),
    "TRUE": re.compile("TRUE|FALSE"),
}


def spelling_of(texts: Iterable[str]) -> str | None:
    """The form that all texts have, by an example of it; None where they have none or several.

    Read as numbers, labels of several forms would be one: 007 and 7, true and TRUE and 1, 1e1 and 10.

    >>> spelling_of(["1", "-20"]), spelling_of(["True"]), spelling_of(["007", "7"]), spelling_of(["true", "1"])
    ('7', 'True', None, None)
    """
    known = list(texts)
    return next((form for form in FORMS if all(has_form(text, form) for text in known)), None)


def has_form(text: str, form: str) -> bool:
    """Spaces around a number do not count."""
    return bool(FORMS[form].fullmatch(text.strip()))


def is_fraction(text: str) -> bool:
    """Whether a text is a number that no label can be.

    >>> is_fraction("2.5"), is_fraction("1e1"), is_fraction("red")
    (True, False, False)
    """
    try:
        return not float(text.replace(",", ".")).is_integer()
    except ValueError:
        return False
