"""What a training is asked for, said once for the command, for `train` and for whoever sets up the problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from .metrics import Costs
from .schemes import Scheme


@dataclass(frozen=True)
class TrainingOptions:
    """The options of `train` and of ``sumlearn train``, by the names that they have there and in ``run.toml``.

    >>> options = TrainingOptions("diabetes", cost=(1.0, 5.0), cv=3)
    >>> options.costs, str(options.scheme)
    (Costs(false_accept=1.0, false_reject=5.0), '3')
    """

    target: str | None = None
    task: str = "auto"
    models: str | Sequence[Any] = "auto"
    can: Sequence[str] = ()
    positive: str | None = None
    cost: Sequence[float] | None = None
    cv: str | int = "5"
    metric: str | None = None
    features: str | None = None
    drop: Sequence[str] = ()
    ids: Sequence[str] = ()
    weights: str | None = None
    seed: int = 0
    row_hashes: bool = True
    memory: str | None = None

    @property
    def costs(self) -> Costs | None:
        return None if self.cost is None else Costs(*self.cost)

    @property
    def scheme(self) -> Scheme:
        return Scheme.parse(str(self.cv))


NAMES = tuple(option.name for option in fields(TrainingOptions))
