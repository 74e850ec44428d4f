"""cross_validate against scikit-learn's own, for every learner, splitter and way to score."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sparse
import sklearn.decomposition
import sklearn.discriminant_analysis
import sklearn.linear_model
import sklearn.model_selection
import sklearn.naive_bayes
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.metrics import get_scorer, make_scorer, mean_absolute_error
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePGroupsOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sumlearn
from sumlearn import cross_validate

from tests.agreement.problems import classes, regression

N = 90
GROUPS = np.arange(N) // 8
LEARNERS = {
    "LinearRegression": (sumlearn.LinearRegression(), sklearn.linear_model.LinearRegression()),
    "Ridge": (sumlearn.Ridge(7.0), sklearn.linear_model.Ridge(7.0, solver="svd")),
    "LinearDiscriminantAnalysis": (
        sumlearn.LinearDiscriminantAnalysis(),
        sklearn.discriminant_analysis.LinearDiscriminantAnalysis(),
    ),
    "QuadraticDiscriminantAnalysis": (
        sumlearn.QuadraticDiscriminantAnalysis(reg_param=0.1),
        sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis(reg_param=0.1),
    ),
    "GaussianNB": (sumlearn.GaussianNB(), sklearn.naive_bayes.GaussianNB()),
    "PCA": (sumlearn.PCA(2), sklearn.decomposition.PCA(2, svd_solver="full")),
}
REGRESSORS = ["LinearRegression", "Ridge"]
CLASSIFIERS = ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "GaussianNB"]
SPLITTERS = {
    "number": 4,
    "none": None,
    "KFold": KFold(4),
    "KFold shuffled": KFold(4, shuffle=True, random_state=0),
    "StratifiedKFold": StratifiedKFold(3, shuffle=True, random_state=0),
    "GroupKFold": GroupKFold(4),
    "StratifiedGroupKFold": StratifiedGroupKFold(3),
    "LeaveOneGroupOut": LeaveOneGroupOut(),
    "LeavePGroupsOut": LeavePGroupsOut(2),
    "RepeatedKFold": RepeatedKFold(n_splits=3, n_repeats=3, random_state=0),
    "RepeatedStratifiedKFold": RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
    "ShuffleSplit": ShuffleSplit(4, test_size=0.3, random_state=0),
    "ShuffleSplit of a part": ShuffleSplit(3, test_size=0.2, train_size=0.5, random_state=0),
    "StratifiedShuffleSplit": StratifiedShuffleSplit(3, test_size=0.3, random_state=0),
    "TimeSeriesSplit": TimeSeriesSplit(4),
    "TimeSeriesSplit with a gap": TimeSeriesSplit(3, gap=3, max_train_size=40),
    "PredefinedSplit": PredefinedSplit(np.arange(N) % 4 - 1),
    "a list": [(np.arange(45), np.arange(45, 90)), (np.arange(30, 90), np.arange(10, 25))],
}
NEEDS_CLASSES = {name for name in SPLITTERS if name.startswith(("Stratified", "RepeatedStratified"))}


def problem(name, targets=None):
    if name in REGRESSORS:
        return regression(N, 4, targets)
    X, y = classes(N, 3, 3)
    return X, y


def assert_same(ours, reference):
    """Every score of scikit-learn is there and equal; times are there and not negative."""
    assert set(ours) == set(reference)
    for key, expected in reference.items():
        if key.startswith(("test_", "train_")):
            assert np.asarray(ours[key]).shape == np.asarray(expected).shape
            assert np.allclose(ours[key], expected, rtol=1e-8, atol=1e-10, equal_nan=True), key
        elif key.endswith("_time"):
            assert len(ours[key]) == len(expected) and (ours[key] >= 0).all()


def both(name, X, y, **options):
    ours, reference = LEARNERS[name]
    return (
        cross_validate(clone(ours), X, y, **options),
        sklearn.model_selection.cross_validate(clone(reference), X, y, **options),
    )


@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("name", LEARNERS)
def test_splitters(name, splitter):
    if splitter in NEEDS_CLASSES and name in REGRESSORS:
        pytest.skip("numbers are no classes")
    X, y = problem(name)
    groups = GROUPS if "Group" in splitter else None
    assert_same(*both(name, X, y, cv=SPLITTERS[splitter], groups=groups, return_train_score=True))


@pytest.mark.parametrize("scoring", ["neg_mean_squared_error", "neg_mean_absolute_error"])
@pytest.mark.parametrize("name", REGRESSORS)
def test_leave_one_out_of_a_regression(name, scoring):
    assert_same(*both(name, *problem(name), cv=LeaveOneOut(), scoring=scoring))


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_leave_one_out_of_a_classifier(name):
    assert_same(*both(name, *problem(name), cv=LeaveOneOut()))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", REGRESSORS)
def test_r2_of_a_single_row_is_undefined(name):
    assert_same(*both(name, *problem(name), cv=LeaveOneOut(), scoring="r2"))


def by_hand(model, X, y):
    return -float(np.abs(y - model.predict(X)).max())


def several(model, X, y):
    error = y - model.predict(X)
    return {"worst": float(np.abs(error).max()), "mean": float(error.mean())}


REGRESSION_SCORES = {
    "r2": "r2",
    "one string": "neg_root_mean_squared_error",
    "explained variance": "explained_variance",
    "from the rows": "neg_median_absolute_error",
    "list": ["r2", "neg_mean_squared_error", "neg_mean_absolute_error", "explained_variance"],
    "tuple": ("r2", "neg_max_error"),
    "dict": {"a": "r2", "b": make_scorer(mean_absolute_error), "c": by_hand},
    "scorer": get_scorer("neg_mean_absolute_error"),
    "callable": by_hand,
    "callable of several": several,
}
CLASSIFIER_SCORES = {
    "one string": "accuracy",
    "list": ["accuracy", "neg_log_loss", "roc_auc_ovr", "f1_macro"],
    "dict": {"a": "balanced_accuracy", "b": get_scorer("neg_log_loss")},
    "callable": lambda model, X, y: float((model.predict(X) == y).sum()),
}


@pytest.mark.parametrize("targets", [None, 3])
@pytest.mark.parametrize("scoring", REGRESSION_SCORES)
@pytest.mark.parametrize("name", REGRESSORS)
def test_scores_of_a_regression(name, scoring, targets):
    if targets and scoring in ("dict", "tuple"):
        pytest.skip("scikit-learn's largest error takes one target")
    X, y = problem(name, targets)
    assert_same(*both(name, X, y, cv=4, scoring=REGRESSION_SCORES[scoring], return_train_score=True))


@pytest.mark.parametrize("scoring", CLASSIFIER_SCORES)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_scores_of_a_classifier(name, scoring):
    assert_same(*both(name, *problem(name), cv=4, scoring=CLASSIFIER_SCORES[scoring], return_train_score=True))


@pytest.mark.parametrize("name", ["LinearDiscriminantAnalysis", "GaussianNB"])
def test_two_classes(name):
    X, y = classes(N, 3, 2)
    assert_same(*both(name, X, y, cv=4, scoring=["roc_auc", "average_precision", "accuracy"]))
    assert_same(*both(name, X, np.array(["no", "yes"])[y], cv=4, scoring=["roc_auc", "accuracy"]))


@pytest.mark.parametrize(
    "scoring", ["r2", "neg_mean_squared_error", "neg_root_mean_squared_error", "explained_variance"]
)
@pytest.mark.parametrize("noise", [1e-3, 1e-7, 0.0])
def test_nearly_exact_fits(scoring, noise):
    """1 - R^2 under 1e-4: the rows are read again, so that the error keeps its digits."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 4)) + 3.0
    y = X @ [1.0, -2.0, 0.5, 3.0] + 50.0 + noise * rng.standard_normal(N)
    ours, reference = both("LinearRegression", X, y, cv=5, scoring=scoring)
    if scoring in ("r2", "explained_variance"):
        assert np.abs(ours["test_score"] - reference["test_score"]).max() < 1e-12
    else:
        found, expected = -ours["test_score"], -reference["test_score"]
        if scoring == "neg_mean_squared_error":
            found, expected = np.sqrt(found), np.sqrt(expected)
        assert np.abs(found - expected).max() <= 1e-8 * expected.max() + 1e-13  # the rounding of a residual


@pytest.mark.parametrize("scoring", ["r2", "neg_mean_squared_error", "neg_mean_absolute_error"])
@pytest.mark.parametrize("splitter", ["KFold", "ShuffleSplit", "TimeSeriesSplit"])
def test_weights_train_and_score(scoring, splitter):
    X, y = regression(N, 4)
    weight = np.random.default_rng(0).uniform(0.1, 3.0, N)
    ours = cross_validate(sumlearn.Ridge(3.0), X, y, cv=SPLITTERS[splitter], sample_weight=weight, scoring=scoring)
    scorer = get_scorer(scoring)
    expected = []
    for train, test in SPLITTERS[splitter].split(X):
        model = sklearn.linear_model.Ridge(3.0, solver="svd").fit(X[train], y[train], weight[train])
        expected.append(scorer(model, X[test], y[test], sample_weight=weight[test]))
    assert ours["test_score"] == pytest.approx(expected, rel=1e-9)


def test_weights_of_a_classifier():
    X, y = classes(N, 3, 3)
    weight = np.random.default_rng(0).uniform(0.1, 3.0, N)
    ours = cross_validate(sumlearn.GaussianNB(var_smoothing=0.0), X, y, cv=4, sample_weight=weight, scoring="accuracy")
    expected = []
    for train, test in StratifiedKFold(4).split(X, y):
        model = sklearn.naive_bayes.GaussianNB(var_smoothing=0.0).fit(X[train], y[train], weight[train])
        expected.append(model.score(X[test], y[test], weight[test]))
    assert ours["test_score"] == pytest.approx(expected, rel=1e-12)


REFITTED = [
    (sumlearn.LogisticRegression(), "roc_auc"),
    (sumlearn.LogisticRegression(), None),
    (sumlearn.RidgeCV([0.1, 10.0]), "r2"),
    (sklearn.linear_model.Ridge(), ["neg_mean_squared_error", "r2"]),
    (sklearn.naive_bayes.GaussianNB(), {"right": "accuracy"}),
]


@pytest.mark.parametrize(("estimator", "scoring"), REFITTED, ids=str)
def test_weights_score_those_that_are_refitted_too(estimator, scoring):
    """Weight 2 is the row twice, in training and in every score: else models from sums and others are not compared."""
    X = np.random.default_rng(0).standard_normal((60, 3))
    y = np.where(X[:, 0] + np.random.default_rng(1).standard_normal(60) > 0, 1.0, 0.0)
    times = np.random.default_rng(2).integers(1, 4, 60)
    places, twice = np.arange(60) % 4, np.repeat(np.arange(60), times)
    options = {"scoring": scoring, "return_train_score": True, "return_indices": True, "return_estimator": True}
    ours = cross_validate(estimator, X, y, cv=PredefinedSplit(places), sample_weight=times.astype(float), **options)
    rows = cross_validate(estimator, X[twice], y[twice], cv=PredefinedSplit(places[twice]), **options)
    assert ours.keys() == rows.keys()
    for name in ours.keys() - {"fit_time", "score_time", "estimator", "indices"}:
        assert ours[name] == pytest.approx(rows[name], rel=1e-7), name
    assert len(ours["estimator"]) == len(ours["indices"]["test"]) == 4
    assert ours["fit_time"].shape == ours["score_time"].shape == (4,)


def test_a_fit_that_fails_has_the_score_that_was_asked_for():
    X, y = regression(20, 2)
    bad = sklearn.linear_model.LogisticRegression()  # numbers are no labels
    with pytest.raises(ValueError, match="Unknown label type"):
        cross_validate(bad, X, y, cv=2, sample_weight=np.ones(20), error_score="raise")
    labels = np.repeat([0, 1], [15, 5])  # the rows behind are all of one class
    halves = [(np.arange(20), np.arange(20)), (np.arange(15), np.arange(15, 20))]
    with pytest.warns(FitFailedWarning):
        found = cross_validate(bad, X, labels, cv=halves, sample_weight=np.ones(20), error_score=0.0)
    assert found["test_score"][0] > 0.5 and found["test_score"][1] == 0.0


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize("name", LEARNERS)
def test_tables(name, frame):
    X, y = problem(name)
    table = frame({f"x{j}": column for j, column in enumerate(X.T)})
    expected = cross_validate(clone(LEARNERS[name][0]), X, y, cv=4)["test_score"]
    found = cross_validate(clone(LEARNERS[name][0]), table, y, cv=4, return_estimator=True)
    assert found["test_score"] == pytest.approx(expected, rel=1e-12)
    assert found["estimator"][0].feature_names_in_.tolist() == list(table.columns)
    if name != "PCA":
        whole = frame({f"x{j}": column for j, column in enumerate(X.T)} | {"target": y})
        assert cross_validate(clone(LEARNERS[name][0]), whole, "target", cv=4)["test_score"] == pytest.approx(expected)


@pytest.mark.parametrize("name", LEARNERS)
def test_sparse_rows(name):
    X, y = problem(name)
    X[np.abs(X) < 0.5] = 0.0
    expected = cross_validate(clone(LEARNERS[name][0]), X, y, cv=4)["test_score"]
    found = cross_validate(clone(LEARNERS[name][0]), sparse.csr_array(X), y, cv=4)["test_score"]
    assert found == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("splitter", ["KFold shuffled", "ShuffleSplit of a part", "TimeSeriesSplit", "RepeatedKFold"])
@pytest.mark.parametrize("name", LEARNERS)
def test_returned_estimators_are_fits_on_the_training_rows(name, splitter):
    X, y = problem(name)
    cv = SPLITTERS[splitter]
    found = cross_validate(LEARNERS[name][0], X, y, cv=cv, return_estimator=True, return_indices=True)
    splits = list(cv.split(X, y))
    for (train, test), mine, others, model in zip(
        splits, found["indices"]["train"], found["indices"]["test"], found["estimator"], strict=True
    ):
        assert np.array_equal(mine, train) and np.array_equal(others, test)
        refit = clone(LEARNERS[name][0]).fit(X[train], y[train])
        assert type(model) is type(refit) and model.get_params() == refit.get_params()
        predict = "transform" if name == "PCA" else "predict"
        assert np.allclose(getattr(model, predict)(X), getattr(refit, predict)(X), rtol=1e-9, atol=1e-9)
        assert model.statistic_.rows == len(train)
    assert not hasattr(LEARNERS[name][0], "statistic_")  # the estimator given is left alone


def test_several_chunks_in_every_fold():
    X, y = regression(20000, 3)
    ours = cross_validate(sumlearn.LinearRegression(), X, y, cv=KFold(3, shuffle=True, random_state=0))
    reference = sklearn.model_selection.cross_validate(
        sklearn.linear_model.LinearRegression(), X, y, cv=KFold(3, shuffle=True, random_state=0)
    )
    assert ours["test_score"] == pytest.approx(reference["test_score"], rel=1e-10)


def test_a_class_that_a_fold_never_sees():
    """Labels sorted and not shuffled: each training set lacks one class."""
    X, y = classes(N, 3, 3)
    order = np.argsort(y, kind="stable")
    assert_same(*both("GaussianNB", X[order], y[order], cv=KFold(3), scoring="accuracy"))


def test_rows_that_train_twice():
    """A split of bootstrap rows: an index that comes twice counts twice."""
    X, y = regression(N, 4)
    rng = np.random.default_rng(0)
    train = rng.integers(0, 60, 80)
    splits = [(train, np.arange(60, N))]
    assert_same(*both("LinearRegression", X, y, cv=splits))


def test_rows_that_test_twice():
    X, y = regression(N, 4)
    splits = [(np.arange(60), np.r_[60:90, 60:75])]
    assert_same(*both("LinearRegression", X, y, cv=splits))


def test_rows_that_train_and_test():
    """Resubstitution as one more split: scikit-learn allows it."""
    X, y = regression(N, 4)
    assert_same(*both("LinearRegression", X, y, cv=[(np.arange(N), np.arange(N))]))


@pytest.mark.parametrize("scoring", [None, ["r2", "neg_mean_squared_error"]])
def test_a_pipeline_is_handed_to_scikit_learn(scoring):
    X, y = regression(N, 4)
    ours = make_pipeline(StandardScaler(), sumlearn.Ridge(3.0))
    theirs = make_pipeline(StandardScaler(), sklearn.linear_model.Ridge(3.0, solver="svd"))
    options = {"cv": 4, "scoring": scoring, "return_train_score": True}
    assert_same(cross_validate(ours, X, y, **options), sklearn.model_selection.cross_validate(theirs, X, y, **options))


def test_ridge_cv_is_handed_to_scikit_learn():
    X, y = regression(N, 4)
    ours = cross_validate(sumlearn.RidgeCV(cv=3), X, y, cv=4)
    theirs = sklearn.model_selection.cross_validate(sklearn.linear_model.RidgeCV(cv=3), X, y, cv=4)
    assert ours["test_score"] == pytest.approx(theirs["test_score"], rel=1e-9)


def test_unknown_scores_are_refused():
    X, y = regression(N, 4)
    with pytest.raises(ValueError, match="guesswork"):
        cross_validate(sumlearn.Ridge(), X, y, scoring="guesswork")


def test_signature_takes_what_scikit_learn_takes():
    import inspect

    ours = inspect.signature(cross_validate).parameters
    theirs = inspect.signature(sklearn.model_selection.cross_validate).parameters
    assert [name for name in theirs if name not in ours] == []
