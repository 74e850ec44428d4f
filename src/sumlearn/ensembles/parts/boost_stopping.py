"""Early stopping: which rows are held back, how each round does on them, and when that no longer gets better."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import check_scoring

from ...statistics.row_sample import number_hashes
from .boost_losses import BoostLoss

SMALL = 10_000  # training rows that a scorer is asked about


@dataclass(frozen=True)
class Stopping:
    """What early stopping goes by.

    Attributes
    ----------
    scoring : str, callable or None
        "loss", a scorer, or None for the scorer of the estimator.
    fraction : float or None
        Share of the rows that are held back; None: training rows judge.
    patience, tol : int, float
        Rounds without a gain of `tol` over the one before them, after which it ends.
    moving : bool
        The rule of GradientBoosting*: a round ends it that is better than none of so many before it.
    factor : float
        On the loss.
    """

    scoring: Any = "loss"
    fraction: float | None = 0.1
    patience: int = 10
    tol: float = 1e-7
    moving: bool = False
    factor: float = 1.0

    def over(self, scores: list[float]) -> bool:
        """Whether none of the last rounds is better than the one before them by the tolerance.

        >>> Stopping(patience=2).over([0.1, 0.5, 0.5, 0.4]), Stopping(patience=2).over([0.1, 0.5, 0.6])
        (True, False)
        """
        if len(scores) < self.patience + 1:
            return False
        if self.moving:
            return not any(scores[-1] - self.tol > score for score in scores[-self.patience - 1 : -1])
        reference = scores[-self.patience - 1] + self.tol
        return not any(score > reference for score in scores[-self.patience :])


def held_back(numbers: np.ndarray, labels: np.ndarray | None, fraction: float, seed: int) -> np.ndarray:
    """Which rows, by their numbers, are held back: about this share, at least one, and never all of a class.

    >>> int(held_back(np.arange(1000), None, 0.1, 0).sum())
    84
    """
    kinds = np.zeros(len(numbers), np.int64) if labels is None else labels
    return held_numbers(numbers, fraction, seed, extremes(numbers, kinds, int(kinds.max(initial=0)) + 1, seed))


def extremes(numbers: np.ndarray, labels: np.ndarray, classes: int, seed: int) -> np.ndarray:
    """The least hash of all rows, then the complement of the largest of each class: parts have theirs, which add up."""
    hashes = number_hashes(numbers, seed)
    found = np.full(classes + 1, np.iinfo(np.uint64).max, np.uint64)
    if len(hashes):
        found[0] = hashes.min()
        np.minimum.at(found, labels + 1, ~hashes)
    return found


def held_numbers(numbers: np.ndarray, fraction: float, seed: int, extreme: np.ndarray) -> np.ndarray:
    """The same, where the extreme hashes of all rows are known."""
    hashes = number_hashes(numbers, seed)
    held = (hashes < np.uint64(fraction * 2.0**64)) | (hashes == extreme[0])
    return held & ~np.isin(hashes, ~extreme[1:])  # one of each class stays


class BoostStage(BaseEstimator):
    """The model after some rounds, for scorers: its rows are places in the scores that are known."""

    scores: np.ndarray

    def __init__(self, loss: Any = None, classes: Any = None) -> None:
        self.loss, self.classes = loss, classes

    @property
    def classes_(self) -> Any:
        return self.classes

    def fit(self, X: Any, y: Any) -> BoostStage:
        """Nothing: it is fitted."""
        return self

    def scores_of(self, rows: np.ndarray) -> np.ndarray:
        return self.scores[:, rows[:, 0]].T

    def __sklearn_is_fitted__(self) -> bool:
        return True


class ClassifierStage(ClassifierMixin, BoostStage):
    """Of a classifier."""

    def decision_function(self, rows: np.ndarray) -> np.ndarray:
        scores = self.scores_of(rows)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_proba(self, rows: np.ndarray) -> np.ndarray:
        return self.loss.answers(self.scores_of(rows))

    def predict(self, rows: np.ndarray) -> np.ndarray:
        return self.classes[self.predict_proba(rows).argmax(axis=1)]


class RegressorStage(RegressorMixin, BoostStage):
    """Of a regression; it has neither scores nor probabilities."""

    def predict(self, rows: np.ndarray) -> np.ndarray:
        return self.loss.answers(self.scores_of(rows))


@dataclass
class StoppingJudge:
    """Scores of the rounds on rows learnt from and on rows held back, larger is better."""

    stopping: Stopping
    loss: BoostLoss
    classes: np.ndarray | None
    seed: int
    train: list[float] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)

    def see(self, learnt: Any, held: Any) -> bool:
        """Score a round, on (y, weight, scores) of both kinds of rows; whether it was the last one."""
        self.train.append(self.score(True, *learnt))
        if held is not None:
            self.validation.append(self.score(False, *held))
        return self.stopping.over(self.train if held is None else self.validation)

    def score(self, small: bool, y: np.ndarray, weight: np.ndarray | None, scores: np.ndarray) -> float:
        if isinstance(self.stopping.scoring, str) and self.stopping.scoring == "loss":
            return -self.stopping.factor * float(np.average(self.loss.value(y, scores), weights=weight))
        rows = np.arange(len(y))
        if small and len(rows) > SMALL:
            rows = np.sort(np.argsort(number_hashes(rows, self.seed), kind="stable")[:SMALL])
        stage = (RegressorStage if self.classes is None else ClassifierStage)(self.loss, self.classes)
        stage.scores = scores
        target = y if self.classes is None else self.classes[self.loss.class_numbers(y)]
        scorer = check_scoring(stage, self.stopping.scoring)
        weights = {} if weight is None else {"sample_weight": weight[rows]}
        return float(scorer(stage, rows[:, None], target[rows], **weights))
