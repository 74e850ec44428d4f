"""QuadraticDiscriminantAnalysis against scikit-learn and normal densities."""

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.covariance import LedoitWolf
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as Reference

from sumlearn import IllConditionedWarning, QuadraticDiscriminantAnalysis

from tests.agreement.problems import CLASSES, classes, distance, whole_weights

EXACT = 1e-9


def priors_for(k):
    return np.arange(1, k + 1) / np.arange(1, k + 1).sum()


@settings(max_examples=60)
@given(
    shape=st.sampled_from(sorted(CLASSES)),
    solver=st.sampled_from(["svd", "eigen"]),
    given_priors=st.booleans(),
    reg_param=st.sampled_from([0.0, 0.01, 0.5, 1.0]),
    shrinkage=st.sampled_from([None, 0.0, 0.3, 1.0]),
)
def test_agrees_with_scikit_learn(shape, solver, given_priors, reg_param, shrinkage):
    n, d, k = CLASSES[shape]
    X, y = classes(n, d, k)
    options = {"solver": solver, "priors": priors_for(k) if given_priors else None}
    if solver == "eigen":
        options["shrinkage"] = shrinkage
    else:
        options["reg_param"] = reg_param
    ours = QuadraticDiscriminantAnalysis(**options).fit(X, y)
    reference = Reference(store_covariance=True, **options).fit(X, y)
    assert distance(ours.decision_function(X), reference.decision_function(X)) < EXACT
    assert np.abs(ours.predict_proba(X) - reference.predict_proba(X)).max() < EXACT
    assert np.array_equal(ours.predict(X), reference.predict(X))
    assert distance(ours.covariance_, reference.covariance_) < EXACT


def test_normal_densities():
    """ln p(k) + ln N(x | m_k, C_k) with C_k = S_k / N_k, up to the constant d/2 ln 2 pi."""
    X, y = classes(200, 4, 3)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    parts = [X[y == k] for k in range(3)]
    densities = [multivariate_normal(part.mean(axis=0), np.cov(part.T, bias=True)).logpdf(X) for part in parts]
    joint = np.column_stack(densities) + np.log([len(part) / len(X) for part in parts])
    assert distance(model.decision_function(X), joint + 2 * np.log(2 * np.pi)) < EXACT
    posterior = np.exp(joint - np.logaddexp.reduce(joint, axis=1)[:, None])
    assert np.abs(model.predict_proba(X) - posterior).max() < EXACT


def test_rotations_and_scalings():
    """Eigenvectors, up to sign, and eigenvalues of the class covariances, largest first."""
    X, y = classes(200, 4, 3)
    ours, reference = QuadraticDiscriminantAnalysis().fit(X, y), Reference().fit(X, y)
    assert distance(np.array(ours.scalings_), np.array(reference.scalings_)) < EXACT
    for found, expected in zip(ours.rotations_, reference.rotations_, strict=True):
        assert np.abs(np.abs((found * expected).sum(axis=0)) - 1.0).max() < 1e-9


def test_weights_are_repetitions():
    X, y = classes(200, 3, 3)
    weight = whole_weights(200)
    weighted = QuadraticDiscriminantAnalysis().fit(X, y, weight)
    reference = Reference().fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert np.abs(weighted.predict_proba(X) - reference.predict_proba(X)).max() < EXACT


def test_scale_of_the_weights_does_not_matter():
    """Weights that sum to one are as good as any."""
    X, y = classes(100, 3, 3)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 100)
    plain = QuadraticDiscriminantAnalysis().fit(X, y, weight)
    scaled = QuadraticDiscriminantAnalysis().fit(X, y, weight / weight.sum())
    assert np.abs(scaled.predict_proba(X) - plain.predict_proba(X)).max() < 1e-10


@pytest.mark.parametrize("kind", ["duplicate", "constant"])
def test_flat_classes_get_a_floor(kind):
    """A direction in which no class varies says nothing about the class."""
    X, y = classes(150, 3, 3)
    expected = QuadraticDiscriminantAnalysis().fit(X, y).predict_proba(X)
    X = np.column_stack([X, X[:, 0] if kind == "duplicate" else np.full(150, 3.0)])
    with pytest.warns(IllConditionedWarning, match="does not vary in 1 direction"):
        ours = QuadraticDiscriminantAnalysis().fit(X, y)
    assert np.isfinite(ours.decision_function(X)).all()
    assert np.abs(ours.predict_proba(X) - expected).max() < 1e-6


def test_regularised_wide_data():
    """C_k = (1 - r) S_k / N_k + r I, also where a class has fewer rows than columns (scikit-learn refuses)."""
    X, y = classes(30, 20, 3)
    ours = QuadraticDiscriminantAnalysis(reg_param=0.3).fit(X, y)
    C = [0.7 * np.cov(X[y == k].T, bias=True) + 0.3 * np.eye(20) for k in range(3)]
    joint = np.column_stack(
        [multivariate_normal(X[y == k].mean(axis=0), C[k]).logpdf(X) + np.log((y == k).mean()) for k in range(3)]
    )
    assert np.array_equal(ours.predict(X), joint.argmax(axis=1))
    assert distance(ours.decision_function(X), joint + 10 * np.log(2 * np.pi)) < EXACT


def test_labels_of_every_kind():
    X, y = classes(90, 3, 3)
    for labels in (np.array(["b", "a", "c"]), np.array([-5, 7, 2]), np.array([True, False, True])):
        ours, reference = QuadraticDiscriminantAnalysis().fit(X, labels[y]), Reference().fit(X, labels[y])
        assert ours.classes_.tolist() == reference.classes_.tolist()
        assert ours.predict(X).tolist() == reference.predict(X).tolist()


def test_float32_and_sparse():
    X, y = classes(200, 4, 3)
    reference = QuadraticDiscriminantAnalysis().fit(X, y)
    narrow = QuadraticDiscriminantAnalysis().fit(X.astype(np.float32), y)
    assert narrow.predict_proba(X.astype(np.float32)).dtype == np.float32
    assert np.abs(narrow.predict_proba(X.astype(np.float32)) - reference.predict_proba(X)).max() < 1e-4
    rows = QuadraticDiscriminantAnalysis().fit(sparse.csr_array(X), y)
    assert distance(rows.predict_proba(sparse.csr_array(X)), reference.predict_proba(X)) < 1e-12


@pytest.mark.parametrize("offset", [1e6, 1e9])
def test_offset_changes_no_prediction(offset):
    X, y = classes(200, 4, 3)
    X = np.round(64 * X) / 64
    expected = QuadraticDiscriminantAnalysis().fit(X, y).predict_proba(X)
    found = QuadraticDiscriminantAnalysis().fit(X + offset, y).predict_proba(X + offset)
    assert np.abs(found - expected).max() < 1e-6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"solver": "eigen", "shrinkage": "auto"}, "no function of the sums"),
        ({"solver": "eigen", "covariance_estimator": LedoitWolf()}, "no function of the sums"),
        ({"shrinkage": 0.5}, "not supported with 'svd'"),
        ({"solver": "eigen", "shrinkage": 1.5}, "between 0 and 1"),
        ({"solver": "lsqr"}, "solver must be"),
        ({"reg_param": -0.1}, "between 0 and 1"),
        ({"priors": [0.5, 0.5]}, "Number of priors"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        QuadraticDiscriminantAnalysis(**options).fit(*classes(60, 4, 3))


def test_a_single_row_is_no_class():
    X, y = classes(60, 2, 2)
    with pytest.raises(ValueError, match="only 1 sample in class 2"):
        QuadraticDiscriminantAnalysis().fit(np.vstack([X, [[0.0, 0.0]]]), np.append(y, 2))
