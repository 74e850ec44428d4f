"""Least squares on 120 random problems of condition 1 to 1e9, against extended precision."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from sumlearn import LinearRegression

LIMITS = [(1e6, 1e-9), (1e9, 8e-7)]  # up to this condition, the worst relative error of the coefficients


def problem(seed, rows=(20, 400)):
    """X with singular values from 1 down to 1 / condition about its mean, an offset in every column, noisy y."""
    rng = np.random.default_rng(seed)
    condition = 10.0 ** rng.uniform(0.0, 9.0)
    n, d = int(rng.integers(*rows, endpoint=True)), int(rng.integers(2, 13))
    U = np.linalg.qr(rng.standard_normal((n, d)))[0]
    V = np.linalg.qr(rng.standard_normal((d, d)))[0]
    singular = condition ** -np.append([0.0, 1.0], rng.uniform(0.0, 1.0, d - 2))
    X = np.sqrt(n) * (U * singular) @ V.T + rng.uniform(-1.0, 1.0, d) * 10.0 ** rng.uniform(0.0, 2.0)
    y = X @ rng.standard_normal(d) + 10.0 ** rng.uniform(-6.0, 0.0) * rng.standard_normal(n) + rng.standard_normal()
    return X, y, condition


def whole_numbers(A):
    """A times a power of two that makes every entry a whole number."""
    shift = 53 - int(np.frexp(np.abs(A[A != 0]).min())[1])
    return np.array([[int(Fraction(float(v)) * 2**shift) for v in row] for row in A], dtype=object)


def exact_coefficients(X, y):
    """(intercept, b) from the normal equations in whole numbers, solved with 120 digits."""
    Z = whole_numbers(np.column_stack([np.ones(len(X)), X, y]))
    gram = Z.T @ Z
    with mpmath.workdps(120):
        scale = mpmath.mpf(int(gram[0, 0]))
        G = mpmath.matrix([[mpmath.mpf(int(v)) / scale for v in row] for row in gram[:-1, :-1]])
        g = mpmath.matrix([mpmath.mpf(int(v)) / scale for v in gram[:-1, -1]])
        return np.array([float(v) for v in mpmath.lu_solve(G, g)])


def check(fit, seed, rows=(20, 400)):
    X, y, condition = problem(seed, rows)
    exact = exact_coefficients(X, y)
    limit = next(limit for up_to, limit in LIMITS if condition <= up_to)
    model = fit(X, y)
    error = np.abs(model.coef_ - exact[1:]).max() / np.abs(exact[1:]).max()
    assert model.rank_ == X.shape[1], f"problem {seed}: rank {model.rank_} at condition {condition:.1e}"
    assert error <= limit, f"problem {seed}: error {error:.1e} at condition {condition:.1e}"


def one_fit(X, y):
    return LinearRegression().fit(X, y)


def seven_models(X, y):
    return sum(LinearRegression().fit(X[part], y[part]) for part in np.array_split(np.arange(len(y)), 7))


@pytest.mark.parametrize("batch", range(12))
def test_coefficients(batch):
    for seed in range(10 * batch, 10 * batch + 10):
        check(one_fit, seed)


@pytest.mark.parametrize("seed", range(200, 220))
def test_coefficients_of_merged_models(seed):
    check(seven_models, seed)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("seed", range(300, 315))
def test_coefficients_of_several_chunks(seed):
    check(one_fit, seed, rows=(3000, 9000))


def test_condition_is_reported():
    """condition_ is that of the centred columns scaled to unit length, in the 1-norm estimate: right within d."""
    for seed in range(120):
        X, y, _ = problem(seed)
        centred = X - X.mean(axis=0)
        expected = np.linalg.cond(centred / np.linalg.norm(centred, axis=0))
        found = LinearRegression().fit(X, y).condition_
        d = X.shape[1]
        assert expected / d <= found <= expected * d, f"problem {seed}: {found:.2e}, not {expected:.2e}"
