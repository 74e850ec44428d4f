"""Learning curves against scikit-learn's function, on the same splits."""

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model
import sklearn.model_selection
import sklearn.naive_bayes
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, StratifiedKFold, TimeSeriesSplit

import sumlearn
from sumlearn.data import load_example
from sumlearn.engines import rounds
from sumlearn.evaluation import learning_curve
from sumlearn.evaluation.resampling.learning_curve import shared_reads

from tests.agreement.problems import classes, regression

N = 120
GROUPS = np.arange(N) // 9
SPLITTERS = {
    "number": 4,
    "shuffled": KFold(4, shuffle=True, random_state=0),
    "ShuffleSplit": ShuffleSplit(3, test_size=0.2, random_state=0),
    "TimeSeriesSplit": TimeSeriesSplit(3),
    "GroupKFold": GroupKFold(3),
}
PAIRS = {
    "Ridge": (sumlearn.Ridge(3.0), sklearn.linear_model.Ridge(3.0, solver="svd")),
    "GaussianNB": (sumlearn.GaussianNB(), sklearn.naive_bayes.GaussianNB()),
    "foreign": (sklearn.linear_model.Lasso(0.1), sklearn.linear_model.Lasso(0.1)),
}


def problem(name):
    return classes(N, 3, 3) if name == "GaussianNB" else regression(N, 3)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("scoring", [None, "other"])
@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("name", PAIRS)
def test_scores_are_those_of_scikit_learn(name, splitter, scoring):
    ours, theirs = PAIRS[name]
    X, y = problem(name)
    scoring = scoring and ("neg_log_loss" if name == "GaussianNB" else "neg_mean_absolute_error")
    groups = GROUPS if "Group" in splitter else None
    sizes = [0.4, 0.7, 1.0]  # every class is among the first rows
    found = learning_curve(ours, X, y, sizes=sizes, cv=SPLITTERS[splitter], scoring=scoring, groups=groups)
    expected = sklearn.model_selection.learning_curve(
        theirs, X, y, train_sizes=sizes, cv=SPLITTERS[splitter], scoring=scoring, groups=groups
    )
    assert np.array_equal(found.sizes, expected[0])
    assert found.train_scores == pytest.approx(expected[1], rel=1e-9)
    assert found.test_scores == pytest.approx(expected[2], rel=1e-9)
    assert found.score_name == (scoring or ("accuracy" if name == "GaussianNB" else "r2"))


def test_numbers_of_rows():
    X, y = regression(N, 3)
    found = learning_curve(sumlearn.Ridge(), X, y, sizes=[60, 10, 60], cv=4)
    expected = sklearn.model_selection.learning_curve(sklearn.linear_model.Ridge(), X, y, train_sizes=[10, 60], cv=4)
    assert found.sizes.tolist() == [10, 60] and found.test_scores.shape == (2, 4)
    assert found.test_scores == pytest.approx(expected[2], rel=1e-9)


def test_shuffled_training_sets():
    X, y = regression(N, 3)
    found = learning_curve(sumlearn.Ridge(), X, y, sizes=[20, 50], cv=3, shuffle=True, random_state=4)
    rng = np.random.RandomState(4)
    for k, (train, test) in enumerate(KFold(3).split(X)):
        order = rng.permutation(train)
        for i, size in enumerate((20, 50)):
            model = sklearn.linear_model.Ridge().fit(X[order[:size]], y[order[:size]])
            assert found.test_scores[i, k] == pytest.approx(model.score(X[test], y[test]))
            assert found.train_scores[i, k] == pytest.approx(model.score(X[order[:size]], y[order[:size]]))


def test_weights():
    X, y = regression(N, 3)
    weight = np.random.default_rng(0).uniform(0.1, 2.0, N)
    found = learning_curve(sumlearn.Ridge(), X, y, sizes=[30], cv=3, sample_weight=weight)
    for k, (train, test) in enumerate(KFold(3).split(X)):
        first = train[:30]
        model = sklearn.linear_model.Ridge().fit(X[first], y[first], weight[first])
        assert found.test_scores[0, k] == pytest.approx(model.score(X[test], y[test], weight[test]))


@pytest.mark.parametrize("ending", ["csv", "dask"])
def test_files_and_clusters(tmp_path, ending):
    X, y = regression(5000, 3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y, group=np.arange(5000) % 7)
    given = str(tmp_path / "rows.csv")
    if ending == "dask":
        given = pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=3)
    else:
        frame.to_csv(given, index=False)
    options = {"sizes": [0.01, 0.5, 1.0], "cv": GroupKFold(3), "groups": "group"}
    expected = learning_curve(sumlearn.Ridge(), X, y, **options | {"groups": frame["group"]})
    for table in (frame, given):
        found = learning_curve(sumlearn.Ridge(), table, "y", **options)
        assert found.test_scores == pytest.approx(expected.test_scores, rel=1e-9)
        assert found.train_scores == pytest.approx(expected.train_scores, rel=1e-9)


def test_increments_of_unshuffled_folds_share_one_read():
    """Sizes and folds cut the rows into few pieces: every training set is a sum of those."""
    splits = list(KFold(3).split(np.zeros(3000)))
    grown = [[(train[:size], test) for size in (200, 900, 2000)] for train, test in splits]
    parts = shared_reads(grown)
    assert len(parts) == 1 and len(rounds(parts[0], 3000)) == 1
    splits = list(StratifiedKFold(3, shuffle=True, random_state=0).split(np.zeros(3000), np.arange(3000) % 2))
    grown = [[(train[:size], test) for size in (200, 900, 2000)] for train, test in splits]
    for part in shared_reads(grown):
        assert len(rounds(part, 3000)) == 1


def test_a_table_of_the_curve():
    X, y = regression(N, 3)
    text = str(learning_curve(sumlearn.Ridge(), X, y, sizes=[20, 80], cv=3))
    assert text.splitlines()[0].split() == ["rows", "train", "test", "(sd)", "r2"]
    assert [line.split()[0] for line in text.splitlines()[1:]] == ["20", "80"]


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([0.0, 0.5], "shares in"),
        ([1.5], "shares in"),
        ([0, 3], "from 1 to 80"),
        ([81], "from 1 to 80"),
        (["all"], "shares or numbers"),
        ([], "shares or numbers"),
    ],
)
def test_bad_sizes(sizes, message):
    X, y = regression(N, 3)
    with pytest.raises(ValueError, match=message):
        learning_curve(sumlearn.Ridge(), X, y, sizes=sizes, cv=3)


def test_bad_rows_and_scores():
    X, y = regression(N, 3)
    with pytest.raises(ValueError, match="scoring must be one score"):
        learning_curve(sumlearn.Ridge(), X, y, scoring=["r2", "neg_max_error"])
    X[100, 2] = np.inf
    with pytest.raises(ValueError, match="infinity: first at row 100, column 2"):
        learning_curve(sumlearn.Ridge(), X, y, cv=3)
    with pytest.raises(ValueError, match="n_splits=5 cannot be greater|Cannot have number of splits"):
        learning_curve(sumlearn.Ridge(), X[:4], y[:4])


def test_first_rows_without_some_classes_are_said():
    """Rows sorted by class: forty rows of one class are no small sample, and their score says nothing."""
    iris = load_example("iris")
    model = sumlearn.GaussianNB()
    with pytest.warns(UserWarning, match=r"first 40 rows of a training set hold 1 of its 3 classes: .* shuffle=True"):
        learning_curve(model, iris.X, iris.y, sizes=[40, 120])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = learning_curve(model, iris.X, iris.y, sizes=[40, 120], shuffle=True, random_state=0)
    assert found.test_scores[0].mean() > 0.8
