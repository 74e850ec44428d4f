"""Draft: a tree as nodes that hold each other, while it is grown or pruned; `settled` makes the arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .tree import UNDEFINED, Tree


def all_below(root: Any) -> list[Any]:
    """A node and all nodes below it, those below a branch before the next branch."""
    work, found = [root], []
    while work:
        node = work.pop()
        found.append(node)
        work.extend(reversed(node.branches))
    return found


@dataclass
class Draft:
    """A node: masses of its classes, rows in it, and how it is split."""

    counts: np.ndarray
    rows: float
    impurity: float
    feature: int = UNDEFINED
    threshold: float = float(UNDEFINED)
    side: np.ndarray | None = None  # branch of every level, -1 for those that the node knows nothing of
    gap: int = 0  # branch of gaps, -1 for all of them
    branches: list[Draft] = field(default_factory=list)

    @property
    def mass(self) -> float:
        return float(self.counts.sum())

    def become_leaf(self) -> None:
        self.feature, self.threshold, self.side, self.branches = UNDEFINED, float(UNDEFINED), None, []

    def become(self, other: Draft) -> None:
        """Take the place of a node below."""
        self.__dict__.update(vars(other))

    def nodes(self) -> list[Draft]:
        """All nodes, those below a branch before the next branch."""
        return all_below(self)

    def branch_of(self, values: np.ndarray) -> np.ndarray:
        """The branch that values take; -1 for all of them."""
        known = ~np.isnan(values)
        if self.side is None:
            return np.where(known, (values > self.threshold).astype(np.int64), self.gap)
        side = self.side[np.where(known, values, 0).astype(np.int64)]
        return np.where(known & (side >= 0), side, self.gap)


def settled(root: Draft, features: int) -> Tree:
    """The arrays of a draft."""
    nodes = root.nodes()
    number = {id(node): k for k, node in enumerate(nodes)}
    sides = [node.side for node in nodes if node.side is not None]
    place, at = np.full(len(nodes), -1), 0
    for k, node in enumerate(nodes):
        if node.side is not None:
            place[k] = at
            at += len(node.side)
    mass = np.array([node.mass for node in nodes])
    return Tree(
        feature=np.array([node.feature for node in nodes]),
        threshold=np.array([node.threshold for node in nodes]),
        first=np.append(0, np.cumsum([len(node.branches) for node in nodes])),
        branches=np.array([number[id(child)] for node in nodes for child in node.branches], dtype=np.int64),
        place=place,
        width=np.array([0 if node.side is None else len(node.side) for node in nodes]),
        side=np.concatenate(sides).astype(np.int64) if sides else np.empty(0, np.int64),
        gap=np.array([node.gap if node.branches else 0 for node in nodes]),
        value=(np.array([node.counts for node in nodes]) / mass[:, None])[:, None, :],
        impurity=np.array([node.impurity for node in nodes]),
        n_node_samples=np.rint([node.rows for node in nodes]).astype(np.int64),
        weighted_n_node_samples=mass,
        n_features=features,
    )


def drafted(tree: Tree) -> Draft:
    """A tree of classes as nodes that hold each other."""
    counts = tree.value[:, 0, :] * tree.weighted_n_node_samples[:, None]
    nodes = [
        Draft(counts[k], float(tree.n_node_samples[k]), float(tree.impurity[k]), int(tree.feature[k]),
              float(tree.threshold[k]), None, int(tree.gap[k])) for k in range(tree.node_count)
    ]  # fmt: skip
    for k, node in enumerate(nodes):
        node.branches = [nodes[child] for child in tree.below(k)]
        if tree.place[k] >= 0:
            node.side = tree.side[tree.place[k] : tree.place[k] + tree.width[k]]
    return nodes[0]
