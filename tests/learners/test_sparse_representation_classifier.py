"""SparseRepresentationClassifier: rows as few other rows and sparse errors."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import Lasso

from sumlearn import SparseRepresentationClassifier


def covered(X, seed=0):
    """Digits with 20 of their 64 pixels, a block, painted over at random."""
    rng, X = np.random.default_rng(seed), X.copy()
    for row in X:
        i, j = rng.integers(0, 5), rng.integers(0, 4)
        row.reshape(8, 8)[i : i + 4, j : j + 5] = rng.integers(0, 17, (4, 5))
    return X


def test_it_is_ahead_of_the_nearest_neighbour_on_covered_digits():
    X, y = load_digits(return_X_y=True)
    train, test = np.arange(0, len(X), 3), np.arange(1, len(X), 12)
    Z = covered(X[test])
    nearest = y[train][((Z[:, None] - X[train]) ** 2).sum(axis=2).argmin(axis=1)]
    model = SparseRepresentationClassifier(alpha=0.01).fit(X[train], y[train])
    ours = model.score(Z, y[test])
    assert ours > np.mean(nearest == y[test]) + 0.05
    whole = SparseRepresentationClassifier(alpha=0.03, occlusion=False).fit(X[train], y[train])
    assert ours > whole.score(Z, y[test]) + 0.05  # it is the errors that help


@pytest.mark.parametrize("occlusion", [True, False])
def test_weights_and_errors_are_those_of_a_lasso(occlusion):
    X, y = load_digits(return_X_y=True)
    model = SparseRepresentationClassifier(alpha=0.05, occlusion=occlusion).fit(X[:60], y[:60])
    w, e = model.represent(X[60:63])
    A = np.vstack([model.rows_, np.eye(64)]).T if occlusion else model.rows_.T
    for k in range(3):
        row = X[60 + k] / np.linalg.norm(X[60 + k])
        lasso = Lasso(0.05 / 64, fit_intercept=False, tol=1e-13, max_iter=100_000).fit(A, row)
        found = np.concatenate([w[k], e[k]]) if occlusion else w[k]

        def value(v, A=A, row=row):
            return 0.5 * ((row - A @ v) ** 2).sum() + 0.05 * np.abs(v).sum()

        assert value(found) <= value(lasso.coef_) * (1 + 1e-9)
    residuals = model.residuals(X[60:63])
    assert residuals.shape == (3, 10)
    np.testing.assert_array_equal(model.predict(X[60:63]), model.classes_[residuals.argmin(axis=1)])


def test_rows_learnt_and_rows_scaled_are_found_again():
    X, y = load_digits(return_X_y=True)
    model = SparseRepresentationClassifier().fit(X[:50], y[:50])
    np.testing.assert_array_equal(model.predict(X[:20] * 1e6), y[:20])
    two = SparseRepresentationClassifier().fit(X[:50], y[:50] > 4)
    assert two.decision_function(X[:5]).shape == (5,)
    assert SparseRepresentationClassifier().fit(X[:5], np.zeros(5)).predict(X[:2]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0.0}, "alpha must be finite and positive, got 0.0"),
        ({"alpha": np.nan}, "alpha must be finite and positive"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        SparseRepresentationClassifier(**options).fit([[1.0], [2.0]], [0, 1])


def test_directions_from_the_mean_do_not_know_where_the_columns_lie():
    X, y = load_digits(return_X_y=True)
    near, far = (SparseRepresentationClassifier(centre=True).fit(X[:60] + o, y[:60]) for o in (0.0, 2.0**30))
    np.testing.assert_allclose(far.residuals(X[60:70] + 2.0**30), near.residuals(X[60:70]), rtol=1e-9)
    twice = SparseRepresentationClassifier(centre=True).fit(X[:60], y[:60], np.where(np.arange(60) < 5, 2.0, 1.0))
    again = SparseRepresentationClassifier(centre=True).fit(np.vstack([X[:60], X[:5]]), np.append(y[:60], y[:5]))
    np.testing.assert_allclose(twice.centre_.sum(axis=0), again.centre_.sum(axis=0), rtol=1e-14)
    assert not SparseRepresentationClassifier().fit(X[:60], y[:60]).centre_.any()


def test_a_row_that_no_row_learnt_has_a_part_in_is_told():
    """With a penalty above every product, and of a row of zeros, all classes leave the same residual."""
    X, y = np.eye(4)[[0, 1, 2, 3]] + 0.1, ["a", "a", "b", "b"]
    with pytest.warns(UserWarning, match=r"no row learnt has a part in 4 of 4 row\(s\).*take a smaller alpha"):
        assert SparseRepresentationClassifier(alpha=1.0).fit(X, y).predict(X).tolist() == ["a"] * 4
    model = SparseRepresentationClassifier().fit(X, y)
    with pytest.warns(UserWarning, match=r"part in 1 of 2 row\(s\)"):
        assert model.predict([[0.0] * 4, X[3]]).tolist() == ["a", "b"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict(X).tolist() == y
