"""E = 1/2 sum w (y - t)^2 and E_RMS = sqrt(2 E / N)."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import root_mean_squared_error

from sumlearn.evaluation import rms_error, sum_of_squares_error

BOTH = pytest.mark.parametrize("error", [rms_error, sum_of_squares_error])


def pair(*shape):
    rng = np.random.default_rng(0)
    return rng.standard_normal(shape), rng.standard_normal(shape)


def test_closed_form():
    t, y = pair(50)
    assert sum_of_squares_error(t, y) == pytest.approx(0.5 * ((t - y) ** 2).sum(), rel=1e-14)
    assert rms_error(t, y) == pytest.approx(np.sqrt(2 * sum_of_squares_error(t, y) / 50), rel=1e-14)
    assert rms_error(t, y) == pytest.approx(root_mean_squared_error(t, y), rel=1e-14)


def test_perfect_and_constant_errors():
    t, _ = pair(20)
    assert rms_error(t, t) == sum_of_squares_error(t, t) == 0.0
    assert rms_error(t, t + 3.0) == pytest.approx(3.0, rel=1e-14)
    assert sum_of_squares_error([1.0], [3.0]) == 2.0


def test_weights():
    t, y = pair(30)
    weight = np.random.default_rng(1).integers(0, 4, 30)
    assert sum_of_squares_error(t, y, weight) == pytest.approx(
        sum_of_squares_error(t.repeat(weight), y.repeat(weight)), rel=1e-14
    )
    assert rms_error(t, y, weight) == pytest.approx(rms_error(t.repeat(weight), y.repeat(weight)), rel=1e-14)
    assert rms_error(t, y, 0.1 * weight) == pytest.approx(rms_error(t, y, weight), rel=1e-14)
    assert rms_error(t, y, weight) == pytest.approx(root_mean_squared_error(t, y, sample_weight=weight), rel=1e-14)


def test_several_targets():
    """All entries count alike."""
    t, y = pair(30, 3)
    assert sum_of_squares_error(t, y) == pytest.approx(0.5 * ((t - y) ** 2).sum(), rel=1e-14)
    assert rms_error(t, y) == pytest.approx(np.sqrt(2 * sum_of_squares_error(t, y) / len(t)), rel=1e-14)
    assert rms_error(t, y, per_target=True) == pytest.approx(np.sqrt(((t - y) ** 2).mean()), rel=1e-14)
    weight = np.arange(30.0)
    expected = np.sqrt((weight[:, None] * (t - y) ** 2).sum() / (3 * weight.sum()))
    assert rms_error(t, y, weight, per_target=True) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_squares_that_are_no_numbers(size):
    assert rms_error([3.0 * size, 0.0], [0.0, 4.0 * size]) == pytest.approx(12.5**0.5 * size, rel=1e-14)


def test_doubling_the_rows_changes_e_but_not_e_rms():
    t, y = pair(30)
    twice = np.tile(t, 2), np.tile(y, 2)
    assert sum_of_squares_error(*twice) == pytest.approx(2 * sum_of_squares_error(t, y), rel=1e-14)
    assert rms_error(*twice) == pytest.approx(rms_error(t, y), rel=1e-14)


def test_lists_series_and_float32():
    t, y = pair(30)
    expected = rms_error(t, y)
    assert rms_error(t.tolist(), y.tolist()) == expected
    assert rms_error(pd.Series(t), pd.Series(y)) == expected
    assert rms_error(t.astype(np.float32), y.astype(np.float32)) == pytest.approx(expected, rel=1e-6)
    assert isinstance(rms_error(t, y), float) and isinstance(sum_of_squares_error(t, y), float)


@BOTH
@pytest.mark.parametrize(
    ("t", "y", "weight", "message"),
    [
        ([1.0, 2.0], [1.0], None, r"y_true has shape \(2,\) and y_pred \(1,\)"),
        ([[1.0], [2.0]], [1.0, 2.0], None, r"y_true has shape \(2, 1\) and y_pred \(2,\)"),
        ([], [], None, "at least one row"),
        ([1.0, np.nan], [1.0, 2.0], None, "finite"),
        ([1.0, 2.0], [np.inf, 2.0], None, "finite"),
        ([1.0, 2.0], [1.0, 2.0], [1.0], "sample_weight"),
        ([1.0, 2.0], [1.0, 2.0], [1.0, -1.0], "sample_weight"),
        ([1.0, 2.0], [1.0, 2.0], [0.0, 0.0], "sample_weight"),
        ([1.0, 2.0], [1.0, 2.0], [1.0, np.nan], "sample_weight"),
        ([1.0, 2.0], [1.0, 2.0], [1.0, np.inf], "sample_weight"),
    ],
)
def test_bad_input(error, t, y, weight, message):
    with pytest.raises(ValueError, match=message):
        error(t, y, weight)


@BOTH
def test_numbers_instead_of_rows(error):
    with pytest.raises(ValueError, match="y_true and y_pred must be arrays of at least one row"):
        error(1.0, 2.0)


@BOTH
def test_text(error):
    with pytest.raises(ValueError, match="could not convert string to float: 'a'"):
        error(["a"], ["b"])
