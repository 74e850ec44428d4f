"""Plus k take away l: some steps forward, some back, over and over."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..evaluations import Evaluations, Found, Units
from .blocks import best_block_in, best_block_out
from .sequential import everything

Move = Callable[[Evaluations, Units, int], Found]


def plus_take_away(evaluations: Evaluations, plus: int, minus: int, stop: bool = False) -> None:
    """PTA(k, l): k times the best unit in, l times the one that is missed least out.

    (k + l) / (k - l) times the cost of forward selection. Every step starts from the set that the one before has left,
    where the printed algorithm of note 002 would choose the same unit k times. It can `stop` after a round up that has
    not bettered J, J(S') <= J(S), or a round down that has worsened it.
    """
    rounds(evaluations, plus, minus, one_by_one_in, one_by_one_out, stop)


def generalised_plus_take_away(evaluations: Evaluations, plus: int, minus: int, stop: bool = False) -> None:
    """GPTA(k, l): the best block of k units in, the block of l units that is missed least out."""
    rounds(evaluations, plus, minus, best_block_in, best_block_out, stop)


def rounds(evaluations: Evaluations, plus: int, minus: int, add: Move, drop: Move, stop: bool) -> None:
    """Upwards from nothing if more come in than go out, else downwards from everything."""
    if plus > minus:
        upwards(evaluations, plus, minus, add, drop, stop)
    else:
        downwards(evaluations, plus, minus, add, drop, stop)


def upwards(evaluations: Evaluations, plus: int, minus: int, add: Move, drop: Move, stop: bool) -> None:
    """The last round goes only so far up that it ends at the largest size of interest."""
    units: Units = ()
    before = evaluations.score(units) if evaluations.base else -np.inf
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
            found = drop(evaluations, units, out)
            units = evaluations.move(found)
        if stop and not evaluations.better(found.score, before):
            break
        before = found.score


def downwards(evaluations: Evaluations, plus: int, minus: int, add: Move, drop: Move, stop: bool) -> None:
    """The last round goes only so far down that it ends at the smallest size of interest."""
    units = everything(evaluations)
    largest, before = len(units), evaluations.score(units)
    while len(units) > evaluations.least:
        bottom = max(len(units) - minus, evaluations.least - plus, 0 if evaluations.base else 1)
        into = plus if bottom == len(units) - minus else evaluations.least - bottom
        found = drop(evaluations, units, len(units) - bottom)
        if found.score == -np.inf:
            break
        units = evaluations.move(found)
        if into:
            grown = add(evaluations, units, min(into, largest - len(units)))
            found = grown if grown.score > -np.inf else found
            units = evaluations.move(grown) if grown.score > -np.inf else units
        if stop and evaluations.better(before, found.score):
            break
        before = found.score


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
