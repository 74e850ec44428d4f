"""The step of Barzilai and Borwein by hand, its guards, and what it is allowed to do."""

import numpy as np
import pytest

from sumlearn.objectives import L1, L2, Frame, Hinge, Logistic, Quadratic, Squared
from sumlearn.solvers import BarzilaiBorwein, Newton, Solution
from sumlearn.statistics import Expansion, Moments

from tests.objectives.problems import objective_of, rows


class Bowl:
    """1/2 w'A w - b'w, an objective; it writes down where it was asked."""

    offers, kinks, rounding, noise, cost, weight = frozenset({"value and slope"}), (), 2e-16, 0.0, 1.0, 1.0

    def __init__(self, A, b):
        self.A, self.b, self.asked = np.asarray(A, float), np.asarray(b, float), []
        self.start = np.zeros((1, len(self.b)))

    def expand(self, point, order=1):
        w = point[0]
        self.asked.append(w.copy())
        value = 0.5 * w @ self.A @ w - self.b @ w + 100.0
        return Expansion(float(value), (self.A @ w - self.b)[None], np.zeros(0), -np.inf, self.weight, 1)


def notes_iterates(A, b, steps):
    """Note 001, by hand: mu_0 = 1, w_0 = 0, mu_k = mu_{k-1} g_{k-1}'g_{k-1} / ((g_{k-1} - g_k)'g_{k-1})."""
    w, mu = np.zeros(len(b)), 1.0
    g = A @ w - b
    found = [w]
    for _ in range(steps):
        w = w - mu * g
        last, g = g, A @ w - b
        mu = mu * (last @ last) / ((last - g) @ last)
        found.append(w)
    return np.array(found)


def test_steps_are_those_of_the_note():
    """Eigenvalues below one, so that mu_0 = 1 does not overshoot and no guard steps in."""
    A, b = np.diag([0.9, 0.5, 0.3]), np.array([1.0, -2.0, 0.5])
    bowl = Bowl(A, b)
    BarzilaiBorwein(max_iter=6).minimise(bowl, np.zeros((1, 3)))
    assert np.array(bowl.asked) == pytest.approx(notes_iterates(A, b, 6), rel=1e-12)


def test_both_forms_of_the_step():
    """s's / s'(g_k - g_{k-1}) with s = -mu_{k-1} g_{k-1}."""
    A, b = np.diag([0.9, 0.4]), np.array([1.0, 1.0])
    w = notes_iterates(A, b, 3)
    g = w @ A - b
    s, change = w[2] - w[1], g[2] - g[1]
    mu_2 = (w[3] - w[2]) @ g[2] / -(g[2] @ g[2])
    assert s @ s / (s @ change) == pytest.approx(mu_2, rel=1e-12)


def test_the_first_step_does_not_overshoot():
    """mu_0 = 1 would multiply the error by -99; it is halved until the value falls."""
    bowl = Bowl(np.diag([100.0, 1.0]), np.array([1.0, 1.0]))
    solution = BarzilaiBorwein().minimise(bowl, np.zeros((1, 2)))
    assert solution.converged
    assert solution.point[0] == pytest.approx([0.01, 1.0], rel=1e-8)
    first = [bowl.expand(np.array([w])).value for w in bowl.asked[:12]]
    accepted = next(i for i in range(1, 12) if first[i] < first[0])
    assert accepted > 1


def test_a_flat_valley_has_no_step_and_needs_none():
    """No curvature along the way: the denominator of the step is zero."""

    class Line(Bowl):
        def expand(self, point, order=1):
            w = point[0, 0]
            value, slope = (-w, -1.0) if w < 3.0 else (-3.0 + 0.5 * (w - 3.0) ** 2, w - 3.0)
            if w < 3.0:
                value = -w
            return Expansion(float(value), np.array([[slope]]), np.zeros(0), -np.inf, 1.0, 1)

    solution = BarzilaiBorwein().minimise(Line([[0.0]], [0.0]), np.zeros((1, 1)))
    assert solution.point[0, 0] == pytest.approx(3.0, abs=1e-6)


def test_it_may_go_uphill_but_not_above_the_last_ten():
    """Non-monotone: on a long valley some values rise, none above the largest of the ten before it."""
    rng = np.random.default_rng(0)
    A = np.diag(10.0 ** np.linspace(0, 3, 20))
    bowl = Bowl(A, rng.standard_normal(20))
    trace = BarzilaiBorwein().minimise(bowl, np.ones((1, 20))).trace
    assert (np.diff(trace) > 0).any()
    assert all(trace[k] <= trace[max(0, k - 10) : k].max() for k in range(1, len(trace)))


@pytest.mark.parametrize("loss", [Logistic(), Squared()], ids=lambda loss: loss.name)
def test_finds_what_newton_finds(loss):
    X, y = rows(loss)
    frame = Frame(X.mean(axis=0), X.std(axis=0), True, standardised=False)
    objective = objective_of(loss, L2(), 0.7, X, y, None, frame)
    a = BarzilaiBorwein().minimise(objective, objective.start)
    b = Newton().minimise(objective, objective.start)
    assert a.converged and b.converged
    assert a.objective == pytest.approx(b.objective, rel=1e-12)
    assert a.point == pytest.approx(b.point, rel=1e-4, abs=1e-5)


def test_l1_gives_zeros():
    X, y = rows(Logistic())
    frame = Frame(X.mean(axis=0), X.std(axis=0), True, standardised=False)
    objective = objective_of(Logistic(), L1(), 4.0, X, y, None, frame)
    solution = BarzilaiBorwein().minimise(objective, objective.start)
    coef = frame.coefficients(solution.point)[0]
    assert 0 < np.count_nonzero(coef) < len(coef)
    # the slope of the losses in natural units: alpha against the sign, and no more than alpha where there is a zero
    slope = objective.expand(solution.point).gradient[0, :-1] * frame.unit
    assert slope[coef != 0] == pytest.approx(-4.0 * np.sign(coef[coef != 0]), rel=1e-4)
    assert (np.abs(slope[coef == 0]) < 4.0).all()


def test_on_sums():
    X, y = rows(Squared())
    quadratic = Quadratic.of(Moments.of(X, y), L2(), 0.7)
    solution = BarzilaiBorwein().minimise(quadratic, quadratic.start)
    coef = quadratic.frame.coefficients(solution.point)[0]
    centred = X - X.mean(axis=0)
    expected = np.linalg.solve(centred.T @ centred + 0.7 * np.eye(4), centred.T @ y)
    assert coef == pytest.approx(expected, rel=1e-6)


def test_solution_says_how_it_was_reached():
    X, y = rows(Logistic())
    objective = objective_of(Logistic(), L2(), 0.7, X, y)
    solution = BarzilaiBorwein(max_iter=3).minimise(objective, objective.start)
    assert isinstance(solution, Solution)
    assert not solution.converged and solution.iterations == 3
    assert solution.passes >= 4
    assert len(solution.trace) == 3
    assert solution.trace[0] == pytest.approx(len(X) * np.log(2))
    assert solution.objective == pytest.approx(objective.expand(solution.point).value)
    assert solution.gradient_norm == pytest.approx(np.abs(objective.expand(solution.point).gradient).max())


def test_what_it_refuses():
    X, y = rows(Logistic())
    with pytest.raises(ValueError, match=r"'barzilai_borwein' needs a smooth loss .*'hinge'; 'newton' and .* can"):
        BarzilaiBorwein().minimise(objective_of(Hinge(), L2(), 1.0, X, y), np.zeros((1, 5)))
