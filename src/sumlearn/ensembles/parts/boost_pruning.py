"""Minimal cost-complexity pruning of a grown tree (Breiman, Friedman, Olshen & Stone 1984, chapter 3)."""

from __future__ import annotations

import numpy as np

from .boost_growing import Grown
from .boost_trees import GrownTree


def pruned(grown: Grown, alpha: float, weight: float) -> Grown:
    """The tree without its weakest links: those whose gain for each leaf they add, per weight, is at most alpha."""
    links, gains = grown.tree.links, grown.tree.numbers[:, 0] / weight
    inner = links[:, 0] >= 0
    kept = inner.copy()
    while kept.any():
        below, leaves = subtrees(links, gains, kept)
        strength = np.where(kept, below / np.maximum(leaves - 1, 1), np.inf)
        weakest = int(np.argmin(strength))
        if strength[weakest] > alpha:
            break
        kept[descendants(links, kept, weakest)] = False
    return grown if (kept == inner).all() else cut(grown, kept)


def subtrees(links: np.ndarray, gains: np.ndarray, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sum of the gains, and number of leaves, below every node; children come after their parents."""
    below, leaves = np.where(kept, gains, 0.0), np.ones(len(links), np.int64)
    for node in range(len(links) - 1, -1, -1):
        if kept[node]:
            left = links[node, 1]
            below[node] += below[left] + below[left + 1]
            leaves[node] = leaves[left] + leaves[left + 1]
    return below, leaves


def descendants(links: np.ndarray, kept: np.ndarray, node: int) -> list[int]:
    """The inner nodes of a subtree, its root among them."""
    found, left = [], [node]
    while left:
        here = left.pop()
        if kept[here]:
            found.append(here)
            left += [int(links[here, 1]), int(links[here, 1]) + 1]
    return found


def cut(grown: Grown, kept: np.ndarray) -> Grown:
    """The tree of the inner nodes that are kept; the rows of a subtree lie side by side."""
    links, old = grown.tree.links, [0]
    place = {0: 0}
    for node in old:  # grows meanwhile: parents before children
        if kept[node]:
            for child in (int(links[node, 1]), int(links[node, 1]) + 1):
                place[child] = len(old)
                old.append(child)
    new = links[old].copy()
    new[~kept[old]] = (-1, 0, 0, 0)
    for row, node in zip(new, old, strict=True):
        if kept[node]:
            row[1] = place[int(links[node, 1])]
    owner = {}  # the new leaf above every old one
    for node in old:
        if not kept[node]:
            stack = [node]
            while stack:
                here = stack.pop()
                owner[here] = node
                if links[here, 0] >= 0:
                    stack += [int(links[here, 1]), int(links[here, 1]) + 1]
    leaves = [node for node in old if not kept[node]]
    spans, bounds = [], []
    for leaf in leaves:
        own = [k for k, node in enumerate(grown.nodes) if owner[int(node)] == leaf]
        spans.append((grown.spans[own, 0].min(), grown.spans[own, 1].max()))
        bounds.append((grown.bounds[own, 0].min(), grown.bounds[own, 1].max()))
    numbers = grown.tree.numbers[old].copy()
    numbers[~kept[old], 0] = 0.0
    tree = GrownTree(new, numbers, grown.tree.sets[old], np.zeros(len(old)))
    nodes = np.array([place[leaf] for leaf in leaves], np.int64)
    return Grown(tree, grown.rows, np.array(spans, np.int64), nodes, np.array(bounds))
