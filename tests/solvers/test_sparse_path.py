"""Minima along a path of penalties, where the system of one is changed into that of the next."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sumlearn.solvers.sparse_quadratic import duality_gaps, sparse_minimum, sparse_path


def problem(rows, columns, seed, correlation=0.7):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    for j in range(1, columns):
        X[:, j] += correlation * X[:, j - 1]
    y = X[:, :3] @ rng.standard_normal(min(3, columns)) + rng.standard_normal(rows)
    return X.T @ X, X.T @ y, float(y @ y)


def value(w, G, c, l1, l2):
    return 0.5 * w @ G @ w - c @ w + l1 @ np.abs(w) + 0.5 * l2 @ w**2


@settings(max_examples=25)
@given(
    rows=st.integers(5, 60), columns=st.integers(1, 40), seed=st.integers(0, 99), ridge=st.sampled_from([0.0, 0.3]),
    nonnegative=st.booleans(), down=st.booleans(), copied=st.booleans(),
)  # fmt: skip
def test_a_path_has_the_minima_of_single_penalties(rows, columns, seed, ridge, nonnegative, down, copied):
    G, c, squares = problem(rows, columns, seed)
    if copied:  # a column twice: its share is open, the minimum is not
        take = [*range(columns), 0]
        G, c = G[np.ix_(take, take)], c[take]
    alphas = np.abs(c).max() * np.logspace(0, -3, 12)[:: 1 if down else -1]
    l1 = np.repeat(alphas[:, None], len(c), 1) * np.random.default_rng(seed).uniform(0.5, 2.0, len(c))
    l2 = ridge * l1
    found = sparse_path(G, c, l1, l2, None, nonnegative)
    assert found.converged.all() and (found.sweeps > 0).all()
    scale = squares * 1e-10
    for a in range(len(alphas)):
        single = sparse_minimum(G, c, l1[a], l2[a], None, nonnegative)
        assert value(found.w[a], G, c, l1[a], l2[a]) <= value(single.w, G, c, l1[a], l2[a]) + scale
        np.testing.assert_allclose(found.q[a], c - G @ found.w[a], atol=1e-9 * np.abs(c).max())
        assert not nonnegative or (found.w[a] >= 0).all()
    gaps = duality_gaps(found.w, found.q, c, squares, l1, l2, nonnegative)
    assert (gaps <= scale).all()


def test_most_of_a_path_needs_few_steps():
    G, c, _ = problem(400, 80, 1)
    l1 = np.repeat((np.abs(c).max() * np.logspace(0, -3, 100))[:, None], 80, 1)
    assert sparse_path(G, c, l1, 0.0 * l1).sweeps[1:].mean() < 5


@pytest.mark.parametrize("most", [1, 2])
def test_a_path_that_may_not_go_on_says_so(most):
    G, c, _ = problem(50, 30, 2)
    l1 = np.repeat((np.abs(c).max() * np.array([1e-1, 1e-4]))[:, None], 30, 1)
    found = sparse_path(G, c, l1, 0.0 * l1, None, False, most)
    assert (found.sweeps <= most).all()
    for w, k, converged in zip(found.w, l1, found.converged, strict=True):
        best = sparse_minimum(G, c, k, 0.0 * k).w
        assert not converged or value(w, G, c, k, 0.0 * k) <= value(best, G, c, k, 0.0 * k) + 1e-6
