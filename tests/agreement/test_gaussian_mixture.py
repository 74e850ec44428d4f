"""Mixtures against scikit-learn's from equal starts, SciPy's densities, and what they must reduce to."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.mixture import GaussianMixture as Theirs

from sumlearn import GaussianMixture, GaussianMixtureClassifier, QuadraticDiscriminantAnalysis, UnifiedModel
from sumlearn.data import load_example
from sumlearn.learners.clusters.parts.mixture_starts import FORMS

TYPES = list(FORMS)
each_type = pytest.mark.parametrize("kind", TYPES)


def rows_of(name):
    """Rows, and how many components: overlapping, correlated, narrow, far apart and many columns."""
    rng = np.random.default_rng(0)
    if name == "wide":
        return rng.normal(size=(300, 3)) + 1.5 * rng.integers(2, size=(300, 1)), 3
    if name == "correlated":
        return rng.normal(size=(300, 4)) @ rng.normal(size=(4, 4)) @ np.diag([1.0, 30.0, 0.1, 5.0]) + 3.0, 2
    if name == "apart":
        return rng.normal(size=(400, 9)) + 8.0 * rng.normal(size=(5, 9))[rng.integers(5, size=400)], 5
    centres = 1e3 * rng.normal(size=(3, 2))
    return centres[rng.integers(3, size=200)] + rng.normal(size=(200, 2)), 3  # narrow: sums about the means


def begun(X, k, kind):
    """Parameters after one step of scikit-learn's: where both start."""
    first = Theirs(k, covariance_type=kind, max_iter=1, random_state=0).fit(X)
    return {"weights_init": first.weights_, "means_init": first.means_, "precisions_init": first.precisions_}


@pytest.mark.filterwarnings("ignore")
@each_type
@pytest.mark.parametrize("name", ["wide", "correlated", "apart", "narrow"])
def test_equal_starts(kind, name):
    """The same path, step by step, and the same end."""
    X, k = rows_of(name)
    options = begun(X, k, kind) | {"covariance_type": kind, "max_iter": 12, "tol": 1e-6}
    ours, theirs = GaussianMixture(k, **options).fit(X), Theirs(k, **options).fit(X)
    assert ours.n_iter_ == theirs.n_iter_ and ours.converged_ == theirs.converged_
    np.testing.assert_allclose(ours.lower_bounds_, theirs.lower_bounds_, rtol=1e-9)
    for attribute in ("weights_", "means_", "covariances_"):
        mine, its = getattr(ours, attribute), getattr(theirs, attribute)
        assert mine.shape == its.shape
        assert np.abs(mine - its).max() <= 1e-8 * np.abs(its).max(), attribute
    if name != "narrow":  # where scikit-learn keeps the digits of small variances
        np.testing.assert_allclose(ours.precisions_cholesky_, theirs.precisions_cholesky_, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
        np.testing.assert_allclose([ours.bic(X), ours.aic(X)], [theirs.bic(X), theirs.aic(X)], rtol=1e-9)
    assert np.array_equal(ours.predict(X), theirs.predict(X))


@each_type
def test_densities(kind):
    """log p(x) and shares, from SciPy's normal densities."""
    X, k = rows_of("wide")
    model = GaussianMixture(k, covariance_type=kind, tol=1e-2).fit(X)
    eye = np.eye(3)
    matrices = {"full": lambda C: C, "tied": lambda C: [C] * k, "diag": lambda C: [np.diag(c) for c in C]}
    covariances = matrices.get(kind, lambda C: [c * eye for c in C])(model.covariances_)
    joint = np.column_stack(
        [
            np.log(w) + multivariate_normal(m, C).logpdf(X)
            for w, m, C in zip(model.weights_, model.means_, covariances, strict=True)
        ]
    )
    np.testing.assert_allclose(model.score_samples(X), logsumexp(joint, axis=1), rtol=1e-10)
    np.testing.assert_allclose(
        model.predict_proba(X), np.exp(joint - logsumexp(joint, axis=1)[:, None]), rtol=1e-9, atol=1e-15
    )
    assert model.score(X) == pytest.approx(model.score_samples(X).mean(), rel=1e-12)


@pytest.mark.filterwarnings("ignore")
@each_type
@pytest.mark.parametrize("name", ["wide", "narrow"])
def test_offsets(kind, name):
    """At 1e9 the mixture of the rows themselves; scikit-learn's has lost all digits of its covariances there."""
    X, k = rows_of(name)
    X = np.round(X * 1024) / 1024
    options = begun(X, k, kind) | {"covariance_type": kind, "max_iter": 5, "tol": 1e-6}
    near = GaussianMixture(k, **options).fit(X)
    far = GaussianMixture(k, **options | {"means_init": options["means_init"] + 1e9}).fit(X + 1e9)
    np.testing.assert_allclose(far.lower_bound_, near.lower_bound_, rtol=1e-7)
    np.testing.assert_allclose(far.covariances_, near.covariances_, rtol=1e-6, atol=1e-9 * near.covariances_.max())
    np.testing.assert_allclose(far.predict_proba(X + 1e9), near.predict_proba(X), atol=1e-6)
    np.testing.assert_allclose(far.score_samples(X + 1e9), near.score_samples(X), rtol=1e-6)


@pytest.mark.filterwarnings("ignore")
@each_type
def test_weight_two_is_the_row_twice(kind):
    X, k = rows_of("apart")
    weight = np.random.default_rng(1).integers(0, 3, size=len(X)).astype(float)
    weighted = GaussianMixture(k, covariance_type=kind, max_iter=5).fit(X, sample_weight=weight)
    repeated = GaussianMixture(k, covariance_type=kind, max_iter=5).fit(np.repeat(X, weight.astype(int), axis=0))
    np.testing.assert_allclose(weighted.lower_bounds_, repeated.lower_bounds_, rtol=1e-12)
    np.testing.assert_allclose(weighted.means_, repeated.means_, rtol=1e-10)
    assert weighted.bic(X, weight) == pytest.approx(weighted.bic(np.repeat(X, weight.astype(int), axis=0)), rel=1e-12)


def test_one_component_is_mean_and_covariance():
    X = load_example("iris").X
    model = GaussianMixture(reg_covar=0.0).fit(X)
    np.testing.assert_allclose(model.means_[0], X.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(model.covariances_[0], np.cov(X.T, bias=True), rtol=1e-12)


@each_type
def test_regression(kind):
    """E[y | x] of the unified model, deviations by integrating p(y | x) on a grid."""
    X = load_example("faithful").X
    model = GaussianMixture(2, covariance_type=kind).fit(X)
    asked = np.array([[1.8], [3.0], [4.7]])
    mean, deviation = model.conditional(asked, [0], return_std=True)
    np.testing.assert_allclose(mean[:, 0], UnifiedModel.from_gaussian_mixture(model).predict(asked), rtol=1e-10)
    grid = np.linspace(-150.0, 300.0, 9001)
    for x, m, s in zip(asked[:, 0], mean[:, 0], deviation[:, 0], strict=True):
        density = np.exp(model.score_samples(np.column_stack([np.full_like(grid, x), grid])))
        density /= density.sum()
        assert m == pytest.approx(density @ grid, rel=1e-9)
        assert s == pytest.approx(np.sqrt(density @ (grid - m) ** 2), rel=1e-9)


def test_one_gaussian_by_class_is_the_quadratic_discriminant():
    iris = load_example("iris")
    ours = GaussianMixtureClassifier(1, var_smoothing=0.0).fit(iris.X, iris.y)
    np.testing.assert_allclose(
        ours.predict_proba(iris.X), QuadraticDiscriminantAnalysis().fit(iris.X, iris.y).predict_proba(iris.X), atol=1e-2
    )
    joint = np.column_stack(
        [
            np.log(1 / 3) + multivariate_normal(iris.X[iris.y == c].mean(0), np.cov(iris.X[iris.y == c].T, bias=True))
            .logpdf(iris.X) for c in ours.classes_
        ]
    )  # fmt: skip
    np.testing.assert_allclose(
        ours.predict_proba(iris.X), np.exp(joint - logsumexp(joint, axis=1)[:, None]), atol=1e-10
    )
