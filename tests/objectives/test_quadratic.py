"""Quadratic, an objective on sums, is the objective on rows with the squared loss."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sumlearn.objectives import L1, L2, ElasticNet, Free, Quadratic, Squared
from sumlearn.statistics import Moments

from tests.objectives.problems import objective_of, rows, weights, written_out


@settings(max_examples=40)
@given(
    penalty=st.sampled_from([Free(), L2(), L1(), ElasticNet(0.3)]),
    alpha=st.floats(0.0, 10.0),
    intercept=st.booleans(),
    weighted=st.booleans(),
    seed=st.integers(0, 100),
)
def test_quadratic_is_the_squared_loss(penalty, alpha, intercept, weighted, seed):
    X, y = rows(Squared())
    s = weights(len(X)) if weighted else None
    quadratic = Quadratic.of(Moments.of(X, y, s), penalty, alpha, intercept)
    objective = objective_of(Squared(), penalty, alpha, X, y, s, quadratic.frame, intercept)
    point = np.random.default_rng(seed).standard_normal(quadratic.start.shape)
    a, b = quadratic.expand(point, 2), objective.expand(point, 2)
    assert a.value == pytest.approx(b.value, rel=1e-11)
    assert a.gradient == pytest.approx(b.gradient, rel=1e-10, abs=1e-9 * np.abs(b.gradient).max())
    assert a.hessian == pytest.approx(b.hessian, rel=1e-10, abs=1e-10 * np.abs(b.hessian).max())
    assert quadratic.rough(point) == pytest.approx(objective.rough(point), rel=1e-12)
    assert quadratic.prox(point, 0.1) == pytest.approx(objective.prox(point, 0.1), rel=1e-12)
    coef = quadratic.frame.coefficients(point)
    intercepts = quadratic.frame.intercepts(coef, quadratic.frame.levels(point))
    expected = written_out(Squared(), penalty, alpha, X, y, s, coef, intercepts)
    assert a.value + quadratic.rough(point) == pytest.approx(expected, rel=1e-10)
    assert a.weight == pytest.approx(b.weight)


def test_sums_have_no_rows_to_choose_from():
    X, y = rows(Squared())
    assert Quadratic.of(Moments.of(X, y), L2(), 1.0).thinned(4) is None
