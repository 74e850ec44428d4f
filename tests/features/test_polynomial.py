"""Polynomials against scikit-learn's, SciPy's Legendre polynomials and the curves they fit."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import eval_legendre
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import PolynomialFeatures

import sumlearn
from sumlearn.data import load_example, make_noisy_polynomial
from sumlearn.features import Polynomial

SHAPES = st.tuples(st.integers(1, 40), st.integers(1, 5))


def rows(n, d, seed=0):
    return np.random.default_rng([seed, n, d]).standard_normal((n, d)) * 2.0 + 0.5


def fitted(phi, y):
    """Values of the least-squares fit with an intercept."""
    design = np.column_stack([np.ones(len(phi)), phi])
    return design @ np.linalg.lstsq(design, y, rcond=None)[0]


@settings(max_examples=80)
@given(shape=SHAPES, degree=st.integers(1, 6), interactions=st.sampled_from([True, "only"]), bias=st.booleans())
def test_agrees_with_scikit_learn(shape, degree, interactions, bias):
    """Same outputs in the same order under the same names; products may be rounded in another order."""
    X = rows(*shape)
    ours = Polynomial(degree, interactions, bias=bias).fit(X)
    theirs = PolynomialFeatures(degree, interaction_only=interactions == "only", include_bias=bias).fit(X)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-14)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert np.array_equal(ours.powers_, theirs.powers_)
    assert ours.size(shape[1]) == theirs.n_output_features_


@given(shape=SHAPES, degree=st.integers(1, 7), bias=st.booleans(), orthogonal=st.booleans())
def test_powers_of_single_columns(shape, degree, bias, orthogonal):
    X = rows(*shape)
    basis = Polynomial(degree, interactions=False, orthogonal=orthogonal, domain=(-3.0, 5.0), bias=bias).fit(X)
    t = (X - 1.0) / 4.0
    expected = [eval_legendre(k, t) if orthogonal else X**k for k in range(0 if bias else 1, degree + 1)]
    expected = np.hstack([np.ones((len(X), 1)) if bias and k == 0 else e for k, e in enumerate(expected)])
    np.testing.assert_allclose(basis.transform(X), expected, rtol=1e-12, atol=1e-13)
    assert basis.size(shape[1]) == expected.shape[1] == len(basis.get_feature_names_out())


@settings(max_examples=60)
@given(
    shape=SHAPES,
    degree=st.integers(1, 5),
    interactions=st.sampled_from([True, False, "only"]),
    low=st.floats(-5.0, 0.0),
    length=st.floats(0.5, 10.0),
    bias=st.booleans(),
)
def test_products_of_legendre_polynomials(shape, degree, interactions, low, length, bias):
    """Every output is the product, over the columns, of SciPy's P_k for the exponents of the output."""
    n, d = shape
    X = low + length * np.random.default_rng([n, d]).uniform(size=shape)
    domain = [(low, low + length * (1.0 + j)) for j in range(d)]
    basis = Polynomial(degree, interactions, orthogonal=True, domain=domain, bias=bias).fit(X)
    high = np.array(domain)[:, 1]
    t = (2.0 * X - low - high) / (high - low)
    expected = np.stack([eval_legendre(k, t).prod(axis=1) for k in basis.powers_], axis=1)
    np.testing.assert_allclose(basis.transform(X), expected, rtol=1e-11, atol=1e-12)
    assert len(basis.powers_) == basis.size(d)


@given(d=st.integers(1, 8), degree=st.integers(1, 8))
def test_number_of_outputs(d, degree):
    assert Polynomial(degree).size(d) == comb(d + degree, degree) - 1
    assert Polynomial(degree, False).size(d) == d * degree
    assert Polynomial(degree, "only").size(d) == sum(comb(d, k) for k in range(1, degree + 1))
    assert Polynomial(degree, bias=True).size(d) == Polynomial(degree).size(d) + 1


@settings(max_examples=20)
@given(
    degree=st.integers(1, 4),
    d=st.integers(1, 3),
    interactions=st.sampled_from([True, False, "only"]),
    domain=st.sampled_from([None, (-4.0, 4.0)]),
)
def test_same_span_as_monomials(degree, d, interactions, domain):
    X = rows(200, d)
    y = np.random.default_rng(1).standard_normal(200)
    plain = Polynomial(degree, interactions).fit_transform(X)
    orthogonal = Polynomial(degree, interactions, orthogonal=True, domain=domain).fit_transform(X)
    np.testing.assert_allclose(fitted(orthogonal, y), fitted(plain, y), atol=1e-9)


def test_legendre_polynomials_are_much_better_conditioned():
    X = np.linspace(10.0, 11.0, 500)[:, None]
    powers, legendre = Polynomial(6).fit_transform(X), Polynomial(6, orthogonal=True).fit_transform(X)

    def condition(Z):
        return np.linalg.cond((Z - Z.mean(axis=0)) / Z.std(axis=0))

    assert condition(powers) > 1e9
    assert condition(legendre) < 2.0


def test_orthogonal_on_the_domain():
    """The integral of P_i P_j over [-1, 1] is 2 / (2 i + 1) for i = j, else zero; by Gauss's rule, exactly."""
    nodes, weights = np.polynomial.legendre.leggauss(20)
    phi = Polynomial(8, orthogonal=True, domain=(3.0, 7.0)).fit_transform(5.0 + 2.0 * nodes[:, None])
    np.testing.assert_allclose((phi.T * weights) @ phi, np.diag(2.0 / (2.0 * np.arange(1, 9) + 1.0)), atol=1e-13)


def test_degree_of_a_noisy_polynomial():
    """A cubic without noise is met exactly from degree three on, and not before."""
    x, t = make_noisy_polynomial(30, noise=0.0, seed=0)
    errors = []
    for degree in range(1, 6):
        phi = Polynomial(degree).fit_transform(x)
        errors.append(np.abs(fitted(phi, t) - t).max())
    assert min(errors[:2]) > 1e-3
    assert max(errors[2:]) < 1e-12


@pytest.mark.parametrize(("degree", "outputs", "auc"), [(1, 8, 0.8393), (2, 44, 0.8722), (3, 164, 0.9106)])
@pytest.mark.parametrize("orthogonal", [False, True])
def test_polynomial_classifier_of_the_pima_table(degree, outputs, auc, orthogonal):
    """Least squares on 0 and 1 with standardised inputs, scored on the same rows."""
    pima = load_example("pima")
    phi = Polynomial(degree, orthogonal=orthogonal).fit_transform((pima.X - pima.X.mean(axis=0)) / pima.X.std(axis=0))
    assert phi.shape == (768, outputs)
    target = pima.y == "pos"
    assert roc_auc_score(target, fitted(phi, target)) == pytest.approx(auc, abs=5e-5)


def test_an_offset_costs_nothing_where_ranges_are_learned():
    X = np.round(rows(200, 3) * 1024) / 1024
    plain = Polynomial(4, orthogonal=True).fit_transform(X)
    np.testing.assert_allclose(Polynomial(4, orthogonal=True).fit_transform(X + 2.0**30), plain, rtol=1e-9, atol=1e-12)


def test_constant_column_and_single_row():
    X = np.array([[1e9, 3.0]])
    phi = Polynomial(3, orthogonal=True).fit_transform(X)
    basis = Polynomial(3, orthogonal=True).fit(X)
    t_is_zero = [eval_legendre(k, 0.0).prod() for k in basis.powers_]
    assert phi[0].tolist() == pytest.approx(t_is_zero)


def test_degree_zero_is_the_constant():
    """The intercept alone: M = 0 of lecture note 000."""
    assert Polynomial(0, bias=True).fit_transform([[2.0], [3.0]]).tolist() == [[1.0], [1.0]]
    basis = Polynomial(0).fit([[2.0]])
    assert basis.transform([[2.0], [3.0]]).shape == (2, 0)
    assert (basis.get_feature_names_out().tolist(), basis.powers_.shape) == ([], (0, 1))
    x, y = np.arange(8.0)[:, None], np.arange(8.0) ** 2
    model = sumlearn.LinearRegression(basis=Polynomial(0)).fit(x, y)
    assert model.predict(x) == pytest.approx(np.full(8, y.mean()))
    assert (model.coef_.shape, model.rank_, model.condition_) == ((0,), 0, 1.0)
    assert model.standard_errors_ == pytest.approx([y.std(ddof=1) / np.sqrt(8)])
    halves = [sumlearn.LinearRegression(basis=Polynomial(0)).fit(x[i::2], y[i::2]) for i in (0, 1)]
    assert sum(halves).intercept_ == pytest.approx(y.mean())
    labels = y > 20.0
    shares = sumlearn.LogisticRegression(C=np.inf, basis=Polynomial(0)).fit(x, labels).predict_proba(x[:1])
    assert shares[0] == pytest.approx([5 / 8, 3 / 8])
    for refused, message in (
        (sumlearn.FisherDiscriminant(basis=Polynomial(0)), "no column"),
        (sumlearn.BayesianRegression(basis=Polynomial(0)), "no column"),
        (sumlearn.PolynomialClassifier(0), "degree must be a whole number of at least 1"),
    ):
        with pytest.raises(ValueError, match=message):
            refused.fit(x, labels)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"degree": -1}, "degree must be a whole number of at least 0, got -1"),
        ({"degree": 1.5}, "degree must be a whole number"),
        ({"degree": True}, "degree must be a whole number"),
        ({"degree": "2"}, "degree must be a whole number"),
        ({"interactions": "all"}, "interactions must be one of True, False, 'only', got 'all'"),
        ({"interactions": 1}, "interactions must be one of"),
        ({"orthogonal": True, "domain": (1.0, 1.0)}, "domain must have low < high.*column 0"),
        ({"orthogonal": True, "domain": [(0.0, 1.0), (2.0, 1.0)]}, "domain must have low < high.*column 1"),
        ({"orthogonal": True, "domain": (0.0, np.nan)}, "domain must be finite, got nan at index \\(1,\\)"),
        ({"orthogonal": True, "domain": [(0.0, 1.0)] * 3}, "domain must be one pair .* got shape \\(3, 2\\)"),
        ({"orthogonal": True, "domain": "unit"}, "domain must hold numbers, got 'unit'"),
        ({"orthogonal": True, "domain": [[0.0], [1.0, 2.0]]}, "domain must hold numbers"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        Polynomial(**options).fit(rows(5, 2))


@pytest.mark.parametrize("interactions", [True, False])
def test_overflow_is_refused_with_its_place(interactions):
    X = np.ones((5, 2))
    X[3, 1] = 1e200
    basis = Polynomial(2, interactions).fit(X)
    with pytest.raises(ValueError, match=r"too large for float64: 'x1\^2' overflows, first at row 3"):
        basis.transform(X)
    X = np.ones((5, 2), np.float32)
    X[4, 0] = 1e20
    with pytest.raises(ValueError, match=r"too large for float32: 'x0\^2' overflows, first at row 4"):
        basis.transform(X)
    outside = Polynomial(3, interactions, orthogonal=True, domain=(0.0, 1.0)).fit(X)
    with pytest.raises(ValueError, match=r"'P3\(x0\)' overflows, first at row 2"):
        outside.transform([[1.0, 1.0], [0.0, 0.0], [1e120, 1.0]])


def test_too_many_outputs_are_refused_before_they_are_allocated():
    basis = Polynomial(9).fit(np.ones((1000, 60)))
    with pytest.raises(ValueError, match="needs .* GiB"):
        basis.transform(np.ones((1000, 60)))
