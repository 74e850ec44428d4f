"""The numbers of the rows of a dual, and what they say of themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..objectives.duals import Dual


@dataclass(frozen=True, eq=False)
class Multipliers:
    """The numbers b of the rows, the slopes f = t - r b - K b, the level of the free ones, and how it went.

    `gap` bounds what could still be gained of the primal, |w|^2 / 2 + losses, whose value is `objective`.
    """

    beta: np.ndarray
    slope: np.ndarray
    level: float
    violation: float  # of the conditions of Karush, Kuhn and Tucker: what the worst pair could still change
    gap: float
    objective: float
    norm: float  # |w|
    steps: int
    rounds: int
    converged: bool

    @classmethod
    def of(cls, dual: Dual, beta: np.ndarray, slope: np.ndarray, tol: float, steps: int, rounds: int) -> Multipliers:
        """What numbers and slopes say of themselves."""
        rise, fall = sides(dual, beta, slope)
        violation = max(float(rise.max(initial=-np.inf) - fall.min(initial=np.inf)), 0.0)
        level = level_of(dual, beta, slope)
        left = gap(dual, beta, slope - level)
        square = float(beta @ (dual.target - slope - dual.ridge * beta))
        value = float(dual.target @ beta) - dual.epsilon * float(np.abs(beta).sum()) - 0.5 * square
        norm = float(np.sqrt(max(square, 0.0)))
        return cls(beta, slope, level, violation, left, value + left, norm, steps, rounds, violation <= tol)


def gap(dual: Dual, beta: np.ndarray, slope: np.ndarray) -> float:
    """What could still be gained: of every row sup_v (v g - e |v|) - (b g - e |b|), v between its bounds.

    Bounds that are infinite count as the largest number there is: where it is the solution, they might be that.
    """
    e, most = dual.epsilon, float(np.abs(beta).max(initial=0.0))
    upper = np.where(np.isfinite(dual.upper), dual.upper, most)
    lower = np.where(np.isfinite(dual.lower), dual.lower, -most)
    best = np.where(slope > e, upper * (slope - e), np.where(slope < -e, lower * (slope + e), 0.0))
    return max(float((best - (beta * slope - e * np.abs(beta))).sum()), 0.0)


def sides(dual: Dual, beta: np.ndarray, slope: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Along which slope every number can rise, and fall; infinite where it cannot."""
    e = dual.epsilon
    rise = np.where(beta < dual.upper, slope - np.where(beta >= 0, e, -e) if e else slope, -np.inf)
    fall = np.where(beta > dual.lower, slope - np.where(beta > 0, e, -e) if e else slope, np.inf)
    return rise, fall


def level_of(dual: Dual, beta: np.ndarray, slope: np.ndarray) -> float:
    """The multiplier of the sum: the mean slope of the numbers at no bound, or the middle of what it can be."""
    free = (beta > dual.lower) & (beta < dual.upper) & ((beta != 0) | (dual.epsilon == 0))
    if free.any():
        return float((slope - dual.epsilon * np.sign(beta))[free].mean())
    rise, fall = sides(dual, beta, slope)
    ends = np.array([rise.max(initial=-np.inf), fall.min(initial=np.inf)])
    ends = ends[np.isfinite(ends)]
    return float(ends.mean()) if len(ends) else 0.0


def part(dual: Dual, which: np.ndarray) -> Dual:
    """The dual of some of the rows."""
    return dual._replace(**{name: getattr(dual, name)[which] for name in ("target", "lower", "upper", "ridge")})
