"""GaussianNB against scikit-learn and normal densities."""

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.naive_bayes import GaussianNB as Reference

from sumlearn import GaussianNB

from tests.agreement.problems import CLASSES, classes, distance, whole_weights

EXACT = 1e-10


@settings(max_examples=60)
@given(
    shape=st.sampled_from(sorted(CLASSES)),
    smoothing=st.sampled_from([0.0, 1e-9, 1e-3, 0.5]),
    given_priors=st.booleans(),
    weighted=st.booleans(),
)
def test_agrees_with_scikit_learn(shape, smoothing, given_priors, weighted):
    """Weights are whole, and repeated rows in scikit-learn, which takes its smoothing from the unweighted rows."""
    n, d, k = CLASSES[shape]
    X, y = classes(n, d, k)
    weight = whole_weights(n) if weighted else np.ones(n, int)
    priors = np.arange(1, k + 1) / np.arange(1, k + 1).sum() if given_priors else None
    ours = GaussianNB(priors=priors, var_smoothing=smoothing).fit(X, y, weight)
    reference = Reference(priors=priors, var_smoothing=smoothing).fit(X.repeat(weight, axis=0), y.repeat(weight))
    for name in ("theta_", "var_", "class_count_", "class_prior_", "epsilon_"):
        assert distance(getattr(ours, name), getattr(reference, name)) < EXACT, name
    assert np.abs(ours.predict_proba(X) - reference.predict_proba(X)).max() < EXACT
    assert np.abs(ours.predict_log_proba(X) - reference.predict_log_proba(X)).max() < 1e-8
    assert distance(ours.joint(X), reference.predict_joint_log_proba(X)) < EXACT
    assert np.array_equal(ours.predict(X), reference.predict(X))


def test_weights_of_any_size():
    X, y = classes(150, 3, 3)
    weight = np.random.default_rng(0).uniform(0.1, 3.0, 150)
    ours, reference = (cls(var_smoothing=0.0).fit(X, y, weight) for cls in (GaussianNB, Reference))
    assert np.abs(ours.predict_proba(X) - reference.predict_proba(X)).max() < EXACT
    scaled = GaussianNB(var_smoothing=0.0).fit(X, y, weight / weight.sum())
    assert np.abs(scaled.predict_proba(X) - reference.predict_proba(X)).max() < EXACT


def test_product_of_normal_densities():
    X, y = classes(120, 3, 2)
    model = GaussianNB(var_smoothing=0.0).fit(X, y)
    joint = np.column_stack(
        [
            np.log((y == k).mean()) + norm(X[y == k].mean(axis=0), X[y == k].std(axis=0)).logpdf(X).sum(axis=1)
            for k in (0, 1)
        ]
    )
    posterior = np.exp(joint - np.logaddexp.reduce(joint, axis=1)[:, None])
    assert np.abs(model.predict_proba(X) - posterior).max() < EXACT


@pytest.mark.parametrize("smoothing", [1e-9, 0.3])
def test_partial_fit_is_one_fit_of_scikit_learn(smoothing):
    """scikit-learn's own partial_fit keeps the smoothing of its last chunk."""
    X, y = classes(150, 3, 3)
    X[100:] *= 4
    ours = GaussianNB(var_smoothing=smoothing)
    for part in np.array_split(np.arange(150), 5):
        ours.partial_fit(X[part], y[part], classes=[0, 1, 2])
    reference = Reference(var_smoothing=smoothing).fit(X, y)
    assert distance(ours.var_, reference.var_) < EXACT
    assert np.abs(ours.predict_proba(X) - reference.predict_proba(X)).max() < EXACT


def test_constant_column():
    X, y = classes(90, 3, 3)
    X[:, 1] = 5.0
    ours, reference = GaussianNB().fit(X, y), Reference().fit(X, y)
    assert np.abs(ours.predict_proba(X) - reference.predict_proba(X)).max() < EXACT


def test_labels_of_every_kind():
    X, y = classes(90, 3, 3)
    for labels in (np.array(["b", "a", "c"]), np.array([-5, 7, 2]), np.array([True, False, True])):
        ours, reference = GaussianNB().fit(X, labels[y]), Reference().fit(X, labels[y])
        assert ours.classes_.tolist() == reference.classes_.tolist()
        assert ours.predict(X).tolist() == reference.predict(X).tolist()


def test_float32_and_sparse():
    X, y = classes(200, 4, 3)
    reference = GaussianNB().fit(X, y)
    narrow = GaussianNB().fit(X.astype(np.float32), y)
    assert narrow.predict_proba(X.astype(np.float32)).dtype == np.float32
    assert np.abs(narrow.predict_proba(X.astype(np.float32)) - reference.predict_proba(X)).max() < 1e-4
    rows = GaussianNB().fit(sparse.csr_array(X), y)
    assert distance(rows.predict_proba(sparse.csr_array(X)), reference.predict_proba(X)) < 1e-12


@pytest.mark.parametrize("offset", [1e6, 1e9])
def test_offset_changes_no_prediction(offset):
    X, y = classes(200, 4, 3)
    X = np.round(64 * X) / 64
    expected = GaussianNB().fit(X, y).predict_proba(X)
    assert np.abs(GaussianNB().fit(X + offset, y).predict_proba(X + offset) - expected).max() < 1e-6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"priors": [0.5, 0.5]}, "Number of priors"),
        ({"priors": [0.5, 0.2, 0.2]}, "sum of the priors should be 1"),
        ({"priors": [0.8, 0.4, -0.2]}, "non-negative"),
        ({"var_smoothing": -1.0}, "var_smoothing"),
        ({"var_smoothing": np.inf}, "var_smoothing must be a number that is not negative, got inf"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        GaussianNB(**options).fit(*classes(60, 4, 3))
