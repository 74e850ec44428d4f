"""ExactMoments: weight, sums and products of rows without any rounding."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from . import chunk_sums, exact_maps
from .exact_products import Limbs, products
from .moments import Moments
from .quotients import quotients
from .rounding import EXACT_ROUNDING
from .row_checks import prepare
from .statistic import Recodable, Removable, Restrictable, Words
from .units import suitable_size


@dataclass(frozen=True, eq=False)
class ExactMoments(Removable, Restrictable, Recodable):
    """Weight W, sums and products of the rows z = (x, y), exactly: whole numbers that grow where they need to.

        W = sum w,   s = sum w z,   Q = sum w z z'      (Q, or its diagonal with ``form="diagonal"``)

    Floats are whole numbers in units of a power of two, and so are their sums and products. Here these are kept as
    such, so any order of merging and removing, any chunks and any number of workers leave the same bits: those of the
    rows that are there, and of nothing else. Nothing is fixed by the rows that came first. `moments` are the same sums
    as mean and scatter of two words, rounded once. Rows cannot be made to weigh less (`decay`): products of weights
    and factors would not end.

    Fields: `digits` of 32 bits, the lowest first, in units of 2^(32 `unit`), for the upper triangle of the products of
    (z, 1), row by row; diagonal: square and sum of each column, then the weight. `count` is how many pieces were
    merged less those removed. Memory: 4 bytes for each digit, some 6 of each number where columns are of similar size.

    >>> a = ExactMoments.of([[0.1, 1e300], [0.2, 1.0]])
    >>> b = ExactMoments.of([[0.3, -1e300]])
    >>> (a + b - a).digest == b.digest, a.merge(b).digest == b.merge(a).digest
    (True, True)
    >>> (a + b).moments.mean.round(3).tolist()
    [0.2, 0.333]

    References: Kulisch, "Computer arithmetic and validity", 2008; Ozaki, Ogita, Oishi & Rump, "Error-free
    transformations of matrix multiplication", 2012.
    """

    count: int
    digits: np.ndarray
    unit: int
    columns: int
    targets: int = 0
    form: str = "full"

    # -- making ---------------------------------------------------------------------------------------------------

    @classmethod
    def of(cls, X: Any, y: Any = None, weight: Any = None, *, form: str = "full") -> ExactMoments:
        """Moments of the rows of X, with the column or columns y behind them."""
        if form not in ("full", "diagonal"):
            raise ValueError(f"form must be 'full' or 'diagonal', got {form!r}")
        X, y, weight = prepare(X, y, weight)
        Y = np.zeros((len(X), 0)) if y is None else y[:, None] if y.ndim == 1 else y
        if Y.dtype.kind not in "fiub":
            raise ValueError(f"y must hold real numbers, got dtype {Y.dtype}")
        Z = np.ones((len(X), X.shape[1] + Y.shape[1] + 1))
        Z[:, : X.shape[1]] = X
        Z[:, X.shape[1] : -1] = Y
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(Z.sum()):
                chunk_sums.raise_if_rows_not_finite(X, Y)
        limbs = products(Z, weight, form == "full")
        return cls(len(Z), *limbs, Z.shape[1] - 1, Y.shape[1], form)

    def zero(self) -> Self:
        return replace(self, count=0, digits=self.digits[:, :0], unit=0)

    # -- reading ----------------------------------------------------------------------------------------------------

    @property
    def weight(self) -> float:
        return float(self._total().hi[0])

    @property
    def rows(self) -> int:
        """Number of pieces; at least one where there is any weight."""
        return max(self.count, 1) if self.digits[-1].any() else 0

    @property
    def features(self) -> int:
        """Columns that are not targets."""
        return self.columns - self.targets

    @property
    def is_whole(self) -> bool:
        """Whether every row weighs one."""
        return [word[0] for word in self._total()] == [self.count, 0.0]

    def can_be_sums(self) -> bool:
        """Whether rows can have left it: some weight, and no variance below zero."""
        weight, sums, squares = self._integers(products=False)
        return weight > 0 and not (weight * squares < sums * sums).any()

    @property
    def digest(self) -> str:
        """A fingerprint of all that is in it (SHA-256): equal for the same rows, however they came together."""
        told = hashlib.sha256(repr((self.count, self.unit, self.columns, self.targets, self.form)).encode())
        told.update(np.ascontiguousarray(self.digits, dtype="<i4").tobytes())
        return told.hexdigest()

    @cached_property
    def moments(self) -> Moments:
        """The same sums as mean and scatter in two words, which follow from them alone.

        m = s / W,   S = (W Q - s s') / W
        """
        weight, sums, squares = self._integers()
        p = self.columns
        if weight == 0:
            return Moments.empty(p, self.targets, self.form).squared()  # type: ignore[arg-type]
        first, second = np.triu_indices(p) if self.form == "full" else (np.arange(p), np.arange(p))
        scatter = quotients(weight * squares - sums[first] * sums[second], weight)
        scale = scatter._replace(exponent=scatter.exponent + 32 * self.unit)
        diagonal = first == second
        sizes = np.frexp(scale.words.hi[diagonal])[1] + scale.exponent[diagonal]
        exponent = suitable_size(np.where(scale.words.hi[diagonal] > 0, sizes // 2, 0))
        total = self._total()
        packed = scale.in_units(exponent[first] + exponent[second])
        spread = packed if self.form == "diagonal" else Words(*(square_of(word, p) for word in packed))
        diagonals = packed.hi[diagonal]
        return Moments(
            max(self.count, 1),
            Words(float(total.hi[0]), float(total.lo[0])),
            quotients(sums, weight).in_units(exponent),
            spread,
            EXACT_ROUNDING * diagonals,
            exponent,
            self.targets,
        )

    # -- the algebra --------------------------------------------------------------------------------------------------

    def merge(self, other: Self) -> Self:
        self._check_same(other)
        if not other.rows:
            return self
        if not self.rows:
            return other
        return self._with(self._limbs.plus(other._limbs), self.count + other.count)

    def remove(self, other: Self, flags: np.ndarray | None = None) -> Self:
        """The moments without the rows of `other`; `flags` of 0 and 1 need no care here."""
        self._check_same(other)
        if not other.rows:
            return self
        rest = self._with(self._limbs.plus(other._limbs, -1), self.count - other.count)
        weight, sums, squares = rest._integers(products=False)
        if weight < 0:
            raise ValueError(
                f"cannot remove {other.count} rows of weight {other.weight:g} "
                f"from {self.count} rows of weight {self.weight:g}"
            )
        never = np.flatnonzero(weight * squares - sums * sums < 0)
        if weight == 0 and rest.digits.any():
            raise ValueError("the rows to remove are not the rows that were merged: something would be left of them")
        if len(never):
            raise ValueError(
                f"removing these rows would leave a negative variance in column {never[0]}: they were not all merged "
                "before"
            )
        return rest if weight else self.zero()

    def restrict(self, columns: Sequence[int] | np.ndarray) -> Self:
        """Moments of some of the features (indices or a mask); the targets stay."""
        chosen = np.asarray(columns)
        index = np.arange(self.features)[chosen if chosen.size else chosen.astype(np.intp)]
        index = np.concatenate([np.atleast_1d(index), np.arange(self.features, self.columns + 1)])
        if self.form == "full":
            a, b = index[np.array(np.triu_indices(len(index)))]
            low, high = np.minimum(a, b), np.maximum(a, b)
            places = low * (self.columns + 1) - low * (low - 1) // 2 + high - low
        else:
            places = np.append(np.column_stack([2 * index[:-1], 2 * index[:-1] + 1]).ravel(), 2 * self.columns)
        kept = replace(self, columns=len(index) - 1)
        return kept._with(self._limbs.at(places), self.count)

    def recode(self, A: Any, offset: np.ndarray | None = None) -> Self:
        """Moments of (A'x + offset, y), without rounding; of diagonal ones as in `Moments.recode`."""
        B = exact_maps.map_of(A, offset, self.features, self.targets)
        weight, sums, squares = self._integers()
        if self.form == "diagonal":
            limbs = exact_maps.disjoint(weight, sums, squares, B, self.unit)
        else:
            Q = square_of(Limbs(self.digits, self.unit).integers(), self.columns + 1)
            limbs = exact_maps.full(Q, B, self.unit)
        return replace(self, columns=B.shape[1] - 1)._with(limbs, self.count)

    def settle(self, flags: np.ndarray) -> Self:
        """Nothing is rounded: a column that is set in no row is zero."""
        return self

    # -- how ----------------------------------------------------------------------------------------------------------

    @property
    def _limbs(self) -> Limbs:
        return Limbs(self.digits, self.unit)

    def _with(self, limbs: Limbs, count: int) -> Self:
        return replace(self, count=count, digits=limbs.digits, unit=limbs.unit)

    def _total(self) -> Words:
        return quotients(Limbs(self.digits[-1:], self.unit).integers(), 1).in_units(-32 * self.unit)

    def _integers(self, products: bool = True) -> tuple[int, np.ndarray, np.ndarray]:
        """Weight, sums and products (or squares alone) as whole numbers in units of 2^(32 unit)."""
        p = self.columns
        if self.form == "full":
            first, second = np.triu_indices(p + 1)
            sums = np.flatnonzero((second == p) & (first < p))
            squares = np.flatnonzero((second < p) & ((first == second) | products))
        else:
            sums, squares = np.arange(1, 2 * p, 2), np.arange(0, 2 * p, 2)
        found = Limbs(self.digits[np.concatenate([sums, squares, [-1]])], self.unit).integers()
        return int(found[-1]), found[:p], found[p:-1]

    def _check_same(self, other: ExactMoments) -> None:
        for name in ("columns", "targets", "form"):
            if getattr(self, name) != getattr(other, name):
                raise ValueError(f"moments differ in {name}: {getattr(self, name)} and {getattr(other, name)}")


def square_of(upper: np.ndarray, columns: int) -> np.ndarray:
    """A symmetric matrix from its upper triangle, row by row."""
    out = np.empty((columns, columns), dtype=upper.dtype)
    index = np.triu_indices(columns)
    out[index] = upper
    out.T[index] = upper
    return out
