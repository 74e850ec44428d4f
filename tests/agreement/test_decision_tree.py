"""Trees against scikit-learn's: the same question at every node, unless two are equally good.

scikit-learn breaks ties by drawn orders of columns, and ours takes the first column, so two trees are compared from the
root downwards to where they ask differently; there the gains must be the same to rounding. scikit-learn rounds features
to float32, so they are float32 here.
"""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier as ForeignClassifier
from sklearn.tree import DecisionTreeRegressor as ForeignRegressor

from sumlearn import DecisionTreeClassifier, DecisionTreeRegressor

CLASSES = ("gini", "entropy")
NUMBERS = ("squared_error", "absolute_error", "poisson")


def gain(tree, node):
    mass, below = tree.weighted_n_node_samples, [tree.children_left[node], tree.children_right[node]]
    return mass[node] * tree.impurity[node] - sum(mass[k] * tree.impurity[k] for k in below)


def compare(theirs, ours):
    """Nodes that both trees share; everything else is refused."""
    work, shared, ties = [(0, 0)], 0, 0
    while work:
        a, b = work.pop()
        np.testing.assert_allclose(theirs.value[a].ravel(), ours.value[b].ravel(), rtol=1e-9, atol=1e-12)
        rounding = 1e-12 + 1e-14 * np.square(theirs.value[a]).max()  # theirs is a difference of squares
        np.testing.assert_allclose(theirs.impurity[a], ours.impurity[b], rtol=1e-6, atol=rounding)
        assert theirs.n_node_samples[a] == ours.n_node_samples[b]
        assert theirs.weighted_n_node_samples[a] == pytest.approx(ours.weighted_n_node_samples[b])
        shared += 1
        if theirs.impurity[a] < 1e-12:  # rounding lets scikit-learn split what is pure
            assert ours.children_left[b] < 0
            continue
        assert (theirs.children_left[a] < 0) == (ours.children_left[b] < 0)
        if theirs.children_left[a] < 0:
            continue
        same = theirs.feature[a] == ours.feature[b] and np.isclose(theirs.threshold[a], ours.threshold[b], rtol=1e-6)
        if same:
            work.append((theirs.children_left[a], ours.children_left[b]))
            work.append((theirs.children_right[a], ours.children_right[b]))
        else:
            ties += 1
            assert gain(theirs, a) == pytest.approx(gain(ours, b), rel=1e-9, abs=1e-9), (a, b)
    return shared, ties


def drawn(seed, classes=0, rows=None):
    rng = np.random.default_rng(seed)
    n, d = rows or int(rng.integers(60, 400)), int(rng.integers(1, 8))
    X = rng.standard_normal((n, d)).astype(np.float32)
    X[:, rng.integers(0, d)] = np.round(X[:, 0] * 2)  # a column with ties
    score = X[:, 0] + np.sin(2 * X[:, -1]) + rng.standard_normal(n)
    if classes:
        return X, np.searchsorted(np.quantile(score, np.arange(1, classes) / classes), score), rng
    return X, np.exp(score / 2), rng


def options(rng, weight):
    """Hyperparameters that both have."""
    chosen = {
        "max_depth": [None, 2, 5],
        "min_samples_split": [2, 10, 0.1],
        "min_samples_leaf": [1, 4, 0.05],
        "min_weight_fraction_leaf": [0.0, 0.03],
        "max_leaf_nodes": [None, 7],
        "min_impurity_decrease": [0.0, 0.004],
    }
    drawn_ones = {name: values[int(rng.integers(len(values)))] for name, values in chosen.items()}
    return drawn_ones | {"random_state": 0}, rng.integers(1, 5, weight) / 4.0


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("criterion", CLASSES)
@pytest.mark.parametrize("classes", [2, 4])
def test_classes(criterion, classes, seed):
    X, y, rng = drawn(seed, classes)
    chosen, weight = options(rng, len(X))
    for weights in (None, weight):
        theirs = ForeignClassifier(criterion=criterion, **chosen).fit(X, y, weights)
        ours = DecisionTreeClassifier(criterion=criterion, **chosen).fit(X, y, weights)
        shared, ties = compare(theirs.tree_, ours.tree_)
        assert shared >= 1
        if not ties:
            queries = rng.standard_normal((300, X.shape[1])).astype(np.float32)
            np.testing.assert_allclose(ours.predict_proba(queries), theirs.predict_proba(queries), atol=1e-12)
            np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("criterion", NUMBERS)
def test_numbers(criterion, seed):
    X, y, rng = drawn(100 + seed)
    chosen, weight = options(rng, len(X))
    for weights in (None, weight):
        theirs = ForeignRegressor(criterion=criterion, **chosen).fit(X, y, weights)
        ours = DecisionTreeRegressor(criterion=criterion, **chosen).fit(X, y, weights)
        _, ties = compare(theirs.tree_, ours.tree_)
        if not ties:
            queries = rng.standard_normal((300, X.shape[1])).astype(np.float32)
            np.testing.assert_allclose(ours.predict(queries), theirs.predict(queries), rtol=1e-9)


@pytest.mark.parametrize("criterion", NUMBERS)
def test_several_targets(criterion):
    X, y, _ = drawn(7, rows=200)
    both = np.column_stack([y, np.abs(X[:, 0]) + 0.1])
    theirs = ForeignRegressor(criterion=criterion, max_depth=4, min_samples_leaf=5, random_state=0).fit(X, both)
    ours = DecisionTreeRegressor(criterion=criterion, max_depth=4, min_samples_leaf=5).fit(X, both)
    compare(theirs.tree_, ours.tree_)
    assert ours.predict(X).shape == (200, 2) and ours.n_outputs_ == 2


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson"])
def test_gaps_take_the_better_way(criterion, seed):
    X, y, rng = drawn(200 + seed, 3 if criterion in CLASSES else 0, rows=150)
    X[rng.random(X.shape) < 0.2] = np.nan
    kinds = ForeignRegressor, DecisionTreeRegressor
    if criterion in CLASSES:
        kinds = ForeignClassifier, DecisionTreeClassifier
    chosen = {"criterion": criterion, "max_depth": 4, "min_samples_leaf": 6, "random_state": 0}
    theirs, ours = (kind(**chosen).fit(X, y) for kind in kinds)
    compare(theirs.tree_, ours.tree_)
    assert (theirs.tree_.missing_go_to_left[0] == ours.tree_.missing_go_to_left[0]) or not np.isnan(X).any()


@pytest.mark.parametrize("criterion", CLASSES)
@pytest.mark.parametrize("weighted", [False, True])
def test_labels_of_several_targets(criterion, weighted):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 4)).astype(np.float32)
    y = np.stack([X[:, 0] > 0, np.digitize(X[:, 1] + X[:, 2], (-0.5, 0.7)), rng.random(300) < 0.3], axis=1).astype(int)
    weight = rng.integers(1, 9, 300) / 4 if weighted else None
    settings = {"criterion": criterion, "min_samples_leaf": 3, "min_impurity_decrease": 0.001, "ccp_alpha": 0.001}
    theirs = ForeignClassifier(random_state=0, **settings).fit(X, y, weight)
    ours = DecisionTreeClassifier(**settings).fit(X, y, weight)
    shared, _ = compare(theirs.tree_, ours.tree_)
    assert shared > 20
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.98
    assert [own.shape for own in ours.predict_proba(X)] == [own.shape for own in theirs.predict_proba(X)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["classes", "squared_error", "absolute_error"])
def test_monotone_columns(kind, seed):
    X, y, rng = drawn(300 + seed, 2 if kind == "classes" else 0, rows=200)
    signs = rng.integers(-1, 2, X.shape[1])
    chosen = {"monotonic_cst": signs, "random_state": 0, "min_samples_leaf": 5}
    if kind == "classes":
        theirs, ours = ForeignClassifier(**chosen).fit(X, y), DecisionTreeClassifier(**chosen).fit(X, y)
    else:
        theirs = ForeignRegressor(criterion=kind, **chosen).fit(X, y)
        ours = DecisionTreeRegressor(criterion=kind, **chosen).fit(X, y)
    compare(theirs.tree_, ours.tree_)
    for j, sign in enumerate(signs):
        line = np.repeat(X[:1], 50, axis=0)
        line[:, j] = np.linspace(-3, 3, 50)
        steps = np.diff(ours.predict_proba(line)[:, 1] if kind == "classes" else ours.predict(line))
        assert (sign * steps >= -1e-12).all()


@pytest.mark.chance  # where splits of whole trees tie, paths differ
@pytest.mark.parametrize("seed", range(4))
def test_pruning_path(seed):
    X, y, _ = drawn(400 + seed, 3)
    chosen = {"max_leaf_nodes": 25, "random_state": 0}
    theirs = ForeignClassifier(**chosen).cost_complexity_pruning_path(X, y)
    ours = DecisionTreeClassifier(**chosen).cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(ours.ccp_alphas, theirs.ccp_alphas, atol=1e-12)
    np.testing.assert_allclose(ours.impurities, theirs.impurities, atol=1e-12)
    for alpha in theirs.ccp_alphas[1::5] + 1e-9:
        a = ForeignClassifier(ccp_alpha=alpha, **chosen).fit(X, y)
        b = DecisionTreeClassifier(ccp_alpha=alpha, **chosen).fit(X, y)
        compare(a.tree_, b.tree_)
        assert a.tree_.node_count == b.tree_.node_count


def test_paths_and_leaves():
    X, y, _ = drawn(5, 3)
    chosen = {"max_leaf_nodes": 9, "random_state": 0}
    theirs, ours = ForeignClassifier(**chosen).fit(X, y), DecisionTreeClassifier(**chosen).fit(X, y)
    np.testing.assert_array_equal(ours.apply(X), theirs.apply(X))
    np.testing.assert_array_equal(ours.decision_path(X).toarray(), theirs.decision_path(X).toarray())
    assert (ours.get_depth(), ours.get_n_leaves()) == (theirs.get_depth(), theirs.get_n_leaves())
