"""The score of answers to rows left out, over all splits, as a function of how much each row weighs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .metrics import Answers, Metric
from .resampling import Scorer, scorer_for
from .training_problem import Problem

INSIDE = 1.0 - float(np.exp(-1.0))  # share of the rows in a bootstrap sample: Efron's .632


@dataclass(frozen=True, eq=False)
class LeftOutAnswers:
    """Answers to the rows left out of every split.

    Shares and squared errors are taken over all rows together. Scores of two models have no common scale, so the area
    under the ROC curve is the mean of those within the splits.

    Attributes
    ----------
    tests : list of row numbers
    answers : list of Answers
        One for each test.
    learnt : Answers or None
        Answers of the model of all rows to all rows: part of Efron's .632.
    """

    problem: Problem
    tests: Sequence[np.ndarray]
    answers: Sequence[Answers]
    learnt: Answers | None = None

    def scorer(self, metric: Metric) -> Scorer:
        """Weights of all rows of the problem -> the score."""
        target, own = self.problem.target, self.problem.target.weight
        drawn = self.problem.scheme.kind == "boot632"
        apart = drawn or (metric.name == "auc" and not self.problem.scheme.pooled)
        tests, answers = list(self.tests), list(self.answers)
        if not apart:
            tests, answers = [np.concatenate(tests)], [together(answers)]
        parts = [(t, scorer_for(metric, target, target.values[t], a)) for t, a in zip(tests, answers, strict=True)]

        def score(weight: np.ndarray) -> float:
            weight = weight if own is None else weight * own
            values = [one(weight[test]) for test, one in parts if weight[test].any()]
            told = [value for value in values if np.isfinite(value)]
            return float(np.mean(told)) if told else float("nan")

        return score if self.learnt is None else self.corrected(metric, score)

    def corrected(self, metric: Metric, outside: Scorer) -> Scorer:
        """Most of the error on rows left out, some of that on rows learnt."""
        assert self.learnt is not None
        inside = scorer_for(metric, self.problem.target, self.problem.target.values, self.learnt)
        return lambda weight: (1.0 - INSIDE) * inside(weight) + INSIDE * outside(weight)

    def value(self, metric: Metric) -> float:
        return self.scorer(metric)(np.ones(len(self.problem.target.values)))

    def each(self, metric: Metric) -> list[float]:
        """The score of every split by itself."""
        return [self.problem.score(a, test, metric) for a, test in zip(self.answers, self.tests, strict=True)]


def together(parts: Sequence[Answers]) -> Answers:
    scores = None if parts[0].scores is None else np.concatenate([p.scores for p in parts])
    return Answers(np.concatenate([p.labels for p in parts]), scores)
