"""The rule of choice: every candidate is tuned by rows left out, and the best score wins.

    tune: the hyperparameters with the best score on rows left out of the rows at hand; the first of equals
    choose: the best score; a model that can update, forget and merge, if that costs at most MARGIN

The rows at hand are those of an outer split, or all rows: the rule is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..learners.description import description_of
from .candidates import Candidate, Params
from .left_out import LeftOutAnswers
from .metrics import Answers, Metric, cheapest_threshold
from .training_problem import CodedSplit, Problem

LEVEL = 0.05  # of the tests that ask whether a model is better
FAILURES = (ValueError, ArithmeticError, AttributeError)  # of a candidate; fitted attributes know the last one alone
MARGIN = 0.005  # of AUC, accuracy or R2: practically equal


@dataclass(frozen=True, eq=False)
class Tuned:
    """A candidate with the hyperparameters that were best on the rows left out.

    `gain` is their score there, larger is better; `number` is their place in the grid; `threshold` is the cheapest on
    those rows.
    """

    candidate: Candidate
    params: Params
    number: int
    gain: float
    threshold: float | None


@dataclass(frozen=True, eq=False)
class TunedChoice:
    """What was chosen on some rows: the winner, the best of all, the best that adds up, and the others."""

    winner: Tuned
    best: Tuned
    rival: Tuned | None
    tuned: dict[str, Tuned]


def choose(problem: Problem, tuned: Mapping[str, Tuned], gains: Mapping[str, float] | None = None) -> TunedChoice:
    """The rule, by the gains of the tuned candidates or by others that are given."""
    gains = {name: t.gain for name, t in tuned.items()} if gains is None else gains
    winner, best, rival = picked(problem.metric, gains, {n: t.candidate for n, t in tuned.items()})
    return TunedChoice(tuned[winner], tuned[best], None if rival is None else tuned[rival], dict(tuned))


def picked(
    metric: Metric, gains: Mapping[str, float], candidates: Mapping[str, Candidate]
) -> tuple[str, str, str | None]:
    """Names of the winner, of the best, and of the best that adds up; the first of equals."""
    eligible = [name for name in gains if not candidates[name].only_shown and np.isfinite(gains[name])]
    best = max(eligible, key=lambda name: gains[name])
    adding = [name for name in eligible if candidates[name].can_all]
    rival = max(adding, key=lambda name: gains[name]) if adding else None
    equal = rival is not None and gains[best] - gains[rival] <= margin(metric, gains[best])
    return (rival if equal and rival is not None else best), best, rival


def margin(metric: Metric, gain: float) -> float:
    """What counts as equal: of scores without bounds that share of the score."""
    return MARGIN * (1.0 if metric.limits[1] == 1.0 else abs(gain))


def tuned_on(
    problem: Problem,
    candidate: Candidate,
    grid: Sequence[Params],
    tests: Sequence[np.ndarray],
    answers: Sequence[Sequence[Answers]],
) -> Tuned:
    """The best of the grid; `answers` has a list over the grid for every test."""
    rows = np.concatenate(tests)
    found = []
    for number, params in enumerate(grid):
        given, threshold = [part[number] for part in answers], None
        if problem.costs is not None and problem.target.two_classes:
            scores = np.concatenate([a.scores for a in given])
            truth, weight = problem.target.values[rows], problem.weight(rows)
            threshold = cheapest_threshold(problem.target, truth, scores, weight, problem.costs)
            given = [a.decided(problem.target, threshold) for a in given]
        gain = problem.metric.gain(LeftOutAnswers(problem, tests, given).value(problem.metric))
        found.append(Tuned(candidate, params, number, gain, threshold))
    if not any(np.isfinite(t.gain) for t in found):
        raise ValueError(f"{problem.metric.title} has no value on rows left out: one class or value only")
    return max(found, key=lambda t: t.gain if np.isfinite(t.gain) else -np.inf)


@contextmanager
def few_threads(candidate: Candidate) -> Iterator[None]:
    """Foreign learners on one thread: on small tables their threads wait for each other more than they work."""
    if not candidate.foreign:
        yield
        return
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


def fitted(candidate: Candidate, params: Params, coded: CodedSplit) -> Any:
    """The learner inside a TableModel."""
    return fitted_to(coded, candidate.learner().set_params(**learner_params(params)))


def fitted_to(coded: CodedSplit, learner: Any) -> Any:
    if coded.columns is not None:
        learner.with_columns(coded.columns)
    weight = {} if coded.weight is None else {"sample_weight": coded.weight}
    return learner.fit(coded.features, coded.values, **weight)


def warmed(learner: Any) -> Any:
    """The learner, which begins where its last fit ended, if that leads to the same end sooner."""
    if "warm_start" in learner.get_params() and not description_of(learner).grows:
        learner.set_params(warm_start=True)
    return learner


def learner_params(params: Params) -> Params:
    """Hyperparameters of a TableModel's learner, for the learner itself."""
    return {name.removeprefix("learner__"): value for name, value in params.items()}
