"""Least squares from moments: the normal equations, solved so precisely that squaring the condition does no harm.

    (S_xx + alpha I) b = S_xy          b0 = m_y - m_x'b

The system is scaled to unit diagonal by powers of two and factored in double; the residual is formed in two words and
the solution refined until it stands still, which gives full precision up to condition 1e12. Above that the factor
itself is computed in two words. A column whose pivot drowns in the rounding of the sums is a combination of earlier
columns: it is reported as aliased, and the solution of least norm is returned.

References: Wilkinson, "Rounding errors in algebraic processes", 1963 (refinement); Higham, "Accuracy and stability of
numerical algorithms", 2002, ch. 10 and 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import lapack, qr, solve_triangular
from scipy.optimize import nnls

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

    @cached_property
    def condition(self) -> float:
        """Largest over smallest singular value of the columns (about their mean), each scaled to unit length."""
        if len(self.aliased):
            return np.inf
        return max((condition_of(U / np.linalg.norm(U, axis=0)) for U in self.factors), default=1.0)


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
        lost = max((size @ rounded**2).max(initial=0.0), np.sqrt((size @ system.last_bit**2).max(initial=0.0)), 1e-16)
        return float(np.clip(-np.log10(lost), 0.0, 16.0))


def least_squares(
    moments: Moments, alpha: np.ndarray | float = 0.0, *, intercept: bool = True, nonnegative: bool = False
) -> LinearSolution:
    """Minimise sum w |y - b'x - b0|^2 + alpha |b|^2 over b (and b0), one alpha or one per target."""
    penalties = np.broadcast_to(np.asarray(alpha, dtype=float), (moments.targets,))
    parts = [
        solve_targets(moments, np.flatnonzero(penalties == a), float(a), intercept, nonnegative)
        for a in np.unique(penalties)
    ]
    if len(parts) == 1:
        return parts[0][1]
    order = np.argsort(np.concatenate([which for which, _ in parts]))
    first = parts[0][1]
    return LinearSolution(
        np.vstack([part.coef for _, part in parts])[order],
        np.concatenate([part.intercept for _, part in parts])[order],
        first.rank,
        tuple(U for _, part in parts for U in part.factors),
        first.aliased,
        min(part.digits for _, part in parts),
    )


def solve_targets(
    moments: Moments, which: np.ndarray, alpha: float, intercept: bool, nonnegative: bool
) -> tuple[np.ndarray, LinearSolution]:
    system = system_of(moments, which, alpha, intercept)
    d, columns = len(system.unit), moments.features + which
    answer = solve_positive(system)
    x, kept = answer.x, answer.kept
    if nonnegative:
        x = solve_nonnegative(system)
    elif not kept.all() and alpha == 0:
        x = least_norm(answer, system)
    with np.errstate(over="ignore", under="ignore"):
        coef = np.ldexp(x.hi, system.target_unit[None, :] - system.unit[:, None]).T
    if not np.isfinite(coef).all():
        raise ValueError(
            f"the coefficient of column {int(np.argmax(~np.isfinite(coef).all(axis=0)))} overflows: rescale the data"
        )
    b0 = np.zeros(len(which))
    if intercept:
        centre = moments.centre
        scaled = Words(np.ldexp(centre.hi[:d], -system.scale), np.ldexp(centre.lo[:d], -system.scale))
        inner = words_product(Words(scaled.hi[None], scaled.lo[None]), x)
        high, low = centre.hi[columns] - inner.hi[0], centre.lo[columns] - inner.lo[0]
        error = (centre.hi[columns] - (high + inner.hi[0])) + ((high + inner.hi[0]) - high - inner.hi[0])
        b0 = np.ldexp(high + (low + error), system.target_unit)
    digits = answer.digits(system)
    solution = LinearSolution(coef, b0, int(kept.sum()), (answer.factor.hi,), np.flatnonzero(~kept), digits)
    return which, solution


def system_of(moments: Moments, which: np.ndarray, alpha: float, intercept: bool) -> System:
    """The normal equations of some targets, scaled to unit diagonal."""
    d = moments.features
    S, rounding = moments.spread, moments.rounding[:d]
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
    before = np.inf
    for _ in range(12):
        residual = kernels.residual(*G, *x, np.ascontiguousarray(g.hi), np.ascontiguousarray(g.lo))
        step, _ = lapack.dpotrs(factor, residual)
        size = np.abs(step).max(initial=0.0)
        kernels.add_word(x.hi, x.lo, np.ascontiguousarray(step))
        if size <= 2.0**-70 * np.abs(x.hi).max(initial=0.0) or size > before / 2:
            break
        before = size
    return x


def solve_nonnegative(system: System) -> Words:
    """Lawson & Hanson's active set on the factor: |R b - R^-T g|."""
    values, vectors = np.linalg.eigh(system.G.hi)
    keep = values > (system.noise**2).max(initial=0.0)
    if not keep.any():
        return Words.zeros(system.g.hi.shape)
    R = np.sqrt(values[keep])[:, None] * vectors[:, keep].T
    right = (vectors[:, keep].T @ system.g.hi) / np.sqrt(values[keep])[:, None]
    x = np.column_stack([nnls(R, right[:, t])[0] for t in range(right.shape[1])])
    return Words(x, np.zeros_like(x))


def least_norm(answer: Answer, system: System) -> Words:
    """Of all solutions the shortest one, in natural units: take off the part inside the null space.

    For an aliased column j, G_kk c = G_kj gives x_j = sum_i c_i x_i over the kept columns, hence a null vector.
    """
    x, kept = answer.x, answer.kept
    aliased = np.flatnonzero(~kept & (system.G.hi.diagonal() > 0))
    if not len(aliased):
        return x
    combination = Words(system.G.hi[:, aliased].copy(), system.G.lo[:, aliased].copy())
    kernels.substitute(answer.factor.hi, answer.factor.lo, kept, combination.hi, combination.lo)
    null = Words(-combination.hi, -combination.lo)
    null.hi[aliased, np.arange(len(aliased))] = 1.0
    null.lo[aliased, np.arange(len(aliased))] = 0.0
    unit = system.unit[kept | (system.G.hi.diagonal() > 0)].min()
    to_natural = unit - system.unit[:, None]
    null, b = null.shifted(to_natural), x.shifted(to_natural)
    null = null.shifted(-np.frexp(np.abs(null.hi).max(axis=0))[1])
    Q, R = qr(null.hi, mode="economic")
    for _ in range(3):  # each round takes off what rounding left of the one before
        inside = words_product(null, words(-solve_triangular(R, Q.T @ b.hi)))
        b = add_words(b, inside)
    return b.shifted(-to_natural)


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
