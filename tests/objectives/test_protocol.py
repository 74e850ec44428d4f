"""Every objective has what the protocol says, and what it says that it offers."""

import numpy as np
import pytest

from sumlearn.objectives import L0, OFFERS, Hinge, Kink, Logistic, Objective

from tests.objectives.objectives import OBJECTIVES, linear, quadratic

every_objective = pytest.mark.parametrize("name", OBJECTIVES)


@every_objective
def test_it_answers_what_it_offers(name):
    objective = OBJECTIVES[name]()
    assert isinstance(objective, Objective)
    assert objective.offers <= set(OFFERS)
    for word in objective.offers:
        assert all(hasattr(objective, member) for member in OFFERS[word].members), word
    assert objective.rounding > 0 and objective.noise >= 0 and objective.cost == 1.0


@every_objective
def test_expansions_have_the_shapes_of_points(name):
    objective = OBJECTIVES[name]()
    point = objective.start + 0.01
    for order in (0, 1, 2)[: 3 if "curvature" in objective.offers else 2]:
        found = objective.expand(point, order)
        assert np.isfinite(found.value) and found.value == pytest.approx(objective.expand(point).value)
        assert found.gradient.shape == point.shape
        assert found.hessian.shape == ((point.size, point.size) if order > 1 else (0,))


@every_objective
def test_slopes_are_those_of_the_values(name):
    objective = OBJECTIVES[name]()
    rng = np.random.default_rng(0)
    point = objective.start + 0.1 * rng.standard_normal(objective.start.shape)
    along = rng.standard_normal(point.shape)
    rise = (objective.expand(point + 1e-6 * along).value - objective.expand(point - 1e-6 * along).value) / 2e-6
    assert (objective.expand(point).gradient * along).sum() == pytest.approx(rise, rel=1e-5, abs=1e-5)


@every_objective
def test_kinks_come_with_a_way_round_them(name):
    objective = OBJECTIVES[name]()
    for kink in objective.kinks:
        assert {"loss": "easier", "penalty": "prox"}[kink.part] in objective.offers
    assert ("prox" in objective.offers) == any(kink.part == "penalty" for kink in objective.kinks)


@pytest.mark.parametrize("name", ["hinge", "absolute", "huber"])
def test_easier_ones_come_near(name):
    """The narrower, the nearer; widths begin above where they end."""
    objective = OBJECTIVES[name]()
    found = objective.expand(objective.start)
    width, last = objective.widths(found)
    assert width > last >= 0.0
    apart = [abs(objective.easier(w).expand(objective.start).value - found.value) for w in (width, 0.1, 0.1 * 0.1)]
    assert apart[0] > apart[1] >= apart[2]


def test_kinks_are_named_as_a_person_writes_them():
    assert linear(Hinge(), L0()).kinks == (Kink("loss", "loss='hinge'"), Kink("penalty", "penalty='l0'", False))
    assert linear(Logistic(), L0()).kinks == quadratic(L0()).kinks
    assert OBJECTIVES["logistic"]().kinks == ()


def test_hessians_that_are_too_large_are_not_offered(monkeypatch):
    from sumlearn.objectives import over_rows

    objective = OBJECTIVES["logistic"]()
    assert {"curvature", "product"} <= objective.offers
    monkeypatch.setattr(over_rows, "FORMED", 2)
    assert "curvature" not in objective.offers and "product" in objective.offers


def test_a_protocol_is_not_constructed():
    with pytest.raises(TypeError, match="Objective is a protocol.*LinearObjective"):
        Objective(loss=Logistic())
    with pytest.raises(TypeError, match=r"solvers\.minimise takes a function of your own"):
        Objective()


def test_a_subclass_may_say_that_it_is_one():
    class Flat(Objective):
        offers, kinks, rounding, noise, cost, start = frozenset({"value and slope"}), (), 1e-16, 0.0, 1.0, np.zeros(1)

        def expand(self, point, order=1):
            raise NotImplementedError

    assert isinstance(Flat(), Objective)
