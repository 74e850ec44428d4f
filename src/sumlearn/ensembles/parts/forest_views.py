"""What a forest shows of its trees: one by one, their rows, importances, leaves and paths."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from .forest_growth import generator_of, seed_of_choices
from .forest_tree import ForestTree
from .forest_trees import ForestTrees


class ForestViews:
    """Of a forest that is fitted."""

    trees_: ForestTrees
    seed_: int
    draws_: np.ndarray
    # of the forest
    look_data: Any
    codes_of: Any
    workers: Any

    @property
    def estimators_(self) -> list[ForestTree]:
        """The trees, to be looked at."""
        trees: ForestTrees = self.fitted_trees("estimators_")
        edges, labels, plain = self.look_data(), vars(self).get("classes_"), clone(self)
        return [ForestTree(trees.tree(t), edges, labels, plain, partial(self.seed_of, t)) for t in range(len(trees))]

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The places of the rows that each tree has drawn; a model that was read from a file does not have them."""
        self.fitted_trees("estimators_samples_")
        rows, draw = self.drawn_rows()
        drawn = [generator_of(self.seed_, t) if size else None for t, size in enumerate(self.draws_)]
        return [
            rows if own is None else np.repeat(rows, draw.counts(own, int(size)))
            for own, size in zip(drawn, self.draws_, strict=True)
        ]

    def seed_of(self, number: int) -> int:
        """Where the choices of a tree begin."""
        generator = generator_of(self.seed_, number)
        if self.draws_[number]:
            self.drawn_rows()[1].counts(generator, int(self.draws_[number]))
        return seed_of_choices(generator)

    def drawn_rows(self) -> tuple[np.ndarray, Any]:
        """Places of the rows in their table, and how they were drawn."""
        known = vars(self).get("_draw")
        if known is None:
            raise AttributeError(
                "which rows a tree has drawn is known to the model that was fitted, on one table, and in no file"
            )
        return known

    @property
    def feature_importances_(self) -> np.ndarray:
        """How much the splits on each column gain, as shares; the mean over the trees."""
        importances = self.fitted_trees("feature_importances_").importances
        mean = importances[importances.sum(axis=1) > 0].sum(axis=0)
        return mean / mean.sum() if mean.any() else mean

    def fitted_trees(self, asked: str) -> ForestTrees:
        if "trees_" not in vars(self):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
                f"using this estimator. It has no {asked!r}"
            )
        return self.trees_

    def __len__(self) -> int:
        """How many trees there are."""
        return len(self.fitted_trees("estimators_"))

    def __getitem__(self, number: int) -> ForestTree:
        return self.estimators_[number]

    def __iter__(self) -> Iterator[ForestTree]:
        return iter(self.estimators_)

    def apply(self, X: Any) -> np.ndarray:
        """The number of the leaf of every row in each tree."""
        codes = self.codes_of(X)
        places = self.trees_.leaf_numbers(codes, self.workers)
        return np.column_stack([tree.numbers[own] for tree, own in zip(self.estimators_, places.T, strict=True)])

    def decision_path(self, X: Any) -> tuple[Any, np.ndarray]:
        """The nodes that every row passes, as flags, and where the nodes of each tree begin among them."""
        leaves, trees = self.apply(X), self.estimators_
        starts = np.concatenate([[0], np.cumsum([tree.node_count for tree in trees])])
        rows, columns = [], []
        for tree, start, own in zip(trees, starts, leaves.T, strict=False):
            above, at, row = tree.parents(), own, np.arange(len(own))
            while len(at):
                rows.append(row)
                columns.append(start + at)
                at = above[at]
                row, at = row[at >= 0], at[at >= 0]
        place = np.concatenate(rows), np.concatenate(columns)
        return sparse.csr_matrix((np.ones(len(place[0]), np.int64), place), (len(leaves), starts[-1])), starts
