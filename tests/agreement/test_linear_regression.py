"""LinearRegression against scikit-learn, statsmodels, NumPy's pseudoinverse and closed forms."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sparse
import sklearn.linear_model
import statsmodels.api as sm

from sumlearn import IllConditionedWarning, LeastSquaresClassifier, LinearRegression

from tests.agreement.problems import REGRESSION, distance, regression, whole_weights

EXACT = 1e-10


def with_constant(X):
    return np.column_stack([np.ones(len(X)), X])


@pytest.mark.parametrize("targets", [None, 1, 3])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shape", REGRESSION)
def test_coefficients_and_predictions(shape, intercept, targets):
    X, y = regression(*REGRESSION[shape], targets)
    ours = LinearRegression(fit_intercept=intercept).fit(X, y)
    reference = sklearn.linear_model.LinearRegression(fit_intercept=intercept).fit(X, y)
    assert distance(ours.coef_, reference.coef_) < EXACT
    assert distance(ours.intercept_, reference.intercept_) < EXACT
    assert distance(ours.predict(X), reference.predict(X)) < EXACT
    assert ours.score(X, y) == pytest.approx(reference.score(X, y), abs=EXACT)


@pytest.mark.parametrize("kind", ["duplicate", "sum of columns", "scaled", "constant", "zero", "few rows"])
@pytest.mark.parametrize("intercept", [True, False])
def test_minimum_norm(kind, intercept):
    """b = X^+ y, about the mean where there is an intercept."""
    X, y = regression(60, 5)
    if kind == "duplicate":
        X = np.column_stack([X, X[:, 2]])
    elif kind == "sum of columns":
        X = np.column_stack([X, X[:, 0] + X[:, 1], X[:, 1] - X[:, 3]])
    elif kind == "scaled":
        X = np.column_stack([64.0 * X[:, 0], X])
    elif kind == "constant":
        X = np.column_stack([X, np.full(len(X), 7.0), np.full(len(X), 2.0)])
    elif kind == "zero":
        X = np.column_stack([np.zeros(len(X)), X])
    else:
        X, y = regression(6, 15)
    mean, level = (X.mean(axis=0), y.mean()) if intercept else (np.zeros(X.shape[1]), 0.0)
    expected = np.linalg.pinv(X - mean, rcond=1e-12) @ (y - level)
    rank = np.linalg.matrix_rank(X - mean)
    if len(X) > X.shape[1] and not (kind == "constant" and intercept) and kind != "zero":
        with pytest.warns(IllConditionedWarning, match="combinations of others"):
            model = LinearRegression(fit_intercept=intercept).fit(X, y)
    else:
        model = LinearRegression(fit_intercept=intercept).fit(X, y)
    assert distance(model.coef_, expected) < 1e-9
    assert model.rank_ == rank
    assert len(model.aliased_) == X.shape[1] - rank
    assert model.condition_ == np.inf


def test_noise_precision():
    """1 / beta = RSS / N: the maximum-likelihood estimate, also per target and with weights as repetitions."""
    X, y = regression(200, 4, 2)
    reference = sm.OLS(y[:, 0], with_constant(X)).fit()
    assert LinearRegression().fit(X, y[:, 0]).noise_precision_ == pytest.approx(200 / reference.ssr, rel=1e-12)
    residual = y - LinearRegression().fit(X, y).predict(X)
    assert distance(LinearRegression().fit(X, y).noise_precision_, 1 / (residual**2).mean(axis=0)) < 1e-12
    weight = whole_weights(200)
    repeated = sm.OLS(y[:, 0].repeat(weight), with_constant(X.repeat(weight, axis=0))).fit()
    weighted = LinearRegression().fit(X, y[:, 0], weight)
    assert weighted.noise_precision_ == pytest.approx(weight.sum() / repeated.ssr, rel=1e-12)


@pytest.mark.parametrize("intercept", [True, False])
def test_log_likelihood(intercept):
    """statsmodels' llf, and the formula of the note: -beta E + N/2 ln beta - N/2 ln 2 pi with E = RSS / 2."""
    X, y = regression(200, 4)
    reference = sm.OLS(y, with_constant(X) if intercept else X).fit()
    model = LinearRegression(fit_intercept=intercept).fit(X, y)
    assert model.log_likelihood_ == pytest.approx(reference.llf, rel=1e-12)
    E, beta = 0.5 * ((y - model.predict(X)) ** 2).sum(), model.noise_precision_
    assert model.log_likelihood_ == pytest.approx(-beta * E + 100 * np.log(beta) - 100 * np.log(2 * np.pi), rel=1e-12)


def test_log_likelihood_of_weights_is_that_of_repeated_rows():
    X, y = regression(200, 4)
    weight = whole_weights(200)
    repeated = sm.OLS(y.repeat(weight), with_constant(X.repeat(weight, axis=0))).fit()
    assert LinearRegression().fit(X, y, weight).log_likelihood_ == pytest.approx(repeated.llf, rel=1e-12)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shape", ["tall", "several chunks", "one column"])
def test_sample_weight(shape, intercept):
    """(X'DX)^-1 X'D t, in three ways: statsmodels' WLS, scikit-learn, and repeated rows."""
    X, y = regression(*REGRESSION[shape])
    weight = np.random.default_rng(1).uniform(0.0, 3.0, len(y))
    model = LinearRegression(fit_intercept=intercept).fit(X, y, weight)
    found = np.append(model.intercept_, model.coef_) if intercept else model.coef_
    assert distance(found, sm.WLS(y, with_constant(X) if intercept else X, weight).fit().params) < EXACT
    reference = sklearn.linear_model.LinearRegression(fit_intercept=intercept).fit(X, y, weight)
    assert distance(model.coef_, reference.coef_) < EXACT
    count = whole_weights(len(y))
    weighted = LinearRegression(fit_intercept=intercept).fit(X, y, count)
    repeated = LinearRegression(fit_intercept=intercept).fit(X.repeat(count, axis=0), y.repeat(count))
    assert distance(weighted.coef_, repeated.coef_) < 1e-12
    assert weighted.intercept_ == pytest.approx(repeated.intercept_, rel=1e-12)


def test_scale_of_the_weights_does_not_matter():
    X, y = regression(100, 3)
    weight = np.random.default_rng(1).uniform(0.0, 3.0, len(y))
    one, other = LinearRegression().fit(X, y, weight), LinearRegression().fit(X, y, 1e-6 * weight)
    assert distance(other.coef_, one.coef_) < 1e-12
    assert other.noise_precision_ == pytest.approx(one.noise_precision_, rel=1e-9)


def test_condition_and_rank():
    """Condition of the columns about their mean, scaled to unit length: to the digits that S = X'X has of it."""
    rng = np.random.default_rng(0)
    for power in (0, 3, 6, 9):
        U, V = np.linalg.qr(rng.standard_normal((100, 4)))[0], np.linalg.qr(rng.standard_normal((4, 4)))[0]
        X = (U * 10.0 ** np.linspace(0, -power, 4)) @ V + 10.0
        centred = X - X.mean(axis=0)
        expected = np.linalg.cond(centred / np.linalg.norm(centred, axis=0))
        model = LinearRegression().fit(X, rng.standard_normal(100))
        assert model.condition_ == pytest.approx(expected, rel=1e-3 if power < 9 else 0.5)
        assert model.rank_ == 4
        assert model.aliased_.tolist() == []
        assert model.digits_ == pytest.approx(14 - np.log10(expected), abs=1.0)  # a cautious bound on the digits left
    dependent = np.column_stack([X[:, :2], X[:, 0] - X[:, 1]])
    with pytest.warns(IllConditionedWarning):
        model = LinearRegression().fit(dependent, X[:, 3])
    assert (model.rank_, model.aliased_.tolist(), model.condition_) == (2, [2], np.inf)


def test_condition_does_not_change_with_units():
    """Longley's 110.5, in any units: it is that of unit columns about their mean, by definition."""
    X = np.loadtxt(Path(__file__).parent.parent / "data" / "nist" / "lls_Longley.csv", delimiter=",", skiprows=1)
    y, X = X[:, 0], X[:, 1:]
    centred = X - X.mean(axis=0)
    expected = np.linalg.cond(centred / np.linalg.norm(centred, axis=0))
    assert expected == pytest.approx(110.5, abs=0.05)
    for unit in (1.0, 3.0, np.array([1.0, 1e-3, 7.0, 1e6, 0.3, 1e-9])):
        assert LinearRegression().fit(X * unit, y).condition_ == pytest.approx(expected, rel=1e-8)
        assert LeastSquaresClassifier().fit(X * unit, y > y.mean()).set_params(alpha=0.0).condition_ == pytest.approx(
            expected, rel=1e-8
        )
    through_zero = np.linalg.cond(X / np.linalg.norm(X, axis=0))
    assert LinearRegression(fit_intercept=False).fit(X * 3.0, y).condition_ == pytest.approx(through_zero, rel=1e-4)


def test_collinearity_report():
    """Variance inflation 1 / (1 - R_j^2) from statsmodels, and what a dependent column is made of."""
    from statsmodels.stats.outliers_influence import variance_inflation_factor

    X, y = regression(100, 4)
    X[:, 3] += 5 * X[:, 0]
    report = LinearRegression().fit(X, y).collinearity()
    expected = [variance_inflation_factor(with_constant(X), j + 1) for j in range(4)]
    assert distance([row["inflation"] for row in report], expected) < 1e-9
    with pytest.warns(IllConditionedWarning):
        report = LinearRegression().fit(np.column_stack([X, 2 * X[:, 1] - X[:, 2]]), y).collinearity()
    assert [row["aliased"] for row in report] == [False] * 4 + [True]
    assert report[4]["combination"] == pytest.approx({1: 2.0, 2: -1.0})


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("targets", [None, 2])
def test_positive(intercept, targets):
    X, y = regression(150, 5, targets)
    ours = LinearRegression(positive=True, fit_intercept=intercept).fit(X, y)
    reference = sklearn.linear_model.LinearRegression(positive=True, fit_intercept=intercept).fit(X, y)
    assert (ours.coef_ >= 0).all() and (ours.coef_ == 0).any()
    assert distance(ours.coef_, reference.coef_) < 1e-9
    assert distance(ours.intercept_, reference.intercept_) < 1e-9


def test_float32():
    X, y = (a.astype(np.float32) for a in regression(300, 5))
    model = LinearRegression().fit(X, y)
    reference = LinearRegression().fit(X.astype(float), y.astype(float))
    assert model.coef_.dtype == model.predict(X).dtype == np.float32
    assert distance(model.coef_, reference.coef_) < 1e-6
    assert distance(model.predict(X), reference.predict(X)) < 1e-5


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse(kind):
    X, y = regression(200, 5)
    X[np.abs(X) < 2] = 0.0
    dense, model = LinearRegression().fit(X, y), LinearRegression().fit(kind(X), y)
    assert distance(model.coef_, dense.coef_) < 1e-12
    assert distance(model.predict(kind(X)), dense.predict(X)) < 1e-12


@pytest.mark.parametrize("offset", [1e6, 1e9])
def test_offset_changes_no_prediction(offset):
    """Whole multiples of 1/64, so that the shifted rows hold the same numbers."""
    X, y = regression(200, 4)
    X = np.round(64 * X) / 64
    expected = LinearRegression().fit(X, y).predict(X)
    assert distance(LinearRegression().fit(X + offset, y).predict(X + offset), expected) < 1e-6
