"""What a learner says about itself: plain data beside the class, for whoever trains, judges, shows, saves or tests it.

    class Ridge(LinearModel):
        description = Description(
            offers=(Offer("ridge", "ridge", 20, tuning=Tuning("alpha", (0.1, 1.0, 10.0))),),
            judge="least_squares",
            onnx="linear",
        )

Words are looked up where the thing lies that they name: a judge in `selection`, a graph in `saving`. Who reads a
description needs no list of learners, so a new one is found by its public name alone. A description is that of its own
class: a subclass writes one, or ``description = Ridge.description``, or has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Tuning:
    """Values of a hyperparameter among which `train` chooses.

    Attributes
    ----------
    parameter : str
    points : tuple
        The values, or numbers of units; None stays None.
    unit : {"deviation", "total deviation"} or None
        What a point is a multiple of: the standard deviation of the target, or that times the number of rows.
    loss : str or None
        Name of the loss that is the value, with the point as its own parameter.
    """

    parameter: str
    points: tuple[Any, ...]
    unit: str | None = None
    loss: str | None = None


@dataclass(frozen=True)
class Offer:
    """A model that `train` may try: a regression, or a classifier with scores or probabilities of the classes.

    Attributes
    ----------
    name, title : str
        For options and for people. A name is given once for classes and once for numbers.
    rank : int
        Place in the order of `sumlearn models`; the first of equally good models wins.
    fixed : mapping
        Hyperparameters of the learner that are not its defaults.
    tuning : Tuning, tuple of Tuning or None
        What is chosen among by inner folds; of several, every combination.
    degree : int
        Above one, the learner works on all products of so many columns, its `basis`.
    most_features : int or None
        Where a table has more, the model is not tried.
    most_rows : int or None
        Where a table has more, the model is not tried.
    least_rows : int
        Where a table has fewer, neither.
    extra : bool
        Tried where all models are asked for, or where it is named.
    table : mapping
        Options of TableModel that the model has of its own.
    power : float
        The time of a fit grows with this power of the number of rows: 2 where all pairs of rows are looked at.
    """

    name: str
    title: str
    rank: int
    fixed: Mapping[str, Any] = field(default_factory=dict)
    tuning: Tuning | tuple[Tuning, ...] | None = None
    degree: int = 1
    most_features: int | None = None
    extra: bool = False
    table: Mapping[str, Any] = field(default_factory=dict)
    power: float = 1.0
    most_rows: int | None = None
    least_rows: int = 0

    @property
    def tunings(self) -> tuple[Tuning, ...]:
        """All that is chosen among."""
        if self.tuning is None:
            return ()
        return (self.tuning,) if isinstance(self.tuning, Tuning) else self.tuning


@dataclass(frozen=True)
class Complexity:
    """What the report varies to show errors against the freedom of a model.

    Attributes
    ----------
    parameter : str or None
        A hyperparameter; None is the number of features, the best of them first.
    title : str
        Of the axis.
    points : tuple
        Its values. Without any they are spread over decades: about the value of the model, or about ten.
    log : bool
        Whether the axis is logarithmic.
    freer : {"left", "right"}
        Where the model has more freedom.
    otherwise : float or None
        What a value that is no number stands for.
    instead : mapping
        Of other hyperparameters, {name: {value: the one that leaves room for the axis and gives the same answers}}.
    stand_in, keeps : str or None, tuple of str
        Public name of the learner that is varied in place of one that has no such hyperparameter, over the points, and
        what it takes over from it.
    """

    parameter: str | None = None
    title: str = "number of features, best first"
    points: tuple[float, ...] = ()
    log: bool = True
    freer: str = "left"
    otherwise: float | None = None
    instead: Mapping[str, Mapping[Any, Any]] = field(default_factory=dict)
    stand_in: str | None = None
    keeps: tuple[str, ...] = ()


PENALTY = Complexity("alpha", "penalty λ")
INVERSE_PENALTY = Complexity(
    "C", "C, one over the penalty", (1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0, 100.0), freer="right", otherwise=1.0
)
BY_FEATURES = Complexity(log=False, freer="right")
SCORES_ONLY = "its scores are distances from a plane or regressions on codes, not probabilities"


@dataclass(frozen=True)
class Description:
    """All that a learner says about itself; what it leaves out it does not have.

    Attributes
    ----------
    offers : tuple of Offer
        As what `train` may try it.
    complexity : Complexity or None
        Axis of the report's errors on rows learnt and on rows left out.
    judge : str or None
        Who judges subsets of features from its sums: a word of `selection.judges`.
    onnx : str or None
        Its ONNX graph: a word of `saving.onnx`.
    posterior : {"flat", "penalty", "prior"} or None
        Where the coefficients have a normal distribution that follows from moments: what is known before the rows.
        "flat" and "penalty" have `noise_precision_`, "prior" `beta_`, `sigma_` and `posterior_of`.
    parts : tuple of classes
        What a fitted model holds, beside public things: their names may be in a model file.
    variants : mapping
        Values of hyperparameters that are worth drawing in tests of the laws, where labels are low, middle and top.
    lacks : mapping
        Methods that others of its kind have, and why it has not.
    grows : bool
        Whether `warm_start` adds to the fit before, instead of beginning where it ended.

    Examples
    --------
    >>> from sumlearn import Ridge
    >>> Ridge.description.judge, [offer.title for offer in Ridge.description.offers]
    ('least_squares', ['ridge', 'ridge on products'])
    >>> class Mine(Ridge):
    ...     pass
    >>> description_of(Mine()).offers
    ()
    """

    offers: tuple[Offer, ...] = ()
    complexity: Complexity | None = None
    judge: str | None = None
    onnx: str | None = None
    posterior: str | None = None
    parts: tuple[type, ...] = ()
    variants: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    lacks: Mapping[str, str] = field(default_factory=dict)
    grows: bool = False


NOTHING = Description()
PACKAGE = __name__.partition(".")[0]


def description_of(learner: Any) -> Description:
    """The description of a learner or a class; for one of scikit-learn's that of ours, which bears its name."""
    found = vars(kind_of(learner)).get("description")
    return found if isinstance(found, Description) else NOTHING


def kind_of(learner: Any) -> type:
    """The class of a learner; for one of scikit-learn's that we have too, ours."""
    kind: type = learner if isinstance(learner, type) else type(learner)
    package = import_module(PACKAGE)
    foreign = kind.__module__.startswith("sklearn.") and kind.__name__ in package.__all__
    return getattr(package, kind.__name__) if foreign else kind


def described_classes(loaded: bool = False) -> Iterator[type]:
    """The public classes that describe themselves, or those of them that are loaded already.

    What has small letters is a function or a folder.
    """
    package = import_module(PACKAGE)
    for name in package.__all__:
        wanted = name[0].isupper() and (name in vars(package) or not loaded)
        kind = getattr(package, name) if wanted else None
        if isinstance(kind, type) and description_of(kind) is not NOTHING:
            yield kind
