"""Time: what the candidates will take, which of them the budget has room for, and an end to fits that do not end.

Every candidate is tried on a sample first. Where there is no room for all, those that may win on the sample come before
the others, and cheap ones before dear ones; what finds no room is dropped, and named.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .candidates import Candidate
from .left_out import LeftOutAnswers
from .metrics import Answers
from .procedure import FAILURES, few_threads, fitted_to, learner_params, margin
from .resampling import samples
from .saved_score import REFITS
from .training_problem import CodedSplit, Problem
from .trials import TrainingSet, answers_at, by_sums, over_grid

PROBE = 1000  # rows of the sample
SLOW = 0.2  # seconds: so much may have been spent on compiling
FOR_FITS = 0.75  # of the budget; the rest is for refits and the report
FOR_PROBE = 0.05  # of the budget, for one candidate's fits of the sample
FOR_PROBES = 0.3  # of the budget, until all of them are done
DRAWN, MAY_WIN = 100, 0.05  # samples of the rows that are asked, and the share of them in which a winner leads


class OutOfTime(Exception):
    """A fit that takes longer than there is time."""


class Clock:
    """The time that a training may take. Watches fits as a callback of scikit-learn: every step may be the last."""

    def __init__(self, seconds: float) -> None:
        self.start, self.seconds = time.perf_counter(), seconds
        self.end = self.start + seconds

    @property
    def endless(self) -> bool:
        return bool(np.isinf(self.seconds))

    def within(self, seconds: float) -> Clock:
        """A clock for a part of the work, which ends with the whole at the latest."""
        part = Clock(seconds)
        part.end = min(part.end, self.end)
        return part

    def until(self, share: float) -> Clock | None:
        """A clock that ends after a share of the time; None where there is no end."""
        return None if self.endless else self.within(self.start + share * self.seconds - time.perf_counter())

    def check(self) -> None:
        if time.perf_counter() > self.end:
            raise OutOfTime

    def has(self, seconds: float) -> bool:
        return time.perf_counter() + seconds < self.end

    def setup(self, *task: Any, **more: Any) -> None: ...

    def teardown(self, *task: Any, **more: Any) -> None: ...

    def on_fit_task_begin(self, *task: Any, **more: Any) -> None:
        self.check()

    def on_fit_task_end(self, *task: Any, **more: Any) -> None: ...


class Forecast(NamedTuple):
    """Seconds that a candidate will take, its gain on the sample, seconds of one fit to every split, its best answers.

    Infinite where the sample took too long.
    """

    seconds: float
    gain: float
    once: float = 0.0
    answers: Answers | None = None


class Sample(NamedTuple):
    """A training set in small: rows to learn from, rows to ask about, how candidates code them, seconds to code all."""

    rows: np.ndarray
    asked: np.ndarray
    coded: Callable[[Candidate], CodedSplit]
    coding: float = 0.0


class TimePlan(NamedTuple):
    """The candidates that there is time for, in the order of their cost, seconds in all, and words about the others."""

    kept: list[Candidate]
    seconds: float
    dropped: dict[str, str]


def planned(problem: Problem, sets: Sequence[TrainingSet], clock: Clock) -> TimePlan:
    """What there is time for; an endless clock is not looked at."""
    if clock.endless:
        return TimePlan(list(problem.candidates), np.inf, {})
    one, values = next(s for s in sets if s.outside), problem.target.values
    rows, asked = one.rows[probe(values[one.rows], PROBE)], one.asked[probe(values[one.asked], PROBE)]
    start, sample = time.perf_counter(), Sample(rows, asked, problem.coded(rows, asked))
    sample.coded(problem.candidates[0])
    sample = sample._replace(coding=(time.perf_counter() - start) * growth(sample, sets))
    known = {candidate.name: forecast(problem, candidate, sample, sets, clock) for candidate in problem.candidates}
    room, total, dropped = FOR_FITS * clock.seconds, time.perf_counter() - clock.start, {}
    total += sample.coding * len(sets)
    winners = may_win(problem, asked, known)
    cheapest, *others = sorted(problem.candidates, key=lambda c: (c.only_shown, known[c.name].seconds))
    kept = [cheapest]  # it is always tried
    total += known[cheapest.name].seconds
    for candidate in sorted(others, key=lambda c: (c.only_shown, c.name not in winners)):
        seconds = known[candidate.name].seconds
        if total + seconds > room:
            dropped[candidate.name] = why(problem, known, candidate)
        else:
            total += seconds
            kept.append(candidate)
    kept.sort(key=lambda c: (c.only_shown, known[c.name].seconds))
    leader = max((c for c in kept if not c.only_shown), key=lambda c: known[c.name].gain, default=cheapest)
    refitting = REFITS * known[leader.name].once
    fit = total + refitting < clock.seconds  # else there are none
    return TimePlan(kept, total + (refitting if fit else 0.0), dropped)


def may_win(problem: Problem, asked: np.ndarray, known: dict[str, Forecast]) -> set[str]:
    """Candidates that are best, or practically equal to it, in some samples of the rows that the sample was asked."""
    scorers = {
        name: LeftOutAnswers(problem, [asked], [f.answers]).scorer(problem.metric)
        for name, f in known.items()
        if f.answers is not None and np.isfinite(f.gain)
    }
    lead, weight = dict.fromkeys(scorers, 0), np.zeros(len(problem.target.values))
    for drawn in samples(problem.target, problem.target.values[asked], DRAWN, problem.seed):
        weight[asked] = drawn
        gains = {name: problem.metric.gain(score(weight)) for name, score in scorers.items()}
        best = max((gain for gain in gains.values() if np.isfinite(gain)), default=np.inf)
        for name, gain in gains.items():
            lead[name] += gain >= best - margin(problem.metric, best)
    return {name for name, count in lead.items() if count >= MAY_WIN * DRAWN}


def growth(sample: Sample, sets: Sequence[TrainingSet]) -> float:
    """How many times as many rows a training set has."""
    return max(1.0, float(np.mean([len(s.rows) for s in sets])) / len(sample.rows))


def why(problem: Problem, known: dict[str, Forecast], candidate: Candidate) -> str:
    """One sentence: how long, and whether it might have won."""
    seconds, gain, *_ = known[candidate.name]
    if np.isinf(seconds):
        return "there was no time to try it on a sample of the rows (--budget)"
    best = max(f.gain for name, f in known.items() if name != candidate.name)
    ahead = "ahead" if gain > best + margin(problem.metric, best) else "not ahead"
    return f"it would take {in_words(seconds)}, and was {ahead} on a sample of the rows (--budget)"


def forecast(
    problem: Problem, candidate: Candidate, sample: Sample, sets: Sequence[TrainingSet], clock: Clock
) -> Forecast:
    """A training set in small: its seconds grow with a power of the rows, and with the number of the sets."""
    rows, asked, coded = sample.rows, sample.asked, sample.coded(candidate)
    until = clock.until(FOR_PROBES) or clock
    for _ in range(2):  # again where it was slow, since that may have compiled
        start = time.perf_counter()
        try:
            with few_threads(candidate):
                answers = over_grid(problem, candidate, rows, coded, until.within(for_probe(clock)))
        except OutOfTime:
            return Forecast(np.inf, -np.inf)
        except FAILURES:  # it will be named when it fails on all rows
            return Forecast(0.0, -np.inf)
        seconds = time.perf_counter() - start
        if seconds < SLOW or not until.has(seconds):
            break
    more = growth(sample, sets)
    once = seconds / len(answers) * len(problem.splits) * more**candidate.power
    gains = [problem.metric.gain(LeftOutAnswers(problem, [asked], [a]).value(problem.metric)) for a in answers]
    best = max(range(len(gains)), key=lambda k: gains[k] if np.isfinite(gains[k]) else -np.inf)
    if by_sums(problem, candidate):
        seconds = by_one_pass(problem, candidate, sample, more, len(sets))
    else:
        seconds *= more**candidate.power * (len([s for s in sets if s.outside or not candidate.foreign]) + 1)
    return Forecast(seconds, gains[best] if np.isfinite(gains[best]) else -np.inf, once, answers[best])


def by_one_pass(problem: Problem, candidate: Candidate, sample: Sample, more: float, sets: int) -> float:
    """Seconds of a candidate that adds up: all rows are coded and summed once, and each set is solved and answers."""
    coded, grid = sample.coded(candidate), candidate.grid(problem.target.values[sample.rows])
    learner, start = candidate.learner().set_params(**learner_params(grid[0])), time.perf_counter()
    fitted_to(coded, learner)
    summed = time.perf_counter()
    learner.solve(learner.statistic_)
    solved = time.perf_counter()
    for params in grid:
        answers_at(problem, learner, params, coded.asked)
    answered = time.perf_counter() - solved
    share = len(sample.asked) / (len(sample.rows) + len(sample.asked))  # of the coding
    one = solved - summed + answered * more + sample.coding * share
    return sample.coding + (summed - start) * len(problem.target.values) / len(sample.rows) + one * sets


def for_probe(clock: Clock) -> float:
    return max(0.5, FOR_PROBE * clock.seconds)


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
