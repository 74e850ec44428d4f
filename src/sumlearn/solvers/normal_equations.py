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

import numpy as np
from scipy.linalg import lapack, qr
from scipy.optimize import nnls

from ..compiled import positive as kernels
from ..statistics import Moments, Words
from ..statistics.moments import words_product

REFINABLE = 1e12  # condition up to which a double factor and two-word residuals converge
UNIT = 2.0**-53


@dataclass(frozen=True)
class LinearSolution:
    """Coefficients (targets x features) and intercepts in natural units, and what the sums say about them."""

    coef: np.ndarray
    intercept: np.ndarray
    rank: int
    condition: float
    aliased: np.ndarray
    digits: float


@dataclass(frozen=True)
class System:
    """G x = g with unit diagonal; natural unit of feature j is 2**unit[j], of target t 2**target_unit[t]."""

    G: Words
    g: Words
    floor: np.ndarray
    scale: np.ndarray
    unit: np.ndarray
    target_unit: np.ndarray


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
        max(part.condition for _, part in parts),
        first.aliased,
        min(part.digits for _, part in parts),
    )


def solve_targets(
    moments: Moments, which: np.ndarray, alpha: float, intercept: bool, nonnegative: bool
) -> tuple[np.ndarray, LinearSolution]:
    system = system_of(moments, which, alpha, intercept)
    d, columns = len(system.unit), moments.features + which
    if not d:
        x, kept, condition = Words.zeros((0, len(which))), np.zeros(0, bool), 1.0
    elif nonnegative:
        x, kept, condition = solve_nonnegative(system)
    else:
        x, kept, condition = solve_positive(system)
    if d and not kept.all() and not nonnegative and alpha == 0:
        x = least_norm(x, kept, system)
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
    noise = np.sqrt(system.floor.max(initial=0.0))
    digits = float(np.clip(-np.log10(max(condition * noise, 1e-16)), 0.0, 16.0))
    solution = LinearSolution(coef, b0, int(kept.sum()), condition, np.flatnonzero(~kept), digits)
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
    floor = d * np.ldexp(rounding, -2 * scale) + d * (32.0 * UNIT) ** 2 * G.hi.diagonal()
    return System(G, g, floor, scale, unit + scale, moments.exponent[moments.features + which])


def solve_positive(system: System) -> tuple[Words, np.ndarray, float]:
    """Solution, kept columns, and the condition of the scaled design (the root of that of G)."""
    G, g = system.G, system.g
    norm = np.abs(G.hi).sum(axis=0).max()
    if (G.hi.diagonal() > system.floor).all():
        factor, failed = lapack.dpotrf(G.hi, clean=False)
        if not failed and (factor.diagonal() ** 2 > system.floor).all():
            reciprocal, _ = lapack.dpocon(factor, norm)
            if reciprocal * REFINABLE >= 1.0:
                return refine(factor, G, g), np.ones(len(factor), bool), float(reciprocal**-0.5)
    U, kept = Words(G.hi.copy(), G.lo.copy()), np.ones(len(G.hi), bool)
    kernels.cholesky(U.hi, U.lo, system.floor, kept)
    x = Words(np.ascontiguousarray(g.hi).copy(), np.ascontiguousarray(g.lo).copy())
    kernels.substitute(U.hi, U.lo, kept, x.hi, x.lo)
    if not kept.all():
        return x, kept, np.inf
    reciprocal, _ = lapack.dpocon(np.triu(U.hi), norm)
    return x, kept, float(reciprocal**-0.5) if reciprocal > 0 else np.inf


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


def solve_nonnegative(system: System) -> tuple[Words, np.ndarray, float]:
    """Lawson & Hanson's active set on the factor: |R b - R^-T g|."""
    values, vectors = np.linalg.eigh(system.G.hi)
    keep = values > system.floor.max()
    R = np.sqrt(values[keep])[:, None] * vectors[:, keep].T
    right = (vectors[:, keep].T @ system.g.hi) / np.sqrt(values[keep])[:, None]
    x = np.column_stack([nnls(R, right[:, t])[0] for t in range(right.shape[1])])
    condition = float(np.sqrt(values[-1] / values[0])) if keep.all() else np.inf
    return Words(x, np.zeros_like(x)), np.ones(len(x), bool), condition


def least_norm(x: Words, kept: np.ndarray, system: System) -> Words:
    """Of all solutions the shortest one, in natural units: take off the part inside the null space.

    For an aliased column j, G_kk c = G_kj gives x_j = sum_i c_i x_i over the kept columns, hence a null vector.
    """
    aliased = np.flatnonzero(~kept & (system.G.hi.diagonal() > 0))
    if not len(aliased):
        return x
    U, flags = Words(system.G.hi.copy(), system.G.lo.copy()), np.ones(len(kept), bool)
    floor = np.where(kept, system.floor, np.inf)
    kernels.cholesky(U.hi, U.lo, floor, flags)
    combination = Words(system.G.hi[:, aliased].copy(), system.G.lo[:, aliased].copy())
    kernels.substitute(U.hi, U.lo, flags, combination.hi, combination.lo)
    null = -combination.hi
    null[aliased, np.arange(len(aliased))] = 1.0
    unit = system.unit[kept | (system.G.hi.diagonal() > 0)].min()
    natural = np.ldexp(null, unit - system.unit[:, None])
    size = np.abs(natural).max(axis=0)
    basis, _ = qr(natural / size, mode="economic")
    b = np.ldexp(x.hi, unit - system.unit[:, None])
    b = b - basis @ (basis.T @ b)
    hi = np.ldexp(b, system.unit[:, None] - unit)
    return Words(hi, np.zeros_like(hi))


def add_words(a: Words, b: Words) -> Words:
    """Elementwise sum in two words (NumPy, for small matrices)."""
    s = a.hi + b.hi
    t = s - a.hi
    e = (a.hi - (s - t)) + (b.hi - t) + (a.lo + b.lo)
    hi = s + e
    return Words(hi, e - (hi - s))
