"""sumlearn: always at its defaults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import sumlearn as sl
from sumlearn.evaluation import RocCurve
from sumlearn.selection import FCBF, Ranker, SubsetSearch
from sumlearn.selection.scores.information import pair_uncertainty

from benchmarks import ensembles, levels, local, numbers, subsets
from benchmarks.candidates import DEFAULT_BLAS, Candidate, Numbers, Rival
from benchmarks.data import SOME_FOLDS, SOME_ROWS, Data

rival = Rival("sumlearn", __name__, ensembles.ours())


def one(run: Callable[[], Any], read: Callable[[Any], Numbers]) -> list[Candidate]:
    """The one candidate we enter: the default."""
    return [Candidate("default", run, read, DEFAULT_BLAS)]


@rival.enters("linear_regression")
def linear_regression(data: Data) -> list[Candidate]:
    return one(
        lambda: sl.LinearRegression().fit(data.X, data.target),
        lambda model: numbers.coefficients(model, data),
    )


@rival.enters("ridge")
def ridge(data: Data) -> list[Candidate]:
    return one(lambda: sl.Ridge(alpha=1.0).fit(data.X, data.target), lambda model: numbers.coefficients(model, data))


@rival.enters("bayesian_regression")
def bayesian_regression(data: Data) -> list[Candidate]:
    return one(
        lambda: sl.BayesianRegression().fit(data.X, data.target),
        lambda model: numbers.coefficients(model, data),
    )


@rival.enters("extreme_learning_machine")
def extreme_learning_machine(data: Data) -> list[Candidate]:
    return one(
        lambda: sl.ExtremeLearningMachineRegressor(200).fit(data.X, data.target),
        lambda model: {"predictions": np.asarray(model.predict(data.sample))},
    )


@rival.enters("tree/two")
def tree_two(data: Data) -> list[Candidate]:
    two = data.binary()
    return one(
        lambda: sl.DecisionTreeClassifier().fit(*numbers.learnt(two, two.labels)),
        lambda model: numbers.tree(model, two, two.labels),
    )


@rival.enters("tree/ten")
def tree_ten(data: Data) -> list[Candidate]:
    return one(
        lambda: sl.DecisionTreeClassifier().fit(*numbers.learnt(data, data.labels)),
        lambda model: numbers.tree(model, data, data.labels),
    )


@rival.enters("tree/numbers")
def tree_numbers(data: Data) -> list[Candidate]:
    return one(
        lambda: sl.DecisionTreeRegressor().fit(*numbers.learnt(data, data.target)),
        lambda model: numbers.tree(model, data, data.target),
    )


@rival.enters("pca")
def pca(data: Data) -> list[Candidate]:
    return one(lambda: sl.PCA(n_components=10).fit(data.X), lambda model: numbers.components(model, data))


@rival.enters("lda")
def lda(data: Data) -> list[Candidate]:
    return one(
        lambda: sl.LinearDiscriminantAnalysis().fit(data.X, data.labels),
        lambda model: numbers.labels(model, data),
    )


@rival.enters("qda")
def qda(data: Data) -> list[Candidate]:
    return one(
        lambda: sl.QuadraticDiscriminantAnalysis().fit(data.X, data.labels),
        lambda model: numbers.labels(model, data),
    )


@rival.enters("gaussian_nb")
def gaussian_nb(data: Data) -> list[Candidate]:
    return one(lambda: sl.GaussianNB().fit(data.X, data.labels), lambda model: numbers.labels(model, data))


@rival.enters("logistic/two")
@rival.enters("logistic/two_narrow")
def logistic_two(data: Data) -> list[Candidate]:
    two = data.binary()
    return one(lambda: sl.LogisticRegression().fit(two.X, two.labels), lambda model: numbers.log_loss(model, two))


@rival.enters("logistic/ten")
def logistic_ten(data: Data) -> list[Candidate]:
    return one(lambda: sl.LogisticRegression().fit(data.X, data.labels), lambda model: numbers.log_loss(model, data))


@rival.enters("five_models")
def five_models(data: Data) -> list[Candidate]:
    """Five models from one pass: the pooled class moments contain the sums of the other four."""

    def run() -> dict[str, Any]:
        lda = sl.LinearDiscriminantAnalysis().fit(data.X, data.labels)
        moments = lda.statistic_.moments(labels=True)
        return {
            "lda": lda,
            "gaussian_nb": sl.GaussianNB().solve(lda.statistic_),
            "linear_regression": sl.LinearRegression().solve(moments),
            "ridge": sl.Ridge(alpha=1.0).solve(moments),
            "pca": sl.PCA(n_components=10).solve(lda.statistic_.moments()),
        }

    readers = {
        "lda": numbers.labels,
        "gaussian_nb": numbers.labels,
        "linear_regression": numbers.coefficients,
        "ridge": numbers.coefficients,
        "pca": numbers.components,
    }

    def read(models: dict[str, Any]) -> Numbers:
        return {
            f"{name} {key}": value
            for name, model in models.items()
            for key, value in readers[name](model, data).items()
        }

    return one(run, read)


@rival.enters("ridge_cv")
def ridge_cv(data: Data) -> list[Candidate]:
    return one(
        lambda: sl.RidgeCV(alphas=data.alphas, cv=data.folds).fit(data.X, data.target),
        lambda model: numbers.curve(np.asarray(model.cv_results_)[:, data.some(SOME_FOLDS)]),
    )


@rival.enters("ridge_loo")
def ridge_loo(data: Data) -> list[Candidate]:
    """Without storing the errors of all rows, so the curve is read from one fit for each penalty."""

    def fit(alphas: np.ndarray) -> Any:
        return sl.RidgeCV(alphas=alphas, cv=None).fit(data.X, data.target)

    def read(model: Any) -> Numbers:
        some = data.alphas[data.some(SOME_ROWS)]
        return numbers.curve(np.array([-fit(np.array([alpha])).best_score_ for alpha in some]))

    return one(lambda: fit(data.alphas), read)


@rival.enters("cross_validate/linear_regression")
def cross_validate_linear_regression(data: Data) -> list[Candidate]:
    return one(
        lambda: sl.cross_validate(sl.LinearRegression(), data.X, data.target, cv=data.folds, scoring="r2"),
        lambda result: numbers.scores(result, data),
    )


@rival.enters("cross_validate/lda")
def cross_validate_lda(data: Data) -> list[Candidate]:
    return one(
        lambda: sl.cross_validate(
            sl.LinearDiscriminantAnalysis(), data.X, data.labels, cv=data.folds, scoring="accuracy"
        ),
        lambda result: numbers.scores(result, data),
    )


@rival.enters("inference/ols")
def inference_ols(data: Data) -> list[Candidate]:
    def run() -> Any:
        found = sl.LinearRegression().fit(data.X, data.target).inference()
        return numbers.inference(
            found.estimates, found.covariance, found.t_values, found.p_values, found.confidence_interval(),
            found.f_test.statistic, found.aic, found.bic, found.adjusted_r2,
        )  # fmt: skip

    return one(run, lambda found: found)


@rival.enters("selection/mi")
def selection_mi(data: Data) -> list[Candidate]:
    X = levels.codes(data)
    return one(
        lambda: Ranker("mutual_information").fit(X, data.labels), lambda model: {"information": model.scores_}
    )


@rival.enters("selection/fcbf")
def selection_fcbf(data: Data) -> list[Candidate]:
    X = levels.codes(data)

    def read(model: FCBF) -> Numbers:
        some = levels.pairs_of(model.scores_, model.dropped_by_)[: levels.SOME_PAIRS]
        return {"uncertainties": pair_uncertainty(model.statistic_)[tuple(np.array(some).T)]}

    return one(lambda: FCBF(levels.DELTA).fit(X, data.labels), read)


@rival.enters("roc")
def roc(data: Data) -> list[Candidate]:
    truth = (data.labels > data.labels.mean()).astype(np.int64)

    def run() -> tuple[Any, float]:
        curve = RocCurve(truth, data.target)
        return (curve.fpr, curve.tpr), curve.auc()

    return one(run, lambda found: numbers.roc(*found[0], found[1]))


def searches(method: str, estimator: Any, data: Data, y: np.ndarray, size: str = "") -> list[Candidate]:
    """A subset search over all columns, and for the comparison over those that slow rivals search."""

    def search(count: int) -> SubsetSearch:
        chosen = SubsetSearch(method, estimator, k=subsets.features(data, size), cv=subsets.FOLDS)
        return chosen.fit(data.X[:, :count], y)

    def read(result: SubsetSearch) -> Numbers:
        same = search(subsets.columns(data, size))
        return subsets.found(same.subset_, same.score_)

    return one(lambda: search(data.X.shape[1]), read)


@rival.enters("sfs/least_squares")
def sfs_least_squares(data: Data) -> list[Candidate]:
    return searches("sfs", sl.LinearRegression(), data, data.target)


@rival.enters("sfs/ridge")
def sfs_ridge(data: Data) -> list[Candidate]:
    return searches("sfs", sl.Ridge(subsets.ALPHA), data, data.target)


@rival.enters("sfs/wide")
def sfs_wide(data: Data) -> list[Candidate]:
    return searches("sfs", sl.Ridge(subsets.ALPHA), data, data.target, "wide")


@rival.enters("sfs/lda")
def sfs_lda(data: Data) -> list[Candidate]:
    return searches("sfs", sl.LinearDiscriminantAnalysis(), data, subsets.classes(data))


@rival.enters("sffs/lda")
def sffs_lda(data: Data) -> list[Candidate]:
    return searches("sffs", sl.LinearDiscriminantAnalysis(), data, subsets.classes(data))


@rival.enters("sfs/parquet")
def sfs_parquet(data: Data) -> list[Candidate]:
    """From the file; what is compared comes from the rows in memory, with fewer columns."""
    path = subsets.parquet(data)
    (in_memory,) = searches("sfs", sl.Ridge(subsets.ALPHA), data, data.target, "parquet")
    k = subsets.features(data, "parquet")
    return one(
        lambda: SubsetSearch("sfs", sl.Ridge(subsets.ALPHA), k=k, cv=subsets.FOLDS).fit(str(path), "target"),
        in_memory.numbers,
    )


@rival.enters("local/nadaraya_watson")
def nadaraya_watson(data: Data) -> list[Candidate]:
    queries, bandwidth = local.queries(data), local.bandwidth(data)
    return one(
        lambda: sl.NadarayaWatson(bandwidth).fit(data.X, data.target).predict(queries),
        local.predictions,
    )


@rival.enters("local/lwr")
def lwr(data: Data) -> list[Candidate]:
    queries, places = local.queries(data), local.places(data)
    return one(lambda: sl.LocalRegression(*places).fit(data.X, data.target).predict(queries), local.predictions)


@rival.enters("local/lwr_queries")
def lwr_queries(data: Data) -> list[Candidate]:
    """Predictions alone, of a model that is there."""
    queries, model = local.queries(data), sl.LocalRegression(*local.places(data)).fit(data.X, data.target)
    return one(lambda: model.predict(queries), local.predictions)


@rival.enters("local/loess_curve")
@rival.enters("local/loess_surface")
def loess(data: Data) -> list[Candidate]:
    data = data.head(local.ROWS)
    queries = local.queries(data)
    return one(lambda: sl.Loess(local.SPAN).fit(data.X, data.target).predict(queries), local.predictions)


@rival.enters("local/bandwidth")
def bandwidth(data: Data) -> list[Candidate]:
    """The whole choice; what is compared are errors at the bandwidths that the rival tries."""
    data = data.head(local.ROWS)

    def read(model: sl.NadarayaWatson) -> Numbers:
        tried, place = model.search_, np.round(np.log2(model.search_.factors) * 8).astype(int)
        wanted = np.round(np.log2(local.FACTORS) * 8).astype(int)
        return {"errors": np.array([tried.by_target[place == factor][0, 0] for factor in wanted])}

    return one(lambda: sl.NadarayaWatson(left_out=None).fit(data.X, data.target), read)
