"""Floating search: as many steps back as pay, after every step forward."""

from __future__ import annotations

import numpy as np

from ..board import Board, Found, Units
from .sequential import everything, steps_backward, steps_forward


def floating_forward(board: Board) -> None:
    """SFFS: after each best unit in, units go out as long as J(S - j) beats the best set of that size so far.

    The best set of every size is kept (Pudil, Novovicova & Kittler 1994); a unit that comes in and leads to a set worse
    than the kept one of that size is forgotten, and the search goes on from the kept one. Sets of a size get better
    with every step back, so it ends. Forward selection is done beside it: floating may end below it.
    """
    kept: dict[int, Found] = {}
    units: Units = ()
    if board.base:
        board.score(units)
    while len(units) < board.most:
        found = board.best_grown(units)
        if found.score == -np.inf:
            break
        size = len(found.units)
        if size in kept and not board.better(found.score, kept[size].score):
            units = board.move(kept[size])  # its steps back were tried when it was found
            continue
        kept[size] = found
        units = board.move(found)
        while len(units) > 2:
            less = board.best_shrunk(units)
            if not board.better(less.score, kept[len(less.units)].score):
                break
            kept[len(less.units)] = less
            units = board.move(less)
    for _ in steps_forward(board):
        pass


def floating_backward(board: Board) -> None:
    """SBFS: the same from the other end; after each unit out, units come in as long as that beats the kept set."""
    start = units = everything(board)
    largest = len(units)
    kept = {largest: Found(units, board.score(units))}
    while len(units) > board.least:
        found = board.best_shrunk(units)
        size = len(found.units)
        if size in kept and not board.better(found.score, kept[size].score):
            units = board.move(kept[size])
            continue
        kept[size] = found
        units = board.move(found)
        while len(units) < largest - 2:
            more = board.best_grown(units)
            if not board.better(more.score, kept[len(more.units)].score):
                break
            kept[len(more.units)] = more
            units = board.move(more)
    for _ in steps_backward(board, start):
        pass
