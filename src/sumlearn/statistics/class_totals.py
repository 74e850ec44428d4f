"""ClassTotals: weights of classes, and sums of columns within them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sparse

from ..compiled import class_totals as kernels
from .grouped import sorted_labels
from .row_checks import checked_weight, encode, floats, prepare, raise_if_not_finite
from .statistic import Decayable, Removable, Restrictable, RowError
from .weights import FAINTEST, UNIT, decayed_rounding, difference, joint_rounding, table_rounding, weight_rounding

EXACT = 2.0**53  # sums of whole numbers up to this are exact
NO_WEIGHT = np.zeros(0)


@dataclass(frozen=True, eq=False)
class ClassTotals(Removable, Decayable, Restrictable):
    """Weight of every class, and in it the sum of every column of numbers that are not negative, such as counts.

        classes[k] = sum w [y = k],   sums[k, j] = sum w x_j [y = k]

    Sums of whole numbers are exact; what is left of another when rows go is nothing below its `sum_rounding`.

    >>> a = ClassTotals.of([[2, 0], [1, 3]], ["spam", "spam"])
    >>> (a + ClassTotals.of([[0, 5]], ["ham"])).sums.tolist()
    [[0.0, 5.0], [3.0, 3.0]]
    """

    labels: tuple[Any, ...]
    classes: np.ndarray
    sums: np.ndarray
    sum_rounding: np.ndarray
    count: int
    weight_rounding: float = 0.0

    @classmethod
    def of(cls, X: Any, labels: Any, weight: Any = None, *, above: float | None = None) -> ClassTotals:
        """Sum the rows of X, dense or sparse; with `above`, count the numbers that are larger."""
        keep = None
        if sparse.issparse(X):
            X, labels, weight, keep = sparse_rows(X, labels, weight)
        else:
            X, labels, weight = prepare(X, labels, weight)
        assert labels is not None
        n, d = X.shape
        names, y = encode(np.asarray(labels))
        classes, sums = np.zeros(len(names)), np.zeros((len(names), d))
        w = NO_WEIGHT if weight is None else weight
        whole = True
        if sparse.issparse(X):
            bad, broken = add_sparse(X, y, w, above, classes, sums)
            whole = not broken
        elif above is None:
            X = floats(X)
            bad, broken = kernels.add_rows(X, y, w, classes, sums)
            whole = not broken
        else:
            X = floats(X)
            bad = kernels.count_rows(X, y, w, float(above), classes, sums)
        if bad or not np.isfinite(sums).all():
            refuse(X, above is not None, keep)
        bound = table_rounding(weight)
        rounding = np.zeros_like(sums)
        if bound or not whole or sums.max(initial=0.0) > EXACT:
            rounding = weight_rounding(n, 1.0) * sums
        return cls(tuple(names), classes, sums, rounding, n, bound)

    @property
    def weight(self) -> float:
        return float(self.classes.sum())

    @property
    def rows(self) -> int:
        return self.count

    @property
    def features(self) -> int:
        return self.sums.shape[1]

    def zero(self) -> Self:
        none = np.zeros((0, self.features))
        return type(self)((), np.zeros(0), none, none, 0)

    def merge(self, other: Self) -> Self:
        labels, a, b = self._aligned(other)
        if not self.count or not other.count:
            return other if other.count else self
        sums, rounding = a.sums + b.sums, a.sum_rounding + b.sum_rounding
        rounding += np.where((rounding > 0) | (sums > EXACT), UNIT * sums, 0.0)
        count = self.count + other.count
        return type(self)(labels, a.classes + b.classes, sums, rounding, count, joint_rounding(self, other))

    def remove(self, other: Self) -> Self:
        unknown = [label for label in other.labels if label not in self.labels]
        labels, a, b = self._aligned(other)
        if not other.count:
            return self
        if unknown:
            raise ValueError(f"cannot remove rows that were never merged: none is labelled {unknown[0]!r}")
        bound = joint_rounding(self, other)
        classes = difference(a.classes, b.classes, bound)
        rounding = a.sum_rounding + b.sum_rounding
        rounding += np.where(rounding > 0, UNIT * (a.sums + b.sums), 0.0)
        sums = difference(a.sums, b.sums, rounding)
        if sums[classes == 0].any():
            raise ValueError("cannot remove rows that were never merged: what is left of a class has no weight")
        left = type(self)(labels, classes, sums, rounding, max(self.count - other.count, 1), bound)
        return left._without_empty_classes() if classes.any() else self.zero()

    def decay(self, factor: float) -> Self:
        if self.check_factor(factor) == 1.0:
            return self
        if self.weight * factor < FAINTEST:  # nothing is left of these rows
            return self.zero()
        return replace(
            self,
            classes=self.classes * factor,
            sums=self.sums * factor,
            sum_rounding=factor * (self.sum_rounding + 2.0 * UNIT * self.sums),
            weight_rounding=decayed_rounding(self, factor),
        )

    def restrict(self, columns: Sequence[int] | np.ndarray) -> Self:
        """The sums of some of the columns, in the order given."""
        chosen = np.asarray(columns)
        index = np.arange(self.features)[chosen if chosen.size else chosen.astype(np.intp)]
        return replace(self, sums=self.sums[:, index], sum_rounding=self.sum_rounding[:, index])

    def _without_empty_classes(self) -> Self:
        kept = np.flatnonzero(self.classes)
        if len(kept) == len(self.labels):
            return self
        return replace(
            self,
            labels=tuple(self.labels[k] for k in kept),
            classes=self.classes[kept],
            sums=self.sums[kept],
            sum_rounding=self.sum_rounding[kept],
        )

    def _aligned(self, other: Self) -> tuple[tuple[Any, ...], Self, Self]:
        """Both over the union of their classes."""
        if self.features != other.features:
            raise ValueError(f"sums of {self.features} and {other.features} columns cannot be combined")
        if self.labels == other.labels:
            return self.labels, self, other
        labels = tuple(sorted_labels({*self.labels, *other.labels}))
        return labels, self._over(labels), other._over(labels)

    def _over(self, labels: tuple[Any, ...]) -> Self:
        place = [labels.index(label) for label in self.labels]
        classes = np.zeros(len(labels))
        sums, rounding = np.zeros((len(labels), self.features)), np.zeros((len(labels), self.features))
        classes[place], sums[place], rounding[place] = self.classes, self.sums, self.sum_rounding
        return replace(self, labels=labels, classes=classes, sums=sums, sum_rounding=rounding)


def sparse_rows(X: Any, labels: Any, weight: Any) -> tuple[Any, np.ndarray, np.ndarray | None, np.ndarray | None]:
    """Compressed rows, labels and weights, without the rows of zero weight; and which are left, if not all."""
    X, labels = sparse.csr_array(X), np.asarray(labels)
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    if weight is None:
        return X, labels, None, None
    weight, keep = checked_weight(weight, X.shape[0]), None
    if len(weight) and weight.min() == 0:
        keep = np.flatnonzero(weight)
        X, labels, weight = X[keep], labels[keep], weight[keep]
    return X, labels, None if (weight == 1).all() else weight, keep


def add_sparse(
    X: Any, y: np.ndarray, weight: np.ndarray, above: float | None, classes: np.ndarray, sums: np.ndarray
) -> tuple[bool, bool]:
    data = X.data
    if above is not None:
        if above < 0:
            raise ValueError(f"numbers above {above:g} are most cells of sparse rows: make them dense")
        if not np.isfinite(data).all():
            return True, False
        data = (data > above).astype(np.float64)
    return kernels.add_sparse_rows(data, X.indices, X.indptr, y, weight, classes, sums)


def refuse(X: Any, counted: bool, keep: np.ndarray | None) -> None:
    """Say where the first number is that is none, or is negative where numbers are summed."""
    if sparse.issparse(X):
        cells = X.tocoo()
        order = np.lexsort((cells.col, cells.row))
        row, column, values = cells.row[order], cells.col[order], cells.data[order]
        for p in np.flatnonzero(~np.isfinite(values) | ((values < 0) & (not counted)))[:1]:
            number = row[p] if keep is None else keep[row[p]]
            raise RowError("X", int(number), int(column[p]), float(values[p]))
    else:
        raise_if_not_finite(X)
        for i, j in np.argwhere(X < 0)[:1] if not counted else ():
            raise RowError("X", int(i), int(j), float(X[i, j]))
    raise ValueError("the sums of X overflow: scale it down")
