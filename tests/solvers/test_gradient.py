"""Gradient descent with a fixed rate, by hand, and with a line search."""

import numpy as np
import pytest

from sumlearn.objectives import L1, L2, Frame, Hinge, Logistic, OwnFunction, Quadratic
from sumlearn.solvers import BarzilaiBorwein, GradientDescent, LineSearch, Newton
from sumlearn.statistics import Moments

from tests.objectives.problems import objective_of, plain_frame, rows


def logistic(alpha=0.7):
    X, y = rows(Logistic())
    frame = Frame(X.mean(axis=0), X.std(axis=0), True, standardised=False)
    return objective_of(Logistic(), L2(), alpha, X, y, None, frame)


def test_fixed_steps_by_hand():
    """w <- w - mu grad F / N, three times, with formulas of our own."""
    X, y = rows(Logistic())
    X = X / 10
    objective = objective_of(Logistic(), L2(), 0.7, X, y, None, plain_frame(4, True))
    solution = GradientDescent(rate=0.5, max_iter=3).minimise(objective, objective.start)
    Z, w = np.column_stack([X, np.ones(len(X))]), np.zeros(5)
    for _ in range(3):
        p = 1 / (1 + np.exp(y * (Z @ w)))  # of the wrong class
        w = w - 0.5 / len(X) * (-Z.T @ (y * p) + 0.7 * np.append(w[:4], 0.0))
    assert solution.point[0] == pytest.approx(w, rel=1e-12)
    assert not solution.converged and solution.iterations == 3 and len(solution.trace) == 3


@pytest.mark.parametrize("rate", [None, 1.0])
def test_values_fall_until_the_minimum(rate):
    objective = logistic()
    solution = GradientDescent(rate=rate).minimise(objective, objective.start)
    assert solution.converged
    assert (np.diff(solution.trace) <= 1e-12 * np.abs(solution.trace[1:])).all()
    best = Newton().minimise(objective, objective.start)
    assert solution.objective == pytest.approx(best.objective, rel=1e-10)
    assert solution.point == pytest.approx(best.point, abs=1e-4)
    assert solution.gradient_norm < 1e-3


def test_a_rate_that_is_too_large_is_named():
    X, y = rows(Logistic())
    quadratic = Quadratic.of(Moments.of(X, y), L2(), 0.0)
    with pytest.raises(ValueError, match=r"rate=1000.0 is too large"):
        GradientDescent(rate=1000.0).minimise(quadratic, quadratic.start)


def test_line_search_brings_enough():
    """F(w + t v) <= F + 1e-4 t g'v for the step it takes, not for the one before, twice as long."""
    objective = logistic()
    found = objective.expand(objective.start)
    direction = -found.gradient
    point, there, _, step, *_ = LineSearch().along(objective, objective.start, found, direction, found.value, 64.0)
    slope = (found.gradient * direction).sum()
    assert 0.0 < step < 64.0
    assert np.array_equal(point, objective.start + step * direction)
    assert there.value <= found.value + 1e-4 * step * slope
    longer = objective.expand(objective.start + 2 * step * direction).value
    assert longer > found.value + 1e-4 * 2 * step * slope


def test_line_search_uphill_gives_up():
    objective = logistic()
    found = objective.expand(objective.start)
    point, there, _, step, *_ = LineSearch().along(objective, objective.start, found, found.gradient, found.value)
    assert step < 1e-15  # no further than rounding goes
    assert there.value == pytest.approx(found.value, rel=1e-14)
    assert point == pytest.approx(objective.start, abs=1e-12)


def test_a_start_at_the_minimum_stays():
    objective = logistic()
    best = Newton().minimise(objective, objective.start)
    solution = GradientDescent().minimise(objective, best.point)
    assert solution.converged and solution.iterations < 10
    assert solution.point == pytest.approx(best.point, abs=1e-7)


def test_what_it_refuses():
    X, y = rows(Logistic())
    with pytest.raises(ValueError, match=r"'gradient' needs a smooth loss .*; 'newton' and .* can"):
        GradientDescent().minimise(objective_of(Hinge(), L2(), 1.0, X, y), np.zeros((1, 5)))
    with pytest.raises(ValueError, match=r"'gradient' needs a smooth penalty .*; 'barzilai_borwein' and .* can"):
        GradientDescent().minimise(objective_of(Logistic(), L1(), 1.0, X, y), np.zeros((1, 5)))
    with pytest.raises(ValueError, match=r"'newton' needs a smooth penalty .*; .*'interior_point' can"):
        Newton().minimise(objective_of(Hinge(), L1(), 1.0, X, y), np.zeros((1, 5)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shrink": 1.0}, "shrink must lie between 0 and 1, got 1.0"),
        ({"shrink": -0.5}, "shrink must lie between 0 and 1"),
        ({"most": 0}, "most must be a whole number above 0, got 0"),
        ({"most": 2.5}, "most must be a whole number"),
        ({"memory": 0}, "memory must be a whole number above 0, got 0"),
    ],
)
def test_line_searches_that_search_nothing_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        LineSearch(**options)


@pytest.mark.parametrize("solver", [GradientDescent, BarzilaiBorwein])
def test_a_search_that_gives_up_early_has_not_arrived(solver):
    """A step that is a million times too long, and one try: that is no minimum."""
    steep = OwnFunction.of(lambda w: 1.0 + 1e6 * (w @ w), np.ones(2), lambda w: 2e6 * w)
    found = solver(line_search=LineSearch(most=1)).minimise(steep, steep.start)
    assert not found.converged
    assert solver(line_search=LineSearch(most=60)).minimise(steep, steep.start).converged
