"""Everything a search asked and where it went: the material of the curve J over the number of features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..compiled import subsets as kernels

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
        wanted = np.zeros(self.size.max(initial=0) + 1, bool)
        wanted[[size for size in sizes if size < len(wanted)]] = True
        eligible = np.flatnonzero(wanted[self.size] & (self.score > -np.inf))
        if count == 1 and len(eligible):
            return [int(eligible[self.score[eligible].argmax()])]
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


class Around(NamedTuple):
    """Subsets that differ from one, ascending, by one of some columns in or out."""

    direction: int
    columns: tuple[int, ...]
    changed: Sequence[int]

    def rows(self) -> np.ndarray:
        """The subsets, one a row, ascending."""
        columns, changed = np.array(self.columns, dtype=np.int64), np.array(self.changed, dtype=np.int64)
        out = np.empty((len(changed), len(columns) + self.direction), dtype=np.int64)
        (kernels.with_each if self.direction == ADDED else kernels.without_each)(columns, changed, out)
        return out


@dataclass
class Recorder:
    """Collects blocks of evaluations quickly; a Trace is made of them at the end."""

    blocks: list[tuple[int, int, int, Any, np.ndarray]] = field(default_factory=list)
    moves: list[tuple[int, int, float]] = field(default_factory=list)
    step: int = 0

    def note(self, direction: int, size: int, subsets: Any, scores: np.ndarray) -> None:
        """Subsets of one size: an array (count, columns), `Around`, or a list of tuples where their lengths differ."""
        self.blocks.append((self.step, direction, size, subsets, scores))
        self.step += 1

    def move(self, size: int, score: float) -> None:
        self.moves.append((self.step, size, score))

    def trace(self) -> Trace:
        counts = [len(scores) for *_, scores in self.blocks]
        flat: list[np.ndarray] = []
        widths: list[int] = []  # of every subset, or of all those of a block
        uneven = any(isinstance(block[3], list) for block in self.blocks)
        for (*_, subsets, _), count in zip(self.blocks, counts, strict=True):
            if isinstance(subsets, list):
                flat += [np.sort(subset) for subset in subsets]
                widths += [len(subset) for subset in subsets]
                continue
            rows = subsets.rows() if isinstance(subsets, Around) else np.sort(subsets, axis=1)
            flat.append(rows.ravel())
            widths += [rows.shape[1]] * count if uneven else [rows.shape[1]]
        labels = np.array([block[:3] for block in self.blocks], dtype=np.int64).reshape(-1, 3)
        steps, directions, sizes = np.repeat(labels, counts, axis=0).T.copy()
        lengths = np.array(widths, dtype=np.int64)
        step, size, score = np.array(self.moves, dtype=float).reshape(-1, 3).T
        return Trace(
            steps,
            directions,
            sizes,
            joined([scores for *_, scores in self.blocks], float),
            joined(flat, np.int64),
            np.cumsum(lengths if uneven else np.repeat(lengths, counts)),
            step.astype(np.int64),
            size.astype(np.int64),
            score.copy(),
        )


def listed(subsets: Any) -> list[tuple[int, ...]]:
    """Recorded subsets as tuples."""
    rows = subsets.rows() if isinstance(subsets, Around) else subsets
    return [tuple(int(column) for column in row) for row in rows]


def joined(parts: list[np.ndarray], dtype: Any) -> np.ndarray:
    return np.concatenate(parts, dtype=dtype, casting="unsafe") if parts else np.empty(0, dtype=dtype)
