"""Questions and answers of a tree in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from .tree import Tree

MOST_LEVELS = 6  # that a sentence names


class Wording:
    """Names of columns, levels and classes; what a branch says."""

    def __init__(self, columns: Any, features: int, classes: Any = None) -> None:
        names = None if columns is None else columns.names
        self.names = [f"x{j}" for j in range(features)] if names is None else [str(name) for name in names]
        self.levels = (None,) * features if columns is None else columns.levels
        self.classes = classes

    def number(self, j: int, value: float) -> str:
        """A threshold; of an ordered category the level that it stands above."""
        levels = self.levels[j]
        if levels is not None and np.isfinite(value):
            return str(levels[int(np.clip(np.floor(value), 0, len(levels) - 1))])
        return f"{value:.6g}"

    def interval(self, j: int, low: float, high: float) -> str:
        """low < x <= high."""
        name = self.names[j]
        if np.isneginf(low) and np.isposinf(high):
            return f"{name} is known"
        if np.isneginf(low):
            return f"{name} <= {self.number(j, high)}"
        if np.isposinf(high):
            return f"{name} > {self.number(j, low)}"
        return f"{self.number(j, low)} < {name} <= {self.number(j, high)}"

    def among(self, j: int, allowed: np.ndarray) -> str:
        """Which levels."""
        levels = self.levels[j] or tuple(str(k) for k in range(len(allowed)))
        chosen = [str(level) for level, there in zip(levels, allowed, strict=True) if there]
        if len(chosen) == 1:
            return f"{self.names[j]} = {chosen[0]}"
        some = ", ".join(chosen[:MOST_LEVELS]) + (f", ... ({len(chosen)})" if len(chosen) > MOST_LEVELS else "")
        return f"{self.names[j]} in {{{some}}}"

    def branches(self, tree: Tree, node: int) -> list[str]:
        """What every branch of a node says."""
        j = int(tree.feature[node])
        if tree.place[node] < 0:
            at = float(tree.threshold[node])
            if np.isposinf(at):
                return [f"{self.names[j]} is known", f"{self.names[j]} is missing"]
            return [self.interval(j, -np.inf, at), self.interval(j, at, np.inf)]
        side = tree.side[tree.place[node] : tree.place[node] + tree.width[node]]
        return [self.among(j, side == branch) for branch in range(len(tree.below(node)))]

    def leaf(self, tree: Tree, node: int) -> str:
        """What a leaf says, of how much weight; with the weight of other classes, if there are any."""
        mass = tree.weighted_n_node_samples[node]
        if self.classes is None:
            values = ", ".join(f"{value:.4g}" for value in tree.value[node, :, 0])
            return f"{values} ({mass:.6g})"
        if isinstance(self.classes, list):
            return f"{self.labels(tree, node)} ({mass:.6g})"
        shares = tree.value[node, 0]
        wrong = mass * (1.0 - shares.max())
        errors = f"/{wrong:.4g}" if wrong > 1e-9 * mass else ""
        return f"{self.labels(tree, node)} ({mass:.6g}{errors})"

    def labels(self, tree: Tree, node: int) -> str:
        """The label of most weight; of several targets one for each."""
        several = self.classes if isinstance(self.classes, list) else [self.classes]
        return ", ".join(str(own[int(tree.value[node, t].argmax())]) for t, own in enumerate(several))
