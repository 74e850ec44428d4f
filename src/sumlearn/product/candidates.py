"""The models that `train` tries: the strongest of each family, each inside a TableModel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .problems import UsageProblem, suggested

ABILITIES = {"update": "partial_fit", "forget": "forget", "merge": "merge"}
Params = dict[str, Any]
Grid = Callable[[np.ndarray], list[Params]]
MOST_FEATURES = 50  # of a table whose products of features are tried: they make some 1300


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


def spread(values: np.ndarray) -> float:
    """Size of the target: its standard deviation."""
    return float(np.std(values)) or 1.0


def total_spread(values: np.ndarray) -> float:
    return len(values) * spread(values)


def huber_grid(values: np.ndarray) -> list[Params]:
    from ..objectives import Huber

    return [{"learner__loss": Huber(float(share * spread(values)))} for share in (0.1, 0.5)]


def learner(name: str, **params: Any) -> Callable[[], Any]:
    def make() -> Any:
        import sumlearn

        return getattr(sumlearn, name)(**params)

    return make


def with_products(name: str, **params: Any) -> Callable[[], Any]:
    """A learner on all products of two columns."""

    def make() -> Any:
        import sumlearn

        return getattr(sumlearn, name)(basis=sumlearn.features.Polynomial(2), **params)

    return make


def boosting(name: str) -> Callable[[], Any]:
    def make() -> Any:
        import sklearn.ensemble

        return getattr(sklearn.ensemble, name)(random_state=0)

    return make


PENALTIES = (0.1, 1.0, 10.0, 100.0, 1000.0)
INVERSE = (0.003, 0.03, 0.3, 3.0)

CANDIDATES = (
    Candidate(
        "lda",
        "linear discriminant",
        "classify",
        learner("LinearDiscriminantAnalysis", solver="lsqr"),
        along("shrinkage", None, 0.1, 0.5),
    ),
    Candidate(
        "qda",
        "quadratic discriminant",
        "classify",
        learner("QuadraticDiscriminantAnalysis"),
        along("reg_param", 0.01, 0.1, 0.5),
    ),
    Candidate("naive_bayes", "Gaussian naive Bayes", "classify", learner("GaussianNB"), fixed()),
    Candidate(
        "least_squares",
        "least squares on labels",
        "classify",
        learner("LeastSquaresClassifier"),
        along("alpha", *PENALTIES),
    ),
    Candidate("logistic", "logistic ridge", "classify", learner("LogisticRegression"), along("C", *INVERSE)),
    Candidate(
        "logistic_l1",
        "logistic lasso",
        "classify",
        learner("LogisticRegression", l1_ratio=1.0),
        along("C", 0.01, 0.1, 1.0),
    ),
    Candidate(
        "svm",
        "linear support vectors",
        "classify",
        learner("LinearClassifier", loss="squared_hinge"),
        along("alpha", 1.0, 10.0, 100.0, 1000.0),
    ),
    Candidate(
        "polynomial",
        "least squares on products",
        "classify",
        with_products("LeastSquaresClassifier"),
        along("alpha", 1.0, 10.0, 100.0),
        most_features=MOST_FEATURES,
    ),
    Candidate(
        "boosting",
        "boosted trees (scikit-learn)",
        "classify",
        boosting("HistGradientBoostingClassifier"),
        fixed(),
        foreign=True,
    ),
    Candidate("linear", "least squares", "regress", learner("LinearRegression"), fixed()),
    Candidate("ridge", "ridge", "regress", learner("Ridge"), along("alpha", 0.01, *PENALTIES)),
    Candidate(
        "lasso",
        "lasso",
        "regress",
        learner("LinearRegressor", penalty="l1"),
        along("alpha", 0.003, 0.03, 0.1, scale=total_spread),
    ),
    Candidate("huber", "Huber ridge", "regress", learner("LinearRegressor", loss="huber", alpha=1.0), huber_grid),
    Candidate("median", "least absolute errors", "regress", learner("LinearRegressor", loss="absolute"), fixed()),
    Candidate(
        "polynomial",
        "ridge on products",
        "regress",
        with_products("Ridge"),
        along("alpha", 1.0, 10.0, 100.0, 1000.0),
        most_features=MOST_FEATURES,
    ),
    Candidate(
        "boosting",
        "boosted trees (scikit-learn)",
        "regress",
        boosting("HistGradientBoostingRegressor"),
        fixed(),
        foreign=True,
    ),
)


def candidates_for(task: str) -> Iterator[Candidate]:
    return (candidate for candidate in CANDIDATES if candidate.task == task)


def named_candidates(names: str | Sequence[Any], task: str, can: Sequence[str] = ()) -> list[Candidate]:
    """The candidates of a task: "auto" for all, or those named; `can` keeps those with all of these abilities.

    Candidates themselves may stand in the place of names: they are taken as they are.
    """
    if not isinstance(names, str) and all(isinstance(name, Candidate) for name in names):
        return list(names)
    for ability in can:
        if ability not in ABILITIES:
            raise UsageProblem(f"no ability {ability!r}{suggested(ability, ABILITIES)} (--can)")
    known = {candidate.name: candidate for candidate in candidates_for(task)}
    wanted = names.split(",") if isinstance(names, str) else list(names)
    if wanted == ["auto"]:
        chosen = list(known.values())
        return [c for c in chosen if c.foreign or set(can) <= set(c.can)]
    chosen = []
    for name in (name.strip() for name in wanted):
        if name not in known:
            raise UsageProblem(f"no model {name!r} for this task{suggested(name, known)} (--models)")
        if not known[name].foreign and not set(can) <= set(known[name].can):
            raise UsageProblem(f"the model {name!r} cannot {', '.join(set(can) - set(known[name].can))} (--can)")
        chosen.append(known[name])
    if all(candidate.foreign for candidate in chosen):
        raise UsageProblem(f"{chosen[0].name!r} is a yardstick and is never chosen: name another beside it (--models)")
    return chosen
