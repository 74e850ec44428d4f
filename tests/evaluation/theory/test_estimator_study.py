"""Estimators whose bias, variance and efficiency are known."""

import math

import numpy as np
import pytest

import sumlearn
from sumlearn.evaluation import efficiency, estimator_study


def normal(rows, mean=0.0, deviation=1.0):
    return lambda rng: mean + deviation * rng.standard_normal(rows)


def test_the_mean_of_a_normal_sample_is_efficient():
    found = estimator_study(np.mean, normal(20, 5.0, 3.0), 5.0, 20_000, bound=9 / 20, random_state=0)
    assert found.unbiased
    assert found.efficiency == pytest.approx(1.0, abs=0.04)  # four times sqrt(2 / n)
    assert found.mse == pytest.approx(9 / 20, rel=0.04)


def test_the_median_has_efficiency_two_over_pi():
    found = estimator_study(np.median, normal(401), 0.0, 10_000, bound=1 / 401, random_state=0)
    assert found.unbiased
    assert found.efficiency == pytest.approx(2 / np.pi, abs=0.04)  # .637


@pytest.mark.parametrize("rows", [3, 10])
def test_maximum_likelihood_of_the_variance_is_biased(rows):
    """E = (N - 1) / N sigma^2: not every maximum-likelihood estimator is unbiased (notes 000 and 002 say otherwise)."""
    found = estimator_study(np.var, normal(rows, 1.0, 2.0), 4.0, 8_000, random_state=0)
    assert not found.unbiased
    assert found.mean == pytest.approx(4.0 * (rows - 1) / rows, abs=4.0 * found.bias_error)
    assert found.bias == pytest.approx(-4.0 / rows, abs=4.0 * found.bias_error)
    right = estimator_study(lambda x: np.var(x, ddof=1), normal(rows, 1.0, 2.0), 4.0, 8_000, random_state=0)
    assert right.unbiased
    assert found.mse < right.mse  # and yet it errs less
    assert found.efficiency is None


def test_noise_precision_of_a_regression_is_biased():
    """1 / beta_ML = RSS / N has mean (N - p) / N sigma^2."""
    X = np.random.default_rng(1).standard_normal((12, 3))

    def fit(y):
        return 1.0 / sumlearn.LinearRegression().fit(X, y).noise_precision_

    found = estimator_study(fit, lambda rng: X @ [1.0, 2.0, 3.0] + rng.standard_normal(12), 1.0, 800, random_state=0)
    assert found.mean == pytest.approx(8 / 12, abs=4.0 * found.bias_error)
    assert not found.unbiased


def test_coefficients_reach_the_bound():
    """Least squares: Var = sigma^2 (X'X)^-1, every coefficient efficient."""
    X = np.column_stack([np.ones(15), np.linspace(-1, 1, 15)])
    bound = np.linalg.inv(X.T @ X).diagonal()
    found = estimator_study(
        lambda y: np.linalg.lstsq(X, y, rcond=None)[0],
        lambda rng: X @ [1.0, -2.0] + rng.standard_normal(15),
        [1.0, -2.0],
        10_000,
        bound=bound,
        random_state=0,
    )
    assert found.unbiased and found.replicates.shape == (10_000, 2)
    assert found.efficiency == pytest.approx(np.ones(2), abs=0.06)


def test_parts_add_up():
    found = estimator_study(np.max, lambda rng: rng.random(5), 1.0, 500, random_state=0)
    values = found.replicates
    assert found.mean == pytest.approx(values.mean()) and found.bias == pytest.approx(values.mean() - 1.0)
    assert found.variance == pytest.approx(values.var(ddof=1))
    assert found.mse == pytest.approx(found.bias**2 + found.variance * 499 / 500)
    assert found.bias_error == pytest.approx(values.std(ddof=1) / np.sqrt(500))
    assert found.mean == pytest.approx(5 / 6, abs=4 * found.bias_error)


# -- the test of efficiency -------------------------------------------------------------------------------------------


def log_normal(x, w):
    return -0.5 * float(((x - w) ** 2).sum()) / 4.0


def test_normal_mean():
    found = efficiency(np.mean, lambda w, rng: w + 2.0 * rng.standard_normal(10), log_normal, [-3.0, 0.0, 7.0], 400)
    assert found.efficient
    assert found.efficiency == pytest.approx(np.ones(3), abs=1e-8)
    assert found.factor == pytest.approx(np.full(3, 10 / 4.0), rel=1e-6)  # N / sigma^2
    assert found.information == pytest.approx(np.full(3, 2.5), rel=0.4)


def test_normal_median():
    found = efficiency(
        np.median, lambda w, rng: w + 2.0 * rng.standard_normal(101), log_normal, 0.0, 4000, random_state=0
    )
    assert not found.efficient
    assert found.efficiency[0] == pytest.approx(2 / np.pi, abs=0.05)


def test_a_coin():
    """The share of heads is efficient, with lambda = N / (w (1 - w)); its square is not for w^2."""

    def toss(w, rng):
        return rng.random(30) < w

    def log_p(x, w):
        return x.sum() * np.log(w) + (~x).sum() * np.log(1 - w)

    found = efficiency(np.mean, toss, log_p, [0.2, 0.5], 500, random_state=0)
    assert found.efficient
    assert found.factor == pytest.approx([30 / 0.16, 30 / 0.25], rel=1e-5)
    assert abs(found.bias).max() < 0.02
    assert not efficiency(lambda x: np.mean(x) ** 2, toss, log_p, 0.5, 200, random_state=0).efficient


def test_a_biased_copy_is_not_efficient():
    """Proportional to the error about another value: the line does not pass through the origin."""
    found = efficiency(
        lambda x: np.mean(x) + 1.0, lambda w, rng: w + 2.0 * rng.standard_normal(10), log_normal, 0.0, 300
    )
    assert not found.efficient and found.efficiency[0] == pytest.approx(1.0)
    assert found.bias[0] == pytest.approx(1.0, abs=0.2)


def log_logistic(deviation):
    def log_p(x, w):
        z = np.abs(x - w) / deviation
        return -float((z + 2.0 * np.log1p(np.exp(-z))).sum())

    return log_p


@pytest.mark.parametrize(("place", "deviation"), [(0.0, 1.0), (1e6, 1.0), (0.0, 1e-9), (1e-12, 1.0)])
def test_the_size_of_a_parameter_is_not_its_scale(place, deviation):
    """The mean of a logistic sample has efficiency 9 / pi^2 and information N / (3 s^2), wherever it lies."""
    draw = lambda w, rng: w + deviation * rng.logistic(size=10)  # noqa: E731
    found = efficiency(np.mean, draw, log_logistic(deviation), place, 1500, random_state=0)
    assert not found.efficient and found.efficiency[0] == pytest.approx(9 / np.pi**2, abs=0.03)
    assert found.information[0] * deviation**2 == pytest.approx(10 / 3, rel=0.1)


@pytest.mark.parametrize("w", [1e-9, 1e-3, 1e6])
def test_a_parameter_near_the_end_of_its_range(w):
    draw = lambda w, rng: rng.exponential(w, 20)  # noqa: E731
    log_p = lambda x, w: -len(x) * math.log(w) - x.sum() / w  # noqa: E731
    found = efficiency(np.mean, draw, log_p, w, 100, random_state=0)
    assert found.efficient and found.factor[0] * w**2 == pytest.approx(20.0, rel=1e-6)


# -- vectors ----------------------------------------------------------------------------------------------------------

X = np.vander(np.linspace(-1.0, 1.0, 15), 3) * [1.0, 100.0, 1e-3]
NOISE = 0.5
INFORMATION = X.T @ X / NOISE**2


def lines(w, rng):
    return X @ w + NOISE * rng.standard_normal(15)


def least_squares(y):
    return np.linalg.lstsq(X, y, rcond=None)[0]


def halves(y):
    """Unbiased, from every second row."""
    return np.linalg.lstsq(X[::2], y[::2], rcond=None)[0]


def log_lines(y, w):
    return -float(((y - X @ w) ** 2).sum()) / (2.0 * NOISE**2)


def test_least_squares_reaches_the_matrix_bound():
    w, bound = np.array([1.0, -2.0, 500.0]), np.linalg.inv(INFORMATION)
    study = estimator_study(least_squares, lambda rng: lines(w, rng), w, 4000, bound=bound, random_state=0)
    assert study.covariance == pytest.approx(np.cov(study.replicates.T), rel=1e-12)
    assert study.efficiency == pytest.approx(np.eye(3), abs=0.12) and study.unbiased and study.respects_bound
    assert study.efficiencies == pytest.approx(np.ones(3), abs=0.12)
    other = estimator_study(halves, lambda rng: lines(w, rng), w, 4000, bound=bound, random_state=0)
    assert other.unbiased and other.respects_bound and other.efficiencies.max() < 0.8
    # eigenvalues are those of C^-1 B, whatever the units
    expected = np.sort(np.linalg.eigvals(np.linalg.solve(other.covariance, bound)).real)
    assert other.efficiencies == pytest.approx(expected, rel=1e-6)
    shrunk = estimator_study(lambda y: 0.5 * least_squares(y), lambda rng: lines(w, rng), w, 500, bound=bound)
    assert not shrunk.unbiased and not shrunk.respects_bound


def test_the_gradient_is_a_matrix_times_the_error():
    """The note's own case: d ln P / dw = X'X / s^2 (w^ - w)."""
    points = np.array([[1.0, -2.0, 500.0], [0.0, 0.0, 0.0]])
    found = efficiency(least_squares, lines, log_lines, points, 60, random_state=0)
    scale = np.sqrt(np.outer(INFORMATION.diagonal(), INFORMATION.diagonal()))
    assert found.efficient and found.efficiency == pytest.approx(np.ones((2, 3)), abs=1e-8)
    for factor in found.factor:
        assert factor / scale == pytest.approx(INFORMATION / scale, abs=1e-5)
    assert found.information.shape == (2, 3, 3) and found.bias.shape == (2, 3)
    worse = efficiency(halves, lines, log_lines, points[:1], 400, random_state=0)
    assert not worse.efficient and worse.efficiency.max() < 0.8
    draw = lambda w, rng: w + 2.0 * rng.standard_normal(10)  # noqa: E731
    one = efficiency(np.mean, draw, log_normal, 1.5, 50, random_state=0)
    row = efficiency(lambda x: [np.mean(x)], draw, log_normal, [[1.5]], 50, random_state=0)
    assert row.factor.ravel() == pytest.approx(one.factor, rel=1e-9) and row.efficiency.shape == (1, 1)


def test_units_of_a_vector_do_not_matter():
    unit = np.array([1e-9, 1.0, 1e7])
    draw = lambda rng: unit * (rng.standard_normal((10, 3)) + 1.0)  # noqa: E731
    found = estimator_study(lambda x: x.mean(axis=0), draw, unit, 500, bound=np.diag(unit**2) / 10, random_state=0)
    assert found.respects_bound and found.efficiencies == pytest.approx(np.ones(3), abs=0.2)


def test_matrices_that_are_refused():
    w = np.zeros(3)
    for bound, message in (
        (np.eye(2), "bound has shape"),
        (-np.eye(3), "symmetric matrix, positive definite"),
        (np.triu(np.ones((3, 3))), "symmetric matrix, positive definite"),
    ):
        with pytest.raises(ValueError, match=message):
            estimator_study(least_squares, lambda rng: lines(w, rng), w, 10, bound=bound)
    with pytest.raises(ValueError, match="lie in a plane"):
        estimator_study(lambda y: np.full(3, y[0]), lambda rng: lines(w, rng), w, 10, bound=np.eye(3))
    with pytest.raises(ValueError, match="lie in a plane: parameters depend on each other"):
        efficiency(lambda y: np.full(3, y[0]), lines, log_lines, [w], 10)
    with pytest.raises(ValueError, match="the same slope in every sample"):
        efficiency(np.mean, lambda w, rng: rng.random(3), lambda x, w: w, 0.5, 20)
    with pytest.raises(ValueError, match="n must exceed the 3 parameters"):
        efficiency(least_squares, lines, log_lines, [w], 3)
    with pytest.raises(ValueError, match="give its bound as a matrix"):
        estimator_study(np.mean, normal(3), 0.0, 5, bound=1.0).efficiencies  # noqa: B018
    with pytest.raises(ValueError, match="give its bound as a matrix"):
        estimator_study(np.mean, normal(3), 0.0, 5, bound=1.0).respects_bound  # noqa: B018


def test_what_is_refused():
    with pytest.raises(ValueError, match="n must be at least 2"):
        estimator_study(np.mean, normal(3), 0.0, 1)
    with pytest.raises(ValueError, match=r"true has shape \(2,\) and an estimate \(\)"):
        estimator_study(np.mean, normal(3), [0.0, 0.0], 5)
    with pytest.raises(ValueError, match="the estimate of sample 0 is not finite"):
        estimator_study(lambda x: np.nan, normal(3), 0.0, 5)
    with pytest.raises(ValueError, match="bound must be positive"):
        estimator_study(np.mean, normal(3), 0.0, 5, bound=0.0)
    with pytest.raises(ValueError, match="parameters must be finite"):
        efficiency(np.mean, lambda w, rng: rng.random(3), log_normal, np.nan)
    with pytest.raises(ValueError, match="not finite for a sample"):
        efficiency(np.mean, lambda w, rng: rng.random(3), lambda x, w: np.nan, 1.0)
    with pytest.raises(ValueError, match="nothing is estimated"):
        efficiency(lambda x: 1.0, lambda w, rng: rng.random(3), log_normal, 1.0)
