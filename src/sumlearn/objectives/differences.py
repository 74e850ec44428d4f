"""Derivatives from differences, for functions of which nothing else is known.

    D_j = [ 8 F(w + h e_j) - 8 F(w - h e_j) - F(w + 2h e_j) + F(w - 2h e_j) ] / 12h
    error about F^(5) h^4 / 30 + eps |F| / h

The usual step, h = eps^(1/5) max(|w_j|, 1), balances both where w and F change on a scale of one. It is kept where
differences over 8 h and h / 8 agree with it. Else h is the one of a ladder of steps that agrees best with its
neighbours, which finds a scale of 1 at an offset of 1e9 too. Steps are powers of two, so that w + h is not rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

RUNG = 8.0
AGREES = 1e-6  # share of the derivative that two steps may differ by


def central(f: Callable[[np.ndarray], np.ndarray], point: np.ndarray, steps: np.ndarray, dtype: Any) -> np.ndarray:
    """Derivatives of a number or a row of numbers, one for each number of the point."""
    return np.array([along(f, point, j, step, dtype) for j, step in enumerate(steps)])


def along(f: Callable[[np.ndarray], np.ndarray], point: np.ndarray, j: int, step: float, dtype: Any) -> np.ndarray:
    """The derivative by one number of the point; steps are no smaller than what can be written beside it."""
    centre = dtype.type(point[j])
    step = max(step, 4.0 * float(np.spacing(dtype.type(abs(centre) + 2.0 * step))))

    def there(steps: float) -> np.ndarray:
        moved = point.copy()
        moved[j] = centre + steps * step
        return f(moved)

    return (8.0 * (there(1.0) - there(-1.0)) - (there(2.0) - there(-2.0))) / (12.0 * step)


def steps_of(f: Callable[[np.ndarray], np.ndarray], point: np.ndarray, dtype: Any) -> np.ndarray:
    """A step for each number of the point."""
    eps = float(np.finfo(dtype).eps)
    size = 2.0 ** np.ceil(np.log2(np.maximum(np.abs(point), 1.0)))
    noise = eps * float(np.abs(f(point)).max(initial=0.0))
    return np.array([step_of(f, point, j, float(size[j]), eps, noise, dtype) for j in range(len(point))])


def step_of(
    f: Callable[[np.ndarray], np.ndarray], point: np.ndarray, j: int, size: float, eps: float, noise: float, dtype: Any
) -> float:
    """The usual step if its neighbours agree; else the best of a ladder."""

    def slope(step: float) -> np.ndarray | None:
        with np.errstate(all="ignore"):
            try:
                return along(f, point, j, step, dtype)
            except (ValueError, ArithmeticError):  # no number there
                return None

    def disagreement(steps: list[float], slopes: list[np.ndarray | None]) -> list[float]:
        """How far the slope at each step but the outer ones is from its neighbours, and what rounding may add."""
        out = []
        for i in range(1, len(steps) - 1):
            low, here, high = slopes[i - 1 : i + 2]
            apart = np.inf
            if low is not None and here is not None and high is not None:
                apart = float(max(np.abs(here - low).max(), np.abs(here - high).max())) + noise / steps[i]
            out.append(apart)
        return out

    usual = 2.0 ** round(np.log2(eps) / 5.0) * size
    near = [usual * RUNG, usual, usual / RUNG]
    slopes = [slope(step) for step in near]
    here = slopes[1]
    if here is not None and disagreement(near, slopes)[0] <= AGREES * float(np.abs(here).max()):
        return usual
    ladder = [size * RUNG**k for k in range(4, -int(np.log(1.0 / eps) / np.log(RUNG)) - 1, -1)]
    apart = disagreement(ladder, [slope(step) for step in ladder])
    best = int(np.argmin(apart))
    return ladder[best + 1] if np.isfinite(apart[best]) else usual
