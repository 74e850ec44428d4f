"""Certified coefficients, with default settings: in one fit, over merged models, row by row, and over many copies."""

import numpy as np
import pytest

from sumlearn import LinearRegression

from tests.nist.loader import LINEAR, correct_digits, load_linear

GATES = {
    "Norris": 11.5,
    "Pontius": 11.0,
    "NoInt1": 14.0,
    "NoInt2": 14.0,
    "Filip": 6.5,
    "Longley": 11.0,
    "Wampler1": 7.5,
    "Wampler2": 7.5,
    "Wampler3": 7.5,
    "Wampler4": 7.5,
    "Wampler5": 5.5,
}


def test_every_problem_has_a_gate():
    assert set(GATES) == set(LINEAR)


@pytest.fixture(params=LINEAR)
def problem(request):
    X, y, certified = load_linear(request.param)
    return request.param, X, y, certified


def learner(certified):
    return LinearRegression() if certified["intercept"] else LinearRegression(fit_intercept=False)


def digits(model, certified):
    coef = model.coef_ if not certified["intercept"] else np.append(model.intercept_, model.coef_)
    return correct_digits(coef, certified["coef"])


def test_one_fit(problem):
    name, X, y, certified = problem
    assert digits(learner(certified).fit(X, y), certified) >= GATES[name]


def test_exact_sums(problem):
    """As many digits as from sums in two words, and the same bits row by row."""
    name, X, y, certified = problem
    model = learner(certified).set_params(precision="exact").fit(X, y)
    assert digits(model, certified) >= GATES[name]
    single = learner(certified).set_params(precision="exact")
    for i in reversed(range(len(y))):
        single.partial_fit(X[i : i + 1], y[i : i + 1])
    assert single.coef_.tolist() == model.coef_.tolist()


def test_no_column_is_given_up(problem):
    _, X, y, certified = problem
    assert learner(certified).fit(X, y).rank_ == X.shape[1]


def test_sum_of_seven_models(problem):
    name, X, y, certified = problem
    parts = [part for part in np.array_split(np.arange(len(y)), 7) if len(part)]
    model = sum(learner(certified).fit(X[part], y[part]) for part in parts)
    assert digits(model, certified) >= GATES[name]


def test_row_by_row(problem):
    name, X, y, certified = problem
    model = learner(certified)
    for i in range(len(y)):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
    assert digits(model, certified) >= GATES[name]


def test_residual_sum_of_squares(problem):
    """1 / beta = RSS / N; the exact fits of Wampler1 and Wampler2 leave nothing."""
    _, X, y, certified = problem
    model = learner(certified).fit(X, y)
    expected = certified["anova"]["res_ss"]
    if expected == 0:
        assert len(y) / model.noise_precision_ <= 1e-20 * (y**2).sum()
    else:
        # the coefficients are rounded to doubles, which moves RSS by about (eps |y|)^2 at a minimum
        assert correct_digits(len(y) / model.noise_precision_, expected) >= 6.0


@pytest.mark.parametrize("copies", [300, 3000])
def test_tiled_and_shuffled(problem, copies):
    name, X, y, certified = problem
    order = np.random.default_rng(copies).permutation(copies * len(y))
    model = learner(certified).fit(np.tile(X, (copies, 1))[order], np.tile(y, copies)[order])
    assert digits(model, certified) >= GATES[name] - 0.5
