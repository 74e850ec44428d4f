"""The models that `train` tries: the strongest of each family, and all others that suit a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .candidates import ABILITIES, Candidate, Params, along, fixed
from .problems import UsageProblem, suggested

MOST_OF_COVARIANCES = 300  # features of a table for which every class has a covariance of its own
MOST_FEATURES = 50  # of a table whose products of features are tried: they make some 1300


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
        most_features=MOST_OF_COVARIANCES,
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
    Candidate("fisher", "Fisher's discriminant", "classify", learner("FisherDiscriminant"), fixed(), extra=True),
    Candidate(
        "polynomial3",
        "least squares on powers",
        "classify",
        learner("PolynomialClassifier", degree=3, interactions=False),
        along("alpha", 1.0, 10.0, 100.0),
        extra=True,
    ),
    Candidate(
        "extreme",
        "extreme learning machine",
        "classify",
        learner("ExtremeLearningMachineClassifier", n_hidden=200),
        along("alpha", 0.1, 1.0, 10.0),
        extra=True,
    ),
    Candidate(
        "rbf",
        "radial basis network",
        "classify",
        learner("RBFNetworkClassifier", centres=50),
        along("alpha", 0.01, 0.1, 1.0),
        extra=True,
    ),
    Candidate("perceptron", "perceptron", "classify", learner("Perceptron"), fixed(), extra=True),
    Candidate("adaline", "Adaline", "classify", learner("Adaline"), fixed(), extra=True),
    Candidate("sigmoid", "sigmoid neuron", "classify", learner("SigmoidNeuron"), fixed(), extra=True),
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
    Candidate("bayes", "Bayesian regression", "regress", learner("BayesianRegression"), fixed(), extra=True),
    Candidate(
        "extreme",
        "extreme learning machine",
        "regress",
        learner("ExtremeLearningMachineRegressor", n_hidden=200),
        along("alpha", 0.1, 1.0, 10.0),
        extra=True,
    ),
    Candidate(
        "rbf",
        "radial basis network",
        "regress",
        learner("RBFNetwork", centres=50),
        along("alpha", 0.01, 0.1, 1.0),
        extra=True,
    ),
    Candidate("local", "local lines", "regress", learner("LocalRegression"), fixed(), extra=True),
    Candidate(
        "unified",
        "local lines, fitted together",
        "regress",
        learner("UnifiedModel"),
        along("alpha", 0.01, 0.1, 1.0),
        extra=True,
    ),
    Candidate("kernel", "Nadaraya-Watson", "regress", learner("NadarayaWatson"), fixed(), extra=True),
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
    """The candidates of a task: "auto", "all", or those named; `can` keeps those with all of these abilities.

    "auto" is the strongest of each family.

    Candidates themselves may stand in the place of names: they are taken as they are.
    """
    if not isinstance(names, str) and all(isinstance(name, Candidate) for name in names):
        return list(names)
    for ability in can:
        if ability not in ABILITIES:
            raise UsageProblem(f"no ability {ability!r}{suggested(ability, ABILITIES)} (--can)")
    known = {candidate.name: candidate for candidate in candidates_for(task)}
    wanted = names.split(",") if isinstance(names, str) else list(names)
    if wanted in (["auto"], ["all"]):
        chosen = [c for c in known.values() if wanted == ["all"] or not c.extra]
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
