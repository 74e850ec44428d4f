"""Penalties: derivatives, and the proximal map against a search."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from sumlearn.objectives import L0, L1, L2, PENALTIES, ElasticNet, Free, Penalty
from sumlearn.objectives.penalties import penalty_of

ALL = [Free(), L2(), L1(), ElasticNet(0.3), ElasticNet(0.9), L0()]
each = pytest.mark.parametrize("penalty", ALL, ids=repr)
numbers = st.floats(-50.0, 50.0)


def test_every_penalty_is_tested():
    assert {type(penalty) for penalty in ALL} == set(PENALTIES.values())


@each
@settings(max_examples=25)
@given(w=st.floats(0.01, 50.0), sign=st.sampled_from([-1.0, 1.0]))
def test_slope_and_curvature_away_from_zero(penalty, w, sign):
    w = np.array([sign * w])
    step = 1e-4 * abs(w[0])
    rise = (penalty.value(w + step) - penalty.value(w - step)) / (2 * step)
    assert penalty.slope(w)[0] == pytest.approx(rise, rel=1e-6, abs=1e-9)
    bend = (penalty.slope(w + step) - penalty.slope(w - step)) / (2 * step)
    assert penalty.curvature(w)[0] == pytest.approx(bend[0], rel=1e-6, abs=1e-9)


@each
@settings(max_examples=25)
@given(w=numbers, step=st.floats(1e-3, 30.0))
def test_prox_is_the_minimum_of_its_definition(penalty, w, step):
    """(v - w)^2 / 2 + step Omega(v), searched on both sides of zero and at zero."""

    def cost(v):
        return 0.5 * (v - w) ** 2 + step * penalty.value(np.array([v]))

    found = float(penalty.prox(np.array([w]), step)[0])
    sides = [minimize_scalar(cost, bounds=b, method="bounded", options={"xatol": 1e-10}) for b in ((-60, 0), (0, 60))]
    best = min(cost(0.0), cost(w), *(side.fun for side in sides))
    assert cost(found) <= best + 1e-9 * (1 + abs(best))


@each
def test_prox_takes_a_step_for_each_coefficient(penalty):
    w, steps = np.array([3.0, -2.0, 0.5]), np.array([0.1, 1.0, 4.0])
    together = penalty.prox(w, steps)
    assert together.tolist() == [penalty.prox(w[j : j + 1], steps[j])[0] for j in range(3)]


@each
def test_values_add_over_coefficients(penalty):
    w = np.array([[1.0, -2.0], [0.0, 4.0]])
    assert penalty.value(w) == pytest.approx(sum(penalty.value(np.array([v])) for v in w.ravel()))


@settings(max_examples=20)
@given(w=st.lists(numbers, min_size=1, max_size=5), step=st.floats(0.0, 10.0))
def test_elastic_net_between_l1_and_l2(w, step):
    w = np.array(w)
    for end, penalty in ((ElasticNet(1.0), L1()), (ElasticNet(0.0), L2())):
        assert end.value(w) == penalty.value(w)
        assert end.slope(w).tolist() == penalty.slope(w).tolist()
        assert end.curvature(w).tolist() == penalty.curvature(w).tolist()
        assert end.prox(w, step).tolist() == penalty.prox(w, step).tolist()


def test_values_by_hand():
    w = np.array([3.0, 0.0, -4.0])
    assert [penalty.value(w) for penalty in (Free(), L2(), L1(), ElasticNet(0.25), L0())] == [0, 12.5, 7, 11.125, 2]


def test_penalties_by_name():
    assert isinstance(penalty_of(None), Free)
    for name, kind in PENALTIES.items():
        assert type(penalty_of(name)) is kind
    mine = ElasticNet(0.2)
    assert penalty_of(mine) is mine
    for wrong in ("ridge", 3, L1):
        with pytest.raises(ValueError, match="penalty must be one of none, l2, l1, elasticnet, l0"):
            penalty_of(wrong)
    for ratio in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match="l1_ratio"):
            ElasticNet(ratio)


def test_repr_shows_the_numbers():
    assert repr(ElasticNet(0.2)) == "ElasticNet(l1_ratio=0.2)"
    assert issubclass(ElasticNet, Penalty)
