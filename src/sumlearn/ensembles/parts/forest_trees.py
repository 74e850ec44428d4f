"""The trees of a forest, as they are kept: a run of words for each, and the values of leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self
from weakref import WeakSet

import numpy as np

from ...compiled.forest_walk import add_values, find_leaves, is_sound
from ...engines import in_threads

ROWS = 2**13  # that a thread takes through all trees at a time
NO_BAGS = np.zeros((0, 0), np.uint8)
SPLIT, LEAF, MASK = 1, 2, 3


@dataclass(frozen=True, eq=False)
class ForestTrees:
    """Trees on codes of bins, one after the other.

    Attributes
    ----------
    words : array of uint64
        Splits and leaves; `compiled.forest_walk` says what the bits are.
    starts : array (trees + 1,)
        Where each tree begins.
    values : array (rows, outputs)
        Shares of classes, or means, of leaves that are not of one class alone; of several targets side by side.
    value_starts : array (trees + 1,)
    classes : int
        0 for numbers, and for the labels of several targets.
    importances : array (trees, features)
        How much the splits on each column gain in every tree; they add up to one, unless the tree is a leaf.
    depths, leaves : arrays (trees,)
    """

    words: np.ndarray
    starts: np.ndarray
    values: np.ndarray
    value_starts: np.ndarray
    classes: int
    importances: np.ndarray
    depths: np.ndarray
    leaves: np.ndarray

    @classmethod
    def of(cls, trees: Sequence[Any], classes: int) -> Self:
        """From (words, values, importances, depth, leaves) of every tree."""
        words, values, importances, depths, leaves = zip(*trees, strict=True)
        return cls(
            np.concatenate(words),
            np.concatenate([[0], np.cumsum([len(part) for part in words])]).astype(np.int64),
            np.concatenate(values),
            np.concatenate([[0], np.cumsum([len(part) for part in values])]).astype(np.int64),
            classes,
            np.array(importances),
            np.array(depths, dtype=np.int64),
            np.array(leaves, dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.starts) - 1

    def followed_by(self, other: Self) -> Self:
        """These trees and those of another forest on the same bins and classes."""
        return type(self)(
            np.concatenate([self.words, other.words]),
            np.concatenate([self.starts, self.starts[-1] + other.starts[1:]]),
            np.concatenate([self.values, other.values]),
            np.concatenate([self.value_starts, self.value_starts[-1] + other.value_starts[1:]]),
            self.classes,
            np.concatenate([self.importances, other.importances]),
            np.concatenate([self.depths, other.depths]),
            np.concatenate([self.leaves, other.leaves]),
        )

    def tree(self, number: int) -> ForestTrees:
        """One of the trees, as a forest of its own."""
        words = slice(*self.starts[number : number + 2])
        values = slice(*self.value_starts[number : number + 2])
        own = slice(number, number + 1)
        return ForestTrees(
            self.words[words],
            np.array([0, words.stop - words.start]),
            self.values[values],
            np.array([0, values.stop - values.start]),
            self.classes,
            self.importances[own],
            self.depths[own],
            self.leaves[own],
        )

    @property
    def outputs(self) -> int:
        return self.classes or self.values.shape[-1]

    def kinds(self) -> np.ndarray:
        """What every word is; refused where a walk could leave its tree, since a file could say anything."""
        kinds, sizes = np.empty(len(self.words), np.int8), (self.starts, self.value_starts)
        words, starts, values, value_starts = self.as_read()
        whole = all(len(each) and each[0] == 0 and (np.diff(each) >= 0).all() for each in sizes)
        if (
            not whole
            or len(self.starts) != len(self.value_starts)
            or self.starts[-1] != len(self.words)
            or self.values.shape != (self.value_starts[-1], self.outputs)
            or not self.outputs
            or self.importances.shape[:1] != (len(self),)
            or not is_sound(words, starts, value_starts, len(values), self.classes, self.importances.shape[1], kinds)
        ):
            raise ValueError("the trees of the forest do not fit together")
        return kinds

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """What compiled code reads; it is looked at once."""
        if self not in CHECKED:
            self.kinds()
            CHECKED.add(self)
        return self.as_read()

    def as_read(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return (
            np.ascontiguousarray(self.words, np.uint64),
            np.asarray(self.starts, np.int64),
            np.ascontiguousarray(self.values, np.float64),
            np.asarray(self.value_starts, np.int64),
        )

    def answers(
        self, codes: np.ndarray, n_jobs: int | None = None, bags: np.ndarray = NO_BAGS
    ) -> tuple[np.ndarray, np.ndarray]:
        """Sums of the trees' answers to every row, and how many have answered: with `bags`, those that left it out."""
        out, count = np.zeros((len(codes), self.outputs)), np.zeros(len(codes), np.int64)
        words, starts, values, value_starts = self.arrays()

        def some(first: int) -> None:
            rows = slice(first, first + ROWS)
            add_values(
                codes[rows], words, starts, values, value_starts, self.classes, bags, first, out[rows], count[rows]
            )

        in_threads(some, range(0, len(codes), ROWS), n_jobs)
        return out, count

    def leaf_numbers(self, codes: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """The places of the leaves of every row, (rows, trees)."""
        out = np.empty((len(codes), len(self)), np.int64)
        words, starts, *_ = self.arrays()

        def some(first: int) -> None:
            rows = slice(first, first + ROWS)
            find_leaves(codes[rows], words, starts, out[rows])

        in_threads(some, range(0, len(codes), ROWS), n_jobs)
        return out


CHECKED: WeakSet[ForestTrees] = WeakSet()  # trees in which no walk goes astray
