"""Sums of one chunk by class: weights, means and squares of every class, and the products of all about their means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse

from ..compiled import sums as kernels
from . import sparse_sums
from .chunk_sums import BLOCK, EXACT_ROUNDING, EXACT_WORK, NONE, fields_of, multiplied, nothing, rounding_of_product
from .row_checks import floats, prepare, raise_if_not_finite, scratch
from .statistic import Words
from .weights import FAINTEST


@dataclass(frozen=True)
class ClassSums:
    """Sums about a shift of every class: weights, sums, squares (one row per class), and products of all together."""

    shift: np.ndarray
    total: np.ndarray
    sums: np.ndarray
    squares: np.ndarray
    products: np.ndarray | None
    rounding: float

    @property
    def mean(self) -> np.ndarray:
        """Means about the shift."""
        return self.sums / self.total[:, None]

    @property
    def spread(self) -> np.ndarray:
        """Squares about the mean."""
        return np.maximum(self.squares - self.mean * self.sums, 0.0)

    @property
    def within(self) -> np.ndarray:
        """Products about the class means: those about the shift less sum_k s_k s_k' / W_k."""
        assert self.products is not None
        T = self.sums / np.sqrt(self.total)[:, None]
        return self.products - T.T @ T

    def far_from_shift(self) -> bool:
        gained = self.mean * self.sums
        return bool((gained > 30.0 * (self.squares - gained)).any() and (gained > 0).any())


def by_class(
    X: np.ndarray, codes: np.ndarray, classes: int, weight: np.ndarray | None, *, products: bool
) -> ClassSums | None:
    """Sums by class, with or without the products; None when out of range of squares."""
    first = first_rows(codes, classes)
    shift = X[first if products else first[:1]].astype(np.float64)
    found = sums_about(X, codes, classes, weight, shift, products)
    if np.isfinite(found.squares.sum()) and found.far_from_shift():
        found = sums_about(X, codes, classes, weight, found.shift + found.mean, products)
    squares = found.squares
    if not np.isfinite(squares.sum()):
        raise_if_not_finite(X)
        return None
    if squares.max(initial=0.0) > 1e200 or ((squares < 1e-200) & (squares > 0)).any() or lost(X, squares):
        return None
    return found


def first_rows(codes: np.ndarray, classes: int) -> np.ndarray:
    """The number of the first row of every class."""
    first = np.zeros(classes, np.intp)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return first


def sums_about(
    X: np.ndarray, codes: np.ndarray, classes: int, weight: np.ndarray | None, shift: np.ndarray, products: bool
) -> ClassSums:
    d = X.shape[1]
    w = NONE if weight is None else weight
    total, sums, squares = np.zeros(classes), np.zeros((classes, d)), np.zeros((classes, d))
    if not products:
        if X.flags.c_contiguous:
            kernels.class_sums(X, codes, w, shift, total, sums, squares)
        else:
            kernels.class_sums_of_columns(*memory_of_columns(X), codes, w, shift, total, sums, squares)
        rounding = 2.0 * rounding_of_product(len(X), np.float64)  # summed in a row, not in blocks
        return ClassSums(np.broadcast_to(shift, (classes, d)), total, sums, squares, None, rounding)
    product = np.zeros((d, d))
    for i in range(0, len(X), BLOCK):
        part = slice(i, i + BLOCK)
        rows = X[part]
        B = scratch(len(rows), d, X.dtype)
        kernels.shift_by_class(rows, codes[part], w[part], shift, total, sums, squares, B)
        product += multiplied(B)
    return ClassSums(shift, total, sums, squares, product, rounding_of_product(min(len(X), BLOCK), X.dtype))


def memory_of_columns(X: np.ndarray) -> tuple[np.ndarray, int]:
    """The memory in which columns lie one after the other, and how far apart they begin."""
    apart = X.strides[1] // X.itemsize
    size = (X.shape[1] - 1) * apart + len(X)
    return np.lib.stride_tricks.as_strided(X, (size,), (X.itemsize,), writeable=False), apart


def lost(X: np.ndarray, squares: np.ndarray) -> bool:
    """Whether squares of a column vanished although its values differ."""
    silent = (squares == 0).all(axis=0)
    return bool(silent.any() and (np.ptp(X[:, silent], axis=0) > 0).any() and (np.abs(X[:, silent]) < 1e-90).any())


def summarise(X: Any, y: Any, weight: Any) -> dict[str, Any]:
    """Fields of the diagonal moments of z = (x, y)."""
    if sparse.issparse(X) and y is None:
        fields = sparse_sums.diagonals(X, weight)
        if fields is not None:
            return fields | {"targets": 0}
    X, y, weight = prepare(X, y, weight, FAINTEST)
    targets = 0 if y is None else 1 if y.ndim == 1 else y.shape[1]
    Z = X if y is None else np.column_stack([X, y])
    n, p = Z.shape
    if n == 0:
        return nothing(p, "diagonal", targets)
    return diagonals(floats(Z), np.zeros(n, np.intp), 1, weight)[0] | {"targets": targets}


def diagonals(
    X: np.ndarray, codes: np.ndarray, classes: int, weight: np.ndarray | None, found: ClassSums | None = None
) -> list[dict[str, Any]]:
    """Fields of the diagonal moments of every class, in units of powers of two if that is what it takes.

    `found` are the sums where a caller has them already.
    """
    if found is None and X.size <= EXACT_WORK:
        fields = exact(X.astype(np.float64, order="C"), codes, classes, weight)
        if fields is not None:
            return fields
    unit = np.zeros(X.shape[1], dtype=np.int64)
    found = found or by_class(X, codes, classes, weight, products=False)
    if found is None:
        unit = np.frexp(np.abs(X.astype(np.float64)).max(axis=0, initial=0.0))[1].astype(np.int64)
        X = np.ldexp(X.astype(np.float64), -unit)
        if X.size <= EXACT_WORK:
            fields = exact(np.ascontiguousarray(X), codes, classes, weight) or []
            return [values | {"exponent": unit} for values in fields]
        found = by_class(X, codes, classes, weight, products=False)
        if found is None:
            raise ValueError("the columns are out of the range of floating-point numbers")
    counts, none = np.bincount(codes, minlength=classes), np.zeros(X.shape[1])
    mean, spread, rounding = found.mean, found.spread, found.rounding * found.squares
    fields = []
    for k in range(classes):
        centre = Words.empty(len(none))
        kernels.chunk_mean(found.shift[k], none, mean[k], 1.0, *centre)
        words = Words(spread[k], none)
        fields.append(fields_of(int(counts[k]), float(found.total[k]), centre, words, rounding[k]) | {"exponent": unit})
    return fields


def exact(X: np.ndarray, codes: np.ndarray, classes: int, weight: np.ndarray | None) -> list[dict[str, Any]] | None:
    """The same for little work, in two words throughout; None when out of range of squares."""
    shape = (classes, X.shape[1])
    total, centre, spread = Words.zeros(classes), Words.zeros(shape), Words.zeros(shape)
    first = first_rows(codes, classes)
    with np.errstate(invalid="ignore", over="ignore"):
        largest = np.abs(X - X[0]).max(axis=0, initial=0.0)
    if not np.isfinite(largest.sum()):
        raise_if_not_finite(X)
        return None
    if (largest > 1e90).any() or ((largest < 1e-90) & (largest > 0)).any():
        return None
    kernels.exact_diagonals(X, codes, NONE if weight is None else weight, first, *total, *centre, *spread)
    counts = np.bincount(codes, minlength=classes)
    return [
        fields_of(int(counts[k]), total.at(k), centre.at(k), spread.at(k), EXACT_ROUNDING * spread.hi[k])
        for k in range(classes)
    ]
