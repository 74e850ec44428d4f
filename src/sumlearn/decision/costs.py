"""Costs: what it costs to say one class where another is true."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..features.input_ranges import is_number

Pairs = tuple[tuple[Any, Any, float], ...]


@dataclass(frozen=True)
class Costs:
    """What errors cost: of two classes the false acceptance and the false rejection, or of any classes by pairs.

        accept if ln P(1 | x) / P(0 | x) >= ln rho_FA / rho_FR

    Right answers are free unless pairs say otherwise, and only differences within a true class count.

    Parameters
    ----------
    false_accept, false_reject : float, default=1
        Of two classes, the second label being the one that is accepted. Not negative, and not both zero.
    pairs : tuple of (true, said, cost), default=()
        In their place, by label: see `of` and `read`. Errors that are not named cost 1.

    Examples
    --------
    >>> costs = Costs(false_accept=1.0, false_reject=5.0)
    >>> costs.matrix(["no", "yes"]).tolist(), round(costs.log_odds, 4)
    ([[0.0, 1.0], [5.0, 0.0]], -1.6094)
    >>> Costs.of({("ill", "well"): 20.0}).matrix(["ill", "tired", "well"]).tolist()
    [[0.0, 1.0, 20.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]

    References
    ----------
    Lecture note 002.
    """

    false_accept: float = 1.0
    false_reject: float = 1.0
    pairs: Pairs = field(default=(), repr=False)

    def __post_init__(self) -> None:
        for value in (self.false_accept, self.false_reject, *(cost for _, _, cost in self.pairs)):
            check_cost(value)
        if not self.pairs and self.false_accept + self.false_reject == 0:
            raise ValueError("costs of a false acceptance and a false rejection are both zero: nothing is to decide")

    @classmethod
    def of(cls, pairs: Mapping[tuple[Any, Any], float]) -> Self:
        """Costs by (true label, said label)."""
        if not pairs or not all(isinstance(key, tuple) and len(key) == 2 for key in pairs):
            raise ValueError("costs are given by pairs, {(true label, said label): cost}")
        return cls(pairs=tuple((true, said, cost) for (true, said), cost in pairs.items()))

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Costs from a CSV table: said labels in the first row, true labels in the first column."""
        with open(path, newline="", encoding="utf-8-sig") as file:
            head, *rows = [row for row in csv.reader(file) if row] or [[]]
        said = [name.strip() for name in head[1:]]
        if not said or not rows:
            raise ValueError(f"{path} holds no costs: said labels in the first row, true ones in the first column")
        pairs = {}
        for number, (true, *cells) in enumerate(rows, 2):
            if len(cells) != len(said):
                raise ValueError(f"{path}, line {number}: {len(cells)} costs for {len(said)} labels")
            for name, cell in zip(said, cells, strict=True):
                if (true.strip(), name) in pairs:
                    raise ValueError(f"{path}, line {number}: {true.strip()!r}, {name!r} is there twice")
                try:
                    pairs[true.strip(), name] = float(cell)
                except ValueError:
                    raise ValueError(f"{path}, line {number}: {cell!r} is no number") from None
        return cls.of(pairs)

    @property
    def log_odds(self) -> float:
        """The least log-odds of the second of two classes at which it is accepted."""
        if self.pairs:
            raise ValueError("costs by pairs have no threshold of their own: ask the matrix")
        with np.errstate(divide="ignore"):
            return float(np.log(self.false_accept) - np.log(self.false_reject))

    def matrix(self, classes: Any) -> np.ndarray:
        """costs[i, j] of saying the label j where i is true; text also names labels that are numbers."""
        labels = np.asarray(classes).tolist()
        if not self.pairs:
            if len(labels) != 2:
                raise ValueError(f"a false acceptance is one of two classes, and there are {len(labels)}: give pairs")
            return np.array([[0.0, self.false_accept], [self.false_reject, 0.0]])
        places = {str(label): k for k, label in enumerate(labels)}
        costs = 1.0 - np.eye(len(labels))
        for true, said, cost in self.pairs:
            unknown = [label for label in (true, said) if str(label) not in places]
            if unknown:
                raise ValueError(f"costs name the class {unknown[0]!r}, and the classes are {labels}")
            costs[places[str(true)], places[str(said)]] = cost
        return costs


def check_cost(value: Any) -> None:
    """Costs are finite and not negative."""
    if not is_number(value) or not 0.0 <= value < np.inf:
        raise ValueError(f"costs must be finite and not negative, got {value!r}: only differences count, so add to all")


def matrix_of(costs: Any, classes: Any) -> np.ndarray:
    """The matrix of whatever costs are given as: `Costs`, pairs by name, a table in the order of classes, or None."""
    table = table_of(costs, classes)
    if len(table) > 1 and not np.ptp(table, axis=1).any():
        raise ValueError("every answer costs the same, whatever is true: nothing is to decide")
    return table


def table_of(costs: Any, classes: Any) -> np.ndarray:
    """The matrix, whatever it says."""
    if costs is None:
        return 1.0 - np.eye(len(classes))
    if isinstance(costs, Mapping):
        costs = Costs.of(costs)
    if isinstance(costs, Costs):
        return costs.matrix(classes)
    table = np.asarray(costs, dtype=float)
    if table.shape != (len(classes), len(classes)):
        raise ValueError(f"costs of {len(classes)} classes are a square table of them, got shape {table.shape}")
    for value in table.ravel():
        check_cost(value)
    return table
