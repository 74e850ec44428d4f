"""Boosted trees: all trees of a model as a few arrays, and their way from codes to scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from ...compiled.boost_rows import descend, land
from ...engines import in_threads
from ...learners.fitted import parameter_names

BLOCK = 2**13  # rows that a thread takes at a time


class GrownTree(NamedTuple):
    """Nodes of a tree, the root first.

    links: column that is split by (-1 in a leaf), left child (the right one follows), last bin on the left, whether
    gaps go left. numbers: gain, sums of slopes and of curvatures. sets: categories that go left, as bits. values: of
    the leaves.
    """

    links: np.ndarray
    numbers: np.ndarray
    sets: np.ndarray
    values: np.ndarray


@dataclass(frozen=True, eq=False)
class BoostedTrees:
    """Trees in the order of their growth, `outputs` of them a round: tree t adds to score t % outputs.

    Attributes
    ----------
    starts : array (trees + 1,)
        Where the nodes of each tree begin.
    links, numbers, sets, values : arrays
        Of all nodes, as in `GrownTree`; children are places in these arrays.
    category : array (features,)
        Which columns are categories.
    base : array (outputs,)
        Scores before the first tree.
    """

    starts: np.ndarray
    links: np.ndarray
    numbers: np.ndarray
    sets: np.ndarray
    values: np.ndarray
    category: np.ndarray
    base: np.ndarray

    @classmethod
    def of(cls, trees: list[GrownTree], category: np.ndarray, base: np.ndarray) -> BoostedTrees:
        lengths = np.array([len(tree.links) for tree in trees], np.int64)
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        links = np.concatenate([np.zeros((0, 4), np.int32), *(tree.links for tree in trees)]).astype(np.int32)
        links[:, 1] += np.where(links[:, 0] >= 0, np.repeat(starts[:-1], lengths), 0).astype(np.int32)
        sets = [tree.sets for tree in trees] if category.any() else []
        return cls(
            starts,
            links,
            np.concatenate([np.zeros((0, 3)), *(tree.numbers for tree in trees)]),
            np.concatenate([np.zeros((0, 4), np.uint64), *sets]),
            np.concatenate([np.zeros(0), *(tree.values for tree in trees)]),
            np.asarray(category, np.uint8),
            np.asarray(base, np.float64),
        )

    @property
    def outputs(self) -> int:
        return len(self.base)

    @property
    def many(self) -> int:
        """Number of trees."""
        return len(self.starts) - 1

    def trees(self) -> list[GrownTree]:
        """One by one, children counted from their root."""
        parts = []
        for start, stop in zip(self.starts[:-1], self.starts[1:], strict=True):
            links = self.links[start:stop].copy()
            links[links[:, 0] >= 0, 1] -= start
            sets = self.sets[start:stop] if len(self.sets) else np.zeros((stop - start, 4), np.uint64)
            parts.append(GrownTree(links, self.numbers[start:stop], sets, self.values[start:stop]))
        return parts

    def scores(self, codes: np.ndarray, rounds: int | None = None, n_jobs: int | None = None) -> np.ndarray:
        """Scores (n, outputs) after so many rounds, or after all."""
        scores = np.repeat(self.base[None], len(codes), axis=0)
        last = self.many if rounds is None else min(rounds * self.outputs, self.many)
        self.add(codes, 0, last, scores, n_jobs)
        return scores

    def staged(self, codes: np.ndarray, n_jobs: int | None = None) -> Iterator[np.ndarray]:
        """Scores after each round."""
        scores = np.repeat(self.base[None], len(codes), axis=0)
        for first in range(0, self.many, self.outputs):
            self.add(codes, first, first + self.outputs, scores, n_jobs)
            yield scores.copy()

    def add(self, codes: np.ndarray, first: int, last: int, scores: np.ndarray, n_jobs: int | None = None) -> None:
        """Add what some trees say to scores (n, outputs)."""
        nodes = self.sound()

        def some(start: int) -> None:
            rows = slice(start, start + BLOCK)
            starts, links, sets, values = nodes
            descend(codes[rows], first, last, starts, links, sets, values, self.category, self.outputs, scores[rows])

        in_threads(some, range(0, len(codes), BLOCK), n_jobs)

    def leaves(self, codes: np.ndarray) -> np.ndarray:
        """The place of the leaf of every row in every tree, counted from its root: (n, trees)."""
        starts, links, sets, _ = self.sound()
        places = np.empty((len(codes), self.many), np.int64)
        land(codes, 0, self.many, starts, links, sets, self.category, places)
        return places

    def sound(self) -> tuple[Any, ...]:
        """What compiled code reads, refused where it does not fit together: a file could say anything."""
        nodes, features = len(self.links), len(self.category)
        inner = self.links[:, 0] >= 0
        children = self.links[inner, 1]
        place = np.flatnonzero(inner)
        ends = np.repeat(self.starts[1:], np.diff(self.starts)) if nodes == self.starts[-1] else np.zeros(0)
        fits = (
            self.starts[0] == 0
            and nodes == self.starts[-1] == len(self.values)
            and (np.diff(self.starts) > 0).all()
            and (self.links[:, 0] < features).all()
            and (children > place).all()
            and (children + 1 < ends[inner]).all()
            and (len(self.sets) == nodes or not self.category.any())
            and np.isin(self.links[:, 3], (0, 1)).all()
            and ((self.links[:, 2] >= 0) & (self.links[:, 2] < 256)).all()
        )
        if not fits:
            raise ValueError("the nodes of the trees do not fit together")
        return self.starts, self.links, self.sets, self.values

    def same_as(self, other: Any) -> bool:
        return type(self) is type(other) and all(
            np.array_equal(getattr(self, field.name), getattr(other, field.name)) for field in fields(self)
        )

    def __eq__(self, other: object) -> bool:
        return self.same_as(other)

    __hash__ = None  # type: ignore[assignment]


class TreeView:
    """One tree of a model as scikit-learn's `tree_` shows it: arrays over its nodes, in the order of the walk down.

    It also tells the parameters that it was grown by, such as `min_samples_leaf`.

    >>> from sumlearn import GradientBoostingRegressor
    >>> model = GradientBoostingRegressor(n_estimators=2, max_depth=1).fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    >>> tree = model.estimators_[0, 0].tree_
    >>> tree.node_count, tree.feature.tolist(), tree.threshold.tolist()
    (3, [0, -2, -2], [2.5, -2.0, -2.0])
    """

    def __init__(self, tree: GrownTree, threshold: Any, grown_by: Any = None) -> None:
        self.grown_by = grown_by
        links = tree.links
        inner = links[:, 0] >= 0
        self.node_count = len(links)
        self.feature = np.where(inner, links[:, 0], -2)
        self.children_left = np.where(inner, links[:, 1], -1)
        self.children_right = np.where(inner, links[:, 1] + 1, -1)
        self.missing_go_to_left = np.where(inner, links[:, 3], 0).astype(np.uint8)
        self.threshold = np.array([threshold(f, b) if f >= 0 else -2.0 for f, _, b, _ in links.tolist()])
        self.value = tree.values.reshape(-1, 1, 1)
        self.n_leaves = int((~inner).sum())
        depth = np.zeros(len(links), np.int64)
        for node in np.flatnonzero(inner):
            depth[links[node, 1] : links[node, 1] + 2] = depth[node] + 1
        self.max_depth = int(depth.max())

    def __getattr__(self, name: str) -> Any:
        return parameter_of(self, name)

    @property
    def tree_(self) -> TreeView:
        return self

    def get_depth(self) -> int:
        return self.max_depth

    def get_n_leaves(self) -> int:
        return self.n_leaves


def parameter_of(tree: Any, name: str) -> Any:
    """A parameter of the model that a tree is of."""
    model = vars(tree).get("grown_by")
    if model is None or name not in parameter_names(type(model)):
        raise AttributeError(f"a {type(tree).__name__} has no {name!r}")
    return getattr(model, name)
