"""Threads that stay: to start one takes as long as to sum a thousand rows, and its first work arrays cost new pages."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_pools: dict[int, ThreadPoolExecutor] = {}
_lock = threading.Lock()
_here = threading.local()


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pool(workers: int) -> ThreadPoolExecutor:
    """The threads of this process; whoever is one of them (`is_worker`) must not wait for another."""
    with _lock:
        if workers not in _pools:
            _pools[workers] = ThreadPoolExecutor(workers, thread_name_prefix="sumlearn", initializer=_enlist)
        return _pools[workers]


def is_worker() -> bool:
    """Whether the calling thread belongs to a pool: all others of it may be waiting for this one."""
    return getattr(_here, "worker", False)


def in_threads(work: Callable[[T], R], items: Iterable[T], workers: int | None = None) -> list[R]:
    """work(item) for every item, in the order of the items; the caller is one of the workers.

    After an error no item is begun; of several errors that of the first item is raised.

    >>> in_threads(abs, [-1, 2, -3])
    [1, 2, 3]
    """
    items = list(items)
    workers = min(workers or cores(), len(items))
    if workers < 2 or is_worker():
        return [work(item) for item in items]
    found: list[Any] = [None] * len(items)
    errors: dict[int, BaseException] = {}
    left = iter(range(len(items)))  # every number goes to one thread

    def draw() -> None:
        for number in left:
            try:
                found[number] = work(items[number])
            except BaseException as error:  # also an interrupt: the others must hear of it
                errors[number] = error
                deque(left, 0)

    helpers = [pool(workers).submit(draw) for _ in range(workers - 1)]
    try:
        draw()
    finally:
        deque(left, 0)
        wait([helper for helper in helpers if not helper.cancel()])  # one that has not begun finds nothing left
    if errors:
        raise errors[min(errors)]
    return found


def _enlist() -> None:
    _here.worker = True


def _forget() -> None:
    """In a forked process no thread but the forking one lives on."""
    global _lock
    _pools.clear()
    _lock = threading.Lock()
    _here.worker = False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
