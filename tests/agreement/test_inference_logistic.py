"""Inference on logistic regression against statsmodels' Logit and MNLogit, with a penalty against closed forms."""

import numpy as np
import pytest
import statsmodels.api as sm

from sumlearn import LogisticRegression
from sumlearn.data import load_example

from tests.agreement.problems import classes, distance, whole_weights

EXACT = 1e-9


def design(X, intercept):
    return np.column_stack([np.ones(len(X)), X]) if intercept else X


def overlapping(n, d, k):
    """Classes with a maximum of the likelihood."""
    X, y = classes(n, d, k)
    return X + 4.0 * np.random.default_rng(n).standard_normal(X.shape), y


def two_classes():
    pima = load_example("pima")
    return pima.X, (pima.y == "pos").astype(float)


def reference(X, y, intercept):
    kind = sm.Logit if len(np.unique(y)) == 2 else sm.MNLogit
    return kind(y, design(X, intercept)).fit(disp=0, method="newton", tol=1e-15, maxiter=100)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("data", ["pima", "two", "three", "five"])
def test_maximum_likelihood(data, intercept):
    X, y = two_classes() if data == "pima" else overlapping(600, 3, {"two": 2, "three": 3, "five": 5}[data])
    expected = reference(X, y, intercept)
    model = LogisticRegression(C=np.inf, fit_intercept=intercept).fit(X, y)
    found = model.inference()
    assert distance(found.estimates, expected.params.T) < 1e-8
    assert distance(model.covariance_, expected.cov_params()) < EXACT
    assert distance(model.standard_errors_, np.asarray(expected.bse).T) < EXACT
    assert distance(model.p_values_, np.asarray(expected.pvalues).T) < 1e-8
    assert distance(model.confidence_interval(0.9), np.asarray(expected.conf_int(0.1))) < 1e-8
    assert model.log_likelihood_ == pytest.approx(expected.llf, rel=EXACT)
    assert model.aic_ == pytest.approx(expected.aic, rel=EXACT)
    assert model.bic_ == pytest.approx(expected.bic, rel=EXACT)
    assert model.pseudo_r2_ == pytest.approx(expected.prsquared, abs=1e-8)  # statsmodels finds ln L0 by steps
    assert distance(model.cramer_rao_, model.covariance_) == 0.0
    assert distance(model.fisher_information_ @ model.covariance_, np.eye(len(model.covariance_))) < EXACT
    if intercept:
        test = found.likelihood_ratio_test
        assert test.statistic == pytest.approx(expected.llr, rel=1e-7)
        assert test.p_value == pytest.approx(expected.llr_pvalue, rel=1e-5)
        assert test.degrees == expected.df_model


def test_information_of_two_classes():
    """X'WX with w = p (1 - p)."""
    X, y = two_classes()
    model = LogisticRegression(C=np.inf).fit(X, y)
    p = model.predict_proba(X)[:, 1]
    D = design(X, True)
    assert distance(model.fisher_information_, D.T @ ((p * (1 - p))[:, None] * D)) < EXACT


def test_wald_tests():
    X, y = two_classes()
    model, expected = LogisticRegression(C=np.inf).fit(X, y), reference(X, y, True)
    R, q = np.random.default_rng(0).standard_normal((3, 9)), [0.1, 0.0, -0.2]
    found, wanted = model.wald_test(R, q), expected.wald_test((R, q), scalar=True)
    assert found.statistic == pytest.approx(wanted.statistic, rel=1e-8)
    assert found.p_value == pytest.approx(wanted.pvalue, rel=1e-7)
    X, y = overlapping(600, 3, 3)
    model, expected = LogisticRegression(C=np.inf).fit(X, y), reference(X, y, True)
    R = np.zeros((2, 8))
    R[0, 2] = R[1, 6] = 1.0  # x1 of both classes against the first
    wanted = np.ravel(expected.params.T)[[2, 6]]
    V = expected.cov_params()[np.ix_([2, 6], [2, 6])]
    assert model.wald_test("x1").statistic == pytest.approx(wanted @ np.linalg.solve(V, wanted), rel=1e-8)
    assert model.wald_test("x1").statistic == model.wald_test(R).statistic


@pytest.mark.parametrize("k", [2, 3])
def test_weights_count_rows(k):
    X, y = overlapping(300, 2, k)
    weight = whole_weights(300)
    expected = reference(X.repeat(weight, axis=0), y.repeat(weight), True)
    model = LogisticRegression(C=np.inf).fit(X, y, weight)
    assert distance(model.covariance_, expected.cov_params()) < EXACT
    assert model.bic_ == pytest.approx(expected.bic, rel=EXACT)
    assert distance(model.inference(X, y, weight).covariance, model.covariance_) < 1e-12


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("k", [2, 3])
def test_penalty_is_the_laplace_approximation(k, intercept):
    """(I + 1/C)^-1 of all K blocks, carried over to differences of classes; a common shift of intercepts is free."""
    X, y = overlapping(200, 2, k)
    C = 0.05
    model = LogisticRegression(C=C, fit_intercept=intercept).fit(X, y)
    D, P = design(X, intercept), model.predict_proba(X)
    p, shown = D.shape[1], slice(None) if k > 2 else slice(1, 2)
    W = np.einsum("nk,kl->nkl", P, np.eye(k)) - P[:, :, None] * P[:, None, :]
    H = np.einsum("nkl,ni,nj->kilj", W, D, D)[shown][:, :, shown].reshape(-1, p * (k if k > 2 else 1))
    A = H + np.diag(np.tile([0.0] * intercept + [1 / C] * 2, k if k > 2 else 1))
    L = np.eye(p) if k == 2 else np.kron(np.column_stack([-np.ones(k - 1), np.eye(k - 1)]), np.eye(p))
    found = model.inference(X, y)
    assert distance(found.covariance, L @ np.linalg.pinv(A) @ L.T) < EXACT
    assert found.parameters == pytest.approx(np.trace(np.linalg.pinv(A) @ H), rel=EXACT)
    bound = L @ np.linalg.pinv(H) @ L.T
    assert distance(found.cramer_rao, bound) < EXACT


@pytest.mark.parametrize("offset", [1e3, 1e6])
def test_offset_changes_no_error_of_a_coefficient(offset):
    """Whole multiples of 1/64, so that the shifted rows hold the same numbers."""
    X, y = overlapping(300, 3, 3)
    X = np.round(64 * X) / 64
    expected = LogisticRegression(C=np.inf).fit(X, y).standard_errors_
    found = LogisticRegression(C=np.inf).fit(X + offset, y).standard_errors_
    assert distance(found[:, 1:], expected[:, 1:]) < 1e-6
