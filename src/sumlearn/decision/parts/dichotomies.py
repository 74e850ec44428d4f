"""Dichotomies: two-class problems that are made of the classes of one target, and the two ways to learn them all.

A plan is two tables of truth values with a row for each problem and a column for each class: which classes are
positive there, and which negative. A class may be neither, or both.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from functools import reduce
from typing import Any, Self

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.utils import get_tags

from ...data import Chunk, InMemory, Source
from ...engines import one_blas_thread
from ...learners import Abilities, Fitted, Learner, Look, OnePass, Wrapper, abilities
from ...statistics import ExactMoments, Grouped, Moments, Pooled, RowError, in_words
from ...statistics.row_checks import encode
from .by_label import ByLabel, OneAnswer, constant, indicators
from .seen import SeenClasses, SeenLabels, classes_so_far, labels_so_far, tell_constant

NO_SUMS = "the sums are none of {}: the estimator has changed; fit anew"


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

    def summarise(self, chunk: Chunk, look: Any = None) -> Any:
        base = self.scheme.base
        X, y, weight, columns = chunk
        if y is not None and y.ndim == 2:
            sides = indicators(y, weight).astype(float if base.target == "number" else int)
            return ByLabel(tuple(base.summarise(Chunk(X, side, weight, columns), None) for side in sides.T))
        labels, codes = encode(np.asarray(y))
        order = np.argsort(codes.astype(np.uint16) if len(labels) < 2**16 else codes, kind="stable")  # by its digits
        ends = np.cumsum(np.bincount(codes, minlength=len(labels)))
        groups = {}
        for label, rows in zip(labels, np.split(order, ends[:-1]) if len(ends) else [], strict=True):
            target = np.zeros(len(rows), dtype=float if base.target == "number" else int)
            part = Chunk(X[rows], target, None if weight is None else weight[rows], columns)
            try:
                found = base.summarise(part, None)
            except RowError as error:
                raise RowError(error.name, int(rows[error.row]), error.column, error.value) from None
            if found.rows:
                groups[label] = found
        return Grouped(groups)

    def solution(self, statistic: Any) -> dict[str, Any]:
        self.refuse_foreign_sums(statistic)
        if isinstance(statistic, ByLabel):
            return self.label_by_label(statistic)
        labels = self.scheme.labels_of(statistic)
        here = np.array([label in statistic.groups for label in labels.tolist()])
        parts = [statistic[label] for label in labels[here].tolist()]
        positive, negative = self.scheme.plan(len(parts))
        sides = [[answered(part, answer) for part in parts] for answer in (0, 1)]
        models = []
        with one_blas_thread():  # its threads spin at the barriers of small matrices
            for ours, others in zip(positive, negative, strict=True):
                if not (ours.any() and others.any()):
                    models.append(constant(int(ours.any())))
                    continue
                both = together(sides[0], others).merge(together(sides[1], ours))
                models.append(self.scheme.base.without_fit().solve(both))
        weights = np.array([part.weight for part in parts])
        return {"classes_": labels, "here": here, "estimators_": models, "weights": weights}

    def refuse_foreign_sums(self, statistic: Any) -> None:
        """Refuse sums that the learner would not have made: it may have been exchanged since the fit."""
        base, part = self.scheme.base, statistic.contents()[0]
        row = Chunk(np.zeros((1, part.features)), np.zeros(1, dtype=float if base.target == "number" else int), None)
        if form_of(in_words(base.summarise(row, None))) != form_of(in_words(part)):
            raise ValueError(NO_SUMS.format(type(base).__name__))

    def label_by_label(self, statistic: ByLabel[Any]) -> dict[str, Any]:
        """A problem for each of the labels that may go together."""
        self.scheme.check_several()
        models = []
        for number, part in enumerate(statistic.parts):
            only = getattr(part, "labels", (0, 1))
            tell_constant(number, only)
            models.append(constant(only[0]) if len(only) == 1 else self.scheme.base.without_fit().solve(part))
        labels = np.array(statistic.labels)
        weights = np.full(len(labels), statistic.weight)
        return {"classes_": labels, "here": np.ones(len(labels), bool), "estimators_": models, "weights": weights}


def form_of(statistic: Any) -> tuple[Any, ...]:
    """What kind of sums a statistic holds."""
    inner = statistic.contents()[:1] if hasattr(statistic, "contents") else []
    own = (type(statistic), getattr(statistic, "form", None), getattr(statistic, "targets", None))
    return (*own, *map(form_of, inner))


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
    """Some rows of a source in memory, with targets of their own; where columns are rows (`square`), the same ones."""

    def __init__(self, whole: InMemory, numbers: np.ndarray, y: np.ndarray, square: bool = False) -> None:
        self.whole, self.numbers, self.square = whole, numbers, square
        self.rows, self.features, self.columns, self.gaps = len(numbers), whole.features, whole.columns, whole.gaps
        if square:
            self.features, self.columns = len(numbers), None
        super().__init__(y, None if whole.weight is None else whole.weight[numbers])

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.whole.dtype

    def read(self, rows: slice | np.ndarray) -> Any:
        found = self.whole.read(self.numbers[rows])
        return found[:, self.numbers] if self.square else found


class ProblemFits(Wrapper):
    """Every dichotomy fitted by itself, on its rows: for learners without such sums, and those of other libraries."""

    target, needs_look = "label", True
    survive = frozenset()

    @property
    def takes_indicators(self) -> bool:
        """As the method whose problems they are."""
        return self.scheme.takes_indicators

    def __init__(self, scheme: Any) -> None:
        self.scheme = scheme

    def inside(self, look: SeenClasses | SeenLabels | None) -> list[Any]:
        if look is None:
            return [self.scheme.base]
        if isinstance(look, SeenLabels):
            return [self.scheme.base if sides.all() else OneAnswer() for sides in look.weights]
        sides = zip(*self.scheme.plan(len(look.labels)), strict=True)
        return [self.scheme.base if ours.any() and others.any() else OneAnswer() for ours, others in sides]

    def views(self, source: Source, look: SeenClasses | SeenLabels) -> list[RowsOf]:
        rows = in_memory(self.scheme.base, source)
        square = is_pairwise(self.scheme.base)
        if square and rows.rows != rows.features:
            raise ValueError(
                f"X is to hold what every row has to do with every other, got {rows.rows} rows of them and "
                f"{rows.features} columns"
            )
        self._plan = None if isinstance(look, SeenLabels) else np.stack(self.scheme.plan(len(look.labels)))
        problems = list(self.problems(rows, look))
        if square:
            self.pairwise_indices_ = [numbers for numbers, _ in problems]
        return [RowsOf(rows, numbers, y, square) for numbers, y in problems]

    def solution(self, statistic: Any) -> dict[str, Any]:
        """None: there are no sums where problems are fitted by themselves."""
        raise ValueError(NO_SUMS.format(type(self.scheme.base).__name__))

    def own_abilities(self) -> Abilities:
        """Nothing exact: what a learner has learnt of a row of one problem tells nothing of the others."""
        return Abilities(inexact=("partial_fit",) if hasattr(self.scheme.base, "partial_fit") else ())

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None, classes: Any = None) -> Self:
        """Hand on more rows to the learner of every problem; the labels of all that come are given at the first."""
        first = "learners_" not in vars(self)
        base, work = self.scheme.base, self.without_fit() if first else self.twin()
        if is_pairwise(base):
            raise ValueError("rows that are told by what they have to do with each other are learnt by fit, at once")
        source = in_memory(base, work.open(X, y, sample_weight, reset=first, empty_ok=not first))
        look = (labels_so_far if not source.single_target else classes_so_far)(
            source, None if first else work.look_data(), classes
        )
        views = self.views(source, look)
        learners = [clone(base) for _ in views] if first else deepcopy(self.learners_)
        for learner, view in zip(learners, views, strict=True):
            if view.rows:
                masses = {} if view.weight is None else {"sample_weight": view.weight}
                both = {} if is_regressor(learner) else {"classes": np.array([0, 1])}
                learner.partial_fit(view.read(slice(None)), view.y, **masses, **both)
        work.remember(source)
        work._sparse_labels = source.target.sparse
        work._look = Look(None, look, source.features)
        return self.commit(work.holding(learners))

    def problems(self, rows: InMemory, look: SeenClasses | SeenLabels) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The numbers of the rows of every problem, and their answers, 0 or 1."""
        present = np.ones(rows.rows, dtype=bool) if rows.weight is None else rows.weight != 0
        if isinstance(look, SeenLabels):
            numbers = np.flatnonzero(present)
            for sides in indicators(np.asarray(rows.y), rows.weight)[numbers].T:
                yield numbers, sides
            return
        codes = np.searchsorted(np.array(look.labels), np.asarray(rows.y)) * present
        for ours, others in zip(*self.scheme.plan(len(look.labels)), strict=True):
            negative, positive = (np.flatnonzero(members[codes] & present) for members in (others, ours))
            numbers = np.append(negative, positive)
            order = np.argsort(numbers, kind="stable")
            yield numbers[order], np.repeat([0, 1], [len(negative), len(positive)])[order]


def is_pairwise(base: Any) -> bool:
    """Whether an estimator takes what rows have to do with each other, such as a kernel matrix, in their place."""
    learner = hasattr(base, "fit") and not isinstance(base, type)
    return learner and bool(get_tags(base).input_tags.pairwise)


def in_memory(base: Any, source: Source) -> InMemory:
    """The rows, which are cut by class; those of a stream are not."""
    if not isinstance(source, InMemory):
        raise ValueError(f"{type(base).__name__} is fitted for every problem apart: it needs its rows in memory")
    return source
