"""Timing: one run at a time, BLAS threads held as asked, rounds interleaved, best of all runs."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

from benchmarks.candidates import Candidate, Numbers, Rival, Sample
from benchmarks.data import Data

WARM_UP_ROWS = 10_000
CLOSE = 1.5  # settings this near to their rival's best are timed again in the rounds
SLOW = 20.0  # seconds; what takes longer is run once


@dataclass(frozen=True)
class Effort:
    """How much to measure.

    Rounds; seconds that each rival may spend on trying its settings for a task; and seconds above which work
    is extrapolated where it can be.
    """

    repeat: int = 3
    budget: float = 120.0
    affordable: float = 60.0


@cache
def controller() -> ThreadpoolController:
    """Made once, after the libraries are loaded: it looks for them only when it is made."""
    return ThreadpoolController()


@contextmanager
def blas_threads(count: int | None) -> Iterator[None]:
    """Hold BLAS at this many threads; None leaves the default."""
    if count is None:
        yield
    else:
        with controller().limit(limits=count, user_api="blas"):
            yield


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds and result of one run, garbage collected before."""
    gc.collect()
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


@dataclass
class Entry:
    """A candidate with its BLAS threads, and the best time seen so far."""

    rival: str
    candidate: Candidate
    blas: int | None
    seconds: float = float("inf")
    extrapolated: bool = False
    spent: float = 0.0  # seconds that the last measurement really took
    runs: int = 0
    numbers: Numbers = field(default_factory=dict)

    @property
    def setting(self) -> str:
        """The candidate's setting, and the BLAS threads where there was a choice."""
        if self.candidate.blas == (None,):
            return self.candidate.setting
        return f"{self.candidate.setting}, BLAS {self.blas or 'default'}"

    def measure(self, affordable: float) -> None:
        """Time once more; read the numbers to compare the first time."""
        start = time.perf_counter()
        with blas_threads(self.blas):
            seconds, result = timed(self.candidate.run)
            if self.candidate.sample is not None:
                seconds = self.time_of_whole(self.candidate.sample, seconds, affordable)
        self.spent = time.perf_counter() - start
        self.seconds = min(self.seconds, seconds)
        self.runs += 1
        if not self.numbers:
            self.numbers = self.candidate.numbers(result)

    def time_of_whole(self, sample: Sample, some: float, affordable: float) -> float:
        """Extrapolate from some of the work; where the first measurement finds it affordable, run all of it."""
        less, _ = timed(sample.less)
        seconds = less + sample.stretch * (some - less)
        if self.runs == 0:
            self.extrapolated = seconds > affordable
        return seconds if self.extrapolated else timed(sample.whole)[0]


def warm_up(rival: Rival, task: str, data: Data) -> None:
    """Run every candidate once on few rows: imports, compilation and worker processes are not timed."""
    for candidate in rival.candidates(task, data.head(WARM_UP_ROWS)):
        candidate.run()


def try_settings(rival: Rival, task: str, data: Data, effort: Effort) -> tuple[list[Entry], list[Entry]]:
    """Measure each setting of a rival once until its budget is spent; those tried, and those not tried."""
    entries = [
        Entry(rival.name, candidate, blas) for candidate in rival.candidates(task, data) for blas in candidate.blas
    ]
    if entries:
        warm_up(rival, task, data)
    spent = 0.0
    for position, entry in enumerate(entries):
        if spent > effort.budget:
            return entries[:position], entries[position:]
        entry.measure(effort.affordable)
        spent += entry.spent
    return entries, []


def fastest(entries: list[Entry]) -> Entry:
    return min(entries, key=lambda entry: entry.seconds)


def run_rounds(ours: Entry | None, tried: list[list[Entry]], effort: Effort) -> None:
    """Ours, rival, ours, rival, ...: of each rival the best setting, and those too close to tell apart."""
    contenders: list[Entry | None] = [
        entry
        for entries in tried
        for entry in entries
        if entry.seconds <= CLOSE * fastest(entries).seconds and entry.spent <= SLOW
    ]
    for _ in range(effort.repeat):
        for contender in contenders or [None]:
            for entry in (ours, contender):
                if entry is not None:
                    entry.measure(effort.affordable)
