"""The reference data are read as they were certified."""

from fractions import Fraction

import numpy as np
import pytest

from tests.nist.loader import (
    ANOVA,
    LINEAR,
    UNIVARIATE,
    correct_digits,
    load_anova,
    load_linear,
    load_univariate,
)


@pytest.mark.parametrize("name", LINEAR)
def test_linear_tables_have_the_certified_shape(name):
    X, y, certified = load_linear(name)
    assert X.shape == (certified["n"], certified["terms"])
    assert y.shape == (certified["n"],)
    assert len(certified["coef"]) == len(certified["sd"]) == X.shape[1] + certified["intercept"]


@pytest.mark.parametrize("name", LINEAR)
def test_certified_coefficients_leave_the_certified_residual(name):
    X, y, certified = load_linear(name)
    b = certified["coef"]
    exact_rows = [[Fraction(1)] * certified["intercept"] + [Fraction(v) for v in row] for row in X]
    rss = sum(
        (Fraction(t) - sum(Fraction(c) * v for c, v in zip(b, row, strict=True))) ** 2
        for t, row in zip(y, exact_rows, strict=True)
    )
    # Rounding of coefficients to 15 digits shows where powers up to x^10 nearly cancel.
    if certified["anova"]["res_ss"] > 1e-6:
        assert correct_digits(float(rss), certified["anova"]["res_ss"]) > 6
    else:
        assert float(rss) < 1.6e-6


@pytest.mark.parametrize("name", UNIVARIATE)
def test_univariate_mean_is_exact_in_rational_numbers(name):
    y, certified = load_univariate(name)
    assert len(y) == certified["n"]
    mean = sum(map(Fraction, y.tolist())) / len(y)
    assert correct_digits(float(mean), certified["mean"]) > 14


def test_pi_digits_keeps_the_digit_that_was_certified():
    y, certified = load_univariate("PiDigits")
    assert y[:6].tolist() == [3, 1, 4, 1, 5, 9]
    assert y[956] == 3
    assert y.sum() == 5000 * certified["mean"]


@pytest.mark.parametrize("name", ANOVA)
def test_anova_tables_have_the_certified_groups(name):
    group, y, certified = load_anova(name)
    assert len(group) == len(y) == certified["n"]
    assert len(np.unique(group)) == certified["between_df"] + 1


@pytest.mark.parametrize(
    ("estimate", "certified", "digits"),
    [
        (1.0, 1.0, 15),
        (1.001, 1.0, 3),
        ([100.0, 1.01], [100.0, 1.0], 2),  # the worst entry counts
        (1e-5, 0.0, 5),  # absolute error where the certified value is zero
        (0.0, 0.0, 15),
        (3.0, 1.0, 0),  # never negative
        (np.nan, 1.0, 0),
        (np.inf, 1.0, 0),
        (np.inf, np.inf, 15),
    ],
)
def test_correct_digits(estimate, certified, digits):
    assert correct_digits(estimate, certified) == pytest.approx(digits, abs=1e-9)
