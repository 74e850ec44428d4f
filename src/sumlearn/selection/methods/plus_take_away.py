"""Plus k take away l: some steps forward, some back, over and over."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..evaluations import Evaluations, Found, Units
from .blocks import best_block_in, best_block_out
from .sequential import everything

Move = Callable[[Evaluations, Units, int], Found]


def plus_take_away(evaluations: Evaluations, plus: int, minus: int) -> None:
    """PTA(k, l): k times the best unit in, l times the one that is missed least out.

    (k + l) / (k - l) times the cost of forward selection. Every step starts from the set that the one before has left,
    where the printed algorithm of note 002 would choose the same unit k times.
    """
    rounds(evaluations, plus, minus, one_by_one_in, one_by_one_out)


def generalised_plus_take_away(evaluations: Evaluations, plus: int, minus: int) -> None:
    """GPTA(k, l): the best block of k units in, the block of l units that is missed least out."""
    rounds(evaluations, plus, minus, best_block_in, best_block_out)


def rounds(evaluations: Evaluations, plus: int, minus: int, add: Move, drop: Move) -> None:
    """Upwards from nothing if more come in than go out, else downwards from everything."""
    if plus > minus:
        upwards(evaluations, plus, minus, add, drop)
    else:
        downwards(evaluations, plus, minus, add, drop)


def upwards(evaluations: Evaluations, plus: int, minus: int, add: Move, drop: Move) -> None:
    """The last round goes only so far up that it ends at the largest size of interest."""
    units: Units = ()
    if evaluations.base:
        evaluations.score(units)
    while len(units) < evaluations.most:
        top = min(len(units) + plus, evaluations.most + minus, len(evaluations.all))
        out = minus if top == len(units) + plus else top - evaluations.most
        found = add(evaluations, units, top - len(units))
        if found.score == -np.inf:
            break
        units = evaluations.move(found)
        if len(units) < top:  # nothing more can come in
            break
        if out:
            units = evaluations.move(drop(evaluations, units, out))


def downwards(evaluations: Evaluations, plus: int, minus: int, add: Move, drop: Move) -> None:
    """The last round goes only so far down that it ends at the smallest size of interest."""
    units = everything(evaluations)
    largest = len(units)
    while len(units) > evaluations.least:
        bottom = max(len(units) - minus, evaluations.least - plus, 0 if evaluations.base else 1)
        into = plus if bottom == len(units) - minus else evaluations.least - bottom
        found = drop(evaluations, units, len(units) - bottom)
        if found.score == -np.inf:
            break
        units = evaluations.move(found)
        if into:
            found = add(evaluations, units, min(into, largest - len(units)))
            units = evaluations.move(found) if found.score > -np.inf else units


def one_by_one_in(evaluations: Evaluations, units: Units, count: int) -> Found:
    found = Found(units, -np.inf)
    for _ in range(count):
        grown = evaluations.best_grown(found.units)
        if grown.score == -np.inf:
            break
        found = grown
    return found


def one_by_one_out(evaluations: Evaluations, units: Units, count: int) -> Found:
    found = Found(units, -np.inf)
    for _ in range(count):
        found = evaluations.best_shrunk(found.units)
    return found
