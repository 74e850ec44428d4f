"""gaussian_weights against the density of the normal distribution, and weighted least squares with them."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sumlearn import LinearRegression
from sumlearn.features import gaussian_weights

from tests.agreement.problems import distance, regression


def relative_density(X, centre, covariance):
    """exp(-(x - mu)'Sigma^-1 (x - mu) / 2) with 40 digits; SciPy's density has 8 of them at condition 1e5."""
    with mpmath.workdps(40):
        precision = mpmath.inverse(mpmath.matrix(covariance.tolist()))
        away = [mpmath.matrix(x.tolist()) - mpmath.matrix(centre.tolist()) for x in X]
        return [float(mpmath.exp(-(z.T * precision * z)[0] / 2)) for z in away]


@given(d=st.integers(1, 4), form=st.sampled_from(["number", "vector", "matrix"]), seed=st.integers(0, 99))
def test_is_the_density_relative_to_its_peak(d, form, seed):
    rng = np.random.default_rng([seed, d])
    X, centre = rng.standard_normal((20, d)), rng.standard_normal(d)
    root = rng.standard_normal((d, d)) + 2.0 * np.eye(d)
    width = {"number": 0.7, "vector": rng.uniform(0.3, 2.0, d), "matrix": root @ root.T}[form]
    covariance = width if form == "matrix" else np.diag(np.broadcast_to(np.square(width), d))
    expected = relative_density(X, centre, np.asarray(covariance))
    found = gaussian_weights(X, centre, width)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=2 * np.finfo(float).smallest_subnormal)
    assert gaussian_weights(centre[None], centre, width).tolist() == [1.0]


def test_weighted_least_squares():
    """a = (X'DX)^-1 X'D t with d_n of the note."""
    X, t = regression(80, 2)
    weight = gaussian_weights(X, X.mean(axis=0), X.std(axis=0))
    A = np.column_stack([X, np.ones(80)])
    expected = np.linalg.solve((A.T * weight) @ A, (A.T * weight) @ t)
    model = LinearRegression().fit(X, t, sample_weight=weight)
    assert distance(np.append(model.coef_, model.intercept_), expected) < 1e-9


def test_far_and_near():
    assert gaussian_weights([[1e300], [0.0]], 0.0, 1e-5).tolist() == [0.0, 1.0]
    near, far = gaussian_weights([[0.5]], 0.0, 1.0), gaussian_weights([[1e9 + 0.5]], 1e9, 1.0)
    assert near == far


@pytest.mark.parametrize(
    ("X", "centre", "width", "message"),
    [
        ([[0.0, 1.0]], 0.0, 1.0, r"centre must have 2 numbers"),
        ([[0.0]], np.nan, 1.0, "centre must be finite"),
        ([[0.0]], 0.0, 0.0, "width must be positive"),
        ([[0.0]], 0.0, [1.0, 2.0], "width must be one number, 1 numbers or a covariance"),
        ([[0.0, 1.0]], [0.0, 0.0], np.eye(3), "symmetric"),
        ([[0.0, 1.0]], [0.0, 0.0], [[1.0, 0.0], [0.5, 1.0]], "symmetric"),
        ([[0.0, 1.0]], [0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]], "positive definite"),
        ([[0.0], [np.nan]], 0.0, 1.0, "Input X contains NaN: first at row 1, column 0"),
        ([0.0, 1.0], 0.0, 1.0, "Expected 2D array"),
    ],
)
def test_bad_input(X, centre, width, message):
    with pytest.raises(ValueError, match=message):
        gaussian_weights(X, centre, width)
