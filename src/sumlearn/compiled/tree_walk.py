"""The leaf that a row falls into, and the tree in the order of its depth."""

import numpy as np
from numba import njit

from .two_words import SETTINGS


@njit(**SETTINGS)
def leaves_of(X, feature, threshold, first, branches, place, width, side, gap, out):
    """Leaf of every row; node k has the branches branches[first[k] : first[k + 1]], a leaf none.

    A number goes to branch 0 up to the threshold, else to branch 1. Of a category (place[k] >= 0) level v goes to
    branch side[place[k] + v]. Gaps, and levels of which nothing is known (-1), go to branch gap[k].
    """
    for i in range(len(X)):
        node = 0
        while first[node + 1] > first[node]:
            value = X[i, feature[node]]
            branch = gap[node]
            if value == value:
                if place[node] < 0:
                    branch = np.int64(value > threshold[node])
                elif 0 <= value < width[node] and side[place[node] + np.int64(value)] >= 0:
                    branch = side[place[node] + np.int64(value)]
            node = branches[first[node] + branch]
        out[i] = node


@njit(**SETTINGS)
def depth_first(first, branches, order):
    """Nodes from the root downwards, all below a branch before the next branch."""
    stack = np.empty(len(order), np.int64)
    stack[0], held, done = 0, 1, 0
    while held:
        held -= 1
        node = stack[held]
        order[done] = node
        done += 1
        for k in range(first[node + 1] - 1, first[node] - 1, -1):
            stack[held] = branches[k]
            held += 1


@njit(**SETTINGS)
def depths_of(first, branches, depth):
    """How far below the root every node is; parents come before their branches."""
    depth[0] = 0
    for node in range(len(depth)):
        for k in range(first[node], first[node + 1]):
            depth[branches[k]] = depth[node] + 1
