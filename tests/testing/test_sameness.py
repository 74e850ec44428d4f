"""What counts as the same statistic and the same model, and what does not."""

import numpy as np
import pytest

from sumlearn import PCA, GaussianNB, Ridge
from sumlearn.statistics import Grouped, Moments
from sumlearn.testing import assert_same_model, assert_same_statistic

RNG = np.random.default_rng(0)
X = np.round(RNG.standard_normal((60, 3)) * 1024) / 1024
Y = np.round((X @ [1.0, -2.0, 0.5] + RNG.standard_normal(60)) * 1024) / 1024


def test_moments_that_differ_say_in_what():
    a = Moments.of(X, Y)
    assert_same_statistic(a, Moments.of(2 * X.mean(axis=0) - X, 2 * Y.mean() - Y))  # the same mean and scatter
    low = X.copy()
    low[0, 1] += 1e-6
    for b, message in (
        (Moments.of(X), "columns differ: 4 and 3"),
        (Moments.of(X, Y, form="diagonal"), "form differ: full and diagonal"),
        (Moments.of(X[1:], Y[1:]), "rows differ: 60 and 59"),
        (Moments.of(X, Y, np.full(60, 2.0)), "weights differ: 60.0 and 120.0"),
        (Moments.of(X + np.array([0.0, 1e-9, 0.0]), Y), "the mean of column 1 differs by 1e-09"),
        (Moments.of(low, Y), "the mean of column 1 differs by 1.67e-08"),
        (Moments.of(X * [1.0, 1.0, -1.0], Y), "the mean of column 2 differs"),
        (Moments.of(X[::-1] * [0, 0, 1] + X * [1, 1, 0], Y), r"scatter entry \(\d, \d\) differs by"),
    ):
        with pytest.raises(AssertionError, match=message):
            assert_same_statistic(a, b)


def test_a_difference_as_large_as_the_tolerance_is_noticed():
    """Both sides of the border, for a mean and for a scatter."""
    A = np.array([[-1.0], [1.0], [3.0], [5.0]])
    wide = 2.0 + (A - 2.0) * (1 + 1e-7)  # scatter larger by 2e-7
    assert_same_statistic(Moments.of(A), Moments.of(wide), 3e-7)
    with pytest.raises(AssertionError, match=r"scatter entry \(0, 0\) differs by 2e-07"):
        assert_same_statistic(Moments.of(A), Moments.of(wide), 1e-7)
    deviation = Moments.of(A).deviation[0]
    assert_same_statistic(Moments.of(A), Moments.of(A + 1e-7 * deviation), 2e-7)
    with pytest.raises(AssertionError, match="the mean of column 0 differs by"):
        assert_same_statistic(Moments.of(A), Moments.of(A + 1e-7 * deviation), 5e-8)


def test_groups_and_kinds_that_differ():
    label = np.arange(60) % 2
    with pytest.raises(AssertionError, match="label 1: rows differ: 30 and 29"):
        assert_same_statistic(Grouped.of(X, label), Grouped.of(X[:-1], label[:-1]))
    with pytest.raises(AssertionError, match=r"the labels are \[0, 1\] and \[0\]"):
        assert_same_statistic(Grouped.of(X, label), Grouped.of(X, label * 0))
    with pytest.raises(AssertionError, match="Moments and Grouped are no two of a kind"):
        assert_same_statistic(Moments.of(X), Grouped.of(X, label))


def test_models_that_differ_say_in_what():
    a = GaussianNB().fit(X, Y > 0)
    other = X.copy()
    other[0] += 1e-3
    with pytest.raises(AssertionError, match=r"^predict_proba: they differ by"):
        assert_same_model(a, GaussianNB().fit(other, Y > 0), X)
    with pytest.raises(AssertionError, match=r"^predict_proba: shapes differ: \(60, 2\) and \(60, 1\)"):
        assert_same_model(a, GaussianNB().fit(X, np.zeros(60)), X)
    with pytest.raises(AssertionError, match=r"^classes_: \[False  True\] and \[3 7\]"):
        assert_same_model(a, GaussianNB().fit(X, np.where(Y > 0, 7, 3)), X)
    with pytest.raises(AssertionError, match=r"one has \['predict'\], the other \['transform'\]"):
        assert_same_model(Ridge().fit(X, Y), PCA().fit(X), X)
    with pytest.raises(ValueError, match="object neither predicts nor transforms"):
        assert_same_model(object(), object(), X)


def test_nan_on_one_side_is_no_sameness():
    class Says:
        def __init__(self, *values):
            self.values = np.array(values)

        def predict(self, X):
            return self.values

    assert_same_model(Says(1.0, np.nan), Says(1.0, np.nan), X)
    for other in (Says(1.0, 2.0), Says(np.nan, 1.0), Says(1.0, np.inf), Says(1.0)):
        with pytest.raises(AssertionError, match="NaN or infinity on one side only|shapes differ"):
            assert_same_model(Says(1.0, np.nan), other, X)
    with pytest.raises(AssertionError, match="they differ by 1e-08, where the largest is 1"):
        assert_same_model(Says(1.0), Says(1.0 + 1e-8), X)
