"""What a search asks: how good is a subset of the features?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

Subset = tuple[int, ...]  # column numbers, ascending


class Judge(ABC):
    """J(S), the worth of a subset of features; larger is better, -inf where a subset cannot be judged.

    A judge writes `score`. A search asks for single subsets, or for all neighbours of one at once, which most judges
    answer from work that the neighbours share (`JudgesNeighbours`); some know the scores whose mean J is
    (`JudgesFolds`). Answers depend on the subset alone, not on what was asked before.

    Attributes
    ----------
    size : int
        Number of features; a search takes it from its rows where a judge does not say.
    monotone : bool
        Whether J(S) <= J(T) for all S within T, as branch and bound needs it.
    """

    size: int
    monotone: bool = False

    @abstractmethod
    def score(self, subset: Subset) -> float:
        """J(S)."""

    def with_each(self, subset: Subset, candidates: Sequence[int]) -> np.ndarray:
        """J(S + j) for every candidate j."""
        if isinstance(self, JudgesNeighbours):
            return self.after_entering(subset, candidates)
        return np.array([self.score(tuple(sorted((*subset, j)))) for j in candidates])

    def without_each(self, subset: Subset, candidates: Sequence[int]) -> np.ndarray:
        """J(S - j) for every candidate j."""
        if isinstance(self, JudgesNeighbours):
            return self.after_leaving(subset, candidates)
        return one_by_one_less(self, subset, candidates)

    def folds(self, subset: Subset) -> np.ndarray | None:
        """The scores whose mean is J(S), for its standard error; None where J is no mean."""
        return self.fold_scores(subset) if isinstance(self, JudgesFolds) else None


class JudgesNeighbours(ABC):
    """What a judge adds that answers about all neighbours of a subset together; others judge them one by one."""

    @abstractmethod
    def after_entering(self, subset: Subset, candidates: Sequence[int]) -> np.ndarray:
        """J(S + j) for every candidate j."""

    @abstractmethod
    def after_leaving(self, subset: Subset, candidates: Sequence[int]) -> np.ndarray:
        """J(S - j) for every candidate j."""


class JudgesFolds(ABC):
    """What a judge adds whose J(S) is the mean of some scores: those of the splits, or of the rows."""

    @abstractmethod
    def fold_scores(self, subset: Subset) -> np.ndarray | None:
        """The scores; None where the subset cannot be judged, or its J is no mean after all."""


def one_by_one_less(judge: Judge, subset: Subset, candidates: Sequence[int]) -> np.ndarray:
    """J(S - j) for every candidate j, each asked for by itself."""
    return np.array([judge.score(tuple(i for i in subset if i != j)) for j in candidates])
