"""Inference where columns depend on each other: what the rows do not determine has no standard error."""

import numpy as np
import pytest
import scipy.sparse as sparse

from sumlearn import IllConditionedWarning, LinearRegression, LogisticRegression

from tests.agreement.problems import distance, regression
from tests.learners.inference_problems import EXACT, overlapping


def dependent():
    X, y = regression(80, 4)
    return np.column_stack([X, X[:, 1]]), y


def test_undetermined_coefficients_are_na():
    """Both of two equal columns: their sum is determined, neither of them is. The others are as in R."""
    X, y = dependent()
    with pytest.warns(IllConditionedWarning):
        model = LinearRegression().fit(X, y)
    sound = LinearRegression().fit(X[:, :4], y)
    assert np.isnan(model.standard_errors_).tolist() == [False, False, True, False, False, True]
    for name in ("standard_errors_", "t_values_", "p_values_"):
        assert distance(getattr(model, name)[[0, 1, 3, 4]], getattr(sound, name)[[0, 1, 3, 4]]) < EXACT
    assert np.isinf(model.variance_inflation_).tolist() == [False, True, False, False, True]
    assert model.inference().degrees == 75
    assert model.f_test().statistic == pytest.approx(sound.f_test().statistic, rel=EXACT)
    assert "NA" in str(model.summary()) and "x1, x4" in str(model.summary())
    together = np.zeros(6)
    together[[2, 5]] = 1.0
    assert model.f_test(together).statistic == pytest.approx(sound.f_test("x1").statistic, rel=1e-8)
    for name in ("x1", "x4"):
        with pytest.raises(ValueError, match="row 0 of R tests what the rows do not determine"):
            model.f_test(name)
    robust = model.robust_covariance(X, y)
    assert distance(robust[1:2, 1:2], sound.robust_covariance(X[:, :4], y)[1:2, 1:2]) < EXACT
    assert np.isnan(robust[2]).all()


def test_limits_are_infinite_where_the_rows_say_nothing():
    X, y = dependent()
    with pytest.warns(IllConditionedWarning):
        model = LinearRegression().fit(X, y)
    sound = LinearRegression().fit(X[:, :4], y)
    assert distance(model.predict_interval(X), sound.predict_interval(X[:, :4])) < EXACT
    other = X[:3].copy()
    other[1, 4] += 1.0
    assert np.isinf(model.predict_interval(other)).all(axis=1).tolist() == [False, True, False]


def test_constant_column_is_left_out_and_the_intercept_stays():
    X, y = regression(50, 2)
    with pytest.warns(IllConditionedWarning):
        model = LinearRegression().fit(np.column_stack([X, np.full(50, 7.0)]), y)
    sound = LinearRegression().fit(X, y)
    assert distance(model.standard_errors_[:3], sound.standard_errors_) < EXACT
    assert np.isnan(model.standard_errors_[3])


def test_all_flags_of_a_category_leave_the_intercept_undetermined():
    level = np.arange(60) % 3
    X, y = np.eye(3)[level], np.random.default_rng(0).standard_normal(60)
    with pytest.warns(IllConditionedWarning):
        model = LinearRegression().fit(X, y)
    assert np.isnan(model.standard_errors_).all()
    contrast = [0.0, 1.0, -1.0, 0.0]  # a difference of levels is determined
    sound = LinearRegression().fit(X[:, :2], y)
    assert model.f_test(contrast).statistic == pytest.approx(sound.f_test([0.0, 1.0, -1.0]).statistic, rel=1e-8)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])  # sparse rows are not centred
@pytest.mark.parametrize("k", [2, 3])
def test_dependent_columns_of_logistic_regression(k, form):
    X, y = overlapping(300, 3, k)
    with pytest.warns(IllConditionedWarning):
        model = LogisticRegression(C=np.inf).fit(form(np.column_stack([X, X[:, 0], np.full(300, 5.0)])), y)
    sound = LogisticRegression(C=np.inf).fit(X, y)
    errors, expected = np.atleast_2d(model.standard_errors_), np.atleast_2d(sound.standard_errors_)
    assert distance(errors[:, [0, 2, 3]], expected[:, [0, 2, 3]]) < 1e-7
    assert np.isnan(errors[:, [1, 4, 5]]).all()
    assert model.inference().likelihood_ratio_test.degrees == 3 * (k - 1)
