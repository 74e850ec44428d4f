"""How long a training will take, from small fits of every candidate."""

from __future__ import annotations

import time

import numpy as np

from .candidates import Candidate
from .metrics import answers_of
from .procedure import few_threads, fitted
from .schemes import INNER
from .training_problem import CodedSplit, Problem

PROBES = 300, 3000  # rows
SLOW = 0.2  # seconds


def forecast(problem: Problem) -> float:
    """Seconds, roughly: fits are timed on few rows and on some more, and taken to grow along that line."""
    values = problem.target.values
    outer = len(problem.scheme.outer(problem.target, problem.groups, problem.seed))
    probes = [probe(values, rows) for rows in PROBES if rows < 2 * len(values)] or [np.arange(len(values))]
    coded = [problem.coded(rows, rows) for rows in probes]
    total = 0.0
    for candidate in problem.candidates:
        seconds = [seconds_of_fit(problem, candidate, one(candidate)) for one in coded]
        total += fits_of(problem, candidate, outer) * at(0.8 * len(values), [len(rows) for rows in probes], seconds)
    return total


def at(rows: float, sizes: list[int], seconds: list[float]) -> float:
    """Seconds for so many rows, on the line through what was measured.

    >>> at(500.0, [100, 300], [1.0, 2.0]), at(50.0, [300], [1.0])
    (3.0, 1.0)
    """
    if len(sizes) == 1 or sizes[0] == sizes[1]:
        return seconds[0]
    slope = max(0.0, (seconds[1] - seconds[0]) / (sizes[1] - sizes[0]))
    return seconds[0] + slope * max(0.0, rows - sizes[0])


def fits_of(problem: Problem, candidate: Candidate, outer: int) -> int:
    """Fits of a candidate: tuned in every outer split and at last on all rows, and refitted in each.

    A model that adds up is summed once for all of its hyperparameters.
    """
    if candidate.foreign:
        return outer
    settings = 1 if candidate.can_all else len(candidate.grid(problem.target.values))
    return (outer + 1) * INNER * settings + outer + 1


def seconds_of_fit(problem: Problem, candidate: Candidate, coded: CodedSplit) -> float:
    """Seconds of one fit to some rows; of a second one where the first was slow, since that may have compiled."""
    grid = candidate.grid(problem.target.values)
    seconds = SLOW
    for _ in range(2):
        if seconds < SLOW:
            break
        start = time.perf_counter()
        try:
            with few_threads(candidate):
                answers_of(fitted(candidate, grid[len(grid) // 2], coded), coded.asked, problem.target)
        except (ValueError, np.linalg.LinAlgError):  # it will be named when it fails on all rows
            return 0.0
        seconds = time.perf_counter() - start
    return seconds


def probe(values: np.ndarray, most: int) -> np.ndarray:
    """A few rows from all over the target, so that they hold all classes that are not rare.

    >>> probe(np.array([3.0, 1.0, 2.0]), 5)
    array([0, 1, 2])
    """
    order = np.argsort(values, kind="stable")
    return np.sort(order[np.unique(np.linspace(0, len(values) - 1, min(most, len(values))).astype(int))])


def in_words(seconds: float) -> str:
    """
    >>> in_words(3.4), in_words(47), in_words(400), in_words(9000)
    ('a few seconds', 'about 50 s', 'about 7 min', 'about 2.5 h')
    """
    if seconds < 10:
        return "a few seconds"
    if seconds < 100:
        return f"about {round(seconds, -1):.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"
