"""Ridge against scikit-learn, the closed form, and the mode of the posterior."""

import numpy as np
import pytest
import scipy.sparse as sparse
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st

from sumlearn import LinearRegression, Ridge

from tests.agreement.problems import REGRESSION, distance, regression, whole_weights

EXACT = 1e-10


@settings(max_examples=60)
@given(
    shape=st.sampled_from(sorted(REGRESSION)),
    alpha=st.floats(1e-3, 1e5),
    intercept=st.booleans(),
    targets=st.sampled_from([None, 2, 3]),
    weighted=st.booleans(),
)
def test_agrees_with_scikit_learn(shape, alpha, intercept, targets, weighted):
    X, y = regression(*REGRESSION[shape], targets)
    weight = np.random.default_rng(1).uniform(0.1, 3.0, len(y)) if weighted else None
    ours = Ridge(alpha, fit_intercept=intercept).fit(X, y, weight)
    reference = sklearn.linear_model.Ridge(alpha, fit_intercept=intercept, solver="svd").fit(X, y, weight)
    assert distance(ours.coef_, reference.coef_) < EXACT
    assert distance(ours.intercept_, reference.intercept_) < EXACT
    assert distance(ours.predict(X), reference.predict(X)) < EXACT


def test_shapes_for_a_target_of_one_column():
    """As in scikit-learn, whose Ridge and LinearRegression differ here."""
    X, y = regression(40, 3, 1)
    ours, reference = Ridge().fit(X, y), sklearn.linear_model.Ridge(solver="svd").fit(X, y)
    assert np.shape(ours.coef_) == np.shape(reference.coef_)
    assert np.shape(ours.intercept_) == np.shape(reference.intercept_)
    assert ours.predict(X).shape == reference.predict(X).shape
    assert distance(ours.predict(X), reference.predict(X)) < EXACT


@pytest.mark.parametrize("solver", ["auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"])
def test_solver_changes_no_answer(solver):
    X, y = regression(100, 4)
    positive = solver == "lbfgs"
    expected = Ridge(2.0, positive=positive).fit(X, y).coef_
    assert np.array_equal(Ridge(2.0, solver=solver, positive=positive).fit(X, y).coef_, expected)


def test_unknown_solver_is_refused():
    with pytest.raises(ValueError, match="solver must be one of"):
        Ridge(solver="qr").fit(*regression(20, 2))


def test_closed_form():
    """(lambda I + X'X)^-1 X'y; note 003's lambda is alpha / N."""
    X, y = regression(80, 5)
    alpha = 3.7
    expected = np.linalg.solve(alpha * np.eye(5) + X.T @ X, X.T @ y)
    assert distance(Ridge(alpha, fit_intercept=False).fit(X, y).coef_, expected) < EXACT
    centred = X - X.mean(axis=0)
    note = np.linalg.solve((alpha / 80) * 80 * np.eye(5) + centred.T @ centred, centred.T @ y)
    model = Ridge(alpha).fit(X, y)
    assert distance(model.coef_, note) < EXACT
    assert model.intercept_ == pytest.approx(y.mean() - X.mean(axis=0) @ model.coef_, rel=1e-10)


def test_maximum_a_posteriori():
    """The mode of b ~ N(0, I / a) given y ~ N(X b, I / beta) is ridge with alpha = a / beta."""
    X, y = regression(60, 4)
    a, beta = 0.8, 2.5
    precision = a * np.eye(4) + beta * X.T @ X
    mode = np.linalg.solve(precision, beta * X.T @ y)
    model = Ridge(a / beta, fit_intercept=False).fit(X, y)
    assert distance(model.coef_, mode) < EXACT

    def log_posterior(b):
        return -0.5 * beta * ((y - X @ b) ** 2).sum() - 0.5 * a * (b**2).sum()

    steps = 1e-3 * np.random.default_rng(0).standard_normal((50, 4))
    assert all(log_posterior(model.coef_) > log_posterior(model.coef_ + step) for step in steps)


def test_one_penalty_per_target():
    X, y = regression(70, 4, 3)
    alphas = [10.0, 0.0, 300.0]
    model = Ridge(alphas).fit(X, y)
    for t, alpha in enumerate(alphas):
        single = Ridge(alpha).fit(X, y[:, t])
        assert distance(model.coef_[t], single.coef_) < 1e-12
        assert model.intercept_[t] == pytest.approx(single.intercept_, rel=1e-12)
    reference = sklearn.linear_model.Ridge(alphas, solver="svd").fit(X, y)
    assert distance(model.coef_, reference.coef_) < EXACT


@pytest.mark.parametrize(
    ("alpha", "message"),
    [(-1.0, "alpha must"), (np.nan, "alpha must"), (np.inf, "alpha must"), ([1.0, 2.0], "number of penalties")],
)
def test_bad_penalties_are_refused(alpha, message):
    with pytest.raises(ValueError, match=message):
        Ridge(alpha).fit(*regression(20, 2, 3))


def test_no_penalty_is_least_squares():
    X, y = regression(50, 4)
    assert np.array_equal(Ridge(0.0).fit(X, y).coef_, LinearRegression().fit(X, y).coef_)


@pytest.mark.parametrize("kind", ["duplicate", "constant"])
def test_dependent_columns(kind, recwarn):
    """A penalty makes the solution unique: equal shares for equal columns, nothing for a constant one, no warning."""
    X, y = regression(50, 3)
    X = np.column_stack([X, X[:, 1] if kind == "duplicate" else np.full(50, 4.0)])
    model = Ridge(1.0).fit(X, y)
    reference = sklearn.linear_model.Ridge(1.0, solver="svd").fit(X, y)
    assert distance(model.coef_, reference.coef_) < EXACT
    assert model.coef_[3] == (pytest.approx(model.coef_[1], rel=1e-12) if kind == "duplicate" else 0.0)
    assert not recwarn.list


@pytest.mark.parametrize("intercept", [True, False])
def test_positive(intercept):
    X, y = regression(150, 5)
    ours = Ridge(20.0, positive=True, fit_intercept=intercept).fit(X, y)
    reference = sklearn.linear_model.Ridge(20.0, positive=True, fit_intercept=intercept, tol=1e-14, max_iter=100000)
    reference.fit(X, y)
    assert (ours.coef_ >= 0).all() and (ours.coef_ == 0).any()
    assert distance(ours.coef_, reference.coef_) < 1e-5  # scikit-learn's is iterative

    def error(b):
        mean = X.mean(axis=0) if intercept else 0.0
        level = y.mean() if intercept else 0.0
        return ((y - level - (X - mean) @ b) ** 2).sum() + 20.0 * (b**2).sum()

    assert error(ours.coef_) <= error(np.maximum(reference.coef_, 0.0)) * (1 + 1e-12)


def test_weights_are_repetitions():
    X, y = regression(100, 4)
    weight = whole_weights(100)
    weighted = Ridge(5.0).fit(X, y, weight)
    repeated = Ridge(5.0).fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert distance(weighted.coef_, repeated.coef_) < 1e-12


def test_penalty_can_change_after_the_fit():
    X, y = regression(100, 4)
    model = Ridge(5.0).fit(X, y)
    for alpha in (0.1, 1e3):
        assert np.array_equal(model.set_params(alpha=alpha).coef_, Ridge(alpha).fit(X, y).coef_)


def test_float32():
    X, y = (a.astype(np.float32) for a in regression(300, 5))
    model = Ridge(2.0).fit(X, y)
    assert model.coef_.dtype == model.predict(X).dtype == np.float32
    assert distance(model.coef_, Ridge(2.0).fit(X.astype(float), y.astype(float)).coef_) < 1e-6


def test_sparse():
    X, y = regression(200, 5)
    X[np.abs(X) < 2] = 0.0
    dense, model = Ridge(2.0).fit(X, y), Ridge(2.0).fit(sparse.csr_array(X), y)
    assert distance(model.coef_, dense.coef_) < 1e-12
    assert distance(model.predict(sparse.csr_array(X)), dense.predict(X)) < 1e-12
