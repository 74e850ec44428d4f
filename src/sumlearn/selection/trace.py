"""Everything a search asked and where it went: the material of the curve J over the number of features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

ADDED, ASKED, REMOVED = 1, 0, -1  # how a subset came about: from the one before by adding, by itself, by removing


@dataclass(frozen=True, eq=False)
class Trace:
    """All evaluations of a search, in their order, and the subsets it moved to.

    Attributes
    ----------
    step : array (evaluations,)
        Evaluations of one step were asked for together.
    direction : array (evaluations,)
        1 if the subset is the one before plus something, -1 if minus something, 0 if it was asked for by itself.
    size : array (evaluations,)
        Number of features (of units, where columns enter together).
    score : array (evaluations,)
        J of the subset.
    columns, ends : arrays
        Column numbers of all subsets, one after the other, and where each subset ends.
    move_step, move_size, move_score : arrays (moves,)
        The subsets that the search went on with: the pulsing curve.

    Examples
    --------
    >>> from sumlearn import SubsetSearch
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> trace = SubsetSearch("sfs", k=2).fit(iris.X, iris.y).trace_
    >>> len(trace), trace.subset(4), trace.move_size.tolist()
    (7, (0, 3), [1, 2])
    """

    step: np.ndarray
    direction: np.ndarray
    size: np.ndarray
    score: np.ndarray
    columns: np.ndarray
    ends: np.ndarray
    move_step: np.ndarray
    move_size: np.ndarray
    move_score: np.ndarray

    def __len__(self) -> int:
        return len(self.score)

    def subset(self, number: int) -> tuple[int, ...]:
        """Columns of an evaluated subset, ascending."""
        number = range(len(self))[number]
        start = self.ends[number - 1] if number else 0
        return tuple(self.columns[start : self.ends[number]].tolist())

    def best(self, count: int, sizes: Sequence[int]) -> list[int]:
        """Numbers of the best evaluations of these sizes, each subset once, best first; the earlier one of equals."""
        eligible = np.flatnonzero(np.isin(self.size, sizes) & (self.score > -np.inf))
        chosen: dict[tuple[int, ...], int] = {}
        for number in eligible[np.argsort(-self.score[eligible], kind="stable")].tolist():
            chosen.setdefault(self.subset(number), number)
            if len(chosen) == count:
                break
        return list(chosen.values())

    def to_frame(self) -> Any:
        """A pandas data frame with one row for every evaluation."""
        import pandas

        subsets = [self.subset(i) for i in range(len(self))]
        shown = {"step": self.step, "direction": self.direction, "size": self.size, "score": self.score}
        return pandas.DataFrame(shown | {"subset": subsets})


@dataclass
class Recorder:
    """Collects blocks of evaluations quickly; a Trace is made of them at the end."""

    blocks: list[tuple[int, int, int, Any, np.ndarray]] = field(default_factory=list)
    moves: list[tuple[int, int, float]] = field(default_factory=list)
    step: int = 0

    def note(self, direction: int, size: int, subsets: Any, scores: np.ndarray) -> None:
        """Subsets of one size: an array (count, columns), or a list of tuples where their lengths differ."""
        self.blocks.append((self.step, direction, size, subsets, scores))
        self.step += 1

    def move(self, size: int, score: float) -> None:
        self.moves.append((self.step, size, score))

    def trace(self) -> Trace:
        counts = [len(scores) for *_, scores in self.blocks]
        steps, directions, sizes = (np.repeat([block[i] for block in self.blocks], counts) for i in range(3))
        moves = np.array(self.moves, dtype=float).reshape(-1, 3)
        flat, lengths = [], []
        for *_, subsets, _ in self.blocks:
            if isinstance(subsets, np.ndarray):
                flat.append(np.sort(subsets, axis=1).ravel())
                lengths.append(np.full(len(subsets), subsets.shape[1]))
            else:
                flat += [np.sort(subset) for subset in subsets]
                lengths.append(np.array([len(subset) for subset in subsets]))
        return Trace(
            steps.astype(np.int64),
            directions.astype(np.int64),
            sizes.astype(np.int64),
            joined([scores for *_, scores in self.blocks], float),
            joined(flat, np.int64),
            np.cumsum(joined(lengths, np.int64)),
            moves[:, 0].astype(np.int64),
            moves[:, 1].astype(np.int64),
            moves[:, 2].copy(),
        )


def joined(parts: list[np.ndarray], dtype: Any) -> np.ndarray:
    return np.concatenate(parts, dtype=dtype, casting="unsafe") if parts else np.empty(0, dtype=dtype)
