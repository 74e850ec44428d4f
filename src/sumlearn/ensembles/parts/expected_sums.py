"""Sums of labelled rows, and what is expected of those of the others: E and M over chunks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from ...data import Chunk
from ...data.target import is_labelled
from ...learners.validation import usable_rows
from ...objectives.links import log_softmax
from ...statistics import Statistic
from .class_densities import ClassDensities, EmFrame, Family
from .few_labels import labels_of

NOTHING = 1e-16  # shares of a row below it do not count


@dataclass(frozen=True, eq=False)
class ExpectedSums(Statistic):
    """Sums of a classifier, over labelled rows and shares of the others, and the log-likelihood before the step."""

    sums: Any
    value: float = 0.0
    unlabelled: Any = None  # in the first pass, the sums of the rows without a label, as if of one class

    def merge(self, other: Self) -> Self:
        both = None if self.unlabelled is None else self.unlabelled.merge(other.unlabelled)
        return type(self)(self.sums.merge(other.sums), self.value + other.value, both)

    def zero(self) -> Self:
        both = None if self.unlabelled is None else self.unlabelled.zero()
        return type(self)(self.sums.zero(), 0.0, both)

    @property
    def weight(self) -> float:
        return self.sums.weight + (0.0 if self.unlabelled is None else self.unlabelled.weight)

    @property
    def rows(self) -> int:
        return self.sums.rows + (0 if self.unlabelled is None else self.unlabelled.rows)


class Completed(NamedTuple):
    """Where EM is: densities, the sums that they come from, and the objective of those before, over the weight."""

    densities: ClassDensities
    sums: Any
    frame: EmFrame
    value: float = -np.inf


def known_sums(family: Family, estimator: Any, chunk: Chunk) -> ExpectedSums:
    """The sums of the labelled rows, and those of all others together."""
    assert chunk.y is not None
    weight = np.ones(len(chunk.y)) if chunk.weight is None else chunk.weight
    given = is_labelled(chunk.y)
    y = np.zeros(len(chunk.y), dtype=np.int64)
    others = family.sums(estimator, chunk._replace(y=y, weight=np.where(given, 0.0, weight)))
    if not given.any():
        return ExpectedSums(family.sums(estimator, chunk._replace(y=y, weight=np.zeros(len(y)))), 0.0, others)
    found = labels_of(chunk.y[given])
    labels = np.full(len(y), found[0], dtype=found.dtype)
    labels[given] = found
    found = family.sums(estimator, chunk._replace(y=labels, weight=np.where(given, weight, 0.0)))
    return ExpectedSums(found, 0.0, others)


def shares_of(densities: ClassDensities, X: Any, y: np.ndarray, given: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ln p(x), with a label ln p(x, k), and the shares of the classes or of their parts, where the label allows them.

    Where no class has a density, all are alike.
    """
    joint = densities.joint(X)
    allowed = np.ones(joint.shape, dtype=bool)
    for k, label in enumerate(densities.labels if densities.owners is None else densities.owners):
        allowed[given, k] = y[given] == label
    joint = np.where(allowed, joint, -np.inf)
    lost = joint.max(axis=1) == -np.inf
    values = np.logaddexp.reduce(joint, axis=1)
    joint[lost] = np.where(allowed[lost], 0.0, -np.inf)
    return values, np.exp(log_softmax(joint))


def expected(family: Family, estimator: Any, densities: ClassDensities, part: float, chunk: Chunk) -> ExpectedSums:
    """One pass of E: rows without a label count for every class, by their shares and `part` of their weight."""
    chunk = usable_rows(chunk, sparse_ok=family.sparse_ok)
    assert chunk.y is not None and chunk.weight is not None
    X, given = chunk.X.astype(np.float64, copy=False), is_labelled(chunk.y)
    values, shares = shares_of(densities, X, chunk.y, given)
    count = np.where(given, 1.0, part) * chunk.weight
    value = float(count[count > 0] @ values[count > 0])
    shares[shares < NOTHING] = 0.0
    taken = shares * count[:, None]
    label = partial(np.full, len(given))
    parts = [
        family.sums(estimator, Chunk(X, label(name), np.ascontiguousarray(taken[:, k]), chunk.columns))
        for k, name in enumerate(densities.labels)
        if k == 0 or taken[:, k].any()
    ]
    sums = parts[0]
    for more in parts[1:]:
        sums = sums.merge(more)
    return ExpectedSums(sums, value)
