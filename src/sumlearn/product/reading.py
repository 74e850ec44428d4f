"""How a model reads files: what it needs of them, and how those were written that it has learnt from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..data.dialect import Dialect
from ..data.schema import Schema

NOTHING = Schema(())
PLAIN = Dialect()


@dataclass(frozen=True, eq=False)
class Reading:
    """How a model reads files.

    Attributes
    ----------
    schema : Schema
        Of its features.
    labels, numbers, texts : tuple of str
        Other columns that it needs. In text files, texts and all that nobody needs are text as it is written.
    spelling : str or None
        How labels were written in the text file that they were learnt from, by an example.
    dialect : Dialect
        How text files are written, as far as it was said or found.
    forms : dict {column: form} or None
        How numbers and dates were written in text; None where nobody knows: the file itself is looked at.
    sign : str
        The decimal sign, where a file leaves it open.
    """

    schema: Schema = NOTHING
    labels: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    spelling: str | None = None
    dialect: Dialect = PLAIN
    forms: Mapping[str, Any] | None = None
    sign: str = "."

    @property
    def names(self) -> list[str]:
        return [*(column.name for column in self.schema.used), *self.labels, *self.numbers, *self.texts]


def written_as(facts: Mapping[str, Any]) -> Reading:
    """How the text files were written that a model has learnt from; models of older versions do not know."""
    from ..data.readers.written import form_of

    known = facts.get("reading")
    if known is None:
        return Reading()
    dialect = Dialect(None, known["dates"], None, tuple(known["missing"]), known["encoding"])
    return Reading(
        dialect=dialect, forms={name: f and form_of(f) for name, f in known["forms"].items()}, sign=known["sign"]
    )
