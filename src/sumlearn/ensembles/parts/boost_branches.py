"""A tree that is grown from histograms of all rows, a pass at a time: which leaves are split, and what is missing.

Leaves are split best first. As the gains of children are known only after a pass, every pass sums the histograms of all
leaves that would be split as far as is known; what turns out not to be needed is left out in the end, so that the tree
is the one that is grown leaf by leaf.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...compiled.boost_growth import BEST_FIRST, DRAWN, MOST_DEPTH, MOST_LEAVES, SPLIT_H, columns_of, divided, mixed
from ...compiled.boost_splits import (
    BIN,
    DEPTH,
    FEATURE,
    GAIN,
    HIGH,
    LEAF_NUMBERS,
    LEFT_H,
    LOW,
    SUM_G,
    SUM_H,
    WAY,
    best_split,
)
from .boost_plan import BoostPlan, Scales, constraints, key_of
from .boost_trees import GrownTree

NO_COUNTS = np.empty((0, 256), np.int64)
NO_COLUMNS, NO_ROWS, NO_AMOUNT = np.empty((0, 0), np.uint8), np.empty(0, np.uint32), np.empty(0, np.int64)


@dataclass
class Branch:
    """A node: its numbers, histogram and counts, columns it may use, and its children as far as they are known."""

    numbers: np.ndarray
    chosen: np.ndarray
    key: Any
    active: np.ndarray
    sums: np.ndarray | None = None
    counts: np.ndarray | None = None
    children: tuple[Branch, Branch] | None = None


class Growing:
    """One tree of a round."""

    def __init__(
        self, plan: BoostPlan, scales: Scales, bins: np.ndarray, category: np.ndarray, usable: np.ndarray, tree: int
    ) -> None:
        self.plan, self.scales, self.bins = plan, scales, np.asarray(bins, np.int64)
        self.category, self.usable = category.astype(np.uint8), usable
        self.directions, self.groups = constraints(plan, len(bins))
        numbers = np.zeros(LEAF_NUMBERS)
        numbers[GAIN], numbers[LOW], numbers[HIGH] = -1.0, -np.inf, np.inf
        active = np.ones(len(self.groups), np.uint8)
        self.root = Branch(numbers, np.zeros(4, np.uint64), key_of(plan, tree), active)
        self.tree_numbers, self.limits = np.zeros(0), np.zeros(0, np.int64)
        self.wanted: list[tuple[Branch, Branch | None]] = [(self.root, None)]  # node to be summed, and its sister

    def begin(self, sums: np.ndarray, counts: np.ndarray | None, rows: int, weight: float, amounts: float) -> None:
        """The histogram of all rows is known."""
        total = int(sums[0, 0].sum())  # every row has one code of every column
        gradient, hessian = total >> 32, total & 0xFFFFFFFF
        flat = self.plan.flat
        bounded = bool(self.directions.any())
        self.tree_numbers = self.plan.numbers(self.scales, weight, hessian, 0.0, 0.0 if flat else amounts, bounded)
        self.limits = self.plan.limits(rows, weight, self.scales.h if flat else 0.0, 2**62)
        self.root.numbers[SUM_G], self.root.numbers[SUM_H] = gradient, hessian
        self.root.sums, self.root.counts = sums, counts
        self.judge(self.root)
        self.wanted = self.missing()

    def judge(self, branch: Branch) -> None:
        """The best split of a node whose histogram is known."""
        numbers = branch.numbers
        if numbers[DEPTH] >= self.limits[MOST_DEPTH] or numbers[SUM_H] < self.limits[SPLIT_H]:
            return
        allowed = np.empty(len(self.bins), np.int64)
        many = columns_of(branch.key, self.limits[DRAWN], self.groups, branch.active, self.usable, allowed)
        best_split(
            branch.sums, NO_COUNTS if branch.counts is None else branch.counts, allowed, many, self.bins,
            self.category, self.directions, self.tree_numbers, numbers, branch.chosen, NO_COLUMNS, NO_ROWS, 0, 0,
            NO_AMOUNT,
        )  # fmt: skip

    def split(self, branch: Branch) -> tuple[Branch, Branch]:
        """The two sides of a node, without histograms."""
        f = int(branch.numbers[FEATURE])
        left, right = branch.numbers.copy(), np.zeros(LEAF_NUMBERS)
        divided(left, right, self.tree_numbers, self.directions)
        active = branch.active & self.groups[:, f]
        with np.errstate(over="ignore"):
            keys = mixed(branch.key), mixed(np.uint64(branch.key + np.uint64(1)))
        sides = (
            Branch(n, np.zeros(4, np.uint64), np.uint64(k), active) for n, k in zip((left, right), keys, strict=True)
        )
        return tuple(sides)  # type: ignore[return-value]

    def order(self) -> list[Branch]:
        """The nodes that are split, in their order, as far as is known."""
        if not len(self.limits):
            return []
        leaves, done = [self.root], []
        waiting = [0] if self.root.numbers[GAIN] > 0 else []
        most = int(self.limits[MOST_LEAVES])
        while waiting and len(leaves) < most:
            if self.limits[BEST_FIRST]:
                number = max(waiting, key=lambda k: (leaves[k].numbers[GAIN], -k))
            else:
                number = waiting[-1]
            waiting.remove(number)
            branch = leaves[number]
            done.append(branch)
            if branch.children is None:
                leaves.append(branch)  # one leaf more, of which nothing is known
                continue
            leaves[number] = branch.children[0]
            leaves.append(branch.children[1])
            waiting += [k for k in (number, len(leaves) - 1) if leaves[k].numbers[GAIN] > 0]
        return done

    def missing(self) -> list[tuple[Branch, Branch | None]]:
        """Smaller sides of splits whose histograms are not known, each with its sister."""
        order = self.order()
        ends = len(order) + 1 >= self.limits[MOST_LEAVES]
        wanted: list[tuple[Branch, Branch | None]] = []
        for branch in order:
            if branch.children is None and not (ends and branch is order[-1]):
                small = 0 if 2 * branch.numbers[LEFT_H] <= branch.numbers[SUM_H] else 1
                branch.children = self.split(branch)
                wanted.append((branch.children[small], branch.children[1 - small]))
                branch.children[1 - small].sums, branch.children[1 - small].counts = branch.sums, branch.counts
        return wanted

    def learn(self, sums: list[np.ndarray], counts: list[np.ndarray] | None) -> None:
        """Histograms of the nodes that were wanted; the sister's is what is left of the parent's."""
        for k, (branch, sister) in enumerate(self.wanted):
            assert sister is not None and sister.sums is not None
            branch.sums, branch.counts = sums[k], None if counts is None else counts[k]
            sister.sums = sister.sums - sums[k]
            sister.counts = None if counts is None else sister.counts - counts[k]
            for side in (branch, sister):
                self.judge(side)
        self.wanted = self.missing()

    def tree(self, known: bool = False) -> tuple[GrownTree, list[Branch]]:
        """The tree, and the branch of each of its nodes; `known`: with all nodes that were ever split."""
        order = self.known_order() if known else self.order()
        nodes, links = [self.root], [[-1, 0, 0, 0]]
        number = {id(self.root): 0}
        for branch in order:
            if branch.children is None:  # the last split of a full tree: nobody asked for its sides
                branch.children = self.split(branch)
            n = branch.numbers
            links[number[id(branch)]] = [int(n[FEATURE]), len(nodes), int(n[BIN]), int(n[WAY])]
            for child in branch.children:
                number[id(child)] = len(nodes)
                nodes.append(child)
                links.append([-1, 0, 0, 0])
        numbers = np.array([[b.numbers[GAIN], b.numbers[SUM_G], b.numbers[SUM_H]] for b in nodes])
        numbers[np.array(links)[:, 0] < 0, 0] = 0.0
        numbers *= [self.scales.h / self.scales.g**2, 1.0 / self.scales.g, 1.0 / self.scales.h]
        sets = np.array([b.chosen for b in nodes], np.uint64)
        return GrownTree(np.array(links, np.int32), numbers, sets, np.zeros(len(nodes))), nodes

    def known_order(self) -> list[Branch]:
        """All nodes with children, parents first."""
        found, stack = [], [self.root]
        while stack:
            branch = stack.pop()
            if branch.children is not None:
                found.append(branch)
                stack += branch.children
        return found
