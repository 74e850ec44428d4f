"""Nearest neighbours against brute force in double, and against scikit-learn's where no two are equally near."""

import numpy as np
import pytest
import sklearn.neighbors

import sumlearn as sl
from sumlearn.compiled.row_hash import group_rows
from sumlearn.learners.lazy.parts import point_tree
from sumlearn.learners.lazy.parts.point_tree import PointTree
from sumlearn.learners.lazy.parts.row_groups import RowGroups


def brute(X, Q):
    """All distances: differences first, squares added in their order."""
    return np.sqrt(np.stack([np.add.accumulate((X - q) ** 2, axis=1)[:, -1] for q in Q]))


def rows_of(kind, d, n=3000, q=150, offset=0.0):
    rng = np.random.default_rng(d)
    X, Q = rng.standard_normal((n, d)), rng.standard_normal((q, d))
    if kind == "clusters":
        centres = 1e3 * rng.standard_normal((9, d))
        X, Q = centres[rng.integers(0, 9, n)] + 1e-4 * X, centres[rng.integers(0, 9, q)] + 1e-4 * Q
    if kind == "ties":
        X, Q = np.round(X), np.round(Q)
    if kind == "line":
        X, Q = X[:, :1] * np.ones(d), Q[:, :1] * np.ones(d)
    return X + offset, Q + offset


@pytest.mark.parametrize("offset", [0.0, 1e9])
@pytest.mark.parametrize("d", [1, 3, 12, 40])
@pytest.mark.parametrize("kind", ["normal", "clusters", "ties", "line"])
@pytest.mark.parametrize("products", [False, True])
def test_search_is_brute_force_to_the_last_bit(kind, d, offset, products, monkeypatch):
    monkeypatch.setattr(PointTree, "by_products", lambda self, Q, m: products)
    X, Q = rows_of(kind, d, offset=offset)
    all_of_them, tree = brute(X, Q), PointTree(X)
    distances, numbers = tree.nearest(Q, 11)
    assert np.array_equal(distances, np.sort(all_of_them, axis=1)[:, :11])
    assert np.array_equal(np.take_along_axis(all_of_them, numbers, axis=1), distances)
    assert all(len(set(own)) == 11 for own in numbers.tolist())
    radii = distances[:, -1] * (1.0 + 1e-12)
    starts, found, places = tree.within(Q, radii)
    for a, own in enumerate(all_of_them):
        part = slice(starts[a], starts[a + 1])
        assert sorted(places[part]) == np.flatnonzero(own <= radii[a]).tolist()
        assert np.array_equal(found[part], own[places[part]])


def test_what_is_chosen_does_not_change_the_answer():
    X, Q = rows_of("normal", 30)
    tree = PointTree(X)
    assert tree.by_products(tree.in_order(Q)[0], 6)
    X, Q = rows_of("normal", 2)
    tree = PointTree(X)
    assert not tree.by_products(tree.in_order(Q)[0], 6)


@pytest.mark.parametrize("scale", [1e-160, 1e-30, 1e150])
def test_units_and_far_queries(scale):
    X, Q = rows_of("normal", 4, n=500, q=20)
    expected = brute(X, Q)
    distances, numbers = PointTree(X * scale).nearest(np.vstack([Q * scale, np.full((1, 4), 1e300)]), 3)
    np.testing.assert_allclose(distances[:-1], np.sort(expected, axis=1)[:, :3] * scale, rtol=1e-12)
    assert np.array_equal(numbers[:-1], np.argsort(expected, axis=1)[:, :3])
    assert len(set(numbers[-1].tolist())) == 3


def test_groups_of_equal_rows_are_found_one_by_one():
    """Also where hashes are the same: then rows are compared."""
    rng = np.random.default_rng(0)
    Z = rng.integers(0, 3, (500, 3)).astype(float)
    groups = RowGroups.of(Z)
    seen = {}
    expected = [seen.setdefault(tuple(row), len(seen)) for row in Z.tolist()]
    assert groups.numbers.tolist() == expected
    order, starts = np.empty(500, np.int64), np.empty(501, np.int64)
    assert group_rows(Z.view(np.uint64), np.full(500, 7, np.uint64), order, starts) == len(seen)
    assert np.array_equal(order, groups.order) and np.array_equal(starts[: len(seen)], groups.starts)


WEIGHTS = ["uniform", "distance", lambda distance: np.exp(-distance)]


@pytest.mark.parametrize("ties", ["all", "first"])
@pytest.mark.parametrize("weights", WEIGHTS, ids=["uniform", "distance", "function"])
@pytest.mark.parametrize(
    ("metric", "p", "params"),
    [
        ("minkowski", 2, None),
        ("minkowski", 3, None),
        ("minkowski", 2, {"w": [1.0, 0.0, 4.0, 0.5]}),
        ("manhattan", 2, None),
        ("chebyshev", 2, None),
        ("cosine", 2, None),
        ("braycurtis", 2, None),
        ("mahalanobis", 2, {"VI": np.diag([1.0, 2.0, 3.0, 4.0]) + 0.2}),
        ("seuclidean", 2, {"V": [1.0, 2.0, 3.0, 4.0]}),
        (lambda a, b: np.abs(a - b).sum(), 2, None),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_scikit_learn_says_the_same(metric, p, params, weights, ties):
    rng = np.random.default_rng(0)
    X, Q, y = rng.standard_normal((80, 4)), rng.standard_normal((12, 4)), rng.standard_normal((80, 2))
    labels = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    settings = {"n_neighbors": 4, "weights": weights, "metric": metric, "p": p}
    for ours, theirs, target in (
        (sl.KNeighborsRegressor, sklearn.neighbors.KNeighborsRegressor, y),
        (sl.KNeighborsClassifier, sklearn.neighbors.KNeighborsClassifier, labels),
    ):
        own = ours(**settings, metric_params=params, ties=ties).fit(X, target)
        other = theirs(**settings, metric_params=params and dict(params)).fit(X, target)  # which it changes
        assert np.array_equal(own.kneighbors(Q, return_distance=False), other.kneighbors(Q, return_distance=False))
        np.testing.assert_allclose(own.kneighbors()[0], other.kneighbors()[0], rtol=1e-12)
        np.testing.assert_allclose(own.kneighbors_graph(Q, mode="distance").toarray(),
                                   other.kneighbors_graph(Q, mode="distance").toarray(), rtol=1e-12)  # fmt: skip
        answer = "predict" if target is y else "predict_proba"
        np.testing.assert_allclose(getattr(own, answer)(Q), getattr(other, answer)(Q), rtol=1e-10, atol=1e-14)
        np.testing.assert_allclose(getattr(own, answer)(None), getattr(other, answer)(None), rtol=1e-10, atol=1e-14)


def test_precomputed_distances_and_several_targets():
    X, Q = rows_of("normal", 3, n=60, q=9)
    y = np.stack([np.where(X[:, 0] > 0, "up", "down"), np.where(X[:, 1] > 0.5, "in", "out")], axis=1)
    given = sl.KNeighborsClassifier(3, metric="precomputed").fit(brute(X, X), y)
    own = sl.KNeighborsClassifier(3).fit(X, y)
    other = sklearn.neighbors.KNeighborsClassifier(3).fit(X, y)
    for model, asked in ((given, brute(X, Q)), (own, Q)):
        assert np.array_equal(model.predict(asked), other.predict(Q))
        assert [classes.tolist() for classes in model.classes_] == [classes.tolist() for classes in other.classes_]
        for ours, theirs in zip(model.predict_proba(asked), other.predict_proba(Q), strict=True):
            np.testing.assert_allclose(ours, theirs)
        assert np.array_equal(model.predict(None), other.predict(None))
        np.testing.assert_array_equal(model.loo_scores_, own.loo_scores_)


@pytest.mark.parametrize("ties", ["all", "first"])
@pytest.mark.parametrize("weights", WEIGHTS, ids=["uniform", "distance", "function"])
def test_leaving_one_out_is_refitting_without_it(ties, weights, monkeypatch):
    monkeypatch.setattr(point_tree, "BATCH", 16)
    rng = np.random.default_rng(1)
    X = np.round(rng.standard_normal((24, 2)), 0 if ties == "all" else 6)
    X[7] = X[3]
    mass = rng.integers(1, 4, 24).astype(float)
    y, labels = rng.standard_normal(24), rng.integers(0, 3, 24)
    most = 5
    number = sl.KNeighborsRegressor("loo", weights=weights, ties=ties, max_neighbors=most).fit(X, y, mass)
    label = sl.KNeighborsClassifier("loo", weights=weights, ties=ties, max_neighbors=most).fit(X, labels, mass)
    errors, right = np.zeros(most), np.zeros(most)
    for i in range(24):
        left = mass - np.eye(24)[i]
        for k in range(1, most + 1):
            settings = {"n_neighbors": k, "weights": weights, "ties": ties}
            found = sl.KNeighborsRegressor(**settings).fit(X, y, left).predict(X[i : i + 1])[0]
            errors[k - 1] += mass[i] * (found - y[i]) ** 2
            model = sl.KNeighborsClassifier(**settings).fit(X, labels, left)
            shares = model.predict_proba(X[i : i + 1])[0]
            best = shares >= shares.max() - 1e-12
            right[k - 1] += mass[i] * best[model.classes_ == labels[i]].sum() / best.sum()
    spread = mass @ (y - np.average(y, weights=mass)) ** 2
    np.testing.assert_allclose(number.loo_scores_, 1 - errors / spread, rtol=1e-9)
    np.testing.assert_allclose(label.loo_scores_, right / mass.sum(), rtol=1e-12)
    assert label.n_neighbors_ == np.flatnonzero(label.loo_scores_ == label.loo_scores_.max())[-1] + 1
    fixed = sl.KNeighborsClassifier(5, weights=weights, ties=ties).fit(X, labels, mass)
    np.testing.assert_allclose(fixed.loo_scores_, label.loo_scores_[:5], rtol=1e-12)
