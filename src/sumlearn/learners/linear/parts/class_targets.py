"""From sums by class to the moments of (x, coded class), without the rows; and from scores to classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ....objectives.links import sigmoid
from ....statistics import Grouped, Moments, Pooled, Words


def codes_of(classes: int) -> np.ndarray:
    """One row of targets for each class: -1 and +1 for two classes, else +1 for the own class and -1 for the others."""
    if classes <= 2:
        return np.array([[-1.0], [1.0]])[-classes:]
    return 2.0 * np.eye(classes) - 1.0


def best_class(scores: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The label of the largest of K scores, or of one score for two classes: the second where it is positive."""
    if len(classes) == 1:
        return np.repeat(classes, len(scores))
    return classes[(scores[:, 0] > 0.0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)]


def shares_against_the_rest(scores: np.ndarray) -> np.ndarray:
    """sigma(f_k) of each class against the rest, divided by their sum."""
    each = sigmoid(np.ascontiguousarray(scores))  # so that sums do not depend on how the rows lay in memory
    total = each.sum(axis=1, keepdims=True)
    return np.where(total > 0, each, 1.0) / np.where(total > 0, total, each.shape[1])


def coded_moments(statistic: Pooled | Grouped[Moments], codes: dict[Any, np.ndarray]) -> Moments:
    """Moments of (x, code of the class), in two words: means of classes and codes are merged, scatters within added."""
    if isinstance(statistic, Grouped):
        if any(part.form != "full" for _, part in statistic.items()):
            raise ValueError("least squares needs full moments; these keep the diagonal alone")
        return summed([part.with_targets(codes[label]) for label, part in statistic.items()])
    if statistic.holds_rows:
        return coded_moments(statistic.groups, codes)
    d = statistic.features
    points = [
        replace(part, spread=Words.zeros((d, d))).with_targets(codes[label]) for label, part in statistic.groups.items()
    ]
    return summed(points)._plus(statistic.within.with_targets(0.0 * next(iter(codes.values()))))


def summed(parts: list[Moments]) -> Moments:
    total = parts[0]
    for part in parts[1:]:
        total = total.merge(part)
    return total
