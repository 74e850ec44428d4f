"""Codes: rows of a table as numbers, by its schema alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, dok_array

from ...data.column_kinds import level_limit
from ...data.column_values import month_of, weekday_of
from ...data.mixed import MixedRows
from ...data.schema import LEFT_OUT, LEVELS, Column, Schema

Part = tuple[str, str]  # of a column of the table: "value", "month", "weekday", "missing", or "=level"


def is_level(part: str) -> bool:
    return part.startswith("=")


def levels_in(parts: Iterable[Part]) -> dict[str, list[str]]:
    """The names of the levels of every column."""
    found: dict[str, list[str]] = {}
    for column, part in parts:
        if is_level(part):
            found.setdefault(column, []).append(part[1:])
    return found


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

    def completion(self) -> tuple[csc_array, np.ndarray]:
        """A and c with A'z + c = all parts: the missing flag of each category is one less the others."""
        place = {part: j for j, part in enumerate(self.all_parts)}
        A, c = dok_array((len(self.parts), len(place))), np.zeros(len(place))
        for part in self.base.values():
            c[place[part]] = 1.0
        for i, part in enumerate(self.parts):
            A[i, place[part]] = 1.0
            if part[0] in self.base:
                A[i, place[self.base[part[0]]]] = -1.0
        return A.tocsc(), c


def codes_of(rows: MixedRows) -> Codes:
    """The coded rows of a table; categories with too many levels are left out of the schema that comes back."""
    schema = rows.schema
    found: dict[Part, np.ndarray] = {}
    base: dict[str, Part] = {}
    crowded: dict[str, str] = {}
    for column in schema.columns:
        if column.kind in LEVELS:
            levels, codes = rows.levels(column.name)
            if len(levels) > schema.max_levels:
                crowded[column.name] = level_limit(len(levels), schema.max_levels)
                continue
            flags, base[column.name] = flags_of(column.name, levels, codes)
            found |= flags
        elif column.kind == "empty":
            base[column.name] = (column.name, "missing")
            rows.numbers(column.name)  # refuses a value
        elif column.kind != LEFT_OUT:
            found |= values_of(column, rows.numbers(column.name))
    parts = tuple(sorted(found))
    Z = np.empty((len(parts), len(rows))).T  # column by column
    for j, part in enumerate(parts):
        Z[:, j] = found[part]
    return Codes(schema.without(crowded), parts, Z, {k: v for k, v in base.items() if len(rows)})


def values_of(column: Column, found: np.ndarray) -> dict[Part, np.ndarray]:
    """value - origin, or zero and a flag; of a date the month and the weekday too."""
    missing = np.isnan(found)
    some = bool(missing.any())
    parts = {"value": found - column.origin if column.origin else found}
    if column.kind == "date":
        parts |= {"month": month_of(found), "weekday": weekday_of(found)}
    if some:
        parts = {name: np.where(missing, 0.0, values) for name, values in parts.items()}
        parts["missing"] = missing.astype(float)
    return {(column.name, name): values for name, values in parts.items()}


def flags_of(name: str, levels: tuple[str, ...], codes: np.ndarray) -> tuple[dict[Part, np.ndarray], Part]:
    """A flag for each level but the most frequent, and which that is; all rows missing: the flag of that."""
    if not levels:
        return {}, (name, "missing")
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    most = int(counts.argmax())
    flags: dict[Part, np.ndarray] = {(name, "=" + level): codes == k for k, level in enumerate(levels) if k != most}
    if (codes < 0).any():
        flags[name, "missing"] = codes < 0
    return flags, (name, "=" + levels[most])
