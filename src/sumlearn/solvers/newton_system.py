"""The linear system of a Newton step: by a factor of the Hessian, corrected along past steps, or without a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve


def factor(hessian: np.ndarray, outputs: int, little: float = 0.0) -> Any:
    """Cholesky factor of a positive semidefinite matrix at unit diagonal, and the roots of its diagonal.

    Directions without curvature get a little, above rounding. With several outputs, scores count only up to a common
    shift: that direction is given the mean curvature; gradients have no part in it.
    """
    size = len(hessian) // outputs
    if outputs > 1:
        mean = hessian.diagonal().reshape(outputs, size).mean(axis=0)
        hessian = hessian + np.kron(np.full((outputs, outputs), 1.0 / outputs), np.diag(mean))
    diagonal = hessian.diagonal()
    roots = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))  # no curvature at all: along the gradient
    unit, ridge = hessian / roots / roots[:, None], max(1e-14, little)
    while True:
        try:
            lifted = unit.copy()
            lifted[np.diag_indices(len(lifted))] += ridge
            return cho_factor(lifted, overwrite_a=True, check_finite=False), roots
        except np.linalg.LinAlgError:
            ridge *= 100.0
            if not np.isfinite(ridge) or ridge > 1e10:
                raise ValueError("the Hessian is not positive: the objective is not convex here") from None


def corrected(hessian: Any, gradient: np.ndarray, pairs: tuple[tuple[np.ndarray, np.ndarray], ...]) -> np.ndarray:
    """H^-1 g, with H corrected by the curvature seen along past steps (BFGS in two loops, Nocedal 1980)."""
    q, kept = gradient, []
    for s, y in reversed(pairs):
        bend = float((s * y).sum())
        if bend > 0.0:
            share = float((s * q).sum()) / bend
            q = q - share * y
            kept.append((s, y, bend, share))
    cholesky, roots = hessian
    out = (cho_solve(cholesky, q.ravel() / roots, check_finite=False) / roots).reshape(gradient.shape)
    for s, y, bend, share in reversed(kept):
        out = out + (share - float((y * out).sum()) / bend) * s
    return out


def conjugate_gradients(objective: Any, point: np.ndarray, gradient: np.ndarray) -> tuple[np.ndarray, float]:
    """About H^-1 (-g), from products with H, and their number; the nearer the minimum, the more precisely."""
    x = np.zeros_like(gradient)
    r = -gradient
    v, rr = r.copy(), float((r * r).sum())
    products = 0.0
    if rr == 0.0:
        return x, products
    enough = min(0.1, np.sqrt(np.sqrt(rr) / max(abs(gradient).sum(), 1e-300))) ** 2 * 1e-4 * rr
    for _ in range(250):
        Hv = objective.product(point, v)
        products += 1.0
        bend = float((v * Hv).sum())
        if bend <= 1e-14 * float((v * v).sum()):
            break
        step = rr / bend
        x += step * v
        r -= step * Hv
        new = float((r * r).sum())
        if new <= enough:
            break
        v = r + new / rr * v
        rr = new
    return x if x.any() else -gradient, products
