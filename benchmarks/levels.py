"""Discrete columns for the tasks of feature selection, and the pairs of columns that FCBF has to look at."""

from __future__ import annotations

import numpy as np

from benchmarks.data import Data

LEVELS = 8
SOME_PAIRS, FEW_PAIRS = 60, 20  # that a slow rival compares, from which the rest is extrapolated
DELTA = 0.01  # least uncertainty that a feature shares with the class


def codes(data: Data) -> np.ndarray:
    """Every column in eight levels of half a deviation, as bytes; up to half of its rows say something of the class."""
    scaled = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    found = np.clip(np.floor(2.0 * scaled) + LEVELS // 2, 0, LEVELS - 1).astype(np.uint8)
    rng = np.random.default_rng(0)
    for j, share in enumerate(np.linspace(0.0, 0.5, found.shape[1])):
        told = rng.random(len(found)) < share
        found[told, j] = (data.labels[told] + rng.integers(0, 2, told.sum())) % LEVELS
    return found


def pairs_of(scores: np.ndarray, dropped_by: np.ndarray) -> list[tuple[int, int]]:
    """(survivor, other) in the order in which the filter compares them, given what it found (-1 kept, -2 not good)."""
    ranked = [int(j) for j in np.argsort(-scores, kind="stable") if dropped_by[j] != -2]
    place = {j: i for i, j in enumerate(ranked)}
    until = {j: place[int(dropped_by[j])] if dropped_by[j] >= 0 else len(ranked) for j in ranked}
    return [(i, j) for i in ranked if dropped_by[i] == -1 for j in ranked[place[i] + 1 :] if until[j] >= place[i]]
