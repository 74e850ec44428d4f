"""Many statistics of one kind, by number: moments stacked in arrays, anything else one by one in a list.

Both only grow: a node that changes gets a new number, so whoever holds numbers of before still reads what was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from ...compiled import stacked_moments as kernels
from ...engines.pool import cores, in_threads
from ...statistics import Moments, Words

WIDEST = 128  # columns up to which moments are stacked: of more, few rows are held as they are


class OutOfRange(ArithmeticError):
    """Squares of these numbers leave the range of the stacked arrays: a list of statistics has units of its own."""


class MomentStack:
    """Full moments of the same columns: 8 (p + 2)^2 bytes each, no objects."""

    names = ("count", "total", "loose", "centre", "spread", "rounding")

    def __init__(self, columns: int, targets: int, room: int = 0) -> None:
        self.columns, self.targets, self.size = columns, targets, 0
        self.count = np.empty(room, np.int64)
        self.total = np.empty((room, 2))
        self.loose = np.empty(room)
        self.centre = np.empty((room, 2, columns))
        self.spread = np.empty((room, 2, columns * (columns + 1) // 2))
        self.rounding = np.empty((room, columns))

    @staticmethod
    def takes(statistic: Any) -> bool:
        """Whether this statistic can be stacked as it is."""
        plain = type(statistic) is Moments and not statistic.holds_rows and statistic.form == "full"
        return plain and 0 < statistic.columns <= WIDEST and not statistic.exponent.any()

    def __len__(self) -> int:
        return self.size

    @property
    def arrays(self) -> list[np.ndarray]:
        return [getattr(self, name) for name in self.names]

    @property
    def bytes_each(self) -> int:
        return 8 * (4 + 3 * self.columns + self.columns * (self.columns + 1))

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.arrays)

    def room_for(self, size: int) -> None:
        """Arrays that hold so many, an eighth more than asked for where they had to grow."""
        if size <= len(self.count):
            return
        for name in self.names:
            old = getattr(self, name)
            new = np.empty((size + (size // 8 if self.size else 0), *old.shape[1:]), old.dtype)
            new[: self.size] = old[: self.size]
            setattr(self, name, new)

    def extend(self, other: MomentStack) -> np.ndarray:
        """Take in all of another; returns their numbers here."""
        if (self.columns, self.targets) != (other.columns, other.targets):
            raise ValueError(f"the sums are of {self.columns} columns, those of the new rows of {other.columns}")
        first, last = self.size, self.size + other.size
        self.room_for(last)
        for mine, theirs in zip(self.arrays, other.arrays, strict=True):
            mine[first:last] = theirs[: other.size]
        self.size = last
        return np.arange(first, last)

    def take(self, numbers: np.ndarray) -> Self:
        """Some of them, in that order."""
        taken = type(self)(self.columns, self.targets)
        for name, array in zip(self.names, self.arrays, strict=True):
            setattr(taken, name, array[numbers])
        taken.size = len(numbers)
        return taken

    def merged(self, numbers: np.ndarray, starts: np.ndarray) -> Self:
        """Those of numbers[starts[g] : starts[g + 1]] as one, for every g."""
        groups = len(starts) - 1
        out = type(self)(self.columns, self.targets, groups)
        out.size, sound = groups, np.empty(groups, np.bool_)
        pieces = np.linspace(0, groups, cores() + 1).astype(np.int64) if groups > 256 else np.array([0, groups])

        def work(ends: tuple[int, int]) -> None:
            part = slice(*ends)
            into = [array[part] for array in out.arrays]
            work_arrays = np.empty(self.columns, np.bool_), np.empty((2, self.columns))
            bounds = starts[ends[0] : ends[1] + 1]
            kernels.merge_groups(numbers, bounds, *self.arrays, *work_arrays, *into, sound[part])

        in_threads(work, list(zip(pieces[:-1].tolist(), pieces[1:].tolist(), strict=True)))
        if not sound.all():
            raise OutOfRange
        return out

    def at(self, number: int) -> Moments:
        """One of them as the statistic that it is."""
        p, upper = self.columns, np.triu_indices(self.columns)
        square = []
        for word in self.spread[number]:
            full = np.empty((p, p))
            full[upper] = word
            full.T[upper] = word
            square.append(full)
        return Moments(
            int(self.count[number]),
            Words(*map(float, self.total[number])),
            Words(*self.centre[number].copy()),
            Words(*square),
            self.rounding[number].copy(),
            np.zeros(p, np.int64),
            self.targets,
            float(self.loose[number]),
        )

    @classmethod
    def of(cls, statistics: Sequence[Moments]) -> Self:
        """Stack statistics that it `takes`."""
        one = statistics[0]
        upper = np.triu_indices(one.columns)
        made = cls(one.columns, one.targets, len(statistics))
        made.size = len(statistics)
        for i, part in enumerate(statistics):
            one._check_same(part)
            made.count[i], made.total[i], made.loose[i] = part.count, part.total, part.weight_rounding
            made.centre[i], made.rounding[i] = part.centre, part.rounding
            made.spread[i] = [word[upper] for word in part.scatter_words]
        return made

    def listed(self) -> StatisticList:
        """The same as a list, which takes any statistic."""
        return StatisticList([self.at(i) for i in range(self.size)])

    def weights(self, numbers: np.ndarray) -> np.ndarray:
        return self.total[numbers, 0]

    def rows_of(self, numbers: np.ndarray) -> np.ndarray:
        return self.count[numbers]


class StatisticList:
    """Statistics of any kind, one by one."""

    def __init__(self, statistics: list[Any]) -> None:
        self.statistics = statistics

    def __len__(self) -> int:
        return len(self.statistics)

    @property
    def bytes_each(self) -> int:
        """About what one takes, by the largest of a few."""
        return max((bytes_in(one) for one in self.statistics[:8]), default=0)

    @property
    def nbytes(self) -> int:
        return self.bytes_each * len(self)

    def room_for(self, size: int) -> None:
        """Lists grow by themselves."""

    def extend(self, other: StatisticList) -> np.ndarray:
        first = len(self)
        self.statistics.extend(other.statistics)
        return np.arange(first, len(self))

    def take(self, numbers: np.ndarray) -> StatisticList:
        return StatisticList([self.statistics[i] for i in numbers.tolist()])

    def merged(self, numbers: np.ndarray, starts: np.ndarray) -> StatisticList:
        out = []
        for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            sums = [self.statistics[i] for i in numbers[first:last].tolist()]
            while len(sums) > 1:  # in pairs, so that rounding grows with the logarithm
                sums = [a.merge(b) for a, b in zip(sums[::2], sums[1::2], strict=False)] + sums[len(sums) // 2 * 2 :]
            out.append(sums[0])
        return StatisticList(out)

    def at(self, number: int) -> Any:
        return self.statistics[number]

    def listed(self) -> StatisticList:
        return self

    def weights(self, numbers: np.ndarray) -> np.ndarray:
        return np.array([self.statistics[i].weight for i in numbers.tolist()])

    def rows_of(self, numbers: np.ndarray) -> np.ndarray:
        return np.array([self.statistics[i].rows for i in numbers.tolist()], dtype=np.int64)


Stack = MomentStack | StatisticList


def stack_of(statistics: list[Any]) -> Stack:
    """Statistics in the form that suits them."""
    stackable = bool(statistics) and all(map(MomentStack.takes, statistics))
    return MomentStack.of(statistics) if stackable else StatisticList(statistics)


def alike(a: Stack, b: Stack) -> tuple[Any, Any]:
    """Both in one form: lists where either is one."""
    return (a, b) if type(a) is type(b) else (a.listed(), b.listed())


def bytes_in(value: Any) -> int:
    """Bytes of the arrays in a statistic, with some for the objects around them."""
    if isinstance(value, np.ndarray):
        return value.nbytes + 100
    if isinstance(value, dict) or hasattr(value, "items"):
        return 100 + sum(100 + bytes_in(item) for item in value.values())
    if isinstance(value, tuple | list):
        return 60 + sum(map(bytes_in, value))
    return 100 + sum(map(bytes_in, vars(value).values())) if hasattr(value, "__dict__") else 30


def merged_safely(stack: Stack, numbers: np.ndarray, starts: np.ndarray) -> Stack:
    """Groups of a stack as one each; as a list of statistics where they leave the range of arrays."""
    try:
        return stack.merged(numbers, starts)
    except OutOfRange:
        return stack.take(numbers).listed().merged(np.arange(len(numbers)), starts)
