"""Moments of linear maps of the columns, from the moments alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ..compiled import sums as kernels
from .held_rows import HeldRows
from .statistic import Words

if TYPE_CHECKING:
    from .moments import Moments

M = TypeVar("M", bound="Moments")

# Unit of the two-word arithmetic, with room for the few operations of a merge.
TWO_WORD_EPS = 2.0**-100
NOTHING = -(2**20)  # the exponent of zero


def full(moments: M, A: np.ndarray, targets: int) -> M:
    """Full moments of A'z: mean A'm, scatter A'SA."""
    A, exponent = suited(moments, A)
    transposed = Words(np.ascontiguousarray(A.T), np.zeros(A.shape[::-1]))
    if isinstance(moments.spread, HeldRows):
        return of_held(moments, moments.spread, A, transposed, exponent, targets)
    half = words_product(transposed, moments.spread)  # A'S: entries of A that are zero cost nothing
    spread = words_product(transposed, Words(*(np.ascontiguousarray(word.T) for word in half)))
    reach = np.abs(A).T @ np.sqrt(moments.rounding)
    return replace(
        moments,
        centre=mapped_centre(moments, transposed),
        spread=spread,
        rounding=np.minimum(reach, 1e150) ** 2 + TWO_WORD_EPS * np.abs(spread.hi.diagonal()),
        exponent=exponent,
        targets=targets,
    )


def of_held(moments: M, rows: HeldRows, A: np.ndarray, transposed: Words, exponent: np.ndarray, targets: int) -> M:
    """Moments of the rows A'z themselves."""
    values = words_product(transposed, Words(*(np.ascontiguousarray(word.T) for word in rows.values)))
    found = moments.of_rows(
        HeldRows(Words(*(np.ascontiguousarray(word.T) for word in values)), rows.mass), exponent, targets
    )
    reach = np.abs(A).T @ np.abs(rows.values.hi).max(axis=0, initial=0.0)
    lost = moments.weight * np.minimum(TWO_WORD_EPS * np.ldexp(reach, exponent - found.exponent), 1e150) ** 2
    return replace(found, rounding=found.rounding + lost)


def disjoint(moments: M, A: np.ndarray, targets: int) -> M:
    """Diagonal moments of A'z where products of combined columns vanish."""
    A, exponent = suited(moments, A)
    transposed = Words(np.ascontiguousarray(A.T), np.zeros(A.shape[::-1]))
    centre, spread = mapped_centre(moments, transposed), Words.empty(A.shape[1])
    kernels.disjoint_squares(A, *moments.total, *moments.centre, *moments.spread, *centre, *spread)
    reach = np.abs(A).T @ np.sqrt(moments.rounding)
    sizes, joined = np.zeros(A.shape[1]), (A != 0).sum(axis=0) > 1
    sizes[joined] = moments.weight * np.minimum(np.abs(A[:, joined]).T @ np.abs(moments.centre.hi), 1e150) ** 2
    return replace(
        moments,
        centre=centre,
        spread=spread,
        rounding=np.minimum(reach, 1e150) ** 2 + TWO_WORD_EPS * (np.abs(spread.hi) + sizes),
        exponent=exponent,
        targets=targets,
    )


def mapped_centre(moments: Moments, transposed: Words) -> Words:
    """A'm in two words."""
    means = words_product(transposed, Words(moments.centre.hi[:, None], moments.centre.lo[:, None]))
    return Words(means.hi[:, 0].copy(), means.lo[:, 0].copy())


def suited(moments: Moments, A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A for the words of z in their units, and the units in which A'z stays in range."""
    A = np.asarray(A, dtype=float)
    if A.ndim != 2 or len(A) != moments.columns:
        raise ValueError(f"A must have {moments.columns} rows, got shape {A.shape}")
    unit, exponent = moments.exponent[:, None], np.zeros(A.shape[1], dtype=np.int64)
    if moments.exponent.any():
        varying = (A != 0) & (moments.diagonal > 0)[:, None]
        exponent = np.where(varying, np.frexp(A)[1] + unit, NOTHING).max(axis=0, initial=NOTHING)
        sizes = np.where(A != 0, np.frexp(A * moments.centre.hi[:, None])[1] + unit, NOTHING)
        exponent = np.maximum(np.where(varying.any(axis=0), exponent, 0), sizes.max(axis=0, initial=NOTHING) - 900)
    return np.ldexp(A, unit - exponent), exponent


def words_product(a: Words, b: Words) -> Words:
    """Matrix product in two words."""
    out = Words.empty((a.hi.shape[0], b.hi.shape[1]))
    kernels.product(a.hi, a.lo, b.hi, b.lo, *out)
    return out
