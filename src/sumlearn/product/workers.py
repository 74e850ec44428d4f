"""Who fits the candidates: this process, one training set after the other, or the workers of a Dask scheduler.

A training set and a candidate are one piece of work, and no piece depends on another: so the answers have the same bits
whoever gives them, and for any number of workers.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from ..engines import one_blas_thread
from .clock import Clock, OutOfTime
from .metrics import Answers
from .problems import UsageProblem
from .progress import Progress
from .warning_records import RECORDER, THIS_PROCESS, warn_again

if TYPE_CHECKING:
    from .training_problem import Problem

WAIT = 10.0  # seconds for a scheduler to answer
Job = tuple[np.ndarray, np.ndarray]  # rows to learn from, rows to ask about


class Found(NamedTuple):
    """What a worker found: answers over the grid, and what it was warned of."""

    answers: list[Answers]
    warned: list[list[str]]


# (problem, candidate's name, rows, asked, watch) -> answers over the grid
Work = Callable[["Problem", str, np.ndarray, np.ndarray, Any], list[Answers]]


class Workers(Protocol):
    """Who does the jobs of a candidate, in their order; `count` of them go on at the same time."""

    count: int

    def each(
        self, work: Work, problem: Problem, name: str, jobs: Iterable[Job], watch: Clock | None
    ) -> Iterator[list[Answers]]: ...


class Here:
    """This process."""

    count = 1

    def each(
        self, work: Work, problem: Problem, name: str, jobs: Iterable[Job], watch: Clock | None
    ) -> Iterator[list[Answers]]:
        for rows, asked in jobs:
            yield work(problem, name, rows, asked, watch)


class OnDask:
    """The workers of a Dask client; the problem is sent to each of them once."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.count = max(1, sum(client.nthreads().values()))
        self.sent: dict[int, Any] = {}

    def each(
        self, work: Work, problem: Problem, name: str, jobs: Iterable[Job], watch: Clock | None
    ) -> Iterator[list[Answers]]:
        there, left = self.there(problem), None if watch is None else watch.seconds_left
        futures = [self.client.submit(done, work, there, name, *job, left, THIS_PROCESS, pure=False) for job in jobs]
        try:
            for future in futures:
                yield self.answers(future, watch)
        finally:  # nothing goes on behind the caller's back
            self.client.cancel(futures)

    def there(self, problem: Problem) -> Any:
        """The problem on all workers, without who listens and without coded rows."""
        if id(problem) not in self.sent:
            alone = replace(problem, progress=Progress(), workers=Here())
            self.sent = {id(problem): self.client.scatter(alone, broadcast=True, hash=False)}
        return self.sent[id(problem)]

    def answers(self, future: Any, watch: Clock | None) -> list[Answers]:
        from dask.distributed import TimeoutError as NoAnswer

        try:
            found = future.result(None if watch is None else max(0.0, watch.seconds_left))
        except NoAnswer:
            raise OutOfTime from None
        warn_again(found.warned)
        return found.answers


def done(
    work: Work, problem: Problem, name: str, rows: np.ndarray, asked: np.ndarray, seconds: float | None, asking: str
) -> Found:
    """On a worker: a job, on one BLAS thread as here, with the seconds that are left for it.

    In the process that asks, its own listeners hear the warnings.
    """
    watch = None if seconds is None else Clock(seconds)
    with one_blas_thread():
        if asking == THIS_PROCESS:
            return Found(work(problem, name, rows, asked, watch), [])
        with RECORDER.recording() as warned:
            return Found(work(problem, name, rows, asked, watch), warned)


def address_of(engine: str | None) -> str | None:
    """The address of a scheduler; empty for the client that is there, or workers of this machine; None for no Dask.

    >>> address_of("local"), address_of("dask"), address_of("dask:tcp://10.0.0.1:8786")
    (None, '', 'tcp://10.0.0.1:8786')
    """
    kind, _, address = (engine or "local").partition(":")
    if kind == "dask":
        return address
    if kind != "local" or address:
        raise UsageProblem(f"--engine {engine!r} is none of local, dask, dask:ADDRESS")
    return None


@contextmanager
def workers_of(engine: str | None) -> Iterator[Workers]:
    """Those of an engine, for the time of a training."""
    address = address_of(engine)
    if address is None:
        yield Here()
        return
    try:
        import distributed
    except ModuleNotFoundError:
        raise UsageProblem("--engine dask needs distributed: pip install 'sumlearn[dask]'") from None
    from ..engines.cluster import check_workers

    with ExitStack() as stack:
        client = stack.enter_context(client_at(address, distributed))
        with client.as_current():
            try:
                check_workers()
            except ValueError as error:
                raise UsageProblem(f"{error} (--engine)") from None
        if not client.nthreads():
            raise UsageProblem(f"the scheduler {client.scheduler.address} has no workers (--engine)")
        yield OnDask(client)


@contextmanager
def client_at(address: str, distributed: Any) -> Iterator[Any]:
    """A client of the scheduler at an address; without one the client that is there, else workers of this machine."""
    if not address:
        try:
            yield distributed.default_client()
            return
        except ValueError:
            pass
        own = {"dashboard_address": None, "threads_per_worker": 1, "silence_logs": logging.CRITICAL}
        with distributed.LocalCluster(**own) as cluster, distributed.Client(cluster) as client:
            yield client
        return
    try:
        client = distributed.Client(address, timeout=WAIT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageProblem(
            f"no Dask scheduler answers at {address!r}: {str(error).splitlines()[0]} (--engine)"
        ) from None
    try:
        yield client
    finally:
        client.close()
