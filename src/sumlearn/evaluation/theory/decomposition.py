"""Predictions of many models, row by row, taken apart into bias and variance."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np


class MeanParts(NamedTuple):
    """Means over the rows."""

    bias2: float
    variance: float
    net_variance: float  # what variance adds to the error; of squared loss all of it
    error: float  # mean loss against the targets observed


class Decomposition(Protocol):
    def add(self, rows: np.ndarray, predictions: np.ndarray) -> None:
        """Predictions of one more model for some rows."""

    def parts(self) -> MeanParts: ...


class SquaredParts:
    """(f - truth)^2 = (mean f - truth)^2 + variance of f; both without the bias of a finite number of models.

    With R models and their variance s^2 (R - 1 in the denominator), (mean f - truth)^2 - s^2 / R has no bias; it may
    come out a little below zero.
    """

    def __init__(self, truth: np.ndarray, noise: float, weight: np.ndarray) -> None:
        self.truth, self.noise, self.weight = np.asarray(truth, dtype=float), noise, weight
        self.times = np.zeros(len(self.truth))
        self.mean, self.scatter = np.zeros_like(self.truth), np.zeros_like(self.truth)  # of f - truth (Welford)

    def add(self, rows: np.ndarray, predictions: np.ndarray) -> None:
        error = np.asarray(predictions, dtype=float) - self.truth[rows]
        self.times[rows] += 1
        step = error - self.mean[rows]
        self.mean[rows] += (step.T / self.times[rows]).T
        self.scatter[rows] += step * (error - self.mean[rows])

    def parts(self) -> MeanParts:
        seen = enough(self.times, self.weight)
        times = self.times[seen]
        variance = (self.scatter[seen].T / (times - 1)).T
        bias2 = self.mean[seen] ** 2 - (variance.T / times).T
        both = mean(bias2, self.weight[seen]), mean(variance, self.weight[seen])
        return MeanParts(both[0], both[1], both[1], sum(both) + self.noise)


class ZeroOneParts:
    """Domingos' parts of the 0/1 loss: the main prediction is the label that most models give.

    bias      1 where the main prediction is not the best label
    variance  share of the models that do not give the main prediction
    net       + variance where the main prediction is right; - share of the right models where it is wrong
    """

    def __init__(self, truth: np.ndarray, observed: np.ndarray, weight: np.ndarray) -> None:
        self.truth, self.observed, self.weight = np.asarray(truth), np.asarray(observed), weight
        self.votes: dict[Any, np.ndarray] = {}

    def add(self, rows: np.ndarray, predictions: np.ndarray) -> None:
        for label in np.unique(predictions).tolist():
            votes = self.votes.setdefault(label, np.zeros(len(self.truth)))
            votes[rows[np.asarray(predictions) == label]] += 1

    def parts(self) -> MeanParts:
        labels = sorted(self.votes)
        votes = np.array([self.votes[label] for label in labels])
        times = votes.sum(axis=0)
        seen = enough(times, self.weight)
        votes, truth, observed = votes[:, seen] / times[seen], self.truth[seen], self.observed[seen]
        main = np.array(labels)[votes.argmax(axis=0)]
        variance = 1.0 - votes.max(axis=0)
        right, agreeing = (
            sum(share * (of == label) for label, share in zip(labels, votes, strict=True)) for of in (truth, observed)
        )
        wrong = main != truth
        net = np.where(wrong, -right, variance)
        w = self.weight[seen]
        return MeanParts(mean(wrong, w), mean(variance, w), mean(net, w), mean(1.0 - agreeing, w))


def mean(values: Any, weight: np.ndarray) -> float:
    """Over the rows, and over the targets of each."""
    return float(np.average(np.reshape(values, (len(weight), -1)).mean(axis=1), weights=weight))


def enough(times: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Rows that at least two models were asked about, and that weigh something."""
    seen = (times > 1) & (weight > 0)
    if not seen.any():
        raise ValueError("no row was predicted by two models: draw more samples")
    return seen
