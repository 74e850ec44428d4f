"""LevelCounts: discrete columns against classes, and against each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from .grouped import sorted_labels
from .level_sums import are_words, class_table, code_columns, levels_of, pair_table
from .row_checks import available_memory, encode, prepare
from .statistic import Decayable, Removable, Restrictable
from .weights import FAINTEST, decayed_rounding, difference, joint_rounding, table_rounding


@dataclass(frozen=True, eq=False)
class LevelCounts(Removable, Decayable, Restrictable):
    """Weight of every level of every column in every class, and on request of every pair of levels.

        table[l, k] = sum w [x_j = level l] [y = k],   pairs[l, m] = sum w [x_i = level l] [x_j = level m]

    The levels of all columns stand one after the other: those of column j are ``values[starts[j] : starts[j + 1]]``,
    ascending. `pairs` is the Gram matrix of their indicators, from which every table of two columns can be read; whole
    weights are counted exactly. With `edges` (a row of ascending numbers for each column, padded by infinity) a level
    is the number of edges at or below x; only counts over the same edges are added. A row of -infinity stands for a
    column of words, which are levels all the same.

    >>> a = LevelCounts.of([[0, 5], [1, 5], [1, 7]], ["no", "no", "yes"], form="pairs")
    >>> a.values.tolist(), a.table.tolist()
    ([0.0, 1.0, 5.0, 7.0], [[1.0, 0.0], [1.0, 1.0], [2.0, 0.0], [0.0, 1.0]])
    >>> a.pairs[:2, 2:].tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    >>> (a + LevelCounts.of([[2, 5]], ["yes"], form="pairs")).restrict([1]).table.tolist()
    [[2.0, 1.0], [0.0, 1.0]]
    """

    values: np.ndarray
    starts: np.ndarray
    labels: tuple[Any, ...]
    table: np.ndarray
    pairs: np.ndarray | None
    edges: np.ndarray | None
    count: int
    weight_rounding: float = 0.0

    @classmethod
    def of(
        cls,
        X: Any,
        labels: Any,
        weight: Any = None,
        *,
        form: Literal["classes", "pairs"] = "classes",
        edges: np.ndarray | None = None,
    ) -> LevelCounts:
        """Count the rows of X, whose values are levels, or numbers that `edges` put into bins."""
        X, labels, weight = prepare(X, labels, weight)
        n, d = X.shape
        if edges is not None and edges.shape[:1] != (d,):
            raise ValueError(f"edges must have a row for each of the {d} columns, got shape {edges.shape}")
        if n == 0:
            pairs = np.zeros((0, 0)) if form == "pairs" else None
            return cls(np.zeros(0), np.zeros(d + 1, np.int64), (), np.zeros((0, 0)), pairs, edges, 0)
        assert labels is not None
        names, y = encode(labels)
        coded = code_columns(X, edges)
        full = class_table(coded.codes, y, len(names), weight)
        found, starts, values = levels_of(np.asarray(full.any(axis=2)), coded)
        pairs = None
        if form == "pairs":
            check_memory(len(values), d)
            pairs = pair_table(coded.codes, found, starts, full.sum(axis=2)[found], weight)
        return cls(values, starts, tuple(names), full[found], pairs, edges, n, table_rounding(weight))

    # -- reading ------------------------------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        return self.count

    @property
    def weight(self) -> float:
        return float(self.table[: self.starts[1]].sum()) if self.features else 0.0

    @property
    def features(self) -> int:
        return len(self.starts) - 1

    @property
    def form(self) -> str:
        return "classes" if self.pairs is None else "pairs"

    @cached_property
    def column(self) -> np.ndarray:
        """The column of every level."""
        return np.repeat(np.arange(self.features), np.diff(self.starts))

    @property
    def classes(self) -> np.ndarray:
        """Weight of every class."""
        return self.table[: self.starts[1]].sum(axis=0)

    @property
    def levels(self) -> Iterator[np.ndarray]:
        """The levels of each column."""
        return (self.values[a:b] for a, b in zip(self.starts[:-1], self.starts[1:], strict=True))

    # -- the algebra --------------------------------------------------------------------------------------------------

    @property
    def look(self) -> np.ndarray | None:
        """Edges of the bins: only counts over the same are added."""
        return self.edges

    def zero(self) -> Self:
        pairs = None if self.pairs is None else np.zeros((0, 0))
        return replace(
            self, values=np.zeros(0), starts=np.zeros_like(self.starts), labels=(), table=np.zeros((0, 0)), pairs=pairs,
            count=0, weight_rounding=0.0,
        )  # fmt: skip

    def merge(self, other: Self) -> Self:
        self._check_same(other)
        a, b = self._aligned(other)
        pairs = None if a.pairs is None or b.pairs is None else a.pairs + b.pairs
        count, rounding = self.count + other.count, joint_rounding(self, other)
        return replace(a, table=a.table + b.table, pairs=pairs, count=count, weight_rounding=rounding)

    def remove(self, other: Self) -> Self:
        self._check_same(other)
        rounding = joint_rounding(self, other)
        if other.weight - self.weight > rounding:
            raise ValueError(
                f"cannot remove {other.count} rows of weight {other.weight:g} from {self.count} rows of weight "
                f"{self.weight:g}"
            )
        a, b = self._aligned(other)
        if len(a.values) > len(self.values):
            at = int(np.argmax(~a.table.any(axis=1)))
            level = "one of these words" if are_words(a.values[at]) else f"level {a.values[at]:g}"
            raise ValueError(f"cannot remove rows that were never merged: none has {level} in column {a.column[at]}")
        if len(a.labels) > len(self.labels):
            unknown = next(label for label in other.labels if label not in self.labels)
            raise ValueError(f"cannot remove rows that were never merged: none is labelled {unknown!r}")
        table = difference(a.table, b.table, rounding)
        if not table.any():
            return self.zero()
        pairs = None if a.pairs is None or b.pairs is None else difference(a.pairs, b.pairs, rounding)
        count = max(self.count - other.count, 1)
        return replace(a, table=table, pairs=pairs, count=count, weight_rounding=rounding)._without_empty_levels()

    def decay(self, factor: float) -> Self:
        if self.check_factor(factor) == 1.0:
            return self
        if self.weight * factor < FAINTEST:  # nothing is left of these rows
            return self.zero()
        pairs = None if self.pairs is None else self.pairs * factor
        rounding = decayed_rounding(self, factor)
        return replace(self, table=self.table * factor, pairs=pairs, weight_rounding=rounding)._without_empty_levels()

    def restrict(self, columns: Any) -> Self:
        """The counts of some of the columns, in the order given."""
        chosen = np.asarray(columns)
        index = np.arange(self.features)[chosen if chosen.size else chosen.astype(np.intp)]
        sizes = np.diff(self.starts)[index]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        levels = np.repeat(self.starts[index] - starts[:-1], sizes) + np.arange(starts[-1])
        edges = None if self.edges is None else self.edges[index]
        return replace(self._at(levels), starts=starts, edges=edges)

    def _at(self, levels: np.ndarray) -> Self:
        pairs = None if self.pairs is None else self.pairs[np.ix_(levels, levels)]
        return replace(self, values=self.values[levels], table=self.table[levels], pairs=pairs)

    def _without_empty_levels(self) -> Self:
        kept = np.flatnonzero(self.table.any(axis=1))
        classes = np.flatnonzero(self.table.any(axis=0))
        if len(kept) == len(self.values) and len(classes) == len(self.labels):
            return self
        left = replace(self._at(kept), starts=np.searchsorted(self.column[kept], np.arange(self.features + 1)))
        return replace(left, table=left.table[:, classes], labels=tuple(self.labels[k] for k in classes))

    def _aligned(self, other: Self) -> tuple[Self, Self]:
        """Both over the union of their levels and classes."""
        same = np.array_equal(self.starts, other.starts) and np.array_equal(self.values, other.values)
        if same and self.labels == other.labels:
            return self, other
        column = np.concatenate([self.column, other.column])
        value = np.concatenate([self.values, other.values])
        order = np.lexsort((value, column))
        new = np.ones(len(order), bool)
        new[1:] = (np.diff(column[order]) > 0) | (np.diff(value[order]) > 0)
        place = np.empty(len(order), np.intp)
        place[order] = np.cumsum(new) - 1
        firsts = order[new]
        words = are_words(value[firsts])
        for j in np.intersect1d(column[firsts][words], column[firsts][~words])[:1]:
            raise ValueError(
                f"column {j} holds words in some rows and numbers in others: give it one type, such as text"
            )
        starts = np.searchsorted(column[firsts], np.arange(self.features + 1))
        labels = tuple(sorted_labels({*self.labels, *other.labels}))
        mine, theirs = place[: len(self.values)], place[len(self.values) :]
        return tuple(  # type: ignore[return-value]
            part._spread_out(at, value[firsts], starts, labels) for part, at in ((self, mine), (other, theirs))
        )

    def _spread_out(self, place: np.ndarray, values: np.ndarray, starts: np.ndarray, labels: tuple[Any, ...]) -> Self:
        """The counts over more levels and classes; `place` is where each level stands among them."""
        table = np.zeros((len(values), len(labels)))
        classes = np.array([labels.index(label) for label in self.labels], dtype=np.intp)
        table[np.ix_(place, classes)] = self.table
        pairs = None
        if self.pairs is not None:
            check_memory(len(values), self.features)
            pairs = np.zeros((len(values), len(values)))
            pairs[np.ix_(place, place)] = self.pairs
        return replace(self, values=values, starts=starts, labels=labels, table=table, pairs=pairs)

    def _check_same(self, other: LevelCounts) -> None:
        for name, attribute in (("columns", "features"), ("form", "form")):
            ours, others = getattr(self, attribute), getattr(other, attribute)
            if ours != others:
                raise ValueError(f"counts of levels differ in {name}: {ours} and {others}")
        mine, theirs = (np.zeros(0) if part.edges is None else part.edges for part in (self, other))
        if not np.array_equal(mine, theirs):
            raise ValueError(
                "counts of levels differ in the edges of their bins: pass the edges_ of one as bins of the other"
            )


def check_memory(levels: int, columns: int) -> None:
    """Refuse pairs that memory cannot hold, before they are allocated; a merge needs three such tables."""
    need, have = 3 * 8 * levels**2, available_memory()
    if need > have:
        raise ValueError(
            f"all pairs of the {levels} levels of {columns} columns need {need / 2**30:.1f} GiB, {have / 2**30:.1f} "
            "GiB are free: use fewer columns (the best of a Ranker) or fewer bins"
        )
