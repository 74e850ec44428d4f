"""L-BFGS: the minimum of a bowl, the curvature of its pairs, valleys, and its limits."""

import numpy as np
import pytest

import sumlearn as sl
from sumlearn.objectives import OwnFunction
from sumlearn.solvers import LBFGS, minimise


def bowl(condition=1e4, size=6):
    A = np.diag(np.geomspace(1.0, condition, size))
    return OwnFunction.of(lambda w: 0.5 * w @ A @ w - w.sum(), np.zeros(size), lambda w: A @ w - 1.0), A


def valley(w):
    return 100.0 * (w[1] - w[0] ** 2) ** 2 + (1.0 - w[0]) ** 2


def slope(w):
    return np.array([-400 * w[0] * (w[1] - w[0] ** 2) - 2 * (1 - w[0]), 200 * (w[1] - w[0] ** 2)])


def test_the_minimum_of_a_bowl():
    objective, A = bowl()
    found = LBFGS().minimise(objective, objective.start)
    assert found.converged
    assert found.point == pytest.approx(1.0 / np.diag(A), rel=1e-6)
    assert found.iterations < 60


def test_pairs_give_the_inverse_curvature():
    """H y = s for the last pair: the secant equation."""
    objective, _ = bowl(100.0)
    solver = LBFGS(memory=4)
    state = solver.start(objective, objective.start)
    for _ in range(5):
        state = solver.step(objective, state)
    assert len(state.pairs) == 4
    s, y = state.pairs[-1]
    assert solver.turned(y, state.pairs) == pytest.approx(s, rel=1e-9)
    assert all((s * y).sum() > 0 for s, y in state.pairs)


def test_through_the_valley():
    """Also where steps are only halved; values never rise."""
    for search in ("wolfe", "armijo"):
        found = minimise(valley, [-1.2, 1.0], slope, LBFGS(line_search=search))
        assert found.point == pytest.approx([1.0, 1.0], abs=1e-5)
        assert (np.diff(found.trace) <= 1e-12).all()
        assert found.passes < 200
    assert minimise(valley, [-1.2, 1.0], slope, "lbfgs").passes < 105  # what Barzilai and Borwein take


def test_limits():
    objective, _ = bowl()
    few = LBFGS(max_passes=5).minimise(objective, objective.start)
    assert (few.passes, few.converged) == (5, False)
    assert LBFGS(max_iter=3).minimise(objective, objective.start).iterations == 3
    flat = LBFGS(slope=10.0).minimise(objective, objective.start)
    assert (flat.iterations, flat.converged) == (0, True)
    with pytest.raises(ValueError, match="line_search must be one of"):
        LBFGS(line_search="exact")
    with pytest.raises(ValueError, match="needs a smooth penalty"):
        minimise(valley, [0.0, 0.0], slope, "lbfgs", penalty="l1")


def test_slopes_whose_squares_are_out_of_range():
    """Classes that are separated, no penalty: the slope falls below 1e-160, and its changes say nothing any more."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((12, 20)) * 10.0 ** (np.arange(20) % 4 - 2)
    y = (X / X.std(axis=0) @ rng.standard_normal(20) > 0).astype(int)
    with pytest.warns(sl.PerfectSeparationWarning):
        found = sl.LinearClassifier("logistic", "none", solver="lbfgs").fit(X, y)
    assert found.solutions_[0].converged and found.solutions_[0].objective < 1e-9
    assert np.isfinite(found.coef_).all() and found.score(X, y) == 1.0
