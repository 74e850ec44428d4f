"""RandomBasis and RandomFourierBasis against their formulas and a kernel; what a seed decides."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel

import sumlearn as sl
from sumlearn.features import RandomBasis, RandomFourierBasis, SigmoidBasis

from tests.agreement.problems import distance, regression


def rows(n, d, seed=0):
    return np.random.default_rng([seed, n, d]).standard_normal((n, d))


def directly(basis, X):
    """The formula, one function at a time."""
    low, high = basis.domain_.T
    t = (2.0 * X - low - high) / (high - low)
    out = []
    for a, m in zip(basis.directions_.T, basis.places_.T, strict=True):
        z = (t - m) @ a
        if basis.activation == "rbf":
            used = a != 0
            z = -0.5 * a.max() ** 2 * ((t - m)[:, used] ** 2).sum(axis=1)
        form = {"sigmoid": expit, "tanh": np.tanh, "relu": lambda v: np.maximum(v, 0.0), "rbf": np.exp}
        out.append(form[basis.activation](z))
    return np.column_stack(out)


@given(
    activation=st.sampled_from(["sigmoid", "tanh", "relu", "rbf"]),
    d=st.integers(1, 4),
    M=st.integers(1, 12),
    scale=st.floats(0.1, 20.0),
    given_domain=st.booleans(),
    seed=st.integers(0, 2**31 - 1),
)
def test_formula(activation, d, M, scale, given_domain, seed):
    X = 3.0 * rows(30, d) + 5.0
    domain = (-2.0, 12.0) if given_domain else None
    basis = RandomBasis(M, activation, scale=scale, domain=domain, random_state=seed).fit(X)
    assert basis.seed_ == seed and basis.stateless == given_domain
    assert (np.abs(basis.places_) <= 1.0).all()
    np.testing.assert_allclose(basis.transform(X), directly(basis, X), rtol=1e-9, atol=1e-12)
    if not given_domain:
        np.testing.assert_array_equal(basis.domain_, np.column_stack([X.min(axis=0), X.max(axis=0)]))


def test_one_column_is_the_note():
    """sigma((x - mu) / s) with mu = middle + m half and s = half / a, as SigmoidBasis computes it."""
    x = rows(50, 1)
    basis = RandomBasis(6, domain=(-1.0, 3.0), random_state=4).fit(x)
    rising = basis.directions_[0] > 0
    mu, s = 1.0 + 2.0 * basis.places_[0], 2.0 / np.abs(basis.directions_[0])
    note = SigmoidBasis(mu, s).fit(x).transform(x)
    np.testing.assert_allclose(basis.transform(x), np.where(rising, note, 1.0 - note), rtol=1e-9, atol=1e-12)


def test_draws_have_their_distributions():
    basis = RandomBasis(20_000, scale=3.0, domain=(0.0, 1.0)).fit(rows(5, 4))
    assert basis.directions_.std() == pytest.approx(3.0 / 2.0, rel=0.02)
    assert abs(basis.directions_.mean()) < 0.03 and basis.places_.std() == pytest.approx(3.0**-0.5, rel=0.02)
    assert abs(np.corrcoef(basis.directions_.ravel(), basis.places_.ravel())[0, 1]) < 0.02
    bumps = RandomBasis(20_000, "rbf", scale=3.0, domain=(0.0, 1.0)).fit(rows(5, 4))
    widths = np.log2(bumps.directions_[0] / 1.5)
    assert widths.min() > -1.001 and widths.max() < 1.001 and widths.std() == pytest.approx(3.0**-0.5, rel=0.02)


def test_a_column_that_does_not_vary_is_left_out():
    X = rows(30, 2)
    wide = np.column_stack([X, np.full(30, 7.0)])
    for activation in ("sigmoid", "rbf"):
        without, with_it = (RandomBasis(9, activation).fit(A).transform(A) for A in (X, wide))
        np.testing.assert_allclose(with_it, without, rtol=1e-12)


def test_offsets_and_units_do_not_matter():
    X = np.round(rows(40, 3) * 1024) / 1024
    near = RandomBasis(20).fit(X).transform(X)
    for unit, offset in ((1.0, 1e9), (2.0**300, 0.0), (2.0**-300, 0.0)):
        moved = X * unit + offset
        np.testing.assert_allclose(RandomBasis(20).fit(moved).transform(moved), near, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", [RandomBasis, RandomFourierBasis])
def test_seeds(kind):
    X = rows(20, 2)
    given_domain = {"domain": (-3.0, 3.0)} if kind is RandomBasis else {}
    one, same, other = (kind(5, random_state=s, **given_domain).fit(X) for s in (3, 3, 4))
    assert one.same_as(same) and not one.same_as(other)
    assert not kind(5, random_state=3).same_as(kind(5, random_state=4))
    assert one.differing(other)[0] == "seed_ (3 and 4)"
    assert one.advice(other) == "give both the same random_state (such as basis_.seed_ of one of them)"
    drawn = [kind(5, random_state=None, **given_domain).fit(X) for _ in range(2)]
    assert not drawn[0].same_as(drawn[1])
    again = kind(5, random_state=drawn[0].seed_, **given_domain).fit(X)
    assert np.array_equal(again.transform(X), drawn[0].transform(X))
    generator = kind(5, random_state=np.random.RandomState(0), **given_domain)
    assert generator.fit(X).seed_ != generator.fit(X).seed_
    for bad in (-1, 1.5, "seed"):
        with pytest.raises(ValueError, match="random_state|seed"):
            kind(5, random_state=bad, **given_domain).fit(X)


@pytest.mark.parametrize("kind", [RandomBasis, RandomFourierBasis])
def test_sums_with_different_seeds_are_refused_by_name(kind):
    X, y = regression(60, 2)
    given_domain = {"domain": (-30.0, 30.0)} if kind is RandomBasis else {}
    a, b = (sl.Ridge(basis=kind(5, random_state=s, **given_domain)).fit(X, y) for s in (1, 2))
    with pytest.raises(ValueError, match=r"differ in basis .*random_state=1.*random_state=2"):
        a + b
    a, b = (sl.Ridge(basis=kind(5, random_state=None, **given_domain)).fit(X, y) for _ in range(2))
    with pytest.raises(ValueError, match=r"differ in their basis, seed_ \(\d+ and \d+\)"):
        a - b
    first = sl.Ridge(basis=kind(5, random_state=None, **given_domain)).fit(X[:30], y[:30])
    seed = first.basis_.seed_
    first.partial_fit(X[30:], y[30:])  # the draw of the first call stays
    assert first.basis_.seed_ == seed
    whole = sl.Ridge(basis=kind(5, random_state=seed, **given_domain)).fit(X, y)
    assert distance(first.predict(X), whole.predict(X)) < 1e-9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_functions": 0}, "n_functions must be a whole number of at least 1"),
        ({"n_functions": 2.5}, "n_functions must be a whole number"),
        ({"activation": "step"}, "activation must be one of 'sigmoid'"),
        ({"scale": 0.0}, "scale must be positive"),
        ({"scale": [1.0, 2.0]}, "scale must be one number"),
        ({"scale": "steep"}, "scale must hold numbers"),
        ({"domain": (1.0, 0.0)}, "domain must have low < high"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        RandomBasis(**options).fit(rows(10, 2))


# -- random Fourier features ------------------------------------------------------------------------------------------


@given(d=st.integers(1, 4), M=st.integers(1, 10), width=st.floats(0.1, 10.0), seed=st.integers(0, 1000))
def test_cosines(d, M, width, seed):
    X = rows(15, d)
    basis = RandomFourierBasis(M, width, random_state=seed).fit(X)
    expected = np.sqrt(2.0 / M) * np.cos(X @ basis.frequencies_ + basis.phases_)
    np.testing.assert_allclose(basis.transform(X), expected, rtol=1e-9, atol=1e-12)


def test_products_approximate_the_gaussian_kernel():
    X, Z = rows(20, 3), rows(25, 3, seed=1)
    wanted = rbf_kernel(X, Z, gamma=1.0 / (2.0 * 1.5**2))
    errors = []
    for M in (100, 10_000):
        basis = RandomFourierBasis(M, 1.5).fit(X)
        errors.append(np.abs(basis.transform(X) @ basis.transform(Z).T - wanted).max())
    assert errors[1] < 5.0 / np.sqrt(10_000) and errors[1] < 0.3 * errors[0]


def test_ridge_on_cosines_is_nearly_kernel_ridge():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (200, 1))
    y = np.sin(2.0 * X[:, 0]) + 0.1 * rng.standard_normal(200)
    kernel = KernelRidge(alpha=0.5, kernel="rbf", gamma=0.5).fit(X, y).predict(X)
    ours = sl.Ridge(0.5, fit_intercept=False, basis=RandomFourierBasis(600, 1.0)).fit(X, y).predict(X)
    assert np.sqrt(((ours - kernel) ** 2).mean()) < 0.04


@pytest.mark.parametrize("width", [0.0, -1.0, np.nan, "wide", [1.0, 2.0]])
def test_bad_widths(width):
    with pytest.raises(ValueError, match="width must"):
        RandomFourierBasis(5, width).fit(rows(10, 2))
