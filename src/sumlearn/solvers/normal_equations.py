"""Least squares from moments: the normal equations, solved so precisely that squaring the condition does no harm.

    (S_xx + alpha I) b = S_xy          b0 = m_y - m_x'b

`linear_system.py` scales and solves them; `few_rows.py` does so where rows are fewer than columns. A column whose pivot
drowns in the rounding of the sums is a combination of earlier columns: it is reported as aliased, and the solution of
least norm is returned.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import qr, solve_triangular
from scipy.optimize import nnls

from ..compiled import positive as kernels
from ..statistics import Moments, Words
from ..statistics.projection import words_product
from . import few_rows
from .linear_system import Answer, LinearSolution, System, add_words, levels, solve_positive, system_of, words

FROM_REMOVAL = 2.0**-70  # relative rounding above that of sums in two words, and below that of a last bit


def least_squares(
    moments: Moments, alpha: np.ndarray | float = 0.0, *, intercept: bool = True, nonnegative: bool = False
) -> LinearSolution:
    """Minimise sum w |y - b'x - b0|^2 + alpha |b|^2 over b (and b0), one alpha or one per target."""
    penalties = np.broadcast_to(np.asarray(alpha, dtype=float), (moments.targets,))
    parts = []
    for a in np.unique(penalties):
        which = np.flatnonzero(penalties == a)
        found = None if nonnegative else few_rows.solved(moments, which, float(a), intercept)
        parts.append((which, found or solve_targets(moments, which, float(a), intercept, nonnegative)))
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
        max(part.hidden for _, part in parts),
        tuple(bound for _, part in parts for bound in part.bounds),
    )


def solve_targets(
    moments: Moments, which: np.ndarray, alpha: float, intercept: bool, nonnegative: bool
) -> LinearSolution:
    system = system_of(moments, which, alpha, intercept)
    answer = solve_positive(system)
    x, kept, hidden = answer.x, answer.kept, 0
    if nonnegative:
        x = solve_nonnegative(system)
    elif not kept.all():  # for a penalty that drowns in rounding too: the limit of smaller ones
        x, hidden = least_norm(answer, system), hidden_columns(moments, system, kept)
    with np.errstate(over="ignore", under="ignore"):
        coef = np.ldexp(x.hi, system.target_unit[None, :] - system.unit[:, None]).T
    if not np.isfinite(coef).all():
        raise ValueError(
            f"the coefficient of column {int(np.argmax(~np.isfinite(coef).all(axis=0)))} overflows: rescale the data"
        )
    b0 = levels(moments, which, x, system.scale) if intercept else np.zeros(len(which))
    factors, aliased = (answer.factor.hi,), np.flatnonzero(~kept)
    return LinearSolution(coef, b0, int(kept.sum()), factors, aliased, answer.digits(system), hidden)


def hidden_columns(moments: Moments, system: System, kept: np.ndarray) -> int:
    """How many columns are dropped only because rows that are gone have left rounding in the sums."""
    if (moments.rounding <= FROM_REMOVAL * moments.diagonal).all():
        return 0
    return int(solve_positive(replace(system, rounding=np.zeros(len(kept)))).kept.sum()) - int(kept.sum())


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
