"""The best block of several units at once, in or out; generalised forward selection."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ..evaluations import Evaluations, Found, Units, with_unit, without_unit


def generalised_forward(evaluations: Evaluations, block: int) -> None:
    """GSFS(m): S <- S + argmax over blocks B of m units of J(S + B); the last block may be smaller.

    A step asks about C(D - n, m) sets.
    """
    units: Units = ()
    if evaluations.base:
        evaluations.score(units)
    while len(units) < evaluations.most:
        found = best_block_in(evaluations, units, min(block, evaluations.most - len(units)))
        if found.score == -np.inf:
            break
        units = evaluations.move(found)


def best_block_in(evaluations: Evaluations, units: Units, count: int) -> Found:
    """The best set with `count` units more: all but the last of a block are fixed, the last is asked for together."""
    best = Found(units, -np.inf)
    for first in combinations(evaluations.others(units), count - 1):
        grown = tuple(sorted((*units, *first)))
        last = tuple(j for j in evaluations.others(grown) if not first or j > first[-1])
        if last:
            scores = evaluations.grown(grown, last)
            place = evaluations.first_best(scores)
            if evaluations.better(float(scores[place]), best.score):
                best = Found(with_unit(grown, last[place]), float(scores[place]))
    return best


def best_block_out(evaluations: Evaluations, units: Units, count: int) -> Found:
    """The best set with `count` units less."""
    best = Found(units, -np.inf)
    for first in combinations(units, count - 1):
        shrunk = tuple(j for j in units if j not in first)
        last = tuple(j for j in shrunk if not first or j > first[-1])
        if last:
            scores = evaluations.shrunk(shrunk, last)
            place = evaluations.first_best(scores)
            if evaluations.better(float(scores[place]), best.score):
                best = Found(without_unit(shrunk, last[place]), float(scores[place]))
    return best
