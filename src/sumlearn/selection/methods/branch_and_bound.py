"""Branch and bound, and best-first search with the same bound: the best subset of a size, proven."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from itertools import count
from math import comb, inf
from typing import NamedTuple

import numpy as np

from ..dependent_columns import CannotJudge
from ..evaluations import Evaluations, Units, without_unit
from ..judges.judge import JudgesNeighbours
from .exhaustive import MOST_SUBSETS, exhaustive
from .sequential import steps_backward


class Node(NamedTuple):
    """Some units are out; of the open ones, `out` more have to go. `bound` is J of the units that are not out."""

    units: Units
    open: Units
    out: int
    bound: float


class MoreWork(Exception):
    """To look at all subsets of the size would be less work."""


class SubsetTree:
    """The sets that are opened, and how much work may still be spent on them."""

    def __init__(self, evaluations: Evaluations, wanted: int) -> None:
        self.evaluations, self.wanted, self.size = evaluations, wanted, evaluations.least
        self.together = evaluations.single and isinstance(evaluations.judge, JudgesNeighbours)
        self.left = self.work_of_all()
        self.seen: list[float] = []  # the n best answers so far, the worst first

    @property
    def bound(self) -> float:
        """What an answer has to beat."""
        return self.seen[0] if len(self.seen) == self.wanted else -inf

    def answer(self, score: float) -> None:
        heapq.heappush(self.seen, score)
        if len(self.seen) > self.wanted:
            heapq.heappop(self.seen)

    def work_of_all(self) -> float:
        """How much work all subsets of the size are; without end where they are refused.

        A question about the neighbours of a set costs as many sweeps as the set differs from the one before: one or
        two where all sets are asked about in order, up to all of its units in a tree. Else answers are counted.
        """
        units, left = len(self.evaluations.all), self.evaluations.left
        if comb(units, self.size) > min(MOST_SUBSETS, MOST_SUBSETS if left is None else left):
            return inf
        return 2.0 * comb(units, max(self.size - 1, 0)) if self.together else float(comb(units, self.size))

    def spend(self, work: int) -> None:
        self.left -= work
        if self.left < 0:
            raise MoreWork


def branch_and_bound(evaluations: Evaluations, wanted: int) -> None:
    """The n best subsets of one size, if J(S) <= J(T) for all S within T.

    From all units downwards: no subset of a set is better than the set, so what is below the n-th best subset found is
    cut off. Units whose loss hurts most get the largest branches, which are the first to be cut (Narendra & Fukunaga
    1977). The first bound comes from backward elimination. Where that is more work, all subsets are looked at.
    """
    searched(evaluations, wanted, visit)


def visit(tree: SubsetTree, node: Node) -> None:
    for child in children(tree, node):
        if child.bound <= tree.bound:  # children come in falling order
            break
        if child.out:
            visit(tree, child)
        else:
            tree.answer(child.bound)


def best_first(evaluations: Evaluations, wanted: int) -> None:
    """A*: the set with the largest bound is opened next, so the first full answers to be reached are the n best.

        h(S) = J(all units that are not out), which is at least J of anything within

    Sets below the n-th best answer seen so far are not kept. Where that is more work, all subsets are looked at.
    """
    searched(evaluations, wanted, visit_best)


def visit_best(tree: SubsetTree, start: Node) -> None:
    order = count()
    waiting = [(-start.bound, next(order), start)]
    answers = 0
    while waiting and answers < tree.wanted:
        _, _, node = heapq.heappop(waiting)
        answers += node.out == 0
        for child in children(tree, node):
            if child.bound < tree.bound:
                break
            heapq.heappush(waiting, (-child.bound, next(order), child))
            if child.out == 0:
                tree.answer(child.bound)


def searched(evaluations: Evaluations, wanted: int, visiting: Callable[[SubsetTree, Node], None]) -> None:
    """The answers of the tree, or of all subsets, whichever is less work."""
    largest = evaluations.score(evaluations.all)
    if largest == -np.inf:
        raise CannotJudge(
            "all columns together cannot be judged (dependent columns, or too few rows), so there is no bound: exclude "
            "those that depend on others, or use another method"
        )
    tree = SubsetTree(evaluations, wanted)
    try:
        tree.spend(sum(range(tree.size + 1, len(evaluations.all) + 1)))  # for a first answer to compare with
        bound = largest
        for step in steps_backward(evaluations, evaluations.all):
            refuse_gain(bound, step.score)
            bound = step.score
        start = Node(evaluations.all, evaluations.all, len(evaluations.all) - tree.size, largest)
        if wanted == 1:
            tree.answer(evaluations.best[tree.size].score)
        visiting(tree, start)
    except MoreWork:
        exhaustive(evaluations, [tree.size])


def refuse_gain(bound: float, score: float) -> None:
    """What is within a set must not be better than the set, but for rounding."""
    if score > bound + 1e-4 * abs(bound):
        raise ValueError(
            f"the criterion is not monotone, whatever it says of itself: J rises from {bound:.6g} to {score:.6g} where "
            "features are left out; use method='exhaustive' or 'sffs'"
        )


def children(tree: SubsetTree, node: Node) -> Iterator[Node]:
    """Sets with one open unit less, in falling order of their bounds.

    The child that loses the i-th unit may lose only later ones, so every subset is reached in one way. Units stand in
    rising order of the bound without them.
    """
    if node.out == 0:
        return
    if len(node.open) == node.out:  # no choice is left
        units = tuple(j for j in node.units if j not in set(node.open))
        score = tree.evaluations.score(units)
        refuse_gain(node.bound, score)
        yield Node(units, (), 0, score)
        return
    tree.spend(len(node.units if tree.together else node.open))
    bounds = tree.evaluations.shrunk(node.units, node.open)
    refuse_gain(node.bound, float(np.max(bounds)))
    rising = np.argsort(bounds, kind="stable")
    for place in range(len(rising) - node.out, -1, -1):
        unit = node.open[rising[place]]
        rest = tuple(node.open[i] for i in rising[place + 1 :])
        yield Node(without_unit(node.units, unit), rest, node.out - 1, float(bounds[rising[place]]))
