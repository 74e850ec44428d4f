"""Rows left out, kept in memory for judges that decide every one of them at every step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sparse

from ...compiled import discriminant_scores as kernels
from ...data import InMemory, Stream
from ...data.chunk import chunk_rows
from ...data.source import ArraySource
from ...engines import cores, in_threads
from ...evaluation.resampling.splits import Split

FEW = 2048  # rows below which a second thread costs more than it saves


class HeldOutRows:
    """The test rows of all splits, one split after the other, and within a split one class after the other.

    Attributes
    ----------
    X : array of shape (rows, features)
        Features; `order` holds the row of every position, and the positions of split f are offsets[f] to offsets[f+1],
        those of class k among them bounds[f K + k] to bounds[f K + k + 1], K the number of classes.
    codes : array of int
        The class at every position, counted in `labels`.
    weight : array
        The weight at every position; empty where all are one.
    centre, scale : arrays
        z = (x - centre) * scale are the coordinates of the sums.
    """

    def __init__(
        self, source: InMemory | Stream, splits: Sequence[Split], centre: np.ndarray, unit: np.ndarray
    ) -> None:
        assert source.y is not None
        self.labels, codes = np.unique(source.y, return_inverse=True)
        K = len(self.labels)
        tests = [np.asarray(test) for _, test in splits]
        runs = np.concatenate([f * K + codes[test] for f, test in enumerate(tests)])
        by_run = np.argsort(runs, kind="stable")
        order = np.concatenate(tests)[by_run]
        self.codes = codes[order].astype(np.int64)
        self.bounds = np.concatenate([[0], np.cumsum(np.bincount(runs, minlength=len(tests) * K))]).astype(np.int64)
        self.weight = np.zeros(0) if source.weight is None else np.asarray(source.weight, dtype=float)[order]
        if isinstance(source, Stream):  # only rows that are tested come into memory
            wanted, order = np.unique(order, return_inverse=True)
            source = source.gather([wanted])[0]
        self.X, self.order = matrix(source), order.astype(np.int64)
        self.offsets = self.bounds[::K].copy()
        self.centre, self.scale = centre, np.ldexp(1.0, -unit)
        self.threads = cores() if len(self.order) > FEW else 1

    @property
    def place(self) -> tuple[np.ndarray, ...]:
        """How kernels find a row."""
        return self.order, self.offsets, self.X, self.centre, self.scale

    @cached_property
    def narrow(self) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates at every position in single precision, filled up with zeros, and the largest of each."""
        n, d = len(self.order), self.X.shape[1]
        Z, reach = np.zeros((n, kernels.padded(d)), np.float32), np.empty(n, np.float32)
        place = self.order, self.X, self.centre, self.scale
        self.in_threads(lambda start, stop: kernels.standardise(start, stop, *place, Z, reach))
        return Z, reach

    @cached_property
    def weights(self) -> np.ndarray:
        """The weight at every position."""
        return self.weight if len(self.weight) else np.ones(len(self.order))

    @cached_property
    def total(self) -> np.ndarray:
        """The weight of every split."""
        return np.add.reduceat(self.weights, self.offsets[:-1])

    def of_split(self, f: int) -> slice:
        return slice(int(self.offsets[f]), int(self.offsets[f + 1]))

    def coordinates(self, f: int, columns: np.ndarray) -> np.ndarray:
        """z of some columns for the rows of a split."""
        rows = self.X[np.ix_(self.order[self.of_split(f)], columns)]
        return (rows - self.centre[columns]) * self.scale[columns]

    def in_threads(self, work: Callable[[int, int], Any]) -> list[Any]:
        """work(start, stop) over portions of the positions, one for each processor."""
        bounds = np.linspace(0, len(self.order), self.threads + 1).astype(int).tolist()
        return in_threads(lambda part: work(*part), pairwise(bounds), self.threads)


def matrix(source: InMemory) -> np.ndarray:
    """All rows as one array of doubles; an array that is one already is not copied."""
    if type(source) is ArraySource and source.X.dtype == np.float64 and source.X.flags.c_contiguous:
        return source.X
    out = np.empty((source.rows, source.features))
    step = chunk_rows(source.features)
    for start in range(0, source.rows, step):
        part = source.read(slice(start, min(start + step, source.rows)))
        out[start : start + step] = part.toarray() if sparse.issparse(part) else part
    return out
