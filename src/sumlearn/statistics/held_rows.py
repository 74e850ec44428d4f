"""Rows in the place of their scatter, where they are fewer than their columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..compiled import held_rows as kernels
from .rounding import EXACT_ROUNDING, PRECISE_WORK, rounding_of_product
from .row_checks import check_room
from .statistic import Words
from .weights import FAINT, USUAL, warn_of_faint_rows, weight_rounding

BLOCK = 1024  # columns of which products are formed at once
WIDE = 128  # columns up to which the square is cheap, so that no row need be held


def are_held(rows: int, columns: int) -> bool:
    """Whether so many rows are kept as they are: this follows from the two numbers, never from what happened before."""
    return rows < columns and columns > WIDE


class RowSums(NamedTuple):
    """Weight, mean, and squares about the mean, in two words."""

    total: Words
    mean: Words
    squares: Words


@dataclass(frozen=True, eq=False)
class HeldRows:
    """n rows z of weight w, which stand for S = sum w (z - m)(z - m)', and are that matrix for whoever asks.

    It has the face of `Words`: `hi` and `lo` are the scatter, formed when first asked for. Rows add up by being held
    together, and go again by being found, so that neither loses a digit.
    """

    values: Words  # (n, columns)
    mass: Words  # (n,)

    def __reduce__(self) -> Any:  # without the square
        return type(self), (self.values, self.mass)

    def __len__(self) -> int:
        return len(self.mass.hi)

    def __iter__(self) -> Iterator[np.ndarray]:
        yield from self.square

    @property
    def hi(self) -> np.ndarray:
        return self.square.hi

    @property
    def lo(self) -> np.ndarray:
        return self.square.lo

    @cached_property
    def sums(self) -> RowSums:
        p = self.values.hi.shape[1]
        mean, squares = Words.zeros(p), Words.zeros(p)
        if not len(self):
            return RowSums(Words(0.0, 0.0), mean, squares)
        total = kernels.row_sums(*self.values, *self.mass, *mean, *squares)
        return RowSums(Words(*total), mean, squares)

    @cached_property
    def square(self) -> Words:
        """The scatter: in two words, or where that would take long of a factor in one."""
        p = self.values.hi.shape[1]
        check_room(p)
        if not len(self) or not self.in_two_words:
            B = self.factor()
            return Words(B.T @ B, np.zeros((p, p)))
        out = Words.empty((p, p))
        kernels.weighted_gram(*self.deviations, *self.mass, *out)
        return out

    @property
    def in_two_words(self) -> bool:
        n, p = self.values.hi.shape
        return n * p * p <= PRECISE_WORK

    @property
    def rounding(self) -> np.ndarray:
        """Bound of the rounding of the square (`Moments.rounding`)."""
        unit = EXACT_ROUNDING if self.in_two_words else rounding_of_product(len(self), np.float64)
        return unit * self.sums.squares.hi

    @property
    def deviations(self) -> Words:
        """z - m."""
        return self.moved(self.sums.mean).values

    @cached_property
    def range(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest value of each column."""
        high = self.values.hi if len(self) else np.zeros((1, self.values.hi.shape[1]))
        return high.min(axis=0), high.max(axis=0)

    @property
    def sizes(self) -> np.ndarray:
        """The largest |value| of each column."""
        return np.maximum(-self.range[0], self.range[1])

    # -- products with rows, of their first columns; nothing as large as the rows is formed ---------------------------

    def centre(self, centred: bool) -> Words:
        """The mean, or zero."""
        return self.sums.mean if centred else Words.zeros(self.values.hi.shape[1])

    def along(self, b: Words, centred: bool = True) -> Words:
        """(z - m)'b for each row z (down) and each row b (across), in two words."""
        out = Words.empty((len(self), len(b.hi)))
        kernels.along(*self.values, *self.centre(centred), *map(np.ascontiguousarray, b), *out)
        return out

    def combined(self, a: Words, columns: int, centred: bool = True) -> Words:
        """sum_i a_i (z_i - m) for each column a (down), in two words."""
        out = Words.empty((a.hi.shape[1], columns))
        kernels.combined(*self.values, *self.centre(centred), *a, *out)
        return out

    def factor(self, centred: bool = True, columns: int | None = None) -> np.ndarray:
        """B with B'B = S, or the products about zero: sqrt(w) (z - m), or sqrt(w) z, in one word."""
        whole = np.s_[: self.values.hi.shape[1] if columns is None else columns]
        return self.factor_of(whole, centred)

    def factor_of(self, part: slice, centred: bool) -> np.ndarray:
        """Some columns of the factor."""
        start, stop, _ = part.indices(self.values.hi.shape[1])
        out = np.empty((len(self), stop - start))
        kernels.factor(*self.values, *self.centre(centred), np.sqrt(self.mass.hi), start, out)
        return out

    def blocks(self, columns: int, centred: bool) -> Iterator[tuple[slice, np.ndarray]]:
        """The first columns of the factor, some at a time."""
        for start in range(0, columns, BLOCK):
            part = slice(start, min(start + BLOCK, columns))
            yield part, self.factor_of(part, centred)

    def gram(self, columns: int, centred: bool = True) -> np.ndarray:
        """B B' for the factor B of the first columns, in one word."""
        if (columns, centred) not in self.grams:
            parts = (B @ B.T for _, B in self.blocks(columns, centred))
            self.grams[columns, centred] = sum(parts, np.zeros((len(self), len(self))))
        return self.grams[columns, centred]

    @cached_property
    def grams(self) -> dict[tuple[int, bool], np.ndarray]:
        """Products of rows that were asked for."""
        return {}

    # -- the algebra --------------------------------------------------------------------------------------------------

    def joined(self, other: HeldRows) -> HeldRows:
        """The rows of both."""
        pairs = zip((*self.values, *self.mass), (*other.values, *other.mass), strict=True)
        high, low, mass, rest = (np.concatenate(pair) for pair in pairs)
        return HeldRows(Words(high, low), Words(mass, rest))

    def without(self, other: HeldRows, rounding: float) -> HeldRows | None:
        """The rows that stay when those of `other` go; None where they are not all here, weight for weight.

        What is left of a row's weight within the rounding of weights, and of its own, is nothing.
        """
        places: dict[bytes, list[int]] = {}
        faint = 0
        for i, key in enumerate(keys(self.values)):
            places.setdefault(key, []).append(i)
        high, low = self.mass.hi.copy(), self.mass.lo.copy()
        for key, mass, rest in zip(keys(other.values), *other.mass, strict=True):
            found = places.get(key, [])
            while found and mass > 0:
                i = found[-1]
                left = less(Words(high[i], low[i]), Words(mass, rest))
                nothing = min(rounding, FAINT * max(high[i], mass))  # a light row beside heavy ones stays
                faint += USUAL * high[i] < left.hi <= nothing
                high[i], low[i] = left if left.hi > nothing else (0.0, 0.0)
                if left.hi <= nothing:
                    found.pop()
                mass, rest = (-left.hi, -left.lo) if left.hi < -nothing else (0.0, 0.0)
            if mass > 0:
                return None
        warn_of_faint_rows(faint)
        return HeldRows(self.values, Words(high, low)).chosen(high > 0)

    def chosen(self, rows: np.ndarray) -> HeldRows:
        return HeldRows(self.values.at(rows), self.mass.at(rows))

    def of_columns(self, index: np.ndarray) -> HeldRows:
        return HeldRows(Words(*(np.ascontiguousarray(word[:, index]) for word in self.values)), self.mass)

    def moved(self, offset: Words) -> HeldRows:
        """The rows z - offset."""
        values = Words.empty(self.values.hi.shape)
        kernels.less(*self.values, *offset, *values)
        return HeldRows(values, self.mass)

    def scaled(self, exponent: np.ndarray) -> HeldRows:
        """The rows 2**exponent z."""
        return HeldRows(self.values.shifted(exponent), self.mass)

    def beside(self, values: np.ndarray) -> HeldRows:
        """The rows (z, values), the same values in each."""
        more = np.tile(values, (len(self), 1))
        high, low = np.hstack([self.values.hi, more]), np.hstack([self.values.lo, 0.0 * more])
        return HeldRows(Words(high, low), self.mass)


def keys(values: Words) -> list[bytes]:
    """What rows are recognised by: their bits, where -0 is 0."""
    return [row.tobytes() for row in np.hstack([values.hi, values.lo]) + 0.0]


def less(a: Words, b: Words) -> Words:
    """a - b in two words."""
    s = a.hi - b.hi
    t = s - a.hi
    e = (a.hi - (s - t)) - (b.hi + t) + (a.lo - b.lo)
    hi = s + e
    return Words(hi, e - (hi - s))


def held(X: np.ndarray, Y: np.ndarray, weight: np.ndarray | None) -> HeldRows:
    """Rows (x, y) of finite numbers."""
    values = np.concatenate([X, Y], axis=1, dtype=np.float64, casting="unsafe")
    mass = np.ones(len(values)) if weight is None else weight
    return HeldRows(Words(values, np.zeros(values.shape)), Words(mass, np.zeros_like(mass)))


def fields_of_rows(rows: HeldRows, exponent: np.ndarray) -> dict[str, Any]:
    """Fields of the moments of rows in units of 2**exponent; in others where their squares would leave the range."""
    with np.errstate(over="ignore"):
        away = rows.range[1] - rows.range[0]
    beyond = ~(away <= 1e90) | ((away < 1e-90) & (away > 0))
    if beyond.any():
        unit = np.where(beyond, np.frexp(rows.sizes)[1], 0)
        rows, exponent = rows.scaled(-unit), exponent + unit
    return {
        "count": len(rows),
        "total": rows.sums.total,
        "centre": rows.sums.mean,
        "spread": rows,
        "rounding": rows.rounding,
        "exponent": exponent,
        "weight_rounding": weight_rounding(len(rows), rows.sums.total.hi),
    }
