"""Stochastic gradient descent: the note's rule by hand, and the minimum without noise."""

import numpy as np
import pytest

from sumlearn.objectives import L2, Frame, Free, Huber, Logistic, Quadratic, Softmax
from sumlearn.solvers import SGD, GradientDescent, Newton
from sumlearn.statistics import Moments

from tests.objectives.problems import objective_of, rows, weights


def logistic(alpha=0.0, weight=None, n=60):
    X, y = rows(Logistic(), n)
    frame = Frame(np.zeros(4), np.ones(4), True, standardised=False)
    return objective_of(Logistic(), L2() if alpha else Free(), alpha, X / 5, y, weight, frame)


def test_the_rule_of_the_note():
    """w += eta (t - sigma) x for one row after the other, with t in {0, 1}; one round in the order of the batches."""
    objective, eta = logistic(), 0.3
    solver = SGD(batch=1, rate=eta, variance_reduced=False, max_iter=1, seed=7)
    found = solver.minimise(objective, objective.start)
    w = np.zeros(5)
    seed = np.random.default_rng(7).integers(2**32)
    for batch in objective.batches(1, seed):
        x, t = np.append(batch.X[0], 1.0), (batch.y[0] + 1) / 2
        w += eta * (t - 1 / (1 + np.exp(-w @ x))) * x
    assert found.point[0] == pytest.approx(w, rel=1e-12)
    assert np.abs(w).max() > 0.1


def test_a_batch_stands_for_all_rows():
    """Batches, weights (some zero) and a penalty, by hand: the gradient of the mean, as far as the batch tells."""
    s = weights(60)
    objective, eta, alpha = logistic(0.7, s), 0.3, 0.7
    found = SGD(batch=7, rate=eta, variance_reduced=False, max_iter=1, seed=3).minimise(objective, objective.start)
    w, kept = np.zeros(5), np.count_nonzero(s)
    for batch in objective.batches(7, np.random.default_rng(3).integers(2**32)):
        Z = np.column_stack([batch.X, np.ones(len(batch.y))])
        slope = -batch.weight * batch.y / (1 + np.exp(batch.y * (Z @ w)))
        g = kept / (len(batch.y) * s.sum()) * (Z.T @ slope)
        w = w - eta * (g + alpha / s.sum() * np.append(w[:4], 0.0))
    assert found.point[0] == pytest.approx(w, rel=1e-12)


def test_plain_steps_come_near_and_shrink():
    X, y = rows(Logistic(), 400)
    frame = Frame(X.mean(axis=0), X.std(axis=0), True, standardised=False)
    objective = objective_of(Logistic(), L2(), 0.7, X, y, None, frame)
    best = Newton().minimise(objective, objective.start)
    rough = SGD(rate=0.2, variance_reduced=False, max_iter=30).minimise(objective, objective.start)
    assert not rough.converged
    assert best.objective < rough.objective < best.objective * 1.01
    assert len(rough.trace) == 30
    assert rough.trace[-1] < rough.trace[0]


def test_plain_steps_with_rows_of_weight_zero():
    """Rows that weigh nothing do not thin the gradient: both objectives are the same, and so is where steps lead."""
    X, y = rows(Logistic(), 200)
    s = np.repeat([0.0, 1.0], 100)
    frame = Frame(np.zeros(4), np.ones(4), True, standardised=False)
    with_them = objective_of(Logistic(), L2(), 30.0, X / 5, y, s, frame)
    without = objective_of(Logistic(), L2(), 30.0, X[100:] / 5, y[100:], None, frame)
    solver = SGD(batch=10, rate=0.02, variance_reduced=False, max_iter=200)
    a, b = (solver.minimise(objective, objective.start) for objective in (with_them, without))
    assert a.point == pytest.approx(b.point, abs=0.02)
    assert np.abs(b.point).max() > 0.05


@pytest.mark.parametrize("loss", [Logistic(), Softmax(), Huber(0.8)], ids=lambda loss: loss.name)
@pytest.mark.parametrize("batch", [1, 32])
def test_without_noise_it_reaches_the_minimum(loss, batch):
    X, y = rows(loss)
    frame = Frame(X.mean(axis=0), X.std(axis=0), True, standardised=False)
    objective = objective_of(loss, L2(), 0.7, X, y, weights(60), frame)
    best = Newton().minimise(objective, objective.start)
    solution = SGD(batch=batch, tol=1e-12).minimise(objective, objective.start)
    assert solution.converged
    assert solution.objective == pytest.approx(best.objective, rel=1e-9)


def test_seeds():
    objective = logistic(0.7)
    a, b, c = (SGD(max_iter=2, seed=seed).minimise(objective, objective.start).point for seed in (0, 0, 1))
    assert np.array_equal(a, b) and not np.array_equal(a, c)


def test_a_rate_that_is_too_large_is_halved():
    objective = logistic(0.7)
    best = Newton().minimise(objective, objective.start)
    solution = SGD(rate=1e3).minimise(objective, objective.start)
    assert solution.objective == pytest.approx(best.objective, rel=1e-8)


def test_sums_have_no_rows():
    X, y = rows(Logistic())
    with pytest.raises(ValueError, match="needs rows"):
        SGD().minimise(Quadratic.of(Moments.of(X, y), L2(), 1.0), np.zeros((1, 5)))


class Exponential(Logistic):
    """exp(-y f): its curvature has no bound."""

    name, steepness = "exponential", np.inf

    def value(self, y, score):
        return np.exp(-y * score)

    def slope(self, y, score):
        return -y * np.exp(-y * score)

    def curvature(self, y, score):
        return np.exp(-y * score)

    def terms(self, y, score, order):
        return self.value(y, score), self.slope(y, score), self.curvature(y, score)


def test_a_loss_without_a_bound_of_its_curvature_needs_a_rate():
    """A rate of 1 / (2 L) = 0 would go nowhere, and call that the minimum."""
    X, y = rows(Logistic(), 60)
    objective = objective_of(Exponential(), L2(), 1.0, X / 5, y, None, logistic().frame)
    with pytest.raises(ValueError, match=r"curvature has no bound: give SGD\(rate=\.\.\.\)"):
        SGD().minimise(objective, objective.start)
    best = Newton().minimise(objective, objective.start)
    found = SGD(rate=0.01).minimise(objective, objective.start)
    assert found.converged and found.objective == pytest.approx(best.objective, rel=1e-8)


@pytest.mark.parametrize("solver", [SGD, GradientDescent])
def test_a_small_rate_is_no_minimum(solver):
    """Steps of 1e-13 gain nothing anywhere: that is no sign of having arrived."""
    objective = logistic(0.7)
    found = solver(rate=1e-13, max_iter=5).minimise(objective, objective.start)
    assert not found.converged and found.iterations == 5


@pytest.mark.parametrize("solver", [SGD, GradientDescent])
@pytest.mark.parametrize("rate", [0.0, -0.1, np.nan, np.inf])
def test_a_rate_is_positive(solver, rate):
    objective = logistic(0.7)
    with pytest.raises(ValueError, match="rate must be a positive number or None, got"):
        solver(rate=rate).minimise(objective, objective.start)


@pytest.mark.parametrize("batch", [0, -3, 2.5])
def test_a_batch_has_rows(batch):
    objective = logistic(0.7)
    with pytest.raises(ValueError, match="batch must be a whole number above 0, got"):
        SGD(batch=batch).minimise(objective, objective.start)
