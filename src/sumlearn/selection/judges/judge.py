"""What a search asks: how good is a subset of the features?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

Subset = tuple[int, ...]  # column numbers, ascending


class Judge(ABC):
    """J(S), the worth of a subset of features; larger is better, -inf where a subset cannot be judged.

    A search asks for single subsets, or for all neighbours of one at once, which most judges answer from work that the
    neighbours share. Answers depend on the subset alone, not on what was asked before.

    Attributes
    ----------
    size : int
        Number of features.
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
        return np.array([self.score(tuple(sorted((*subset, j)))) for j in candidates])

    def without_each(self, subset: Subset, candidates: Sequence[int]) -> np.ndarray:
        """J(S - j) for every candidate j."""
        return np.array([self.score(tuple(i for i in subset if i != j)) for j in candidates])

    def folds(self, subset: Subset) -> np.ndarray | None:
        """The scores whose mean is J(S), for its standard error; None where J is no mean."""
        return None
