"""The tasks of forests, boosting, bagging and stacks: the same settings for everybody, and how answers are compared.

Models learn nine tenths of the rows and are judged on the rest, where trees are not the same for all; members that are
(stumps, linear models with the same draws) are compared themselves. Time grows with the number of members: of a slow
rival few are timed, and the rest is read off a line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import numbers, subsets
from benchmarks.candidates import BOTH_BLAS, DEFAULT_BLAS, Builder, Candidate, Numbers, Sample
from benchmarks.data import Data

BOOSTING: dict[str, Any] = {
    "max_iter": 100, "max_leaf_nodes": 31, "learning_rate": 0.1, "min_samples_leaf": 20, "early_stopping": False,
}  # fmt: skip
TREES, SOME_TREES = 20, (1, 3)
STUMPS, SOME_STUMPS = 200, (1, 4)
MEMBERS, SOME_MEMBERS = 200, (5, 25)  # of a bag
COMPARED = 3  # members that are compared

Target = Callable[[Data], np.ndarray]


def two(data: Data) -> np.ndarray:
    return data.binary().labels


def numeric(data: Data) -> np.ndarray:
    return data.target


TARGETS: dict[str, Target] = {"two": two, "five": subsets.classes, "numbers": numeric}


def rest_loss(model: Any, data: Data, y: np.ndarray) -> Numbers:
    """Log loss, or root mean square error, of the tenth of the rows that was not learnt."""
    rest = slice(9 * len(y) // 10, None)
    if y.dtype.kind == "f":
        return {"loss": np.array([np.sqrt(np.mean((model.predict(data.X[rest]) - y[rest]) ** 2))])}
    shares = np.clip(model.predict_proba(data.X[rest])[np.arange(len(y[rest])), y[rest]], 1e-3, None)
    return {"loss": np.array([-np.log(shares).mean()])}


def first_errors(model: Any) -> Numbers:
    """Weighted errors of the first stumps."""
    return {"errors": np.asarray(model.estimator_errors_[:COMPARED])}


def first_coefficients(model: Any) -> Numbers:
    """Coefficients of the first members."""
    return {"coef": np.concatenate([np.ravel(member.coef_) for member in model.estimators_[:COMPARED]])}


def boosting(classes: type, numeric_class: type, **settings: Any) -> dict[str, Builder]:
    """Fits of nine tenths of the rows, for every target; no BLAS, and as many threads as there are."""

    def task(kind: str) -> Builder:
        make = numeric_class if kind == "numbers" else classes

        def builder(data: Data) -> list[Candidate]:
            y = TARGETS[kind](data)
            run = lambda: make(**settings).fit(*numbers.learnt(data, y))  # noqa: E731
            return [Candidate("default", run, lambda model: rest_loss(model, data, y), DEFAULT_BLAS)]

        return builder

    return {f"boosting/{kind}": task(kind) for kind in TARGETS}


def in_shares(
    fit: Callable[[int], Any], sizes: tuple[int, int], whole: int, setting: str, read: Callable[[Any], Numbers],
    blas: tuple[int | None, ...],
) -> Candidate:  # fmt: skip
    """A candidate whose time is linear in the number of its members."""
    few, some = sizes
    sample = Sample(lambda: fit(few), lambda: fit(whole), (whole - few) / (some - few))
    return Candidate(setting, lambda: fit(some), read, blas, sample)


# -- ours --------------------------------------------------------------------------------------------------------------


def ours() -> dict[str, Builder]:
    import sumlearn as sl

    def forest(kind: str) -> Builder:
        make = sl.RandomForestRegressor if kind == "numbers" else sl.RandomForestClassifier

        def builder(data: Data) -> list[Candidate]:
            y = TARGETS[kind](data)
            learnt = numbers.learnt(data, y)
            few = lambda model: rest_loss(make(SOME_TREES[1]).fit(*learnt), data, y)  # noqa: E731, as of the rival
            return [Candidate("default", lambda: make(TREES).fit(*learnt), few, DEFAULT_BLAS)]

        return builder

    def adaboost(data: Data) -> list[Candidate]:
        run = lambda: sl.AdaBoostClassifier(n_estimators=STUMPS).fit(data.X, two(data))  # noqa: E731
        return [Candidate("default", run, first_errors, DEFAULT_BLAS)]

    def bag(data: Data, make: Any, base: Any, y: np.ndarray) -> list[Candidate]:
        run = lambda: make(base, MEMBERS, random_state=0).fit(data.X, y)  # noqa: E731
        return [Candidate("default", run, first_coefficients, DEFAULT_BLAS)]

    found = boosting(sl.HistGradientBoostingClassifier, sl.HistGradientBoostingRegressor, **BOOSTING)
    found |= {f"forest/{kind}": forest(kind) for kind in ("two", "numbers")}
    return found | {
        "adaboost": adaboost,
        "bagging/ridge": lambda data: bag(data, sl.BaggingRegressor, sl.Ridge(), data.target),
        "bagging/lda": lambda data: bag(data, sl.BaggingClassifier, sl.LinearDiscriminantAnalysis(), two(data)),
        "stacking": lambda data: [Candidate("default", stacked(data, "ours"), stack_answers(data), DEFAULT_BLAS)],
    }


# -- scikit-learn ------------------------------------------------------------------------------------------------------


def scikit_learn() -> dict[str, Builder]:
    from sklearn import ensemble
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import Ridge

    def forest(kind: str) -> Builder:
        make = ensemble.RandomForestRegressor if kind == "numbers" else ensemble.RandomForestClassifier

        def builder(data: Data) -> list[Candidate]:
            y = TARGETS[kind](data)
            learnt = numbers.learnt(data, y)
            fit = lambda trees: make(trees, n_jobs=1, random_state=0).fit(*learnt)  # noqa: E731
            both = lambda trees: make(trees, n_jobs=-1, random_state=0).fit(*learnt)  # noqa: E731
            read = lambda model: rest_loss(model, data, y)  # noqa: E731
            pair = SOME_TREES[0] + 1, SOME_TREES[1] + 1  # whole trees for two processors
            return [
                in_shares(both, pair, TREES, "n_jobs=-1", lambda _: read(fit(SOME_TREES[1])), DEFAULT_BLAS),
                in_shares(fit, SOME_TREES, TREES, "n_jobs=1", read, DEFAULT_BLAS),
            ]

        return builder

    def adaboost(data: Data) -> list[Candidate]:
        fit = lambda rounds: ensemble.AdaBoostClassifier(n_estimators=rounds).fit(data.X, two(data))  # noqa: E731
        return [in_shares(fit, SOME_STUMPS, STUMPS, "default", first_errors, DEFAULT_BLAS)]

    def bag(data: Data, make: Any, bases: list[Any], y: np.ndarray) -> list[Candidate]:
        def candidate(base: Any, jobs: int | None) -> Candidate:
            fit = lambda members: make(base, members, random_state=0, n_jobs=jobs).fit(data.X, y)  # noqa: E731
            setting = f"solver={base.solver} n_jobs={jobs}"
            blas = BOTH_BLAS if jobs is None else DEFAULT_BLAS
            return in_shares(fit, SOME_MEMBERS, MEMBERS, setting, first_coefficients, blas)

        return [candidate(base, jobs) for base in bases for jobs in (None, -1)]

    ridges = [Ridge(solver=solver) for solver in ("cholesky", "lsqr")]
    discriminants = [LinearDiscriminantAnalysis(solver=solver) for solver in ("lsqr", "svd")]
    found = boosting(ensemble.HistGradientBoostingClassifier, ensemble.HistGradientBoostingRegressor, **BOOSTING)
    found |= {f"forest/{kind}": forest(kind) for kind in ("two", "numbers")}
    return found | {
        "adaboost": adaboost,
        "bagging/ridge": lambda data: bag(data, ensemble.BaggingRegressor, ridges, data.target),
        "bagging/lda": lambda data: bag(data, ensemble.BaggingClassifier, discriminants, two(data)),
        "stacking": lambda data: [
            Candidate(f"n_jobs={jobs}", stacked(data, "theirs", jobs), stack_answers(data)) for jobs in (None, -1)
        ],
    }


# -- LightGBM ----------------------------------------------------------------------------------------------------------


def lightgbm() -> dict[str, Builder]:
    """Its defaults are the settings of the others."""
    from lightgbm import LGBMClassifier, LGBMRegressor

    return boosting(LGBMClassifier, LGBMRegressor, verbose=-1)


# -- stacks ------------------------------------------------------------------------------------------------------------


def stacked(data: Data, whose: str, jobs: int | None = None) -> Callable[[], Any]:
    """A stack of twenty regressions on sums, in five folds, with the same final estimator for both."""
    from benchmarks.stacking import stacks

    return lambda: stacks("regressors", jobs)[whose == "theirs"].fit(data.X, data.target)


def stack_answers(data: Data) -> Callable[[Any], Numbers]:
    return lambda model: {"predictions": np.asarray(model.predict(data.sample))}
