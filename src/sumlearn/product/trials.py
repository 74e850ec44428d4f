"""Candidates on the training sets of a scheme: each is fitted at every point of its grid and asked about rows left out.

A split tunes by the other folds: leave fold i out, and leave each other fold j out in turn. The model without i and j
serves both splits, so K folds take K (K - 1) / 2 + K training sets. All rows are tuned by the splits themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..engines.summing import fold_sums
from ..evaluation.resampling.splits import numbered_source
from ..features.table.encoder import design_of, design_rows
from .candidates import Candidate
from .metrics import Answers, answers_of
from .problems import DataProblem
from .procedure import Tuned, few_threads, fitted_to, learner_params, tuned_on, warmed
from .schemes import Split
from .training_problem import CodedSplit, Problem

ALL = -1  # the split that leaves nothing out
FOLDS_OF_FOLDS = range(4, 11)  # numbers of folds that tune each other


@dataclass(eq=False)
class TrainingSet:
    """Rows to learn from, and who asks about which rows: the numbers of the splits that tune by them."""

    rows: np.ndarray
    asking: list[tuple[int, np.ndarray]] = field(default_factory=list)

    @property
    def asked(self) -> np.ndarray:
        return np.unique(np.concatenate([rows for _, rows in self.asking]))

    @property
    def outside(self) -> bool:
        """Whether it is the training part of a split."""
        return any(split == ALL for split, _ in self.asking)


def training_sets(problem: Problem) -> list[TrainingSet]:
    """All training sets, those of the splits themselves first; one for splits that share it."""
    sets: dict[bytes, TrainingSet] = {}
    for train, test in problem.splits:
        sets.setdefault(train.tobytes(), TrainingSet(train)).asking.append((ALL, test))
    for number in range(len(problem.splits)):
        for train, test in inner_splits(problem, number):
            sets.setdefault(train.tobytes(), TrainingSet(train)).asking.append((number, test))
    return list(sets.values())


def inner_splits(problem: Problem, number: int) -> list[Split]:
    """How the training rows of a split are split to tune: by the other folds, where there are enough of them."""
    train, target = problem.splits[number][0], problem.target
    if problem.scheme.kind in ("folds", "group") and len(problem.splits) in FOLDS_OF_FOLDS:
        others = [test for k, (_, test) in enumerate(problem.splits) if k != number]
        splits = [(np.setdiff1d(train, test, assume_unique=True), test) for test in others]
    else:
        inside = problem.scheme.inner(target, train, problem.groups, problem.seed)
        splits = [(train[a], train[b]) for a, b in inside]
    if target.task == "regress":
        return splits
    both = [split for split in splits if all(len(np.unique(target.values[side])) > 1 for side in split)]
    if len(both) < 2:
        raise DataProblem("too few rows of some class to choose a model within the training rows; another --cv")
    return both


class Trial(NamedTuple):
    """A candidate as every split tunes it, its answers to the rows left out, and as all rows tune it."""

    by_split: list[Tuned]
    answers: list[Answers]
    on_all: Tuned


class Trials:
    """Tries candidates; rows that are coded alike are coded once."""

    def __init__(self, problem: Problem, sets: Sequence[TrainingSet]) -> None:
        self.problem, self.sets = problem, sets

    def coded(self, number: int) -> Callable[[Candidate], CodedSplit]:
        return self.problem.coded(self.sets[number].rows, self.sets[number].asked)

    def run(self, candidate: Candidate, watch: Any = None) -> Trial:
        """All training sets of a candidate; what cannot be fitted raises. `watch` may stop a long fit."""
        problem = self.problem
        asked: dict[int, list[tuple[np.ndarray, list[Answers]]]] = {}
        outside: dict[bytes, list[Answers]] = {}
        for one, answers in self.answered(candidate, watch):
            rows = one.asked
            for split, test in one.asking:
                part = [a.of(np.searchsorted(rows, test)) for a in answers]
                if split == ALL:
                    outside[test.tobytes()] = part
                elif not candidate.foreign:
                    asked.setdefault(split, []).append((test, part))
            problem.progress.step()
        tests = [test for _, test in problem.splits]
        left = [outside[test.tobytes()] for test in tests]
        on_all = tuned_on(problem, candidate, candidate.grid(problem.target.values), tests, left)
        by_split, answers = [], []
        for number, (train, _) in enumerate(problem.splits):
            grid = candidate.grid(problem.target.values[train])
            here = asked.get(number)
            tuned = Tuned(candidate, grid[0], 0, 0.0, None)  # a yardstick is not tuned: it is never chosen
            if here is not None:
                tuned = tuned_on(problem, candidate, grid, *zip(*here, strict=True))
            by_split.append(tuned)
            answers.append(left[number][tuned.number].decided(problem.target, tuned.threshold))
        return Trial(by_split, answers, on_all)

    def answered(self, candidate: Candidate, watch: Any) -> Iterator[tuple[TrainingSet, list[Answers]]]:
        """Every training set with the answers over the grid."""
        if by_sums(self.problem, candidate):
            yield from self.from_sums(candidate, watch)
            return
        wanted = [one for one in self.sets if one.outside or not candidate.foreign]
        jobs = ((one.rows, one.asked) for one in wanted)
        found = self.problem.workers.each(on_split, self.problem, candidate.name, jobs, watch)
        yield from zip(wanted, found, strict=True)

    def from_sums(self, candidate: Candidate, watch: Any) -> Iterator[tuple[TrainingSet, list[Answers]]]:
        """Models that add up: sums of rows that share their roles are read once, and merged for every training set."""
        problem = self.problem
        rows = np.arange(len(problem.target.values))
        model = candidate.estimator(**problem.columns)
        source, _ = numbered_source(model, problem.frame, problem.target.values, None, problem.weight(rows))
        splits = [(one.rows, one.asked) for one in self.sets]
        for fold in fold_sums(model.summariser(), source, splits, factor=model.chunk_factor):
            one = self.sets[fold.number]
            if watch is not None:
                watch.check()
            design = design_of(fold.train, model)
            features = design_rows(design, problem.frame.take(one.asked))
            grid = candidate.grid(problem.target.values[one.rows])
            learner = candidate.learner().set_params(**learner_params(grid[0])).solve(design.apply(fold.train))
            yield one, [answers_at(problem, learner, params, features) for params in grid]


def on_split(problem: Problem, name: str, rows: np.ndarray, asked: np.ndarray, watch: Any) -> list[Answers]:
    """Answers of a candidate over its grid, wherever the problem is."""
    candidate = next(c for c in problem.candidates if c.name == name)
    with few_threads(candidate):
        return over_grid(problem, candidate, rows, problem.coded(rows, asked)(candidate), watch)


def by_sums(problem: Problem, candidate: Candidate) -> bool:
    """Whether training sets are merged from sums: rows that are fewer than their columns are less than their sums."""
    return candidate.adds_up and problem.choice is None and len(problem.target.values) > problem.frame.num_columns


def answers_at(problem: Problem, learner: Any, params: dict[str, Any], features: np.ndarray) -> Answers:
    """Answers with other hyperparameters, from the same sums."""
    problem.progress.beat()
    return answers_of(learner.set_params(**learner_params(params)), features, problem.target)


def over_grid(
    problem: Problem, candidate: Candidate, rows: np.ndarray, coded: CodedSplit, watch: Any = None
) -> list[Answers]:
    """Answers for all hyperparameters, each fitted from where the last one ended, if the learner can."""
    learner, answers = warmed(candidate.learner()), []
    if watch is not None and not candidate.adds_up and hasattr(learner, "set_callbacks"):
        learner.set_callbacks(watch)
    for params in candidate.grid(problem.target.values[rows]):
        problem.progress.beat()
        if watch is not None:
            watch.check()
        fitted_to(coded, learner.set_params(**learner_params(params)))
        answers.append(answers_of(learner, coded.asked, problem.target))
    return answers
