"""Threads that stay: to start one takes as long as to sum a thousand rows, and its first work arrays cost new pages."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

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
    """work(item) for every item, in the order of the items; an error in one of them ends all.

    >>> in_threads(abs, [-1, 2, -3])
    [1, 2, 3]
    """
    workers = workers or cores()
    items = list(items)
    if workers < 2 or len(items) < 2 or is_worker():
        return [work(item) for item in items]
    futures = [pool(workers).submit(work, item) for item in items]
    try:
        return [future.result() for future in futures]
    finally:  # after an error nothing goes on behind the caller's back
        for future in futures:
            future.cancel()
        wait(futures)


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
