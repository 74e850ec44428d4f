"""The nearest neighbour on discrete features, every row left out in turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from ...compiled import nearest as kernels
from ...compiled.tables import WORD, pack
from ...evaluation.row_values import weight_was_its_name
from ...statistics.level_sums import class_table, code_columns
from ...statistics.row_checks import encode, prepare
from .judge import Judge, JudgesFolds, JudgesNeighbours, Subset, one_by_one_less

AT_A_TIME = 2**16  # subsets of one answer of `all_of_size`


@dataclass(frozen=True, eq=False)
class NearestNeighbourJudge(JudgesNeighbours, JudgesFolds, Judge):
    """J(S) = share of the rows that their nearest neighbours classify rightly, each row left out in turn.

        d_S(a, b) = number of features in S in which a and b differ

    All rows at the smallest distance vote with their weights. Where t classes have most votes, one of them is drawn,
    so that a row of one of these classes counts 1 / t: J is the expected accuracy, and no class is preferred. Rows
    that agree in S are one cell of a table, so most answers need counts alone; only a row that is alone in its cell
    looks for its nearest. Not monotone: a useless feature sends rows to other cells.

    >>> import numpy as np
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]])
    >>> judge = NearestNeighbourJudge.of(X, ["a", "a", "b", "b", "b"])
    >>> judge.score((0,)), judge.score((1,)), judge.with_each((0,), [1]).tolist()
    (1.0, 0.2, [0.7])
    """

    codes: np.ndarray  # a row for each feature
    levels: np.ndarray
    y: np.ndarray
    classes: int
    weight: np.ndarray

    @classmethod
    @weight_was_its_name
    def of(cls, X: Any, y: Any, sample_weight: Any = None) -> NearestNeighbourJudge:
        """From rows whose columns are levels, at most 256 each, and their labels."""
        X, labels, weight = prepare(X, y, sample_weight)
        if labels is None or len(X) < 2:
            raise ValueError(f"n_samples = {len(X)}: leaving one row out needs two or more, and y their labels")
        names, classes = encode(labels)
        coded = code_columns(X, None)
        present = class_table(coded.codes, classes, len(names), None).any(axis=2)
        place = np.cumsum(present, axis=1) - 1  # codes without gaps
        codes = np.array([place[j][coded.codes[:, j]] for j in range(X.shape[1])], dtype=np.uint8)
        return cls(codes, present.sum(axis=1), classes, len(names), np.ones(len(X)) if weight is None else weight)

    @property
    def size(self) -> int:  # type: ignore[override]
        return len(self.codes)

    @property
    def rows(self) -> int:
        return len(self.y)

    # -- answers ------------------------------------------------------------------------------------------------------

    def score(self, subset: Subset) -> float:
        return self._share(self._winners(subset))

    def after_entering(self, subset: Subset, candidates: Sequence[int]) -> np.ndarray:
        shared = self._cells(subset), self._bits(subset)
        return np.array([self._share(self._winners_with(*shared, j)) for j in candidates])

    def after_leaving(self, subset: Subset, candidates: Sequence[int]) -> np.ndarray:
        return one_by_one_less(self, subset, candidates)

    def fold_scores(self, subset: Subset) -> np.ndarray | None:
        """What each row counts; None where rows have weights."""
        winners = self._winners(subset)
        return np.where(winners > 0, 1.0 / np.maximum(winners, 1), 0.0) if (self.weight == 1.0).all() else None

    def all_of_size(self, k: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """All subsets of k features and their J, in portions, in the order of their columns.

        Triples of binary features of rows without weights are counted bit by bit: a million of them in a second.
        """
        if not 1 <= k <= self.size:
            raise ValueError(f"k must be between 1 and n_features = {self.size}, got {k!r}")
        if k == 3 and (self.levels <= 2).all() and (self.weight == 1.0).all():
            yield from self._triples()
            return
        for prefix in combinations(range(self.size - 1), k - 1):
            first = prefix[-1] + 1 if prefix else 0
            rest = np.arange(first, self.size)
            subsets = np.column_stack([np.tile(prefix, (len(rest), 1)).astype(np.intp), rest])
            yield subsets, self.with_each(prefix, rest.tolist())

    def best_of_size(self, k: int) -> tuple[Subset, float]:
        """The best of all subsets of k features, the first of equals."""
        best: tuple[Subset, float] = (), -np.inf
        for subsets, scores in self.all_of_size(k):
            at = int(np.argmax(scores))
            if scores[at] > best[1]:
                best = tuple(subsets[at].tolist()), float(scores[at])
        return best

    # -- how ----------------------------------------------------------------------------------------------------------

    def _share(self, winners: np.ndarray) -> float:
        return float(self._shares(np.bincount(winners, self.weight, self.classes + 1)))

    def _shares(self, right: np.ndarray) -> Any:
        """J from the weight of the rows whose class is one of t winners, t = 0, 1, 2, ... along the last axis."""
        return (right[..., 1:] / np.arange(1, self.classes + 1)).sum(axis=-1) / self.weight.sum()

    def _winners(self, subset: Subset) -> np.ndarray:
        """Among how many winners the class of every row is; zero where it lost."""
        *others, last = subset if subset else (-1,)
        return self._winners_with(self._cells(tuple(others)), self._bits(tuple(others)), last)

    def _winners_with(self, cells: tuple[np.ndarray, int], bits: np.ndarray, feature: int) -> np.ndarray:
        """For a subset and one feature more; -1 is a feature that is the same in all rows."""
        winners = np.empty(self.rows, np.intp)
        codes = self.codes[feature] if feature >= 0 else np.zeros(self.rows, np.uint8)
        levels = int(self.levels[feature]) if feature >= 0 else 1
        votes = np.zeros(self.classes)
        kernels.left_out_winners(cells[0], cells[1], bits, codes, levels, self.y, self.weight, votes, winners)
        return winners

    def _cells(self, subset: Subset) -> tuple[np.ndarray, int]:
        """The number of the cell of every row, and how many cells there are."""
        cell, cells = np.zeros(self.rows, np.intp), 1
        for j in subset:
            names, cell = encode(cell * self.levels[j] + self.codes[j])
            cells = len(names)
        return cell, cells

    def _bits(self, subset: Subset) -> np.ndarray:
        """A bit for each level of the subset, in every row: rows share as many levels as bits."""
        chosen = list(subset)
        starts = np.concatenate([[0], np.cumsum(self.levels[chosen])]).astype(np.intp)
        bits = np.zeros((self.rows, -(-int(starts[-1]) // WORD)), np.uint64)
        for start, j in zip(starts[:-1], chosen, strict=True):
            at = start + self.codes[j].astype(np.intp)
            bits[np.arange(self.rows), at // WORD] |= np.uint64(1) << (at % WORD).astype(np.uint64)
        return bits

    def _triples(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        d = self.size
        bits, ends, sizes = self._bits_by_class
        singles, doubles = np.zeros((d, self.classes), np.int64), np.zeros((d, d, self.classes), np.int64)
        kernels.common_by_class(bits, ends, singles, doubles)
        first = np.column_stack(np.triu_indices(d - 1, 1))
        step = max(1, AT_A_TIME // d)
        for start in range(0, len(first), step):
            pairs = first[start : start + step]
            counts = d - 1 - pairs[:, 1]
            right = np.zeros((counts.sum(), self.classes + 1), np.int64)
            kernels.right_in_triples(bits, ends, sizes, singles, doubles, pairs, right)
            last = np.concatenate([np.arange(b + 1, d) for b in pairs[:, 1]])
            yield np.column_stack([np.repeat(pairs, counts, axis=0), last]), self._shares(right)

    @cached_property
    def _bits_by_class(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Bits of every binary feature over the rows, class after class, each beginning a new word; ends and sizes."""
        parts = []
        sizes = np.bincount(self.y, minlength=self.classes)
        for k in range(self.classes):
            rows = np.flatnonzero(self.y == k)
            place = np.column_stack([np.full(self.size, -1), np.arange(self.size)])
            part = np.zeros((self.size, -(-len(rows) // WORD)), np.uint64)
            pack(np.ascontiguousarray(self.codes[:, rows].T), place, part)
            parts.append(part)
        ends = np.cumsum([part.shape[1] for part in parts])
        return np.concatenate(parts, axis=1), ends, sizes
