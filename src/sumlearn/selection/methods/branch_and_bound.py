"""Branch and bound, and best-first search with the same bound: the best subset of a size, proven."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

import numpy as np

from ..dependent_columns import CannotJudge
from ..evaluations import Evaluations, Units, without_unit
from .sequential import steps_backward


class Node(NamedTuple):
    """Some units are out; of the open ones, `out` more have to go."""

    units: Units
    open: Units
    out: int


def branch_and_bound(evaluations: Evaluations) -> None:
    """The best subset of one size, if J(S) <= J(T) for all S within T.

    From all units downwards: no subset of a set is better than the set, so what is below the best subset found is cut
    off. Units whose loss hurts most get the largest branches, which are the first to be cut (Narendra & Fukunaga 1977).
    The first bound comes from backward elimination.
    """
    size = evaluations.least
    visit(evaluations, root(evaluations, size), size)


def visit(evaluations: Evaluations, node: Node, size: int) -> None:
    for child, bound in children(evaluations, node):
        if bound <= evaluations.best[size].score:  # children come in falling order
            break
        visit(evaluations, child, size)


def best_first(evaluations: Evaluations, wanted: int) -> None:
    """A*: the set with the largest bound is opened next, so the first full answers to be reached are the n best.

        h(S) = J(all units that are not out), which is at least J of anything within

    Sets below the n-th best answer seen so far are not kept.
    """
    size = evaluations.least
    start = root(evaluations, size)
    order = count()
    waiting = [(-evaluations.score(start.units), next(order), start)]
    answers = 0
    # the n best answers so far, the worst first
    seen: list[float] = [evaluations.best[size].score] if wanted == 1 else []
    while waiting and answers < wanted:
        _, _, node = heapq.heappop(waiting)
        answers += node.out == 0
        for child, bound in children(evaluations, node):
            if len(seen) == wanted and bound < seen[0]:
                break
            heapq.heappush(waiting, (-bound, next(order), child))
            if child.out == 0:
                heapq.heappush(seen, bound)
                if len(seen) > wanted:
                    heapq.heappop(seen)


def root(evaluations: Evaluations, size: int) -> Node:
    """Everything in, everything open; a quick answer is there to compare with."""
    if evaluations.score(evaluations.all) == -np.inf:
        raise CannotJudge(
            "all columns together cannot be judged (dependent columns, or too few rows), so there is no bound: exclude "
            "those that depend on others, or use another method"
        )
    for _ in steps_backward(evaluations, evaluations.all):
        pass
    return Node(evaluations.all, evaluations.all, len(evaluations.all) - size)


def children(evaluations: Evaluations, node: Node) -> Iterator[tuple[Node, float]]:
    """Sets with one open unit less, and their bounds, in falling order.

    The child that loses the i-th unit may lose only later ones, so every subset is reached in one way. Units stand in
    rising order of the bound without them.
    """
    if node.out == 0:
        return
    if len(node.open) == node.out:  # no choice is left
        units = tuple(j for j in node.units if j not in set(node.open))
        yield Node(units, (), 0), evaluations.score(units)
        return
    bounds = evaluations.shrunk(node.units, node.open)
    rising = np.argsort(bounds, kind="stable")
    for place in range(len(rising) - node.out, -1, -1):
        unit = node.open[rising[place]]
        rest = tuple(node.open[i] for i in rising[place + 1 :])
        yield Node(without_unit(node.units, unit), rest, node.out - 1), float(bounds[rising[place]])
