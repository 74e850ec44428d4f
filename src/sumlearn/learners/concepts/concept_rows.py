"""ConceptRows: the different rows of discrete attributes, and what those of each label weigh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from .attributes import Attributes
from .parts.concept_statistic import ConceptStatistic

Row = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ConceptRows(ConceptStatistic):
    """{row: (weight where it is an example, weight where it is none)}, rows sorted."""

    attributes: Attributes
    weights: Mapping[Row, tuple[float, float]]
    labels: tuple[Any, ...]
    ones: tuple[Any, ...]  # those of them that belong to the concept
    total: float
    count: int

    @classmethod
    def of(
        cls,
        attributes: Attributes,
        rows: Sequence[Row],
        is_one: np.ndarray,
        weight: Any,
        labels: Sequence[Any],
        ones: Sequence[Any],
    ) -> ConceptRows:
        told: dict[Row, list[float]] = {}
        masses = np.ones(len(rows)) if weight is None else weight
        for row, one, mass in zip(rows, is_one.tolist(), masses.tolist(), strict=True):
            told.setdefault(row, [0.0, 0.0])[not one] += mass
        weights = {row: (told[row][0], told[row][1]) for row in sorted(told)}
        return cls(attributes, weights, tuple(labels), tuple(ones), float(masses.sum()), len(rows))

    def zero(self) -> Self:
        return type(self)(weights={}, **self.nothing())

    def merge(self, other: Self) -> Self:
        both = {
            row: tuple(np.add(self.weights.get(row, (0.0, 0.0)), other.weights.get(row, (0.0, 0.0))).tolist())
            for row in sorted({*self.weights, *other.weights})
        }
        return type(self)(weights=both, **self.joined(other))
