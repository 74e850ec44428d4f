"""Scores of samples that are drawn from rows: rows are ranked once, a sample says how often each of them was drawn.

A row drawn twice is a row of weight two, so the scores are those of the rows themselves, up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from .metrics import OF_LABELS, Answers, Metric, cells, from_cells
from .targets import TargetRows

Scorer = Callable[[np.ndarray], float]  # weights of the rows -> a score


def resampled(
    metric: Metric,
    target: TargetRows,
    truth: np.ndarray,
    answers: Answers,
    weight: np.ndarray | None,
    samples: Iterable[np.ndarray],
) -> np.ndarray:
    """The score of every sample, which says how often each row is in it.

    >>> target = TargetRows("y", "classify", np.array(["n", "n", "p", "p"]), np.arange(4), np.array(["n", "p"]), "p")
    >>> answers, drawn = Answers(target.values, np.array([0.1, 0.6, 0.5, 0.9])), np.array([[1, 1, 1, 1], [2, 0, 1, 1]])
    >>> from sumlearn.product.metrics import METRICS
    >>> resampled(METRICS["auc"], target, target.values, answers, None, drawn).tolist()
    [0.75, 1.0]
    """
    score = scorer_for(metric, target, truth, answers)
    own = np.ones(len(truth)) if weight is None else np.asarray(weight, dtype=float)
    return np.array([score(own * counts) for counts in samples])


def samples(target: TargetRows, truth: np.ndarray, times: int, seed: int) -> Iterator[np.ndarray]:
    """How often each row is in a sample of the rows, drawn within the classes where there are classes."""
    rng = np.random.default_rng(seed)
    strata = [np.arange(len(truth))]
    if target.task == "classify":
        strata = [np.flatnonzero(truth == label) for label in target.classes]
    for _ in range(times):
        drawn = np.concatenate([rng.choice(rows, len(rows)) for rows in strata if len(rows)])
        yield np.bincount(drawn, minlength=len(truth)).astype(np.int32)


def scorer_for(metric: Metric, target: TargetRows, truth: np.ndarray, answers: Answers) -> Scorer:
    """The score as a function of the weights alone; whatever they do not change is done here, once."""
    if metric.name == "auc" and answers.scores is not None:
        return areas_of(target, truth, answers.scores)
    if metric.name in OF_LABELS or metric.costs is not None:
        cell = cells(target, truth, answers.labels)
        return lambda weight: from_cells(metric.name, target, cell, weight, metric.costs)
    return lambda weight: metric(target, truth, answers, weight)


def areas_of(target: TargetRows, truth: np.ndarray, scores: np.ndarray) -> Scorer:
    """Area under the ROC curve of the positive class; of more classes the mean over those that can be told apart."""
    from ..compiled.roc import areas

    columns = scores[None, :] if target.two_classes else scores.T
    labels = [target.positive] if target.two_classes else target.classes.tolist()
    own = np.array([truth == label for label in labels])
    order = np.argsort(columns, axis=1, kind="stable")
    ranked = np.take_along_axis(columns, order, axis=1)
    last = np.ones(order.shape, dtype=bool)  # of rows with one score
    last[:, :-1] = ranked[:, 1:] != ranked[:, :-1]
    values = np.empty(len(labels))

    def score(weight: np.ndarray) -> float:
        areas(order, last, own, weight.astype(float), values)
        told = values[~np.isnan(values)]
        return float(told.mean()) if len(told) else float("nan")

    return score
