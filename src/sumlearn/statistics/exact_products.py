"""The products of one chunk of rows, summed without any rounding: by BLAS over slices of few bits.

A column is cut into slices of k bits, whole numbers in units of powers of two. Over n rows the products of two slices
add up exactly in double, in any order, as long as 2 (k - 1) + log2(n) <= 53 (Ozaki, Ogita, Oishi & Rump, "Error-free
transformations of matrix multiplication", 2012). Whole numbers and numbers of few digits take one slice, doubles of
similar size three. What small numbers leave behind the last slice is multiplied one by one, as whole numbers; so are
small chunks, and columns that reach beyond 2^-800 or 2^900. Squares alone are gathered by exponent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled import exact_columns
from ..compiled import exact_sums as kernels
from .row_checks import raise_if_not_finite, refuse_beyond_memory

BLOCK = 2048  # rows whose slices are multiplied at once
ONE_BY_ONE = 3e4  # products up to which slicing is no gain
FEW = 0.02  # share of the numbers that may be left behind the last slice: as dear one by one as another slice
MOST_SLICES = 5
REACH = (-800, 900)  # exponents of columns that are sliced
MOST_ROWS = 2**21  # whose squares are added before digits are carried
SAFE_WEIGHT = -850  # smallest exponent of a weight times a number whose two words lose nothing
NONE = np.zeros(0)


class Limbs(NamedTuple):
    """Whole numbers in units of 2^(32 unit): digits of 32 bits, -2^31 <= digit < 2^31, the lowest first.

    No place is zero for all of them at either end; so equal numbers have equal digits.
    """

    digits: np.ndarray  # (numbers, places), int32
    unit: int

    @classmethod
    def zeros(cls, size: int) -> Limbs:
        return cls(np.zeros((size, 0), dtype=np.int32), 0)

    @classmethod
    def of(cls, cells: np.ndarray, unit: int) -> Limbs:
        """From 64-bit digits that have not been carried yet; these are changed."""
        first, after = kernels.carry(cells)
        if after <= first:
            return cls.zeros(len(cells))
        return cls(cells[:, first:after].astype(np.int32), unit + int(first))

    def plus(self, other: Limbs, sign: int = 1) -> Limbs:
        sides = [side for side in (self, other) if side.digits.shape[1]]
        if not sides:
            return self
        unit = min(side.unit for side in sides)
        top = max(side.unit + side.digits.shape[1] for side in sides)
        cells = np.zeros((len(self.digits), top - unit + 1), dtype=np.int64)
        for side, factor in ((self, 1), (other, sign)):
            kernels.add_limbs(side.digits, side.unit - unit if side.digits.shape[1] else 0, factor, cells)
        return self.of(cells, unit)

    def at(self, index: np.ndarray) -> Limbs:
        return self.of(self.digits[index].astype(np.int64), self.unit)

    def integers(self) -> np.ndarray:
        """The numbers as Python's, in units of 2^(32 unit)."""
        out = np.zeros(len(self.digits), dtype=object)
        for place in reversed(range(self.digits.shape[1])):
            out = out * 2**32 + self.digits[:, place].astype(object)
        return out


class Slices(NamedTuple):
    """Slices of the columns of a matrix side by side, and what is left of each number."""

    values: np.ndarray  # whole numbers
    column: np.ndarray
    grid: np.ndarray  # exponents of two
    rest: np.ndarray


def products(Z: np.ndarray, weight: np.ndarray | None, full: bool) -> Limbs:
    """Sum of w z z' of rows z, the last of whose numbers is one: upper triangle, or squares beside sums."""
    n, p = Z.shape
    size = p * (p + 1) // 2 if full else 2 * p - 1
    if n == 0:
        return Limbs.zeros(size)
    largest, smallest = np.zeros(p), np.full(p, np.inf)
    kernels.extremes(Z, largest, smallest)
    if not np.isfinite(largest).all():
        raise_if_not_finite(Z)
    top = np.where(largest > 0, np.frexp(largest)[1], 0)
    used = largest > 0
    high, floor = int(top[used].max()), int(np.frexp(smallest[used])[1].min()) - 53
    w_high, w_low = (0, 0) if weight is None else (int(np.frexp(f(weight))[1]) for f in (np.max, np.min))
    low = 2 * floor - 64 + (0 if weight is None else w_low - 160)  # the last slice may reach below the last bit
    unit = low // 32
    places = (2 * high + w_high + n.bit_length() + 64 - 32 * unit) // 32 + 4
    if size * places > 2**27:
        refuse_beyond_memory(p, 24 * size * places)
    cells = np.zeros((size, places), dtype=np.int64)
    if not full:
        add_columns(Z, weight, unit, cells)
        return Limbs.of(cells, unit)
    inside = REACH[0] <= int(top[used].min()) and high <= REACH[1]
    if weight is not None:
        inside = inside and floor + w_low >= SAFE_WEIGHT and w_low >= REACH[0] and high + w_high <= REACH[1]
    if n * p * p <= ONE_BY_ONE or not inside:
        for start in range(0, n, 2**24):
            rows = slice(start, start + 2**24)
            kernels.add_rows(Z[rows], NONE if weight is None else weight[rows], 32 * unit, cells)
            if n > 2**24:
                kernels.carry(cells)
        return Limbs.of(cells, unit)
    for start in range(0, n, BLOCK):
        rows = slice(start, start + BLOCK)
        if weight is None:
            add_square(Z[rows], top, floor, unit, cells)
        else:
            add_weighted(Z[rows], weight[rows], top, floor, w_low, unit, cells)
        if start % (2**13 * BLOCK) == 0 and start:
            kernels.carry(cells)
    return Limbs.of(cells, unit)


def add_square(Z: np.ndarray, top: np.ndarray, floor: int, unit: int, cells: np.ndarray) -> None:
    """cells += z z' of some rows."""
    p = Z.shape[1]
    S = sliced(Z, top)
    kernels.add_slices(S.values.T @ S.values, S.column, S.grid, S.column, S.grid, p, 32 * unit, cells)
    kernels.add_rests(Z, S.rest, np.arange(p), floor, Z, S.rest, floor, 32 * unit, cells)


def add_columns(Z: np.ndarray, weight: np.ndarray | None, unit: int, cells: np.ndarray) -> None:
    """The same for squares and sums of columns alone, and the weight: every number by its bits."""
    bits = Z.view(np.int64)[:, :-1]
    for start in range(0, len(Z), MOST_ROWS):
        rows = slice(start, start + MOST_ROWS)
        if weight is None:
            exact_columns.add_squares(bits[rows], 32 * unit, cells)
        else:
            exact_columns.add_weighted_squares(bits[rows], weight[rows].view(np.int64), 32 * unit, cells)
        kernels.carry(cells)
    if weight is None:
        kernels.add_column_slices(np.array([float(len(Z))]), np.array([len(cells) - 1]), np.array([-32 * unit]), cells)


def add_weighted(
    Z: np.ndarray, weight: np.ndarray, top: np.ndarray, floor: int, w_low: int, unit: int, cells: np.ndarray
) -> None:
    """cells += w z z' of some rows, with w z in two words."""
    p = Z.shape[1]
    B, words = sliced(Z, top), (np.empty_like(Z), np.empty_like(Z))
    both = kernels.weigh(Z, weight, *words)
    for word in words[: 1 + both]:
        reach = np.abs(word).max(axis=0)
        A = sliced(word, np.where(reach > 0, np.frexp(reach)[1], 0))
        kernels.add_slices(A.values.T @ B.values, A.column, A.grid, B.column, B.grid, p, 32 * unit, cells)
        # both words of a product are multiples of the last bits of its factors
        kernels.add_rests(word, A.rest, np.arange(p), floor + w_low - 53, Z, B.rest, floor, 32 * unit, cells)


def sliced(Z: np.ndarray, top: np.ndarray) -> Slices:
    """Columns below 2^top in slices, until little is left."""
    n, p = Z.shape
    bits = (55 - (n - 1).bit_length()) // 2
    rest, columns = Z.copy(), np.arange(p)
    parts, places, grids = [], [], []
    for level in range(MOST_SLICES):
        grid = top[columns] - (bits - 1) - bits * level
        part, left = np.empty((n, len(columns))), np.empty(len(columns), dtype=np.int64)
        kernels.slice_columns(rest, columns, grid, part, 0, left)
        parts.append(part)
        places.append(columns)
        grids.append(grid)
        columns = columns[left > FEW * n]
        if not len(columns):
            break
    values = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
    return Slices(values, np.concatenate(places), np.concatenate(grids), rest)
