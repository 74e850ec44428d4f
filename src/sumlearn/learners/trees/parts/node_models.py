"""Ridge regressions of all nodes of a tree, from the moments of its leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import eigh

from ....statistics import Moments
from .tree import Tree


@dataclass(frozen=True, eq=False)
class NodeModels:
    """For every node: slopes, the value at the common centre, the weight, and the expected squared error."""

    slopes: np.ndarray
    levels: np.ndarray
    weight: np.ndarray
    expected: np.ndarray

    @classmethod
    def of(
        cls, tree: Tree, X: np.ndarray, y: np.ndarray, weight: np.ndarray, leaf: np.ndarray, centre: np.ndarray,
        alpha: float,
    ) -> Self:  # fmt: skip
        """Models around a centre, of rows whose leaves are known; columns count in units of their deviations."""
        moments = moments_of_nodes(tree, X, y, weight, leaf)
        unit = moments[0].deviation[: X.shape[1]]
        unit = np.where(unit > 0, unit, 1.0)
        solved = [ridge(one, centre, unit, alpha) for one in moments]
        return cls(*(np.array(part) for part in zip(*solved, strict=True)))

    def better_alone(self, tree: Tree) -> np.ndarray:
        """Nodes whose own model is expected to be as good as all models below."""
        paid = self.weight * self.expected
        alone, rounding = tree.is_leaf.copy(), 1e-12 * self.weight[0] * float(tree.impurity[0])
        for node in range(tree.node_count - 1, -1, -1):
            if not tree.is_leaf[node]:
                below = float(paid[tree.below(node)].sum())
                alone[node] = paid[node] <= below + rounding
                paid[node] = min(paid[node], below)
        return alone

    def some(self, nodes: np.ndarray) -> Self:
        return type(self)(self.slopes[nodes], self.levels[nodes], self.weight[nodes], self.expected[nodes])

    def smoothed(self, tree: Tree, k: float) -> tuple[np.ndarray, np.ndarray]:
        """Slopes and levels, each drawn to those above: (W f + k f_above) / (W + k)."""
        slopes, levels = self.slopes.copy(), self.levels.copy()
        for node in range(1, tree.node_count):  # parents come first
            above, own = tree.parent[node], self.weight[node] / (self.weight[node] + k)
            slopes[node] = own * slopes[node] + (1.0 - own) * slopes[above]
            levels[node] = own * levels[node] + (1.0 - own) * levels[above]
        return slopes, levels


def moments_of_nodes(
    tree: Tree, X: np.ndarray, y: np.ndarray, weight: np.ndarray, leaf: np.ndarray
) -> list[Moments]:
    """Moments of every node: those of leaves from rows, all others as sums of those below."""
    order = np.argsort(leaf, kind="stable")
    ends = np.searchsorted(leaf[order], np.arange(tree.node_count + 1))
    moments: list[Moments | None] = [None] * tree.node_count
    for node in range(tree.node_count - 1, -1, -1):
        if tree.is_leaf[node]:
            rows = order[ends[node] : ends[node + 1]]
            moments[node] = Moments.of(X[rows], y[rows], weight[rows])
        else:
            parts = [moments[child] for child in tree.below(node)]
            total = parts[0]
            for part in parts[1:]:
                total = total + part
            moments[node] = total
    return moments  # type: ignore[return-value]


def ridge(
    moments: Moments, centre: np.ndarray, unit: np.ndarray, alpha: float
) -> tuple[np.ndarray, float, float, float]:
    """Slopes, value at the centre, weight and expected squared error of a node: of its ridge, or of its mean."""
    d, mass = moments.features, moments.weight
    mean, spread = moments.mean, float(moments.diagonal[-1])
    alone = np.zeros(d), float(mean[-1]), mass, expected_error(spread, mass, 1.0)
    if d == 0 or not spread > 0:
        return alone
    scatter = moments.scatter
    values, axes = eigh(scatter[:d, :d] / np.outer(unit, unit))
    values = np.maximum(values, 0.0)
    shrunk = values + alpha
    kept = shrunk > 1e-12 * max(float(shrunk.max()), 1e-300)
    along = axes.T @ (scatter[:d, -1] / unit)
    inverse = np.where(kept, 1.0 / np.where(kept, shrunk, 1.0), 0.0)
    coefficients = inverse * along
    left = max(spread - 2.0 * float(coefficients @ along) + float(coefficients**2 @ values), 0.0)
    expected = expected_error(left, mass, 1.0 + float((inverse * values).sum()))
    if not expected < alone[3]:
        return alone
    slopes = (axes @ coefficients) / unit
    return slopes, float(mean[-1] + slopes @ (centre - mean[:d])), mass, expected


def expected_error(squares: float, mass: float, freedom: float) -> float:
    """Mean squared error to be expected: what is left, and more the more freely it was fitted."""
    return squares / mass * (mass + freedom) / (mass - freedom) if mass > freedom else np.inf


def means_of_known(X: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weighted means of the values that are known; zero of a column that has none."""
    known = ~np.isnan(X)
    mass = known.T @ weight
    first = np.array([X[known[:, j], j][0] if known[:, j].any() else 0.0 for j in range(X.shape[1])])
    apart = np.where(known, X - first, 0.0)  # around a value of the column: offsets cost no digits
    return first + np.where(mass > 0, apart.T @ weight / np.where(mass > 0, mass, 1.0), 0.0)
