"""A step of k-means: the sums of the rows that are nearest to each centre, and the centres at their means."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ....data import Chunk
from ...passes import Passes
from .codebook import ClusterSums, Codebook, present
from .empty_clusters import filled

NOTHING = 2.0**-90  # share of all weight that rounding may leave in a sum of two words when its rows have gone


def cluster_sums(codebooks: dict[int, Codebook], rows: Passes) -> np.ndarray:
    """Sums of (z, 1) by cluster for each of some codebooks, in one pass."""
    sums = rows.total_noting(partial(summed, codebooks)).values
    nothing = sums[:, :, -1:] <= NOTHING * sums[:, :, -1:].sum(axis=1, keepdims=True)
    return np.where(nothing, 0.0, sums)


def means(codebook: Codebook, sums: np.ndarray, rows: Passes) -> tuple[Codebook, np.ndarray]:
    """The centres at the means of their rows, and how much weight each has; no cluster is empty that can have a row."""
    if not sums[:, -1].all():
        sums = filled(sums, rows, codebook)
    mass = sums[:, -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        centres = np.where(mass[:, None] > 0, sums[:, :-1] / mass[:, None], codebook.centres)
    return Codebook.of(codebook.frame, centres, codebook), mass


def moved(before: Codebook, after: Codebook) -> float:
    """The sum of the squares of the ways of all centres."""
    return float(((after.centres - before.centres) ** 2).sum())


def summed(codebooks: dict[int, Codebook], chunk: Chunk, notes: dict[Any, Any]) -> ClusterSums:
    """The sums of a chunk for every start that goes on; its notes are kept by the number of the start."""
    for number in [number for number in notes if number not in codebooks]:
        del notes[number]
    with present(chunk) as (X, weight):
        found = [one.sums(X, weight, notes.setdefault(number, {})) for number, one in codebooks.items()]
    high, low = np.stack([one.hi for one in found]), np.stack([one.lo for one in found])
    if not len(weight):
        return ClusterSums(high, low, float(chunk.X.shape[0]), chunk.X.shape[0])
    return ClusterSums(high, low, float(weight.sum()), len(weight))
