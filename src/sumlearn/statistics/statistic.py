"""What can be added up: what every statistic does, what only some do, and numbers of two words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Self, get_args, get_origin

import numpy as np


class Words(NamedTuple):
    """A number or array as an unevaluated sum hi + lo: about 32 digits (see ``compiled/two_words.py``)."""

    hi: Any
    lo: Any

    @classmethod
    def zeros(cls, shape: int | tuple[int, ...]) -> Words:
        return cls(np.zeros(shape), np.zeros(shape))

    @classmethod
    def empty(cls, shape: int | tuple[int, ...]) -> Words:
        return cls(np.empty(shape), np.empty(shape))

    def at(self, index: Any) -> Words:
        return Words(self.hi[index], self.lo[index])

    def shifted(self, exponent: Any) -> Words:
        """2**exponent * self: exact."""
        return Words(np.ldexp(self.hi, exponent), np.ldexp(self.lo, exponent))


class Statistic(ABC):
    """A summary of rows that can be added: merging is associative and commutative, and ``zero`` changes nothing.

    Immutable. ``merge`` raises ValueError when the two sides do not describe the same columns; it never truncates.
    """

    @abstractmethod
    def merge(self, other: Self) -> Self:
        """The summary of the rows of both."""

    @abstractmethod
    def zero(self) -> Self:
        """The summary of no rows, with the shape of this one."""

    @property
    @abstractmethod
    def weight(self) -> float:
        """Sum of the weights of the rows."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """Number of rows of positive weight."""

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self.merge(other)

    def __radd__(self, other: Any) -> Self:
        """``sum(statistics)`` starts from 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented


class Counted(Statistic):
    """A statistic that has the weight and the number of its rows as fields."""

    total: float
    count: int

    @property
    def weight(self) -> float:
        return self.total

    @property
    def rows(self) -> int:
        return self.count


class Removable(Statistic):
    """A statistic from which rows merged earlier can be taken out again."""

    @abstractmethod
    def remove(self, other: Self) -> Self:
        """The summary without the rows of `other`; raises ValueError when they cannot all have been merged."""

    def __sub__(self, other: Self) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self.remove(other)


class Decayable(Statistic):
    """A statistic whose rows can be made to weigh less."""

    @abstractmethod
    def decay(self, factor: float) -> Self:
        """The summary with every weight multiplied by `factor`, 0 < factor <= 1."""

    @staticmethod
    def check_factor(factor: float) -> float:
        if not 0.0 < factor <= 1.0:
            raise ValueError(f"decay factor must be in (0, 1], got {factor!r}")
        return float(factor)


class Restrictable(Statistic):
    """A statistic of the columns of the rows, which can be cut to some of them."""

    @abstractmethod
    def restrict(self, columns: Any) -> Self:
        """The summary of those columns alone."""


class Recodable(Statistic):
    """A statistic of rows x that is also one of A'x + c: fills, scales and levels of a table act on the sums."""

    @abstractmethod
    def recode(self, A: Any, offset: np.ndarray | None = None) -> Self:
        """The summary of A'x + offset; A may be a sparse matrix."""

    @abstractmethod
    def settle(self, flags: np.ndarray) -> Self:
        """Columns of 0 and 1 (`flags`) that are set in no row, or in all, are exactly so."""


CAPABILITIES: dict[str, type] = {
    "remove": Removable,
    "decay": Decayable,
    "restrict": Restrictable,
    "recode": Recodable,
}


def capabilities(kind: Any) -> frozenset[str]:
    """What a statistic, or any of a type, can do: "merge", and words of `CAPABILITIES`; a container what its parts can.

    >>> from sumlearn.statistics import Grouped, Moments, Total
    >>> sorted(capabilities(Grouped[Moments])), sorted(capabilities(Grouped[Total]))
    (['decay', 'merge', 'recode', 'remove', 'restrict'], ['merge'])
    """
    if isinstance(kind, Statistic):
        parts = {type(part): part for part in getattr(kind, "contents", list)()}.values()
        return capabilities(type(kind)).intersection(*map(capabilities, parts))
    plain = get_origin(kind) or kind
    if not isinstance(plain, type) or not issubclass(plain, Statistic):
        return frozenset()
    own = {"merge"} | {word for word, base in CAPABILITIES.items() if issubclass(plain, base)}
    return frozenset(own).intersection(*map(capabilities, get_args(kind)))


class RowError(ValueError):
    """A row cannot be summed: `name` is the array, `row` and `column` count within the chunk.

    `text` is what is wrong, where that is not the value: a sentence with places for {row} and {column!r}.
    """

    text = ""

    def __init__(self, name: str, row: int, column: int | None, value: float) -> None:
        self.name, self.row, self.column, self.value = name, row, column, value
        super().__init__(self.describe(row, column))

    def describe(self, row: object, column: object) -> str:
        """The message, for the row's number in the whole and the column's name."""
        if self.text:
            return self.text.format(row=row, column=column)
        place = f"row {row}" if column is None else f"row {row}, column {column!r}"
        if self.value < 0 and np.isfinite(self.value):
            return f"Negative values in data passed to `{self.name}`: {self.value:g}, first at {place}."
        what = "NaN" if np.isnan(self.value) else "infinity"
        return f"Input {self.name} contains {what}: first at {place}."
