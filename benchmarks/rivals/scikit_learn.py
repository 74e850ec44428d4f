"""scikit-learn: each solver that can win, in one job or two, with one BLAS thread or the default."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.feature_selection import SequentialFeatureSelector, mutual_info_classif
from sklearn.linear_model import BayesianRidge, LinearRegression, LogisticRegression, Ridge, RidgeCV
from sklearn.metrics import auc, mutual_info_score, roc_auc_score, roc_curve
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks import ensembles, levels, local, numbers, subsets
from benchmarks.candidates import BOTH_BLAS, DEFAULT_BLAS, Candidate, Numbers, Rival, Sample, over_penalties
from benchmarks.data import SOME_FOLDS, SOME_ROWS, Data

rival = Rival("scikit-learn", __name__, ensembles.scikit_learn())

# Jobs, and the BLAS threads to try with them: joblib itself divides the cores among two jobs.
JOBS: dict[int, tuple[int | None, ...]] = {2: DEFAULT_BLAS, 1: BOTH_BLAS}


def fits(
    estimators: dict[str, Any],
    data: Data,
    y: np.ndarray | None,
    read: Callable[[Any, Data], Numbers],
    blas: tuple[int | None, ...] = BOTH_BLAS,
) -> list[Candidate]:
    """One candidate for each named estimator: its plain fit. `fit` starts afresh, so no clone is needed."""

    def candidate(setting: str, estimator: Any) -> Candidate:
        return Candidate(setting, lambda: estimator.fit(data.X, y), lambda model: read(model, data), blas)

    return [candidate(setting, estimator) for setting, estimator in estimators.items()]


def grid_searches(estimator: Any, data: Data) -> list[Candidate]:
    """GridSearchCV over the penalties, without the final refit."""

    def candidate(jobs: int) -> Candidate:
        def fit(alphas: np.ndarray) -> GridSearchCV:
            search = GridSearchCV(
                estimator,
                {"alpha": alphas},
                scoring="neg_mean_squared_error",
                cv=data.folds,
                n_jobs=jobs,
                refit=False,
            )
            return search.fit(data.X, data.target)

        def read(search: GridSearchCV) -> Numbers:
            by_fold = [search.cv_results_[f"split{fold}_test_score"] for fold in range(data.folds)]
            return numbers.curve(-np.stack(by_fold))

        return over_penalties(f"GridSearchCV n_jobs={jobs}", fit, data, SOME_FOLDS, read, JOBS[jobs])

    return [candidate(jobs) for jobs in JOBS]


def cross_validations(estimators: dict[str, Any], data: Data, y: np.ndarray, scoring: str) -> list[Candidate]:
    """cross_validate of each named estimator, in one job and in two."""

    def candidate(setting: str, estimator: Any, jobs: int) -> Candidate:
        def run() -> dict[str, np.ndarray]:
            return cross_validate(estimator, data.X, y, cv=data.folds, scoring=scoring, n_jobs=jobs)

        name = f"{setting} n_jobs={jobs}".strip()
        return Candidate(name, run, lambda result: numbers.scores(result, data), JOBS[jobs])

    return [candidate(setting, estimator, jobs) for setting, estimator in estimators.items() for jobs in JOBS]


@rival.enters("logistic/two")
@rival.enters("logistic/two_narrow")
def logistic_two(data: Data) -> list[Candidate]:
    """Tolerances at which the objective is the minimum to 1e-8."""
    two = data.binary()
    estimators = {
        "newton-cholesky": LogisticRegression(solver="newton-cholesky"),
        "lbfgs tol=1e-6": LogisticRegression(tol=1e-6, max_iter=10_000),
    }
    return fits(estimators, two, two.labels, numbers.log_loss)


@rival.enters("logistic/ten")
def logistic_ten(data: Data) -> list[Candidate]:
    estimators = {
        "newton-cholesky": LogisticRegression(solver="newton-cholesky"),
        "lbfgs tol=1e-6": LogisticRegression(tol=1e-6, max_iter=10_000),
    }
    return fits(estimators, data, data.labels, numbers.log_loss)


@rival.enters("linear_regression")
def linear_regression(data: Data) -> list[Candidate]:
    return fits({"default": LinearRegression()}, data, data.target, numbers.coefficients)


@rival.enters("ridge")
def ridge(data: Data) -> list[Candidate]:
    estimators = {f"solver={solver}": Ridge(alpha=1.0, solver=solver) for solver in ("cholesky", "auto")}
    return fits(estimators, data, data.target, numbers.coefficients)


@rival.enters("bayesian_regression")
def bayesian_regression(data: Data) -> list[Candidate]:
    return fits({"default": BayesianRidge()}, data, data.target, numbers.coefficients)


def tree(estimator: Any, data: Data, y: np.ndarray) -> list[Candidate]:
    """Trees have one thread, and no BLAS."""
    return [
        Candidate(
            "fit",
            lambda: estimator.fit(*numbers.learnt(data, y)),
            lambda model: numbers.tree(model, data, y),
            DEFAULT_BLAS,
        )
    ]


@rival.enters("tree/two")
def tree_two(data: Data) -> list[Candidate]:
    return tree(DecisionTreeClassifier(random_state=0), data, data.binary().labels)


@rival.enters("tree/ten")
def tree_ten(data: Data) -> list[Candidate]:
    return tree(DecisionTreeClassifier(random_state=0), data, data.labels)


@rival.enters("tree/numbers")
def tree_numbers(data: Data) -> list[Candidate]:
    return tree(DecisionTreeRegressor(random_state=0), data, data.target)


@rival.enters("pca")
def pca(data: Data) -> list[Candidate]:
    solvers = ("covariance_eigh", "full")
    estimators = {f"svd_solver={solver}": PCA(n_components=10, svd_solver=solver) for solver in solvers}
    return fits(estimators, data, None, numbers.components)


@rival.enters("lda")
def lda(data: Data) -> list[Candidate]:
    estimators = {f"solver={solver}": LinearDiscriminantAnalysis(solver=solver) for solver in ("lsqr", "svd")}
    return fits(estimators, data, data.labels, numbers.labels)


@rival.enters("qda")
def qda(data: Data) -> list[Candidate]:
    solvers = ("eigen", "svd")
    estimators = {f"solver={solver}": QuadraticDiscriminantAnalysis(solver=solver) for solver in solvers}
    return fits(estimators, data, data.labels, numbers.labels)


@rival.enters("gaussian_nb")
def gaussian_nb(data: Data) -> list[Candidate]:
    return fits({"default": GaussianNB()}, data, data.labels, numbers.labels)


@rival.enters("ridge_cv")
def ridge_cv(data: Data) -> list[Candidate]:
    """GridSearchCV, and RidgeCV with folds, which shows no curve but its lowest point."""

    def fit(alphas: np.ndarray) -> RidgeCV:
        return RidgeCV(alphas, scoring="neg_mean_squared_error", cv=data.folds).fit(data.X, data.target)

    def read(model: RidgeCV) -> Numbers:
        return {"lowest": np.array([-model.best_score_])}

    return [*grid_searches(Ridge(), data), over_penalties(f"RidgeCV cv={data.folds}", fit, data, SOME_FOLDS, read)]


@rival.enters("ridge_loo")
def ridge_loo(data: Data) -> list[Candidate]:
    """Without storing the errors of all rows, so the curve is read from a second fit that does."""

    def candidate(mode: str) -> Candidate:
        def fit(alphas: np.ndarray, store: bool = False) -> RidgeCV:
            return RidgeCV(alphas, gcv_mode=mode, store_cv_results=store).fit(data.X, data.target)

        def read(model: RidgeCV) -> Numbers:
            stored = fit(data.alphas[data.some(SOME_ROWS)], store=True)
            return numbers.curve(stored.cv_results_.mean(axis=0))

        return over_penalties(f"RidgeCV gcv_mode={mode}", fit, data, SOME_ROWS, read)

    return [candidate(mode) for mode in ("svd", "auto")]


@rival.enters("cross_validate/linear_regression")
def cross_validate_linear_regression(data: Data) -> list[Candidate]:
    return cross_validations({"": LinearRegression()}, data, data.target, "r2")


@rival.enters("cross_validate/lda")
def cross_validate_lda(data: Data) -> list[Candidate]:
    estimators = {f"solver={solver}": LinearDiscriminantAnalysis(solver=solver) for solver in ("lsqr", "svd")}
    return cross_validations(estimators, data, data.labels, "accuracy")


@rival.enters("roc")
def roc(data: Data) -> list[Candidate]:
    """The curve and its area: from the curve, or by the function of its own."""
    truth = (data.labels > data.labels.mean()).astype(np.int64)

    def candidate(setting: str, drop: bool, by_curve: bool) -> Candidate:
        def run() -> tuple[Any, float]:
            fpr, tpr, _ = roc_curve(truth, data.target, drop_intermediate=drop)
            return (fpr, tpr), auc(fpr, tpr) if by_curve else roc_auc_score(truth, data.target)

        return Candidate(setting, run, lambda found: numbers.roc(*found[0], found[1]), DEFAULT_BLAS)

    return [
        candidate("roc_curve, auc", True, True),
        candidate("roc_curve drop_intermediate=False, auc", False, True),
        candidate("roc_curve, roc_auc_score", True, False),
    ]


@rival.enters("selection/mi")
def selection_mi(data: Data) -> list[Candidate]:
    X = levels.codes(data)

    def candidate(jobs: int) -> Candidate:
        return Candidate(
            f"mutual_info_classif n_jobs={jobs}",
            lambda: mutual_info_classif(X, data.labels, discrete_features=True, n_jobs=jobs),
            lambda found: {"information": found},
            DEFAULT_BLAS,
        )

    return [candidate(jobs) for jobs in JOBS]


@rival.enters("selection/fcbf")
def selection_fcbf(data: Data) -> list[Candidate]:
    """FCBF as a loop over mutual_info_score: the pairs that it has to compare are found beforehand, for nothing."""
    from sumlearn.selection import FCBF

    X = np.asfortranarray(levels.codes(data))
    found = FCBF(levels.DELTA).fit(X, data.labels)
    pairs = levels.pairs_of(found.scores_, found.dropped_by_)
    entropies = np.array([mutual_info_score(x, x) for x in X.T])

    def run(count: int | None) -> np.ndarray:
        return np.array(
            [2.0 * mutual_info_score(X[:, i], X[:, j]) / (entropies[i] + entropies[j]) for i, j in pairs[:count]]
        )

    some, few = levels.SOME_PAIRS, levels.FEW_PAIRS
    whole = data.whole or len(pairs) <= some
    sample = None if whole else Sample(lambda: run(few), lambda: run(None), (len(pairs) - few) / (some - few))
    return [
        Candidate(
            f"mutual_info_score of {len(pairs)} pairs",
            lambda: run(None if whole else some),
            lambda found: {"uncertainties": found[:some]},
            DEFAULT_BLAS,
            sample,
        )
    ]


def searches(estimator: Any, setting: str, data: Data, y: np.ndarray, size: str = "") -> list[Candidate]:
    """SequentialFeatureSelector forwards, in one job (its best setting as a rule) and in two."""

    def candidate(jobs: int) -> Candidate:
        def search(count: int) -> np.ndarray:
            X = data.X if size != "parquet" else read_parquet(subsets.parquet(data))[:, :-1]
            selector = SequentialFeatureSelector(
                estimator, n_features_to_select=subsets.features(data, size), cv=subsets.FOLDS, n_jobs=jobs
            )
            return np.flatnonzero(selector.fit(X[:, :count], y).get_support())

        def read(subset: np.ndarray) -> Numbers:
            score = cross_val_score(estimator, data.X[:, subset], y, cv=subsets.FOLDS).mean()
            return subsets.found(subset, score)

        return subsets.over_columns(f"{setting} n_jobs={jobs}".strip(), search, data, read, size, JOBS[jobs])

    return [candidate(jobs) for jobs in sorted(JOBS)]


def read_parquet(path: Any) -> np.ndarray:
    import pandas as pd

    return pd.read_parquet(path).to_numpy()


@rival.enters("sfs/least_squares")
def sfs_least_squares(data: Data) -> list[Candidate]:
    return searches(LinearRegression(), "", data, data.target)


@rival.enters("sfs/ridge")
def sfs_ridge(data: Data) -> list[Candidate]:
    return searches(Ridge(subsets.ALPHA), "", data, data.target)


@rival.enters("sfs/wide")
def sfs_wide(data: Data) -> list[Candidate]:
    return searches(Ridge(subsets.ALPHA), "", data, data.target, "wide")


@rival.enters("sfs/parquet")
def sfs_parquet(data: Data) -> list[Candidate]:
    return searches(Ridge(subsets.ALPHA), "", data, data.target, "parquet")


@rival.enters("sfs/lda")
def sfs_lda(data: Data) -> list[Candidate]:
    solvers = ("lsqr", "svd")
    y = subsets.classes(data)
    return [
        candidate
        for solver in solvers
        for candidate in searches(LinearDiscriminantAnalysis(solver=solver), f"solver={solver}", data, y)
    ]


@rival.enters("local/nadaraya_watson")
def nadaraya_watson(data: Data) -> list[Candidate]:
    """Kernel matrices of blocks of queries, of several sizes."""
    queries, gamma = local.queries(data), 0.5 / local.bandwidth(data) ** 2

    def candidate(block: int) -> Candidate:
        def run() -> np.ndarray:
            found = []
            for start in range(0, len(queries), block):
                K = rbf_kernel(queries[start : start + block], data.X, gamma=gamma)
                found.append(K @ data.target / K.sum(axis=1))
            return np.concatenate(found)

        return Candidate(f"rbf_kernel, {block} queries at a time", run, local.predictions)

    return [candidate(100), candidate(1000)]


@rival.enters("local/lwr")
def lwr(data: Data) -> list[Candidate]:
    """A weighted fit for every centre, blended."""
    queries, (centres, width) = local.queries(data), local.places(data)

    def run() -> np.ndarray:
        gamma = 0.5 / width**2
        near, at = rbf_kernel(data.X, centres, gamma=gamma), rbf_kernel(queries, centres, gamma=gamma)
        fits = [LinearRegression().fit(data.X, data.target, sample_weight=weight) for weight in near.T]
        lines = np.stack([fit.predict(queries) for fit in fits], axis=1)
        return (at * lines).sum(axis=1) / at.sum(axis=1)

    return [Candidate("LinearRegression for every centre", run, local.predictions)]
