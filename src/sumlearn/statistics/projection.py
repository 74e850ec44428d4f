"""Moments of linear maps of the columns, from the moments alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from scipy.sparse import coo_array, csc_array, issparse

from ..compiled import sums as kernels
from .held_rows import HeldRows
from .statistic import Words

if TYPE_CHECKING:
    from .moments import Moments

M = TypeVar("M", bound="Moments")

# Unit of the two-word arithmetic, with room for the few operations of a merge.
TWO_WORD_EPS = 2.0**-100
NOTHING = -(2**20)  # the exponent of zero


def full(moments: M, A: Any, targets: int) -> M:
    """Full moments of A'z: mean A'm, scatter A'SA. A may be a sparse matrix."""
    A, exponent = suited(moments, A)
    if isinstance(moments.spread, HeldRows):
        return of_held(moments, moments.spread, A, exponent, targets)
    dense = np.ascontiguousarray((A.toarray() if issparse(A) else A).T)
    transposed = Words(dense, np.zeros(dense.shape))
    half = words_product(transposed, moments.spread)  # A'S: entries of A that are zero cost nothing
    spread = words_product(transposed, Words(*(np.ascontiguousarray(word.T) for word in half)))
    reach = np.abs(dense) @ np.sqrt(moments.rounding)
    return replace(
        moments,
        centre=mapped_centre(moments, A),
        spread=spread,
        rounding=np.minimum(reach, 1e150) ** 2 + TWO_WORD_EPS * np.abs(spread.hi.diagonal()),
        exponent=exponent,
        targets=targets,
    )


def of_held(moments: M, rows: HeldRows, A: Any, exponent: np.ndarray, targets: int) -> M:
    """Moments of the rows A'z themselves."""
    values = mapped(rows.values, A) if issparse(A) else rows.along(Words(A.T, np.zeros(A.shape[::-1])), centred=False)
    found = moments.of_rows(HeldRows(values, rows.mass), exponent, targets)
    reach = np.abs(A).T @ rows.sizes
    lost = moments.weight * np.minimum(TWO_WORD_EPS * np.ldexp(reach, exponent - found.exponent), 1e150) ** 2
    return replace(found, rounding=found.rounding + lost)


def disjoint(moments: M, A: Any, targets: int) -> M:
    """Diagonal moments of A'z where products of combined columns vanish."""
    A, exponent = suited(moments, csc_array(A, dtype=float))
    A.eliminate_zeros()
    centre, spread = mapped_centre(moments, A), Words.empty(A.shape[1])
    kernels.disjoint_squares(*entries(A), *moments.total, *moments.centre, *moments.spread, *centre, *spread)
    reach, sizes = np.abs(A).T @ np.sqrt(moments.rounding), np.abs(A).T @ np.abs(moments.centre.hi)
    sizes = np.where(np.diff(A.indptr) > 1, moments.weight * np.minimum(sizes, 1e150) ** 2, 0.0)
    return replace(
        moments,
        centre=centre,
        spread=spread,
        rounding=np.minimum(reach, 1e150) ** 2 + TWO_WORD_EPS * (np.abs(spread.hi) + sizes),
        exponent=exponent,
        targets=targets,
    )


def mapped_centre(moments: Moments, A: Any) -> Words:
    """A'm in two words."""
    return Words(*(word[0] for word in mapped(Words(*(word[None] for word in moments.centre)), csc_array(A))))


def mapped(values: Words, A: csc_array) -> Words:
    """A'z for each row z, in two words."""
    out = Words.empty((len(values.hi), A.shape[1]))
    kernels.mapped(*values, *entries(A), *out)
    return out


def entries(A: csc_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return A.indptr.astype(np.int64), A.indices.astype(np.int64), A.data


def suited(moments: Moments, A: Any) -> tuple[Any, np.ndarray]:
    """A for the words of z in their units, and the units in which A'z stays in range."""
    A = csc_array(A, dtype=float) if issparse(A) else np.asarray(A, dtype=float)
    if A.ndim != 2 or A.shape[0] != moments.columns:
        raise ValueError(f"A must have {moments.columns} rows, got shape {A.shape}")
    exponent = np.zeros(A.shape[1], dtype=np.int64)
    if not moments.exponent.any():
        return A, exponent
    nonzero = coo_array(A)
    nonzero.eliminate_zeros()
    i, j, values = nonzero.row, nonzero.col, nonzero.data
    unit, varies = moments.exponent[i], moments.diagonal[i] > 0
    exponent, sizes = np.full((2, A.shape[1]), NOTHING, dtype=np.int64)
    np.maximum.at(exponent, j[varies], (np.frexp(values)[1] + unit)[varies])
    np.maximum.at(sizes, j, np.frexp(values * moments.centre.hi[i])[1] + unit)
    exponent = np.maximum(np.where(exponent > NOTHING, exponent, 0), sizes - 900)
    scaled = csc_array((np.ldexp(values, unit - exponent[j]), (i, j)), shape=A.shape)
    return (scaled if issparse(A) else scaled.toarray()), exponent


def words_product(a: Words, b: Words) -> Words:
    """Matrix product in two words."""
    out = Words.empty((a.hi.shape[0], b.hi.shape[1]))
    kernels.product(a.hi, a.lo, b.hi, b.lo, *out)
    return out


def times(words: Words, factor: float) -> Words:
    """factor * words in two words."""
    out = Words.empty(words.hi.shape)
    kernels.scale(words.hi.ravel(), words.lo.ravel(), factor, 0.0, out.hi.ravel(), out.lo.ravel())
    return out
