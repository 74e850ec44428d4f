"""(B + alpha I)^-1 y for many penalties: B is made tridiagonal once, for a third of the price of its eigenvectors.

B = Q T Q',   (B + alpha I)^-1 y = Q (T + alpha I)^-1 Q'y
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from .dual_squares import EPS, norm_of, solved

BLOCK = 64  # columns at a time in LAPACK


def shifted_solutions(B: np.ndarray, y: np.ndarray, alphas: np.ndarray, free: np.ndarray | None = None) -> np.ndarray:
    """(rows, targets, alphas) for a symmetric B, which is used up."""
    n, targets = y.shape
    out = np.empty((n, targets, len(alphas)))
    lost = alphas < np.sqrt(n) * EPS * norm_of(B)  # the penalty is below the rounding of B
    for a in np.flatnonzero(lost):
        out[:, :, a] = solved(B.copy(), y, float(alphas[a]), free)
    kept = np.flatnonzero(~lost)
    if not len(kept):
        return out
    reflectors, diagonal, beside, tau, _ = lapack.dsytrd(B.T, lower=1, overwrite_a=1, lwork=BLOCK * n)
    heads = np.asfortranarray(reflectors[1:, :-1])  # Q = diag(1, H_1 ... H_(n-1)), as the factor of a QR
    turned = rotated(heads, tau, y, "T")
    found = np.empty((n, len(kept), targets))
    for k, a in enumerate(kept):
        _, _, found[:, k], failed = lapack.dptsv(diagonal + alphas[a], beside, turned)
        if failed:
            raise ValueError(f"the kernel is not positive semidefinite, and alpha={alphas[a]:g} is too small for it")
    out[:, :, kept] = rotated(heads, tau, found.reshape(n, -1), "N").reshape(n, -1, targets).transpose(0, 2, 1)
    return out


def rotated(heads: np.ndarray, tau: np.ndarray, columns: np.ndarray, form: str) -> np.ndarray:
    """Q times columns, or with "T" its transpose; the first row stays what it is."""
    out = np.array(columns, order="F", dtype=np.float64)
    if len(tau):
        out[1:], _, _ = lapack.dormqr("L", form, heads, tau, out[1:], BLOCK * max(out.shape[1], 1))
    return out
