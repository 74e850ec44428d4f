"""A sample of the rows of any source, drawn by their numbers: the same for any chunks and any number of workers."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..data import Chunk, InMemory, Rows, Source
from ..data.collections import DaskSource
from ..data.mapped import inputs_of
from ..statistics import RowError
from ..statistics.row_checks import checked_weight
from ..statistics.row_sample import RowSample, check_finite, number_hashes
from .choice import engine_for
from .journal import summed
from .summing import NO_WEIGHT, named_column


def sample_of(source: Source, size: int, *, seed: int = 0, workers: int | None = None) -> Chunk:
    """At most `size` rows that weigh something, in memory and in their order, with targets and weights.

    Rows in memory are taken by their numbers. Anything else is read once; the blocks of a Dask data frame are counted
    before, since only then its rows have numbers. A table, a file of it and a Dask frame of it give the same rows.
    """
    if isinstance(source, InMemory):
        return sample_in_memory(source, size, seed)
    if isinstance(inputs := inputs_of(source), DaskSource):
        inputs.counted()
    sample = summed(partial(sample_of_part, source, size, seed), source, engine_for(source, workers))
    if not sample.count:
        raise ValueError(NO_WEIGHT)
    sample = sample.in_order()
    return Chunk(sample.X, sample.y, sample.mass, source.columns)


def sample_in_memory(source: InMemory, size: int, seed: int) -> Chunk:
    """Only the rows of the sample are read."""
    rows = np.arange(source.rows)
    try:
        if source.weight is not None:
            rows = np.flatnonzero(checked_weight(source.weight, source.rows))
        if not len(rows):
            raise ValueError(NO_WEIGHT)
        rows = np.sort(rows[np.argsort(number_hashes(rows, seed), kind="stable")[:size]])
        chunk = source.chunk(Rows(rows))
        if not source.gaps:
            check_finite(chunk.X)
        return chunk
    except RowError as error:
        row = rows[error.row] if error.name == "X" else error.row
        raise ValueError(error.describe(int(row), named_column(error, source))) from None


def sample_of_part(source: Source, size: int, seed: int, part: Any) -> RowSample:
    chunk = source.chunk(part)
    try:
        return RowSample.numbered(
            part.row_numbers(), chunk.X, chunk.y, chunk.weight, size=size, seed=seed, gaps=source.gaps
        )
    except RowError as error:
        raise ValueError(error.describe(part.name(error.row), named_column(error, source))) from None
