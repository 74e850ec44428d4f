"""Schema: what the columns of a table are. Rows are coded by it, without looking at any other row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from .levels import joined_order

LEFT_OUT = "left out"  # the kind of a column that is not read
NUMERIC = ("number", "boolean", "date")  # booleans are 0 and 1, dates are days since 1970
LEVELS = ("category", "numbered", "ordered")  # levels that are texts, that are numbers, that have an order
KINDS = (*NUMERIC, *LEVELS, "empty", LEFT_OUT)
IDENTIFIER = "an identifier"  # the reason for a column that was found to name its rows


class Column(NamedTuple):
    """A column: its kind, the origin that values are counted from, why it is left out, its levels if ordered."""

    name: str
    kind: str  # one of KINDS; "empty" had no value so far
    origin: float = 0.0
    reason: str = ""  # a code, and after a colon what was seen; files of models keep it
    order: tuple[str, ...] = ()  # from lowest to highest

    @property
    def code(self) -> str:
        """The kind of reason, such as IDENTIFIER."""
        return self.reason.partition(":")[0]


@dataclass(frozen=True)
class Schema:
    """The columns of a table in their order, and how many levels a category may have.

    >>> schema = Schema((Column("age", "number"), Column("city", "category")))
    >>> schema.merge(Schema((Column("age", "empty"), Column("city", "left out", reason="free text")))).kinds
    ('number', 'left out')
    """

    columns: tuple[Column, ...]
    max_levels: int = 100

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        return tuple(column.kind for column in self.columns)

    @cached_property
    def used(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.kind != LEFT_OUT)

    @cached_property
    def by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    @cached_property
    def places(self) -> dict[str, int]:
        """The number of every column."""
        return {column.name: j for j, column in enumerate(self.columns)}

    def __getitem__(self, name: str) -> Column:
        return self.by_name[name]

    def merge(self, other: Schema) -> Schema:
        """The schema of the rows of both: what one side leaves out is left out, an empty column is as the other."""
        if self is other:
            return self
        if set(self.names) != set(other.names):
            apart = sorted(set(self.names) ^ set(other.names))
            raise ValueError(f"the tables differ in their columns: only one of them has {apart[0]!r}")
        if self.max_levels != other.max_levels:
            raise ValueError(f"the tables differ in max_levels: {self.max_levels} and {other.max_levels}")
        return replace(self, columns=tuple(joined(column, other[column.name]) for column in self.columns))

    def without(self, reasons: dict[str, str]) -> Schema:
        """The same, with some columns left out."""
        if not reasons:
            return self
        columns = (
            Column(column.name, LEFT_OUT, 0.0, reasons[column.name]) if column.name in reasons else column
            for column in self.columns
        )
        return replace(self, columns=tuple(columns))

    def restrict(self, index: Any) -> Schema:
        return replace(self, columns=tuple(self.columns[int(j)] for j in index))


def joined(a: Column, b: Column) -> Column:
    if a.kind == b.kind == "ordered":
        return a._replace(order=joined_order(a.order, b.order, f"column {a.name!r}"))
    if a.kind == b.kind or b.kind == "empty" or a.kind == LEFT_OUT:
        return a
    if a.kind == "empty" or b.kind == LEFT_OUT:
        return b
    if {a.kind, b.kind} == {"number", "boolean"}:  # both are coded alike
        return a._replace(kind="number")
    if {a.kind, b.kind} == {"category", "numbered"}:
        return a._replace(kind="category")
    raise ValueError(f"column {a.name!r} holds {plural(a.kind)} on one side and {plural(b.kind)} on the other")


def plural(kind: str) -> str:
    return {"category": "categories", "ordered": "ordered levels", "numbered": "numbered levels"}.get(kind, kind + "s")
