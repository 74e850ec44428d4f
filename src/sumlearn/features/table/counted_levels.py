"""Counted levels: the diagonal sums of flags by class, from counts of the levels; no flag is made of any row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...compiled.bayes_factors import count_levels, moments_of_flags
from ...data.column_kinds import level_limit
from ...data.mixed import MixedRows
from ...data.schema import LEFT_OUT, LEVELS, Schema
from ...statistics import Grouped, Moments
from ...statistics.rounding import EXACT_ROUNDING
from ...statistics.row_checks import encode
from ...statistics.statistic import Words
from ...statistics.weights import weight_rounding
from .codes import Part, values_of


@dataclass(frozen=True)
class CountedLevels:
    """Numbers Z, column by column, whose parts are `values`; and of every flag how many rows of each class bear it."""

    schema: Schema
    values: tuple[Part, ...]
    Z: np.ndarray
    flags: tuple[Part, ...]
    counts: np.ndarray  # (classes, flags)
    labels: list[Any]
    totals: np.ndarray

    @property
    def parts(self) -> tuple[Part, ...]:
        return tuple(sorted((*self.values, *self.flags)))

    def joined(self, sums: Grouped[Moments]) -> Grouped[Moments]:
        """The sums of all parts: those of the numbers, with the moments of the flags put between them."""
        flags = [Words.empty(self.counts.shape) for _ in ("centre", "spread")]
        moments_of_flags(self.counts, self.totals, *flags[0], *flags[1])
        order = np.argsort(np.array([*map(self.parts.index, (*self.values, *self.flags))], dtype=np.intp))
        groups = {}
        for k, (label, total) in enumerate(zip(self.labels, self.totals.tolist(), strict=True)):
            numbers: Any = sums[label]
            pairs = [
                (numbers.centre.hi, flags[0].hi[k]),
                (numbers.centre.lo, flags[0].lo[k]),
                (numbers.spread.hi, flags[1].hi[k]),
                (numbers.spread.lo, flags[1].lo[k]),
                (numbers.rounding, EXACT_ROUNDING * flags[1].hi[k]),
                (numbers.exponent, np.zeros(len(self.flags), dtype=np.int64)),
            ]
            centre, centre_low, spread, spread_low, rounding, exponent = (np.concatenate(own)[order] for own in pairs)
            groups[label] = Moments(
                total,
                Words(float(total), 0.0),
                Words(centre, centre_low),
                Words(spread, spread_low),
                rounding,
                exponent,
                weight_rounding=weight_rounding(total, float(total)),
            )
        return Grouped(groups)


def counts_of(rows: MixedRows, y: np.ndarray) -> CountedLevels:
    """The counts of a table, each row of which weighs one; categories with too many levels are left out."""
    schema, (labels, classes) = rows.schema, encode(y)
    numbers: dict[Part, np.ndarray] = {}
    flags: dict[Part, np.ndarray] = {}
    crowded: dict[str, str] = {}
    totals = np.bincount(classes, minlength=len(labels))
    for column in schema.columns:
        name = column.name
        if column.kind in LEVELS:
            levels, codes = rows.levels(name)
            table = counted(codes, len(levels), classes, len(labels))
            met = {(name, "=" + level): own for level, own in zip(levels, table, strict=False) if own.any()}
            if len(met) > schema.max_levels:
                crowded[name] = level_limit(len(met), schema.max_levels)
                continue
            flags |= met
            if table[-1].any():
                flags[name, "missing"] = table[-1]
        elif column.kind == "empty":
            rows.numbers(name)  # refuses a value
            flags[name, "missing"] = totals
        elif column.kind == "boolean":
            values = rows.numbers(name)
            table = counted(np.where(np.isnan(values), -1, values > 0.5), 2, classes, len(labels))
            flags[name, "value"] = table[1]
            if table[-1].any():
                flags[name, "missing"] = table[-1]
        elif column.kind != LEFT_OUT:
            numbers |= values_of(column, rows.numbers(name))
    parts, borne = tuple(sorted(numbers)), tuple(sorted(flags))
    Z = np.empty((len(parts), len(rows))).T
    for j, part in enumerate(parts):
        Z[:, j] = numbers[part]
    counts = np.array([flags[part] for part in borne], dtype=np.int64).reshape(len(borne), len(labels)).T
    return CountedLevels(schema.without(crowded), parts, Z, borne, np.ascontiguousarray(counts), labels, totals)


def numbers_together(rows: MixedRows) -> np.ndarray | None:
    """The table as it is, where all columns are numbers that are counted from zero and lie together; gaps are NaN."""
    plain = all(column.kind == "number" and not column.origin for column in rows.schema.columns)
    if not plain or rows.names != rows.table.names or not len(rows):
        return None
    values = rows.table.matrix()
    return None if values is None or np.isnan(values[0]).any() else values


def counted(codes: np.ndarray, levels: int, classes: np.ndarray, labels: int) -> np.ndarray:
    """How many rows of each class have each level, and in the last row none."""
    table = np.zeros((levels + 1, labels), np.int64)
    count_levels(codes, classes, table)
    return table
