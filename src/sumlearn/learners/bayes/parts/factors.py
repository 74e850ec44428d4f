"""Factors p(x_j | k) of naive Bayes: what a column of a table adds to the logarithms of the classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice

import numpy as np

from ....compiled.bayes_factors import add_normals, add_shares
from ....data.coded_columns import CodedColumns, refuse_unseen
from ....data.mixed import MixedRows
from ....data.schema import Schema
from ....engines import in_threads
from ....statistics import RowError
from .discrete import product

BLOCK = 2**14  # rows whose logarithms stay in the cache from column to column
TOGETHER = 8  # columns that are coded at a time


class Factor(ABC):
    """A column with ln p(x | k) of its values, which come coded: numbers, or the place of a level; NaN says nothing."""

    name: str

    @abstractmethod
    def add(self, values: np.ndarray, joint: np.ndarray) -> None:
        """joint += ln p(x | k), (rows, classes)."""

    @abstractmethod
    def word(self, value: float) -> str:
        """A value that is there, in words."""

    def said(self, value: float) -> str:
        """A value of the column, in words."""
        return "missing" if np.isnan(value) else self.word(value)


@dataclass(frozen=True)
class LevelShares(Factor):
    """Shares of levels within the classes."""

    name: str
    levels: tuple[str, ...]
    logs: np.ndarray  # (levels, classes)

    def add(self, values: np.ndarray, joint: np.ndarray) -> None:
        add_shares(values, self.logs, joint)

    def word(self, value: float) -> str:
        return self.levels[int(value)]


@dataclass(frozen=True)
class TruthShares(Factor):
    """Shares of False and True."""

    name: str
    logs: np.ndarray  # (2, classes)

    def add(self, values: np.ndarray, joint: np.ndarray) -> None:
        add_shares(values, self.logs, joint)

    def word(self, value: float) -> str:
        return str(value > 0.5)


@dataclass(frozen=True)
class NormalDensity(Factor):
    """A normal density for each class; the origin is what values are counted from."""

    name: str
    origin: float
    unit: int  # squares are taken in units of 2**unit: nothing overflows
    mean: np.ndarray
    deviation: np.ndarray
    place: int

    @cached_property
    def constant(self) -> np.ndarray:
        return -np.log(self.deviation) - (0.5 * np.log(2 * np.pi) + self.unit * np.log(2.0))

    def add(self, values: np.ndarray, joint: np.ndarray) -> None:
        half = -self.unit // 2
        scale = float(np.ldexp(1.0, half)), float(np.ldexp(1.0, -self.unit - half))
        add_normals(finite(values, self.place), self.origin, self.mean, *scale, self.deviation, self.constant, joint)

    def word(self, value: float) -> str:
        return f"{value:.6g}"


@dataclass(frozen=True)
class CountShares(Factor):
    """A column of counts, of which all together are drawn from shares: x ln t."""

    name: str
    logs: np.ndarray  # (classes,)
    place: int

    def add(self, values: np.ndarray, joint: np.ndarray) -> None:
        values = finite(values, self.place)
        refuse_negative(values, self.place)
        with np.errstate(over="ignore"):
            joint += product(np.where(np.isnan(values), 0.0, values)[:, None], self.logs[:, None])

    def word(self, value: float) -> str:
        return f"{value:g}"


@dataclass(frozen=True)
class Factors:
    """All factors of a table; for who reads tables, the map of rows to ln p(k) + ln p(x | k)."""

    columns: CodedColumns
    prior: np.ndarray
    parts: tuple[Factor, ...]
    refuse_unknown: bool = False

    @property
    def schema(self) -> Schema:
        assert self.columns.schema is not None
        return self.columns.schema

    @property
    def level_names(self) -> dict[str, list[str]]:
        return {part.name: list(part.levels) for part in self.parts if isinstance(part, LevelShares)}

    @cached_property
    def places(self) -> dict[str, int]:
        """Where the columns stand among those that are coded."""
        return {name: j for j, name in enumerate(self.columns.names or ())}

    def rows(self, rows: MixedRows) -> np.ndarray:
        """ln p(k) + ln p(x | k) of the rows of a table."""
        return self.joint(self.values(rows), len(rows))

    def values(self, rows: MixedRows) -> Iterator[np.ndarray]:
        """The columns of a table that the factors read, coded."""
        rows = self.checked(rows)
        return (self.columns.values(rows, self.places[part.name]) for part in self.parts)

    def checked(self, rows: MixedRows) -> MixedRows:
        """The rows, unless a column that was empty holds a value, or one a level that is refused."""
        rows = rows.read_as(self.schema)
        for column in self.schema.used:
            if column.kind == "empty":
                rows.numbers(column.name)
        if self.refuse_unknown:
            refuse_unseen(self.columns, rows)
        return rows

    def coded_values(self, X: np.ndarray, columns: CodedColumns) -> Iterator[np.ndarray]:
        """The same of rows that come coded, by these columns; one that has lost all its values is not among them."""
        place, nothing = {name: j for j, name in enumerate(columns.names or ())}, np.full(len(X), np.nan)
        for part in self.parts:
            own = X[:, place[part.name]] if part.name in place else nothing
            yield np.where(np.isnan(own), np.nan, own > 0.5) if isinstance(part, TruthShares) else own

    def joint(self, values: Iterable[np.ndarray], count: int) -> np.ndarray:
        """ln p(k) + ln p(x | k) of so many rows; the priors where every class is ruled out."""
        joint, pairs = np.tile(self.prior, (count, 1)), zip(self.parts, values, strict=True)
        none = np.zeros(count, dtype=bool)
        while group := list(islice(pairs, TOGETHER)):
            in_threads(partial(add_block, joint, group), range(0, count, BLOCK))
            if not np.isfinite(joint.sum()):  # most rows leave all classes possible
                before, none = none, ~np.isfinite(joint.max(axis=1, initial=-np.inf))
                refuse_overflow(group, np.flatnonzero(none & ~before), joint.shape[1])
        joint[none] = self.prior
        return joint


def add_block(joint: np.ndarray, group: list[tuple[Factor, np.ndarray]], start: int) -> None:
    """What some columns add to the rows of a block."""
    for part, values in group:
        try:
            part.add(values[start : start + BLOCK], joint[start : start + BLOCK])
        except RowError as error:
            raise RowError(error.name, start + error.row, error.column, error.value) from None


def refuse_overflow(group: list[tuple[Factor, np.ndarray]], rows: np.ndarray, classes: int) -> None:
    """Of the rows that no class is left for, refuse one whose numbers are too large to tell why."""
    for part, values in group if len(rows) else []:
        if isinstance(part, NormalDensity | CountShares):
            told = np.zeros((len(rows), classes))
            part.add(values[rows], told)
            possible = np.isfinite(part.logs) if isinstance(part, CountShares) else np.ones(classes, dtype=bool)
            for k in np.flatnonzero((~np.isfinite(told) & possible).any(axis=1))[:1]:
                raise DensityOverflow("X", int(rows[k]), part.place, float(values[rows[k]]))


class DensityOverflow(RowError):
    """A number whose density is beyond what doubles can hold, in every class."""

    text = "column {column!r}, row {row}: so far from the rows learnt that its density overflows: rescale or drop it"


def finite(values: np.ndarray, place: int) -> np.ndarray:
    """A column of numbers and gaps, without infinity."""
    for row in np.flatnonzero(np.isinf(values))[:1]:
        raise RowError("X", int(row), place, float(values[row]))
    return values


def refuse_negative(values: np.ndarray, place: int) -> None:
    """Counts are not below zero."""
    for row in np.flatnonzero(values < 0)[:1]:
        raise RowError("X", int(row), place, float(values[row]))
