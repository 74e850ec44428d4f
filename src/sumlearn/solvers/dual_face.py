"""The best point of a face of a dual: equations of the numbers at no bound, and who comes to one on the way.

    max_d  g'd - d'Kd / 2,    low <= d <= high,    sum d = 0

All in the precision of K: a step along which the dual rises is one, however exact it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

SLIGHT = (2.0**6, 2.0**16)  # units of rounding, of the diagonal: added to it, so that there is a factor
FEW = 0.05  # share of the numbers up to which a factor of all serves those that are left
TRIES = 20


def factored(K: np.ndarray, some: np.ndarray, room: np.ndarray) -> Any:
    """A Cholesky factor of some rows and columns of K, or of these and a little more where they have none."""
    for units in SLIGHT:
        lifted = room[: len(some) ** 2].reshape(len(some), len(some))
        for k, row in enumerate(some):
            np.take(K[row], some, out=lifted[k])
        lifted[np.diag_indices(len(some))] *= 1.0 + units * np.finfo(K.dtype).eps
        try:  # the transposed is the same, in the order of LAPACK
            return cho_factor(lifted.T, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            continue
    return None


def stationary(factor: Any, slope: np.ndarray, held: np.ndarray, moves: np.ndarray, total: float) -> np.ndarray | None:
    """The d where all slopes g - K d are equal but those of `held`, which move by so much; the sum of d is given."""
    sides = np.zeros((len(slope), len(held) + 2), factor[0].dtype, order="F")
    sides[:, 0], sides[:, 1], sides[held, np.arange(2, len(held) + 2)] = slope, 1.0, 1.0
    found = cho_solve(factor, sides, check_finite=False).astype(float)
    d, along = found[:, 0], found[:, 1:]
    system = np.vstack([along.sum(axis=0), along[held]])
    wanted = np.append(total - d.sum(), moves - d[held])
    try:
        d = d + along @ np.linalg.solve(system, wanted)
    except np.linalg.LinAlgError:
        return None
    d[held] = moves
    return d if np.isfinite(d).all() else None


def face_step(
    K: np.ndarray, slope: np.ndarray, low: np.ndarray, high: np.ndarray, room: np.ndarray | None = None
) -> np.ndarray | None:
    """A step on which the dual rises: those that would cross a bound stay there, the equations of the others hold.

    `room` is for as many numbers as K has.

    >>> face_step(np.eye(3), np.array([3.0, 0.0, 0.0]), np.full(3, -9.0), np.array([1.0, 9.0, 9.0])).tolist()
    [1.0, -0.5, -0.5]
    """
    inside, d, left = np.arange(len(slope)), np.zeros(len(slope)), slope
    room = np.empty(K.size, K.dtype) if room is None else room
    factor, held = factored(K, inside, room), np.zeros(0, np.intp)  # of those inside, at a bound since
    for _ in range(TRIES):
        if factor is None:
            return None
        there = stationary(factor, left, held, d[inside[held]], d[inside].sum() - d.sum())
        if there is None:
            return None
        d[inside] = there
        crossed = np.flatnonzero((there < low[inside]) | (there > high[inside]))
        if not len(crossed):
            gain, bend = float(slope @ d), float(d @ (K @ d.astype(K.dtype)))
            return d * min(1.0, gain / bend) if gain > 0.0 and bend > 0.0 else None
        d = np.clip(d, low, high)
        held = np.append(held, crossed)
        if len(held) > FEW * len(inside):
            outside = np.setdiff1d(np.arange(len(d)), np.delete(inside, held))
            inside = np.delete(inside, held)
            if len(inside) < 2:
                return None
            left = slope[inside] - K[np.ix_(inside, outside)] @ d[outside].astype(K.dtype)
            factor, held = factored(K, inside, room), held[:0]
    return None
