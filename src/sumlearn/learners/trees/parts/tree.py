"""Tree: nodes as arrays, whatever they were grown by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sparse

from ....compiled import tree_walk
from .tree_soundness import fits_together

UNDEFINED = -2  # scikit-learn's mark of a leaf in `feature` and `threshold`


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree in arrays, frozen. Node 0 is the root; node k has the branches ``branches[first[k] : first[k + 1]]``.

    Attributes
    ----------
    feature, threshold : arrays (nodes,)
        Column that is asked about, -2 in a leaf; a number up to the threshold takes the first of two branches.
    first, branches : arrays (nodes + 1,), (nodes - 1,)
        Branches of all nodes, one after the other.
    place, width, side : arrays (nodes,), (nodes,), (any,)
        Of a category with `width` levels, level v takes branch ``side[place + v]``, -1 where the node knows nothing of
        it; place is -1 for numbers.
    gap : array (nodes,)
        The branch of a missing value; -1 where it takes all branches, by their masses.
    value : array (nodes, outputs, classes or 1)
        Shares of the classes, or the predicted numbers.
    impurity, n_node_samples, weighted_n_node_samples : arrays (nodes,)
        As in scikit-learn: rows that weigh something, and their weight.
    """

    feature: np.ndarray
    threshold: np.ndarray
    first: np.ndarray
    branches: np.ndarray
    place: np.ndarray
    width: np.ndarray
    side: np.ndarray
    gap: np.ndarray
    value: np.ndarray
    impurity: np.ndarray
    n_node_samples: np.ndarray
    weighted_n_node_samples: np.ndarray
    n_features: int

    @classmethod
    def of_stored_state(cls, state: dict[str, Any]) -> Self:
        """The tree of a file; refused where a walk could leave it."""
        tree = cls(**state)
        if not fits_together(tree):
            raise ValueError("the nodes of a tree do not fit together")
        return tree

    # -- scikit-learn's names -----------------------------------------------------------------------------------------

    @property
    def node_count(self) -> int:
        return len(self.feature)

    @property
    def capacity(self) -> int:
        return self.node_count

    @property
    def n_outputs(self) -> int:
        return self.value.shape[1]

    @property
    def max_n_classes(self) -> int:
        return self.value.shape[2]

    @property
    def n_classes(self) -> np.ndarray:
        return np.full(self.n_outputs, self.max_n_classes)

    @cached_property
    def is_leaf(self) -> np.ndarray:
        return np.diff(self.first) == 0

    @property
    def n_leaves(self) -> int:
        return int(self.is_leaf.sum())

    @cached_property
    def depth(self) -> np.ndarray:
        """How far below the root every node is."""
        depth = np.zeros(self.node_count, np.int64)
        tree_walk.depths_of(self.first, self.branches, depth)
        return depth

    @property
    def max_depth(self) -> int:
        return int(self.depth.max())

    @property
    def children_left(self) -> np.ndarray:
        return self.child(0)

    @property
    def children_right(self) -> np.ndarray:
        return self.child(1)

    @property
    def missing_go_to_left(self) -> np.ndarray:
        return np.where(self.is_leaf, 0, self.gap == 0).astype(np.uint8)

    def child(self, branch: int) -> np.ndarray:
        """One of two branches of every node, -1 for leaves."""
        if (np.diff(self.first) > 2).any():
            raise AttributeError("nodes have more than two branches: `first` and `branches` have them all")
        children = np.full(self.node_count, -1)
        inner = np.flatnonzero(~self.is_leaf)
        children[inner] = self.branches[self.first[inner] + branch]
        return children

    # -- structure ----------------------------------------------------------------------------------------------------

    def below(self, node: Any) -> np.ndarray:
        """The branches of a node."""
        return self.branches[self.first[node] : self.first[node + 1]]

    @cached_property
    def parent(self) -> np.ndarray:
        """The node above every node; -1 for the root."""
        parent = np.full(self.node_count, -1)
        parent[self.branches] = np.repeat(np.arange(self.node_count), np.diff(self.first))
        return parent

    def cut_at(self, leaves: np.ndarray) -> Self:
        """The tree without what is below the nodes that are marked; nodes keep their order."""
        cut = leaves & ~self.is_leaf
        if not cut.any():
            return self
        kept = self.kept_at(leaves)
        number = np.full(self.node_count, -1)
        number[kept] = np.arange(len(kept))
        leaf = (cut | self.is_leaf)[kept]
        counts = np.where(leaf, 0, np.diff(self.first)[kept])
        whole = [self.below(node) for node, is_leaf in zip(kept, leaf, strict=True) if not is_leaf]
        branches = number[np.concatenate(whole)] if whole else np.empty(0, np.int64)
        some = {name: getattr(self, name)[kept] for name in OF_NODES}
        some["feature"] = np.where(leaf, UNDEFINED, some["feature"])
        some["threshold"] = np.where(leaf, float(UNDEFINED), some["threshold"])
        some["place"] = np.where(leaf, -1, some["place"])
        return replace(self, **some, first=np.append(0, np.cumsum(counts)), branches=branches)

    def kept_at(self, leaves: np.ndarray) -> np.ndarray:
        """The nodes that stay when those that are marked become leaves."""
        gone = np.zeros(self.node_count, dtype=bool)
        for node in range(1, self.node_count):  # parents come first
            above = self.parent[node]
            gone[node] = gone[above] or leaves[above]
        return np.flatnonzero(~gone)

    def renumbered(self) -> Self:
        """The same tree, its nodes in the order of its depth: all below a branch before the next one."""
        order = np.empty(self.node_count, np.int64)
        tree_walk.depth_first(self.first, self.branches, order)
        number = np.empty_like(order)
        number[order] = np.arange(len(order))
        counts = np.diff(self.first)[order]
        first = np.append(0, np.cumsum(counts))
        within = np.arange(first[-1]) - np.repeat(first[:-1], counts)
        branches = number[self.branches[np.repeat(self.first[order], counts) + within]]
        some = {name: getattr(self, name)[order] for name in OF_NODES}
        return replace(self, **some, first=first, branches=branches)

    # -- asking -------------------------------------------------------------------------------------------------------

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of every row; a gap that has no way of its own takes the branch of most mass."""
        X = X.toarray() if sparse.issparse(X) else X
        if X.shape[1] != self.n_features:
            raise ValueError(f"the tree asks about {self.n_features} columns, the rows have {X.shape[1]}")
        out = np.empty(len(X), np.int64)
        gap = np.where(self.gap >= 0, self.gap, self.heaviest) if (self.gap < 0).any() else self.gap
        tree_walk.leaves_of(
            np.ascontiguousarray(X), self.feature, self.threshold, self.first, self.branches, self.place, self.width,
            self.side, gap, out,
        )  # fmt: skip
        return out

    @cached_property
    def heaviest(self) -> np.ndarray:
        """The branch of most mass of every node."""
        mass = self.weighted_n_node_samples
        return np.array([0 if leaf else int(mass[self.below(k)].argmax()) for k, leaf in enumerate(self.is_leaf)])

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Values of the leaves, (rows, outputs, classes or 1)."""
        if (self.gap[~self.is_leaf] >= 0).all() or sparse.issparse(X) or not np.isnan(X).any():
            return self.value[self.apply(X)]
        return self.by_shares(X, self.value)

    def by_shares(self, X: np.ndarray, value: np.ndarray) -> np.ndarray:
        """Mean of a value over the leaves that a row reaches; a gap takes all branches, by their masses."""
        out = np.zeros((len(X), *value.shape[1:]))
        work = [(0, np.arange(len(X)), np.ones(len(X)))]
        while work:
            node, rows, share = work.pop()
            if not len(rows):
                continue
            if self.is_leaf[node]:
                out[rows] += share.reshape(-1, *[1] * (value.ndim - 1)) * value[node]
                continue
            taken, below = self.branch_of(node, X[rows, self.feature[node]]), self.below(node)
            mass = self.weighted_n_node_samples[below]
            for branch, child in enumerate(below):
                part = np.where(taken < 0, share * mass[branch] / mass.sum(), share)
                here = (taken == branch) | (taken < 0)
                work.append((int(child), rows[here], part[here]))
        return out

    def branch_of(self, node: int, values: np.ndarray) -> np.ndarray:
        """The branch that values take at a node; -1 for all of them."""
        gap = int(self.gap[node])
        known = ~np.isnan(values)
        if self.place[node] < 0:
            return np.where(known, (values > self.threshold[node]).astype(np.int64), gap)
        level = np.where(known, values, -1).astype(np.int64)
        known &= (level >= 0) & (level < self.width[node])
        side = self.side[self.place[node] + np.where(known, level, 0)]
        return np.where(known & (side >= 0), side, gap)

    def decision_path(self, X: np.ndarray) -> sparse.csr_matrix:
        """Which nodes every row passes: (rows, nodes), ones."""
        leaf, nodes = self.apply(X), np.arange(self.node_count)
        paths: list[np.ndarray] = [np.array([0])]
        for node in nodes[1:]:
            paths.append(np.append(paths[self.parent[node]], node))
        indices = [paths[k] for k in leaf]
        indptr = np.append(0, np.cumsum(self.depth[leaf] + 1))
        ones = np.ones(indptr[-1], dtype=np.int64)
        return sparse.csr_matrix((ones, np.concatenate(indices), indptr), shape=(len(leaf), self.node_count))

    def compute_feature_importances(self, normalize: bool = True) -> np.ndarray:
        """The impurity that splits of every column have taken away."""
        mass, importances = self.weighted_n_node_samples, np.zeros(self.n_features)
        inner = np.flatnonzero(~self.is_leaf)
        weighted = mass * self.impurity
        after = np.array([weighted[self.below(node)].sum() for node in inner])
        np.add.at(importances, self.feature[inner], weighted[inner] - after)
        importances /= mass[0]
        total = importances.sum()
        return importances / total if normalize and total > 0 else importances


OF_NODES = (
    "feature", "threshold", "place", "width", "gap", "value", "impurity", "n_node_samples", "weighted_n_node_samples",
)  # fmt: skip
