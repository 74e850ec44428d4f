"""The honest score: the whole procedure is repeated without the rows that it is scored on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from ..evaluation.comparison.corrected_test import corrected_t_test
from .budget import TimePlan
from .clock import Clock, OutOfTime
from .columns.features_read import features_read
from .forecast import FOR_FITS
from .left_out import INSIDE, LeftOutAnswers, together
from .metrics import Answers, Metric
from .problems import DataProblem
from .procedure import FAILURES, Tuned, TunedChoice, choose, fitted
from .resampling import samples
from .saved_score import CONFIDENCE, SAMPLES, Estimate, interval
from .schemes import Split
from .training_problem import Problem
from .trials import TrainingSet, Trial, Trials
from .unfinished import Unfinished, plain_trial, trial_of

PROCEDURE, BASELINE = "procedure", "baseline"
RESAMPLES = 1000


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
    failed, dropped : dict {candidate: reason}
        Candidates that failed somewhere, and those that there was no time for; they have no answers.
    tuned : dict {candidate: Tuned}
        As all rows tune them.
    by_split : dict {candidate: list of Tuned}
        As every split tunes them.
    learnt : list of int or None
        Sizes of the training parts, where their rows are not at hand.
    training : dict {who: Answers}
        Answers to the rows that were learnt, by the models of all rows; the .632 bootstrap takes them into account.
    read : list of lists of str
        Columns (of a pipeline that selects: features) that the chosen model of every split reads.
    """

    problem: Problem
    splits: list[Split]
    answers: dict[str, list[Answers]] = field(default_factory=dict)
    choices: list[TunedChoice] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    dropped: dict[str, str] = field(default_factory=dict)
    tuned: dict[str, Tuned] = field(default_factory=dict)
    by_split: dict[str, list[Tuned]] = field(default_factory=dict)
    training: dict[str, Answers] = field(default_factory=dict)
    learnt: list[int] | None = None
    read: list[list[str]] = field(default_factory=list)

    def estimate(self, who: str, metric: Metric) -> Estimate:
        """The score of all left-out rows, by the corrected interval over splits, or by resampling rows."""
        if self.problem.scheme.pooled:
            tails = (1.0 - CONFIDENCE) / 2.0, (1.0 + CONFIDENCE) / 2.0
            low, high = np.quantile(self.sampled(who, metric, RESAMPLES), tails)
            return Estimate(self.left(who).value(metric), (float(low), float(high)))
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

    def left(self, who: str) -> LeftOutAnswers:
        """Answers to the rows left out, with those to the rows learnt where the scheme wants them."""
        learnt = self.training.get(who) if self.problem.scheme.kind == "boot632" else None
        return LeftOutAnswers(self.problem, [test for _, test in self.splits], self.answers[who], learnt)

    def of_rows(self, who: str, metric: Metric) -> Estimate:
        """The score over all rows left out, with an interval by resampling them; not corrected for any choice."""
        left = self.left(who)
        value = left.value(metric)
        return Estimate(value, self.around(who, metric, value), tuple(left.each(metric)))

    def around(self, who: str, metric: Metric, value: float) -> tuple[float, float]:
        """An interval about some value, as wide as samples of the rows left out say."""
        return interval(metric, value, self.sampled(who, metric), 1.0, len(self.problem.target.values))

    def sampled(self, who: str, metric: Metric, times: int = SAMPLES) -> np.ndarray:
        """The score of samples of the rows left out, drawn within the classes; the same samples for all who answer."""
        target, score = self.problem.target, self.left(who).scorer(metric)
        rows = np.unique(np.concatenate([test for _, test in self.splits]))
        scores, weight = [], np.zeros(len(target.values))
        for drawn in samples(target, target.values[rows], times, self.problem.seed):
            weight[rows] = drawn
            scores.append(score(weight))
        return np.array(scores)

    def difference(self, who: str, other: str, metric: Metric) -> float:
        """p-value of the difference between two, over the same rows."""
        if self.problem.scheme.pooled:
            gap = self.sampled(who, metric, RESAMPLES) - self.sampled(other, metric, RESAMPLES)
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


def nested_answers(
    problem: Problem,
    sets: list[TrainingSet],
    plan: TimePlan,
    clock: Clock,
    tell: Callable[[str, str], None],
    unfinished: Unfinished,
) -> NestedAnswers:
    """Tune and choose without each part of the rows, and answer for that part."""
    count = sum(len([s for s in sets if s.outside or not c.foreign]) for c in plan.kept)
    problem.progress.begin("fits", count)
    trials, failed, dropped = Trials(problem, sets), {}, dict(plan.dropped)
    done: dict[str, Trial] = {}
    for candidate in plan.kept:
        try:  # the cheapest comes first, and may take its time
            done[candidate.name] = unfinished.step(
                f"model-{candidate.name}",
                partial(trials.run, candidate, clock.until(FOR_FITS * 1.1) if done else None),
                plain_trial,
                partial(trial_of, problem=problem, candidate=candidate),
            )
        except OutOfTime:
            dropped[candidate.name] = "there was no time to finish it (--budget)"
        except FAILURES as error:
            failed[candidate.name] = str(error)
    for name, reason in dropped.items():
        tell("dropped", f"{name}: {reason}")
    done = {c.name: done[c.name] for c in problem.candidates if c.name in done}  # the first of equals wins
    if all(trial.on_all.candidate.only_shown for trial in done.values()):
        name, reason = next(iter((failed | dropped).items()))
        raise DataProblem(f"no model could be trained; {name}: {reason}")
    return answers_of_all(problem, trials, done, failed, dropped)


def answers_of_all(
    problem: Problem, trials: Trials, done: dict[str, Trial], failed: dict[str, str], dropped: dict[str, str]
) -> NestedAnswers:
    """Who was chosen in every split, and the answers of all."""
    numbers = range(len(problem.splits))
    choices = [choose(problem, {name: trial.by_split[k] for name, trial in done.items()}) for k in numbers]
    answers = {name: trial.answers for name, trial in done.items()}
    answers |= {
        PROCEDURE: [answers[choice.winner.candidate.name][k] for k, choice in enumerate(choices)],
        BASELINE: [constant(problem, train, test) for train, test in problem.splits],
    }
    return NestedAnswers(
        problem,
        problem.splits,
        answers,
        choices,
        failed,
        dropped,
        {name: trial.on_all for name, trial in done.items()},
        {name: trial.by_split for name, trial in done.items()},
        read=[read_by(trials, k, choice.winner) for k, choice in enumerate(choices)],
    )


def read_by(trials: Trials, number: int, winner: Tuned) -> list[str]:
    """What the chosen model of a split reads; the first training sets are those of the splits."""
    coded = trials.coded(number)(winner.candidate)
    learner = winner.candidate.learner()
    if hasattr(learner, "steps"):  # it may select by itself
        learner = fitted(winner.candidate, winner.params, coded)
    return features_read(learner, coded.names, coded.owners)


def choice_on_all(nested: NestedAnswers) -> TunedChoice:
    """The choice for all rows, by the same rule: each candidate's score on all rows left out.

    One split chooses without the rows that it leaves out, which score what it chose.
    """
    problem, names = nested.problem, list(nested.tuned)
    if problem.scheme.kind == "holdout":
        grids = {name: t.candidate.grid(problem.target.values) for name, t in nested.tuned.items()}
        first = {name: nested.by_split[name][0] for name in names}
        return choose(problem, {name: replace(t, params=grids[name][t.number]) for name, t in first.items()})
    gains = {name: problem.metric.gain(nested.left(name).value(problem.metric)) for name in names}
    return choose(problem, {name: replace(t, gain=gains[name]) for name, t in nested.tuned.items()})


def constant(problem: Problem, train: np.ndarray, test: np.ndarray) -> Answers:
    """The baseline: the most frequent class (with costs the cheapest), or the mean."""
    target, weight = problem.target, problem.weight(train)
    values = target.values[train]
    weight = np.ones(len(train)) if weight is None else weight
    if target.task == "regress":
        return Answers(np.full(len(test), np.average(values, weights=weight)))
    totals = {label: weight[values == label].sum() for label in target.classes.tolist()}
    if problem.costs is not None and target.two_classes:
        totals[target.positive] *= problem.costs.false_reject
        totals[target.negative] *= problem.costs.false_accept
    elif problem.costs is not None:
        spent = np.array(list(totals.values())) @ problem.costs.matrix(target.classes)
        totals = dict(zip(totals, (-spent).tolist(), strict=True))
    best = max(totals, key=lambda label: totals[label])
    labels = np.full(len(test), best, dtype=target.values.dtype)
    shape = len(test) if target.two_classes else (len(test), len(target.classes))
    return Answers(labels, np.zeros(shape))
