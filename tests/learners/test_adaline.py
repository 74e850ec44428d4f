"""Adaline against a plain loop, least squares and scikit-learn's stochastic gradient; and its stable steps."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDRegressor

from sumlearn import Adaline


def problem(n=200, d=3, classes=2, seed=0):
    generator = np.random.default_rng([seed, n, d, classes])
    X = generator.standard_normal((n, d)) @ generator.standard_normal((d, d))
    X -= X.mean(axis=0)
    scores = X @ generator.standard_normal((d, classes)) + generator.standard_normal((n, classes))
    return X, scores.argmax(axis=1)


def least_squares(X, y):
    """Weights and bias of the exact minimum, by an orthogonal method."""
    A = np.column_stack([X, np.ones(len(X))])
    return np.linalg.lstsq(A, np.where(y == 1, 1.0, -1.0), rcond=None)[0]


def by_hand(X, y, step, epochs=1, weight=None):
    """w += step(x, t) (y - x'w) x over rows in order; x with a one."""
    w, t = np.zeros(X.shape[1] + 1), 0
    for _ in range(epochs):
        for i, x in enumerate(np.column_stack([X, np.ones(len(X))])):
            factor = step(x, t) * (1.0 if weight is None else weight[i])
            w += factor * ((1.0 if y[i] == 1 else -1.0) - x @ w) * x
            t += 1
    return w


def flat(model):
    return np.append(model.coef_, model.intercept_)


def test_one_pattern_by_hand():
    """x = (2, 1), y = 1: e = 1, w = .1 (2, 1), b = .1; then y = -1, x = (0, 1): e = -1.2, w = (.2, -.02), b = -.02."""
    model = Adaline(eta=0.1, shuffle=False, max_iter=1, tol=None).fit([[2.0, 1.0], [0.0, 1.0]], [1, 0])
    assert flat(model) == pytest.approx([0.2, -0.02, -0.02])
    plain = Adaline(eta=0.1, shuffle=False, max_iter=1, tol=None, fit_intercept=False)
    plain.fit([[2.0, 1.0], [0.0, 1.0]], [1, 0])
    assert plain.coef_ == pytest.approx(np.array([[0.2, 0.1 - 0.1 * 1.1]]))


@settings(max_examples=25)
@given(
    eta=st.floats(1e-3, 0.05), annealing=st.sampled_from([0.0, 1e-3, 0.1]), epochs=st.integers(1, 4),
    weighted=st.booleans(), seed=st.integers(0, 100),
)  # fmt: skip
def test_plain_loop(eta, annealing, epochs, weighted, seed):
    X, y = problem(60, seed=seed)
    weight = np.random.default_rng(seed).uniform(0.2, 2.0, 60) if weighted else None
    model = Adaline(eta=eta, annealing=annealing, shuffle=False, max_iter=epochs, tol=None)
    model.fit(X, y, sample_weight=weight)
    expected = by_hand(X, y, lambda x, t: eta / (1.0 + annealing * t), epochs, weight)
    assert flat(model) == pytest.approx(expected, rel=1e-10)
    assert model.t_ == 1 + epochs * 60


@pytest.mark.parametrize("eta", [0.3, 1.0, 1.9])
def test_normalised_steps(eta):
    X, y = problem(60)
    model = Adaline(eta=eta, normalized=True, shuffle=False, max_iter=3, tol=None).fit(X * 100.0, y)
    expected = by_hand(X * 100.0, y, lambda x, t: eta / (x @ x), epochs=3)
    assert flat(model) == pytest.approx(expected, rel=1e-9)
    assert np.array_equal(Adaline(normalized=True).fit(X, y).coef_, Adaline(eta=1.0, normalized=True).fit(X, y).coef_)


def test_scikit_learn_gradient():
    """Stochastic gradient of the squared error, at a constant step and rows in order, is the same rule."""
    X, y = problem()
    theirs = SGDRegressor(
        alpha=0.0, penalty=None, learning_rate="constant", eta0=0.01, shuffle=False, max_iter=5, tol=None
    ).fit(X, np.where(y == 1, 1.0, -1.0))
    ours = Adaline(eta=0.01, shuffle=False, max_iter=5, tol=None).fit(X, y)
    assert ours.coef_[0] == pytest.approx(theirs.coef_, rel=1e-9)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, rel=1e-9)


@pytest.mark.chance
@pytest.mark.parametrize("seed", range(3))
def test_falling_steps_approach_least_squares(seed):
    """The distance shrinks with the number of epochs, and is small in the end."""
    X, y = problem(seed=seed)
    exact = least_squares(X, y)
    away = [
        np.abs(flat(Adaline(annealing=1e-4, max_iter=epochs, tol=None).fit(X, y)) - exact).max()
        for epochs in (2, 100, 5000)
    ]
    assert away[0] > 2 * away[1] > 4 * away[2]
    assert away[2] < 5e-3


def test_smaller_steps_wander_less():
    X, y = problem()
    exact = least_squares(X, y)
    away = [np.abs(flat(Adaline(eta=eta, max_iter=3000, tol=None).fit(X, y)) - exact).max() for eta in (1e-2, 1e-3)]
    assert away[1] < 0.3 * away[0]


# -- stability ------------------------------------------------------------------------------------------------------


def test_steps_beyond_the_limit_are_refused_and_the_limit_is_named():
    X, y = problem()
    A = np.column_stack([X, np.ones(len(X))])
    limit = 2.0 / np.linalg.eigvalsh(A.T @ A / len(A)).max()
    with pytest.raises(ValueError, match=rf"eta = .* 2 / lambda_max = {limit:.3g}".replace("+", r"\+")):
        Adaline(eta=3 * limit).fit(X, y)
    with pytest.raises(ValueError, match="below 2,"):
        Adaline(eta=2.5, normalized=True).fit(X, y)
    fitted = Adaline(eta=limit / 20).fit(X, y)
    assert fitted.loss_curve_[-1] < 0.5


def test_a_step_that_explodes_leaves_the_model_as_it_was():
    X, y = problem()
    model = Adaline().fit(X, y)
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="too large"):
        model.set_params(eta=100.0).fit(X, y)
    assert np.array_equal(model.coef_, before)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("weights", [None, 1e-3, 1e3])
def test_the_automatic_step_never_diverges(scale, weights):
    X, y = problem()
    weight = None if weights is None else np.random.default_rng(0).uniform(0.1, 1.0, len(X)) * weights
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = Adaline(max_iter=50).fit(X * scale, y, sample_weight=weight)
    assert np.isfinite(model.coef_).all()
    assert model.loss_curve_[-1] <= 0.53  # with zero weights it is 1/2, with a constant bias a tenth may be lost again
    squares = (((X * scale) ** 2).sum(axis=1) + 1.0) * (1.0 if weight is None else weight)
    assert model.eta_ == pytest.approx(0.1 / squares.max())


def test_longer_patterns_that_come_later_take_smaller_steps():
    X, y = problem()
    model = Adaline().partial_fit(X, y, classes=[0, 1])
    eta = model.eta_
    for _ in range(50):
        model.partial_fit(X * 1000.0, y)
    assert model.eta_ == eta
    assert np.isfinite(model.coef_).all()
    assert np.abs(model.decision_function(X * 1000.0)).max() < 10


# -- as a classifier ------------------------------------------------------------------------------------------------


def test_classes_are_learnt_one_against_the_rest():
    X, y = problem(classes=3)
    options = {"annealing": 1e-3, "max_iter": 20, "tol": None, "shuffle": False}
    whole = Adaline(**options).fit(X, y)
    for k in range(3):
        alone = Adaline(**options).fit(X, y == k)
        assert whole.coef_[k] == pytest.approx(alone.coef_[0], rel=1e-12)
        assert whole.intercept_[k] == pytest.approx(alone.intercept_[0], rel=1e-12)
    assert np.array_equal(whole.predict(X), whole.decision_function(X).argmax(axis=1))
    assert whole.score(X, y) > 0.7


def test_sparse_rows():
    X, y = problem(classes=3)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.4, X, 0.0)
    X[5] = 0.0
    dense, thin = Adaline().fit(X, y), Adaline().fit(sparse.csr_array(X), y)
    assert thin.coef_ == pytest.approx(dense.coef_, rel=1e-9)
    assert thin.decision_function(sparse.csr_array(X)) == pytest.approx(dense.decision_function(X), rel=1e-8)


@pytest.mark.parametrize("offset", [3.0, 1e6, -1e9])
def test_offsets_change_nothing(offset):
    X, y = problem()
    X = np.round(X * 1024) / 1024
    offset = np.round(offset / 512) * 512 if abs(offset) > 512 else offset
    plain, moved = Adaline(max_iter=30, tol=None).fit(X, y), Adaline(max_iter=30, tol=None).fit(X + offset, y)
    bound = 1e-9 if abs(offset) > 512 else 0.3  # a small offset is not taken off whole
    assert moved.decision_function(X + offset) == pytest.approx(plain.decision_function(X), abs=bound)


def test_not_converged_is_said():
    X, y = problem()
    with pytest.warns(ConvergenceWarning, match="2 epochs"):
        model = Adaline(max_iter=2).fit(X, y)
    assert not model.converged_
    assert Adaline().fit(X, y).converged_


@pytest.mark.parametrize(("name", "value"), [("eta", 0.0), ("eta", "large"), ("annealing", -1.0), ("normalized", 2)])
def test_parameters_out_of_range(name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of Adaline must be .* Got .* instead"):
        Adaline(**{name: value}).fit(*problem())


def test_bad_rows_are_named():
    X, y = problem()
    X[11, 1] = np.inf
    with pytest.raises(ValueError, match="infinity: first at row 11, column 1"):
        Adaline().fit(X, y)


def test_one_class_is_predicted():
    X, _ = problem()
    assert Adaline().fit(X, [7] * len(X)).predict(X).tolist() == [7] * len(X)
