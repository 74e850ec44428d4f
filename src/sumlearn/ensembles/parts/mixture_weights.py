"""Weights of a mixture of given likelihoods: EM, with Newton steps where they help, and a certificate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from ...engines import one_blas_thread

TINY = float(np.finfo(np.float64).tiny)
DROPPED = 1e-300  # a weight below this is none
ROUNDING = 1e-14  # a rise of the mean log-likelihood that cannot be told from none
HALVINGS = 8  # of a Newton step, before it is given up


class MixtureEnd(NamedTuple):
    """Weights, mean log-likelihood before and after every step, and a bound of what is missing to its maximum."""

    weights: np.ndarray
    trace: list[float]
    gap: float


def mixture_weights(likelihoods: np.ndarray, weight: np.ndarray | None, tol: float, max_iter: int) -> MixtureEnd:
    """The pi that maximises sum_n w_n ln sum_m pi_m L_nm / sum_n w_n, from equal weights.

    The gap ln max_m g_m, with g the gradient, bounds what is missing: by Jensen's inequality the mean of ln u*/u is at
    most ln sum_m pi*_m g_m. A row that all members find impossible says nothing.

    >>> coin = np.array([[0.9, 0.5], [0.9, 0.5], [0.1, 0.5]])
    >>> end = mixture_weights(coin, None, 1e-12, 1000)
    >>> end.weights.round(4).tolist(), bool(np.all(np.diff(end.trace) >= 0.0))
    ([0.4167, 0.5833], True)
    """
    L = np.maximum(np.asarray(likelihoods, dtype=np.float64), 0.0)
    if not np.isfinite(L).all():
        row = int(np.argwhere(~np.isfinite(L))[0, 0])
        raise ValueError(f"a member's probability of a row left out is not finite, first at row {row} of them")
    largest = L.max(axis=1)
    L = np.where(largest[:, None] > 0.0, L / np.maximum(largest, TINY)[:, None], 1.0)
    share = np.full(len(L), 1.0 / len(L)) if weight is None else weight / weight.sum()
    offset = float(share @ np.log(np.maximum(largest, TINY)))
    pi = np.full(L.shape[1], 1.0 / L.shape[1])
    mixed = L @ pi
    trace = [offset + float(share @ np.log(mixed))]
    with one_blas_thread():  # its threads spin at the barriers of small products
        return climbed(L, share, pi, mixed, trace, tol, max_iter)


def climbed(
    L: np.ndarray, share: np.ndarray, pi: np.ndarray, mixed: np.ndarray, trace: list[float], tol: float, max_iter: int
) -> MixtureEnd:
    """Steps until the gap is small, or nothing rises."""
    gradient = share @ (L / mixed[:, None])
    while True:
        gap = gap_of(gradient)
        if gap <= tol or len(trace) > max_iter:
            return MixtureEnd(pi, trace, gap)
        after = step_of_em(pi, gradient)
        rise = rise_of(L, share, mixed, after - pi)
        target = target_of_newton(L / mixed[:, None], share, gradient)
        for halving in range(HALVINGS if target is not None else 0):
            tried = pi + 0.5**halving * (target - pi)
            higher = rise_of(L, share, mixed, tried - pi)
            if higher > rise:
                after, rise = tried, higher
                break
        if rise <= ROUNDING and target is not None:  # heights no longer tell; the gap, of first order, still does
            after = target
        now = L @ after
        next_gradient = share @ (L / now[:, None])
        if rise <= ROUNDING and gap_of(next_gradient) >= gap:
            return MixtureEnd(pi, trace, gap)
        pi, mixed, gradient = after, now, next_gradient
        trace.append(trace[-1] + max(rise, 0.0))


def gap_of(gradient: np.ndarray) -> float:
    """What is missing to the maximum, at most."""
    return max(float(np.log(gradient.max())), 0.0)


def rise_of(L: np.ndarray, share: np.ndarray, mixed: np.ndarray, change: np.ndarray) -> float:
    """By how much a change of the weights raises the mean log-likelihood: precise where that is little."""
    relative = (L @ change) / mixed
    return float(share @ np.log1p(relative)) if (relative > -1.0).all() else -np.inf


def step_of_em(pi: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """pi_m g_m: the likelihood does not fall."""
    after = pi * gradient
    after = np.where(after > DROPPED, after, 0.0)
    return after / after.sum()


def target_of_newton(ratios: np.ndarray, share: np.ndarray, gradient: np.ndarray) -> np.ndarray | None:
    """The best pi >= 0 of a quadratic around this one.

    Over all pi >= 0, -L(pi) + sum_m pi_m has its minimum where the weights add up to one (Kim et al. 2020), so the
    quadratic needs no other constraint. It is the nonnegative least squares problem of a Cholesky factor.
    """
    H = ratios.T @ (share[:, None] * ratios)
    H[np.diag_indices_from(H)] += 1e-12 * np.trace(H) / len(H)
    try:
        R = np.linalg.cholesky(H).T
        target, _ = nnls(R, np.linalg.solve(R.T, 2.0 * gradient - 1.0))  # H pi is the gradient
    except (np.linalg.LinAlgError, RuntimeError):
        return None
    total = target.sum()
    return target / total if total > 0.0 else None
