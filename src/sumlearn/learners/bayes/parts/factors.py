"""Factors p(x_j | k) of naive Bayes: what a column of a table adds to the logarithms of the classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from ....data.coded_columns import codes_among
from ....data.mixed import MixedRows
from ....data.schema import Schema
from ....statistics import RowError
from .discrete import product

SIGNS = ("False", "True")


class Factor(ABC):
    """A column, or several of them together, with ln p(x | k) of its values; zero where a value is missing."""

    name: str

    @abstractmethod
    def scores(self, rows: MixedRows) -> np.ndarray:
        """ln p(x | k), (rows, classes)."""

    @abstractmethod
    def said(self, rows: MixedRows) -> str:
        """The value of the first row, in words."""


@dataclass(frozen=True)
class LevelShares(Factor):
    """Shares of levels within the classes; a level that was never met says nothing, or is refused."""

    name: str
    levels: tuple[str, ...]
    logs: np.ndarray  # (levels, classes)
    refuse_unknown: bool = False

    def scores(self, rows: MixedRows) -> np.ndarray:
        own = rows.levels(self.name)
        if self.refuse_unknown:
            for number, level in enumerate(own.names):
                if level not in self.levels and (own.codes == number).any():
                    row = int(np.argmax(own.codes == number))
                    raise ValueError(f"column {self.name!r} has the level {level!r}, never seen before, in row {row}")
        codes = codes_among(own, self.levels, self.name)
        return with_nothing(self.logs)[np.where(np.isnan(codes), len(self.levels), codes).astype(np.intp)]

    def said(self, rows: MixedRows) -> str:
        names, codes = rows.levels(self.name)
        return f"{self.name} = {names[codes[0]] if codes[0] >= 0 else 'missing'}"


@dataclass(frozen=True)
class TruthShares(Factor):
    """Shares of False and True."""

    name: str
    logs: np.ndarray  # (2, classes)

    def scores(self, rows: MixedRows) -> np.ndarray:
        values = rows.numbers(self.name)
        return with_nothing(self.logs)[np.where(np.isnan(values), 2, values).astype(np.intp)]

    def said(self, rows: MixedRows) -> str:
        value = rows.numbers(self.name)[0]
        return f"{self.name} = {'missing' if np.isnan(value) else SIGNS[int(value)]}"


@dataclass(frozen=True)
class NormalDensity(Factor):
    """A normal density for each class; the origin is what values are counted from."""

    name: str
    origin: float
    unit: int  # squares are taken in units of 2**unit: nothing overflows
    mean: np.ndarray
    deviation: np.ndarray
    place: int

    def scores(self, rows: MixedRows) -> np.ndarray:
        values = finite(rows.numbers(self.name), self.place) - self.origin
        away = np.ldexp(values[:, None] - self.mean, -self.unit) / self.deviation
        with np.errstate(over="ignore"):
            found = -0.5 * away**2 - np.log(self.deviation) - (0.5 * np.log(2 * np.pi) + self.unit * np.log(2.0))
        return np.where(np.isnan(values)[:, None], 0.0, found)

    def said(self, rows: MixedRows) -> str:
        value = rows.numbers(self.name)[0]
        return f"{self.name} = {'missing' if np.isnan(value) else f'{value:.6g}'}"


@dataclass(frozen=True)
class CountShares(Factor):
    """A column of counts, of which all together are drawn from shares: x ln t."""

    name: str
    logs: np.ndarray  # (classes,)
    place: int

    def scores(self, rows: MixedRows) -> np.ndarray:
        values = finite(rows.numbers(self.name), self.place)
        refuse_negative(values, self.place)
        return product(np.where(np.isnan(values), 0.0, values)[:, None], self.logs[:, None])

    def said(self, rows: MixedRows) -> str:
        value = rows.numbers(self.name)[0]
        return f"{self.name} = {'missing' if np.isnan(value) else f'{value:g}'}"


@dataclass(frozen=True)
class Factors:
    """All factors of a table; for who reads tables, the map of rows to ln p(k) + ln p(x | k)."""

    schema: Schema
    level_names: dict[str, list[str]]
    prior: np.ndarray
    parts: tuple[Factor, ...]

    def rows(self, rows: MixedRows) -> np.ndarray:
        """ln p(k) + ln p(x | k); the priors where every class is ruled out."""
        rows = rows.read_as(self.schema)
        for column in self.schema.used:
            if column.kind == "empty":
                rows.numbers(column.name)  # refuses a value
        joint = np.tile(self.prior, (len(rows), 1))
        for part in self.parts:
            joint += part.scores(rows)
        none = ~np.isfinite(joint.max(axis=1, initial=-np.inf))
        joint[none] = self.prior
        return joint


def with_nothing(logs: np.ndarray) -> np.ndarray:
    """The logarithms of all levels, and below them zeros: what is missing says nothing."""
    return np.vstack([logs, np.zeros(logs.shape[1])])


def finite(values: np.ndarray, place: int) -> np.ndarray:
    """A column of numbers and gaps, without infinity."""
    for row in np.flatnonzero(np.isinf(values))[:1]:
        raise RowError("X", int(row), place, float(values[row]))
    return values


def refuse_negative(values: np.ndarray, place: int, rows: np.ndarray | None = None) -> None:
    """Counts are not below zero; `rows` are the numbers of the values, where some rows were left out."""
    for row in np.flatnonzero(values < 0)[:1]:
        raise RowError("X", int(row if rows is None else rows[row]), place, float(values[row]))
