"""Cutting planes: a loss from below, by the planes that touch it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .quadratic_program import box_qp
from .solver import Solver, expansion
from .state import State

LEAST = 1e-10  # share of the objective below which no gap is asked for
AHEAD = 0.1  # where the next plane touches, between the best point of the line and the end of it
ROUNDING = 2.0**-50  # of a height, as a share of what it is made of
IDLE = 25  # steps without a part in the minimum after which a plane is left out
FIRST = np.concatenate([[0.0], np.geomspace(1e-4, 1.0, 9), np.geomspace(2.0, 1e3, 6)])  # of the line search


@dataclass(frozen=True, eq=False, kw_only=True)
class PlaneState(State):
    """The best point so far; planes with their slopes, heights at zero, rounding and ages; the bound from below."""

    quadratic: np.ndarray  # diagonal of the penalty, zero where there is none
    slopes: np.ndarray  # (planes, numbers)
    heights: np.ndarray
    rounding: np.ndarray  # that a height may have
    ages: np.ndarray
    lower: float = -np.inf
    gap: float = np.inf


class CuttingPlanes(Solver):
    """R(v) >= max_k g_k'v + h_k, with one more plane at every step; the minimum of the bound is where it is cut next.

        min_v  v'Pv / 2 + max_k (g_k'v + h_k):    a quadratic program with as many numbers as there are planes

    The value at the best point and the minimum of the bound enclose the minimum: the gap is known. A line search from
    the best point towards the minimum of the bound (two reads of the rows, whatever they are) keeps values from rising.
    Every plane is a sum over rows, so it works over chunks, files and clusters. For losses with kinks and an L2
    penalty; the hinge of several classes is one of them.

    Parameters
    ----------
    tol : float, default=1e-8
        Ends when the gap is below this share of the objective.
    max_iter : int, default=2000
        Most planes.

    References
    ----------
    Lecture notes 001; Joachims 2006; Teo et al. 2010 (bundle methods); Franc & Sonnenburg 2009 (the line search).
    """

    name = "cutting_planes"
    asks = frozenset({"value and slope", "planes"})
    kinks = frozenset({"loss"})

    def __init__(self, tol: float = 1e-8, max_iter: int = 2000) -> None:
        self.tol, self.max_iter = tol, max_iter

    def start(self, objective: Any, point: np.ndarray) -> PlaneState:
        quadratic = objective.penalty_curvature(objective.start).ravel()
        found = expansion(objective, point)
        state = PlaneState(
            point=point, found=found, value=found.value, passes=objective.cost, quadratic=quadratic,
            slopes=np.zeros((0, len(quadratic))), heights=np.zeros(0), rounding=np.zeros(0), ages=np.zeros(0, int),
            ended=found.value <= 0, converged=found.value <= 0, gap=found.value if found.value <= 0 else np.inf,
        )  # fmt: skip
        state = touched(state, point, found)
        for j in np.flatnonzero(quadratic == 0):  # the bound must not fall for ever along what has no penalty
            state = self._fenced(objective, state, int(j))
        return state

    def step(self, objective: Any, state: PlaneState) -> PlaneState:
        if state.ended or state.iterations >= self.max_iter:
            return state.but(ended=True, noted=())
        end, lower, share = lowest(state)
        lower = max(lower, state.lower)
        ages = np.where(share > 1e-10, 0, state.ages + 1)
        keep = ages < IDLE
        state = state.but(
            lower=lower, slopes=state.slopes[keep], heights=state.heights[keep], rounding=state.rounding[keep],
            ages=ages[keep], iterations=state.iterations + 1, noted=(state.value,),
        )  # fmt: skip
        direction = end.reshape(state.point.shape) - state.point
        step = self._search(objective, state, direction)
        state = state.but(passes=state.passes + 2 * objective.cost)
        origin = state.point
        for reached in (step, step + AHEAD * (1.0 - step)):
            there = origin + reached * direction
            found = expansion(objective, there)
            state = touched(state, there, found).but(passes=state.passes + objective.cost)
            if found.value < state.value:
                state = state.but(point=there, found=found, value=found.value)
        gap = max(state.value - lower, 0.0)
        close = gap <= max(self.tol, LEAST) * abs(state.value) + 1e-300
        return state.but(gap=gap, ended=close or state.iterations >= self.max_iter, converged=close)

    def _search(self, objective: Any, state: PlaneState, direction: np.ndarray) -> float:
        """Where the objective is least along a line: the slope of the losses at several steps, twice."""
        line, point = direction.ravel(), state.point.ravel()
        first, second = float(line @ (state.quadratic * point)), float(line @ (state.quadratic * line))
        steps = FIRST
        for _ in range(2):
            slopes = objective.slopes(state.point, direction, steps) + first + second * steps
            beyond = int(np.searchsorted(slopes >= 0, True)) if (slopes >= 0).any() else len(steps) - 1
            low, high = steps[max(beyond - 1, 0)], steps[beyond]
            steps = np.linspace(low, high, 17)
        rising = slopes[beyond] - slopes[max(beyond - 1, 0)]
        inside = -slopes[max(beyond - 1, 0)] / rising if rising > 0 else 0.5
        return float(low + (high - low) * min(max(inside, 0.0), 1.0))

    def _fenced(self, objective: Any, state: PlaneState, j: int) -> PlaneState:
        """Planes that rise to either side along a number without a penalty."""
        for side in (1.0, -1.0):
            away = 1.0
            for _ in range(60):
                there = objective.start.copy()
                there.flat[j] = state.point.flat[j] + side * away
                found = expansion(objective, there)
                state = touched(state, there, found).but(passes=state.passes + objective.cost)
                if side * (found.gradient - objective.penalty_gradient(there)).flat[j] > 0:
                    break
                away *= 4.0
        return state


def touched(state: PlaneState, point: np.ndarray, found: Any) -> PlaneState:
    """One more plane: where the loss has this value and slope, the penalty taken off."""
    v = point.ravel()
    slope = found.gradient.ravel() - state.quadratic * v
    penalty, along = 0.5 * float(v @ (state.quadratic * v)), float(slope @ v)
    height = found.value - penalty - along
    rounding = ROUNDING * (found.value + penalty + float(np.abs(slope) @ np.abs(v)))
    return state.but(
        slopes=np.vstack([state.slopes, slope]), heights=np.append(state.heights, height),
        rounding=np.append(state.rounding, rounding), ages=np.append(state.ages, 0),
    )  # fmt: skip


def lowest(state: PlaneState) -> tuple[np.ndarray, float, np.ndarray]:
    """The minimum of penalty and planes: the point, its value, and the share of every plane in it."""
    heavy = state.quadratic > 0
    G, P = state.slopes, state.quadratic[heavy]
    equations = np.vstack([np.ones(len(G)), G[:, ~heavy].T])
    values = np.append(1.0, np.zeros(len(equations) - 1))
    size = np.maximum(np.abs(equations).max(axis=1, initial=0.0), 1e-300)
    factor = G[:, heavy] / np.sqrt(P)
    scale = float((factor**2).sum(axis=1).mean()) or 1.0  # the program in units of its own
    gram = factor @ factor.T / scale
    found = box_qp(
        gram, -state.heights / scale, 0.0, 2.0, equations / size[:, None], values / size, tol=1e-13, max_iter=60
    )
    share = np.maximum(found.x, 0.0)
    share = share / share.sum()
    combined = G.T @ share
    end = np.zeros(len(state.quadratic))
    end[heavy] = -combined[heavy] / P
    end[~heavy] = found.y[1:] * scale / size[1:]
    value = float(share @ (state.heights - state.rounding)) - 0.5 * float(combined[heavy] @ (combined[heavy] / P))
    return end, value, share
