"""What was seen of y before problems are fitted one by one: the classes, or labels of a row, and what they weigh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...data import InMemory
from ...learners.sum_algebra import fixed_classes
from ...statistics import RowError
from ...statistics.warnings import warn
from .by_label import indicators


class SeenClasses(NamedTuple):
    """The labels that have rows, and what these weigh."""

    labels: tuple[Any, ...]
    weights: np.ndarray


class SeenLabels(NamedTuple):
    """What the rows without and with each label weigh, (labels, 2)."""

    weights: np.ndarray


def classes_seen(source: InMemory) -> SeenClasses:
    """The labels of the rows that weigh something."""
    y, weight = np.asarray(source.y), masses(source)
    labels, codes = np.unique(y[weight != 0], return_inverse=True)
    return SeenClasses(tuple(labels.tolist()), np.bincount(codes, weight[weight != 0], minlength=len(labels)))


def masses(source: InMemory) -> np.ndarray:
    """What the rows weigh, checked: estimators of other libraries may take anything."""
    if source.weight is None:
        return np.ones(source.rows)
    weight = np.asarray(source.weight, dtype=float)
    for row in np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))[:1]:
        raise RowError("sample_weight", int(row), None, float(weight[row]))
    if not weight.any():
        raise ValueError("sample_weight is zero for every row: the sum of the weights must be positive")
    return weight


def labels_seen(source: InMemory) -> SeenLabels:
    """What weighs without and with each of several labels."""
    sides, weight = indicators(np.asarray(source.y), source.weight), masses(source)
    return SeenLabels(np.column_stack([weight @ (1 - sides), weight @ sides]))


def classes_so_far(source: InMemory, before: Any, classes: Any) -> SeenClasses:
    """The classes that were promised, and what their rows weigh with those of a source."""
    if isinstance(before, SeenLabels):
        raise ValueError(f"y was {len(before.weights)} columns of labels, and now it is one")
    fixed = fixed_classes(None if before is None else np.array(before.labels), classes)
    if fixed is None:
        raise ValueError("classes must be given at the first call of partial_fit: the labels of all rows to come")
    seen = classes_seen(source)
    if not set(seen.labels) <= set(fixed.tolist()):
        raise ValueError(f"Mini-batch contains {np.array(seen.labels)} while it must be subset of {fixed}")
    weights = np.zeros(len(fixed)) if before is None else before.weights.copy()
    weights[np.searchsorted(fixed, np.array(seen.labels, dtype=fixed.dtype))] += seen.weights
    return SeenClasses(tuple(fixed.tolist()), weights)


def labels_so_far(source: InMemory, before: Any, classes: Any) -> SeenLabels:
    """What weighs without and with each of several labels, of a source and of the rows before."""
    seen = labels_seen(source).weights
    if before is not None and np.shape(before.weights) != seen.shape:
        raise ValueError(f"y has {len(seen)} columns of labels, and before it had another number of them")
    if classes is not None and not np.array_equal(classes, np.arange(len(seen))):
        raise ValueError(f"classes are the numbers of the {len(seen)} columns of y, got {classes!r}")
    return SeenLabels(seen if before is None else seen + before.weights)


def tell_constant(number: int, answers: Sequence[int]) -> None:
    """Say that all rows have a label, or none, in the words of scikit-learn."""
    if len(answers) == 1:
        warn(f"Label {'' if answers[0] else 'not '}{number} is present in all training examples.", UserWarning)
