"""Model trees: ridge in every node, by moments; pruned and smoothed as worked out by hand."""

import numpy as np
import pandas as pd
import pytest

from sumlearn import DecisionTreeRegressor, ModelTree, Ridge

RNG = np.random.default_rng(0)


def pieces(rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, 4))
    return X, np.where(X[:, 0] > 0, 10 + 3 * X[:, 1], -2 * X[:, 1] + X[:, 2]) + 0.1 * rng.standard_normal(rows)


def test_a_tree_of_one_leaf_is_a_ridge_regression():
    """With a penalty in units of the deviations, on columns that have deviation one."""
    X = RNG.standard_normal((100, 3))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = X @ [1.0, -2.0, 0.5] + RNG.standard_normal(100)
    model = ModelTree(alpha=3.0, min_weight_leaf=60).fit(X, y)
    assert model.get_n_leaves() == 1
    ridge = Ridge(alpha=3.0).fit(X, y)
    assert model.slopes_[0] == pytest.approx(ridge.coef_, rel=1e-9)
    assert model.predict(X) == pytest.approx(ridge.predict(X), rel=1e-9)


def test_leaves_are_ridge_regressions_of_their_rows():
    X, y = pieces(400)
    model = ModelTree(alpha=0.5, smoothing=0, prune=False, max_depth=1).fit(X, y)
    for leaf in np.unique(model.apply(X)):
        rows = model.apply(X) == leaf
        scaled = X[rows] / X.std(axis=0)
        expected = Ridge(alpha=0.5).fit(scaled, y[rows]).predict(scaled)
        assert model.predict(X[rows]) == pytest.approx(expected, rel=1e-8)


def test_smoothing_draws_to_the_model_above():
    X, y = pieces(300)
    free, smooth = (ModelTree(smoothing=k, prune=False, max_depth=1).fit(X, y) for k in (0.0, 20.0))
    for leaf in (1, 2):
        mass = free.tree_.weighted_n_node_samples[leaf]
        expected = (mass * free.slopes_[leaf] + 20.0 * free.slopes_[0]) / (mass + 20.0)
        assert smooth.slopes_[leaf] == pytest.approx(expected)


def test_it_beats_constants_where_lines_are_right():
    X, y = pieces(2000)
    Q, z = pieces(2000, seed=1)
    model = ModelTree().fit(X, y)
    constants = DecisionTreeRegressor(min_samples_leaf=5).fit(X, y)
    assert 1 - model.score(Q, z) < 0.8 * (1 - constants.score(Q, z))
    assert model.score(Q, z) > 0.99 and model.get_n_leaves() < ModelTree(prune=False).fit(X, y).get_n_leaves()


def test_one_line_is_one_leaf():
    X = RNG.standard_normal((500, 2))
    y = X @ [2.0, -1.0] + 0.5 * RNG.standard_normal(500)
    assert ModelTree(min_weight_leaf=25).fit(X, y).get_n_leaves() <= 3
    exact = ModelTree(alpha=0).fit(X, X @ [2.0, -1.0] + 7.0)
    assert exact.get_n_leaves() == 1 and exact.predict(X) == pytest.approx(X @ [2.0, -1.0] + 7.0)


def test_categories_gaps_and_odd_tables():
    X, y = pieces(300)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=RNG.choice(["u", "v"], 300))
    y = y + np.where(frame["kind"] == "u", 20.0, 0.0)
    holes = frame.mask(RNG.random(frame.shape) < 0.05)
    model = ModelTree().fit(holes, y)
    assert model.score(holes, y) > 0.8 and np.isfinite(model.predict(holes)).all()
    assert (model.slopes_[:, -1] == 0).all() and "kind" in model.text()
    words = ModelTree().fit(frame[["kind"]], y)
    assert words.get_n_leaves() == 2
    for rows in (np.ones((5, 2)), np.ones((1, 1)), np.arange(8.0)[:, None]):
        for target in (np.arange(len(rows), dtype=float), np.ones(len(rows))):
            assert np.isfinite(ModelTree().fit(rows, target).predict(rows)).all()


def test_offsets_change_nothing():
    X, y = pieces(300)
    X = np.round(X * 1024) / 1024
    far = ModelTree().fit(X + 2.0**30, y).predict(X + 2.0**30)
    assert far == pytest.approx(ModelTree().fit(X, y).predict(X), abs=1e-5)


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e160, 1e300])
def test_sizes_change_nothing(size):
    X, y = pieces(300)
    here = ModelTree().fit(X, y)
    of_targets, of_columns = ModelTree().fit(X, y * size), ModelTree().fit(X * size, y)
    assert of_targets.predict(X) / size == pytest.approx(here.predict(X), rel=1e-9, abs=1e-9)
    assert of_columns.predict(X * size) == pytest.approx(here.predict(X), rel=1e-9, abs=1e-9)
    with pytest.raises(ValueError, match="a coefficient overflows"):
        ModelTree().fit(X * 1e-200, y * 1e200)


def test_bad_parameters():
    with pytest.raises(ValueError, match="alpha must be a number that is not negative"):
        ModelTree(alpha=-1).fit([[0.0]], [1.0])
    with pytest.raises(ValueError, match="y should be a 1d array"):
        ModelTree().fit([[0.0], [1.0]], [[1.0, 2.0], [1.0, 2.0]])
