"""One tree of a forest, to be looked at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from sklearn.base import clone

from ...learners.label_columns import most_probable, split_shares
from ...learners.trees.parts.binning import BinEdges
from .boost_trees import parameter_of
from .forest_trees import LEAF, MASK, SPLIT, ForestTrees

LEFT, FEATURE, CUT, GAPS, CATEGORY = 2**32 - 1, 42, 32, 40, 41
NO_CHILD, NO_COLUMN = -1, -2  # as scikit-learn writes them


@dataclass(eq=False)
class ForestTree:
    """A tree by its nodes, in the words of scikit-learn's `tree_`; it asks about rows of numbers, levels as codes.

    Nodes have no counts and impurities: a forest keeps splits and the values of leaves.

    Attributes
    ----------
    children_left, children_right, feature : arrays (nodes,)
        -1, -1 and -2 for a leaf.
    threshold : array (nodes,)
        x <= threshold goes left; NaN for a category, -2 for a leaf.
    missing_go_to_left : array (nodes,)
    levels_left : dict
        Of splits of a category: the levels (as codes) that go left.
    value : array (nodes, outputs)
        Shares of the classes, or the mean, of several targets side by side; NaN for what is no leaf.
    """

    trees: ForestTrees  # one of them
    edges: BinEdges
    classes_: Any = None
    grown_by: Any = None  # a forest with the parameters that it was grown by, unfitted
    seed: Any = None  # asked for the number where its choices of columns begin

    def __sklearn_clone__(self) -> Unplanted:
        """What grows the same tree from the same rows."""
        return Unplanted(self.grown_by, self.seed())

    def __getattr__(self, name: str) -> Any:
        return parameter_of(self, name)

    @property
    def tree_(self) -> ForestTree:
        return self

    @property
    def node_count(self) -> int:
        return int((self.kinds != MASK).sum())

    @property
    def n_leaves(self) -> int:
        return int(self.trees.leaves[0])

    @property
    def max_depth(self) -> int:
        return int(self.trees.depths[0])

    def get_depth(self) -> int:
        return self.max_depth

    def get_n_leaves(self) -> int:
        return self.n_leaves

    @property
    def feature_importances_(self) -> np.ndarray:
        return self.trees.importances[0]

    @cached_property
    def kinds(self) -> np.ndarray:
        return self.trees.kinds()

    @cached_property
    def numbers(self) -> np.ndarray:
        """The node at every word; masks have none."""
        return np.where(self.kinds == MASK, -1, np.cumsum(self.kinds != MASK) - 1)

    @cached_property
    def nodes(self) -> np.ndarray:
        return self.trees.words[self.kinds != MASK].astype(np.uint64)

    @cached_property
    def is_split(self) -> np.ndarray:
        return self.kinds[self.kinds != MASK] == SPLIT

    @cached_property
    def children_left(self) -> np.ndarray:
        left = (self.nodes & np.uint64(LEFT)).astype(np.int64)
        return np.where(self.is_split, self.numbers[np.where(self.is_split, left, 0)], NO_CHILD)

    @property
    def children_right(self) -> np.ndarray:
        return np.where(self.is_split, self.children_left + 1, NO_CHILD)

    @cached_property
    def feature(self) -> np.ndarray:
        return np.where(self.is_split, (self.nodes >> np.uint64(FEATURE)).astype(np.int64) - 1, NO_COLUMN)

    @property
    def is_category(self) -> np.ndarray:
        return self.is_split & ((self.nodes >> np.uint64(CATEGORY)) & np.uint64(1)).astype(bool)

    @property
    def threshold(self) -> np.ndarray:
        out = np.full(len(self.nodes), float(NO_COLUMN))
        bins = ((self.nodes >> np.uint64(CUT)) & np.uint64(255)).astype(np.int64)
        for node in np.flatnonzero(self.is_split):
            numeric = not self.edges.sizes[self.feature[node]]
            out[node] = self.edges.threshold(self.feature[node], bins[node]) if numeric else np.nan
        return out

    @property
    def missing_go_to_left(self) -> np.ndarray:
        flags = ((self.nodes >> np.uint64(GAPS)) & np.uint64(1)).astype(bool) & self.is_split
        for node, mask in self.masks.items():
            flags[node] = bool(mask[3] >> np.uint64(63))
        return flags

    @cached_property
    def masks(self) -> dict[int, np.ndarray]:
        """The bins that go left, of splits of categories."""
        left = (self.nodes & np.uint64(LEFT)).astype(np.int64)
        return {int(n): self.trees.words[left[n] + 2 : left[n] + 6] for n in np.flatnonzero(self.is_category)}

    @property
    def levels_left(self) -> dict[int, np.ndarray]:
        out = {}
        for node, mask in self.masks.items():
            f = self.feature[node]
            bins = self.edges.level_bins[slice(*self.edges.level_starts[f : f + 2])].astype(np.int64)
            out[node] = np.flatnonzero((mask[bins >> 6] >> (bins & 63).astype(np.uint64)) & np.uint64(1))
        return out

    @property
    def value(self) -> np.ndarray:
        outputs = self.trees.outputs
        out = np.full((len(self.nodes), outputs), np.nan)
        rows = (self.nodes & np.uint64(LEFT)).astype(np.int64)[~self.is_split]
        table = np.concatenate([np.eye(outputs)[: self.trees.classes], self.trees.values])
        out[~self.is_split] = table[rows]
        return out

    def parents(self) -> np.ndarray:
        """The node above each; -1 above the root."""
        out = np.full(len(self.nodes), -1)
        for children in (self.children_left, self.children_right):
            out[children[self.is_split]] = np.flatnonzero(self.is_split)
        return out

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of every row."""
        return self.numbers[self.trees.leaf_numbers(self.codes(X))[:, 0]]

    def predict_proba(self, X: Any) -> Any:
        """The shares of the classes in the leaf of every row; of several targets a list of them."""
        return split_shares(self.trees.answers(self.codes(X))[0], self.classes_)

    def predict(self, X: Any) -> np.ndarray:
        """The most frequent class in the leaf, or its mean."""
        if self.classes_ is not None:
            return most_probable(self.predict_proba(X), self.classes_)
        means = self.trees.answers(self.codes(X))[0]
        return means[:, 0] if means.shape[1] == 1 else means

    def codes(self, X: Any) -> np.ndarray:
        return self.edges.codes(np.asarray(X))


class Unplanted:
    """A tree of a forest that has no rows yet; `fit` makes it a `ForestTree`, on all rows that it is given.

    >>> import numpy as np
    >>> from sklearn.base import clone
    >>> from sumlearn import RandomForestRegressor
    >>> X, y = np.arange(20.0)[:, None], np.arange(20.0) ** 2
    >>> model = RandomForestRegressor(3).fit(X, y)
    >>> tree, own = model.estimators_[0], model.estimators_samples_[0]
    >>> bool((clone(tree).fit(X[own], y[own]).predict(X[own]) == tree.predict(X[own])).all())
    True
    """

    def __init__(self, forest: Any, seed: int) -> None:
        self.forest, self.own_seed = forest, seed

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        model = clone(self.forest).set_params(n_estimators=1, bootstrap=False, max_samples=None, oob_score=False)
        model._own_seed = self.own_seed
        tree = model.set_params(warm_start=False).fit(X, y, sample_weight).estimators_[0]
        self.__class__ = ForestTree  # type: ignore[assignment]
        self.__dict__ = vars(tree) | {"grown_by": self.forest, "seed": partial(int, self.own_seed)}
        return self


assert (SPLIT, LEAF) == (1, 2)  # what `kinds` says
