"""The honest score: the whole procedure is repeated without the rows that it is scored on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from ..evaluation.comparison.corrected_test import corrected_t_test
from ..evaluation.outer_loop import outer_loop
from .features_read import features_read
from .metrics import Answers, Metric, answers_of
from .problems import DataProblem
from .procedure import TunedChoice, choose, few_threads, fitted
from .resampling import resampled, samples
from .schemes import Split
from .training_problem import Problem

PROCEDURE, BASELINE = "procedure", "baseline"
CONFIDENCE = 0.95
RESAMPLES = 1000
KEPT = 20_000  # rows of samples that are kept: 80 MB
INSIDE = 1.0 - float(np.exp(-1.0))  # share of the rows in a bootstrap sample: Efron's .632


class Estimate(NamedTuple):
    """A score with its interval; `folds` is empty where all rows left out are scored together."""

    value: float
    interval: tuple[float, float]
    folds: tuple[float, ...] = ()


@dataclass(eq=False)
class NestedAnswers:
    """Answers to all rows left out: by the whole procedure, by every candidate, by the baseline.

    Attributes
    ----------
    splits : list of (train, test)
    answers : dict {who: list of Answers}
        One for every split.
    choices : list of Choice
        What the procedure chose in every split.
    failed : dict {candidate: reason}
        Candidates that failed in some split; they have no answers.
    learnt : list of int or None
        Sizes of the training parts, where their rows are not at hand.
    training : dict {who: Answers}
        Answers to the rows that were learnt, by the models of all rows; the .632 bootstrap takes them into account.
    read : list of lists of str
        Columns (of a pipeline that selects: features) that the chosen model of every split reads.
    drawn : list of arrays or None
        How often each row left out is in each of the samples that an interval comes from.
    """

    problem: Problem
    splits: list[Split]
    answers: dict[str, list[Answers]] = field(default_factory=dict)
    choices: list[TunedChoice] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    training: dict[str, Answers] = field(default_factory=dict)
    learnt: list[int] | None = None
    read: list[list[str]] = field(default_factory=list)
    drawn: list[np.ndarray] | None = None

    def estimate(self, who: str, metric: Metric) -> Estimate:
        """The score of all left-out rows, by the corrected interval over splits, or by resampling rows."""
        if self.problem.scheme.pooled:
            rows, answers = self.pooled(who)
            value = self.problem.score(answers, rows, metric)
            low, high = np.quantile(self.resampled(metric, rows, answers), tails())
            return Estimate(value, (float(low), float(high)))
        values = self.values(who, metric)
        for split in np.flatnonzero(~np.isfinite(values))[:1]:
            if metric.name == self.problem.metric.name:
                raise DataProblem(
                    f"{metric.title} has no value in split {split}, whose rows left out hold one class or value only; "
                    "another --cv or --metric"
                )
            return Estimate(np.nan, (np.nan, np.nan))
        outcome = corrected_t_test(values, *self.sizes)
        low, high = np.clip(outcome.interval(CONFIDENCE), *metric.limits)
        return Estimate(outcome.mean, (float(low), float(high)), tuple(float(v) for v in values))

    def difference(self, who: str, other: str, metric: Metric) -> float:
        """p-value of the difference between two, over the same rows."""
        if self.problem.scheme.pooled:
            rows, first = self.pooled(who)
            second = self.pooled(other)[1]
            gap = self.resampled(metric, rows, first) - self.resampled(metric, rows, second)
            return float(min(1.0, 2.0 * min(np.mean(gap <= 0), np.mean(gap >= 0))))
        return corrected_t_test(self.values(who, metric) - self.values(other, metric), *self.sizes).p_value

    def values(self, who: str, metric: Metric) -> np.ndarray:
        """A score for every split. Efron's .632: most of the error on rows left out, some of that on rows learnt."""
        score = self.problem.score
        values = [score(a, test, metric) for a, (_, test) in zip(self.answers[who], self.splits, strict=True)]
        if self.problem.scheme.kind == "boot632":
            own = score(self.training[who], np.arange(len(self.problem.target.values)), metric)
            values = [(1.0 - INSIDE) * own + INSIDE * value for value in values]
        return np.array(values)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Rows learnt and rows left out of every split."""
        learnt = self.learnt or [len(np.unique(train)) for train, _ in self.splits]
        return np.array([learnt, [len(test) for _, test in self.splits]])

    def pooled(self, who: str) -> tuple[np.ndarray, Answers]:
        """All rows left out, in the order of the splits, and the answers to them."""
        return np.concatenate([test for _, test in self.splits]), together(self.answers[who])

    def resampled(self, metric: Metric, rows: np.ndarray, answers: Answers) -> np.ndarray:
        """The score of samples drawn from the rows, within the classes where there are classes."""
        problem = self.problem
        truth, weight = problem.target.values[rows], problem.weight(rows)
        return resampled(metric, problem.target, truth, answers, weight, self.samples(truth))

    def samples(self, truth: np.ndarray) -> Iterable[np.ndarray]:
        """The same samples for all who answer; they are kept where they are small."""
        if self.drawn is None:
            drawn = samples(self.problem.target, truth, RESAMPLES, self.problem.seed)
            if len(truth) > KEPT:
                return drawn
            self.drawn = list(drawn)
        return self.drawn


def tails() -> tuple[float, float]:
    return (1.0 - CONFIDENCE) / 2.0, (1.0 + CONFIDENCE) / 2.0


def together(parts: Sequence[Answers]) -> Answers:
    scores = None if parts[0].scores is None else np.concatenate([p.scores for p in parts])
    return Answers(np.concatenate([p.labels for p in parts]), scores)


class SplitAnswers(NamedTuple):
    """Of one split: the choice, answers of all tuned candidates and of the baseline, what the chosen model reads."""

    choice: TunedChoice
    answers: dict[str, Answers]
    baseline: Answers
    read: list[str]
    failed: dict[str, str]


def nested_answers(problem: Problem) -> NestedAnswers:
    """Choose and fit without each part of the rows, and answer for that part."""
    splits = problem.scheme.outer(problem.target, problem.groups, problem.seed)
    problem.progress.begin("models tuned", (len(splits) + 1) * len(problem.candidates))
    parts = outer_loop(splits, partial(choose, problem), partial(answers_of_all, problem))
    answers: dict[str, list[Answers]] = {
        PROCEDURE: [part.answers[part.choice.winner.candidate.name] for part in parts],
        BASELINE: [part.baseline for part in parts],
    }
    failed: dict[str, str] = {}
    for part in parts:
        failed |= part.choice.failed | part.failed
        for name, given in part.answers.items():
            answers.setdefault(name, []).append(given)
    known = {name: given for name, given in answers.items() if name not in failed}
    choices, read = [part.choice for part in parts], [part.read for part in parts]
    return NestedAnswers(problem, splits, known, choices, failed, read=read)


def answers_of_all(problem: Problem, choice: TunedChoice, train: np.ndarray, test: np.ndarray) -> SplitAnswers:
    """Every tuned candidate, fitted and asked; one that cannot be fitted is noted, unless it was chosen."""
    answers, failed = {}, {}
    read: list[str] = []
    coded = problem.coded(train, test)
    for name, tuned in choice.tuned.items():
        problem.progress.beat()
        try:
            with few_threads(tuned.candidate):
                here = coded(tuned.candidate)
                learner = fitted(tuned.candidate, tuned.params, here)
                given = answers_of(learner, here.asked, problem.target)
                answers[name] = given.decided(problem.target, tuned.threshold)
                if tuned is choice.winner:
                    read = features_read(learner, here.names, here.owners)
        except (ValueError, np.linalg.LinAlgError) as error:
            if tuned is choice.winner:
                raise
            failed[name] = str(error)
    return SplitAnswers(choice, answers, constant(problem, train, test), read, failed)


def constant(problem: Problem, train: np.ndarray, test: np.ndarray) -> Answers:
    """The baseline: the most frequent class (with costs the cheapest), or the mean."""
    target, weight = problem.target, problem.weight(train)
    values = target.values[train]
    weight = np.ones(len(train)) if weight is None else weight
    if target.task == "regress":
        return Answers(np.full(len(test), np.average(values, weights=weight)))
    totals = {label: weight[values == label].sum() for label in target.classes.tolist()}
    if problem.costs is not None:
        totals[target.positive] *= problem.costs.false_reject
        totals[target.negative] *= problem.costs.false_accept
    best = max(totals, key=lambda label: totals[label])
    labels = np.full(len(test), best, dtype=target.values.dtype)
    shape = len(test) if target.two_classes else (len(test), len(target.classes))
    return Answers(labels, np.zeros(shape))
