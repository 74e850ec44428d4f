"""The normal equations of moments as a system of unit diagonal, and its solution.

It is scaled by powers of two and factored in double; the residual is formed in two words and the solution refined until
it stands still, which gives full precision up to condition 1e12. Above that the factor itself is computed in two words.

References: Wilkinson, "Rounding errors in algebraic processes", 1963 (refinement); Higham, "Accuracy and stability of
numerical algorithms", 2002, ch. 10 and 12.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import lapack

from ..compiled import positive as kernels
from ..statistics import Moments, Words
from ..statistics.projection import words_product

REFINABLE = 1e12  # condition up to which a double factor and two-word residuals converge
UNIT = 2.0**-53


@dataclass(frozen=True)
class LinearSolution:
    """Coefficients (targets x features) and intercepts in natural units, and what the sums say about them."""

    coef: np.ndarray
    intercept: np.ndarray
    rank: int
    factors: tuple[np.ndarray, ...]  # U of G = U'U, for each penalty
    aliased: np.ndarray
    digits: float
    hidden: int = 0  # columns that the rounding left by rows that are gone hides, and nothing else
    bounds: tuple[Callable[[], float], ...] = ()  # of the condition, where there are no factors

    @cached_property
    def condition(self) -> float:
        """Largest over smallest singular value of the columns (about their mean), each scaled to unit length."""
        if len(self.aliased):
            return np.inf
        known = [condition_of(U / np.linalg.norm(U, axis=0)) for U in self.factors]
        return max(known + [bound() for bound in self.bounds], default=1.0)


@dataclass(frozen=True)
class System:
    """G x = g with unit diagonal; natural unit of feature j is 2**unit[j], of target t 2**target_unit[t]."""

    G: Words
    g: Words
    rounding: np.ndarray  # uncertain length of each column because products were rounded
    last_bit: np.ndarray  # because the rows themselves end at their last bit
    scale: np.ndarray
    unit: np.ndarray
    target_unit: np.ndarray

    @property
    def noise(self) -> np.ndarray:
        return self.rounding + self.last_bit


@dataclass(frozen=True)
class Answer:
    """Solution x of a system, the columns it uses, about the condition of the scaled design, U^-1 and U of G = U'U."""

    x: Words
    kept: np.ndarray
    condition: float
    inverse: np.ndarray
    factor: Words

    def digits(self, system: System) -> float:
        """Decimal digits that are left: rounded products count with the square of the condition, last bits once."""
        size = self.inverse.T**2  # errors of different columns add up at random
        rounded = system.rounding / np.sqrt(max(len(system.rounding), 1))  # rank takes the worst case, digits the usual
        lost = max((size @ rounded**2).max(initial=0.0), np.sqrt((size @ system.last_bit**2).max(initial=0.0)))
        return digits_left(lost)


def digits_left(lost: float) -> float:
    """Decimal digits of a number whose relative error is this."""
    return float(np.clip(-np.log10(max(lost, 1e-16)), 0.0, 16.0))


def levels(moments: Moments, which: np.ndarray, x: Words, scale: np.ndarray) -> np.ndarray:
    """m_y - m_x'b of some targets, for b = x / 2**scale in the units of the sums."""
    centre, d, columns = moments.centre, moments.features, moments.features + which
    scaled = Words(np.ldexp(centre.hi[:d], -scale), np.ldexp(centre.lo[:d], -scale))
    inner = words_product(Words(scaled.hi[None], scaled.lo[None]), x)
    high, low = centre.hi[columns] - inner.hi[0], centre.lo[columns] - inner.lo[0]
    error = (centre.hi[columns] - (high + inner.hi[0])) + ((high + inner.hi[0]) - high - inner.hi[0])
    return np.ldexp(high + (low + error), moments.exponent[columns])


def system_of(moments: Moments, which: np.ndarray, alpha: float, intercept: bool) -> System:
    """The normal equations of some targets, scaled to unit diagonal."""
    d = moments.features
    S, rounding = moments.scatter_words, moments.rounding[:d]
    if not intercept:  # S + W m m' in two words
        m = moments.centre
        outer = words_product(Words(m.hi[:, None], m.lo[:, None]), Words(m.hi[None], m.lo[None]))
        full = words_product(
            Words(outer.hi.reshape(-1, 1), outer.lo.reshape(-1, 1)),
            Words(np.array([[moments.total.hi]]), np.array([[moments.total.lo]])),
        )
        S = add_words(S, Words(full.hi.reshape(S.hi.shape), full.lo.reshape(S.lo.shape)))
    unit = moments.exponent[:d]
    G, g = S.at(np.s_[:d, :d]), S.at(np.s_[:d, moments.features + which])
    if alpha:
        with np.errstate(under="ignore", over="ignore"):
            ridge = np.ldexp(alpha, -2 * unit)
        G = add_words(G, Words(np.diag(np.where(np.isfinite(ridge), ridge, 1e300)), np.zeros((d, d))))
    diagonal = G.hi.diagonal()
    scale = np.where(diagonal > 0, np.round(np.log2(np.where(diagonal > 0, diagonal, 1.0)) / 2.0), 0).astype(np.int64)
    G = G.shifted(-scale[:, None] - scale)
    g = g.shifted(-scale[:, None])
    uncertain = np.sqrt(d * np.ldexp(rounding, -2 * scale))
    last_bit = 32.0 * UNIT * np.sqrt(d * np.maximum(G.hi.diagonal(), 0.0))
    return System(G, g, uncertain, last_bit, scale, unit + scale, moments.exponent[moments.features + which])


def solve_positive(system: System) -> Answer:
    """Double factor and refinement where that converges, else the factor itself in two words."""
    G, g, noise = system.G, system.g, system.noise
    if not len(G.hi):
        return Answer(Words.zeros(g.hi.shape), np.zeros(0, bool), 1.0, np.zeros((0, 0)), Words.zeros((0, 0)))
    norm = np.abs(G.hi).sum(axis=0).max()
    if (G.hi.diagonal() > noise**2).all():
        factor, failed = lapack.dpotrf(G.hi, clean=True)
        if not failed:
            reciprocal, _ = lapack.dpocon(factor, norm)
            inverse, failed = lapack.dtrtri(factor)
            # a pivot exceeds the noise of its column less the others' combination: |U^-1|' noise < 1
            if not failed and reciprocal * REFINABLE >= 1.0 and (np.abs(inverse).T @ noise < 1.0).all():
                every = np.ones(len(factor), bool)
                words = Words(factor, np.zeros_like(factor))
                return Answer(refine(factor, G, g), every, float(reciprocal**-0.5), inverse, words)
    U, kept = Words(G.hi.copy(), G.lo.copy()), np.ones(len(G.hi), bool)
    inverse = np.zeros_like(U.hi)
    kernels.cholesky(U.hi, U.lo, noise, kept, inverse)
    x = Words(np.ascontiguousarray(g.hi).copy(), np.ascontiguousarray(g.lo).copy())
    kernels.substitute(U.hi, U.lo, kept, x.hi, x.lo)
    condition = np.inf
    if kept.all():
        reciprocal, _ = lapack.dpocon(np.triu(U.hi), norm)
        condition = float(reciprocal**-0.5) if reciprocal > 0 else np.inf
    return Answer(x, kept, condition, inverse, U)


def refine(factor: np.ndarray, G: Words, g: Words) -> Words:
    """Newton's correction with residuals in two words, until a step changes nothing that a double can show."""
    first, _ = lapack.dpotrs(factor, g.hi)
    x = Words(np.ascontiguousarray(first), np.zeros_like(first, order="C"))
    before, residual = np.inf, np.empty(x.hi.shape)
    for _ in range(12):
        kernels.residual(*G, *x, np.ascontiguousarray(g.hi), np.ascontiguousarray(g.lo), residual)
        step, _ = lapack.dpotrs(factor, residual)
        size = np.abs(step).max(initial=0.0)
        kernels.add_word(x.hi, x.lo, np.ascontiguousarray(step))
        if size <= 2.0**-70 * np.abs(x.hi).max(initial=0.0) or size > before / 2:
            break
        before = size
    return x


def condition_of(design: np.ndarray) -> float:
    values = np.linalg.svd(np.triu(design), compute_uv=False)
    return 1.0 if not len(values) else float(values[0] / values[-1]) if values[-1] > 0 else np.inf


def words(a: np.ndarray) -> Words:
    return Words(np.ascontiguousarray(a), np.zeros(a.shape))


def add_words(a: Words, b: Words) -> Words:
    """Elementwise sum in two words (NumPy, for small matrices)."""
    s = a.hi + b.hi
    t = s - a.hi
    e = (a.hi - (s - t)) + (b.hi - t) + (a.lo + b.lo)
    hi = s + e
    return Words(hi, e - (hi - s))
