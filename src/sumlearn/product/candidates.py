"""A model that `train` may try: a learner inside a TableModel, and hyperparameters to choose among."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from ..learners.description import Offer, Tuning, description_of
from ..learners.precision import EXACT

ABILITIES = ("update", "forget", "merge")  # that a trained model is asked for
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
    most_features, most_rows : int or None
        Where a table has more, the candidate is not tried.
    least_rows : int
        Where a table has fewer, neither.
    extra : bool
        Tried where all models are asked for, or where it is named.
    table : dict
        Options of TableModel that this candidate has of its own.
    rank : int
        Place among the candidates of a task; yardsticks come last.
    power : float
        The time of a fit grows with this power of the number of rows.
    barred : bool
        Without an ability that was asked for: shown, so that it is known what that costs, never chosen.
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
    rank: int = 0
    power: float = 1.0
    barred: bool = False
    most_rows: int | None = None
    least_rows: int = 0

    @classmethod
    def of(cls, kind: Callable[..., Any], offer: Offer) -> Candidate:
        """What a class of learners offers."""
        from sklearn.base import is_classifier

        def learner() -> Any:
            from ..features import Polynomial

            basis = {} if offer.degree == 1 else {"basis": Polynomial(offer.degree)}
            return kind(**basis, **offer.fixed)

        task = "classify" if is_classifier(learner()) else "regress"
        kept = False, offer.most_features, offer.extra, dict(offer.table), offer.rank, offer.power
        rows: dict[str, Any] = {"most_rows": offer.most_rows, "least_rows": offer.least_rows}
        return cls(offer.name, offer.title, task, learner, along(*offer.tunings), *kept, **rows)

    def estimator(self, **columns: Any) -> Any:
        """The learner for tables; `columns` are TableModel's options."""
        from ..learners.table_model import TableModel

        return TableModel(self.learner(), **self.coding(columns))

    def coding(self, columns: Params) -> Params:
        """How the table is coded: the candidate's own options, and those that were given."""
        return self.table | {name: value for name, value in columns.items() if value is not None}

    @cached_property
    def sums_exactly(self) -> bool:
        """Whether there is a ``precision="exact"`` of it."""
        return hasattr(self.learner(), "precision")

    def exact(self) -> Candidate:
        """The same, by sums without rounding; only shown where it has none."""
        if self.foreign or not self.sums_exactly:
            return replace(self, barred=not self.foreign)
        return replace(self, learner=lambda: self.learner().set_params(precision=EXACT))

    @cached_property
    def learns_on_devices(self) -> bool:
        """Whether a device may be named."""
        return not self.foreign and "device" in self.learner().get_params()

    def on(self, device: str | None) -> Candidate:
        """The same, learnt on a device of torch where it knows of devices."""
        if device is None or not self.learns_on_devices:
            return self
        return replace(self, learner=lambda: self.learner().set_params(device=device))

    @cached_property
    def can(self) -> tuple[str, ...]:
        """What the model can do exactly after training."""
        return can(self.estimator())

    @property
    def can_all(self) -> bool:
        return self.can == ABILITIES

    @cached_property
    def adds_up(self) -> bool:
        """Whether it is solved from sums of coded rows."""
        from ..learners.table_roads import is_recodable

        return is_recodable(self.learner())

    @cached_property
    def reads_mixed(self) -> bool:
        """Whether it takes categories and gaps as they are."""
        learner = self.learner()
        return getattr(learner, "reads", "numbers") == "mixed" or hasattr(learner, "of_coded_rows")

    @property
    def only_shown(self) -> bool:
        return self.foreign or self.barred


def can(model: Any) -> tuple[str, ...]:
    """Which of the abilities that `--can` may ask for a model has."""
    from ..learners.ability import abilities

    return tuple(word for word in ABILITIES if word in abilities(model))


def along(*tunings: Tuning) -> Grid:
    """Every combination of the points of some hyperparameters, in units of the target.

    >>> along(Tuning("alpha", (None, 0.5), unit="total deviation"))(np.array([1.0, 5.0]))
    [{'learner__alpha': None}, {'learner__alpha': 2.0}]
    >>> along()(np.zeros(3))
    [{}]
    >>> along(Tuning("C", (1.0, 9.0)), Tuning("gamma", ("scale",)))(np.zeros(3))
    [{'learner__C': 1.0, 'learner__gamma': 'scale'}, {'learner__C': 9.0, 'learner__gamma': 'scale'}]
    """

    def grid(values: np.ndarray) -> list[Params]:
        names = [f"learner__{tuning.parameter}" for tuning in tunings]
        combinations = product(*(points(tuning, values) for tuning in tunings))
        return [dict(zip(names, combination, strict=True)) for combination in combinations]

    return grid


def points(tuning: Tuning, values: np.ndarray) -> list[Any]:
    """The values of one hyperparameter, in units of the target; losses with such a parameter."""
    unit = None if tuning.unit is None else UNITS[tuning.unit](values)
    found = [p if p is None or unit is None else float(p * unit) for p in tuning.points]
    if tuning.loss is None:
        return found
    from ..objectives.named_losses import LOSSES

    return [LOSSES[tuning.loss](point) for point in found]  # type: ignore[call-arg]


def spread(values: np.ndarray) -> float:
    """Size of the target: its standard deviation."""
    return float(np.std(values)) or 1.0


UNITS: dict[str, Callable[[np.ndarray], float]] = {
    "deviation": spread,
    "total deviation": lambda values: len(values) * spread(values),
}


def candidates_of(kinds: Iterable[type]) -> list[Candidate]:
    """All that some classes of learners offer."""
    return [Candidate.of(kind, offer) for kind in kinds for offer in description_of(kind).offers]
