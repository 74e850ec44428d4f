"""Pooled: moments by class that share one scatter."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ..compiled import sums as kernels
from . import chunk_sums, class_sums
from .grouped import Grouped
from .held_rows import HeldRows, are_held
from .moments import Moments
from .removal import checked_rest, removal_rounding
from .rounding import outer_rounding
from .row_checks import encode, floats, prepare
from .statistic import Decayable, Recodable, Removable, Restrictable, Words
from .units import suitable_exponent
from .weights import FAINTEST, UNIT


@dataclass(frozen=True, eq=False)
class Pooled(Removable, Decayable, Restrictable, Recodable):
    """Weight, mean and scatter diagonal of every class, and one scatter pooled within the classes.

        S_w = sum_k sum_{i in k} w_i (x_i - m_k)(x_i - m_k)'

    It holds what linear discriminants need (S_w and the class means), what naive Bayes needs (the diagonals), and the
    moments of all rows together, in (K + d) d numbers instead of K d^2. Where rows are held (`Moments`), the classes
    hold them and S_w follows.

    >>> p = Pooled.of([[0.0, 0.0], [2.0, 0.0], [5.0, 1.0], [7.0, 3.0]], ["a", "a", "b", "b"])
    >>> p.within.scatter.tolist()
    [[4.0, 2.0], [2.0, 2.0]]
    >>> p.moments().scatter.tolist()
    [[29.0, 12.0], [12.0, 6.0]]
    """

    groups: Grouped[Moments]
    within: Moments  # of the rows about their class means: its mean is zero

    def __post_init__(self) -> None:
        if self.groups.rows and self.within.holds_rows:
            object.__setattr__(self, "within", within_of(self.groups, self.within.columns))

    @classmethod
    def of(cls, X: Any, labels: Any, weight: Any = None) -> Pooled:
        X, labels, weight = prepare(X, labels, weight, FAINTEST)
        assert labels is not None
        names, codes = encode(labels)
        n, d = X.shape
        if n <= d + len(names) or n * d * d <= chunk_sums.EXACT_WORK:
            return cls.from_groups(Grouped.of(X, labels, weight, precise=False), d)
        X = floats(X)
        found = class_sums.by_class(X, codes, len(names), weight, products=True)
        if found is not None:
            raw = found.within
            smallest, largest = chunk_sums.SQUARES[X.dtype]
            squares = found.squares.sum(axis=0)
            fits = (
                np.isfinite(raw).all() and squares.max() <= largest and not ((squares < smallest) & (squares > 0)).any()
            )
            # eigenvalues of it are taken in double, so float64 products are as good as any
            if fits and (X.dtype == np.float64 or chunk_sums.condition(raw) <= chunk_sums.PRODUCT_LIMIT[X.dtype]):
                W = float(n) if weight is None else float(weight.sum())
                fields = chunk_sums.fields_of(
                    n, W, Words.zeros(d), Words(raw, np.zeros((d, d))), found.rounding * squares
                )
                parts = class_sums.diagonals(X, codes, len(names), weight, found)
                return cls(
                    Grouped({k: Moments(**values) for k, values in zip(names, parts, strict=True)}), Moments(**fields)
                )
        if X.dtype == np.float32:
            return cls.of(X.astype(np.float64), labels, weight)
        return cls.from_groups(Grouped.of(X, labels, weight, precise=False), d)

    @classmethod
    def from_groups(cls, groups: Grouped[Moments], columns: int) -> Pooled:
        """Pool full moments by class."""
        if are_held(groups.rows, columns) and all(part.holds_rows for part in groups.contents()):
            return cls(groups, Moments.empty(columns))
        groups = groups.map(Moments.squared)
        within = Moments.empty(columns).squared()
        for part in groups.groups.values():
            within = within.merge(replace(part, centre=Words.zeros(columns)))
        diagonals = {
            label: replace(part, spread=Words(*(np.ascontiguousarray(w.diagonal()) for w in part.spread)))
            for label, part in groups.items()
        }
        return cls(Grouped(diagonals), within)

    @property
    def weight(self) -> float:
        return self.within.weight

    @property
    def rows(self) -> int:
        return self.within.rows

    @property
    def labels(self) -> list[Any]:
        return self.groups.labels

    @property
    def features(self) -> int:
        return self.within.columns

    @property
    def holds_rows(self) -> bool:
        return self.within.holds_rows

    def squared(self) -> Self:
        """The same moments with the scatter itself, where rows are held in its place."""
        if self.holds_rows and self.rows:
            return self._repooled(self.groups.map(Moments.squared))
        return type(self)(self.groups, self.within.squared())

    def zero(self) -> Self:
        return type(self)(self.groups.zero(), self.within.zero())

    def merge(self, other: Self) -> Self:
        if not self.rows or not other.rows or self.holds_rows != other.holds_rows:
            self._check_columns(other)
            if not (self.rows and other.rows):
                return self if self.rows else other
            return self.squared().merge(other.squared())
        self._check_same(other)
        if self.holds_rows:
            return self._repooled(self.groups.merge(other.groups))
        within = self.within.merge(other.within)
        groups = self.groups.merge(other.groups)
        return type(self)(groups, self._between(other, within, 1.0, groups).without_ghosts())

    def remove(self, other: Self, flags: np.ndarray | None = None, *, rounded: float = 0.0) -> Self:
        """The moments without the rows of `other`; `flags` and `rounded` as in `Moments.remove`."""
        self._check_columns(other)
        if other.rows == 0:
            return self
        if self.holds_rows != other.holds_rows:
            return self.squared().remove(other.squared(), flags, rounded=rounded)
        self._check_same(other)
        groups = self.groups.remove(other.groups, flags, **({"rounded": rounded} if rounded else {}))
        if self.holds_rows:
            return self._repooled(groups)
        if not len(groups):
            return self.zero()
        within = self._between(other, self.within._combined(other.within, -1.0, groups.rows), -1.0, groups)
        words = [word for part in groups.contents() for word in part.total]  # nothing of classes that are gone
        high = math.fsum(words)
        within = replace(within, total=Words(high, math.fsum((*words, -high))))
        whole = self.within.is_whole and other.within.is_whole and not rounded
        if not whole:
            for label in (k for k in other.labels if k in groups.groups):
                gained = removal_rounding(self.groups[label], other.groups[label], within.exponent, rounded)
                within = replace(within, rounding=within.rounding + gained)
            gone = other.within.with_exponent(within.exponent).diagonal
            within = replace(within, rounding=within.rounding + 4.0 * max(UNIT, rounded) * np.abs(gone))
        if flags is not None:
            within = settled_within(within, groups, flags)
        settled = settled_within(within, groups, np.ones(within.columns, dtype=bool))
        return type(self)(groups, checked_rest(self.within, replace(settled, rounding=within.rounding), whole))

    def decay(self, factor: float) -> Self:
        groups = self.groups.decay(factor)
        if self.holds_rows:
            return self._repooled(groups)
        return type(self)(groups, self.within.decay(factor)) if len(groups) else self.zero()

    def restrict(self, columns: Any) -> Self:
        groups = self.groups.restrict(columns)
        within = self.within.restrict(columns)
        return self._repooled(groups, within.columns) if self.holds_rows else type(self)(groups, within)

    def recode(self, A: Any, offset: np.ndarray | None = None) -> Self:
        """Pooled moments of A'x + offset; of the class diagonals, `Moments.recode` says what A may combine."""
        groups = self.groups.recode(A, offset)
        return self._repooled(groups, A.shape[1]) if self.holds_rows else type(self)(groups, self.within.recode(A))

    def settle(self, flags: np.ndarray) -> Self:
        """Flags that are set in no row of a class, or in all, are exactly so (`Moments.settle`)."""
        groups = self.groups.settle(flags)
        if self.holds_rows:
            return self._repooled(groups)
        return type(self)(groups, settled_within(self.within, groups, flags))

    def moments(self, labels: bool = False) -> Moments:
        """Moments of all rows together; with ``labels=True`` of (x, label), for numeric labels."""
        if not len(self.groups):
            return self.within
        if self.holds_rows:
            return self.groups.moments(labels)
        total = self.groups.map(lambda part: replace(part, spread=Words.zeros((part.columns, part.columns))))
        return total.moments(labels)._plus(self.within.with_targets(np.zeros(1)) if labels else self.within)

    def _between(self, other: Self, within: Moments, sign: float, kept: Grouped[Moments]) -> Moments:
        """Add s f_k d_k d_k' for the `kept` classes that both sides have: the rank-one terms of a merge or removal."""
        pairs = [
            (self.groups[k], other.groups[k]) for k in other.labels if k in self.groups.groups and k in kept.groups
        ]
        if not pairs:
            return within
        within = within.with_exponent(suitable_exponent([within], [b.mean / 2 - a.mean / 2 for a, b in pairs]))
        pairs = [(a.with_exponent(within.exponent), b.with_exponent(within.exponent)) for a, b in pairs]
        d = within.columns
        apart, factor = Words.empty((len(pairs), d)), Words.empty(len(pairs))
        none = Words.empty(d)
        for k, (a, b) in enumerate(pairs):
            found = kernels.combine_means(
                sign, *a.total, *b.total, *a.centre, *b.centre, *none, apart.hi[k], apart.lo[k]
            )
            factor.hi[k], factor.lo[k] = found[2:]
        spread = Words(within.spread.hi.copy(), within.spread.lo.copy())
        kernels.add_outer_products(sign, *spread, *apart, *factor)
        gained = sum(
            outer_rounding(float(f), apart.at(k), a, b)
            for k, (f, (a, b)) in enumerate(zip(factor.hi, pairs, strict=True))
        )
        return replace(within, spread=spread, rounding=within.rounding + gained)

    def _repooled(self, groups: Grouped[Moments], columns: int | None = None) -> Self:
        """The pooled moments of groups made of these."""
        return self.from_groups(groups, self.within.columns if columns is None else columns)  # type: ignore[return-value]

    def _check_same(self, other: Pooled) -> None:
        self._check_columns(other)
        self.groups._check_same(other.groups)

    def _check_columns(self, other: Pooled) -> None:
        if self.within.columns != other.within.columns:
            raise ValueError(f"pooled moments differ in columns: {self.within.columns} and {other.within.columns}")


def settled_within(within: Moments, groups: Grouped[Moments], flags: np.ndarray) -> Moments:
    """The pooled moments, where flags that are constant in every class are exactly so."""
    constant = np.all([part.diagonal == 0 for part in groups.groups.values()], axis=0)
    return within.flattened(flags & constant, np.zeros(len(flags)))


def within_of(groups: Grouped[Moments], columns: int) -> Moments:
    """Moments of rows that are held, about the means of their classes."""
    within = Moments.empty(columns)
    for part in groups.contents():
        assert isinstance(part.spread, HeldRows)
        within = within.merge(Moments.of_rows(part.spread.moved(part.centre), part.exponent, 0))
    return replace(within, centre=Words.zeros(columns))
