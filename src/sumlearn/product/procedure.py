"""The whole procedure on some rows: tune every candidate by inner folds, choose one, fit it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..evaluation.comparison.corrected_test import corrected_t_test
from .candidates import Candidate, Params
from .metrics import Answers, answers_of, cheapest_threshold
from .problems import DataProblem
from .schemes import Split
from .training_problem import CodedSplit, Problem

LEVEL = 0.05  # of the tests that ask whether a model is better


@dataclass(frozen=True, eq=False)
class Tuned:
    """A candidate with the hyperparameters that were best over the inner folds.

    `scores` are those of the inner folds, larger is better; `threshold` is the cheapest on their held-out rows.
    """

    candidate: Candidate
    params: Params
    scores: np.ndarray
    threshold: float | None

    @property
    def gain(self) -> float:
        return float(self.scores.mean())


@dataclass(frozen=True, eq=False)
class TunedChoice:
    """What was chosen on some rows: the winner, the best of all, the best that adds up, and the others."""

    winner: Tuned
    best: Tuned
    rival: Tuned | None
    tuned: dict[str, Tuned]
    failed: dict[str, str]


@contextmanager
def few_threads(candidate: Candidate) -> Iterator[None]:
    """Foreign learners on one thread: on small tables their threads wait for each other more than they work."""
    if not candidate.foreign:
        yield
        return
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


def choose(problem: Problem, rows: np.ndarray) -> TunedChoice:
    """Tune all candidates on some rows and choose: the best, unless one that adds up is not significantly worse."""
    splits = usable(problem, rows, problem.scheme.inner(problem.target, rows, problem.groups, problem.seed))
    grids = {candidate.name: candidate.grid(problem.target.values[rows]) for candidate in problem.candidates}
    trials: dict[str, list[list[Answers]]] = {candidate.name: [] for candidate in problem.candidates}
    tuned: dict[str, Tuned] = {}
    failed: dict[str, str] = {}
    for train, test in splits:
        coded = problem.coded(rows[train], rows[test])
        for candidate in (c for c in problem.candidates if not c.foreign and c.name not in failed):
            try:
                trials[candidate.name].append(over_grid(problem, candidate, grids[candidate.name], coded(candidate)))
            except (ValueError, np.linalg.LinAlgError) as error:
                failed[candidate.name] = str(error)
    for candidate in problem.candidates:
        if candidate.name not in failed:
            try:
                grid, answers = grids[candidate.name], trials[candidate.name]
                tuned[candidate.name] = tune(problem, candidate, grid, rows, splits, answers)
            except ValueError as error:
                failed[candidate.name] = str(error)
        problem.progress.step()
    eligible = [t for t in tuned.values() if not t.candidate.foreign]
    if not eligible:
        name, reason = next(iter(failed.items()))
        raise DataProblem(f"no model could be trained; {name}: {reason}")
    best = max(eligible, key=lambda t: t.gain)
    adding = [t for t in eligible if t.candidate.can_all]
    rival = max(adding, key=lambda t: t.gain) if adding else None
    winner = best
    if rival is not None and rival is not best and not significant(best, rival, splits):
        winner = rival
    return TunedChoice(winner, best, rival, tuned, failed)


def usable(problem: Problem, rows: np.ndarray, splits: Sequence[Split]) -> list[Split]:
    """Inner splits with two classes on either side: in others no candidate has a score; all of them for numbers."""
    if problem.target.task == "regress":
        return list(splits)
    values = problem.target.values[rows]
    both = [split for split in splits if all(len(np.unique(values[side])) > 1 for side in split)]
    if len(both) < 2:
        raise DataProblem("too few rows of some class to choose a model within the training rows; another --cv")
    return both


def significant(better: Tuned, other: Tuned, splits: Sequence[Split]) -> bool:
    sizes = np.array([(len(train), len(test)) for train, test in splits]).T
    return corrected_t_test(better.scores - other.scores, *sizes).p_value <= LEVEL


def tune(
    problem: Problem,
    candidate: Candidate,
    grid: Sequence[Params],
    rows: np.ndarray,
    splits: Sequence[Split],
    trials: Sequence[Sequence[Answers]],
) -> Tuned:
    """The best hyperparameters by the mean score over the inner folds; the first of equals."""
    if candidate.foreign:
        return Tuned(candidate, grid[0], np.zeros(len(splits)), None)  # a yardstick is not tuned: it is never chosen
    by_params = zip(*trials, strict=True)
    results = [judged(problem, candidate, params, rows, splits, a) for params, a in zip(grid, by_params, strict=True)]
    return max(results, key=lambda t: t.gain)


def over_grid(problem: Problem, candidate: Candidate, grid: Sequence[Params], coded: CodedSplit) -> list[Answers]:
    """Answers for all hyperparameters.

    A model that adds up is solved again from its sums; another is fitted again, if it can from where it ended.
    """
    answers = []
    learner = candidate.learner()
    if "warm_start" in learner.get_params():
        learner.set_params(warm_start=True)
    for number, params in enumerate(grid):
        problem.progress.beat()
        learner.set_params(**learner_params(params))
        if number == 0 or not candidate.can_all:
            fitted_to(coded, learner)
        answers.append(answers_of(learner, coded.asked, problem.target))
    return answers


def fitted(candidate: Candidate, params: Params, coded: CodedSplit) -> Any:
    """The learner inside a TableModel."""
    return fitted_to(coded, candidate.learner().set_params(**learner_params(params)))


def fitted_to(coded: CodedSplit, learner: Any) -> Any:
    weight = {} if coded.weight is None else {"sample_weight": coded.weight}
    return learner.fit(coded.features, coded.values, **weight)


def learner_params(params: Params) -> Params:
    """Hyperparameters of a TableModel's learner, for the learner itself."""
    return {name.removeprefix("learner__"): value for name, value in params.items()}


def judged(
    problem: Problem,
    candidate: Candidate,
    params: Params,
    rows: np.ndarray,
    splits: Sequence[Split],
    answers: Sequence[Answers],
) -> Tuned:
    """Scores of one set of hyperparameters, with the threshold that its own held-out scores make cheapest."""
    threshold = None
    if problem.costs is not None:
        held = rows[np.concatenate([test for _, test in splits])]
        scores = np.concatenate([a.scores for a in answers])
        truth = problem.target.values[held]
        threshold = cheapest_threshold(problem.target, truth, scores, problem.weight(held), problem.costs)
    gains = [
        problem.metric.gain(problem.score(a.decided(problem.target, threshold), rows[test]))
        for a, (_, test) in zip(answers, splits, strict=True)
    ]
    if not np.isfinite(gains).all():
        raise ValueError(f"{problem.metric.title} has no value in an inner fold: one class or value only")
    return Tuned(candidate, params, np.array(gains), threshold)
