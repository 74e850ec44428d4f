"""Joachims' search for the labels of a transductive machine: pairs of labels are switched while that pays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...objectives.duals import Dual, sided
from ...solvers.multipliers import Multipliers

MARGIN = 1e-9  # by which two losses together must be above two

Solve = Callable[[Dual, Any], Multipliers]


class Switched(NamedTuple):
    """A machine, the signs of all rows, and the objective at every solution with the cost that it was taken at."""

    machine: Multipliers
    signs: np.ndarray
    trace: list[tuple[float, float]]
    switches: int
    settled: bool


def switched(
    solve: Solve,
    signs: np.ndarray,
    free: np.ndarray,
    cost: np.ndarray,
    positive: int,
    levels: np.ndarray,
    most: int,
    first: np.ndarray | None = None,
) -> Switched:
    """Signs of the rows `free` (numbers), so many of them positive; `levels` are shares of their cost, rising.

    At every level the machine is solved, and as many pairs of signs are switched as lose more than two together; each
    of these lowers the objective, and so does the machine that is solved next. The largest of the scores `first` of
    the rows `free` are positive to begin with; without them, those of the machine of the labelled rows.
    """
    signs, known = signs.astype(float).copy(), cost.copy()
    known[free] = 0.0
    machine = solve(dual_of(signs, known), None)
    trace = [(0.0, machine.objective)]
    if not len(free):
        return Switched(machine, signs, trace, 0, True)
    first = scores(machine, signs)[free] if first is None else first
    order = np.argsort(-first, kind="stable")
    signs[free] = -1.0
    signs[free[order[:positive]]] = 1.0
    switches, settled = 0, True
    for level in levels:
        here = cost.copy()
        here[free] *= level
        for turn in range(most + 1):
            dual = dual_of(signs, here)
            machine = solve(dual, feasible(machine.beta, dual))
            trace.append((float(level), machine.objective))
            pairs = worth_switching(signs[free], scores(machine, signs)[free])
            if not len(pairs):
                break
            if turn == most:
                settled = False
                break
            signs[free[pairs.ravel()]] *= -1.0
            switches += len(pairs)
    return Switched(machine, signs, trace, switches, settled)


def dual_of(signs: np.ndarray, cost: np.ndarray) -> Dual:
    return Dual(signs, *sided(signs, cost), np.zeros(len(signs)))


def scores(machine: Multipliers, signs: np.ndarray) -> np.ndarray:
    """f of the rows learnt: slopes are y - K b."""
    return signs - machine.slope + machine.level


def worth_switching(signs: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Pairs (positive, negative) that both lose something, and together more than two: the worst with the worst."""
    loss = 1.0 - signs * f
    sides = [np.flatnonzero((signs == side) & (loss > 0)) for side in (1.0, -1.0)]
    sides = [side[np.argsort(-loss[side], kind="stable")] for side in sides]
    n = min(map(len, sides))
    pairs = np.column_stack([side[:n] for side in sides])
    return pairs[loss[pairs].sum(axis=1) > 2.0 + MARGIN]


def feasible(beta: np.ndarray, dual: Dual) -> np.ndarray:
    """Numbers within the bounds of a dual, whose sum is zero: a start near those of another."""
    near = np.clip(beta, dual.lower, dual.upper)
    up, down = float(near[near > 0].sum()), -float(near[near < 0].sum())
    if up == 0.0 or down == 0.0:
        return np.zeros(len(beta))
    near = np.where(near > 0, near * min(down / up, 1.0), near * min(up / down, 1.0))
    rest = float(near.sum())  # rounding, taken from the largest number of the side that is too much
    place = int(np.argmax(near * np.sign(rest)))
    near[place] -= rest
    return np.clip(near, dual.lower, dual.upper)
