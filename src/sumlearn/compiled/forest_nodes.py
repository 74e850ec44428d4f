"""Nodes of a forest's tree while it grows: their draws, who comes next, and how rows and bounds are handed down."""

import numpy as np
from numba import njit, uint64

from .two_words import INSIDE


@njit(**INSIDE)
def begun(seed, node):
    """Where the draws of a node begin: they depend on no other node's."""
    z = (uint64(seed) + uint64(node + 1) * uint64(0x9E3779B97F4A7C15)) * uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> uint64(29))) * uint64(0x94D049BB133111EB)
    return z ^ (z >> uint64(32)) | uint64(1)


@njit(**INSIDE)
def drawn(state):
    """Marsaglia's xorshift of 64 bits."""
    state ^= state << uint64(13)
    state ^= state >> uint64(7)
    state ^= state << uint64(17)
    return state


@njit(**INSIDE)
def put(waiting, waits, gains, node, first_is_best):
    """A node that can be split, onto a stack or into a heap whose first node gains most, the earliest one of equals."""
    at, gain = waits, gains[node]
    waiting[at] = node
    while first_is_best and at > 0:
        over = (at - 1) >> 1
        if gains[waiting[over]] >= gain:
            break
        waiting[at], waiting[over] = waiting[over], node
        at = over


@njit(**INSIDE)
def taken(waiting, waits, gains, first_is_best):
    """The node that comes next; one less of `waits` is left."""
    waits -= 1
    moved = waiting[waits]
    if not first_is_best or waits == 0:
        return moved
    node, at = waiting[0], 0
    while True:
        under = 2 * at + 1
        if under >= waits:
            break
        if under + 1 < waits:
            first, second = waiting[under], waiting[under + 1]
            if gains[second] > gains[first] or (gains[second] == gains[first] and second < first):
                under += 1
        child = waiting[under]
        if gains[child] < gains[moved] or (gains[child] == gains[moved] and moved < child):
            break
        waiting[at] = child
        at = under
    waiting[at] = moved
    return node


@njit(**INSIDE)
def parted(index, start, stop, codes, stride, offset, goes_left, buffer):
    """Rows whose code goes left come first, both sides in their order; where the right side begins."""
    at, others = start, 0
    for k in range(start, stop):
        i = index[k]
        side = np.int64(goes_left[codes[uint64(i) * stride + offset]])
        index[at] = i
        buffer[others] = i
        at += side
        others += 1 - side
    for k in range(others):
        index[at + k] = buffer[k]
    return at


@njit(**INSIDE)
def keep_apart(left, sign, index, runs, masses, labels, classes, targets, values, lower, upper):
    """Between both sides of a split on a monotone column lies the middle of their means, as far as these are known."""
    for child in range(left, left + 2):
        total, weight = 0.0, 0.0
        for k in range(runs[child, 0], runs[child, 1]):
            i = index[k]
            weight += masses[i]
            total += masses[i] * ((1.0 if labels[0, i] == 1 else 0.0) if classes else targets[0, i])
        values[child, 0] = total / weight
    between = 0.5 * (values[left, 0] + values[left + 1, 0])
    if sign > 0:
        upper[left] = min(upper[left], between)
        lower[left + 1] = max(lower[left + 1], between)
    else:
        lower[left] = max(lower[left], between)
        upper[left + 1] = min(upper[left + 1], between)
