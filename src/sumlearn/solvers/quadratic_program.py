"""Quadratic programs with bounds and a few equations, by an interior point and an exact end.

    min_x  x'Qx / 2 + c'x,     lower <= x <= upper,   A x = b

Q is a matrix, or Z Z' + diag(r) with few columns Z: then systems have as many numbers as Z has columns, and are sums
over its rows. `box_qp` is the whole; `begun` and `advanced` are its steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .newton_system import corrected, factor

ROUNDING = 1e-14
NOTHING = 1e-30  # of the gap that there was
ENDLESS = 1e30  # times the multipliers that there were
BORDER = 0.995  # of the way to a bound
MOST = 1500  # numbers at no bound up to which the end is made exact


class Matrix(NamedTuple):
    """Q as it is."""

    values: np.ndarray

    def product(self, x: np.ndarray) -> np.ndarray:
        return self.values @ x

    def block(self, which: np.ndarray) -> np.ndarray:
        return self.values[np.ix_(which, which)]

    def inverse(self, diagonal: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """(Q + diag)^-1 times a vector."""
        system = self.values.copy()
        system[np.diag_indices(len(system))] += diagonal
        cholesky = factor(system, 1)
        return lambda right: corrected(cholesky, right, ())


class LowRank(NamedTuple):
    """Z Z' + diag(r)."""

    Z: Any
    ridge: np.ndarray

    def product(self, x: np.ndarray) -> np.ndarray:
        return self.Z @ (self.Z.T @ x) + self.ridge * x

    def block(self, which: np.ndarray) -> np.ndarray:
        Z = self.Z[which]
        return np.asarray(Z @ Z.T) + np.diag(self.ridge[which])

    def inverse(self, diagonal: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """The same by Sherman, Morrison & Woodbury."""
        D, Z = diagonal + self.ridge, self.Z
        root = 1.0 / np.sqrt(D)
        small = np.zeros((Z.shape[1], Z.shape[1]))
        for first in range(0, len(D), 4096):
            A = Z[first : first + 4096] * root[first : first + 4096, None]
            small += A.T @ A
        small[np.diag_indices(len(small))] += 1.0
        cholesky = factor(small, 1)

        def solve(right: np.ndarray) -> np.ndarray:
            return (right - Z @ corrected(cholesky, Z.T @ (right / D), ())) / D

        return solve


@dataclass(frozen=True, eq=False)
class Program:
    """What is minimised. `equations` (p, n) and `values` (p) may be empty."""

    Q: Any
    c: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    equations: np.ndarray
    values: np.ndarray

    def value(self, x: np.ndarray) -> float:
        return float(0.5 * x @ self.Q.product(x) + self.c @ x)


@dataclass(frozen=True, eq=False)
class Path:
    """Where the path has come to: x, its distances from both bounds, their multipliers, and those of the equations."""

    x: np.ndarray
    below: np.ndarray  # x - lower, by itself: a difference would lose its digits
    above: np.ndarray
    low: np.ndarray
    high: np.ndarray
    y: np.ndarray
    gap: float = np.inf
    residual: float = np.inf
    steps: int = 0
    ended: bool = False
    converged: bool = False
    best: float = np.inf
    idle: int = 0
    measure: float = np.inf  # gap and residual, as shares
    first: float = np.inf  # the gap after one step
    pull: float = np.inf  # size of the first multipliers


def begun(program: Program) -> Path:
    """Between the bounds; where there is one only, away from it by as much as the linear part asks for."""
    lower, upper = program.lower, program.upper
    slope = float(np.abs(program.c).max(initial=0.0)) or 1.0
    one = np.ones(len(program.c))
    bend = float(one @ program.Q.product(one)) / len(one) ** 2
    away = slope / max(bend * len(one), 1e-300)
    finite = np.isfinite(lower) & np.isfinite(upper)
    with np.errstate(invalid="ignore"):
        width = np.where(finite, upper - lower, 0.0)
        x = np.where(finite, lower + 0.5 * width, np.where(np.isfinite(lower), lower + away, upper - away))
    x = np.where(np.isfinite(lower) | np.isfinite(upper), x, 0.0)
    low, high = (np.where(np.isfinite(bound), slope, 0.0) for bound in (lower, upper))
    below, above = (np.where(np.isfinite(bound), np.abs(x - bound), 1.0) for bound in (lower, upper))
    return Path(x, below, above, low, high, np.zeros(len(program.values)), pull=slope)


def advanced(program: Program, path: Path, tol: float) -> Path:
    """One step: predictor and corrector with one factor, then how good it is."""
    if path.ended:
        return path
    x, low, high, y = path.x, path.low, path.high, path.y
    A, has_low, has_high = program.equations, np.isfinite(program.lower), np.isfinite(program.upper)
    s, z = path.below, path.above
    slope = program.Q.product(x) + program.c - A.T @ y - low + high
    lack = program.values - A @ x
    diagonal = low / s + high / z
    inverse = program.Q.inverse(diagonal)

    def solved(right: np.ndarray) -> np.ndarray:
        out = inverse(right)
        return out + inverse(right - program.Q.product(out) - diagonal * out)  # refined once

    W = np.array([solved(row) for row in A]).reshape(A.shape)
    total, count = float(low @ s + high @ z), int(has_low.sum() + has_high.sum())

    def direction(of_low: np.ndarray, of_high: np.ndarray) -> tuple[np.ndarray, ...]:
        right = -slope + of_low / s - of_high / z
        dx = solved(right)
        dy = np.linalg.lstsq(A @ W.T, lack - A @ dx, rcond=None)[0] if len(A) else np.zeros(0)
        dx = dx + W.T @ dy
        dl = np.where(has_low, (of_low - low * dx) / s, 0.0)
        return dx, dl, np.where(has_high, (of_high + high * dx) / z, 0.0), dy

    dx, dl, dh, dy = direction(-low * s, -high * z)
    share = reach((s, dx, has_low), (z, -dx, has_high), (low, dl, has_low), (high, dh, has_high))
    ahead = float((low + share * dl) @ np.where(has_low, s + share * dx, 0.0))
    ahead += float((high + share * dh) @ np.where(has_high, z - share * dx, 0.0))
    mu = (max(ahead, 0.0) / total) ** 3 * total / max(count, 1) if total else 0.0
    to_low = np.where(has_low, mu - low * s - dl * dx, 0.0)
    to_high = np.where(has_high, mu - high * z + dh * dx, 0.0)
    dx, dl, dh, dy = direction(to_low, to_high)
    share = reach((s, dx, has_low), (z, -dx, has_high), (low, dl, has_low), (high, dh, has_high), most=np.inf)
    share = min(1.0, BORDER * share)
    s, z = np.where(has_low, s + share * dx, 1.0), np.where(has_high, z - share * dx, 1.0)
    there = replace(
        path, x=x + share * dx, below=s, above=z, low=low + share * dl, high=high + share * dh, y=y + share * dy,
        steps=path.steps + 1,
    )  # fmt: skip
    if not max(there.low.max(initial=0.0), there.high.max(initial=0.0)) <= ENDLESS * max(path.pull, 1e-300):
        return replace(path, ended=True)  # nothing lies between all the bounds
    there = judged(program, there, tol)
    lost = path.measure < 1e-5 and there.measure > 10.0 * path.measure  # rounding takes over: no better than before
    return exact(program, replace(path, steps=there.steps, ended=True)) if lost else there


def judged(program: Program, path: Path, tol: float) -> Path:
    """The gap between the program and its dual, what no multiplier explains, and whether that is the end."""
    x, low, high = path.x, path.low, path.high
    slope = program.Q.product(x)
    size = abs(0.5 * float(x @ slope) + float(program.c @ x))
    rest = slope + program.c - program.equations.T @ path.y - low + high
    gap = float(low @ path.below + high @ path.above) + abs(float(rest @ x))
    lack = program.values - program.equations @ x
    pull = max(float(np.abs(program.c).max(initial=0.0)), float(np.abs(slope).max(initial=0.0))) or 1.0
    residual = float(np.abs(rest).max(initial=0.0)) / pull
    residual = max(residual, float(np.abs(lack).max(initial=0.0)) / (float(np.abs(x).sum()) or 1.0))
    idle = 0 if gap < 0.9 * path.best else path.idle + 1
    close = gap <= max(tol, ROUNDING) * size + 1e-300 and residual <= 1e-7
    measure = max(gap / max(size, 1e-300), 1e-2 * residual)
    first = gap if np.isinf(path.first) else path.first
    path = replace(path, gap=gap, residual=residual, idle=idle, best=min(gap, path.best), measure=measure, first=first)
    nothing = gap <= NOTHING * first  # the minimum is zero: no gap is a small share of it
    path = replace(path, ended=close or nothing or idle > 8, converged=close)
    return exact(program, path) if path.ended else path


def exact(program: Program, path: Path) -> Path:
    """The numbers at a bound are put there; the others solve one linear system. Kept where it is no worse."""
    x, low, high, p = path.x, path.low, path.high, len(program.values)
    s = np.where(np.isfinite(program.lower), path.below, np.inf)
    z = np.where(np.isfinite(program.upper), path.above, np.inf)
    pull = float(np.abs(program.c).mean() + np.abs(program.Q.product(x)).mean()) or 1.0
    width = float(np.minimum(s + z, 1e300).min(initial=1e300))  # between two bounds
    scale = (max(float(np.abs(x).mean()), 1e-10 * width if width < 1e300 else 0.0) or 1.0) / pull
    at_low, at_high = s < scale * low, z < scale * high
    inside = np.flatnonzero(~(at_low | at_high))
    if len(inside) > MOST:
        return path
    fixed = np.where(at_low, program.lower, np.where(at_high, program.upper, 0.0))
    A = program.equations[:, inside]
    system = np.block([[program.Q.block(inside), -A.T], [A, np.zeros((p, p))]])
    rest = -program.c - program.Q.product(fixed)
    right = np.concatenate([rest[inside], program.values - program.equations @ fixed])
    size = np.sqrt(np.maximum(np.abs(system).max(axis=1, initial=0.0), 1e-300))
    scaled, found = system / size / size[:, None], np.concatenate([x[inside], path.y])
    for _ in range(2):
        found = found + np.linalg.lstsq(scaled, (right - system @ found) / size, rcond=1e-14)[0] / size
    made = fixed.copy()
    made[inside] = found[: len(inside)]
    slack = 1e-9 * (np.abs(made) + 1.0)
    good = np.isfinite(made).all() and (made >= program.lower - slack).all() and (made <= program.upper + slack).all()
    made = np.clip(made, program.lower, program.upper)
    lack = np.abs(program.values - program.equations @ made)
    good = good and (lack <= 1e-9 * (np.abs(program.values) + np.abs(program.equations) @ np.abs(made))).all()
    now = program.value(x)
    end = replace(path, x=made, y=found[len(inside) :])
    gap = certified(program, end)
    if not good or not (gap <= path.gap or program.value(made) <= now):
        return replace(path, converged=path.converged or path.measure <= 1e-8)
    return replace(end, gap=gap, converged=path.converged or gap <= 1e-8 * abs(now) + 1e-300)


def certified(program: Program, path: Path) -> float:
    """The gap with the multipliers that follow from the slope alone; infinite where a slope has no bound to lean on."""
    slope = program.Q.product(path.x) + program.c - program.equations.T @ path.y
    nothing = 1e-10 * (float(np.abs(program.c).max(initial=0.0)) or 1.0)
    slope = np.where(np.abs(slope) <= nothing, 0.0, slope)
    with np.errstate(invalid="ignore"):
        way = np.where(slope > 0, path.x - program.lower, path.x - program.upper)
        return float(np.where(slope != 0, slope * way, 0.0).sum())


def reach(*moves: tuple[np.ndarray, np.ndarray, np.ndarray], most: float = 1.0) -> float:
    """How far all of them can go before the first vanishes."""
    for here, change, counts in moves:
        with np.errstate(divide="ignore", invalid="ignore"):
            ways = np.where(counts & (change < 0), -here / change, np.inf)
        most = min(most, float(ways.min(initial=np.inf)))
    return most


def box_qp(
    Q: Any, c: Any, lower: Any, upper: Any, equation: Any = None, value: float = 0.0, *, ridge: Any = None,
    factor_of: Any = None, tol: float = 1e-10, max_iter: int = 100,
) -> Path:  # fmt: skip
    """The minimum of x'Qx / 2 + c'x between bounds, with at most one equation a'x = value (or several, as rows).

    Parameters
    ----------
    Q : array (n, n) or None
        A positive semidefinite matrix, such as a Gram matrix with signs; None where `factor_of` gives it.
    c, lower, upper : array-like (n)
        Linear part and bounds, which may be infinite.
    equation, value : array-like, float
        a and its value; None for none.
    ridge, factor_of : array (n), array (n, d), default=None
        Q = factor_of factor_of' + diag(ridge).
    tol : float, default=1e-10
        Share of the objective that the gap may be.
    max_iter : int, default=100
        Most steps.

    Returns
    -------
    Path
        `x`, `y` (multipliers of the equations), `low` and `high` (of the bounds), `gap`, `residual`, `steps`,
        `converged`.

    Examples
    --------
    The nearest point of the simplex to (1, 2, -1).

    >>> found = box_qp(np.eye(3), [-1.0, -2.0, 1.0], np.zeros(3), np.full(3, np.inf), np.ones(3), 1.0)
    >>> found.x.round(6).tolist(), found.converged
    ([0.0, 1.0, 0.0], True)
    """
    program = program_of(Q, c, lower, upper, equation, value, ridge, factor_of)
    path = begun(program)
    while not path.ended and path.steps < max_iter:
        path = advanced(program, path, tol)
    return path


def program_of(
    Q: Any, c: Any, lower: Any, upper: Any, equation: Any, value: Any, ridge: Any = None, factor_of: Any = None
) -> Program:
    """The program, with its parts checked."""
    c = np.asarray(c, dtype=float)
    n = len(c)
    lower, upper = (np.broadcast_to(np.asarray(bound, dtype=float), n) for bound in (lower, upper))
    if (lower >= upper).any():
        place = int(np.argmax(lower >= upper))
        raise ValueError(f"lower must be below upper, got {lower[place]} and {upper[place]} at {place}")
    A = np.zeros((0, n)) if equation is None else np.atleast_2d(np.asarray(equation, dtype=float))
    values = np.zeros(0) if equation is None else np.atleast_1d(np.asarray(value, dtype=float))
    if A.shape[1] != n or len(values) != len(A):
        raise ValueError(f"equation must have {n} numbers for each value, got {A.shape} and {len(values)} values")
    if factor_of is not None:
        form: Any = LowRank(factor_of, np.zeros(n) if ridge is None else np.asarray(ridge, dtype=float))
    else:
        form = Matrix(np.asarray(Q, dtype=float))
        if form.values.shape != (n, n):
            raise ValueError(f"Q must be ({n}, {n}), got {form.values.shape}")
        if ridge is not None:
            form = Matrix(form.values + np.diag(np.asarray(ridge, dtype=float)))
    return Program(form, c, lower, upper, A, values)
