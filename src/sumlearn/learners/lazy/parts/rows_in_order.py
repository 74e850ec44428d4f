"""RowsInOrder: the rows themselves, in the order in which they came, with numbers or labels to be predicted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from ....data import Chunk
from ....statistics import Decayable, Removable, Restrictable
from ....statistics.grouped import sorted_labels
from ....statistics.row_checks import check_range, encode, prepare, raise_if_not_finite
from ....statistics.weights import FAINT, FAINTEST, USUAL, warn_of_faint_rows
from ...validation import usable_rows
from .row_groups import RowGroups

Labels = tuple[tuple[Any, ...], ...]
Kinds = tuple[tuple[str, ...], ...]  # of every column "category" or "ordered" and its levels; nothing of a number


@dataclass(frozen=True, eq=False)
class RowsInOrder(Removable, Decayable, Restrictable):
    """Rows x with their targets or labels and weights, one after the other.

    Adding puts the rows of the second behind those of the first; taking out takes the last of equal rows. As a measure
    the rows do not depend on any order; their numbers do, and so does whoever asks which rows were nearest.

    >>> a = RowsInOrder.of([[1.0], [2.0]], ["yes", "no"], labels=True)
    >>> b = RowsInOrder.of([[2.0]], ["maybe"], labels=True)
    >>> (a + b).labels, (a + b).y[:, 0].tolist(), ((a + b) - a).X.tolist()
    (('maybe', 'no', 'yes'), [2.0, 1.0, 0.0], [[2.0]])
    """

    holds_rows: ClassVar[bool] = True

    X: np.ndarray
    y: np.ndarray  # (rows, targets): numbers, or places of labels
    mass: np.ndarray
    names: Labels | None  # the labels of every target, sorted; None of numbers
    look: Kinds | None = None  # of mixed columns their kinds and levels, by which they are coded; NaN is a gap

    @classmethod
    def of(cls, X: Any, y: Any, weight: Any = None, *, labels: bool = False, look: Kinds | None = None) -> RowsInOrder:
        """The rows of a chunk; those of weight zero are left out."""
        gaps = look is not None
        X, y, weight = prepare_with_gaps(X, y, weight) if gaps else prepare(X, y, weight)
        assert y is not None
        values = np.add(X, 0.0, dtype=np.float64)  # -0.0 and 0.0 are the same number
        with np.errstate(invalid="ignore", over="ignore"):
            if not gaps and not np.isfinite(values.sum()):
                raise_if_not_finite(X)
        targets = y if y.ndim == 2 else y[:, None]
        names: Labels | None = None
        if labels:
            coded = [encode(column) for column in targets.T]
            names = tuple(tuple(own) for own, _ in coded)
            places = np.stack([codes for _, codes in coded], axis=1).astype(np.float64)
        else:
            places = targets.astype(np.float64)
            with np.errstate(invalid="ignore", over="ignore"):
                if not np.isfinite(places.sum()):
                    raise_if_not_finite(y, "y")
        mass = np.ones(len(X)) if weight is None else weight.astype(np.float64)
        return cls(values, places + 0.0, mass, names, look)

    @property
    def weight(self) -> float:
        return float(self.mass.sum())

    @property
    def rows(self) -> int:
        return len(self.mass)

    @property
    def features(self) -> int:
        return self.X.shape[1]

    @property
    def targets(self) -> int:
        return self.y.shape[1]

    @property
    def labels(self) -> tuple[Any, ...]:
        """The labels that occur; of several targets those of each."""
        if self.names is None:
            raise AttributeError("rows with numbers for targets have no labels")
        return self.names[0] if len(self.names) == 1 else self.names

    @property
    def is_whole(self) -> bool:
        """Whether every row weighs one, so that none can go in part."""
        return bool((self.mass == 1.0).all())

    def zero(self) -> Self:
        names = None if self.names is None else ((),) * self.targets
        return replace(self, X=self.X[:0], y=self.y[:0], mass=self.mass[:0], names=names)

    def merge(self, other: Self) -> Self:
        self._check_same(other)
        if not self.rows or not other.rows:
            return self if self.rows else other
        first, second, names = self._alike(other)
        mass = np.concatenate([self.mass, other.mass])
        with np.errstate(over="ignore"):
            check_range(mass.sum())
        X, y = np.concatenate([self.X, other.X]), np.concatenate([first, second])
        return replace(self, X=X, y=y, mass=mass, names=names)

    def remove(self, other: Self) -> Self:
        self._check_same(other)
        if not other.rows:
            return self
        if other.weight > self.weight * (1.0 + FAINT):
            raise ValueError(
                f"cannot remove {other.rows} rows of weight {other.weight:g} "
                f"from {self.rows} rows of weight {self.weight:g}"
            )
        for mine, theirs in zip(self.names or (), other.names or (), strict=True):
            for label in theirs:
                if label not in mine:
                    raise ValueError(f"cannot remove rows labelled {label!r}: none were merged")
        n, (first, second, names) = self.rows, self._alike(other)
        groups = RowGroups.of(np.hstack([np.concatenate(pair) for pair in ((self.X, other.X), (first, second))]))
        own, count = groups.numbers, len(groups.starts)
        held, gone = np.bincount(own[:n], self.mass, count), np.bincount(own[n:], other.mass, count)
        if (np.bincount(own[:n], minlength=count) == 0).any():
            raise ValueError("cannot remove rows that were never merged")
        if (gone > held * (1.0 + FAINT)).any():
            group = int(np.argmax(gone > held * (1.0 + FAINT)))
            less, there = gone[group], held[group]
            raise ValueError(f"cannot remove a row of weight {less:g}: it was merged with weight {there:g}")
        left = self.mass.copy()
        going = gone[own[:n]] > 0
        for i in np.flatnonzero(going)[::-1]:  # the last of equal rows first
            less = min(left[i], gone[own[i]])
            left[i], gone[own[i]] = left[i] - less, gone[own[i]] - less
        kept = left > FAINT * held[own[:n]]
        warn_of_faint_rows(int(((left > USUAL * held[own[:n]]) & ~kept).sum()))
        if not kept.any():
            return self.zero()
        return replace(self, X=self.X[kept], y=first[kept], mass=left[kept], names=names).used()

    def decay(self, factor: float) -> Self:
        factor = self.check_factor(factor)
        if self.weight * factor < FAINTEST:
            return self.zero()
        return replace(self, mass=self.mass * factor)

    def restrict(self, columns: Any) -> Self:
        chosen = np.asarray(columns)
        index = np.atleast_1d(np.arange(self.features)[chosen if chosen.size else chosen.astype(np.intp)])
        look = None if self.look is None else tuple(self.look[j] for j in index)
        return replace(self, X=np.ascontiguousarray(self.X[:, index]), look=look)

    def used(self) -> Self:
        """Without labels that no row has any more."""
        if self.names is None:
            return self
        y, names = self.y.copy(), []
        for t, own in enumerate(self.names):
            there, places = np.unique(self.y[:, t].astype(np.int64), return_inverse=True)
            y[:, t] = places
            names.append(tuple(own[k] for k in there))
        return replace(self, y=y, names=tuple(names))

    def _alike(self, other: RowsInOrder) -> tuple[np.ndarray, np.ndarray, Labels | None]:
        """The targets of both, where equal labels have equal places, and the labels."""
        if self.names is None or other.names is None or self.names == other.names:
            return self.y, other.y, self.names
        found = [self.y.copy(), other.y.copy()]
        union = tuple(tuple(sorted_labels({*a, *b})) for a, b in zip(self.names, other.names, strict=True))
        for rows, y in zip((self, other), found, strict=True):
            for t, own in enumerate(rows.names or ()):
                place = {label: k for k, label in enumerate(union[t])}
                y[:, t] = np.array([place[label] for label in own], dtype=np.float64)[y[:, t].astype(np.int64)]
        return found[0], found[1], union

    def _check_same(self, other: RowsInOrder) -> None:
        for name, mine, theirs in (
            ("columns", self.features, other.features),
            ("targets", self.targets, other.targets),
            ("labels, as the one has some and the other numbers", self.names is None, other.names is None),
        ):
            if mine != theirs:
                raise ValueError(f"rows differ in {name}: {mine} and {theirs}")
        for j, (own, others) in enumerate(zip(self.look or (), other.look or (), strict=True)):
            if own != others:
                raise ValueError(
                    f"column {j} has other levels in the one model than in the other, {list(own[1:])} and "
                    f"{list(others[1:])}: let one model learn the rows of both with partial_fit, or declare the "
                    "categories of the column in both tables"
                )


def prepare_with_gaps(X: Any, y: Any, weight: Any) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    """As `prepare`, of coded rows that may hold NaN."""
    chunk = usable_rows(Chunk(X, y, weight), sparse_ok=False, gaps=True)
    return chunk.X, chunk.y, chunk.weight
