"""Attributes: what the columns of a table of discrete values are, and the levels they have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...data.mixed import MixedRows
from ...data.schema import LEFT_OUT, LEVELS, Column, Schema

ANY, NONE = "?", "∅"  # of a hypothesis; no level may be called so
TRUTH = ("False", "True")


@dataclass(frozen=True)
class Attributes:
    """Names of the attributes, their levels, and which of them have an order.

    >>> a = Attributes(("sky",), (("clear",),), (False,))
    >>> a.merge(Attributes(("sky",), (("grey", "clear"),), (False,))).levels
    (('clear', 'grey'),)
    """

    names: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    ordered: tuple[bool, ...]

    @property
    def orders(self) -> tuple[tuple[str, ...] | None, ...]:
        """The levels of the ordered attributes, None of the others."""
        return tuple(own if ordered else None for own, ordered in zip(self.levels, self.ordered, strict=True))

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """(attribute, "=level") of all levels, as the sums of tables name them."""
        pairs = zip(self.names, self.levels, strict=True)
        return tuple((name, "=" + level) for name, own in pairs for level in own)

    def schema(self, left_out: Sequence[str], order: Sequence[str]) -> Schema:
        """How tables are read for these attributes, in the order of their columns."""
        kinds = zip(self.names, self.levels, self.ordered, strict=True)
        own = {n: Column(n, "ordered", order=l) if o else Column(n, "category") for n, l, o in kinds}
        own |= {name: Column(name, LEFT_OUT, reason="asked for") for name in left_out}
        return Schema(tuple(own[name] for name in order if name in own))

    def merge(self, other: Attributes) -> Attributes:
        """Those of both, which must be the same attributes; the levels of an order too."""
        if self == other:
            return self
        if self.names != other.names or self.ordered != other.ordered:
            raise ValueError(f"the attributes differ: {list(self.names)} and {list(other.names)}, or their orders")
        levels = []
        for name, a, b, ordered in zip(self.names, self.levels, other.levels, self.ordered, strict=True):
            if ordered and a != b:
                raise ValueError(f"attribute {name!r} has the order {list(a)} on one side and {list(b)} on the other")
            levels.append(a if ordered else tuple(sorted({*a, *b})))
        return Attributes(self.names, tuple(levels), self.ordered)


def rows_of(rows: MixedRows, schema: Schema) -> tuple[Attributes, list[tuple[str, ...]]]:
    """The attributes of some rows of a table, and every row as a tuple of levels; gaps and numbers are refused."""
    rows = rows.read_as(schema)
    names, levels, ordered, columns = [], [], [], []
    for column in schema.used:
        codes: Any
        if column.kind in LEVELS:
            own, codes = rows.levels(column.name)
        elif column.kind == "boolean":
            values = rows.numbers(column.name)
            own, codes = TRUTH, [-1 if value != value else int(value) for value in values]
        else:
            raise ValueError(
                f"column {column.name!r} holds {'nothing' if column.kind == 'empty' else column.kind + 's'}: concepts "
                "are learnt from levels. Name it in categorical_features, make it an ordered category of pandas, or "
                "drop it"
            )
        told: list[Any] = [None if code < 0 else own[code] for code in codes]
        for word, why in (
            (None, "no value"),
            (ANY, "the level '?', which stands for anything"),
            (NONE, "the level '∅', which stands for nothing"),
        ):
            if word in told:
                raise ValueError(
                    f"column {column.name!r} has {why} in row {told.index(word)}: fill it, or leave it out"
                )
        names.append(column.name)
        levels.append(tuple(column.order) if column.kind == "ordered" else tuple(sorted(set(own))))
        ordered.append(column.kind == "ordered")
        columns.append(told)
    if not names:
        raise ValueError("the table has no attribute")
    return Attributes(tuple(names), tuple(levels), tuple(ordered)), list(zip(*columns, strict=True))
