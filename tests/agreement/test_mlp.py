"""Multilayer perceptrons against scikit-learn's: the same draws, the same steps, the same weights.

Differences are those of rounding, which a step hands on to the next: 1e-8 after a course of full batches.
"""

import numpy as np
import pytest
from sklearn import neural_network
from sklearn.datasets import load_digits, make_multilabel_classification, make_regression

import sumlearn as sl

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
DIGITS = [values[:300] for values in load_digits(return_X_y=True)]
DIGITS[0] = DIGITS[0] / 16.0
X, Y = make_regression(120, 5, n_targets=2, random_state=0)
Y /= Y.std()
COURSES = [
    {},
    {"batch_size": 300, "max_iter": 30},
    {"solver": "sgd", "activation": "tanh", "hidden_layer_sizes": (20, 10)},
    {"solver": "sgd", "activation": "logistic", "learning_rate": "invscaling", "nesterovs_momentum": False},
    {"solver": "sgd", "momentum": 0.0, "learning_rate": "adaptive", "tol": 1.0, "n_iter_no_change": 1},
    {"activation": "identity", "alpha": 1.0, "shuffle": False},
    {"early_stopping": True, "max_iter": 12},
]


def both(kind, options, X, y, weight=None):
    options = {"max_iter": 6, "random_state": 3, **options}
    return [getattr(home, kind)(**options).fit(X, y, sample_weight=weight) for home in (sl, neural_network)]


def assert_same_weights(ours, theirs, bound=1e-8):
    for mine, other in zip(ours.coefs_ + ours.intercepts_, theirs.coefs_ + theirs.intercepts_, strict=True):
        assert mine == pytest.approx(other, rel=bound, abs=bound)
    assert (ours.n_iter_, ours.t_, ours.out_activation_) == (theirs.n_iter_, theirs.t_, theirs.out_activation_)


@pytest.mark.parametrize("options", COURSES, ids=str)
@pytest.mark.parametrize("classes", [10, 2])
def test_classes(options, classes):
    rows = DIGITS[1] < classes
    ours, theirs = both("MLPClassifier", options, DIGITS[0][rows], DIGITS[1][rows])
    assert_same_weights(ours, theirs)
    assert ours.loss_curve_ == pytest.approx(theirs.loss_curve_, rel=1e-8)
    assert (ours.validation_scores_ or []) == pytest.approx(theirs.validation_scores_ or [])
    assert ours.predict_proba(DIGITS[0]) == pytest.approx(theirs.predict_proba(DIGITS[0]), rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("options", COURSES, ids=str)
def test_numbers(options):
    ours, theirs = both("MLPRegressor", options, X, Y[:, 0])
    assert_same_weights(ours, theirs)
    assert ours.loss_curve_ == pytest.approx(theirs.loss_curve_, rel=1e-8)
    assert ours.predict(X) == pytest.approx(theirs.predict(X), rel=1e-7)


def test_weights_of_rows_counts_and_several_targets():
    weight = np.random.default_rng(0).random(120)
    assert_same_weights(*both("MLPRegressor", {}, X, Y, weight))
    assert_same_weights(*both("MLPRegressor", {"loss": "poisson"}, X, np.abs(Y[:, 0]).round()))
    rows, labels = make_multilabel_classification(100, random_state=0)
    ours, theirs = both("MLPClassifier", {}, rows, labels)
    assert_same_weights(ours, theirs)
    assert np.array_equal(ours.predict(rows), theirs.predict(rows))


def test_lbfgs_reaches_the_same_minimum():
    """A network without a bend has one minimum; both come to it, each on its way."""
    options = {"solver": "lbfgs", "activation": "identity", "hidden_layer_sizes": (), "max_iter": 2000, "tol": 1e-9}
    ours, theirs = both("MLPRegressor", options, X, Y[:, 0])
    assert ours.loss_ <= theirs.loss_ * (1 + 1e-6)
    assert ours.coefs_[0] == pytest.approx(theirs.coefs_[0], abs=1e-3)
    wide = {"solver": "lbfgs", "activation": "tanh", "hidden_layer_sizes": (20,), "max_iter": 500}
    ours, theirs = both("MLPRegressor", wide, X, Y[:, 0])
    assert ours.loss_ < 2.0 * theirs.loss_
