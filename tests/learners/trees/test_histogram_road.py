"""Trees level by level from histograms: the exact tree where bins hold one value each, the same bits for any chunks."""

import numpy as np
import pandas as pd
import pytest

import sumlearn as sl
from sumlearn import DecisionTreeClassifier, DecisionTreeRegressor

BITS = ("feature", "threshold", "value", "impurity", "side", "gap", "n_node_samples", "weighted_n_node_samples")


def table(rows=1500, seed=0, gaps=0.05):
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((rows, 4)), 1)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=rng.choice(list("xyz"), rows))
    score = X[:, 0] + X[:, 1] * X[:, 2] + (frame["kind"] == "x") + 0.3 * rng.standard_normal(rows)
    return frame.mask(rng.random(frame.shape) < gaps), score.to_numpy(), rng


def same(a, b):
    for name in BITS:
        assert np.array_equal(getattr(a.tree_, name), getattr(b.tree_, name), equal_nan=True), name


@pytest.mark.parametrize("options", [{}, {"criterion": "entropy", "min_samples_leaf": 5}, {"max_depth": 4}])
@pytest.mark.parametrize("weighted", [False, True])
def test_bins_of_one_value_give_the_exact_tree(options, weighted):
    """Up to 255 values a column; thresholds lie elsewhere between the same values, so rows learnt say the same."""
    X, score, rng = table()
    y = np.digitize(score, [-1, 1])
    weight = rng.integers(1, 4, len(y)) / 2.0 if weighted else None
    exact = DecisionTreeClassifier(**options).fit(X, y, weight)
    binned = DecisionTreeClassifier(method="histogram", **options).fit(X, y, weight)
    assert np.array_equal(binned.predict_proba(X).round(9), exact.predict_proba(X).round(9))
    assert binned.tree_.node_count == exact.tree_.node_count and binned.n_iter_ >= exact.get_depth()


def test_numbers_too():
    X, score, _ = table()
    exact = DecisionTreeRegressor(max_depth=6).fit(X, score * 1e6 + 1e9)
    binned = DecisionTreeRegressor(max_depth=6, method="histogram").fit(X, score * 1e6 + 1e9)
    assert binned.predict(X) == pytest.approx(exact.predict(X), rel=1e-9)
    assert binned.tree_.impurity == pytest.approx(exact.tree_.impurity, abs=1e-9 * exact.tree_.impurity[0])


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_weights_and_targets_near_the_ends_of_the_range(size):
    X, score, _ = table(400)
    y, plain = score > 0, {"method": "histogram", "max_depth": 4}
    heavy = DecisionTreeClassifier(**plain).fit(X, y, np.full(len(y), size))
    light = DecisionTreeClassifier(**plain).fit(X, y)
    assert heavy.predict_proba(X) == pytest.approx(light.predict_proba(X), rel=1e-12)
    assert heavy.tree_.weighted_n_node_samples[0] == pytest.approx(size * len(y))
    for settings in ({}, {"min_impurity_decrease": 0.05}):
        here = DecisionTreeRegressor(**plain, **settings).fit(X, score)
        weighed = DecisionTreeRegressor(**plain, **settings).fit(X, score, np.full(len(y), size))
        assert weighed.predict(X) == pytest.approx(here.predict(X), rel=1e-9)
    there = DecisionTreeRegressor(**plain).fit(X, score * size)
    assert there.predict(X) / size == pytest.approx(DecisionTreeRegressor(**plain).fit(X, score).predict(X), rel=1e-9)
    for kind in (DecisionTreeClassifier, DecisionTreeRegressor):
        for method in ("histogram", "exact"):
            with pytest.raises(ValueError, match="so large that its sums overflow"):
                kind(method=method).fit(X, y * 1, np.full(len(y), 1e307))


def test_files_and_blocks_give_the_same_bits(tmp_path):
    X, score, _ = table()
    frame = X.assign(y=np.where(score > 0, "up", "down"), z=score)
    frame.drop(columns="z").to_parquet(tmp_path / "classes.parquet", row_group_size=200, index=False)
    chosen = {"method": "histogram", "max_depth": 5, "class_weight": "balanced"}
    here = DecisionTreeClassifier(**chosen).fit(X, frame["y"])
    same(here, DecisionTreeClassifier(**chosen).fit(tmp_path / "classes.parquet", "y"))
    blocks = pytest.importorskip("dask.dataframe").from_pandas(frame.drop(columns="y"), npartitions=4)
    numbers = DecisionTreeRegressor(method="histogram", max_depth=5)
    same(numbers.fit(X, score), sl.DecisionTreeRegressor(method="histogram", max_depth=5).fit(blocks, "z"))


def test_few_bins_lose_little():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((20000, 5))
    y = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.standard_normal(20000)
    scores = []
    for method, bins in (("exact", 255), ("histogram", 255), ("histogram", 32)):
        model = DecisionTreeRegressor(method=method, max_bins=bins, max_depth=7).fit(X[:15000], y[:15000])
        scores.append(model.score(X[15000:], y[15000:]))
    assert scores[1] > scores[0] - 0.02 and scores[2] > scores[0] - 0.04


def test_pruned_saved_and_drawn(tmp_path):
    X, score, _ = table()
    y = score > 0
    model = DecisionTreeClassifier(method="histogram", ccp_alpha=0.01).fit(X, y)
    assert model.get_n_leaves() < DecisionTreeClassifier(method="histogram").fit(X, y).get_n_leaves()
    sl.save(model, tmp_path / "tree.sumlearn")
    same(model, sl.load(tmp_path / "tree.sumlearn"))
    assert "kind" in model.text() and len(model.rules().rules_) == model.get_n_leaves()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_leaf_nodes": 5}, "max_leaf_nodes must be None with method='histogram'"),
        ({"splitter": "random"}, "splitter must be 'best' with method='histogram'"),
        ({"pruning": "error_based"}, "pruning must be None with method='histogram'"),
        ({"split": "multiway"}, "method must be 'exact' with split='multiway'"),
        ({"max_bins": 300}, "max_bins must be at most 255"),
    ],
)
def test_what_histograms_do_not_have(options, words):
    with pytest.raises(ValueError, match=words):
        DecisionTreeClassifier(method="histogram", **options).fit(np.eye(3), [0, 1, 0])
    with pytest.raises(ValueError, match="criterion must be 'squared_error'"):
        DecisionTreeRegressor(method="histogram", criterion="poisson").fit(np.eye(3), [0, 1, 0])


def test_odd_tables():
    for X, y in ((np.zeros((5, 2)), [0, 1, 0, 1, 1]), (np.ones((1, 1)), [3]), (np.full((4, 1), np.nan), [0, 1, 0, 1])):
        assert DecisionTreeClassifier(method="histogram").fit(X, y).predict(X).shape == (len(X),)
        assert np.isfinite(DecisionTreeRegressor(method="histogram").fit(X, y).predict(X)).all()
    huge = DecisionTreeRegressor(method="histogram").fit([[0.0], [1.0], [2.0]], [0.0, 1e12, -1e12], [4.0, 0.25, 1.0])
    assert huge.predict([[0.0], [1.0], [2.0]]) == pytest.approx([0.0, 1e12, -1e12], abs=10.0)
