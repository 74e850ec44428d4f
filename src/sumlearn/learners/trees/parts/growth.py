"""Growth: how a tree is grown from rows in memory, and the tree that comes of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ....compiled import tree_exact, tree_scans
from .tree import UNDEFINED, Tree

KINDS = {
    "gini": tree_scans.GINI,
    "entropy": tree_scans.ENTROPY,
    "log_loss": tree_scans.ENTROPY,
    "squared_error": tree_scans.SQUARED,
    "friedman_mse": tree_scans.SQUARED,
    "poisson": tree_scans.POISSON,
    "absolute_error": tree_scans.ABSOLUTE,
}
OF_COLUMNS = {"gini": tree_scans.SHARES, "entropy": tree_scans.LOGS, "log_loss": tree_scans.LOGS}
MOST_ROWS = 2**28 - 1
UNLIMITED = 2**31 - 1


@dataclass(frozen=True)
class Growth:
    """The settings of a growth, in numbers of rows and of columns."""

    criterion: str
    random: bool = False
    max_depth: int = UNLIMITED
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    max_features: int = UNLIMITED
    max_leaf_nodes: int = -1
    min_impurity_decrease: float = 0.0
    monotonic: tuple[int, ...] = ()
    seed: int = 0

    def tree(
        self, X: np.ndarray, sizes: np.ndarray, y: np.ndarray, classes: int, weight: np.ndarray | None
    ) -> Tree:
        """The tree of coded rows; y are codes of classes, or numbers (rows, targets) where `classes` is zero."""
        return self.grown(KINDS[self.criterion], X, sizes, y, classes, weight)

    def tree_of_labels(
        self, X: np.ndarray, sizes: np.ndarray, codes: np.ndarray, counts: tuple[int, ...], weight: np.ndarray
    ) -> Tree:
        """The tree of several targets, by the mean of their impurities; codes (targets, rows) of so many classes each.

        The classes of all targets are columns of ones and zeros: the shares of a node are their means, the Gini
        impurity is the sum of their variances.
        """
        starts, targets = np.cumsum((0, *counts)), len(counts)
        flags, rows = np.zeros((len(X), starts[-1])), np.arange(len(X))
        for code, start in zip(codes, starts, strict=False):
            flags[rows, start + code] = 1.0
        part = starts[-1] / targets  # impurities come as means over the columns
        whole = replace(self, min_impurity_decrease=self.min_impurity_decrease / part)
        tree = whole.grown(OF_COLUMNS[self.criterion], X, sizes, flags, 0, weight)
        value = np.zeros((tree.node_count, targets, max(counts)))
        for t, (start, stop) in enumerate(pairwise(starts)):
            value[:, t, : stop - start] = tree.value[:, start:stop, 0]
        return replace(tree, value=value, impurity=tree.impurity * part)

    def grown(
        self, kind: int, X: np.ndarray, sizes: np.ndarray, y: np.ndarray, classes: int, weight: np.ndarray | None
    ) -> Tree:
        """The tree by a criterion of the compiled loops."""
        n, d = X.shape
        if n > MOST_ROWS:
            raise ValueError(f"an exact tree takes {MOST_ROWS} rows at most, got {n}: use method='histogram'")
        code = np.ascontiguousarray(y, dtype=np.int64) if classes else np.zeros(n, np.int64)
        numbers, unit = np.zeros((0, 1)), 1.0
        if not classes:
            unit = power_of_two(np.abs(y).max())
            numbers = np.ascontiguousarray(y / unit, dtype=np.float64)
        in_order = numbers if kind == tree_scans.ABSOLUTE else np.zeros((n, 0))
        keys = sorted_columns(X, sizes, code if classes <= 256 else np.zeros(n, np.int64), in_order)
        given, mass_unit = np.zeros(0), 1.0
        if weight is not None and (weight != 1.0).any():
            mass_unit = power_of_two(weight.max())
            given = np.ascontiguousarray(weight / mass_unit)
        table = np.zeros(0)
        if kind == tree_scans.ENTROPY and not len(given):
            table = np.arange(n + 1, dtype=np.float64)
            table[1:] *= np.log2(table[1:])
        counts = np.array(
            [self.max_depth, self.min_samples_split, self.min_samples_leaf, min(self.max_features, d),
             self.max_leaf_nodes, self.random, self.seed], dtype=np.int64,
        )  # fmt: skip
        squared = kind == tree_scans.SQUARED
        scale = (unit, unit if squared else 1.0)  # of impurities: two factors, whose product may be out of range
        total = math.fsum(given) if len(given) else float(n)
        limits = np.array([self.min_weight_leaf / mass_unit, self.min_impurity_decrease / scale[0] / scale[1], total])
        of_draws = np.ascontiguousarray(X, dtype=np.float64) if self.random else np.zeros((0, 0))
        nodes, measures, values, sides = tree_exact.grow(
            kind, keys, sizes.astype(np.int64), np.array(self.monotonic, dtype=np.int64), of_draws, numbers, code,
            classes, given, table, counts, limits, np.median(numbers, axis=0) if len(numbers) else np.zeros(1),
        )  # fmt: skip
        tree = tree_of(X, nodes, measures, values[:, None, :] if classes else values[:, :, None] * unit, sides)
        masses = measures[:, tree_exact.MASS] * mass_unit
        with np.errstate(over="ignore"):
            impurity = measures[:, tree_exact.IMPURITY] * scale[0] * scale[1]
        tree = replace(tree, impurity=impurity, weighted_n_node_samples=masses)
        return tree if self.max_leaf_nodes > 0 else tree.renumbered()


def tree_of(X: np.ndarray, nodes: np.ndarray, measures: np.ndarray, values: np.ndarray, sides: np.ndarray) -> Tree:
    """The arrays of a growth as a tree; thresholds are halfway between the values on both sides of a cut."""
    feature = nodes[:, tree_exact.FEATURE].copy()
    leaf = nodes[:, tree_exact.LEFT] < 0
    feature[leaf] = UNDEFINED
    place = np.where(leaf, -1, nodes[:, tree_exact.LEVELS])
    threshold = np.where(leaf, float(UNDEFINED), np.where(place >= 0, np.nan, measures[:, tree_exact.THRESHOLD]))
    cut = np.flatnonzero(~leaf & (place < 0))
    below, above = (nodes[cut, name] for name in (tree_exact.BELOW, tree_exact.ABOVE))
    halfway = between(X[below, feature[cut]], X[above, feature[cut]])
    drawn = np.isfinite(threshold[cut]) & (above >= 0)
    threshold[cut] = np.where(drawn, threshold[cut], np.where(above < 0, np.inf, halfway))
    counts = np.where(leaf, 0, 2)
    side = 1 - sides.astype(np.int64)  # branch 0 is the left one
    ends = np.append(place[place >= 0], len(side)).astype(np.int64)
    ends.sort()
    width = np.zeros(len(nodes), np.int64)
    width[place >= 0] = ends[np.searchsorted(ends, place[place >= 0], side="right")] - place[place >= 0]
    return Tree(
        feature=feature,
        threshold=threshold,
        first=np.append(0, np.cumsum(counts)),
        branches=nodes[~leaf][:, [tree_exact.LEFT, tree_exact.RIGHT]].ravel(),
        place=place,
        width=width,
        side=side,
        gap=np.where(leaf, 0, 1 - nodes[:, tree_exact.GAPS_LEFT]),
        value=values,
        impurity=measures[:, tree_exact.IMPURITY],
        n_node_samples=nodes[:, tree_exact.END] - nodes[:, tree_exact.START],
        weighted_n_node_samples=measures[:, tree_exact.MASS],
        n_features=X.shape[1],
    )


def between(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Halfway between two numbers, in double; the lower one where there is nothing between them."""
    low, high = low.astype(np.float64), high.astype(np.float64)
    halfway = 0.5 * low + 0.5 * high
    return np.where((low <= halfway) & (halfway < high), halfway, low)


def sorted_columns(X: np.ndarray, sizes: np.ndarray, label: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Packed keys of all columns, and of the targets where their order is needed."""
    n, d = X.shape
    keys = np.empty((d + targets.shape[1], n), np.uint64)
    for j in range(len(keys)):
        column = np.ascontiguousarray(X[:, j] if j < d else targets[:, j - d], dtype=np.float64)
        tree_scans.packed(np.argsort(column), column, int(sizes[j]) if j < d else 0, label, keys[j])
    return keys


def power_of_two(largest: Any) -> float:
    """The power of two at or below a number; one for zero."""
    return 2.0 ** float(np.frexp(largest)[1] - 1) if largest > 0 else 1.0
