"""Moments: weight, mean and scatter of rows, in two words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self, cast

import numpy as np
from scipy.sparse import block_diag, eye_array

from ..compiled import sums as kernels
from . import chunk_sums, class_sums, projection
from .held_rows import HeldRows, are_held, fields_of_rows
from .projection import TWO_WORD_EPS, times
from .removal import checked_rest, nothing_left, removal_rounding
from .rounding import known_to_vary, outer_rounding
from .row_checks import check_range
from .statistic import Decayable, Recodable, Removable, Restrictable, Words
from .units import suitable_exponent
from .weights import FAINTEST


@dataclass(frozen=True, eq=False)
class Moments(Removable, Decayable, Restrictable, Recodable):
    """Weight W, mean m and scatter S of the rows z = (x, y).

        W = sum w,   m = sum w z / W,   S = sum w (z - m)(z - m)'

    Mean and scatter are kept in two words, about the rows' own mean, so that neither a large offset nor thousands of
    merges cost digits. ``scatter`` is the full matrix, or only its diagonal (``form="diagonal"``). The last `targets`
    columns of z are the y of a regression.

    Fields: `total`, `centre` and `spread` are W, m and S as two words in units of 2**`exponent` per column (zero
    unless the data leave the range 1e-100 to 1e100); ``|error of S_ij| <= sqrt(rounding_i rounding_j)``. Of more than
    128 columns and fewer rows than columns, `spread` holds the rows themselves (`holds_rows`), which are less than S
    and are squared for whoever asks; `squared()` lets go of them. A weight, of all rows or of those that bear a flag,
    below `weight_rounding` is none. `count` is how many pieces were merged less those removed: a row that came in two
    pieces counts twice, so nothing is decided by it.

    >>> a = Moments.of([[1.0, 2.0], [3.0, 5.0]])
    >>> b = Moments.of([[5.0, 2.0]])
    >>> (a + b).mean.tolist(), (a + b).scatter.tolist()
    ([3.0, 3.0], [[8.0, 0.0], [0.0, 6.0]])
    >>> ((a + b) - b).mean.tolist()
    [2.0, 3.5]

    References: Chan, Golub & LeVeque, "Algorithms for computing the sample variance", 1983; Hida, Li & Bailey,
    "Quad-double arithmetic", 2000.
    """

    count: int
    total: Words
    centre: Words
    spread: Words | HeldRows
    rounding: np.ndarray
    exponent: np.ndarray
    targets: int = 0
    weight_rounding: float = 0.0

    # -- making ---------------------------------------------------------------------------------------------------

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any = None,
        weight: Any = None,
        *,
        form: Literal["full", "diagonal"] = "full",
        precise: bool = True,
    ) -> Moments:
        """Moments of the rows of X, with the column or columns y behind them.

        With ``precise=False`` nearly dependent columns are summed as any others: enough for whoever takes eigenvalues
        in double anyway.
        """
        if form == "diagonal":
            return cls(**class_sums.summarise(X, y, weight))
        return cls(**(chunk_sums.summarise(X, y, weight) if precise else chunk_sums.summarise(X, y, weight, np.inf)))

    @classmethod
    def empty(cls, columns: int, targets: int = 0, form: Literal["full", "diagonal"] = "full") -> Moments:
        return cls(**chunk_sums.nothing(columns, form, targets))

    @classmethod
    def of_rows(cls, rows: HeldRows, exponent: np.ndarray, targets: int) -> Self:
        """Moments of rows in units of 2**exponent, which are held where they are fewer than their columns."""
        fields = fields_of_rows(rows, exponent)
        if not are_held(len(rows), len(exponent)):
            fields["spread"] = fields["spread"].square
        return cls(**fields, targets=targets)

    def zero(self) -> Self:
        return type(self)(**chunk_sums.nothing(self.columns, self.form, self.targets))

    # -- reading ----------------------------------------------------------------------------------------------------

    @property
    def weight(self) -> float:
        return float(self.total.hi)

    @property
    def rows(self) -> int:
        return self.count

    @property
    def columns(self) -> int:
        return len(self.rounding)

    @property
    def features(self) -> int:
        """Columns that are not targets."""
        return self.columns - self.targets

    @property
    def form(self) -> str:
        return "full" if self.holds_rows or self.spread.hi.ndim == 2 else "diagonal"

    @property
    def holds_rows(self) -> bool:
        """Whether the rows themselves are in it, in the place of their scatter."""
        return isinstance(self.spread, HeldRows)

    @property
    def mean(self) -> np.ndarray:
        return np.ldexp(self.centre.hi, self.exponent)

    @property
    def mean_rest(self) -> np.ndarray:
        """What one word cannot say of the mean: at an offset of 1e9 up to 6e-8."""
        return np.ldexp(self.centre.lo, self.exponent)

    @cached_property
    def scatter(self) -> np.ndarray:
        e = self.exponent
        return np.ldexp(self.spread.hi, e[:, None] + e if self.form == "full" else 2 * e)

    @property
    def scatter_words(self) -> Words:
        """The scatter in two words, in units of 2**exponent."""
        return self.spread.square if isinstance(self.spread, HeldRows) else self.spread

    @property
    def diagonal(self) -> np.ndarray:
        """Diagonal of the scatter, in units of 4**exponent."""
        if isinstance(self.spread, HeldRows):
            return self.spread.sums.squares.hi
        return self.spread.hi.diagonal() if self.form == "full" else self.spread.hi

    @property
    def squares(self) -> np.ndarray:
        """Diagonal of the scatter."""
        return np.ldexp(self.diagonal, 2 * self.exponent)

    @property
    def deviation(self) -> np.ndarray:
        """Standard deviation of each column (divisor W); right also where the variance is out of range."""
        variance = self.diagonal / self.weight if self.weight else np.zeros(self.columns)
        return np.ldexp(np.sqrt(np.maximum(variance, 0.0)), self.exponent)

    @property
    def is_whole(self) -> bool:
        """Whether every row weighs one."""
        return self.total == (self.count, 0.0)

    @property
    def is_single(self) -> bool:
        """Whether it may be one row: it weighs no more, and no column varies."""
        return self.weight <= 1.0 + self.weight_rounding and not self.diagonal.any()

    def least_rows(self, rank: int) -> int:
        """How many rows there are at least: as many as it weighs, or as a scatter of that rank needs."""
        return max(int(self.weight + self.weight_rounding), rank + 1)

    @property
    def digits(self) -> np.ndarray:
        """Decimal digits of the variance of each column that rounding has left."""
        with np.errstate(divide="ignore", invalid="ignore"):
            lost = np.where(self.rounding > 0, self.rounding / np.abs(self.diagonal), TWO_WORD_EPS)
        return np.clip(-np.log10(np.maximum(lost, 1e-32)), 0.0, 32.0)

    def covariance(self, ddof: float = 0.0) -> np.ndarray:
        """Scatter / (W - ddof)."""
        return self.scatter / (self.weight - ddof)

    # -- the algebra --------------------------------------------------------------------------------------------------

    def merge(self, other: Self) -> Self:
        self._check_same(other)
        if other.count == 0:
            return self
        if self.count == 0:
            return other
        if self.holds_rows and other.holds_rows and are_held(self.count + other.count, self.columns):
            exponent = self.exponent
            if (exponent != other.exponent).any():
                exponent = suitable_exponent((self, other), (other.mean / 2 - self.mean / 2,))
            mine, theirs = (cast(HeldRows, part.with_exponent(exponent).spread) for part in (self, other))
            return self.of_rows(mine.joined(theirs), exponent, self.targets)
        merged = self._combined(other, 1.0, self.count + other.count)
        return merged.without_ghosts(lambda: known_to_vary(self, other, merged))

    def remove(self, other: Self, flags: np.ndarray | None = None, *, rounded: float = 0.0, reach: float = 0.0) -> Self:
        """The moments without the rows of `other`.

        `flags` marks columns that hold nothing but 0 and 1: their mean says exactly whether they are constant in the
        rows that stay, which rounding hides from the scatter. Columns that were computed may differ from those that
        were merged in their last bit, by a share of `rounded`; of their own value, or of `reach` where they came out of
        numbers of that size.
        """
        self._check_same(other)
        if other.count == 0:
            return self
        rounding = self.weight_rounding + other.weight_rounding
        if self.holds_rows and other.holds_rows:
            gone = cast(HeldRows, other.with_exponent(self.exponent).spread)
            rows = cast(HeldRows, self.spread).without(gone, rounding)
            if rows is not None:
                return self.of_rows(rows, self.exponent, self.targets)
        left = (self.total.hi - other.total.hi) + (self.total.lo - other.total.lo)
        if nothing_left(self, other, left, rounding):
            return self.zero()
        rest = self._combined(other, -1.0, max(self.count - other.count, 1))
        whole = self.is_whole and other.is_whole and not rounded
        if not whole:
            rest = replace(rest, rounding=rest.rounding + removal_rounding(self, other, rest.exponent, rounded, reach))
        return checked_rest(self, rest if flags is None else rest.settle(flags), whole)

    def decay(self, factor: float) -> Self:
        factor = self.check_factor(factor)
        if factor == 1.0:
            return self
        if self.weight * factor < FAINTEST:  # nothing is left of these rows
            return self.zero()
        if isinstance(self.spread, HeldRows):
            rows = HeldRows(self.spread.values, times(self.spread.mass, factor))
            return self.of_rows(rows.chosen(rows.mass.hi > 0), self.exponent, self.targets)
        total = times(Words(np.array([self.total.hi]), np.array([self.total.lo])), factor)
        weight = Words(float(total.hi[0]), float(total.lo[0]))
        rounding, unsure = self.rounding * factor, self.weight_rounding * factor
        return replace(self, total=weight, spread=times(self.spread, factor), rounding=rounding, weight_rounding=unsure)

    def restrict(self, columns: Sequence[int] | np.ndarray) -> Self:
        """Moments of some of the features (indices or a mask); the targets stay."""
        chosen = np.asarray(columns)
        index = np.arange(self.features)[chosen if chosen.size else chosen.astype(np.intp)]
        index = np.concatenate([np.atleast_1d(index), np.arange(self.features, self.columns)])
        if isinstance(self.spread, HeldRows):
            return self.of_rows(self.spread.of_columns(index), self.exponent[index], self.targets)
        cut = np.ix_(index, index) if self.form == "full" else index
        return replace(
            self,
            centre=self.centre.at(index),
            spread=self.spread.at(cut),
            rounding=self.rounding[index],
            exponent=self.exponent[index],
        )

    def project(self, A: Any, targets: int = 0) -> Self:
        """Moments of A'z, for A with one row per column of z: scaling, filling and grouping without rows."""
        if self.form != "full":
            raise ValueError("only full moments can be projected; these keep the diagonal alone")
        return projection.full(self, A, targets)

    def recode(self, A: Any, offset: np.ndarray | None = None) -> Self:
        """Moments of (A'x + offset, y): new features made of the old ones, the targets as they are. A may be sparse.

        Of diagonal moments this is known only where the columns that A combines are never both nonzero in a row (flags
        of levels; a value and the flag that it is missing), so that their products vanish; it is taken to be so.

        >>> Moments.of([[1.0, 0.0, 5.0], [0.0, 1.0, 7.0]]).recode(np.array([[1.0], [3.0], [0.0]])).mean.tolist()
        [2.0]
        """
        whole = block_diag([A, eye_array(self.targets)], format="csc")
        found = (projection.full if self.form == "full" else projection.disjoint)(self, whole, self.targets)
        return found if offset is None else found.shift(np.append(offset, np.zeros(self.targets)))

    def squared(self) -> Self:
        """The same moments with the scatter itself, where rows are held in its place."""
        return replace(self, spread=self.scatter_words)

    def factor(self, centred: bool = True) -> np.ndarray | None:
        """B with B'B = S in its units, or the products about zero: a row for each row held; None where S is.

        In one word: sqrt(w) (z - m), or sqrt(w) z.
        """
        return self.spread.factor(centred) if isinstance(self.spread, HeldRows) else None

    def principal(self, least: int = 0, centred: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues of the scatter in its units, largest first, and eigenvectors in columns.

        Those of the products about zero with ``centred=False``, where the units of all columns must be the same. Of
        rows that are held those that they span come out, unless `least` are wanted: the others belong to zero.
        """
        if isinstance(self.spread, HeldRows) and len(self.spread) >= least:
            factor = self.spread.factor(centred)
            _, sizes, axes = np.linalg.svd(factor, full_matrices=False)  # of S it would square small ones
            return sizes**2, axes.T
        mean = self.centre.hi
        products = self.spread.hi if centred else self.spread.hi + self.weight * np.outer(mean, mean)
        values, vectors = np.linalg.eigh(products)
        return np.maximum(values[::-1], 0.0), vectors[:, ::-1]

    def with_targets(self, values: np.ndarray) -> Self:
        """Moments of (z, values), where the values are the same for every row: more targets, and no new information."""
        p, k = self.columns, len(values)
        exponent = np.append(self.exponent, np.zeros(k, dtype=np.int64))
        if isinstance(self.spread, HeldRows):
            return self.of_rows(self.spread.beside(values), exponent, self.targets + k)
        centre = Words(np.append(self.centre.hi, values), np.append(self.centre.lo, np.zeros(k)))
        spread = Words.zeros((p + k, p + k))
        spread.hi[:p, :p], spread.lo[:p, :p] = self.spread
        rounding, targets = np.append(self.rounding, np.zeros(k)), self.targets + k
        return replace(self, centre=centre, spread=spread, rounding=rounding, exponent=exponent, targets=targets)

    def settle(self, flags: np.ndarray) -> Self:
        """The same moments, where columns of 0 and 1 (`flags`) that are set in no row, or in all, are exactly so."""
        value = np.round(self.centre.hi)
        away = np.abs((self.centre.hi - value) + self.centre.lo)
        flat = flags & (away * self.weight <= self.weight_rounding) & (self.exponent == 0)
        return self.flattened(flat, value) if flat.any() and self.count else self

    def shift(self, offset: np.ndarray) -> Self:
        """Moments of z + offset: only the mean moves, and it stays exact to two words."""
        offset = np.asarray(offset, dtype=float)
        with np.errstate(over="ignore"):
            scaled = np.ldexp(offset, -self.exponent)
        if np.isfinite(offset).all() and not np.isfinite(scaled).all():  # further than such small units reach
            return self.with_exponent(suitable_exponent((self,), (self.mean / 2, offset / 2))).shift(offset)
        if isinstance(self.spread, HeldRows):
            rows = self.spread.moved(Words(-scaled, np.zeros_like(scaled)))
            return self.of_rows(rows, self.exponent, self.targets)
        high = self.centre.hi + scaled
        step = high - self.centre.hi
        low = (self.centre.hi - (high - step)) + (scaled - step) + self.centre.lo
        return replace(self, centre=Words(high + low, low - ((high + low) - high)))

    def _plus(self, other: Self) -> Self:
        """This mean and weight with the scatters of both (`other` holds deviations from the same centres)."""
        quiet = replace(other, centre=self.with_exponent(other.exponent).centre, total=self.total)
        spread = self._combined(quiet, 1.0, self.count)
        return replace(spread, total=self.total)

    def with_exponent(self, exponent: np.ndarray) -> Self:
        """The same moments in units of 2**exponent."""
        shift = self.exponent - exponent
        if not shift.any():
            return self
        if isinstance(self.spread, HeldRows):
            spread: Any = self.spread.scaled(shift)
        else:
            spread = self.spread.shifted(shift[:, None] + shift if self.form == "full" else 2 * shift)
        return replace(
            self,
            centre=self.centre.shifted(shift),
            spread=spread,
            rounding=np.ldexp(self.rounding, 2 * shift),
            exponent=exponent,
        )

    # -- how ----------------------------------------------------------------------------------------------------

    def _check_same(self, other: Moments) -> None:
        for name in ("columns", "targets", "form"):
            if getattr(self, name) != getattr(other, name):
                raise ValueError(f"moments differ in {name}: {getattr(self, name)} and {getattr(other, name)}")

    def _combined(self, other: Self, sign: float, count: int) -> Self:
        a, b = self, other
        if (a.exponent != b.exponent).any():
            exponent = suitable_exponent((a, b), (b.mean / 2 - a.mean / 2,))
            a, b = a.with_exponent(exponent), b.with_exponent(exponent)
        p = a.columns
        centre, delta, spread = Words.empty(p), Words.empty(p), Words.empty((p, p) if a.form == "full" else p)
        wh, wl, fh, fl = kernels.combine_means(sign, *a.total, *b.total, *a.centre, *b.centre, *centre, *delta)
        combine = kernels.combine_scatter if a.form == "full" else kernels.combine_diagonal
        if not combine(sign, *a.spread, *b.spread, *delta, fh, fl, *spread):
            exponent = suitable_exponent((a, b), (b.mean / 2 - a.mean / 2,))
            if (exponent != a.exponent).any():
                return a.with_exponent(exponent)._combined(b.with_exponent(exponent), sign, count)
        check_range((wh, spread.hi.sum()))
        rounding = a.rounding + b.rounding + TWO_WORD_EPS * (a.diagonal + b.diagonal) + outer_rounding(fh, delta, a, b)
        unsure = a.weight_rounding + b.weight_rounding
        return type(a)(count, Words(wh, wl), centre, spread, rounding, a.exponent, a.targets, unsure)

    def without_ghosts(self, alive: Callable[[], np.ndarray] | None = None) -> Self:
        """The same moments, where a scatter within its rounding is none: rows that are gone left it.

        `alive` says of which columns it is known to be some.
        """
        ghost = (self.diagonal != 0) & (np.abs(self.diagonal) <= self.rounding)
        if ghost.any() and alive is not None:
            ghost = ghost & ~alive()
        if not ghost.any():
            return self
        return replace(self.flattened(ghost, self.mean), centre=self.centre, rounding=self.rounding)

    def flattened(self, flat: np.ndarray, value: np.ndarray) -> Self:
        """The same moments, where some columns are constant."""
        keep = ~flat
        if isinstance(self.spread, HeldRows):
            rows = self.spread.values
            rows = Words(np.where(flat, value, rows.hi), np.where(flat, 0.0, rows.lo))
            return self.of_rows(HeldRows(rows, self.spread.mass), self.exponent, self.targets)
        mask = keep[:, None] & keep if self.form == "full" else keep
        return replace(
            self,
            centre=Words(np.where(flat, value, self.centre.hi), np.where(flat, 0.0, self.centre.lo)),
            spread=Words(np.where(mask, self.spread.hi, 0.0), np.where(mask, self.spread.lo, 0.0)),
            rounding=np.where(flat, 0.0, self.rounding),
        )
