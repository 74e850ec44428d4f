"""check_statistic names every law that is broken: one liar for each."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from sumlearn.statistics import Decayable, Removable, Restrictable
from sumlearn.testing import check_statistic

X = np.round(np.random.default_rng(0).standard_normal((60, 3)) * 1024) / 1024


@dataclass(frozen=True, eq=False)
class Sums(Removable, Decayable, Restrictable):
    """Sums of columns: the honest one."""

    values: np.ndarray
    total: float
    count: int

    @classmethod
    def of(cls, A):
        return cls(A.sum(axis=0), float(len(A)), len(A))

    weight = property(lambda self: self.total)
    rows = property(lambda self: self.count)
    features = property(lambda self: len(self.values))

    def zero(self):
        return type(self)(np.zeros_like(self.values), 0.0, 0)

    def merge(self, other):
        return type(self)(self.values + other.values, self.total + other.total, self.count + other.count)

    def remove(self, other):
        if other.count > self.count:
            raise ValueError(f"cannot remove {other.count} rows from {self.count}")
        return type(self)(self.values - other.values, self.total - other.total, self.count - other.count)

    def decay(self, factor):
        factor = self.check_factor(factor)
        return type(self)(factor * self.values, factor * self.total, self.count)

    def restrict(self, columns):
        return type(self)(self.values[columns], self.total, self.count)


class OneTooMany(Sums):
    def merge(self, other):
        return replace(super().merge(other), count=self.count + other.count + 1)


class ZeroHasARow(Sums):
    def zero(self):
        return replace(super().zero(), count=1)


class ZeroRounds(Sums):
    def merge(self, other):
        more = super().merge(other)
        return more if self.count and other.count else replace(more, values=more.values * (1 + 1e-15))


class LeftComesFirst(Sums):
    """Any bracketing gives the same, any order does not."""

    def merge(self, other):
        more = super().merge(other)
        more.values[0] = self.values[0] if self.count else other.values[0]
        return more


class MeanOfMeans(Sums):
    def merge(self, other):
        if not self.count or not other.count:
            return super().merge(other)
        return replace(super().merge(other), values=(self.values + other.values) / 2)


class RemovesNothing(Sums):
    def remove(self, other):
        return replace(super().remove(other), values=self.values)


class RemovesAnything(Sums):
    def remove(self, other):
        return Sums.merge(self, replace(other, values=-other.values, total=-other.total, count=-other.count))


class KeepsOneRow(Sums):
    def remove(self, other):
        left = super().remove(other)
        return left if left.count else replace(left, count=1)


class RemovalRounds(Sums):
    def remove(self, other):
        left = super().remove(other)
        return left if other.count else replace(left, values=left.values * (1 + 1e-15))


class DecaysUnevenly(Sums):
    def decay(self, factor):
        return replace(super().decay(factor), values=self.values * factor ** max(self.count, 1))


class DecayRounds(Sums):
    def decay(self, factor):
        return replace(super().decay(factor), values=factor * self.values * (1 + 1e-15))


class DecaysByAnything(Sums):
    def decay(self, factor):
        return type(self)(factor * self.values, factor * self.total, self.count)


class DecaysNoWeight(Sums):
    def decay(self, factor):
        return replace(super().decay(factor), total=self.total)


class DecaysRows(Sums):
    def decay(self, factor):
        return replace(super().decay(factor), count=self.count if factor == 1.0 else self.count // 2 * 2)


class RestrictsUnevenly(Sums):
    def restrict(self, columns):
        return replace(super().restrict(columns), values=self.values[columns] + len(columns))


class RestrictsNothing(Sums):
    def restrict(self, columns):
        return self


STATISTICS = {
    OneTooMany: r"^sum\(parts\) = whole: count: ",
    ZeroHasARow: "^zero has no rows: it has 1 rows of weight 0",
    ZeroRounds: r"^a \+ 0 = a, to the bit: ",
    LeftComesFirst: r"^a \+ b = b \+ a: values: ",
    MeanOfMeans: "^parts added from the right = whole: values: ",
    RemovesNothing: r"^\(a \+ b\) - b = a: values: ",
    RemovesAnything: "^more than there is cannot be removed: it was not refused",
    KeepsOneRow: "^a - a has no rows: 1 rows of weight 0",
    RemovalRounds: "^a - 0 = a, to the bit: ",
    DecaysUnevenly: r"^decay\(0\.5\)\(a \+ b\) = decay\(0\.5\)\(a\) \+ decay\(0\.5\)\(b\): values: ",
    DecayRounds: r"^decay\(1\) = same, to the bit: ",
    DecaysByAnything: r"^decay\(0\.0\) is refused: it was not refused",
    DecaysNoWeight: r"^decay\(f\) multiplies the weight by f: the weight is another",
    DecaysRows: r"^decay\(0\.5\)\(a \+ b\) = .*: count: ",
    RestrictsUnevenly: r"^restrict\(a \+ b\) = restrict\(a\) \+ restrict\(b\), columns \[0, 1, 2\]: values: ",
    RestrictsNothing: r"^restrict\(a \+ b\) = .*, columns \[0, 2\]: 3 columns are left",
}
PIECES = [X[:0], X[:21], X[21:22], X[22:41], X[41:]]


def test_an_honest_statistic_passes():
    check_statistic([Sums.of(p) for p in PIECES], Sums.of(X))


@pytest.mark.parametrize("kind", STATISTICS, ids=lambda kind: kind.__name__)
def test_a_broken_law_of_a_statistic_is_named(kind):
    parts = [kind.of(p) for p in PIECES if len(p) or kind is not KeepsOneRow]
    whole = None if kind in (LeftComesFirst, MeanOfMeans) else kind.of(X)  # where there is no whole to compare with
    with pytest.raises(AssertionError, match=STATISTICS[kind]):
        check_statistic(parts, whole)


def test_no_parts_are_refused():
    with pytest.raises(ValueError, match="one or more statistics"):
        check_statistic([])
