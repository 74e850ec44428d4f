"""Inference on least squares against statsmodels: OLS, WLS, robust covariances, influence, prediction limits."""

import numpy as np
import pytest
import statsmodels.api as sm
from statsmodels.stats.outliers_influence import OLSInfluence, variance_inflation_factor

from sumlearn import LinearRegression, Ridge
from sumlearn.data import load_example

from tests.agreement.problems import REGRESSION, distance, regression, whole_weights

EXACT = 1e-10
KINDS = ["HC0", "HC1", "HC2", "HC3"]
SHAPES = ["tall", "several chunks", "one column"]


def iris():
    table = load_example("iris").X
    return table[:, :3], table[:, 3]


def longley():
    data = sm.datasets.longley.load_pandas()
    return data.exog.to_numpy(), data.endog.to_numpy()


def problem(name):
    return {"iris": iris, "longley": longley}[name]() if name not in SHAPES else regression(*REGRESSION[name])


def design(X, intercept):
    return np.column_stack([np.ones(len(X)), X]) if intercept else X


def assert_same_inference(found, reference, bound=EXACT):
    assert distance(found.estimates, reference.params) < bound
    assert distance(found.covariance, reference.cov_params()) < bound
    assert distance(found.standard_errors, reference.bse) < bound
    assert distance(found.t_values, reference.tvalues) < bound
    assert found.p_values == pytest.approx(reference.pvalues, rel=1e-6, abs=1e-300)
    for level in (0.5, 0.99):
        assert distance(found.confidence_interval(level), reference.conf_int(1 - level)) < bound
    assert found.noise_variance == pytest.approx(reference.mse_resid, rel=bound)
    assert found.degrees == reference.df_resid
    assert found.r2 == pytest.approx(reference.rsquared, abs=bound)
    assert found.adjusted_r2 == pytest.approx(reference.rsquared_adj, abs=bound)
    assert found.f_test.statistic == pytest.approx(reference.fvalue, rel=bound)
    assert found.f_test.p_value == pytest.approx(reference.f_pvalue, rel=1e-6, abs=1e-300)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", [*SHAPES, "iris", "longley"])
def test_ordinary(name, intercept):
    X, y = problem(name)
    reference = sm.OLS(y, design(X, intercept)).fit()
    model = LinearRegression(fit_intercept=intercept).fit(X, y)
    bound = 1e-8 if name == "longley" else EXACT  # statsmodels has some ten digits there, see the NIST tests
    assert_same_inference(model.inference(), reference, bound)
    assert model.log_likelihood_ == pytest.approx(reference.llf, rel=bound)
    assert model.inference().log_likelihood == pytest.approx(reference.llf, rel=bound)
    assert model.aic_ == pytest.approx(reference.aic, rel=bound)
    assert model.bic_ == pytest.approx(reference.bic, rel=bound)


def test_fisher_information_and_the_bound():
    """Lambda = X'X / s2, and least squares reaches its inverse."""
    X, y = regression(200, 4)
    D = design(X, True)
    model = LinearRegression().fit(X, y)
    s2 = sm.OLS(y, D).fit().mse_resid
    assert distance(model.fisher_information_, D.T @ D / s2) < EXACT
    assert distance(model.cramer_rao_, s2 * np.linalg.inv(D.T @ D)) < EXACT
    assert np.array_equal(model.cramer_rao_, model.covariance_)


def test_variance_inflation():
    X, y = regression(100, 4)
    X[:, 3] += 5 * X[:, 0]
    expected = [variance_inflation_factor(design(X, True), j + 1) for j in range(4)]
    assert distance(LinearRegression().fit(X, y).variance_inflation_, expected) < EXACT
    left = [X[:, j] - np.delete(X, j, 1) @ np.linalg.lstsq(np.delete(X, j, 1), X[:, j])[0] for j in range(4)]
    expected = (X**2).sum(axis=0) / (np.array(left) ** 2).sum(axis=1)  # 1 / (1 - R^2) about zero
    assert distance(LinearRegression(fit_intercept=False).fit(X, y).variance_inflation_, expected) < EXACT


@pytest.mark.parametrize("intercept", [True, False])
def test_f_tests(intercept):
    X, y = regression(60, 4)
    reference = sm.OLS(y, design(X, intercept)).fit()
    model = LinearRegression(fit_intercept=intercept).fit(X, y)
    rng = np.random.default_rng(0)
    for r in (1, 2, 3):
        R, q = rng.standard_normal((r, len(reference.params))), rng.standard_normal(r)
        found, expected = model.f_test(R, q), reference.f_test((R, q))
        assert found.statistic == pytest.approx(expected.fvalue, rel=EXACT)
        assert found.p_value == pytest.approx(expected.pvalue, rel=1e-8)
        assert (found.degrees, found.residual) == (expected.df_num, expected.df_denom)
    names = np.eye(len(reference.params))[[intercept + 1, intercept + 3]]
    assert model.f_test(["x1", "x3"]).statistic == pytest.approx(reference.f_test(names).fvalue, rel=EXACT)
    one = model.f_test("x2")
    assert one.statistic == pytest.approx(reference.tvalues[intercept + 2] ** 2, rel=EXACT)


@pytest.mark.parametrize("intercept", [True, False])
def test_weights_that_count_rows(intercept):
    """Weight w = the row w times, in every number of the inference."""
    X, y = regression(80, 3)
    weight = whole_weights(80)
    many, repeated = X.repeat(weight, axis=0), y.repeat(weight)
    reference = sm.OLS(repeated, design(many, intercept)).fit()
    model = LinearRegression(fit_intercept=intercept).fit(X, y, weight)
    assert_same_inference(model.inference(), reference)
    assert model.aic_ == pytest.approx(reference.aic, rel=EXACT)
    for kind in KINDS:
        assert distance(model.robust_covariance(X, y, weight, kind=kind), getattr(reference, f"cov_{kind}")) < EXACT
    found, expected = model.influence(X, y, weight), reference.get_influence()
    present, first = weight > 0, np.cumsum(weight)[weight > 0] - 1
    assert distance(found.leverage[present], expected.hat_matrix_diag[first]) < EXACT
    assert distance(found.cooks_distance[present], expected.cooks_distance[0][first]) < EXACT
    assert distance(found.deleted_residuals[present], expected.resid_studentized_external[first]) < EXACT
    assert not found.leverage[~present].any() and not found.cooks_distance[~present].any()


@pytest.mark.parametrize("intercept", [True, False])
def test_weights_that_are_precisions(intercept):
    """statsmodels' WLS: a row is one row, whatever it weighs; the scale of the weights does not matter."""
    X, y = regression(150, 4)
    weight = np.random.default_rng(1).uniform(0.1, 3.0, 150)
    reference = sm.WLS(y, design(X, intercept), weight).fit()
    for scale in (1.0, 1e-3):
        model = LinearRegression(fit_intercept=intercept).fit(X, y, scale * weight)
        found = model.inference(weights="precision")
        assert distance(found.covariance, reference.cov_params()) < EXACT
        assert distance(found.p_values, reference.pvalues) < EXACT
        assert found.adjusted_r2 == pytest.approx(reference.rsquared_adj, abs=EXACT)
        assert found.f_test.statistic == pytest.approx(reference.fvalue, rel=EXACT)
        for kind in KINDS:
            V = model.robust_covariance(X, y, scale * weight, kind=kind, weights="precision")
            assert distance(V, getattr(reference, f"cov_{kind}")) < EXACT
        with pytest.raises(ValueError, match="likelihood"):
            _ = found.aic
    influence = model.influence(X, y, scale * weight, weights="precision")
    expected = OLSInfluence(sm.OLS(reference.model.wendog, reference.model.wexog).fit())
    assert distance(influence.leverage, expected.hat_matrix_diag) < EXACT
    assert distance(influence.cooks_distance, expected.cooks_distance[0]) < EXACT


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", [*SHAPES, "iris"])
def test_robust_covariance(name, intercept, kind):
    X, y = problem(name)
    reference = sm.OLS(y, design(X, intercept)).fit()
    model = LinearRegression(fit_intercept=intercept).fit(X, y)
    assert distance(model.robust_covariance(X, y, kind=kind), getattr(reference, f"cov_{kind}")) < EXACT


def test_inference_with_a_robust_covariance():
    X, y = regression(200, 3)
    y = y + np.random.default_rng(0).standard_normal(200) * np.abs(X[:, 0])
    model = LinearRegression().fit(X, y)
    reference = sm.OLS(y, design(X, True)).fit(cov_type="HC3", use_t=True)
    found = model.inference(covariance=model.robust_covariance(X, y))
    assert distance(found.standard_errors, reference.bse) < EXACT
    assert distance(found.p_values, reference.pvalues) < EXACT
    assert found.f_test.statistic == pytest.approx(reference.fvalue, rel=EXACT)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", [*SHAPES, "iris"])
def test_influence(name, intercept):
    X, y = problem(name)
    expected = sm.OLS(y, design(X, intercept)).fit().get_influence()
    found = LinearRegression(fit_intercept=intercept).fit(X, y).influence(X, y)
    assert distance(found.leverage, expected.hat_matrix_diag) < EXACT
    assert distance(found.residuals, expected.resid) < EXACT
    assert distance(found.studentised_residuals, expected.resid_studentized_internal) < EXACT
    assert distance(found.cooks_distance, expected.cooks_distance[0]) < EXACT
    if name != "several chunks":  # statsmodels' closed forms of the others are slow there
        assert distance(found.deleted_residuals, expected.resid_studentized_external) < EXACT
        assert distance(found.dffits, expected.dffits[0]) < EXACT


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_prediction_limits(intercept, level):
    X, y = regression(70, 3)
    new = regression(20, 3, seed=1)[0]
    weight = np.random.default_rng(1).uniform(0.1, 3.0, 70)
    model = LinearRegression(fit_intercept=intercept).fit(X, y)
    expected = sm.OLS(y, design(X, intercept)).fit().get_prediction(design(new, intercept))
    assert distance(model.predict_interval(new, level), expected.conf_int(alpha=1 - level)) < EXACT
    observed = expected.conf_int(obs=True, alpha=1 - level)
    assert distance(model.predict_interval(new, level, kind="new"), observed) < EXACT
    model = LinearRegression(fit_intercept=intercept).fit(X, y, weight)
    expected = sm.WLS(y, design(X, intercept), weight).fit().get_prediction(design(new, intercept))
    assert distance(model.predict_interval(new, level, weights="precision"), expected.conf_int(alpha=1 - level)) < EXACT


@pytest.mark.parametrize("intercept", [True, False])
def test_several_targets(intercept):
    """A row for each target, as one model for each would have it."""
    X, Y = regression(90, 3, 2)
    both = LinearRegression(fit_intercept=intercept).fit(X, Y)
    for t in range(2):
        one = LinearRegression(fit_intercept=intercept).fit(X, Y[:, t])
        for name in ("covariance_", "standard_errors_", "p_values_", "aic_", "r2_", "noise_variance_", "cramer_rao_"):
            assert distance(getattr(both, name)[t], getattr(one, name)) < EXACT
        assert distance(both.confidence_interval()[t], one.confidence_interval()) < EXACT
        assert distance(both.robust_covariance(X, Y)[t], one.robust_covariance(X, Y[:, t])) < EXACT
        assert distance(both.predict_interval(X)[:, t], one.predict_interval(X)) < EXACT
        assert distance(both.influence(X, Y).cooks_distance[:, t], one.influence(X, Y[:, t]).cooks_distance) < EXACT
        assert both.f_test(["x0", "x2"]).p_value[t] == pytest.approx(one.f_test(["x0", "x2"]).p_value, rel=1e-8)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.7, 300.0])
def test_ridge(alpha, intercept):
    """The estimates are M y with M = A^-1 X' (about the mean), so that V = s2 M M'; p = tr of the hat matrix."""
    X, y = regression(50, 4)
    D = design(X, intercept)
    A = D.T @ D + alpha * np.diag([0.0] * intercept + [1.0] * 4)
    M = np.linalg.solve(A, D.T)
    p = np.trace(D @ M)
    s2 = ((y - D @ M @ y) ** 2).sum() / (50 - p)
    model = Ridge(alpha=alpha, fit_intercept=intercept).fit(X, y)
    found = model.inference()
    assert distance(found.estimates, M @ y) < EXACT
    assert model.noise_variance_ == pytest.approx(s2, rel=EXACT)
    assert found.parameters == pytest.approx(p, rel=EXACT)
    assert distance(model.covariance_, s2 * M @ M.T) < 1e-9
    assert distance(model.fisher_information_, D.T @ D / s2) < EXACT
    assert distance(model.cramer_rao_, s2 * np.linalg.inv(D.T @ D)) < 1e-9
    half = model.predict_interval(X, 0.9)[:, 1] - D @ found.estimates
    q = np.sqrt(s2 * ((D @ M) ** 2).sum(axis=1))
    from scipy.stats import t

    assert distance(half, t.isf(0.05, 50 - p) * q) < 1e-9
    e2 = (y - D @ M @ y) ** 2
    assert distance(model.robust_covariance(X, y, kind="HC0"), M @ (e2[:, None] * M.T)) < 1e-9


def test_ridge_with_a_penalty_for_each_target():
    X, Y = regression(60, 3, 2)
    both = Ridge(alpha=[0.5, 20.0]).fit(X, Y)
    for t, alpha in enumerate([0.5, 20.0]):
        one = Ridge(alpha=alpha).fit(X, Y[:, t])
        assert distance(both.covariance_[t], one.covariance_) < EXACT
        assert distance(both.predict_interval(X)[:, t], one.predict_interval(X)) < EXACT
        assert distance(both.robust_covariance(X, Y)[t], one.robust_covariance(X, Y[:, t])) < EXACT
