"""Swept: positive definite matrices from which columns are swept in and out, as a search moves over subsets."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from ...compiled import sweep as kernels
from .judge import Judge, JudgesNeighbours, Subset, one_by_one_less

SMALLEST = 1e-10  # of a column's own variance; what the others leave of it below that is rounding
WORN = 1e4  # sum of variance inflations over all pivots after which a way back starts afresh: 1e4 * 1e-16 is tolerable


class Swept:
    """A stack of symmetric matrices T (stack, p, p) with the columns of `subset` swept in, and moments V carried along.

    The first `size` columns are features, those behind them (a target, class means) are never swept. Inside the stack
    every feature should have a diagonal of about one. Moving from one subset to the next costs O(p^2) for each column
    by which they differ.

    Attributes
    ----------
    T, V : arrays
        The swept matrices, and the congruent moments of other rows (an empty stack where there are none).
    subset, inside : set of int, array of bool
        The columns that are swept in.
    """

    def __init__(self, T: np.ndarray, size: int, V: np.ndarray | None = None, smallest: float = SMALLEST) -> None:
        self.size = size
        self.start = T, np.zeros((0, *T.shape[1:])) if V is None else V
        self.variance = np.maximum(T.diagonal(axis1=1, axis2=2)[:, :size], 0.0)
        self.least = np.where(self.variance > 0, smallest * self.variance, np.inf)  # pivots must exceed it
        self._afresh()

    def _afresh(self) -> None:
        self.T, self.V = self.start[0].copy(), self.start[1].copy()
        self.subset: set[int] = set()
        self.inside = np.zeros(self.size, bool)
        self.wear, self.returned = 0.0, False

    def movable(self, columns: np.ndarray) -> np.ndarray:
        """For each column: inside, or outside and varying beyond what the subset explains, in every matrix."""
        return (self.T[:, columns, columns] > self.least[:, columns]).all(axis=0) | self.inside[columns]

    def move(self, subset: Sequence[int]) -> bool:
        """Sweep so that exactly `subset` is in; False where its columns depend on each other."""
        wanted = set(subset)
        leaving, entering = self.subset - wanted, wanted - self.subset
        back = bool(leaving) or self.returned  # a way back keeps the rounding of the way there
        if back and (self.wear > WORN or len(leaving) + len(entering) > len(wanted)):
            self._afresh()
        for k in sorted(self.subset - wanted):
            self._pivot(k, -1.0)
        for k in sorted(wanted - self.subset):
            if not (self.T[:, k, k] > self.least[:, k]).all():
                return False
            self._pivot(k, 1.0)
        return True

    def step_to(self, subset: Sequence[int]) -> int | None:
        """The one column by which the subset differs from this one, if it is one."""
        apart = self.subset.symmetric_difference(subset)
        return apart.pop() if len(apart) == 1 else None

    def _pivot(self, k: int, sign: float) -> None:
        self.wear += kernels.pivot(self.T, self.V, k, sign, self.variance)
        self.returned |= sign < 0
        self.subset ^= {k}
        self.inside[k] = sign > 0


class SweptJudge(JudgesNeighbours, Judge):
    """A judge whose answers are functions of swept matrices: one formula for the subset, one for all its neighbours."""

    state: Swept

    @abstractmethod
    def here(self) -> np.ndarray:
        """J of the subset that is swept in, or the values whose mean it is."""

    @abstractmethod
    def beside(self, columns: np.ndarray) -> np.ndarray:
        """The same, (values, columns), after any one of the columns entered or left."""

    @abstractmethod
    def means_beside(self, columns: np.ndarray) -> np.ndarray:
        """J after any one of the columns entered or left; -inf for those that cannot. Mostly `means_of_movable`."""

    def score(self, subset: Subset) -> float:
        values = self.values(subset)
        return -np.inf if values is None else float(values.mean())

    def values(self, subset: Subset) -> np.ndarray | None:
        """The values whose mean is J(S); None where S cannot be judged."""
        column = self.state.step_to(subset)
        if column is not None:
            one = np.array([column])
            if self.state.movable(one)[0]:
                return self.beside(one)[:, 0]
        return self.here() if self.state.move(subset) else None

    def after_entering(self, subset: Subset, candidates: Sequence[int]) -> np.ndarray:
        return self._neighbours(subset, candidates)

    def after_leaving(self, subset: Subset, candidates: Sequence[int]) -> np.ndarray:
        if not self.state.move(subset):  # what is left may be independent
            return one_by_one_less(self, subset, candidates)
        return self._neighbours(subset, candidates)

    def _neighbours(self, subset: Subset, candidates: Sequence[int]) -> np.ndarray:
        columns = np.asarray(candidates, dtype=np.intp)
        if not len(columns) or not self.state.move(subset):
            return np.full(len(columns), -np.inf)
        return self.means_beside(columns)

    def means_of_movable(self, columns: np.ndarray) -> np.ndarray:
        """The means of `beside`; -inf for columns that can neither enter nor leave."""
        means = np.full(len(columns), -np.inf)
        can = self.state.movable(columns)
        means[can] = self.beside(columns[can]).mean(axis=0)
        return means
