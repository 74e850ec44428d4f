"""Several labels of a row: their indicators, and one statistic of the same rows for each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from ...statistics import Decayable, Removable, Restrictable, RowError, Statistic

S = TypeVar("S", bound=Statistic)


@dataclass(frozen=True, eq=False)
class ByLabel(Removable, Decayable, Restrictable, Generic[S]):
    """A statistic for each of several labels that may go together, each of it of all rows."""

    parts: tuple[S, ...]

    @property
    def labels(self) -> list[int]:
        return list(range(len(self.parts)))

    @property
    def weight(self) -> float:
        return self.parts[0].weight

    @property
    def rows(self) -> int:
        return self.parts[0].rows

    @property
    def features(self) -> int:
        return self.parts[0].features  # type: ignore[attr-defined]

    @property
    def holds_rows(self) -> bool:
        return any(getattr(part, "holds_rows", False) for part in self.parts)

    @property
    def is_whole(self) -> bool:
        return all(getattr(part, "is_whole", True) for part in self.parts)

    def contents(self) -> list[S]:
        return list(self.parts)

    def zero(self) -> Self:
        return self.each(lambda part: part.zero())

    def merge(self, other: Self) -> Self:
        return self.pairs(other, lambda mine, theirs: mine.merge(theirs))

    def remove(self, other: Self, **more: Any) -> Self:
        return self.pairs(other, lambda mine, theirs: mine.remove(theirs, **more))

    def decay(self, factor: float) -> Self:
        return self.each(lambda part: part.decay(factor))

    def restrict(self, columns: Any) -> Self:
        return self.each(lambda part: part.restrict(columns))

    def each(self, change: Callable[[Any], Any]) -> Self:
        return type(self)(tuple(change(part) for part in self.parts))

    def pairs(self, other: Self, join: Callable[[Any, Any], Any]) -> Self:
        if len(self.parts) != len(other.parts):
            raise ValueError(f"y has {len(self.parts)} labels on one side and {len(other.parts)} on the other")
        return type(self)(tuple(map(join, self.parts, other.parts)))


class NoIndicator(RowError):
    """A number among indicators that is neither 0 nor 1."""

    text = (
        "Multioutput target data is not supported with label binarization: y holds {value!r} in row {{row}}, column "
        "{{column}}; several labels of a row are told by 0 and 1, a column for each"
    )

    def __init__(self, row: int, column: int, value: Any) -> None:
        self.text = self.text.format(value=value)
        super().__init__("y", row, column, 0.0)


def indicators(y: np.ndarray, weight: Any = None) -> np.ndarray:
    """Columns of 0 and 1, or of truth values, as such; rows of weight zero may hold anything.

    >>> indicators(np.array([[True, False], [True, True]])).tolist()
    [[1, 0], [1, 1]]
    """
    there = np.ones(len(y), dtype=bool) if weight is None else np.asarray(weight) != 0
    if y.dtype.kind not in "biuf":
        bad = there[:, None] & np.ones(y.shape, dtype=bool)
    else:
        bad = there[:, None] & (y != 0) & (y != 1)
    for row, column in np.argwhere(bad)[:1]:
        raise NoIndicator(int(row), int(column), y[row, column].item())
    return (y == 1).astype(np.intp)


class OneAnswer(ClassifierMixin, BaseEstimator):
    """What stands for a problem with one side: it says the only answer that there was, 0 or 1."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        self.classes_ = np.array([0, 1])
        self.answer_ = int(np.ravel(y)[0])
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.full(X.shape[0], self.answer_)

    def decision_function(self, X: Any) -> np.ndarray:
        return np.full(X.shape[0], float(self.answer_))

    def predict_proba(self, X: Any) -> np.ndarray:
        return np.tile([1.0 - self.answer_, float(self.answer_)], (X.shape[0], 1))


def constant(answer: int) -> OneAnswer:
    return OneAnswer().fit(None, [answer])
