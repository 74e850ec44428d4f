"""A tree of merges over time and keys: any window of any keys is the sum of few nodes.

A leaf is a key and a step. Eight neighbouring steps of a key make a node, eight of these the next, and so on; eight
keys together have leaves and nodes of their own. A window of steps is then at most 14 nodes on each floor, and all keys
are one. A floor that would hardly have fewer nodes than the one below it is left out, so that thin data are not copied.

Nodes are numbers in one stack. A node that changes gets a new number, and all numbers of a tree are replaced at once:
whoever reads meanwhile has the tree of before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .cube_stack import Stack, alike
from .cube_time import FURTHEST

BITS = 3  # of a number that a parent leaves out: eight children
SHIFT = 40  # bits of a step within a code
WORTH = 0.75  # of the nodes of the floor below, at most: else a floor is left out
BRANCH = 1 << BITS


class Floor(NamedTuple):
    """Nodes of 8^`keys` keys and 8^`time` steps: their codes, sorted, and their numbers in the stack."""

    keys: int
    time: int
    codes: np.ndarray
    numbers: np.ndarray


def code_of(keys: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """One number for a key and a step, which may be negative; codes of a key follow one another in time."""
    return (keys << SHIFT) | (steps + FURTHEST)


def steps_of(codes: np.ndarray) -> np.ndarray:
    return (codes & ((1 << SHIFT) - 1)) - FURTHEST


def keys_of(codes: np.ndarray) -> np.ndarray:
    return codes >> SHIFT


def code_step(code: int) -> int:
    return (code & ((1 << SHIFT) - 1)) - FURTHEST


def code_key(code: int) -> int:
    return code >> SHIFT


def parents(codes: np.ndarray, keys: int, time: int) -> np.ndarray:
    """Codes of the nodes so many floors above, over keys and over time."""
    place = codes & ((1 << SHIFT) - 1)
    return ((codes >> (SHIFT + BITS * keys)) << SHIFT) | (place >> (BITS * time))


@dataclass(frozen=True)
class CubeTree:
    """Floors of nodes; the first holds the leaves."""

    stack: Stack
    floors: tuple[Floor, ...]
    shape: tuple[int, int]  # floors over keys and over time when it was built

    # -- building -----------------------------------------------------------------------------------------------------

    @classmethod
    def grown(cls, stack: Stack, codes: np.ndarray, numbers: np.ndarray) -> CubeTree:
        """The tree over leaves, whose codes are sorted."""
        stack.room_for(len(stack) + len(codes) // 3)
        floors = [Floor(0, 0, codes, numbers)]
        shape = shape_of(codes)
        for keys in range(shape[0] + 1):
            base = floors[0] if keys == 0 else above(stack, last_base(floors), keys, 0, keys == shape[0])
            if base is None:
                continue
            if keys:
                floors.append(base)
            for time in range(1, shape[1] + 1):
                made = above(stack, floors[-1], keys, time)
                if made is not None:
                    floors.append(made)
        return cls(stack, tuple(floors), shape)

    def with_leaves(self, codes: np.ndarray, numbers: np.ndarray, gone: np.ndarray) -> CubeTree:
        """The tree where some leaves are new, or have new numbers, and some are gone."""
        leaves = changed(self.floors[0], codes, numbers, gone)
        used = sum(len(floor.codes) for floor in self.floors)
        wide = len(self.stack) > 3 * used + 64
        if shape_of(leaves.codes) != self.shape or wide or len(leaves.codes) > 2 * len(self.floors[0].codes):
            stack = self.stack.take(leaves.numbers) if wide else self.stack
            numbers = np.arange(len(leaves.codes)) if wide else leaves.numbers
            return CubeTree.grown(stack, leaves.codes, numbers)
        touched, floors = np.concatenate([codes, gone]), [leaves]
        for floor in self.floors[1:]:
            below = floors[-1] if floor.time else last_base(floors)
            rise = parents(touched, floor.keys, floor.time)
            floors.append(renewed(self.stack, floor, below, np.unique(rise)))
        return replace(self, floors=tuple(floors))

    @property
    def leaves(self) -> Floor:
        return self.floors[0]

    # -- asking -------------------------------------------------------------------------------------------------------

    def nodes(self, keys: np.ndarray | None, first: int | None, last: int | None) -> np.ndarray:
        """Numbers of nodes that hold just these keys (sorted; None for all) and the steps from first to last - 1."""
        least, most = self.span
        low = max(least, least if first is None else first) + FURTHEST
        high = min(most + 1, most + 1 if last is None else last) + FURTHEST
        if low >= high:
            return np.zeros(0, np.int64)
        by_keys: dict[int, list[Floor]] = {}
        for floor in self.floors:
            by_keys.setdefault(floor.keys, []).append(floor)
        found = []
        for level, nodes in self.covering(keys, sorted(by_keys, reverse=True)):
            found += in_time(by_keys[level], nodes, low, high)
        return np.concatenate(found) if found else np.zeros(0, np.int64)

    @cached_property
    def span(self) -> tuple[int, int]:
        steps = steps_of(self.leaves.codes)
        return int(steps.min()), int(steps.max())

    def covering(self, keys: np.ndarray | None, levels: list[int]) -> list[tuple[int, np.ndarray]]:
        """Nodes over keys, floor by floor, that hold the keys and no others."""
        count = int(keys_of(self.leaves.codes[-1])) + 1
        left = np.arange(count) if keys is None else keys[keys < count]
        found = []
        for level in levels:
            if level == 0:
                found.append((0, left))
                break
            width = 1 << (BITS * level)
            nodes, held = np.unique(left >> (BITS * level), return_counts=True)
            whole = nodes[held == np.minimum(width, count - nodes * width)]
            if len(whole):
                found.append((level, whole))
                left = left[~np.isin(left >> (BITS * level), whole)]
        return found


def shape_of(codes: np.ndarray) -> tuple[int, int]:
    """How many floors over keys and over time are of use."""
    if not len(codes):
        return 0, 0
    place = codes & ((1 << SHIFT) - 1)
    low, high, top = int(place.min()), int(place.max()), int(keys_of(codes[-1]))
    keys = time = 0
    while top >> (BITS * keys):
        keys += 1
    while (high >> (BITS * time)) - (low >> (BITS * time)) > BRANCH // 2:
        time += 1
    return keys, time


def last_base(floors: list[Floor]) -> Floor:
    """The highest floor over keys whose time is in single steps."""
    return next(floor for floor in reversed(floors) if floor.time == 0)


def above(stack: Stack, below: Floor, keys: int, time: int, top: bool = False) -> Floor | None:
    """The floor of the parents of a floor; None where they would be hardly fewer."""
    rise = parents(below.codes, keys - below.keys, time - below.time)
    order = np.argsort(rise, kind="stable")
    codes, starts = np.unique(rise[order], return_index=True)
    if len(codes) > WORTH * len(below.codes) and not (top and len(codes) < len(below.codes)):
        return None
    made = stack.merged(below.numbers[order], np.append(starts, len(order)))
    return Floor(keys, time, codes, stack.extend(made))  # type: ignore[arg-type]


def changed(floor: Floor, codes: np.ndarray, numbers: np.ndarray, gone: np.ndarray) -> Floor:
    """A floor with new numbers for some codes, new or not, and without others."""
    keep = ~(np.isin(floor.codes, codes) | np.isin(floor.codes, gone))
    every = np.concatenate([floor.codes[keep], codes])
    order = np.argsort(every, kind="stable")
    return floor._replace(codes=every[order], numbers=np.concatenate([floor.numbers[keep], numbers])[order])


def renewed(stack: Stack, floor: Floor, below: Floor, touched: np.ndarray) -> Floor:
    """A floor whose nodes of some codes are merged anew from the floor below; without children a node is gone."""
    keys, time = floor.keys - below.keys, floor.time - below.time
    if keys:
        kin = touched >> SHIFT
        child = (kin[:, None] << (BITS * keys)) + np.arange(1 << (BITS * keys))
        wanted = ((child << SHIFT) | (touched & ((1 << SHIFT) - 1))[:, None]).ravel()
        places = np.searchsorted(below.codes, wanted)
        there = places < len(below.codes)
        there[there] = below.codes[places[there]] == wanted[there]
        owner, nodes = np.repeat(np.arange(len(touched)), child.shape[1])[there], below.numbers[places[there]]
    else:
        place = touched & ((1 << SHIFT) - 1)
        low = ((touched >> SHIFT) << SHIFT) | (place << (BITS * time))
        first, last = np.searchsorted(below.codes, low), np.searchsorted(below.codes, low + (1 << (BITS * time)))
        owner, nodes = np.repeat(np.arange(len(touched)), last - first), below.numbers[ranges(first, last)]
    counts = np.bincount(owner, minlength=len(touched))
    alive = counts > 0
    numbers = np.zeros(0, np.int64)
    if alive.any():
        starts = np.append(0, np.cumsum(counts[alive]))
        numbers = stack.extend(stack.merged(nodes, starts))  # type: ignore[arg-type]
    return changed(floor, touched[alive], numbers, touched[~alive])


def in_time(floors: list[Floor], nodes: np.ndarray, low: int, high: int) -> list[np.ndarray]:
    """Numbers of the nodes of these keys over the steps low to high - 1, from the floors over time of these keys."""
    found = []
    for place, floor in enumerate(floors):
        width = 1 << (BITS * floor.time)
        parts = [(low, high)]
        if place + 1 < len(floors):  # up to where the next floor can take over
            wide = 1 << (BITS * floors[place + 1].time)
            up, down = -(-low // wide) * wide, high // wide * wide
            if up < down:
                parts = [(low, up), (down, high)]
                low, high = up, down
            else:
                low = high
        for begin, end in parts:
            if begin < end:
                first = np.searchsorted(floor.codes, (nodes << SHIFT) | (begin // width))
                last = np.searchsorted(floor.codes, (nodes << SHIFT) | (end // width))
                found.append(floor.numbers[ranges(first, last)])
        if low >= high:
            break
    return found


def ranges(first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """first[0], ..., last[0] - 1, first[1], ..., last[1] - 1, and so on."""
    counts = last - first
    if len(counts) == 1:
        return np.arange(first[0], last[0])
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(first - (ends - counts), counts)


def merged_leaves(pieces: list[tuple[np.ndarray, Stack]]) -> tuple[np.ndarray, Stack]:
    """Leaves that came in pieces: every code once, sorted."""
    whole = pieces[0][1]
    whole.room_for(sum(len(piece) for _, piece in pieces))
    for _, piece in pieces[1:]:
        whole, piece = alike(whole, piece)
        whole.extend(piece)
    codes = np.concatenate([codes for codes, _ in pieces])
    if (codes[1:] > codes[:-1]).all():
        return codes, whole
    order = np.argsort(codes, kind="stable")
    kept, starts = np.unique(codes[order], return_index=True)
    return kept, whole.merged(order, np.append(starts, len(order)))
