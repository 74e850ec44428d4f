"""Codes: rows of a table as numbers, by its schema alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...data.table import Table
from .schema import Column, Schema
from .values import CellError, days_of, levels_of, month_of, numbers_of, weekday_of

Part = tuple[str, str]  # of a column of the table: "value", "month", "weekday", "missing", or "=level"


def is_level(part: str) -> bool:
    return part.startswith("=")


def is_flag(part: str) -> bool:
    return is_level(part) or part == "missing"


@dataclass(frozen=True)
class Codes:
    """Coded rows Z with the names of its columns.

    The flags of a category and of its missing values add up to one, so the most frequent level is not in Z, which would
    make every chunk singular; `base` says which it is, and `completion` brings it back.
    """

    schema: Schema
    parts: tuple[Part, ...]
    Z: np.ndarray
    base: dict[str, Part]

    @property
    def all_parts(self) -> tuple[Part, ...]:
        return tuple(sorted({*self.parts, *self.base.values()}))

    def completion(self) -> tuple[np.ndarray, np.ndarray]:
        """A and c with A'z + c = all parts: the missing flag of each category is one less the others."""
        place = {part: j for j, part in enumerate(self.all_parts)}
        A, c = np.zeros((len(self.parts), len(place))), np.zeros(len(place))
        for part in self.base.values():
            c[place[part]] = 1.0
        for i, part in enumerate(self.parts):
            A[i, place[part]] = 1.0
            if part[0] in self.base:
                A[i, place[self.base[part[0]]]] = -1.0
        return A, c


def codes_of(table: Table, schema: Schema) -> Codes:
    """The coded rows of a table; categories with too many levels are left out of the schema that comes back."""
    found: dict[Part, np.ndarray] = {}
    base: dict[str, Part] = {}
    crowded: dict[str, str] = {}
    for place, column in enumerate(schema.columns):
        if column.kind == "category":
            levels, codes = levels_of(table.column(column.name))
            if len(levels) > schema.max_levels:
                crowded[column.name] = f"{len(levels)} levels, more than max_levels = {schema.max_levels}"
                continue
            flags, base[column.name] = flags_of(column.name, levels, codes)
            found |= flags
        elif column.kind == "empty":
            base[column.name] = (column.name, "missing")
            check_empty(table.column(column.name), place)
        elif column in schema.used:
            found |= values_of(column, table.column(column.name), place)
    parts = tuple(sorted(found))
    Z = np.empty((len(parts), table.rows)).T  # column by column
    for j, part in enumerate(parts):
        Z[:, j] = found[part]
    return Codes(schema.without(crowded), parts, Z, {k: v for k, v in base.items() if table.rows})


def values_of(column: Column, values: Any, place: int) -> dict[Part, np.ndarray]:
    """value - origin, or zero and a flag; of a date the month and the weekday too."""
    found = days_of(values, place) if column.kind == "date" else numbers_of(values, place)
    missing = np.isnan(found)
    some = bool(missing.any())
    parts = {"value": found - column.origin if column.origin else found}
    if column.kind == "date":
        parts |= {"month": month_of(found), "weekday": weekday_of(found)}
    if some:
        parts = {name: np.where(missing, 0.0, values) for name, values in parts.items()}
        parts["missing"] = missing.astype(float)
    return {(column.name, name): values for name, values in parts.items()}


def flags_of(name: str, levels: list[str], codes: np.ndarray) -> tuple[dict[Part, np.ndarray], Part]:
    """A flag for each level but the most frequent, and which that is; all rows missing: the flag of that."""
    if not levels:
        return {}, (name, "missing")
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    most = int(counts.argmax())
    flags: dict[Part, np.ndarray] = {(name, "=" + level): codes == k for k, level in enumerate(levels) if k != most}
    if (codes < 0).any():
        flags[name, "missing"] = codes < 0
    return flags, (name, "=" + levels[most])


def check_empty(values: Any, place: int) -> None:
    """A column that had no value when the schema was made must not have one now."""
    levels, codes = levels_of(values)
    if levels:
        row = int(np.argmax(codes >= 0))
        raise CellError(
            row, place, f"{levels[0]!r}, but the column had no values when its kind was decided: fit anew, and merge"
        )
