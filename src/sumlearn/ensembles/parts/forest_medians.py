"""Trees of medians for a forest: sums over bins do not have them, so these grow from sorted columns of bins."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiled.forest_walk import GAP, pack
from ...learners.trees.parts.growth import UNLIMITED, Growth
from ...learners.trees.parts.pruning import at_cost
from ...learners.trees.parts.tree import Tree


def median_tree(rows: Any, growing: Any, mass: np.ndarray, multiples: np.ndarray, seed: int) -> tuple[Any, ...]:
    """Words, values of leaves, importances, depth and number of leaves of one tree by absolute errors."""
    own, columns = rows.canonical[mass[rows.canonical] > 0], rows.varying  # whatever order they came in
    weight = mass[own].astype(np.float64)
    if len(multiples) and max(growing.min_split, growing.min_leaf + 1) > 2:  # so many rows, where rows are counted
        own, weight = (np.repeat(each, multiples[own]) for each in (own, weight / multiples[own]))
    codes = rows.codes[own][:, columns].astype(np.float64)
    codes[codes == GAP] = np.nan
    sizes = np.where(rows.sizes[columns] > 0, GAP, 0)
    growth = Growth(
        "absolute_error",
        max_depth=min(growing.max_depth, UNLIMITED),
        min_samples_split=growing.min_split,
        min_samples_leaf=growing.min_leaf,
        min_weight_leaf=float(np.ceil(growing.min_fraction * weight.sum())),
        max_features=min(growing.max_features, max(len(columns), 1)),
        max_leaf_nodes=growing.max_leaves or -1,
        min_impurity_decrease=growing.min_decrease,
        monotonic=tuple(growing.monotone[columns]) if len(growing.monotone) else (),
        seed=seed % 2**31,
    )
    grown = growth.tree(codes, sizes, rows.targets.T[own], 0, weight)
    tree = at_cost(grown, growing.alpha).renumbered()
    importances = np.zeros(rows.codes.shape[1])
    importances[columns] = tree.compute_feature_importances()
    return *words_of(tree, columns, rows.outputs), importances, tree.max_depth, tree.n_leaves


def words_of(tree: Tree, columns: np.ndarray, outputs: int) -> tuple[np.ndarray, np.ndarray]:
    """A tree that asks about bins, as the words of a forest and the values of its leaves."""
    order = np.argsort(tree.depth, kind="stable")  # level by level: the right child follows the left one
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    inner = np.flatnonzero(~tree.is_leaf[order])
    at = order[inner]
    features, cuts, children = (np.full(len(order), fill, np.int32) for fill in (-1, 0, 0))
    features[inner] = columns[tree.feature[at]]
    children[inner] = place[tree.branches[tree.first[at]]]
    gaps = tree.gap[at] == 0
    numeric = tree.place[at] < 0
    threshold = np.where(numeric, np.minimum(tree.threshold[at], GAP), 0.0)  # infinite where gaps part from the rest
    last = np.clip((2.0 * threshold - 1.0) // 2.0, 0, GAP - 1)
    cuts[inner] = np.where(numeric, last + 256 * gaps, 512)
    masks = np.zeros((len(order), 4), np.uint64)
    for node, old, gap in zip(inner[~numeric], at[~numeric], gaps[~numeric], strict=True):
        left = np.full(256, gap)
        left[:GAP] = tree.side[tree.place[old] : tree.place[old] + GAP] == 0
        masks[node] = np.packbits(left, bitorder="little").view(np.uint64)
    words = np.empty(6 * len(order) + 1, np.uint64)
    values = np.empty((len(order) // 2 + 1, outputs))
    used, own, *_ = pack(
        features, cuts, children, np.zeros(len(order)), masks, np.zeros((len(order), 2), np.int64), tree.depth[order],
        np.zeros(1, np.uint32), np.zeros(1, np.int64), np.zeros((0, 0), np.int32), 0,
        np.ascontiguousarray(tree.value[order, :, 0]), False, len(order), words, values,
        np.zeros(columns.max(initial=0) + 1),
    )  # fmt: skip
    return words[:used].copy(), values[:own].copy()
