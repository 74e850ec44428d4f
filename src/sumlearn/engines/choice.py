"""Which engine adds up the chunks of a source."""

from __future__ import annotations

from ..data import Source
from ..data.collections import DaskSource
from ..data.mapped import inputs_of
from .engine import Engine, Threads


def engine_for(source: Source, workers: int | None = None) -> Engine:
    """The engine follows from the source: a Dask collection is summed on its cluster, everything else in threads."""
    if isinstance(inputs_of(source), DaskSource):
        from .cluster import Cluster

        return Cluster()
    return Threads(workers if workers and workers > 0 else None)
