"""BaggingDraws: which rows and columns every member of a bag is given, as scikit-learn draws them."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.random import sample_without_replacement

from ...statistics.warnings import warn

MOST = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class BaggingDraws:
    """Seeds of the members, and how each draws: columns first, then rows.

    >>> draws = BaggingDraws(np.array([3]), 5, 4, 5, 2, True, False, None)
    >>> columns, rows = draws.of(0)
    >>> columns.tolist(), rows.tolist()
    ([3, 1], [3, 0, 0, 0, 3])
    """

    seeds: np.ndarray
    rows: int
    columns: int
    drawn_rows: int
    drawn_columns: int
    replace_rows: bool
    replace_columns: bool
    shares: np.ndarray | None  # probabilities of the rows, where they have weights
    groups: np.ndarray | None = None  # the group of every row, where groups are drawn in the place of rows
    masses: np.ndarray | None = None  # what rows of groups weigh, unless that is one each

    def __len__(self) -> int:
        return len(self.seeds)

    def generator(self, member: int) -> np.random.RandomState:
        """Where the draws of a member begin, those of its own seeds too."""
        return np.random.RandomState(self.seeds[member])

    def of(self, member: int) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of the columns and of the rows of a member, in the order in which they were drawn."""
        random = self.generator(member)
        columns = places(random, self.replace_columns, self.columns, self.drawn_columns)
        if self.groups is not None:
            drawn = places(random, self.replace_rows, self.units, self.drawn_rows)
            order, ends = np.argsort(self.groups, kind="stable"), np.cumsum(np.bincount(self.groups))
            members = np.split(order, ends[:-1])
            return columns, np.concatenate([members[group] for group in drawn])
        if self.shares is None:
            return columns, places(random, self.replace_rows, self.rows, self.drawn_rows)
        return columns, random.choice(self.rows, self.drawn_rows, replace=self.replace_rows, p=self.shares)

    def columns_of(self, member: int) -> np.ndarray:
        """Numbers of the columns of a member; where all are wanted they stay in order, whatever was drawn."""
        if self.of_all_columns:
            return np.arange(self.columns)
        return places(self.generator(member), self.replace_columns, self.columns, self.drawn_columns)

    @property
    def counts(self) -> Any:
        """The kind of whole number that holds how often a row is drawn."""
        return np.uint16 if self.drawn_rows < 2**16 else np.uint32

    @property
    def units(self) -> int:
        """How many there are to draw from: rows, or groups of them."""
        return self.rows if self.groups is None else int(self.groups.max()) + 1

    def unit_times(self, member: int) -> np.ndarray:
        """How often each row is drawn; of groups, how often each group."""
        if self.groups is None:
            return self.times(member)
        random = self.generator(member)
        places(random, self.replace_columns, self.columns, self.drawn_columns)
        return np.bincount(places(random, self.replace_rows, self.units, self.drawn_rows), minlength=self.units)

    def times(self, member: int) -> np.ndarray:
        """How often each row is drawn."""
        if self.groups is not None:
            return self.unit_times(member)[self.groups]
        return np.bincount(self.of(member)[1], minlength=self.rows)

    def weights(self, member: int) -> np.ndarray:
        """What each row weighs for a member."""
        times = self.times(member).astype(np.float64)
        return times if self.masses is None else times * self.masses

    @property
    def of_all_columns(self) -> bool:
        """Whether every member has all columns, in their order."""
        return self.drawn_columns == self.columns and not self.replace_columns


def places(random: Any, with_replacement: bool, population: int, size: int) -> np.ndarray:
    """So many numbers below `population`."""
    if with_replacement:
        return random.randint(0, population, size)
    return sample_without_replacement(population, size, random_state=random)


def numbers_drawn(wanted: Any, rows: int, whole: float) -> int:
    """`max_samples` as a number of rows; a share is one of the sum of the weights."""
    if wanted is None:
        return rows
    if isinstance(wanted, Integral):
        return int(wanted)
    size = max(int(wanted * whole), 1)
    if size < max(10, rows ** (1 / 3)):
        warn(
            f"Using the fractional value max_samples={wanted!r} when the total sum of sample weights is {whole:g} "
            f"results in a low number ({size}) of bootstrap samples. We recommend passing `max_samples` as an integer "
            "instead.",
            UserWarning,
        )
    return size


def seeds_of(random: Any, known: int, more: int) -> np.ndarray:
    """Seeds of more members, behind those that were drawn before."""
    if known:
        random.randint(MOST, size=known)
    return random.randint(MOST, size=more)
