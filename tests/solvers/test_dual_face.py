"""Steps to the best point of a face of a dual."""

import numpy as np
import pytest

from sumlearn.solvers.dual_face import face_step


def problem(n, seed, dtype=np.float64, rank=None):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, rank or 2 * n))
    return (A @ A.T / n).astype(dtype), 3.0 * rng.standard_normal(n), rng


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_equations_hold_where_no_bound_is_met(dtype):
    K, slope, _ = problem(50, 0, dtype)
    d = face_step(K, slope, np.full(50, -1e9), np.full(50, np.inf))
    left = slope - K.astype(float) @ d
    assert abs(d.sum()) < 1e-4 and np.ptp(left) < (1e-9 if dtype == np.float64 else 1e-2)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("rank", [None, 20])
def test_the_dual_rises_within_the_bounds(seed, rank):
    K, slope, rng = problem(60, seed, rank=rank)
    low, high = -rng.exponential(2.0, 60), rng.exponential(2.0, 60)
    d = face_step(K, slope, low, high)
    if d is None:  # nothing was found: pairs go on
        assert rank is not None
        return
    assert abs(d.sum()) < 1e-9 and (d >= low).all() and (d <= high).all()
    assert slope @ d - 0.5 * d @ K @ d > 0


def test_no_step_without_a_factor():
    K = -np.eye(4)
    assert face_step(K, np.arange(4.0), np.full(4, -1.0), np.ones(4)) is None
