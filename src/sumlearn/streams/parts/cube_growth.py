"""Trees that grow: more sums in some leaves, and lists of statistics where arrays will not do."""

from __future__ import annotations

import numpy as np

from .cube_leaves import combined
from .cube_stack import OutOfRange, Stack
from .cube_tree import CubeTree


def with_sums(tree: CubeTree, codes: np.ndarray, more: Stack) -> CubeTree:
    """A tree with more sums in some leaves."""
    try:
        stack, numbers = combined(tree.stack, numbers_at(tree, codes), more)
        if stack is not tree.stack:
            tree = listed(tree, stack)
        return tree.with_leaves(codes, numbers, codes[:0])
    except OutOfRange:
        leaves = tree.leaves
        return with_sums(grown(leaves.codes, tree.stack.take(leaves.numbers).listed()), codes, more.listed())


def grown(codes: np.ndarray, stack: Stack) -> CubeTree:
    """A tree over the leaves of a stack; as a list of statistics, where some leave the range of arrays."""
    try:
        return CubeTree.grown(stack, codes, np.arange(len(codes)))
    except OutOfRange:
        return CubeTree.grown(stack.take(np.arange(len(codes))).listed(), codes, np.arange(len(codes)))


def listed(tree: CubeTree, stack: Stack) -> CubeTree:
    """A tree whose nodes are in another stack, under the same numbers."""
    return CubeTree(stack, tree.floors, tree.shape)


def numbers_at(tree: CubeTree, codes: np.ndarray) -> np.ndarray:
    """Numbers of the leaves of these codes; -1 where there is none."""
    leaves = tree.leaves
    places = np.minimum(np.searchsorted(leaves.codes, codes), max(len(leaves.codes) - 1, 0))
    if not len(leaves.codes):
        return np.full(len(codes), -1)
    return np.where(leaves.codes[places] == codes, leaves.numbers[places], -1)
