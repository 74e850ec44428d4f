"""One unit at a time: forward selection and backward elimination."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from ..dependent_columns import CannotJudge, DependentColumnsWarning
from ..evaluations import Evaluations, Found, Units


def forward(evaluations: Evaluations, stop: bool = False) -> None:
    """SFS: S <- S + argmax_j J(S + j), from nothing to the largest size of interest; `stop` at J(S + j) <= J(S)."""
    before = evaluations.score(()) if evaluations.base else -np.inf
    for found in steps_forward(evaluations):
        if stop and not evaluations.better(found.score, before):
            break
        before = found.score
        evaluations.move(found)


def steps_forward(evaluations: Evaluations) -> Iterator[Found]:
    """The sets of forward selection, one by one."""
    units: Units = ()
    if evaluations.base:
        evaluations.score(units)
    while len(units) < evaluations.most:
        found = evaluations.best_grown(units)
        if found.score == -np.inf:  # nothing that is left can be judged
            break
        units = found.units
        yield found


def backward(evaluations: Evaluations, stop: bool = False) -> None:
    """SBE: S <- S - argmax_j J(S - j), from everything to the smallest size of interest; `stop` at J(S - j) < J(S).

    The printed <= would keep every useless unit.
    """
    units = everything(evaluations)
    before = evaluations.score(units)
    for found in steps_backward(evaluations, units):
        if stop and evaluations.better(before, found.score):
            break
        before = found.score
        evaluations.move(found)


def steps_backward(evaluations: Evaluations, units: Units) -> Iterator[Found]:
    """The sets of backward elimination, one by one."""
    while len(units) > evaluations.least:
        found = evaluations.best_shrunk(units)
        units = found.units
        yield found


def everything(evaluations: Evaluations) -> Units:
    """All units; if they cannot be judged together, as many as can, the earlier ones first."""
    if evaluations.score(evaluations.all) > -np.inf:
        return evaluations.move(Found(evaluations.all, evaluations.score(evaluations.all)))
    units: Units = ()
    for j in evaluations.all:
        if evaluations.score((*units, j)) > -np.inf:
            units = (*units, j)
    least = max(evaluations.least, 1)
    if len(units) < least:
        raise CannotJudge(f"no set of {least + evaluations.base} features can be judged by this criterion")
    left_out = [column for j in evaluations.others(units) for column in evaluations.units[j]]
    out = left_out if evaluations.names is None else [evaluations.names[column] for column in left_out]
    warnings.warn(
        f"all columns together cannot be judged: columns {out} depend on those before them, or there are too few rows; "
        "the search starts without them",
        DependentColumnsWarning,
        stacklevel=2,
    )
    return evaluations.move(Found(units, evaluations.score(units)))
