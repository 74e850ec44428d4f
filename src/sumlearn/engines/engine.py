"""Who adds the chunks up: one method, ``reduce``, over a merge tree that depends on the chunk's number alone.

Statistics are merged pairwise by index, (0 1)(2 3)..., then those pairs, and so on; the last one of an odd level goes
up as it is. So the bits of a result depend neither on the number of workers nor on which of them came first, and a
block of 2^k chunks summed elsewhere gives the bits it would have given here.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from typing import Any, Protocol, TypeVar

from ..statistics import Statistic

S = TypeVar("S", bound=Statistic)
T = TypeVar("T")  # a chunk, or whatever the summary is made of
BATCH = 8  # chunks of one task; a power of two, so that a task is a subtree


class Engine(Protocol):
    def reduce(self, summarise: Callable[[T], S], chunks: Iterable[T]) -> S:
        """The sum of summarise(chunk) over all chunks; reading may be part of `summarise`."""


class Tree:
    """The merge tree, fed one node at a time: complete subtrees are merged as soon as they can be."""

    def __init__(self) -> None:
        self.nodes: list[tuple[int, Any]] = []  # (level, statistic), levels falling

    def push(self, statistic: Any, level: int = 0) -> None:
        while self.nodes and self.nodes[-1][0] == level:
            statistic = self.nodes.pop()[1].merge(statistic)
            level += 1
        self.nodes.append((level, statistic))

    def total(self) -> Any:
        if not self.nodes:
            raise ValueError("there are no chunks to add up")
        total = self.nodes[-1][1]
        for _, statistic in reversed(self.nodes[:-1]):
            total = statistic.merge(total)
        return total


class Serial:
    """One after the other, in the calling thread."""

    def reduce(self, summarise: Callable[[T], S], chunks: Iterable[T]) -> S:
        with one_blas_thread():
            tree = Tree()
            for chunk in chunks:
                tree.push(summarise(chunk))
            return tree.total()


class Threads:
    """Own threads over batches of chunks, BLAS held at one: its threads would spin at barriers."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or cores()

    def reduce(self, summarise: Callable[[T], S], chunks: Iterable[T]) -> S:
        batches = batched(chunks)
        first = list(islice(batches, 2))
        if self.workers == 1 or not first or len(first) + len(first[0]) <= 2:
            return Serial().reduce(summarise, (chunk for batch in chain(first, batches) for chunk in batch))

        def subtree(batch: list[Any]) -> Any:
            tree = Tree()
            for chunk in batch:
                tree.push(summarise(chunk))
            return tree.total()

        tree, waiting = Tree(), deque[tuple[int, Future[Any]]]()
        with one_blas_thread(), ThreadPoolExecutor(self.workers) as pool:
            try:
                for batch in chain(first, batches):
                    waiting.append((len(batch), pool.submit(subtree, batch)))
                    if len(waiting) > 2 * self.workers:
                        self._collect(tree, waiting)
                while waiting:
                    self._collect(tree, waiting)
            except BaseException:
                for _, future in waiting:
                    future.cancel()
                raise
        return tree.total()

    @staticmethod
    def _collect(tree: Tree, waiting: deque[tuple[int, Future[Any]]]) -> None:
        size, future = waiting.popleft()
        tree.push(future.result(), level=(size - 1).bit_length())


def batched(chunks: Iterable[Any]) -> Iterator[list[Any]]:
    """Lists of chunks that are subtrees of the merge tree: single chunks first, then BATCH at a time.

    The first 64 chunks go one by one, so that small tables are spread over the workers too.
    """
    iterator, taken = iter(chunks), 0
    while batch := list(islice(iterator, 1 if taken < 8 * BATCH else BATCH)):
        yield batch
        taken += len(batch)


def chain(first: list[list[Any]], rest: Iterator[list[Any]]) -> Iterator[list[Any]]:
    yield from first
    yield from rest


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Blas:
    """BLAS at one thread while anybody needs it: process-wide, counted, its libraries looked up once."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.controller: Any = None
        self.limiter: Any = None

    def enter(self) -> None:
        with self.lock:
            if self.users == 0:
                if self.controller is None:
                    import scipy.linalg  # noqa: F401  so that its BLAS is among those found
                    from threadpoolctl import ThreadpoolController

                    self.controller = ThreadpoolController()
                self.limiter = self.controller.limit(limits=1, user_api="blas")
                self.limiter.__enter__()
            self.users += 1

    def leave(self) -> None:
        with self.lock:
            self.users -= 1
            if self.users == 0:
                self.limiter.__exit__(None, None, None)


_blas = _Blas()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    _blas.enter()
    try:
        yield
    finally:
        _blas.leave()
