"""Sums on a Dask scheduler: blocks are summed where they lie, and only sums travel."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, TypeVar

from ..statistics import Statistic
from .engine import Serial

S = TypeVar("S", bound=Statistic)


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
        total = nodes[0].compute()
        if total is None:
            raise ValueError("there are no rows to add up")
        return total


def sum_of_block(summarise: Callable[[Any], S], part: Any) -> S | None:
    """On a worker: the sum over the chunks of a block; None for an empty block."""
    pieces = part.pieces()  # one at a time: a block of a data frame is not copied as a whole
    first = next(pieces, None)
    return None if first is None else Serial().reduce(summarise, chain([first], pieces))


def merged(a: S | None, b: S | None) -> S | None:
    if a is None or b is None:
        return b if a is None else a
    return a.merge(b)
