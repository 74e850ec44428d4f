"""Floating search: as many steps back as pay, after every step forward."""

from __future__ import annotations

import numpy as np

from ..evaluations import Evaluations, Found, Units
from .sequential import everything, steps_backward, steps_forward


def floating_forward(evaluations: Evaluations) -> None:
    """SFFS: after each best unit in, units go out as long as J(S - j) beats the best set of that size so far.

    The best set of every size is kept (Pudil, Novovicova & Kittler 1994); a unit that comes in and leads to a set worse
    than the kept one of that size is forgotten, and the search goes on from the kept one. Sets of a size get better
    with every step back, so it ends. Forward selection is done beside it: floating may end below it.
    """
    kept: dict[int, Found] = {}
    units: Units = ()
    if evaluations.base:
        evaluations.score(units)
    while len(units) < evaluations.most:
        found = evaluations.best_grown(units)
        if found.score == -np.inf:
            break
        size = len(found.units)
        if size in kept and not evaluations.better(found.score, kept[size].score):
            units = evaluations.move(kept[size])  # its steps back were tried when it was found
            continue
        kept[size] = found
        units = evaluations.move(found)
        while len(units) > 2:
            less = evaluations.best_shrunk(units)
            if not evaluations.better(less.score, kept[len(less.units)].score):
                break
            kept[len(less.units)] = less
            units = evaluations.move(less)
    for _ in steps_forward(evaluations):
        pass


def floating_backward(evaluations: Evaluations) -> None:
    """SBFS: the same from the other end; after each unit out, units come in as long as that beats the kept set."""
    start = units = everything(evaluations)
    largest = len(units)
    kept = {largest: Found(units, evaluations.score(units))}
    while len(units) > evaluations.least:
        found = evaluations.best_shrunk(units)
        size = len(found.units)
        if size in kept and not evaluations.better(found.score, kept[size].score):
            units = evaluations.move(kept[size])
            continue
        kept[size] = found
        units = evaluations.move(found)
        while len(units) < largest - 2:
            more = evaluations.best_grown(units)
            if not evaluations.better(more.score, kept[len(more.units)].score):
                break
            kept[len(more.units)] = more
            units = evaluations.move(more)
    for _ in steps_backward(evaluations, start):
        pass
