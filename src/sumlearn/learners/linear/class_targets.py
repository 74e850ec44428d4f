"""From sums by class to the moments of (x, coded class), without the rows; and from scores to classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...statistics import Grouped, Moments, Pooled, Words


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


def class_weights(class_weight: Any, weights: dict[Any, float]) -> dict[Any, float]:
    """A factor for every label: one, W / (K W_k) ("balanced"), or what the dictionary says."""
    if class_weight is None:
        return dict.fromkeys(weights, 1.0)
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(f'class_weight must be None, "balanced" or a dictionary, got {class_weight!r}')
        total = sum(weights.values()) / len(weights)
        return {label: total / weight for label, weight in weights.items()}
    if not isinstance(class_weight, dict):
        raise ValueError(f'class_weight must be None, "balanced" or a dictionary, got {class_weight!r}')
    factors = {label: float(class_weight.get(label, 1.0)) for label in weights}
    missing = [label for label in weights if label not in class_weight]
    if missing and len(weights) - len(missing) < len(class_weight):  # names that fit no class: a slip of the pen
        raise ValueError(f"The classes, {missing}, are not in class_weight")
    for label, factor in factors.items():
        if not 0.0 <= factor < np.inf:
            raise ValueError(f"class_weight of {label!r} must be finite and not negative, got {factor!r}")
    if not any(factors.values()):
        raise ValueError("class_weight is zero for every class")
    return factors


def coded_moments(statistic: Pooled | Grouped[Moments], codes: dict[Any, np.ndarray]) -> Moments:
    """Moments of (x, code of the class), in two words: means of classes and codes are merged, scatters within added."""
    if isinstance(statistic, Grouped):
        if any(part.form != "full" for _, part in statistic.items()):
            raise ValueError("least squares needs full moments; these keep the diagonal alone")
        return summed([with_targets(part, codes[label]) for label, part in statistic.items()])
    d = statistic.features
    points = [
        with_targets(replace(part, spread=Words.zeros((d, d))), codes[label])
        for label, part in statistic.groups.items()
    ]
    return summed(points)._plus(with_targets(statistic.within, 0.0 * next(iter(codes.values()))))


def summed(parts: list[Moments]) -> Moments:
    total = parts[0]
    for part in parts[1:]:
        total = total.merge(part)
    return total


def with_targets(part: Moments, values: np.ndarray) -> Moments:
    """Moments of (x, values) where the values are the same for every row of `part`."""
    p, k = part.columns, len(values)
    spread = Words.zeros((p + k, p + k))
    spread.hi[:p, :p], spread.lo[:p, :p] = part.spread
    return Moments(
        part.count,
        part.total,
        Words(np.append(part.centre.hi, values), np.append(part.centre.lo, np.zeros(k))),
        spread,
        np.append(part.rounding, np.zeros(k)),
        np.append(part.exponent, np.zeros(k, dtype=np.int64)),
        k,
    )
