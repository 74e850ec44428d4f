"""A forest of one tree on all rows and columns is scikit-learn's tree, where no column has more values than bins."""

import warnings

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sumlearn import RandomForestClassifier, RandomForestRegressor

ONE = {"n_estimators": 1, "bootstrap": False, "max_features": None, "random_state": 0}


def table(seed, n=300, d=4, gaps=False):
    """Rows of different weights, so that hardly two cuts are equally good above the last rows; 200 values a column."""
    rng = np.random.default_rng(seed)
    X = rng.permuted(np.tile(np.arange(n) * 200 // n, (d, 1)), axis=1).T.astype(float)
    if gaps:
        X[rng.random((n, d)) < 0.15] = np.nan
    y = np.nan_to_num(X[:, 0]) / 100 + np.sin(np.nan_to_num(X[:, 1]) / 20) + 0.5 * rng.standard_normal(n)
    return X, y, rng.integers(512, 2049, n) / 1024


def labels_of(y, classes):
    return np.searchsorted(np.quantile(y, np.arange(1, classes) / classes), y)


def asked(X):
    """Rows between those that were learnt as well: thresholds lie halfway."""
    return np.concatenate([X, X + 0.25, X - 0.25])


SETTINGS = [
    {"max_depth": 4},
    {"max_leaf_nodes": 12},
    {"min_samples_leaf": 7},
    {"min_samples_leaf": 0.05, "min_samples_split": 0.1},
    {"min_samples_split": 25},
    {"min_weight_fraction_leaf": 0.06},
    {"min_impurity_decrease": 0.01},
    {"ccp_alpha": 0.004, "min_samples_leaf": 5},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize(("classes", "criterion"), [(2, "gini"), (5, "gini"), (3, "entropy"), (2, "log_loss")])
def test_tree_of_classes(classes, criterion, settings):
    X, y, weight = table(classes)
    y = labels_of(y, classes)
    ours = RandomForestClassifier(criterion=criterion, **ONE, **settings).fit(X, y, weight)
    theirs = DecisionTreeClassifier(criterion=criterion, random_state=0, **settings).fit(X, y, weight)
    assert ours.estimators_[0].get_n_leaves() == theirs.get_n_leaves()
    assert ours.estimators_[0].get_depth() == theirs.get_depth()
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    if "min_samples_leaf" in settings:  # a few rows of two classes may be parted by two columns alike
        np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-9)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_tree_of_numbers(criterion, settings):
    X, y, weight = table(7)
    y = y - y.min() if criterion == "poisson" else y
    ours = RandomForestRegressor(criterion=criterion, **ONE, **settings).fit(X, y, weight)
    theirs = DecisionTreeRegressor(criterion=criterion, random_state=0, **settings).fit(X, y, weight)
    assert ours.estimators_[0].get_n_leaves() == theirs.get_n_leaves()
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-9)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-9)


@pytest.mark.parametrize(("classes", "criterion"), [(2, "gini"), (4, "entropy")])
def test_whole_trees_know_their_rows(classes, criterion):
    """The last nodes can be split by several columns alike; what they say of their rows is the same."""
    X, y, weight = table(classes)
    y = labels_of(y, classes)
    ours = RandomForestClassifier(criterion=criterion, **ONE).fit(X, y, weight)
    assert (ours.predict_proba(X)[np.arange(len(y)), y] == 1.0).all()
    theirs = DecisionTreeClassifier(criterion=criterion, random_state=0).fit(X, y, weight)
    assert abs(ours.estimators_[0].get_n_leaves() - theirs.get_n_leaves()) <= 3


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_gaps_go_where_they_gain_most(depth):
    X, y, _ = table(11, gaps=True)
    ours = RandomForestRegressor(max_depth=depth, **ONE).fit(X, y)
    theirs = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-9)
    labels = labels_of(y, 3)
    ours = RandomForestClassifier(max_depth=depth, **ONE).fit(X, labels)
    theirs = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, labels)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)


def test_thresholds_are_halfway_where_neighbouring_bins_are_split():
    X, y, _ = table(13)
    ours = RandomForestRegressor(max_depth=1, **ONE).fit(X, y)
    theirs = DecisionTreeRegressor(max_depth=1, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.predict(asked(X)), theirs.predict(asked(X)), atol=1e-9)
    assert ours.estimators_[0].threshold[0] == theirs.tree_.threshold[0]
    assert ours.estimators_[0].feature[0] == theirs.tree_.feature[0]


@pytest.mark.parametrize("signs", [[1, 0, 0, 0], [-1, 1, 0, 0]])
def test_monotonic_constraints(signs):
    X, y, weight = table(17)
    settings = {"monotonic_cst": signs, "max_depth": 5}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours = RandomForestRegressor(**ONE, **settings).fit(X, y)
        theirs = DecisionTreeRegressor(random_state=0, **settings).fit(X, y)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-9)
        labels = labels_of(y, 2)
        ours = RandomForestClassifier(**ONE, **settings).fit(X, labels, weight)
        theirs = DecisionTreeClassifier(random_state=0, **settings).fit(X, labels, weight)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)


def test_class_weights():
    X, y, weight = table(19)
    y = labels_of(y, 3)
    for class_weight in ({0: 1.0, 1: 5.0, 2: 0.5}, {0: 0.0, 1: 1.0, 2: 1.0}):
        ours = RandomForestClassifier(class_weight=class_weight, max_depth=4, **ONE).fit(X, y, weight)
        theirs = DecisionTreeClassifier(class_weight=class_weight, max_depth=4, random_state=0).fit(X, y, weight)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_tree_of_labels_in_several_columns(criterion, settings):
    X, y, weight = table(7)
    Y = np.stack([labels_of(y, 2), labels_of(X[:, 2] - X[:, 3], 4)], axis=1)
    ours = RandomForestClassifier(criterion=criterion, **ONE, **settings).fit(X, Y, weight)
    theirs = DecisionTreeClassifier(criterion=criterion, random_state=0, **settings).fit(X, Y, weight)
    assert ours.estimators_[0].get_n_leaves() == theirs.get_n_leaves()
    for own, other in zip(ours.predict_proba(X), theirs.predict_proba(X), strict=True):
        np.testing.assert_allclose(own, other, atol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("criterion", ["squared_error", "poisson", "absolute_error"])
def test_tree_of_numbers_in_several_columns(criterion, settings):
    X, y, weight = table(8)
    apart = np.random.default_rng(8).random(len(y)) / 50  # or many cuts are equally good
    Y = np.stack([np.exp(y / 3), 1.0 + np.abs(X[:, 2] - X[:, 3]) / 100 + apart], axis=1)
    weight = None if criterion == "absolute_error" else weight  # medians of weights meet their halves by rounding
    ours = RandomForestRegressor(criterion=criterion, **ONE, **settings).fit(X, Y, weight)
    theirs = DecisionTreeRegressor(criterion=criterion, random_state=0, **settings).fit(X, Y, weight)
    assert ours.estimators_[0].get_n_leaves() == theirs.get_n_leaves()
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-9)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_tree_of_medians(settings):
    X, y, _ = table(9)
    ours = RandomForestRegressor(criterion="absolute_error", **ONE, **settings).fit(X, y)
    theirs = DecisionTreeRegressor(criterion="absolute_error", random_state=0, **settings).fit(X, y)
    assert ours.estimators_[0].get_n_leaves() == theirs.get_n_leaves()
    np.testing.assert_allclose(ours.predict(asked(X)), theirs.predict(asked(X)), atol=1e-9)
