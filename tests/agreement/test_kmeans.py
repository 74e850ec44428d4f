"""k-means from equal starts against scikit-learn, whose distances are products, and against differences in NumPy."""

import warnings

import numpy as np
import pytest
from sklearn.cluster import KMeans as Reference
from sklearn.metrics import silhouette_samples

import sumlearn as sl
from sumlearn.data import load_example

# Sums in two words against sums in one: some ulps of the values, far below the 1e-8 that are promised.
CLOSE = {"rtol": 1e-9, "atol": 0.0}


@pytest.mark.parametrize(("n", "d", "k"), [(300, 2, 4), (900, 20, 30), (400, 5, 13), (500, 3, 1), (400, 70, 3)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_equal_starts_lead_to_equal_ends(n, d, k, weighted, dtype):
    rng = np.random.default_rng([n, d, k])
    X = (rng.standard_normal((n, d)) * rng.uniform(0.1, 10.0, d) + 30.0 * rng.standard_normal(d)).astype(dtype)
    weight = rng.uniform(0.0, 2.0, n) if weighted else None
    start = X[rng.choice(n, k, replace=False)]
    ours = sl.KMeans(k, init=start, tol=0.0).fit(X, sample_weight=weight)
    wide = X.astype(np.float64)  # the reference sums in the precision of the rows
    theirs = Reference(k, init=start.astype(np.float64), n_init=1, tol=0.0).fit(wide, sample_weight=weight)
    assert ours.n_iter_ == theirs.n_iter_
    if dtype == np.float64:
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
        np.testing.assert_allclose(ours.inertia_, theirs.inertia_, **CLOSE)
    np.testing.assert_allclose(
        ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-6 if dtype == np.float32 else 1e-9
    )
    assert ours.cluster_centers_.dtype == ours.transform(X).dtype == dtype
    np.testing.assert_array_equal(ours.predict(X), ours.labels_)


def test_steps_that_are_cut_short_are_those_of_scikit_learn():
    X = load_example("iris").X
    for steps in (1, 2, 3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours = sl.KMeans(5, init=X[::31], max_iter=steps, tol=0.0).fit(X)
            theirs = Reference(5, init=X[::31], n_init=1, max_iter=steps, tol=0.0).fit(X)
        np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, **CLOSE)
        np.testing.assert_allclose(ours.inertia_, theirs.inertia_, **CLOSE)


@pytest.mark.parametrize("offset", [0.0, 1e9])
@pytest.mark.parametrize("scale", [1.0, 2.0**-500, 2.0**400])
def test_labels_are_those_of_exact_differences_at_any_offset_and_scale(offset, scale):
    """Near ties, on a grid: products of float32, or of float64 at the offset, could not tell them."""
    rng = np.random.default_rng(0)
    X = (np.round(rng.standard_normal((600, 12)) * 256) / 256 + offset) * scale
    start = X[:20].copy()
    model = sl.KMeans(20, init=start, max_iter=30, tol=0.0).fit(X)
    centres = model.cluster_centers_
    apart = ((X[:, None, :] / scale - centres / scale) ** 2).sum(axis=2)
    np.testing.assert_allclose(apart[np.arange(600), model.labels_], apart.min(axis=1), rtol=1e-6)
    means = np.array([X[model.labels_ == j].mean(axis=0) for j in range(20)])
    np.testing.assert_allclose(centres, means, rtol=1e-13)
    if not offset and scale == 1.0:
        np.testing.assert_allclose(model.inertia_, apart.min(axis=1).sum(), rtol=1e-12)


@pytest.mark.parametrize("d", [1, 4])
def test_ties_go_to_the_first_centre(d):
    """Every centre stands twice, and rows lie between two: few columns and many take different roads."""
    rows = np.repeat(np.arange(20.0), 2)[:, None] * np.ones(d)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of clusters without rows
        model = sl.KMeans(40, init=rows).fit(rows)
    np.testing.assert_array_equal(model.labels_, np.repeat(np.arange(0, 40, 2), 2))
    between = np.arange(19.0)[:, None] * np.ones(d) + 0.5
    np.testing.assert_array_equal(model.predict(between), np.arange(0, 38, 2))


def test_metric_of_mahalanobis_is_euclid_after_whitening():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((400, 3)) @ rng.standard_normal((3, 3)) + 50.0
    sigma = np.cov(X.T, bias=True)
    root = np.linalg.cholesky(np.linalg.inv(sigma))
    start = X[:4]
    ours = sl.KMeans(4, init=start, metric="mahalanobis", tol=0.0).fit(X)
    theirs = Reference(4, init=start @ root, n_init=1, tol=0.0).fit(X @ root)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.inertia_, theirs.inertia_, rtol=1e-9)
    np.testing.assert_allclose(ours.inertia_, ours.trace_[-1], rtol=1e-9)
    np.testing.assert_allclose(ours.cluster_centers_ @ root, theirs.cluster_centers_, rtol=1e-9)
    given = sl.KMeans(4, init=start, metric="mahalanobis", covariance=sigma, tol=0.0).fit(X)
    np.testing.assert_allclose(given.cluster_centers_, ours.cluster_centers_, rtol=1e-9)
    np.testing.assert_allclose(given.transform(X), theirs.transform(X @ root), rtol=1e-6)


def test_iris_and_faithful_have_their_known_minima():
    """78.85 is the least known sum of squares of three means of iris (152.35 of two, 57.23 of four)."""
    iris, faithful = load_example("iris").X, load_example("faithful").X
    found = [sl.KMeans(k, n_init=10).fit(iris).inertia_ for k in (1, 2, 3, 4)]
    np.testing.assert_allclose(found, [681.3706, 152.3480, 78.8514, 57.2285], atol=1e-3)
    assert silhouette_samples(faithful, sl.KMeans(2).fit(faithful).labels_).mean() > 0.7
