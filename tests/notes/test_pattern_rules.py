"""The four pattern rules of lecture note 004, side by side, by hand and on one stream."""

import numpy as np
import pytest

from sumlearn import Adaline, Perceptron, SigmoidNeuron

LABELS = {Perceptron: (-1, 1), Adaline: (-1, 1), SigmoidNeuron: (0, 1)}


def sigma(a):
    return 1.0 / (1.0 + np.exp(-a))


def missing(y, p):
    return y - sigma(p)


def slope(y, p):
    return (y - sigma(p)) * sigma(p) * (1 - sigma(p))


RULES = [  # the learner, its step, what is multiplied with eta (x, 1), and the note's numbers for x = 1, 2
    (Perceptron(shuffle=False, max_iter=1, tol=None), 1.0, lambda y, p: y if y * p <= 0 else 0.0, (1.0, 0.0)),
    (Adaline(eta=0.1, shuffle=False, max_iter=1), 0.1, lambda y, p: y - p, (0.16, 0.03)),
    (SigmoidNeuron(eta=0.1, loss="logistic", shuffle=False, max_iter=1), 0.1, missing, (0.0575, 0.0037)),
    (SigmoidNeuron(eta=1.0, shuffle=False, max_iter=1), 1.0, slope, (0.161, 0.018)),
]  # fmt: skip
every_rule = pytest.mark.parametrize(("model", "eta", "error", "printed"), RULES)


def in_pieces(model, X, y):
    """Row by row through `partial_fit`."""
    for i in range(len(X)):
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=LABELS[type(model)])
    return model


def weights(model):
    return np.append(model.coef_, model.intercept_)


@every_rule
def test_two_patterns_by_hand(model, eta, error, printed):
    X, y = np.array([[1.0], [2.0]]), np.array(LABELS[type(model)])
    digits = 0.5 * 10.0 ** -max(len(str(value)) - 2 for value in printed)
    assert weights(model.fit(X, y)) == pytest.approx(printed, abs=digits)
    assert weights(in_pieces(type(model)(**model.get_params()), X, y)) == pytest.approx(weights(model), rel=1e-14)


@every_rule
@pytest.mark.parametrize("place", [0.0, 3.0, 40.0])
def test_one_stream(model, eta, error, printed, place):
    """w += eta error(y, p) x over rows that do not lie about zero, all at once and one at a time."""
    generator = np.random.default_rng(0)
    X = generator.standard_normal((60, 3)) * 0.5 + place / 10.0
    low, high = LABELS[type(model)]
    y = np.where(X[:, 0] - X[:, 1] + generator.standard_normal(60) > 0, high, low)
    w = np.zeros(4)
    for x, target in zip(np.column_stack([X, np.ones(60)]), y, strict=True):
        w += eta * error(target, w @ x) * x
    if np.abs(w).max() > 1e6:  # the step is too large for rows as long as these, which is said
        with pytest.raises(ValueError, match="too large"):
            model.fit(X, y)
        return
    assert weights(model.fit(X, y)) == pytest.approx(w, rel=1e-9)
    assert weights(in_pieces(type(model)(**model.get_params()), X, y)) == pytest.approx(w, rel=1e-9)


def test_a_step_that_is_given_later_moves_no_column():
    X, y = np.array([[1.0], [2.0]]), np.array([-1, 1])
    first = Adaline(shuffle=False, max_iter=3, tol=None, warm_start=True).fit(X, y)
    w, b = first.coef_[0, 0], first.intercept_[0]
    for x, target in zip(X[:, 0], y, strict=True):
        e = target - (w * x + b)
        w, b = w + 0.1 * e * x, b + 0.1 * e
    learnt_on = Adaline(shuffle=False, max_iter=3, tol=None).fit(X, y).set_params(eta=0.1).partial_fit(X, y)
    again = first.set_params(eta=0.1, max_iter=1).fit(X, y)
    for model in (learnt_on, again):
        assert weights(model) == pytest.approx([w, b], rel=1e-12)


def test_the_term_of_the_perceptron_is_two_or_minus_two():
    """Note 004 learns by eta (y - sign(x'w)) x: zero, 2 or -2 times eta x, so that its eta is half of `eta0`."""
    generator, eta = np.random.default_rng(1), 0.25
    X = generator.standard_normal((80, 3))
    y = np.where(X[:, 0] + 0.3 * generator.standard_normal(80) > 0, 1, -1)
    w, terms = np.zeros(4), set()
    for x, target in zip(np.column_stack([X, np.ones(80)]), y, strict=True):
        said = np.sign(w @ x) or -target  # on the plane itself a pattern counts as wrong
        terms.add(target - said)
        w += eta * (target - said) * x
    assert terms == {0, 2, -2}
    model = Perceptron(eta0=2 * eta, shuffle=False, max_iter=1, tol=None).fit(X, y)
    assert weights(model) == pytest.approx(w, rel=1e-12)
