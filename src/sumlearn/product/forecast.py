"""How long a candidate will take, and how good it may be: all of its fits on a sample of the rows.

    seconds of one training set = t (1 + s (m^p - 1)),   s = (1 - t_4 / t) / (1 - 4^-p)

t and t_4 are those of the sample and of a quarter of it, m is how many times as many rows the set has, and p the power
with which the candidate's time grows; s is the share of the time that grows with the rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from .candidates import Candidate
from .clock import Clock, OutOfTime
from .left_out import LeftOutAnswers
from .metrics import Answers
from .procedure import FAILURES, few_threads, fitted_to, learner_params
from .training_problem import CodedSplit, Problem
from .trials import TrainingSet, answers_at, by_sums, over_grid

PROBE = 1000  # rows of the sample
QUARTER = 4  # of the sample tells how the time grows
GROWN = 1.5  # times as many rows, from which on that matters
LEAST = 0.2  # of the time grows at least: a quarter is over in no time
SLOW = 0.2  # seconds: so much may have been spent on compiling
FOR_FITS = 0.75  # of the budget; the rest is for refits and the report
FOR_PROBE = 0.05  # of the budget, for one candidate's fits of the sample
FOR_PROBES = 0.3  # of the budget, until all of them are done


class Forecast(NamedTuple):
    """Seconds that a candidate will take, its gain on the sample, seconds of one fit to every split, its best answers.

    Infinite where the sample took too long.
    """

    seconds: float
    gain: float
    once: float = 0.0
    answers: Answers | None = None


@dataclass(frozen=True, eq=False)
class Sample:
    """A training set in small.

    Attributes
    ----------
    rows, asked : arrays
        Rows to learn from and rows to ask about.
    sets : sequence of TrainingSet
        Those that it stands for.
    coded : callable
        How candidates code the rows.
    coding : float
        Seconds that took.
    """

    rows: np.ndarray
    asked: np.ndarray
    sets: Sequence[TrainingSet]
    coded: Callable[[Candidate], CodedSplit]
    coding: float

    @classmethod
    def of(cls, problem: Problem, sets: Sequence[TrainingSet], most: int = PROBE) -> Self:
        """Of the first set that a split scores, at most so many rows."""
        one, values = next(s for s in sets if s.outside), problem.target.values
        rows, asked = one.rows[probe(values[one.rows], most)], one.asked[probe(values[one.asked], most)]
        start, coded = time.perf_counter(), problem.coded(rows, asked)
        coded(problem.candidates[0])
        return cls(rows, asked, sets, coded, time.perf_counter() - start)

    @property
    def growth(self) -> float:
        """How many times as many rows a training set has."""
        return max(1.0, float(np.mean([len(s.rows) for s in self.sets])) / len(self.rows))


def forecast(problem: Problem, candidate: Candidate, sample: Sample, quarter: Sample, clock: Clock) -> Forecast:
    """The sample's seconds, grown with the rows, for all training sets."""
    until = clock.until(FOR_PROBES) or clock
    try:
        seconds, answers = tried(problem, candidate, sample, until, clock)
        few = tried(problem, candidate, quarter, until, clock)[0] if sample.growth > GROWN else 0.0
        once = grown(seconds, few, sample.growth, candidate.power)
    except OutOfTime:
        return Forecast(np.inf, -np.inf)
    except FAILURES:  # it will be named when it fails on all rows
        return Forecast(0.0, -np.inf)
    metric, asked = problem.metric, [sample.asked]
    gains = np.array([metric.gain(LeftOutAnswers(problem, asked, [a]).value(metric)) for a in answers])
    gains[~np.isfinite(gains)] = -np.inf
    best, fits = int(gains.argmax()), len([s for s in sample.sets if s.outside or not candidate.foreign])
    times = -(-fits // problem.workers.count) + 1  # so many after another, and that of all rows
    whole = by_one_pass(problem, candidate, sample, quarter) if by_sums(problem, candidate) else times * once
    return Forecast(whole, float(gains[best]), once / len(answers) * len(problem.splits), answers[best])


def grown(seconds: float, few: float, growth: float, power: float = 1.0) -> float:
    """The seconds of so many times as many rows, where a quarter of them took a few.

    >>> grown(4.0, 1.0, 10.0), grown(4.0, 4.0, 10.0), round(grown(4.0, 2.5, 10.0), 6)
    (40.0, 11.2, 22.0)
    """
    share = np.clip((1.0 - few / seconds) / (1.0 - QUARTER**-power), LEAST, 1.0) if seconds else 1.0
    return float(seconds * (1.0 + share * (growth**power - 1.0)))


def tried(
    problem: Problem, candidate: Candidate, sample: Sample, until: Clock, clock: Clock
) -> tuple[float, list[Answers]]:
    """Seconds of all fits, and their answers; again where slow, or where they count often: the first may compile."""
    coded, least = sample.coded(candidate), np.inf
    for _ in range(2):
        start, watch = time.perf_counter(), until.within(max(0.5, FOR_PROBE * clock.seconds))
        with few_threads(candidate):
            answers = over_grid(problem, candidate, sample.rows, coded, watch)
        seconds = time.perf_counter() - start
        least = min(least, seconds)
        if (seconds < SLOW and sample.growth < GROWN) or not until.has(seconds):
            break
    return least, answers


def by_one_pass(problem: Problem, candidate: Candidate, sample: Sample, quarter: Sample) -> float:
    """Seconds of a candidate that adds up: all rows are coded and summed once, each set is solved and asked."""
    coded, grid = sample.coded(candidate), candidate.grid(problem.target.values[sample.rows])
    learner, start = candidate.learner().set_params(**learner_params(grid[0])), time.perf_counter()
    fitted_to(coded, learner)
    summed = time.perf_counter() - start
    learner.solve(learner.statistic_)
    solved = time.perf_counter() - start - summed
    for params in grid:
        answers_at(problem, learner, params, coded.asked)
    answered = time.perf_counter() - start - summed - solved
    asked = float(np.mean([len(s.asked) for s in sample.sets])) / len(sample.asked)
    coding = grown(sample.coding, quarter.coding, sample.growth)
    one = solved + answered * asked + coding / 2.0  # of what is coded, about half is asked
    return coding + summed * len(problem.target.values) / len(sample.rows) + one * len(sample.sets)


def probe(values: np.ndarray, most: int) -> np.ndarray:
    """A few rows from all over the target, so that they hold all classes that are not rare.

    >>> probe(np.array([3.0, 1.0, 2.0]), 5)
    array([0, 1, 2])
    """
    order = np.argsort(values, kind="stable")
    return np.sort(order[np.unique(np.linspace(0, len(values) - 1, min(most, len(values))).astype(int))])
