"""A model that `train` may try: a learner inside a TableModel, and hyperparameters to choose among."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

ABILITIES = {"update": "partial_fit", "forget": "forget", "merge": "merge"}
Params = dict[str, Any]
Grid = Callable[[np.ndarray], list[Params]]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A model with a name, and the hyperparameters to choose among.

    Attributes
    ----------
    name, title : str
        For options and for people.
    task : {"classify", "regress"}
    learner : callable
        Makes the learner; called late, since it imports.
    grid : callable
        Target values of the training rows -> sets of hyperparameters; losses for numbers are in units of the target.
    foreign : bool
        A yardstick of another library: shown, never chosen.
    most_features : int or None
        Where a table has more, the candidate is not tried.
    extra : bool
        Tried where all models are asked for, or where it is named.
    table : dict
        Options of TableModel that this candidate has of its own.
    """

    name: str
    title: str
    task: str
    learner: Callable[[], Any]
    grid: Grid
    foreign: bool = False
    most_features: int | None = None
    extra: bool = False
    table: Params = field(default_factory=dict)

    def estimator(self, **columns: Any) -> Any:
        """The learner for tables; `columns` are TableModel's options."""
        from ..learners.table_model import TableModel

        return TableModel(self.learner(), **self.coding(columns))

    def coding(self, columns: Params) -> Params:
        """How the table is coded: the candidate's own options, and those that were given."""
        return self.table | {name: value for name, value in columns.items() if value is not None}

    @cached_property
    def can(self) -> tuple[str, ...]:
        """What the model can do exactly after training."""
        return abilities(self.estimator())

    @property
    def adds_up(self) -> bool:
        return set(self.can) == set(ABILITIES)


def abilities(model: Any) -> tuple[str, ...]:
    return tuple(name for name, method in ABILITIES.items() if hasattr(model, method))


def fixed(**params: Any) -> Grid:
    """One set of hyperparameters.

    >>> fixed(alpha=1.0)(np.zeros(3))
    [{'learner__alpha': 1.0}]
    """
    return lambda values: [{f"learner__{name}": value for name, value in params.items()}]


def along(name: str, *points: Any, scale: Callable[[np.ndarray], float] = lambda values: 1.0) -> Grid:
    """One hyperparameter over some points, in units of `scale`."""
    return lambda values: [{f"learner__{name}": p if p is None else float(p * scale(values))} for p in points]
