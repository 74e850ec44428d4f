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

from benchmarks.candidates import Candidate, Numbers, Rival
from benchmarks.data import Data

WARM_UP_ROWS = 10_000
CLOSE = 1.5  # settings this near to their rival's best are timed again in the rounds
SHORT = 0.5  # seconds in which a run is repeated, whoever's it is
MOST_RUNS = 20
SLOW = 20.0  # seconds; what takes longer is run once


@dataclass(frozen=True)
class Effort:
    """How much to measure.

    Rounds; seconds that each rival may spend on trying its settings for a task; and seconds above which work
    is extrapolated where it can be.
    """

    repeat: int = 3
    budget: float = 90.0
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


def timed(run: Callable[[], Any], collect: bool = True) -> tuple[float, Any]:
    """Seconds and result of one run, garbage collected before."""
    if collect:
        gc.collect()
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def best_of(run: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds and result of a run; of what is short, the best of some runs in a row."""
    best, result, spent = float("inf"), None, 0.0
    for number in range(MOST_RUNS):
        seconds, result = timed(run, collect=number == 0)
        best, spent = min(best, seconds), spent + seconds
        if spent > SHORT:
            break
    return best, result


@dataclass
class Entry:
    """A candidate with its BLAS threads, and the best times seen so far."""

    rival: str
    candidate: Candidate
    blas: int | None
    best: dict[str, float] = field(default_factory=dict)  # of "run", and for sampled work of "less" and "whole"
    extrapolated: bool = False
    spent: float = 0.0  # seconds that the last measurement really took
    runs: int = 0
    result: Any = None

    @property
    def setting(self) -> str:
        """The candidate's setting, and the BLAS threads where there was a choice."""
        if self.candidate.blas == (None,):
            return self.candidate.setting
        return f"{self.candidate.setting}, BLAS {self.blas or 'default'}"

    @property
    def seconds(self) -> float:
        """The best time of the whole work: measured, or on the line through the best times of two shares of it."""
        sample = self.candidate.sample
        if sample is None:
            return self.best["run"]
        if "whole" in self.best:
            return self.best["whole"]
        return self.best["less"] + sample.stretch * (self.best["run"] - self.best["less"])

    def numbers(self) -> Numbers:
        """What is compared, read from the last result."""
        return self.candidate.numbers(self.result)

    def measure(self, affordable: float) -> None:
        """Time once more. The first time decides whether work that can be sampled is done in full."""
        start = time.perf_counter()
        sample = self.candidate.sample
        with blas_threads(self.blas):
            if sample is None or self.extrapolated or self.runs == 0:
                self.result = self.clock("run", self.candidate.run)
            if sample is not None:
                if self.extrapolated or self.runs == 0:
                    self.clock("less", sample.less)
                    self.extrapolated = self.extrapolated or self.seconds > affordable
                if not self.extrapolated:
                    self.clock("whole", sample.whole)
        self.runs += 1
        self.spent = time.perf_counter() - start

    def clock(self, name: str, run: Callable[[], Any]) -> Any:
        """Time one run, keep the best, and hand on its result."""
        seconds, result = best_of(run)
        self.best[name] = min(seconds, self.best.get(name, seconds))
        return result


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
