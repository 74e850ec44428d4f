"""Sums on a Dask scheduler: blocks are summed where they lie, and only sums travel."""

from __future__ import annotations

import pydoc
import sys
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, TypeVar

from ..statistics import Statistic
from ..version import __version__
from .engine import Serial

S = TypeVar("S", bound=Statistic)
ALIKE: set[tuple[str, str]] = set()  # clients and their workers that have this version


class Cluster:
    """A tree reduce on Dask's scheduler: the current `distributed` client, or threads of this process.

    The tree is that of the other engines, so blocks of 4096 * 2^k rows (at least one chunk) give the bits of a fit on
    one machine, for any number of workers; a worker that dies is made good by the scheduler with the same bits.
    """

    def reduce(self, summarise: Callable[[Any], S], chunks: Iterable[Any]) -> S:
        import dask

        block_sum, merge = dask.delayed(sum_of_block, pure=True), dask.delayed(merged, pure=True)
        shared = dask.delayed(summarise, pure=True, traverse=False)  # the learner is sent once, not with each block
        nodes = [block_sum(shared, part) for part in chunks]
        if not nodes:
            raise ValueError("there are no blocks to add up")
        while len(nodes) > 1:
            pairs = [merge(*nodes[i : i + 2]) for i in range(0, len(nodes) - 1, 2)]
            nodes = pairs + nodes[len(nodes) - len(nodes) % 2 :]
        check_workers()
        total = nodes[0].compute()
        if total is None:
            raise ValueError("there are no rows to add up")
        return total


def check_workers() -> None:
    """Workers of a cluster must have this very version: sums of another might mean something else."""
    if "distributed" not in sys.modules:
        return
    from distributed import get_client

    try:
        client = get_client()
    except ValueError:  # threads of this process
        return
    if client.asynchronous:
        return
    new = [worker for worker in client.nthreads() if (client.id, worker) not in ALIKE]
    # a function of the standard library: every worker has it, whatever its version of ours is
    for worker, found in client.run(pydoc.locate, "sumlearn.version.__version__", workers=new).items() if new else ():
        if found != __version__:
            have = "no sumlearn" if found is None else f"sumlearn {found}"
            raise ValueError(f"the worker {worker} has {have}, here is {__version__}: install the same version on both")
        ALIKE.add((client.id, worker))


def sum_of_block(summarise: Callable[[Any], S], part: Any) -> S | None:
    """On a worker: the sum over the chunks of a block; None for an empty block."""
    pieces = part.pieces()  # one at a time: a block of a data frame is not copied as a whole
    first = next(pieces, None)
    return None if first is None else Serial().reduce(summarise, chain([first], pieces))


def merged(a: S | None, b: S | None) -> S | None:
    if a is None or b is None:
        return b if a is None else a
    return a.merge(b)
