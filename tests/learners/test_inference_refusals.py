"""What inference refuses, and how it names it."""

import numpy as np
import pandas as pd
import pytest

from sumlearn import LinearRegression, LogisticRegression, Ridge

from tests.agreement.problems import distance, regression
from tests.learners.inference_problems import ATTRIBUTES, EXACT, overlapping


def test_no_degrees_of_freedom():
    X, y = regression(4, 3)
    model = LinearRegression().fit(X, y)
    for name in ATTRIBUTES:
        assert not hasattr(model, name)
    with pytest.raises(ValueError, match="4 rows and 4 parameters leave no degrees of freedom"):
        model.summary()
    assert not hasattr(LinearRegression(), "covariance_")
    assert not hasattr(LogisticRegression(), "covariance_")
    assert model._repr_html_()


def test_penalised_estimates_have_no_tests():
    X, y = regression(50, 3)
    model = Ridge().fit(X, y)
    assert hasattr(model, "standard_errors_") and not hasattr(model, "p_values_")
    for call in (lambda: model.f_test(), lambda: model.f_test("x0"), lambda: model.influence(X, y)):
        with pytest.raises(ValueError, match="biases the estimates"):
            call()
    assert "biases" in str(model.summary()) and " p " not in str(model.summary())
    X, y = overlapping()
    model = LogisticRegression(C=0.1).fit(X, y)
    assert not hasattr(model, "covariance_")
    with pytest.raises(ValueError, match=r"call inference\(X, y\)"):
        model.inference()
    assert "Laplace" in str(model.inference(X, y).summary())
    with pytest.raises(ValueError, match="Laplace"):
        _ = model.inference(X, y).p_values


def test_what_has_no_normal_distribution():
    X, y = regression(50, 3)
    assert not hasattr(LinearRegression(positive=True).fit(X, y), "covariance_")
    with pytest.raises(ValueError, match="positive=True"):
        LinearRegression(positive=True).fit(X, y).inference()
    X, y = overlapping()
    with pytest.raises(ValueError, match="L1"):
        LogisticRegression(l1_ratio=1.0, C=1.0).fit(X, y).inference(X, y)
    with pytest.raises(ValueError, match="class_weight"):
        LogisticRegression(C=np.inf, class_weight="balanced").fit(X, y).inference(X, y)
    with pytest.raises(ValueError, match="all rows are of class"):
        LogisticRegression(C=np.inf).fit(X, np.zeros(len(X))).inference()
    with pytest.warns(UserWarning, match="separated"):
        model = LogisticRegression(C=np.inf).fit(X, X[:, 0] > 0)
    with pytest.raises(ValueError, match="separated"):
        model.inference()
    assert not hasattr(model, "standard_errors_")


def test_bad_arguments():
    X, y = regression(50, 3)
    model = LinearRegression().fit(X, y)
    for level in (0.0, 1.0, -1, np.nan, "0.9"):
        with pytest.raises(ValueError, match="level must lie between 0 and 1"):
            model.confidence_interval(level)
    with pytest.raises(ValueError, match="weights must be"):
        model.inference(weights="analytic")
    with pytest.raises(ValueError, match="kind must be one of HC0"):
        model.robust_covariance(X, y, kind="HC4")
    with pytest.raises(ValueError, match="kind must be 'mean' or 'new'"):
        model.predict_interval(X, kind="old")
    with pytest.raises(ValueError, match="no parameter 'age'"):
        model.f_test(["x0", "age"])
    with pytest.raises(ValueError, match="R must have 4 columns"):
        model.f_test(np.ones((1, 3)))
    with pytest.raises(ValueError, match="row 1 is not"):
        model.f_test([[0.0, 1.0, 0.0, 0.0], [0.0, np.nan, 0.0, 0.0]])
    with pytest.raises(ValueError, match="not independent"):
        model.f_test([[0.0, 1.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match="a row of R is zero"):
        model.f_test([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match="covariance must have shape"):
        model.inference(covariance=np.eye(3))


@pytest.mark.parametrize("size", [1e-100, 1e100])
def test_sizes_out_of_range_are_named(size):
    X, y = regression(50, 3)
    frame = pd.DataFrame(X * [1.0, size, 1.0], columns=["a", "b", "c"])
    with pytest.raises(ValueError, match="the squares of column 'b'.* rescale"):
        LinearRegression().fit(frame, y).summary()
    with pytest.raises(ValueError, match="the squares of y"):
        LinearRegression().fit(X, size * y).summary()


def test_units_change_no_test():
    X, y = regression(50, 3)
    unit = np.array([1e-30, 1.0, 1e30])
    plain, scaled = LinearRegression().fit(X, y), LinearRegression().fit(X * unit, y)
    assert distance(scaled.p_values_, plain.p_values_) < EXACT
    assert scaled.f_test(["x0", "x2"]).statistic == pytest.approx(plain.f_test(["x0", "x2"]).statistic, rel=1e-9)


def test_nothing_to_explain():
    """Zeros are fitted exactly by zeros: no evidence against a coefficient of zero, and no NaN."""
    X = regression(50, 3)[0]
    model = LinearRegression().fit(X, np.zeros(50))
    assert not model.t_values_.any()
    assert (model.p_values_ == 1.0).all()


def test_without_columns():
    """A mean is the least of all models: its standard error is s / sqrt(N)."""
    X, y = regression(50, 3)
    model = LinearRegression().fit(X, y).restrict([])
    assert model.standard_errors_ == pytest.approx(y.std(ddof=1) / np.sqrt(50))
    with pytest.raises(ValueError, match="no column varies"):
        model.f_test()
    assert "intercept" in str(model.summary())


def test_bad_rows():
    X, y = regression(50, 3)
    model = LinearRegression().fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    bad = pd.DataFrame(X, columns=["a", "b", "c"])
    bad.loc[7, "b"] = np.nan
    for call in (model.robust_covariance, model.influence):
        with pytest.raises(ValueError, match="NaN: first at row 7, column 'b'"):
            call(bad, y)
        with pytest.raises(ValueError, match="y contains infinity: first at row 3"):
            call(pd.DataFrame(X, columns=["a", "b", "c"]), np.where(np.arange(50) == 3, np.inf, y))
        with pytest.raises(ValueError, match="rows of weight 40, the model has learnt rows of weight 50"):
            call(pd.DataFrame(X[:40], columns=["a", "b", "c"]), y[:40])
    with pytest.raises(ValueError, match="row 7, column 'b'"):
        model.predict_interval(bad)
    X, y = overlapping()
    model = LogisticRegression(C=np.inf).fit(X, y)
    X = X.copy()
    X[11, 2] = np.nan
    with pytest.raises(ValueError, match="NaN: first at row 11, column 2"):
        model.inference(X, y)
    with pytest.raises(ValueError, match="label at row 5 that is none of the classes"):
        model.inference(np.zeros_like(X), np.where(np.arange(300) == 5, 7, y))


def test_rows_of_weight_zero_are_absent():
    """Whatever they hold; and negative weights are refused."""
    X, y = overlapping()
    model = LogisticRegression(C=np.inf).fit(X, y)
    more, labels = np.vstack([np.full((1, 3), np.nan), X]), np.append(7, y)
    weight = np.append(0.0, np.ones(len(y)))
    assert distance(model.inference(more, labels, weight).covariance, model.covariance_) < EXACT
    more[9, 1] = np.nan
    with pytest.raises(ValueError, match="NaN: first at row 9, column 1"):
        model.inference(more, labels, weight)
    weight[5] = -1.0
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`: -1, first at row 5"):
        model.inference(more, labels, weight)
    X, y = regression(50, 3)
    line = LinearRegression().fit(X, y)
    weight = np.append(0.0, np.ones(50))
    more = np.vstack([np.full((1, 3), np.nan), X])
    assert distance(line.robust_covariance(more, np.append(np.nan, y), weight), line.robust_covariance(X, y)) < EXACT
    found = line.influence(more, np.append(np.nan, y), weight)
    assert distance(found.leverage[1:], line.influence(X, y).leverage) < EXACT
    assert found.leverage[0] == found.residuals[0] == 0.0


def test_other_rows_than_those_of_a_logistic_fit():
    X, y = overlapping()
    model = LogisticRegression(C=np.inf).fit(X, y)
    with pytest.warns(UserWarning, match="not the rows of the fit"):
        model.inference(X[:100], y[:100])


def test_a_row_with_leverage_one():
    """Its own column fits it exactly, whatever its target: HC2 and HC3 would divide zero by zero."""
    X, y = regression(50, 2)
    X = np.column_stack([X, np.arange(50) == 13])
    model = LinearRegression().fit(X, y)
    assert np.isfinite(model.robust_covariance(X, y, kind="HC1")).all()
    for kind in ("HC2", "HC3"):
        with pytest.raises(ValueError, match="row 13 has leverage 1"):
            model.robust_covariance(X, y, kind=kind)
    found = model.influence(X, y)
    assert found.leverage[13] == pytest.approx(1.0)
    with pytest.raises(ValueError, match="row 13 has leverage 1"):
        _ = found.cooks_distance
    weight = np.ones(50)
    weight[4] = 0.0
    model = LinearRegression().fit(X, y, weight)
    with pytest.raises(ValueError, match="row 13 has leverage 1"):
        model.robust_covariance(X, y, weight)


def test_rows_that_went_in_pieces_are_not_counted():
    X, y = regression(40, 2)
    halves = LinearRegression().fit(X[:20], y[:20], np.full(20, 0.5))
    for model in (
        LinearRegression().fit(X, y).forget(X[:3], y[:3], np.full(3, 0.5)),
        LinearRegression().fit(X, y) - halves,
    ):
        with pytest.raises(ValueError, match="cannot tell how many are left.*fit the rows that stay anew"):
            model.inference("precision")
        with pytest.raises(ValueError, match="cannot tell how many are left"):
            (model + LinearRegression().fit(X, y)).inference("precision")
        assert model.inference().degrees == model.statistic_.weight - 3
    assert LinearRegression().fit(X, y).forget(X[:3], y[:3]).inference("precision").degrees == 34
    assert model.fit(X, y).inference("precision").degrees == 37
