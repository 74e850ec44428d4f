"""The factors of naive Bayes from the sums of a coded table."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from ....data.coded_columns import CodedColumns
from ....data.schema import LEVELS, Column
from ....features.table.codes import levels_in
from ....features.table.sums import TableSums
from .discrete import logarithm
from .factors import CountShares, Factor, LevelShares, NormalDensity, TruthShares

SAME = 1e-12  # of the weight of a class: by so much may a count differ from the whole number that it is


class ClassSums:
    """What the sums say of each class: weights, and by coded column the weight of a flag or the moments of a number."""

    def __init__(self, sums: TableSums, labels: np.ndarray) -> None:
        self.groups = [sums.sums.groups.get(label) for label in labels.tolist()]
        self.overall = sums.overall()
        self.weights = np.array([0.0 if part is None else part.weight for part in self.groups])
        self.place = {part: j for j, part in enumerate(sums.parts)}
        self.told = [Told.of(own, len(sums.parts)) for own in (self.overall, *self.groups)]

    def count(self, column: str, part: str) -> np.ndarray:
        """The weight of the rows of each class that bear a flag."""
        place = self.place.get((column, part))
        if place is None:
            return np.zeros(len(self.weights))
        found = np.array([own.weight * own.mean[place] for own in self.told[1:]])
        whole = np.rint(found)
        return np.maximum(np.where(np.abs(found - whole) <= SAME * self.weights, whole, found), 0.0)

    def total(self, column: Column) -> np.ndarray:
        """The sum of the values of a column in each class."""
        observed = self.weights - self.count(column.name, "missing")
        return np.maximum(self.count(column.name, "value") + column.origin * observed, 0.0)

    def moments(self, column: str, unit: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Weight, mean and deviation of the values that are not missing, in all rows and in each class, scaled."""
        place = self.place[column, "value"]
        gap = self.place.get((column, "missing"))
        rows = [observed(own, place, gap, unit) for own in self.told]
        weight, mean, deviation = np.array(rows).T
        return weight, mean, deviation


class Told(NamedTuple):
    """Weight, means and deviations of the coded columns."""

    weight: float
    mean: np.ndarray
    deviation: np.ndarray

    @classmethod
    def of(cls, sums: Any, columns: int) -> Told:
        """What sums say; of a class that has none, zeros."""
        none = np.zeros(columns)
        return cls(0.0, none, none) if sums is None else cls(sums.weight, sums.mean, sums.deviation)


def observed(own: Told, place: int, gap: int | None, unit: int) -> tuple[float, float, float]:
    """Weight, mean and deviation of a column without its gaps, which are zeros in the sums."""
    if own.weight == 0:
        return 0.0, 0.0, 0.0
    mean, deviation = (float(np.ldexp(values[place], -unit)) for values in (own.mean, own.deviation))
    missing = 0.0 if gap is None else float(own.mean[gap])  # the share of the weight
    there = 1.0 - missing
    if missing == 0.0 or there <= SAME:
        return own.weight * (there > SAME), mean if there > SAME else 0.0, deviation if there > SAME else 0.0
    middle = mean / there
    # S_o / W_o = (S / W - W_o W_m / W^2 m_o^2) W / W_o; what is left by rounding is nothing
    squares, taken = deviation**2, there * missing * middle**2
    left = squares - taken
    return own.weight * there, middle, float(np.sqrt(left / there)) if left > 1e-14 * squares else 0.0


def factors_of(
    sums: TableSums, labels: np.ndarray, alpha: float, smoothing: float, counts: Collection[str]
) -> tuple[np.ndarray, CodedColumns, tuple[Factor, ...]]:
    """Weights of the classes, how rows are coded, and a factor for every column that says something."""
    told, columns = ClassSums(sums, labels), CodedColumns.of(sums.schema, levels_in(sums.parts))
    levels = dict(zip(columns.names or (), columns.levels, strict=True))
    parts: list[Factor] = []
    counted = [column for column in sums.schema.used if column.name in counts and column.kind != "empty"]
    totals = np.array([told.total(column) for column in counted]).reshape(len(counted), len(labels)) + alpha
    shares = dict(zip((column.name for column in counted), log_shares(totals), strict=True))
    for column in sums.schema.used:
        name, place = column.name, sums.schema.places[column.name]
        if name in shares:
            parts.append(CountShares(name, shares[name], place))
        elif column.kind in LEVELS:
            names = levels[name] or ()
            table = np.array([told.count(name, "=" + level) for level in names]).reshape(len(names), len(labels))
            parts.append(LevelShares(name, names, log_shares(table + alpha)))
        elif column.kind == "boolean":
            true, missing = told.count(name, "value"), told.count(name, "missing")
            table = np.array([told.weights - missing - true, true]).clip(0.0)
            parts.append(TruthShares(name, log_shares(table + alpha)))
        elif column.kind != "empty":
            normal = normal_of(told, column, place, smoothing)
            parts += [] if normal is None else [normal]
    return told.weights, columns, tuple(parts)


def log_shares(table: np.ndarray) -> np.ndarray:
    """ln of the shares of the rows of a table in its columns; a column of zeros says nothing."""
    whole = table.sum(axis=0)
    return np.where(whole > 0, logarithm(table / np.where(whole > 0, whole, 1.0)), 0.0)


def normal_of(told: ClassSums, column: Column, place: int, smoothing: float) -> NormalDensity | None:
    """Normal densities of a column; none where it does not vary. A class without values has those of all rows."""
    unit = int(np.frexp(told.told[0].deviation[told.place[column.name, "value"]])[1])
    weight, mean, deviation = told.moments(column.name, unit)
    everyone = deviation[0]
    if everyone == 0.0:
        return None
    mean, deviation = (np.where(weight > 0, values, values[0])[1:] for values in (mean, deviation))
    spread = np.sqrt(deviation**2 + smoothing * everyone**2)
    return NormalDensity(column.name, column.origin, unit, np.ldexp(mean, unit), spread, place)
