"""One unit at a time: forward selection and backward elimination."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from ..board import Board, Found, Units


def forward(board: Board) -> None:
    """SFS: S <- S + argmax_j J(S + j), from nothing to the largest size of interest."""
    for found in steps_forward(board):
        board.move(found)


def steps_forward(board: Board) -> Iterator[Found]:
    """The sets of forward selection, one by one."""
    units: Units = ()
    if board.base:
        board.score(units)
    while len(units) < board.most:
        found = board.best_grown(units)
        if found.score == -np.inf:  # nothing that is left can be judged
            break
        units = found.units
        yield found


def backward(board: Board) -> None:
    """SBE: S <- S - argmax_j J(S - j), from everything to the smallest size of interest."""
    for found in steps_backward(board, everything(board)):
        board.move(found)


def steps_backward(board: Board, units: Units) -> Iterator[Found]:
    """The sets of backward elimination, one by one."""
    while len(units) > board.least:
        found = board.best_shrunk(units)
        units = found.units
        yield found


def everything(board: Board) -> Units:
    """All units; if they cannot be judged together, as many as can, the earlier ones first."""
    if board.score(board.all) > -np.inf:
        return board.move(Found(board.all, board.score(board.all)))
    units: Units = ()
    for j in board.all:
        if board.score((*units, j)) > -np.inf:
            units = (*units, j)
    if len(units) < max(board.least, 1):
        raise ValueError(f"no set of {max(board.least, 1) + board.base} features can be judged by this criterion")
    left_out = [column for j in board.others(units) for column in board.units[j]]
    out = left_out if board.names is None else [board.names[column] for column in left_out]
    warnings.warn(
        f"all columns together cannot be judged: columns {out} depend on those before them, or there are too few rows; "
        "the search starts without them",
        UserWarning,
        stacklevel=2,
    )
    return board.move(Found(units, board.score(units)))
