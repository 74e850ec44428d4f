"""Certified standard deviations of coefficients and residuals: in one fit, over merged models, row by row."""

import numpy as np
import pytest

from sumlearn import LinearRegression

from tests.nist.loader import LINEAR, correct_digits, load_linear

# Digits of the worst standard deviation. Filip's powers of x are rounded before any sum is formed, at condition 5e9.
GATES = dict.fromkeys(LINEAR, 12.5) | {"Filip": 7.0}
EXACT_FITS = ("Wampler1", "Wampler2")  # certified as zero


@pytest.fixture(params=LINEAR)
def problem(request):
    X, y, certified = load_linear(request.param)
    return request.param, X, y, certified


def learner(certified):
    return LinearRegression(fit_intercept=bool(certified["intercept"]))


def one_fit(X, y, certified):
    return learner(certified).fit(X, y)


def seven_models(X, y, certified):
    parts = [part for part in np.array_split(np.arange(len(y)), 7) if len(part)]
    return sum(learner(certified).fit(X[part], y[part]) for part in parts)


def row_by_row(X, y, certified):
    model = learner(certified)
    for i in range(len(y)):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
    return model


@pytest.mark.filterwarnings("ignore::sumlearn.IllConditionedWarning")  # of the parts of Filip
@pytest.mark.parametrize("how", [one_fit, seven_models, row_by_row])
def test_certified_deviations(problem, how):
    name, X, y, certified = problem
    model = how(X, y, certified)
    if name in EXACT_FITS:
        # sums of 32 digits leave 1e-32 of y'y; the standard errors are about as large as that of the noise here
        assert model.noise_variance_**0.5 <= 1e-15 * np.abs(y).max()
        assert model.standard_errors_.max() <= 1e-15 * np.abs(y).max()
        return
    assert correct_digits(model.standard_errors_, certified["sd"]) >= GATES[name]
    assert correct_digits(model.noise_variance_**0.5, certified["residual_sd"]) >= GATES[name]
    assert correct_digits(model.r2_, certified["r2"]) >= min(GATES[name] + 2, 13)
    assert correct_digits(model.f_test().statistic, float(certified["anova"]["F"])) >= GATES[name]
    assert model.inference().degrees == certified["anova"]["res_df"]
