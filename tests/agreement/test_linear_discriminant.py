"""LinearDiscriminantAnalysis against scikit-learn and the closed forms of the notes."""

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import eigh
from sklearn.covariance import LedoitWolf
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Reference

from sumlearn import IllConditionedWarning, LinearDiscriminantAnalysis

from tests.agreement.problems import CLASSES, classes, distance, whole_weights

EXACT = 1e-9


def priors_for(k):
    return np.arange(1, k + 1) / np.arange(1, k + 1).sum()


def without_common(scores):
    """Discriminants up to a term that all classes share."""
    return scores if scores.ndim == 1 else scores - scores.mean(axis=1, keepdims=True)


@settings(max_examples=60)
@given(
    shape=st.sampled_from(sorted(CLASSES)),
    solver=st.sampled_from(["svd", "lsqr", "eigen"]),
    given_priors=st.booleans(),
    shrinkage=st.sampled_from([None, 0.0, 0.3, 1.0]),
)
def test_agrees_with_scikit_learn(shape, solver, given_priors, shrinkage):
    n, d, k = CLASSES[shape]
    X, y = classes(n, d, k)
    options = {"solver": solver, "priors": priors_for(k) if given_priors else None}
    if solver != "svd":
        options["shrinkage"] = shrinkage
    ours, reference = (cls(**options).fit(X, y) for cls in (LinearDiscriminantAnalysis, Reference))
    assert distance(without_common(ours.decision_function(X)), without_common(reference.decision_function(X))) < EXACT
    assert np.abs(ours.predict_proba(X) - reference.predict_proba(X)).max() < EXACT
    assert np.array_equal(ours.predict(X), reference.predict(X))
    if solver != "svd":
        assert distance(ours.covariance_, reference.covariance_) < EXACT


@pytest.mark.parametrize("solver", ["svd", "eigen"])
@pytest.mark.parametrize("components", [None, 1, 2])
def test_transform(solver, components):
    X, y = classes(200, 4, 4)
    ours, reference = (
        cls(solver=solver, n_components=components).fit(X, y) for cls in (LinearDiscriminantAnalysis, Reference)
    )
    found, expected = ours.transform(X), reference.transform(X)
    assert found.shape == expected.shape
    found *= np.sign((found * expected).sum(axis=0))  # directions have no sign
    assert distance(found, expected) < 1e-8
    assert distance(ours.explained_variance_ratio_, reference.explained_variance_ratio_) < 1e-9
    assert ours.get_feature_names_out().tolist() == reference.get_feature_names_out().tolist()


@pytest.mark.parametrize("options", [{"shrinkage": 0.3}, {"priors": [0.2, 0.3, 0.5]}])
def test_directions_are_those_of_the_class_means(options):
    """Eigenvectors of their spread, by the priors, against C; scikit-learn takes S_t - C, which holds the shrinkage."""
    X, y = classes(200, 4, 3)
    model = LinearDiscriminantAnalysis(solver="eigen", **options).fit(X, y)
    away = model.means_ - model.priors_ @ model.means_
    values, vectors = eigh((away.T * model.priors_) @ away, model.covariance_)
    expected, found = X @ vectors[:, :-3:-1], model.transform(X)
    expected *= np.sign((found * expected).sum(axis=0))
    assert distance(found, expected) < 1e-8
    assert distance(model.explained_variance_ratio_, values[:-3:-1] / values.sum()) < 1e-9


def test_transform_whitens_the_classes():
    """Within the classes the projection has unit covariance (divisor N), and the classes lie along the axes."""
    X, y = classes(300, 5, 3)
    Z = LinearDiscriminantAnalysis().fit(X, y).transform(X)
    means = np.array([Z[y == k].mean(axis=0) for k in range(3)])
    within = (Z - means[y]).T @ (Z - means[y]) / len(Z)
    assert np.abs(within - np.eye(2)).max() < 1e-10
    between = (means[y] - Z.mean(axis=0)).T @ (means[y] - Z.mean(axis=0))
    assert abs(between[0, 1]) < 1e-8 * between[0, 0]


def test_priors_means_and_covariance():
    """Maximum likelihood: N_k / N, class means, S_w / N; unbiased: S_w / (N - K), not N - M as in note 004."""
    X, y = classes(12, 3, 2)
    model = LinearDiscriminantAnalysis().fit(X, y)
    means = np.array([X[y == k].mean(axis=0) for k in (0, 1)])
    share = np.array([(y == k).mean() for k in (0, 1)])
    covariance = sum(p * np.cov(X[y == k].T, bias=True) for k, p in enumerate(share))
    assert distance(model.priors_, share) < 1e-15
    assert distance(model.means_, means) < 1e-14
    assert distance(model.covariance_, covariance) < 1e-14
    unbiased = LinearDiscriminantAnalysis(unbiased=True).fit(X, y)
    assert distance(unbiased.covariance_, covariance * 12 / (12 - 2)) < 1e-14
    assert distance(unbiased.coef_, model.coef_ * (12 - 2) / 12) < 1e-12


def test_unbiased_covariance_is_unbiased():
    """The mean over many samples is the true covariance: ratio 1, where N - M would give (N - K) / (N - M) = 1.11."""
    rng = np.random.default_rng(0)
    y = np.arange(12) % 2
    ratios = [
        LinearDiscriminantAnalysis(unbiased=True).fit(rng.standard_normal((12, 3)) + y[:, None], y).covariance_
        for _ in range(1500)
    ]
    diagonal = np.mean(ratios, axis=0).diagonal()
    assert np.abs(diagonal - 1.0).max() < 0.05  # standard error 0.012


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_two_classes_closed_form(solver):
    """w = C^-1 (m1 - m0), w0 = + m0'C^-1 m0 / 2 - m1'C^-1 m1 / 2 + ln p1 / p0; note 004 has both signs reversed."""
    X, y = classes(150, 3, 2)
    model = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
    m0, m1 = (X[y == k].mean(axis=0) for k in (0, 1))
    p0, p1 = (y == 0).mean(), (y == 1).mean()
    C = p0 * np.cov(X[y == 0].T, bias=True) + p1 * np.cov(X[y == 1].T, bias=True)
    P = np.linalg.inv(C)
    prior = np.log(p1 / p0)
    right = 0.5 * m0 @ P @ m0 - 0.5 * m1 @ P @ m1 + prior
    note = -0.5 * m0 @ P @ m0 + 0.5 * m1 @ P @ m1 + prior
    assert distance(model.coef_, (P @ (m1 - m0))[None]) < EXACT
    assert model.intercept_ == pytest.approx([right], rel=1e-9)
    assert abs(model.intercept_[0] - note) > 1e-3
    log_odds = normal_log_density(X, m1, C) + np.log(p1) - normal_log_density(X, m0, C) - np.log(p0)
    assert distance(model.decision_function(X), log_odds) < EXACT


def normal_log_density(X, mean, C):
    from scipy.stats import multivariate_normal

    return multivariate_normal(mean, C).logpdf(X)


@pytest.mark.parametrize("solver", ["svd", "lsqr"])
def test_weights_are_repetitions(solver):
    X, y = classes(150, 3, 3)
    weight = whole_weights(150)
    weighted = LinearDiscriminantAnalysis(solver=solver, priors=priors_for(3)).fit(X, y, weight)
    reference = Reference(solver=solver, priors=priors_for(3)).fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert np.abs(weighted.predict_proba(X) - reference.predict_proba(X)).max() < EXACT


def test_scale_of_the_weights_does_not_matter():
    X, y = classes(100, 3, 3)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 100)
    plain = LinearDiscriminantAnalysis().fit(X, y, weight)
    scaled = LinearDiscriminantAnalysis().fit(X, y, weight / weight.sum())
    assert distance(scaled.coef_, plain.coef_) < 1e-10


def test_fewer_rows_than_columns():
    X, y = classes(12, 20, 3)
    ours, reference = LinearDiscriminantAnalysis().fit(X, y), Reference().fit(X, y)
    assert np.array_equal(ours.predict(X), reference.predict(X))
    assert distance(ours.decision_function(X), reference.decision_function(X)) < 1e-7


@pytest.mark.parametrize("kind", ["duplicate", "constant"])
def test_dependent_columns(kind):
    X, y = classes(150, 3, 3)
    expected = LinearDiscriminantAnalysis().fit(X, y).predict_proba(X)
    X = np.column_stack([X, X[:, 0] if kind == "duplicate" else np.full(150, 3.0)])
    with pytest.warns(IllConditionedWarning, match="do not vary"):
        ours = LinearDiscriminantAnalysis().fit(X, y)
    assert np.abs(ours.predict_proba(X) - expected).max() < EXACT
    assert np.abs(ours.predict_proba(X) - Reference().fit(X, y).predict_proba(X)).max() < EXACT


def test_labels_of_every_kind():
    X, y = classes(90, 3, 3)
    for labels in (np.array(["b", "a", "c"]), np.array([-5, 7, 2]), np.array(["x", "y", "z"], dtype=object)):
        ours, reference = LinearDiscriminantAnalysis().fit(X, labels[y]), Reference().fit(X, labels[y])
        assert ours.classes_.tolist() == reference.classes_.tolist()
        assert ours.classes_.dtype.kind == reference.classes_.dtype.kind
        assert ours.predict(X).tolist() == reference.predict(X).tolist()


def test_float32_and_sparse():
    X, y = classes(200, 4, 3)
    reference = LinearDiscriminantAnalysis().fit(X, y)
    narrow = LinearDiscriminantAnalysis().fit(X.astype(np.float32), y)
    assert narrow.coef_.dtype == narrow.predict_proba(X.astype(np.float32)).dtype == np.float32
    assert distance(narrow.coef_, reference.coef_) < 1e-4
    rows = LinearDiscriminantAnalysis().fit(sparse.csr_array(X), y)
    assert distance(rows.predict_proba(sparse.csr_array(X)), reference.predict_proba(X)) < 1e-12


@pytest.mark.parametrize("offset", [1e6, 1e9])
def test_offset_changes_no_prediction(offset):
    X, y = classes(200, 4, 3)
    X = np.round(64 * X) / 64
    expected = LinearDiscriminantAnalysis().fit(X, y).predict_proba(X)
    assert np.abs(LinearDiscriminantAnalysis().fit(X + offset, y).predict_proba(X + offset) - expected).max() < 1e-6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"solver": "lsqr", "shrinkage": "auto"}, "no function of the sums"),
        ({"solver": "lsqr", "covariance_estimator": LedoitWolf()}, "no function of the sums"),
        ({"shrinkage": 0.5}, "not supported with 'svd'"),
        ({"solver": "eigen", "shrinkage": 1.5}, "between 0 and 1"),
        ({"solver": "qr"}, "solver must be one of"),
        ({"n_components": 3}, "n_components cannot be larger"),
        ({"n_components": -1}, "n_components must be a whole number above 0, got -1"),
        ({"n_components": 0}, "n_components must be a whole number above 0, got 0"),
        ({"n_components": 1.0}, "n_components must be a whole number above 0, got 1.0"),
        ({"priors": [0.5, 0.5]}, "Number of priors"),
        ({"priors": [0.5, 0.7, -0.2]}, "non-negative"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        LinearDiscriminantAnalysis(**options).fit(*classes(60, 4, 3))
