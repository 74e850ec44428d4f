"""R2, MAE, MSE, RMSE and MAPE: against scikit-learn, closed forms and simulated coverage."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.metrics import (
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    r2_score,
    root_mean_squared_error,
)

from sumlearn.evaluation import regression_scores, rms_error

REFERENCES = {
    "r2": r2_score,
    "mae": mean_absolute_error,
    "mse": mean_squared_error,
    "rmse": root_mean_squared_error,
    "mape": mean_absolute_percentage_error,
}


def pair(n=200, seed=0, offset=5.0):
    rng = np.random.default_rng(seed)
    y = rng.standard_normal(n) + offset
    return y, y + 0.5 * rng.standard_normal(n)


@settings(max_examples=60)
@given(st.integers(2, 60), st.integers(0, 10**6), st.booleans(), st.sampled_from([0.0, 3.0, 1e6]))
def test_agrees_with_scikit_learn(n, seed, weighted, offset):
    y, f = pair(n, seed, offset)
    weight = np.random.default_rng(seed).choice([0.0, 0.5, 1.0, 2.0], n) if weighted else None
    if weighted:
        weight[:2] = 1.0
    scores = regression_scores(y, f, weight)
    for name, reference in REFERENCES.items():
        assert getattr(scores, name) == pytest.approx(reference(y, f, sample_weight=weight), rel=1e-9, abs=1e-12)
    assert scores.rmse == pytest.approx(rms_error(y, f, weight), rel=1e-12)


def test_by_hand():
    """Errors 1, -1, 2 of y = 2, 4, 6: RSS 6, TSS 8, relative errors 1/2, 1/4, 1/3."""
    scores = regression_scores([2, 4, 6], [1, 5, 4])
    found = scores.r2, scores.mae, scores.mse, scores.rmse, scores.mape
    assert found == pytest.approx((0.25, 4 / 3, 2.0, np.sqrt(2.0), 13 / 36), rel=1e-14)


def test_r2_is_negative_where_the_mean_is_better():
    assert regression_scores([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]).r2 == pytest.approx(-3.0, rel=1e-14)
    assert regression_scores([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]).r2 == 1.0


def test_limits_of_means():
    y, f = pair()
    scores = regression_scores(y, f, confidence=0.9)
    z = norm.ppf(0.95)
    for name, rows in (("mae", np.abs(y - f)), ("mse", (y - f) ** 2), ("mape", np.abs((y - f) / y))):
        half = z * rows.std(ddof=1) / np.sqrt(len(y))
        assert scores.interval(name) == pytest.approx((rows.mean() - half, rows.mean() + half), rel=1e-12)
    assert scores.interval("rmse") == pytest.approx(np.sqrt(scores.interval("mse")), rel=1e-12)


def test_limits_of_r2_by_the_jackknife():
    """Leaving out each row by refitting nothing: an independent estimate of the same standard error."""
    y, f = pair(400)
    without = np.array([r2_score(np.delete(y, i), np.delete(f, i)) for i in range(len(y))])
    error = np.sqrt((len(y) - 1) * ((without - without.mean()) ** 2).mean())
    low, high = regression_scores(y, f).interval("r2")
    assert (high - low) / 2 == pytest.approx(norm.ppf(0.975) * error, rel=0.02)
    assert (low + high) / 2 == pytest.approx(r2_score(y, f), rel=1e-12)


def test_limits_cover():
    """y ~ N(5, 1), errors N(0, 1/4): the true R2 is 3/4, MSE 1/4, MAE .5 sqrt(2 / pi)."""
    true = {"r2": 0.75, "mse": 0.25, "rmse": 0.5, "mae": 0.5 * np.sqrt(2 / np.pi)}
    hits = dict.fromkeys(true, 0)
    for seed in range(400):
        scores = regression_scores(*pair(150, seed))
        for name, value in true.items():
            low, high = scores.interval(name)
            hits[name] += low <= value <= high
    assert all(0.91 <= count / 400 <= 0.98 for count in hits.values()), hits


def test_weight_is_a_number_of_rows():
    y, f = pair(80)
    weight = np.random.default_rng(1).integers(0, 4, 80)
    once, often = regression_scores(y, f, weight), regression_scores(y.repeat(weight), f.repeat(weight))
    for name in REFERENCES:
        assert getattr(once, name) == pytest.approx(getattr(often, name), rel=1e-12)
        assert once.interval(name) == pytest.approx(often.interval(name), rel=1e-12)


def test_limits_stay_in_range():
    scores = regression_scores([1.0, 2.0, 3.0, 100.0], [1.0, 2.0, 3.0, 90.0])
    assert scores.interval("mse")[0] == scores.interval("mae")[0] == scores.interval("rmse")[0] == 0.0
    assert scores.interval("r2")[1] <= 1.0


def test_series_columns_and_integers():
    y, f = np.array([1, 2, 4]), np.array([1, 3, 3])
    expected = regression_scores(y, f).r2
    assert regression_scores(pd.Series(y), f.tolist()).r2 == expected
    assert regression_scores(y[:, None], f.astype(np.float32)).r2 == expected


def test_zero_in_y():
    """Only MAPE is refused; the row is that of the input, counting absent rows."""
    scores = regression_scores([1.0, 3.0, 0.0, 2.0], [1.0, 2.0, 1.0, 2.0], [0.0, 1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="y is zero, first at row 2"):
        _ = scores.mape
    assert scores.mae == pytest.approx(2 / 3, rel=1e-15)
    assert "y is zero" in str(scores) and "mae" in str(scores)


def test_constant_y():
    scores = regression_scores([2.0, 2.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="y is constant"):
        _ = scores.r2
    assert scores.mse == 0.5


def test_one_row_has_scores_but_no_limits():
    scores = regression_scores([2.0], [1.0])
    assert scores.mae == 1.0
    with pytest.raises(ValueError, match="weight above 1"):
        scores.interval("mae")


@pytest.mark.parametrize(
    ("y", "f", "options", "error", "message"),
    [
        ([1.0, np.nan], [1.0, 1.0], {}, ValueError, "y contains NaN: first at row 1"),
        ([1.0, 1.0], [np.inf, 1.0], {}, ValueError, "prediction contains infinity: first at row 0"),
        ([1.0, 2.0], [1.0], {}, ValueError, "y has 2 rows and prediction 1"),
        ([], [], {}, ValueError, "no row"),
        ([1.0], [1.0], {"sample_weight": [0.0]}, ValueError, "no row"),
        ([1.0], [1.0], {"sample_weight": [-1.0]}, ValueError, "sample_weight"),
        ([1.0], [1.0], {"confidence": 0.0}, ValueError, "confidence"),
        ([1e80, 1.0], [1.0, 1.0], {}, ValueError, "go up to 1e\\+80"),
        ([[1.0, 2.0]], [[1.0, 2.0]], {}, ValueError, "y must be one-dimensional"),
        (["1"], [1.0], {}, TypeError, "y must hold real numbers"),
    ],
)
def test_bad_input(y, f, options, error, message):
    with pytest.raises(error, match=message):
        regression_scores(y, f, **options)


def test_unknown_score():
    with pytest.raises(ValueError, match="no score 'auc'"):
        regression_scores(*pair()).interval("auc")
