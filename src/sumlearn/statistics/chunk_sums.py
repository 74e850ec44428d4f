"""Sums of one chunk of rows: one product where that is precise, a QR factor where it is not.

A chunk is shifted by its own first row and multiplied with itself once (BLAS syrk, a column of ones beside it gives
the sums); the rank-one term of the mean is taken off in two words. Small chunks are summed in two words throughout,
which costs nothing that a person would notice. Four things send a large one down a more careful road:

- the mean is far from the shift (W m^2 > 30 S): shift again, by the mean;
- a condition of the unit-diagonal scatter above 1e5: products of split rows, right to 2^-73 (see below);
- at most d + 1 rows, or a condition above 1e11: the centred rows go through QR and R'R is formed in two words, so that
  S is the exact scatter of rows perturbed in their last bit;
- float32 above condition 1e3, or out of its range: the chunk is summed as float64; float64 out of range: the columns
  are scaled by powers of two.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import lapack

from ..compiled import sums as kernels
from .held_rows import are_held, fields_of_rows, held
from .rounding import EXACT_ROUNDING, PRECISE_WORK, rounding_of_product, weighted_rounding
from .row_checks import check_range, check_room, floats, prepare, raise_if_not_finite, scratch
from .statistic import Words
from .weights import FAINTEST, weight_rounding

PRODUCT_LIMIT = {np.dtype(np.float64): 1e5, np.dtype(np.float32): 1e3}  # condition up to which a product will do
SQUARES = {np.dtype(np.float64): (1e-200, 1e200), np.dtype(np.float32): (1e-25, 1e30)}  # safe sums of squares
EXACT_WORK = 5e4  # two-word multiplications up to which a chunk is summed in two words throughout (0.1 ms)
NARROW_WORK = 2e7  # multiplications up to which float32 rows are summed as float64: it costs a millisecond
SPLIT_LIMIT = 1e11  # condition up to which split products will do
SPLIT_BITS = 20
BLOCK = 4096  # rows shifted and multiplied at a time: they stay in the cache in between
NONE = np.zeros(0)
NO_ROWS = np.zeros(0, np.intp)


def nothing(columns: int, form: str, targets: int) -> dict[str, Any]:
    """Fields of the moments of no rows."""
    none = np.zeros((0, columns))
    square = held(none, none[:, :0], None) if are_held(0, columns) else Words.zeros((columns, columns))
    return {
        "count": 0,
        "total": Words(0.0, 0.0),
        "centre": Words.zeros(columns),
        "spread": square if form == "full" else Words.zeros(columns),
        "rounding": np.zeros(columns),
        "exponent": np.zeros(columns, dtype=np.int64),
        "targets": targets,
    }


def summarise(X: Any, y: Any, weight: Any, limit: float = PRODUCT_LIMIT[np.dtype(np.float64)]) -> dict[str, Any]:
    """Fields of the moments of z = (x, y)."""
    X, y, weight = prepare(X, y, weight, FAINTEST)
    Y = np.zeros((len(X), 0)) if y is None else y[:, None] if y.ndim == 1 else y
    if Y.dtype.kind not in "fiub":
        raise ValueError(f"y must hold real numbers, got dtype {Y.dtype}")
    targets, columns = Y.shape[1], X.shape[1] + Y.shape[1]
    if len(X) == 0:
        return nothing(columns, "full", targets)
    return full(X, Y, weight, limit=limit) | {"targets": targets}


def full(
    X: np.ndarray,
    Y: np.ndarray,
    weight: np.ndarray | None,
    index: np.ndarray | None = None,
    limit: float = PRODUCT_LIMIT[np.dtype(np.float64)],
) -> dict[str, Any]:
    """Fields for the full scatter of all rows, or of those of an index; a product will do up to condition `limit`."""
    n, d = X.shape if index is None else (len(index), X.shape[1])
    p = d + Y.shape[1]
    if are_held(n, p):
        X, Y, weight = chosen(X, Y, weight, index)
        raise_if_rows_not_finite(X, Y)
        return fields_of_rows(held(X, Y, weight), np.zeros(p, dtype=np.int64))
    if n * p * p <= EXACT_WORK:
        return careful(exact, X, Y, weight, index)
    if n <= d + 1 and n * p * p <= PRECISE_WORK:
        return careful(precise, X, Y, weight, index)
    check_room(p)
    if X.dtype == np.float32 and n * p * p <= NARROW_WORK:
        X, Y, weight = chosen(X, Y, weight, index)
        return full(X.astype(np.float64), Y, weight, limit=limit)
    X, Y = floats(X, by_rows=index is not None), np.ascontiguousarray(Y, dtype=np.float64)
    rows = NO_ROWS if index is None else index
    top = 0 if index is None else int(index[0])
    first = np.concatenate([X[top], Y[top]], dtype=np.float64)
    root = NONE if weight is None else np.sqrt(weight)
    W = float(n) if weight is None else float((weight if index is None else weight[index]).sum())
    raw = products_about(first, X, Y, rows, root, n)
    if usable(raw, p, X, Y, index):
        if far_from_shift(raw, W, p):
            first = first + raw[p, :p] / W
            raw = products_about(first, X, Y, rows, root, n)
        sums = np.ascontiguousarray(raw[p, :p])
        spread = Words.empty((p, p))
        kernels.centre_scatter(raw, sums, W, *spread)
        found = condition(spread.hi[:d, :d]) if np.isfinite(limit) or X.dtype == np.float32 else 1.0
        if found <= (limit if X.dtype == np.float64 else PRODUCT_LIMIT[X.dtype]) or n <= d + 1:
            centre = Words.empty(p)
            kernels.chunk_mean(first, np.zeros(p), sums, W, *centre)
            rounding = rounding_of_product(min(n, BLOCK), X.dtype) * raw.diagonal()[:p]
            return fields_of(n, W, centre, spread, rounding)
        if X.dtype == np.float64 and found <= SPLIT_LIMIT:
            return split(first, floats(X), Y, rows, root, n, W)
    if X.dtype == np.float32:
        X, Y, weight = chosen(X, Y, weight, index)
        return full(X.astype(np.float64), Y, weight, limit=limit)
    return careful(precise, X, Y, weight, index)


def chosen(
    X: np.ndarray, Y: np.ndarray, weight: np.ndarray | None, index: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """The rows of an index."""
    return (X, Y, weight) if index is None else (X[index], Y[index], None if weight is None else weight[index])


def careful(
    road: Callable[..., dict[str, Any] | None],
    X: np.ndarray,
    Y: np.ndarray,
    weight: np.ndarray | None,
    index: np.ndarray | None,
) -> dict[str, Any]:
    """One of the slower roads; in units of powers of two where the columns are beyond the range of squares."""
    X, Y, weight = chosen(X, Y, weight, index)
    fields = road(X, Y, weight)
    if fields is not None:
        return fields
    units = [np.frexp(np.abs(A.astype(np.float64)).max(axis=0, initial=0.0))[1] for A in (X, Y)]
    X, Y = (np.ldexp(A.astype(np.float64), -unit) for A, unit in zip((X, Y), units, strict=True))
    return full(X, Y, weight) | {"exponent": np.concatenate(units).astype(np.int64)}


def products_about(
    first: np.ndarray, X: np.ndarray, Y: np.ndarray, rows: np.ndarray, root: np.ndarray, n: int
) -> np.ndarray:
    """Sum of b b' with b = sqrt(w) (z - first, 1), over blocks of rows that stay in the cache."""
    p = len(first)
    raw = np.zeros((p + 1, p + 1))
    for start in range(0, n, BLOCK):
        part = slice(start, min(start + BLOCK, n))
        if not X.flags.c_contiguous:
            B = scratch(p + 1, part.stop - start, X.dtype)
            kernels.shift_columns(X.T, Y, start, root, first, B)
            raw += multiplied(B.T)
            continue
        B = scratch(part.stop - start, p + 1, X.dtype)
        if len(rows):
            kernels.shift_rows(X, Y, rows[part], root, first, B)
        else:
            kernels.shift_rows(X[part], Y[part], rows, root[part], first, B)
        raw += multiplied(B)
    return raw


def multiplied(B: np.ndarray) -> np.ndarray:
    """B'B: NumPy sees the transposed twin and calls syrk."""
    with np.errstate(invalid="ignore", over="ignore"):
        return B.T @ B


def usable(raw: np.ndarray, p: int, X: np.ndarray, Y: np.ndarray, index: np.ndarray | None) -> bool:
    """Whether the sums are finite and in range; raises where the data themselves are not finite."""
    squares = raw.diagonal()[:p]
    finite = np.isfinite(squares.sum())
    smallest, largest = SQUARES[X.dtype]
    small = squares < smallest
    if finite and not small.any() and squares.max(initial=0.0) <= largest:
        return True
    X, Y = (X, Y) if index is None else (X[index], Y[index])
    if not finite:
        raise_if_rows_not_finite(X, Y)
        return False
    Z = np.concatenate([X[:, small[: X.shape[1]]], Y[:, small[X.shape[1] :]]], axis=1)
    return squares.max() <= largest and not (Z[:1] != Z).any()


def split(
    first: np.ndarray, X: np.ndarray, Y: np.ndarray, rows: np.ndarray, root: np.ndarray, n: int, W: float
) -> dict[str, Any]:
    """Fields from products in two words at the speed of BLAS: each row is split into 20 leading bits and the rest.

        b = h + r,   |r| <= 2^-20 max |b|,   b b' = h h' + (h r' + r h') + r r'

    Over 4096 rows the products h h' add up without any rounding (40 bits, and 12 for the sum); the others are smaller
    by 2^-20 and 2^-40. So all is right to about 2^-73, at four times the cost of a plain product and half that of QR
    (Ozaki, Ogita, Oishi & Rump, "Error-free transformations of matrix multiplication", 2012).
    """
    p = len(first)
    raw = Words.zeros((p + 1, p + 1))
    largest = np.zeros(p + 1)
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        B = scratch(stop - start, p + 1, np.float64)
        rest = np.empty_like(B)
        if len(rows):
            kernels.shift_rows(X, Y, rows[start:stop], root, first, B)
        else:
            kernels.shift_rows(X[start:stop], Y[start:stop], rows, root[start:stop], first, B)
        size = np.maximum(B.max(axis=0), -B.min(axis=0))
        np.maximum(largest, size, out=largest)
        # adding and taking off 1.5 * 2^52 units of the last kept bit leaves the leading bits
        kernels.split_rows(B, 1.5 * 2.0**52 * np.ldexp(1.0, np.frexp(size)[1] - SPLIT_BITS), rest)
        cross = B.T @ rest
        for term in (multiplied(B), cross, cross.T, multiplied(rest)):
            kernels.add_matrix(*raw, np.ascontiguousarray(term))
    spread, centre = Words.empty((p, p)), Words.empty(p)
    kernels.centre_words(*raw, first, W, *centre, *spread)
    rounding = 2.0**-70 * n * largest[:p] ** 2
    if root.size:  # weights, their roots and their sum are numbers of one word
        rounding += rounding_of_product(1, np.float64) * spread.hi.diagonal()
    return fields_of(n, W, centre, spread, rounding)


def raise_if_rows_not_finite(X: np.ndarray, Y: np.ndarray) -> None:
    raise_if_not_finite(X)
    raise_if_not_finite(Y if Y.shape[1] != 1 else Y[:, 0], "y")


def far_from_shift(raw: np.ndarray, W: float, p: int) -> bool:
    sums, squares = raw[p, :p], raw.diagonal()[:p]
    square_of_sum = sums * sums / W
    return bool((square_of_sum > 30.0 * (squares - square_of_sum)).any() and (square_of_sum > 0).any())


def condition(S: np.ndarray) -> float:
    """1-norm condition of the scatter scaled to unit diagonal; constant columns do not count."""
    if not len(S):
        return 1.0
    diagonal = S.diagonal()
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    E = S / scale / scale[:, None]
    np.fill_diagonal(E, 1.0)
    norm = np.abs(E).sum(axis=0).max()
    factor, failed = lapack.dpotrf(E, overwrite_a=True, clean=False)
    if failed:
        return np.inf
    reciprocal, _ = lapack.dpocon(factor, norm)
    return 1.0 / reciprocal if reciprocal > 0 else np.inf


def stacked(X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """z = (x, y) and z - z_first in float64; None when the columns leave the range of squares."""
    Z = np.concatenate([X, Y], axis=1, dtype=np.float64, casting="unsafe")
    with np.errstate(invalid="ignore", over="ignore"):
        B = Z - Z[0]
        largest = np.abs(B).max(axis=0, initial=0.0)
    if not np.isfinite(largest.sum()):
        raise_if_rows_not_finite(X, Y)
        return None
    if (largest > 1e90).any() or ((largest < 1e-90) & (largest > 0)).any():
        return None
    return Z, B


def exact(X: np.ndarray, Y: np.ndarray, weight: np.ndarray | None) -> dict[str, Any] | None:
    """Everything in two words; None when the columns leave the range of squares."""
    found = stacked(X, Y)
    if found is None:
        return None
    n, p = found[0].shape
    total = Words(float(n), 0.0)
    if weight is not None:
        high = math.fsum(weight)
        total = Words(high, math.fsum((*weight, -high)))
    deviations, centre, spread = Words.empty((n, p)), Words.empty(p), Words.zeros((p, p))
    rows = np.ascontiguousarray(found[0])  # one order of rows: the loop is compiled once
    kernels.exact_scatter(rows, np.ones(n) if weight is None else weight, *total, *deviations, *centre, *spread)
    return fields_of(n, total, centre, spread, EXACT_ROUNDING * spread.hi.diagonal())


def precise(X: np.ndarray, Y: np.ndarray, weight: np.ndarray | None) -> dict[str, Any] | None:
    """Centre in double, QR, R'R in two words; None when the columns leave the range of squares."""
    found = stacked(X, Y)
    if found is None:
        return None
    Z, B = found
    n, p = Z.shape
    W = float(n) if weight is None else float(weight.sum())
    share = np.full(n, 1.0 / n) if weight is None else weight / W
    mean, low = np.zeros(p), np.zeros(p)
    for _ in range(2):  # the second round takes off what rounding left of the first
        shift = share @ B
        B -= shift
        mean, low = mean + shift, low + ((mean - (mean + shift)) + shift)
    centre = Words.empty(p)
    kernels.chunk_mean(Z[0], low, mean, 1.0, *centre)
    if weight is not None:
        B *= np.sqrt(weight)[:, None]
    spread = Words.empty((p, p))
    if n > p:
        R = np.triu(lapack.dgeqrf(np.asfortranarray(B), overwrite_a=True)[0][:p])
        kernels.gram(np.ascontiguousarray(R), True, *spread)
    else:
        kernels.gram(B, False, *spread)
    return fields_of(n, W, centre, spread, weighted_rounding(weight) * spread.hi.diagonal())


def fields_of(n: int, W: float | Words, centre: Words, spread: Words, rounding: np.ndarray) -> dict[str, Any]:
    total = W if isinstance(W, Words) else Words(W, 0.0)
    check_range(spread.hi.diagonal() if spread.hi.ndim == 2 else spread.hi)
    return {
        "count": n,
        "total": total,
        "centre": centre,
        "spread": spread,
        "rounding": rounding,
        "exponent": np.zeros(len(rounding), dtype=np.int64),
        "weight_rounding": weight_rounding(n, total.hi),
    }
