"""Leaving one row out: what the other rows say of every row, for many numbers of neighbours from one search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sparse

from ....statistics.weights import FAINT
from .bandwidth import left_out_rows
from .neighbour_lists import ENTRIES, FEW_NEIGHBOURS, among_rows, lists_of, summed, weights_of
from .neighbour_means import finished, points_of, positive, weighted
from .rows_in_order import RowsInOrder

MOST_LEFT_OUT = 20_000  # rows that are left out in turn to choose k


class LeftOutNeighbours:
    """A mixin of learners from nearest neighbours: their own rows, asked about without themselves."""

    statistic_: RowsInOrder
    # of the learner that it is part of
    is_given: bool
    ties: str
    weights: Any
    solved: Any
    score_left_out: Any

    def left_out_votes(self, found: dict[str, Any]) -> np.ndarray:
        """What the others say of every row."""
        rows = self.statistic_
        if rows.rows < 2:
            raise ValueError("leaving one row out needs two or more")
        return self.left_out_means(found, rows, np.arange(rows.rows), [found["n_neighbors_"]])[0]

    def left_out_scores(self) -> np.ndarray:
        """Scores for 1, 2, ... n_neighbors_ neighbours."""
        found = self.solved()
        if self.statistic_.rows < 2:
            raise ValueError("leaving one row out needs two or more")
        return self.scores_of(found, self.statistic_, found["n_neighbors_"])

    def scores_of(self, found: dict[str, Any], rows: RowsInOrder, most: int) -> np.ndarray:
        """The scores for 1 to `most` neighbours from one search: row by row, without it, by the others."""
        asked = np.sort(left_out_rows(rows.X, MOST_LEFT_OUT)) if not self.is_given else np.arange(rows.rows)
        means = self.left_out_means(found, rows, asked, range(1, most + 1))
        return np.array([self.score_left_out(mean, found, rows, asked) for mean in means])

    def left_out_means(
        self, found: dict[str, Any], rows: RowsInOrder, asked: np.ndarray, ks: Sequence[int]
    ) -> list[np.ndarray]:
        """What the other rows say of some, for numbers of neighbours. A row of weight above one leaves copies."""
        point, size = points_of(found), max(256, ENTRIES // (max(ks) + FEW_NEIGHBOURS))
        out = np.minimum(rows.mass if self.ties == "first" else masses_of_equals(rows, point), 1.0)
        parts = []
        for start in range(0, len(asked), size):
            some = asked[start : start + size]
            parts.append(list(self.means_without(found, rows, some, point[some], out[some], ks)))
        return [np.concatenate(of_one_k) for of_one_k in zip(*parts, strict=True)]

    def means_without(
        self,
        found: dict[str, Any],
        rows: RowsInOrder,
        some: np.ndarray,
        own: np.ndarray,
        out: np.ndarray,
        ks: Sequence[int],
    ) -> Iterator[np.ndarray]:
        most = float(max(ks))
        asked, back = np.unique(own, return_inverse=True)
        lists = lists_of(found["search"], found["points"][asked], most + 1.0, found["mass"])
        sums = found["sums"]
        if self.ties == "first":
            most += float(rows.mass.max())
            lists = among_rows(lists, found["order"], found["starts"], rows.mass, most)
            sums, own = weighted(found["values"], rows.mass), some
        lists = lists.of(back)
        mine = lists.number == own[lists.query]
        left = lists.mass - np.where(mine, out[lists.query], 0.0)
        kept = left > FAINT * lists.mass
        lists, mine = lists._replace(mass=left).chosen(kept), mine[kept]
        place, copies = np.zeros(len(some), dtype=np.int64), np.zeros(len(some))
        place[lists.query[mine]], copies[lists.query[mine]] = np.flatnonzero(mine), 1.0
        before, gone = lists.before(), weighted(found["values"][some], out)
        for k in ks:
            share = lists.shares(float(k), self.ties, before)
            entry = share * weights_of(self.weights, finished(lists, found["space"]), share > 0)
            votes, less = summed(lists, entry, sums), copies * entry[place] if len(entry) else copies
            votes -= gone.multiply(less[:, None]).toarray() if sparse.issparse(gone) else gone * less[:, None]
            mass = np.bincount(lists.query, entry * lists.mass, len(some))
            yield (np.maximum(votes, 0.0) if sparse.issparse(gone) else votes) / positive(mass)[:, None]


def masses_of_equals(rows: RowsInOrder, point: np.ndarray) -> np.ndarray:
    """What every row weighs with those that are equal to it, target and all: one that came in parts goes as a whole."""
    if rows.mass.min() >= 1.0 or len(np.unique(point)) == rows.rows:
        return rows.mass
    _, group = np.unique(np.column_stack([point, rows.y]), axis=0, return_inverse=True)
    group = group.ravel()
    return np.bincount(group, rows.mass)[group]
