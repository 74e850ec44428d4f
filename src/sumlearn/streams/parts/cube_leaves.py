"""The leaves of a cube as a statistic of their own: what a file holds, and what a stranger could read there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ...statistics import Statistic
from .cube_stack import WIDEST, MomentStack, Stack, StatisticList, alike
from .cube_tree import merged_leaves

TINY = float(np.finfo(np.float64).tiny)


class Leaves(Statistic):
    """Sums by key and step, each under its code; codes are sorted. Merging adds those of the same code."""

    codes: np.ndarray

    def stack(self) -> Stack:
        """The sums themselves."""
        raise TypeError(f"{type(self).__name__} holds no sums")

    @property
    def weight(self) -> float:
        return float(self.stack().weights(np.arange(len(self.codes))).sum())

    @property
    def rows(self) -> int:
        return int(self.stack().rows_of(np.arange(len(self.codes))).sum())

    @property
    def smallest_rows(self) -> int | None:
        """Rows of the smallest leaf, for whoever saves it."""
        return None if not len(self.codes) else int(self.stack().rows_of(np.arange(len(self.codes))).min())

    def rare(self, least: int) -> Iterator[tuple[int, int]]:
        """Code and rows of the leaves of fewer than so many rows, or of no more than a leaf has columns."""
        rows, columns = self.stack().rows_of(np.arange(len(self.codes))), getattr(self.stack(), "columns", 0)
        for place in np.flatnonzero((rows > 0) & ((rows < least) | (rows <= columns))).tolist():
            yield int(self.codes[place]), int(rows[place])

    def merge(self, other: Self) -> Self:
        return leaves_with(*merged_leaves([(self.codes, self.stack()), (other.codes, other.stack())]))  # type: ignore[return-value]

    def zero(self) -> Self:
        none = np.zeros(0, np.int64)
        return leaves_with(none, self.stack().take(none))  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class StackedLeaves(Leaves):
    """Full moments of every leaf, in arrays (`MomentStack`)."""

    codes: np.ndarray
    targets: int
    count: np.ndarray
    total: np.ndarray
    loose: np.ndarray
    centre: np.ndarray
    spread: np.ndarray
    rounding: np.ndarray

    def __post_init__(self) -> None:
        if not self.is_sound():
            raise ValueError("the leaves of a cube do not fit together, or are no sums of rows")

    def is_sound(self) -> bool:
        """Compiled loops trust lengths, users trust numbers: what no rows could have left is refused."""
        arrays = (self.count, self.total, self.loose, self.centre, self.spread, self.rounding)
        if not (are_codes(self.codes) and all(isinstance(array, np.ndarray) for array in arrays)):
            return False
        n, p = len(self.codes), self.rounding.shape[-1] if self.rounding.ndim == 2 else 0
        shapes = [(n,), (n, 2), (n,), (n, 2, p), (n, 2, p * (p + 1) // 2), (n, p)]
        if [array.shape for array in arrays] != shapes or not 0 < p <= WIDEST:
            return False
        if self.count.dtype != np.int64 or any(array.dtype != np.float64 for array in arrays[1:]):
            return False
        if type(self.targets) is not int or not 0 <= self.targets <= p or not all(np.isfinite(a).all() for a in arrays):
            return False
        below = np.cumsum([0, *range(p, 1, -1)])
        diagonal = self.spread[:, 0, below]
        words = all(
            (np.abs(w[:, 1]) <= 2.0**-40 * np.abs(w[:, 0]) + TINY).all() for w in (self.centre, self.total[:, :, None])
        )
        signs = (self.count > 0).all() and (self.total[:, 0] > 0).all() and (self.loose >= 0).all()
        i, j = np.triu_indices(p)
        cauchy = self.spread[:, 0] ** 2 <= (1.0 + 1e-6) * diagonal[:, i] * diagonal[:, j] + TINY
        return bool(words and signs and (diagonal >= 0).all() and (self.rounding >= 0).all() and cauchy.all())

    def stack(self) -> MomentStack:
        made = MomentStack(self.rounding.shape[1], self.targets)
        for name in made.names:
            setattr(made, name, getattr(self, name))
        made.size = len(self.codes)
        return made


@dataclass(frozen=True, eq=False)
class ListedLeaves(Leaves):
    """Statistics of any kind, one for every leaf."""

    codes: np.ndarray
    parts: tuple[Any, ...]

    def __post_init__(self) -> None:
        kinds = {type(part) for part in self.parts}
        sound = are_codes(self.codes) and len(self.codes) == len(self.parts) and len(kinds) <= 1
        if not sound or not all(isinstance(part, Statistic) for part in self.parts):
            raise ValueError("the leaves of a cube do not fit together, or are no sums of rows")

    def stack(self) -> StatisticList:
        return StatisticList(list(self.parts))


def leaves_with(codes: np.ndarray, stack: Stack) -> Leaves:
    """The leaves of all that is in a stack, in the order of the codes."""
    if isinstance(stack, MomentStack):
        arrays = {name: array[: stack.size] for name, array in zip(stack.names, stack.arrays, strict=True)}
        return StackedLeaves(codes, stack.targets, **arrays)
    return ListedLeaves(codes, tuple(stack.statistics))


def are_codes(codes: Any) -> bool:
    sorted_numbers = isinstance(codes, np.ndarray) and codes.ndim == 1 and codes.dtype == np.int64
    return sorted_numbers and bool((codes >= 0).all() and (codes[1:] > codes[:-1]).all())


def combined(stack: Stack, mine: np.ndarray, more: Stack) -> tuple[Stack, np.ndarray]:
    """The stack with the sums of `more` added to those whose numbers are `mine` (-1: to none); and their numbers."""
    own, theirs = alike(stack, more)
    numbers = own.extend(theirs)
    shared = mine >= 0
    if shared.any():
        pairs = np.column_stack([mine[shared], numbers[shared]]).ravel()
        numbers = numbers.copy()
        numbers[shared] = own.extend(own.merged(pairs, np.arange(0, len(pairs) + 1, 2)))
    return own, numbers
