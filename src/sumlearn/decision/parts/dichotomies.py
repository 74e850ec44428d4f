"""Dichotomies: two-class problems that are made of the classes of one target, and the two ways to learn them all.

A plan is two tables of truth values with a row for each problem and a column for each class: which classes are
positive there, and which negative. A class may be neither, or both.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from ...data import Chunk, InMemory, Source
from ...learners import Fitted, Learner, OnePass, Wrapper, abilities
from ...statistics import ExactMoments, Grouped, Moments, Pooled, RowError


def adds_up(base: Any) -> bool:
    """Whether the sums of a learner can be made class by class, and told afterwards which class is which."""
    if not isinstance(base, Learner) or not hasattr(base, "solve") or not hasattr(base, "summarise"):
        return False
    able = abilities(base)
    kind = base.statistic_type
    known = kind in (Pooled, Moments, ExactMoments) or kind in (Grouped[Moments], Grouped[ExactMoments])
    plain = getattr(base, "basis", None) is None and base.reads == "numbers" and not able.same_look
    return known and plain and "merge" in able and base.target in ("label", "number") and not named_priors(base)


def named_priors(base: Any) -> bool:
    return isinstance(getattr(base, "priors", None), dict)


class ProblemSums(OnePass):
    """All dichotomies from one pass: the learner's sums class by class, put together for each problem."""

    target = "label"
    chunk_factor = 8

    classes_ = Fitted("Labels, sorted.")
    estimators_ = Fitted("The models of the problems.")

    def __init__(self, scheme: Any, n_jobs: Any = None) -> None:
        self.scheme = scheme
        self.n_jobs = n_jobs

    @property
    def statistic_type(self) -> Any:
        kind: Any = Grouped
        return kind[self.scheme.base.statistic_type]

    def summarise(self, chunk: Chunk, look: Any = None) -> Grouped[Any]:
        base = self.scheme.base
        X, y, weight, columns = chunk
        labels, codes = np.unique(np.asarray(y), return_inverse=True)
        order = np.argsort(codes, kind="stable")
        ends = np.cumsum(np.bincount(codes, minlength=len(labels)))
        groups = {}
        for label, rows in zip(labels.tolist(), np.split(order, ends[:-1]) if len(ends) else [], strict=True):
            target = np.zeros(len(rows), dtype=float if base.target == "number" else int)
            part = Chunk(X[rows], target, None if weight is None else weight[rows], columns)
            try:
                found = base.summarise(part, None)
            except RowError as error:
                raise RowError(error.name, int(rows[error.row]), error.column, error.value) from None
            if found.rows:
                groups[label] = found
        return Grouped(groups)

    def solution(self, statistic: Grouped[Any]) -> dict[str, Any]:
        labels = self.scheme.labels_of(statistic)
        here = np.array([label in statistic.groups for label in labels.tolist()])
        parts = [statistic[label] for label in labels[here].tolist()]
        positive, negative = self.scheme.plan(len(parts))
        sides = [[answered(part, answer) for part in parts] for answer in (0, 1)]
        models = []
        for ours, others in zip(positive, negative, strict=True):
            both = together(sides[0], others).merge(together(sides[1], ours))
            models.append(self.scheme.base.without_fit().solve(both))
        weights = np.array([part.weight for part in parts])
        return {"classes_": labels, "here": here, "estimators_": models, "weights": weights}


def together(parts: list[Any], members: np.ndarray) -> Any:
    """The sums of some classes as one."""
    return reduce(lambda a, b: a.merge(b), (parts[k] for k in np.flatnonzero(members)))


def answered(part: Any, answer: int) -> Any:
    """The sums of rows of one answer (0 when they were made), as if they had been given another."""
    if isinstance(part, Moments):
        return part.shift(np.append(np.zeros(part.columns - 1), float(answer))) if answer else part
    if isinstance(part, Pooled):
        return replace(part, groups=answered(part.groups, answer))
    (only,) = part.contents()
    return Grouped({answer: only})


class RowsOf(InMemory):
    """Some rows of a source in memory, with targets of their own."""

    def __init__(self, whole: InMemory, numbers: np.ndarray, y: np.ndarray) -> None:
        self.whole, self.numbers = whole, numbers
        self.rows, self.features, self.columns, self.gaps = len(numbers), whole.features, whole.columns, whole.gaps
        super().__init__(y, None if whole.weight is None else whole.weight[numbers])

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.whole.dtype

    def read(self, rows: slice | np.ndarray) -> Any:
        return self.whole.read(self.numbers[rows])


class SeenClasses(NamedTuple):
    """The labels that have rows, and what these weigh."""

    labels: tuple[Any, ...]
    weights: np.ndarray


class ProblemFits(Wrapper):
    """Every dichotomy fitted by itself, on its rows: for learners without such sums, and those of other libraries."""

    target, needs_look = "label", True
    survive = frozenset()

    def __init__(self, scheme: Any) -> None:
        self.scheme = scheme

    def inside(self, look: SeenClasses | None) -> list[Any]:
        return [self.scheme.base] * (1 if look is None else len(self.scheme.plan(len(look.labels))[0]))

    def views(self, source: Source, look: SeenClasses) -> list[RowsOf]:
        rows = in_memory(self.scheme.base, source)
        present = np.ones(rows.rows, dtype=bool) if rows.weight is None else rows.weight != 0
        codes = np.searchsorted(np.array(look.labels), np.asarray(rows.y)) * present
        found = []
        for ours, others in zip(*self.scheme.plan(len(look.labels)), strict=True):
            negative, positive = (np.flatnonzero(members[codes] & present) for members in (others, ours))
            numbers = np.append(negative, positive)
            order = np.argsort(numbers, kind="stable")
            found.append(RowsOf(rows, numbers[order], np.repeat([0, 1], [len(negative), len(positive)])[order]))
        return found


def in_memory(base: Any, source: Source) -> InMemory:
    """The rows, which are cut by class; those of a stream are not."""
    if not isinstance(source, InMemory):
        raise ValueError(f"{type(base).__name__} is fitted for every problem apart: it needs its rows in memory")
    return source


def classes_seen(source: InMemory) -> SeenClasses:
    """The labels of the rows that weigh something."""
    y = np.asarray(source.y)
    weight = np.ones(len(y)) if source.weight is None else np.asarray(source.weight, dtype=float)
    labels, codes = np.unique(y[weight != 0], return_inverse=True)
    return SeenClasses(tuple(labels.tolist()), np.bincount(codes, weight[weight != 0], minlength=len(labels)))
