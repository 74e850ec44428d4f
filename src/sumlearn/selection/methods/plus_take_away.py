"""Plus k take away l: some steps forward, some back, over and over."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..board import Board, Found, Units
from .blocks import best_block_in, best_block_out
from .sequential import everything

Move = Callable[[Board, Units, int], Found]


def plus_take_away(board: Board, plus: int, minus: int) -> None:
    """PTA(k, l): k times the best unit in, l times the one that is missed least out.

    (k + l) / (k - l) times the cost of forward selection. Every step starts from the set that the one before has left,
    where the printed algorithm of note 002 would choose the same unit k times.
    """
    rounds(board, plus, minus, one_by_one_in, one_by_one_out)


def generalised_plus_take_away(board: Board, plus: int, minus: int) -> None:
    """GPTA(k, l): the best block of k units in, the block of l units that is missed least out."""
    rounds(board, plus, minus, best_block_in, best_block_out)


def rounds(board: Board, plus: int, minus: int, add: Move, drop: Move) -> None:
    """Upwards from nothing if more come in than go out, else downwards from everything."""
    if plus > minus:
        upwards(board, plus, minus, add, drop)
    else:
        downwards(board, plus, minus, add, drop)


def upwards(board: Board, plus: int, minus: int, add: Move, drop: Move) -> None:
    """The last round goes only so far up that it ends at the largest size of interest."""
    units: Units = ()
    if board.base:
        board.score(units)
    while len(units) < board.most:
        top = min(len(units) + plus, board.most + minus, len(board.all))
        out = minus if top == len(units) + plus else top - board.most
        found = add(board, units, top - len(units))
        if found.score == -np.inf:
            break
        units = board.move(found)
        if len(units) < top:  # nothing more can come in
            break
        if out:
            units = board.move(drop(board, units, out))


def downwards(board: Board, plus: int, minus: int, add: Move, drop: Move) -> None:
    """The last round goes only so far down that it ends at the smallest size of interest."""
    units = everything(board)
    largest = len(units)
    while len(units) > board.least:
        bottom = max(len(units) - minus, board.least - plus, 0 if board.base else 1)
        into = plus if bottom == len(units) - minus else board.least - bottom
        found = drop(board, units, len(units) - bottom)
        if found.score == -np.inf:
            break
        units = board.move(found)
        if into:
            found = add(board, units, min(into, largest - len(units)))
            units = board.move(found) if found.score > -np.inf else units


def one_by_one_in(board: Board, units: Units, count: int) -> Found:
    found = Found(units, -np.inf)
    for _ in range(count):
        grown = board.best_grown(found.units)
        if grown.score == -np.inf:
            break
        found = grown
    return found


def one_by_one_out(board: Board, units: Units, count: int) -> Found:
    found = Found(units, -np.inf)
    for _ in range(count):
        found = board.best_shrunk(found.units)
    return found
