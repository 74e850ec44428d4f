"""The sigmoid neuron against a plain loop, against SciPy's minimum, and what its gradient cannot do."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, log1p
from sklearn.linear_model import LogisticRegression

from sumlearn import SigmoidNeuron
from sumlearn.compiled import patterns


def problem(n=200, d=3, classes=2, seed=0):
    generator = np.random.default_rng([seed, n, d, classes])
    X = generator.standard_normal((n, d))
    X -= X.mean(axis=0)
    scores = X @ generator.standard_normal((d, classes)) + generator.standard_normal((n, classes))
    return X, scores.argmax(axis=1)


def flat(model):
    return np.append(model.coef_, model.intercept_)


def by_hand(X, y, eta, annealing, epochs, weight):
    w, t = np.zeros(X.shape[1] + 1), 0
    for _ in range(epochs):
        for i, x in enumerate(np.column_stack([X, np.ones(len(X))])):
            s = expit(x @ w)
            w += eta / (1 + annealing * t) * weight[i] * (y[i] - s) * s * (1 - s) * x
            t += 1
    return w


@settings(max_examples=25)
@given(
    eta=st.floats(0.01, 2.0), annealing=st.sampled_from([0.0, 0.01]), epochs=st.integers(1, 3),
    weighted=st.booleans(), seed=st.integers(0, 100),
)  # fmt: skip
def test_plain_loop(eta, annealing, epochs, weighted, seed):
    X, y = problem(60, seed=seed)
    weight = np.random.default_rng(seed).uniform(0.2, 2.0, 60) if weighted else None
    model = SigmoidNeuron(eta=eta, annealing=annealing, shuffle=False, max_iter=epochs, tol=None)
    model.fit(X, y, sample_weight=weight)
    weight = np.ones(60) if weight is None else weight
    assert flat(model) == pytest.approx(by_hand(X, y, eta, annealing, epochs, weight))


def test_minimum():
    """Small and falling steps come near the minimum of the squared error, which SciPy finds without them."""
    X, y = problem()
    A = np.column_stack([X, np.ones(len(X))])

    def error(w):
        s = expit(A @ w)
        return 0.5 * ((y - s) ** 2).mean(), -((y - s) * s * (1 - s)) @ A / len(A)

    exact = scipy.optimize.minimize(error, np.zeros(4), jac=True, tol=1e-12)
    model = SigmoidNeuron(annealing=1e-4, max_iter=3000, tol=None).fit(X, y)
    assert flat(model) == pytest.approx(exact.x, abs=0.02)
    assert model.loss_curve_[-1] == pytest.approx(exact.fun, rel=2e-3)


# -- the lesson -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("score", [-1.0, -5.0, -20.0, -300.0])
def test_a_pattern_that_is_surely_wrong_has_no_gradient(score):
    """y = 1, s = sigma(score): the neuron's error is (1 - s) s (1 - s), about s; that of logistic regression 1 - s."""
    neuron, loss = patterns.error_and_loss(patterns.SIGMOID, 1.0, score)
    logistic, surprise = patterns.error_and_loss(patterns.LOGISTIC, 1.0, score)
    s = expit(score)
    assert neuron == pytest.approx((1 - s) ** 2 * s, rel=1e-12)
    assert logistic == pytest.approx(1 - s, rel=1e-12)
    assert loss == pytest.approx(0.5 * (1 - s) ** 2)
    assert surprise == pytest.approx(-score + log1p(np.exp(score)))
    if score <= -20:
        assert neuron < 1e-8
        assert logistic > 1 - 1e-8


@pytest.mark.parametrize("y", [0.0, 1.0])
@pytest.mark.parametrize("score", [-800.0, -3.0, 0.0, 3.0, 800.0])
def test_errors_are_the_slopes_of_the_losses(y, score):
    for rule in (patterns.SIGMOID, patterns.LOGISTIC):
        error, loss = patterns.error_and_loss(rule, y, score)
        h = 1e-5
        ahead, behind = (patterns.error_and_loss(rule, y, score + sign * h)[1] for sign in (1, -1))
        assert np.isfinite([error, loss]).all()
        assert error == pytest.approx(-(ahead - behind) / (2 * h), abs=1e-7)


def test_from_a_sure_mistake_it_does_not_come_back():
    """Started on the wrong side, sure of itself, it stays there; a logistic neuron would turn round at once."""
    X, y = np.array([[1.0], [-1.0]] * 20), np.array([1, 0] * 20)
    stuck = SigmoidNeuron(eta=1.0, max_iter=50, tol=None).fit(X, y, coef_init=[[-30.0]])
    assert stuck.coef_[0, 0] == pytest.approx(-30.0, abs=1e-8)
    assert stuck.score(X, y) == 0.0
    learnt = SigmoidNeuron(eta=1.0, max_iter=50, tol=None).fit(X, y)
    assert learnt.score(X, y) == 1.0
    w = np.array([-30.0])
    for x, target in zip(X, y, strict=True):  # the same start and step, with cross-entropy
        w += (target - expit(x @ w)) * x
    assert w[0] > 0


def test_targets_are_zero_and_one():
    """With -1 for a target the error y - s would never vanish: all weights would go on growing (slip of note 004)."""
    X, y = np.array([[1.0], [-1.0]] * 50), np.array([1, 0] * 50)
    model = SigmoidNeuron(max_iter=500, tol=None).fit(X, y)
    assert model.loss_curve_[-1] < 1e-3
    assert model.predict_proba(X)[y == 0, 1].max() < 0.05


# -- as a classifier ------------------------------------------------------------------------------------------------


def test_probabilities():
    X, y = problem()
    model = SigmoidNeuron().fit(X, y)
    proba = model.predict_proba(X)
    assert proba[:, 1] == pytest.approx(expit(model.decision_function(X)))
    assert proba.sum(axis=1) == pytest.approx(1.0)
    assert np.array_equal(model.predict(X), model.classes_[proba.argmax(axis=1)])
    X, y = problem(classes=3)
    model = SigmoidNeuron().fit(X, y)
    each = expit(model.decision_function(X))
    assert model.predict_proba(X) == pytest.approx(each / each.sum(axis=1, keepdims=True))
    assert model.score(X, y) > LogisticRegression().fit(X, y).score(X, y) - 0.03
    hopeless = SigmoidNeuron(max_iter=1, tol=None).fit(X, y, intercept_init=[-800.0] * 3)
    assert np.isfinite(hopeless.predict_proba(X)).all()
    assert hopeless.predict_proba(X).sum(axis=1) == pytest.approx(1.0)


def test_one_class():
    X, _ = problem()
    model = SigmoidNeuron().fit(X, ["only"] * len(X))
    assert model.predict_proba(X).tolist() == [[1.0]] * len(X)
    assert model.predict(X[:2]).tolist() == ["only", "only"]


def test_sparse_rows_float32_and_offsets():
    X, y = problem(classes=3)
    X = np.round(np.where(np.random.default_rng(0).random(X.shape) < 0.5, X, 0.0) * 1024) / 1024
    plain = SigmoidNeuron().fit(X, y)
    thin = SigmoidNeuron().fit(sparse.csr_array(X), y)
    assert thin.predict_proba(sparse.csr_array(X)) == pytest.approx(plain.predict_proba(X), abs=1e-9)
    narrow = SigmoidNeuron().fit(X.astype(np.float32), y).predict_proba(X.astype(np.float32))
    assert narrow.dtype == np.float32
    assert narrow == pytest.approx(plain.predict_proba(X), abs=1e-5)
    for A in (X + 1e9, X + np.array([0.0, 1e6, -1e9])):
        assert SigmoidNeuron().fit(A, y).predict_proba(A) == pytest.approx(plain.predict_proba(X), abs=1e-9)


def test_partial_fit_is_one_epoch_in_pieces():
    X, y = problem()
    whole = SigmoidNeuron(eta=0.5, annealing=0.01, shuffle=False, max_iter=1, tol=None).fit(X, y)
    pieces = SigmoidNeuron(eta=0.5, annealing=0.01, shuffle=False)
    for part in np.array_split(np.arange(len(X)), 9):
        pieces.partial_fit(X[part], y[part], classes=[0, 1])
    assert flat(pieces) == pytest.approx(flat(whole), rel=1e-12)
    assert pieces.t_ == whole.t_


def test_bad_input():
    X, y = problem()
    with pytest.raises(ValueError, match="eta"):
        SigmoidNeuron(eta=-1.0).fit(X, y)
    with pytest.raises(ValueError, match="Unknown label type"):
        SigmoidNeuron().fit(X, X[:, 0])
    X[3, 0] = np.nan
    with pytest.raises(ValueError, match="NaN: first at row 3, column 0"):
        SigmoidNeuron().fit(X, y)


@pytest.mark.parametrize("exponent", [-530, -330, 330, 660])
def test_columns_of_extreme_size_are_learnt_in_other_units(exponent):
    X, y = problem(classes=3)
    plain, A = SigmoidNeuron().fit(X, y), np.ldexp(X, exponent)
    model = SigmoidNeuron().fit(A, y)
    assert np.array_equal(model.predict_proba(A), plain.predict_proba(X))
    assert np.array_equal(model.coef_, np.ldexp(plain.coef_, -exponent))
    thin = SigmoidNeuron().fit(sparse.csr_array(A), y)
    assert thin.predict_proba(sparse.csr_array(A)) == pytest.approx(plain.predict_proba(X), abs=1e-9)
    mixed = X * np.array([1.0, 3e-170, 7e150])
    assert SigmoidNeuron().fit(mixed, y).score(mixed, y) > plain.score(X, y) - 0.1
