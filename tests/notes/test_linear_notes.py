"""Notes 001, 003 and 004: three points, XOR, the start of a perceptron, Gaussian classes, and where the notes slip."""

import numpy as np
import pytest

from sumlearn import (
    FisherDiscriminant,
    LeastSquaresClassifier,
    LinearClassifier,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    PolynomialClassifier,
    RBFNetworkClassifier,
    Ridge,
)
from sumlearn.data import make_toy_points, make_xor
from sumlearn.objectives import Hinge, Logistic, OwnFunction, PerceptronLoss, ZeroOne
from sumlearn.solvers import BarzilaiBorwein

POINTS, LABELS, TARGETS = make_toy_points()
SIGNS = np.where(LABELS == "+", 1.0, -1.0)
AUGMENTED = np.column_stack([np.ones(3), POINTS])  # x0 = 1, as the note writes it


# -- note 001: the three points ---------------------------------------------------------------------------------------


def test_the_table_is_the_printed_one():
    assert POINTS.tolist() == [[0.9, 3.0], [3.0, 4.1], [1.2, 0.3]]
    assert LABELS.tolist() == ["+", "+", "-"] and TARGETS.tolist() == [0.5, 2.5, -1.0]


@pytest.mark.parametrize("penalty", [0.1, 1.0, 10.0])
def test_ridge_of_the_note_penalises_the_bias(penalty):
    """w = (X'X + lambda 1)^-1 X'y with x0 = 1 inside of X: no intercept beside it."""
    expected = np.linalg.solve(AUGMENTED.T @ AUGMENTED + penalty * np.eye(3), AUGMENTED.T @ TARGETS)
    assert Ridge(penalty, fit_intercept=False).fit(AUGMENTED, TARGETS).coef_ == pytest.approx(expected, rel=1e-12)


def test_the_last_slide_of_the_perceptron():
    """IF y x'w <= 0 THEN w += y x, until nothing changes: 1 and 3, then 3 again."""
    w, changed = np.zeros(3), True
    while changed:
        before = w
        for x, y in zip(AUGMENTED, SIGNS, strict=True):
            w = w + y * x if y * (x @ w) <= 0 else w
        changed = bool((w != before).any())
    model = Perceptron(shuffle=False).fit(POINTS, LABELS == "+")
    assert np.append(model.intercept_, model.coef_) == pytest.approx(w, abs=1e-12)
    assert w == pytest.approx([-1.0, -1.5, 2.4], abs=1e-12)


def test_the_perceptron_as_a_gradient_never_starts():
    """-y x'w > 0 is false for all rows at w = 0; with <= every row is active there (the note's slip)."""
    assert not (PerceptronLoss().slope(SIGNS, np.zeros(3))).any()
    assert (SIGNS * (AUGMENTED @ np.zeros(3)) <= 0).all()
    assert Perceptron(shuffle=False).fit(POINTS, SIGNS).mistakes_[0] == 2


def test_losses_of_the_three_points():
    """Under w = (-1, -1.5, 2.4) of the perceptron: scores 4.85, 4.34 and -2.08."""
    f = AUGMENTED @ [-1.0, -1.5, 2.4]
    assert f == pytest.approx([4.85, 4.34, -2.08])
    for loss in (ZeroOne(), PerceptronLoss(), Hinge()):
        assert not loss.value(SIGNS, f).any() and loss.value(-SIGNS, f).all()
    assert Logistic().value(SIGNS, f) == pytest.approx(np.log(1 + np.exp(-SIGNS * f)), rel=1e-13)


def regularised_risk(Z):
    """The logistic loss of rows with the labels of the table and |w|^2 / 2, and its slope."""

    def risk(w):
        return Logistic().value(SIGNS, Z @ w).sum() + 0.5 * w @ w

    return risk, lambda w: Z.T @ Logistic().slope(SIGNS, Z @ w) + w


def test_regularised_risk_step_by_step():
    """The printed loop, mu = 1, w = 0: on rows a fifth as long no step has to be cut."""
    risk, gradient = regularised_risk(AUGMENTED / 5)
    objective, solver = OwnFunction.of(risk, np.zeros(3), gradient), BarzilaiBorwein()
    state, w, mu, last = solver.start(objective, objective.start), np.zeros(3), 1.0, None
    for k in range(6):
        g = gradient(w)
        if k:
            mu *= (last @ last) / ((last - g) @ last)
        w, last = w - mu * g, g
        state = solver.step(objective, state)
        assert state.point == pytest.approx(w, rel=1e-9), f"step {k}"
    assert np.abs(gradient(w)).max() < 1e-6


def test_a_first_step_of_one_may_be_far_too_long():
    """On the printed rows mu = 1 raises the risk, unguarded in the note; here it is cut to a quarter."""
    risk, gradient = regularised_risk(AUGMENTED)
    assert risk(-gradient(np.zeros(3))) > risk(np.zeros(3))
    objective, solver = OwnFunction.of(risk, np.zeros(3), gradient), BarzilaiBorwein()
    state = solver.step(objective, solver.start(objective, objective.start))
    assert state.point == pytest.approx(-gradient(np.zeros(3)) / 4, rel=1e-12)


# -- note 004: XOR ----------------------------------------------------------------------------------------------------

SQUARE, EXCLUSIVE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
LINEAR = [LinearDiscriminantAnalysis(), LogisticRegression(), LeastSquaresClassifier(), FisherDiscriminant(),
          LinearClassifier("hinge"), LinearClassifier("squared_hinge")]  # fmt: skip


@pytest.mark.parametrize("model", LINEAR, ids=repr)
def test_no_line_separates_exclusive_or(model):
    """At most three of four points; a cloud at each corner: at most three quarters, but for chance."""
    assert model.fit(SQUARE, EXCLUSIVE).score(SQUARE, EXCLUSIVE) <= 0.75
    X, y = make_xor(400, spread=0.1)
    assert model.fit(X, y).score(X, y) <= 0.75


@pytest.mark.parametrize("model", [PolynomialClassifier(2), RBFNetworkClassifier(4, random_state=0)], ids=repr)
def test_basis_functions_separate_it(model):
    assert model.fit(SQUARE, EXCLUSIVE).score(SQUARE, EXCLUSIVE) == 1.0
    X, y = make_xor(400, spread=0.1)
    assert model.fit(X, y).score(X, y) == 1.0


# -- note 004: Gaussian classes, and where the note slips --------------------------------------------------------------


def two_classes(n0, n1, seed=0):
    generator = np.random.default_rng(seed)
    X = generator.standard_normal((n0 + n1, 3)) @ np.diag([1.0, 2.0, 0.5])
    y = np.repeat([0, 1], [n0, n1])
    return X + y[:, None] * [1.0, -0.5, 0.3], y


def test_the_constant_has_the_signs_of_note_000():
    """w0 = ln(k1/k0) + mu0'S^-1 mu0 / 2 - mu1'S^-1 mu1 / 2; note 004 prints both squares with the other sign."""
    X, y = two_classes(30, 50)
    model = LinearDiscriminantAnalysis().fit(X, y)
    (m0, m1), prior = model.means_, np.log(50 / 30)
    half = 0.5 * (m0 @ np.linalg.solve(model.covariance_, m0) - m1 @ np.linalg.solve(model.covariance_, m1))
    assert model.intercept_[0] == pytest.approx(prior + half, rel=1e-10)
    assert abs(model.intercept_[0] - (prior - half)) > 0.1


def test_the_unbiased_covariance_divides_by_the_rows_less_the_classes():
    """N = 12, M = 3 inputs, K = 2: the mean of 4000 estimates is the truth, with N - M it is 10 / 9 of it."""
    generator, n = np.random.default_rng(0), 4000
    y = np.repeat([0, 1], 6)
    scatter = np.zeros(3)
    for X in generator.standard_normal((n, 12, 3)):
        own = X - np.array([X[y == k].mean(axis=0) for k in (0, 1)])[y]
        scatter += (own**2).sum(axis=0)
    assert scatter.mean() / n / 10 == pytest.approx(1.0, abs=0.01)
    assert scatter.mean() / n / 9 == pytest.approx(10 / 9, abs=0.01)
    X = generator.standard_normal((12, 3))
    own = X - np.array([X[y == k].mean(axis=0) for k in (0, 1)])[y]
    model = LinearDiscriminantAnalysis(unbiased=True).fit(X, y)
    assert model.covariance_ == pytest.approx(own.T @ own / 10, rel=1e-12)


@pytest.mark.parametrize(("n0", "n1", "cosine"), [(40, 90, -1), (90, 40, 1), (50, 50, 0)])
def test_targets_without_their_sign_turn_fisher_round(n0, n1, cosine):
    """Note 000 has t = N / N_k for both classes: right, reversed or nothing, as the sizes will have it."""
    X, y = two_classes(n0, n1)
    direction = FisherDiscriminant().fit(X, y).direction_
    size, signed = np.where(y == 1, n1, n0), np.where(y == 1, 1.0, -1.0)
    right = LinearRegression().fit(X, signed * (n0 + n1) / size).coef_
    assert right @ direction / np.linalg.norm(right) == pytest.approx(1.0, abs=1e-12)
    printed = LinearRegression().fit(X, (n0 + n1) / size).coef_
    if cosine:
        assert printed @ direction / np.linalg.norm(printed) == pytest.approx(cosine, abs=1e-12)
    else:
        assert np.abs(printed).max() < 1e-12


# -- note 003 ---------------------------------------------------------------------------------------------------------


def test_logistic_decides_at_one_half():
    X, y = two_classes(30, 50)
    model = LogisticRegression().fit(X, y)
    assert ((model.predict_proba(X)[:, 1] >= 0.5) == (model.predict(X) == 1)).all()


def test_lambda_beside_a_mean_is_lambda_times_the_rows():
    """1/N sum r^2 + lambda |w|^2 is our alpha = N lambda; the note's next line drops the N."""
    X, y = two_classes(30, 50)
    Z, t, penalty = np.column_stack([X, np.ones(80)]), y.astype(float), 0.3
    expected = np.linalg.solve(Z.T @ Z + 80 * penalty * np.eye(4), Z.T @ t)
    assert Ridge(80 * penalty, fit_intercept=False).fit(Z, t).coef_ == pytest.approx(expected, rel=1e-11)
