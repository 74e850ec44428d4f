"""Trees whose nodes have a branch for each level, and rows that go down several branches: ID3 and C4.5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ....compiled import tree_shares
from .draft import Draft, settled
from .growth import Growth, between
from .tree import Tree

ENOUGH = 1e-9  # a gain that is above rounding, in bits a row
MANY = 0.3  # branches for each row from which on a split says nothing of the average gain (C4.5)


class NodePart(NamedTuple):
    """Rows at a node: their numbers, how much of each is here, and their orders by the columns of numbers."""

    rows: np.ndarray
    share: np.ndarray
    orders: tuple[np.ndarray | None, ...]


class BranchSplit(NamedTuple):
    """A question, what it gains in bits (or squares) of every row, and what it costs to tell the branches."""

    gain: float
    information: float
    feature: int
    threshold: float
    side: np.ndarray | None
    branches: int


@dataclass(frozen=True)
class ManyBranches:
    """The growth of such a tree.

    Attributes
    ----------
    growth : Growth
        Limits. At least two branches have a mass of `min_samples_leaf` each (Quinlan).
    multiway, fractions, ratio, squares : bool
        A branch for each level; gaps take all branches, by their masses; the gain over the information of the
        branches decides, among splits that gain at least the average; Gini's index instead of entropy.
    """

    growth: Growth
    multiway: bool
    fractions: bool
    ratio: bool
    squares: bool

    def tree(self, X: np.ndarray, sizes: np.ndarray, code: np.ndarray, classes: int, weight: np.ndarray) -> Tree:
        return settled(self.draft(X, sizes, code, classes, weight), X.shape[1])

    def draft(self, X: np.ndarray, sizes: np.ndarray, code: np.ndarray, classes: int, weight: np.ndarray) -> Draft:
        """The tree of coded rows."""
        columns = np.ascontiguousarray(X.T, dtype=np.float64)
        room = np.zeros(len(X)), np.zeros(len(X), dtype=bool)
        table = BranchTable(columns, sizes, code.astype(np.int64), classes, np.asarray(weight, dtype=np.float64), *room)
        everything = np.arange(len(X))
        orders = tuple(None if sizes[j] else sorted_known(columns[j]) for j in range(len(columns)))
        root = self.node(table, everything, np.ones(len(X)))
        total, work = root.mass, [(root, NodePart(everything, np.ones(len(X)), orders), 0)]
        while work:
            node, part, depth = work.pop()
            split = self.best(table, node, part, depth, total)
            if split is None:
                continue
            for child, below in self.divide(table, node, part, split):
                work.append((child, below, depth + 1))
        return root

    def node(self, table: BranchTable, rows: np.ndarray, share: np.ndarray) -> Draft:
        counts = np.bincount(table.code[rows], table.weight[rows] * share, table.classes)
        return Draft(counts, float(share.sum()), self.impurity(counts) / counts.sum())

    def impurity(self, counts: np.ndarray) -> float:
        """Impurity of masses, times their sum."""
        mass = counts.sum()
        some = counts[counts > 0]
        worth = mass - (some**2).sum() / mass if self.squares else -(some * np.log2(some / mass)).sum()
        return max(float(worth), 0.0) + 0.0  # no negative zero

    # -- the best split of a node -------------------------------------------------------------------------------------

    def best(self, table: BranchTable, node: Draft, part: NodePart, depth: int, total: float) -> BranchSplit | None:
        growth, (d, _) = self.growth, table.columns.shape
        light = node.mass < growth.min_samples_split - ENOUGH or node.mass < 2 * growth.min_weight_leaf
        if light or depth >= growth.max_depth or (node.counts > 0).sum() < 2:
            return None
        table.mass[part.rows] = table.weight[part.rows] * part.share
        splits = [split for j in range(d) if (split := self.of_column(table, node, part, j)) is not None]
        if self.ratio:  # an average gain at least, so that a ratio of two small numbers does not win
            splits = [split for split in splits if split.gain > ENOUGH]
            few = [split for split in splits if split.branches < MANY * node.mass] or splits
            average = sum(split.gain for split in few) / max(len(few), 1)
            splits = [split for split in splits if split.gain >= average - ENOUGH]
        if not splits:
            return None
        worth = [split.gain / split.information if self.ratio else split.gain for split in splits]
        chosen = splits[int(np.argmax(np.array(worth) - 1e-12 * np.arange(len(worth)) * max(max(worth), 0.0)))]
        if chosen.gain * node.mass / total + 2.3e-16 < growth.min_impurity_decrease:
            return None
        return chosen

    def of_column(self, table: BranchTable, node: Draft, part: NodePart, j: int) -> BranchSplit | None:
        values, mass = table.columns[j], table.mass
        known = part.rows[~np.isnan(values[part.rows])]
        if not len(known):
            return None
        counts = np.bincount(table.code[known], mass[known], table.classes)
        before, known_mass = self.impurity(counts), counts.sum()
        gaps = node.mass - known_mass
        if table.sizes[j]:
            return self.of_levels(table, node, known, j, before, gaps)
        rows = part.orders[j]
        assert rows is not None
        at, after, left = tree_shares.best_threshold(
            rows, values, table.code, mass, self.squares,
            max(self.growth.min_samples_leaf - ENOUGH, self.growth.min_weight_leaf), counts,
        )  # fmt: skip
        if at < 0:
            return None
        threshold = float(between(values[rows[at - 1 : at]], values[rows[at : at + 1]])[0])
        branches = np.array([left.sum(), known_mass - left.sum()])
        return self.judged(before - after, branches, gaps, node.mass, j, threshold, None)

    def of_levels(
        self, table: BranchTable, node: Draft, known: np.ndarray, j: int, before: float, gaps: float
    ) -> BranchSplit | None:
        levels = table.columns[j][known].astype(np.int64)
        size = int(table.sizes[j])
        counts = np.zeros((size, table.classes))
        np.add.at(counts, (levels, table.code[known]), table.mass[known])
        rows = counts.sum(axis=1)
        there = np.flatnonzero(rows > 0)
        if len(there) < 2:
            return None
        side = np.full(size, -1)
        side[there] = np.arange(len(there))
        if not self.multiway:
            divided = self.in_two(counts[there])
            if divided is None:
                return None
            side[there] = np.where(divided, 0, 1)
        masses = np.zeros((side.max() + 1, table.classes))
        np.add.at(masses, side[there], counts[there])
        least = max(self.growth.min_samples_leaf - ENOUGH, self.growth.min_weight_leaf)
        if (masses.sum(axis=1) >= least).sum() < 2:
            return None
        after = sum(self.impurity(branch) for branch in masses)
        return self.judged(before - after, masses.sum(axis=1), gaps, node.mass, j, np.nan, side)

    def in_two(self, counts: np.ndarray) -> np.ndarray | None:
        """Which levels are on the left: the best cut in the orders of the shares of the classes."""
        best, divided = np.inf, None
        share = counts / counts.sum(axis=1, keepdims=True)
        for k in range(1, counts.shape[1]) if counts.shape[1] == 2 else range(counts.shape[1]):
            order = np.argsort(share[:, k], kind="stable")
            left = np.cumsum(counts[order], axis=0)[:-1]
            for at, here in enumerate(left):
                if min(here.sum(), counts.sum() - here.sum()) < self.growth.min_samples_leaf - ENOUGH:
                    continue
                after = self.impurity(here) + self.impurity(counts.sum(axis=0) - here)
                if after < best - 1e-12 * counts.sum():
                    best, divided = after, np.isin(np.arange(len(order)), order[: at + 1])
        return divided

    def judged(
        self, gain: float, branches: np.ndarray, gaps: float, mass: float, j: int, threshold: float,
        side: np.ndarray | None,
    ) -> BranchSplit | None:  # fmt: skip
        """A split with its gain, of rows whose value is known only, and the information of branches and gaps."""
        parts = np.append(branches, gaps)
        parts = parts[parts > 0] / mass
        information = float(-(parts * np.log2(parts)).sum())
        return BranchSplit(gain / mass, information, j, threshold, side, len(branches)) if information > 0 else None

    # -- going on below -----------------------------------------------------------------------------------------------

    def divide(
        self, table: BranchTable, node: Draft, part: NodePart, split: BranchSplit
    ) -> list[tuple[Draft, NodePart]]:
        """Set the split of a node; its branches and their rows."""
        node.feature, node.threshold, node.side, node.gap = split.feature, split.threshold, split.side, -1
        taken = node.branch_of(table.columns[split.feature][part.rows])
        count = 2 if split.side is None else int(split.side.max()) + 1
        mass = np.bincount(taken[taken >= 0], (table.weight[part.rows] * part.share)[taken >= 0], count)
        if not self.fractions:
            node.gap = int(mass.argmax())
            taken = np.where(taken < 0, node.gap, taken)
        found = []
        for branch in range(count):
            here = (taken == branch) | (taken < 0)
            share = np.where(taken < 0, part.share * mass[branch] / mass.sum(), part.share)[here]
            rows = part.rows[here]
            table.inside[rows] = True
            orders = tuple(None if order is None else order[table.inside[order]] for order in part.orders)
            table.inside[rows] = False
            child = self.node(table, rows, share)
            node.branches.append(child)
            found.append((child, NodePart(rows, share, orders)))
        return found


class BranchTable(NamedTuple):
    """Coded rows by columns, with their classes and weights; and room for what a node has of every row."""

    columns: np.ndarray
    sizes: np.ndarray
    code: np.ndarray
    classes: int
    weight: np.ndarray
    mass: np.ndarray
    inside: np.ndarray


def sorted_known(column: np.ndarray) -> np.ndarray:
    """Rows whose value is known, in the order of the values."""
    order = np.argsort(column, kind="stable")
    return order[: len(column) - int(np.isnan(column).sum())]
