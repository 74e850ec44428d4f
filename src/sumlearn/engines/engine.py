"""Who adds the chunks up: one method, ``reduce``, over a merge tree that depends on the chunk's number alone.

Statistics are merged pairwise by index, (0 1)(2 3)..., then those pairs, and so on; the last one of an odd level goes
up as it is. So the bits of a result depend neither on the number of workers nor on which of them came first, and a
block of 2^k chunks summed elsewhere gives the bits it would have given here.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any, Protocol, TypeVar

from ..statistics import Statistic
from ..statistics.row_checks import release_scratch
from .pool import cores, in_threads, is_worker, pool

S = TypeVar("S", bound=Statistic)
T = TypeVar("T")  # a chunk, or whatever the summary is made of


class Engine(Protocol):
    def reduce(self, summarise: Callable[[T], S], chunks: Iterable[T]) -> S:
        """The sum of summarise(chunk) over all chunks; reading may be part of `summarise`."""


class MergeTree:
    """The merge tree, fed one node at a time: complete subtrees are merged as soon as they can be.

    It may begin with the open nodes of another one; `told` hears of every node that was fed.
    """

    def __init__(self, nodes: Sequence[tuple[int, Any]] = (), told: Callable[[], None] | None = None) -> None:
        self.nodes = list(nodes)  # (level, statistic), levels falling
        self.told = told

    def push(self, statistic: Any, level: int = 0) -> None:
        nodes = self.nodes[:]
        while nodes and nodes[-1][0] == level:
            statistic = nodes.pop()[1].merge(statistic)
            level += 1
        self.nodes = [*nodes, (level, statistic)]  # in one step: an interrupt leaves the tree as it was
        if self.told is not None:
            self.told()

    @property
    def count(self) -> int:
        """How many nodes of the lowest level were fed, where none was of another."""
        return sum(1 << level for level, _ in self.nodes)

    def total(self) -> Any:
        if not self.nodes:
            raise ValueError("there are no chunks to add up")
        total = self.nodes[-1][1]
        for _, statistic in reversed(self.nodes[:-1]):
            total = statistic.merge(total)
        return total


class Serial:
    """One after the other, in the calling thread."""

    def reduce(self, summarise: Callable[[T], S], chunks: Iterable[T], tree: MergeTree | None = None) -> S:
        tree = MergeTree() if tree is None else tree
        with one_blas_thread():
            try:
                for chunk in chunks:
                    tree.push(summarise(chunk))
            finally:
                release_scratch()
            return tree.total()


class Threads:
    """Own threads, a part each at a time, BLAS held at one: its threads would spin at barriers."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or cores()

    def reduce(self, summarise: Callable[[T], S], chunks: Iterable[T], tree: MergeTree | None = None) -> S:
        iterator = iter(chunks)
        first = list(islice(iterator, 2))
        if self.workers == 1 or len(first) < 2 or is_worker():
            return Serial().reduce(summarise, chain(first, iterator), tree)
        tree, waiting, threads = MergeTree() if tree is None else tree, deque[Future[S]](), pool(self.workers)
        with one_blas_thread():
            try:
                for chunk in chain(first, iterator):
                    waiting.append(threads.submit(summarise, chunk))
                    if len(waiting) > self.workers + 1:  # a stream is not read further ahead than that
                        tree.push(waiting.popleft().result())
                while waiting:
                    tree.push(waiting.popleft().result())
            finally:  # after an error nothing goes on behind the caller's back
                for future in waiting:
                    future.cancel()
                wait(waiting)
                if tree.told is not None:  # what is done is kept
                    while waiting and not waiting[0].cancelled() and waiting[0].exception() is None:
                        tree.push(waiting.popleft().result())
                release_scratch()
        return tree.total()

    def each(self, summarise: Callable[[T], S], chunks: Iterable[T]) -> list[S]:
        """The summaries themselves, in their order, where there are few."""
        with one_blas_thread():
            try:
                return in_threads(summarise, chunks, self.workers)
            finally:
                release_scratch()


class _Blas:
    """BLAS at one thread while anybody needs it: process-wide, counted, its libraries looked up once.

    threadpoolctl lets only the thread that set a limit lift it. The first to enter sets it; if that thread leaves while
    others still need it, a thread that does nothing else sets it in its stead, and lifts it for the last of them.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.owner: int | None = None  # the thread that set the limit; None is the keeper
        self.keeper: ThreadPoolExecutor | None = None
        self.controller: Any = None
        self.limiter: Any = None

    def enter(self) -> None:
        with self.lock:
            if self.users == 0:
                self.owner = threading.get_ident()
                self._limit()
            self.users += 1

    def leave(self, last_of_thread: bool = True) -> None:
        with self.lock:
            self.users -= 1
            if self.owner == threading.get_ident() and (self.users == 0 or last_of_thread):
                self.limiter.__exit__(None, None, None)
                if self.users:
                    self.owner = None
                    self.keeper = self.keeper or ThreadPoolExecutor(1, thread_name_prefix="sumlearn-blas")
                    self.keeper.submit(self._limit).result()
            elif self.users == 0 and self.keeper is not None:
                self.keeper.submit(self.limiter.__exit__, None, None, None).result()

    def _limit(self) -> None:
        if self.controller is None:
            import scipy.linalg  # noqa: F401  so that its BLAS is among those found
            from threadpoolctl import ThreadpoolController

            self.controller = ThreadpoolController()
        self.limiter = self.controller.limit(limits=1, user_api="blas")
        self.limiter.__enter__()


_blas = _Blas()
if hasattr(os, "register_at_fork"):  # the keeper does not live on in a forked process
    os.register_at_fork(after_in_child=_blas.__init__)  # type: ignore[misc]


_depth = threading.local()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    _blas.enter()
    _depth.count = getattr(_depth, "count", 0) + 1
    try:
        yield
    finally:
        _depth.count -= 1
        _blas.leave(last_of_thread=_depth.count == 0)
