"""Losses: derivatives against differences, edges, hand-worked values, and how kinks are rounded."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import huber as scipy_huber
from scipy.special import log_expit, logsumexp

from sumlearn import LinearRegressor
from sumlearn.objectives import (
    LOSSES,
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Kinked,
    Logistic,
    Loss,
    PerceptronLoss,
    Quantile,
    Softmax,
    Squared,
    SquaredHinge,
    ZeroOne,
)
from sumlearn.objectives.named_losses import loss_of
from sumlearn.objectives.ordinal_losses import ORDINAL_LOSSES

SIGN = [ZeroOne(), PerceptronLoss(), Hinge(), SquaredHinge(), Logistic()]
NUMBER = [Squared(), Absolute(), EpsilonInsensitive(0.3), Huber(1.35), Huber(0.2), Quantile(0.5), Quantile(0.9)]
KINKED = [PerceptronLoss, Hinge, Absolute, lambda h=0.0: EpsilonInsensitive(0.3, h), lambda h=0.0: Quantile(0.8, h)]
RAMPS = [1.0, 1.0, 2.0, 2.0, 1.0]  # sum of the weights of the ramps of each

scores = st.floats(-20.0, 20.0)
each_smooth = pytest.mark.parametrize(
    "loss",
    [loss for loss in SIGN + NUMBER if loss.smooth] + [kind(h) for kind in KINKED for h in (0.01, 1.0)],
    ids=repr,
)


def targets(loss):
    return st.sampled_from([-1.0, 1.0]) if loss.coding == "sign" else st.floats(-20.0, 20.0)


def test_every_loss_is_tested():
    assert {type(loss) for loss in [*SIGN, *NUMBER, Softmax()]} == set(LOSSES.values())


@each_smooth
@settings(max_examples=25)
@given(data=st.data())
def test_slope_and_curvature_are_the_derivatives(loss, data):
    y, f = np.array([data.draw(targets(loss))]), np.array([data.draw(scores)])
    step = 1e-6 * getattr(loss, "width", 1.0)
    before, after = f - step, f + step
    slope = (loss.value(y, after) - loss.value(y, before)) / (after - before)
    assert loss.slope(y, f) == pytest.approx(slope, rel=1e-4, abs=1e-5)
    if np.sign(loss.curvature(y, before)) == np.sign(loss.curvature(y, after)):  # a piecewise quadratic may bend here
        bend = (loss.slope(y, after) - loss.slope(y, before)) / (after - before)
        assert loss.curvature(y, f) == pytest.approx(bend, rel=1e-4, abs=1e-5)


@each_smooth
@settings(max_examples=20)
@given(data=st.data())
def test_steepness_bounds_the_curvature(loss, data):
    y, f = np.array([data.draw(targets(loss))]), np.array([data.draw(scores)])
    assert 0.0 <= loss.curvature(y, f) <= loss.steepness * (1 + 1e-12)


@pytest.mark.parametrize("loss", [loss for loss in SIGN + NUMBER if loss.convex], ids=repr)
@settings(max_examples=25)
@given(data=st.data())
def test_losses_lie_above_their_tangents(loss, data):
    """Convexity, and a slope that is a subgradient also at kinks."""
    y = np.array([data.draw(targets(loss))])
    f, other = np.array([data.draw(scores)]), np.array([data.draw(scores)])
    here, there = loss.value(y, f), loss.value(y, other)
    assert there >= here + loss.slope(y, f) * (other - f) - 1e-9 * (1 + abs(here) + abs(there))


@pytest.mark.parametrize("loss", [*SIGN, *NUMBER], ids=repr)
@settings(max_examples=30)
@given(data=st.data())
def test_terms_are_value_slope_and_curvature(loss, data):
    y = np.array(data.draw(st.lists(targets(loss), min_size=4, max_size=4)))
    f = np.array(data.draw(st.lists(st.floats(-800.0, 800.0), min_size=4, max_size=4)))
    value, slope, bend = loss.terms(y, f, 2)
    assert value == pytest.approx(loss.value(y, f), rel=1e-13, abs=1e-300)
    assert slope == pytest.approx(loss.slope(y, f), rel=1e-13, abs=1e-300)
    assert bend == pytest.approx(loss.curvature(y, f), rel=1e-12, abs=1e-15)
    assert loss.terms(y, f, 1)[2] is None


def test_values_by_hand():
    m = np.array([-2.0, 0.0, 0.5, 1.0, 3.0])
    one = np.ones(5)
    assert ZeroOne().value(one, m).tolist() == [1, 1, 0, 0, 0]
    assert PerceptronLoss().value(one, m).tolist() == [2, 0, 0, 0, 0]
    assert Hinge().value(one, m).tolist() == [3, 1, 0.5, 0, 0]
    assert SquaredHinge().value(one, m).tolist() == [9, 1, 0.25, 0, 0]
    assert Logistic().value(one, m) == pytest.approx(-log_expit(m), rel=1e-15)
    assert Absolute().value(one, m).tolist() == [3, 1, 0.5, 0, 2]
    assert Squared().value(one, m).tolist() == [4.5, 0.5, 0.125, 0, 2]
    assert EpsilonInsensitive(0.5).value(one, m).tolist() == [2.5, 0.5, 0, 0, 1.5]
    assert Huber(0.7).value(one, m) == pytest.approx(scipy_huber(0.7, one - m), rel=1e-15)
    assert Quantile(0.25).value(one, m).tolist() == [0.75, 0.25, 0.125, 0, 1.5]


@pytest.mark.parametrize("loss", SIGN, ids=repr)
@given(f=st.floats(-50.0, 50.0))
def test_losses_of_the_margin_know_no_sides(loss, f):
    a, b = loss.value(np.array([1.0]), np.array([f])), loss.value(np.array([-1.0]), np.array([-f]))
    assert a == b
    assert loss.slope(np.array([1.0]), np.array([f])) == -loss.slope(np.array([-1.0]), np.array([-f]))


def test_logistic_and_softmax_far_out():
    """No overflow at scores of 800, and full precision where the loss is tiny."""
    y, f = np.array([1.0, 1.0, -1.0, 1.0]), np.array([-800.0, 800.0, -800.0, 40.0])
    expected = -log_expit(y * f)
    for value in (Logistic().value(y, f), Logistic().terms(y, f, 1)[0]):
        assert value == pytest.approx(expected, rel=1e-14)
    assert Logistic().slope(y, f).tolist() == [-1.0, 0.0, 0.0, pytest.approx(-np.exp(-40.0), rel=1e-14)]
    scores = np.array([[800.0, -800.0, 0.0], [-800.0, -800.0, -799.0]])
    classes = np.array([1, 2])
    expected = logsumexp(scores, axis=1) - scores[[0, 1], classes]
    for value in (Softmax().value(classes, scores), Softmax().terms(classes, scores, 1)[0]):
        assert value == pytest.approx(expected, rel=1e-14)
    assert np.isfinite(Softmax().slope(classes, scores)).all()


@settings(max_examples=25)
@given(
    f=st.lists(st.floats(-30.0, 30.0), min_size=3, max_size=3),
    y=st.integers(0, 2),
)
def test_softmax_derivatives(f, y):
    loss, y, f = Softmax(), np.array([y]), np.array([f])
    slope, p = loss.slope(y, f), loss.curvature(y, f)
    hessian = np.diag(p[0]) - np.outer(p[0], p[0])
    for k in range(3):
        step = np.zeros((1, 3))
        step[0, k] = 1e-5
        rise = (loss.value(y, f + step) - loss.value(y, f - step)) / 2e-5
        assert slope[0, k] == pytest.approx(rise[0], abs=1e-6)
        bend = (loss.slope(y, f + step) - loss.slope(y, f - step))[0] / 2e-5
        assert hessian[k] == pytest.approx(bend, abs=1e-6)
    v, s, q = loss.terms(y, f, 2)
    assert v == pytest.approx(loss.value(y, f), rel=1e-13, abs=1e-14)
    assert s == pytest.approx(slope, abs=1e-15)
    assert q == pytest.approx(p, abs=1e-15)


def test_two_softmax_scores_are_the_logistic_loss():
    f = np.linspace(-5, 5, 11)
    both = np.column_stack([np.zeros(11), f])
    assert Softmax().value(np.ones(11, int), both) == pytest.approx(Logistic().value(np.ones(11), f), rel=1e-14)
    assert Softmax().value(np.zeros(11, int), both) == pytest.approx(Logistic().value(-np.ones(11), f), rel=1e-14)


def test_margins():
    y, f = np.array([1.0, -1.0, 1.0]), np.array([3.0, -0.5, 2.0])
    assert Logistic().margin(y, f) == 0.5
    assert Logistic().margin(y, -f) == -3.0
    assert Squared().margin(y, f) == -np.inf
    assert Logistic().margin(y[:0], f[:0]) == np.inf
    scores = np.array([[1.0, 0.0, -1.0], [5.0, 2.0, 4.0]])
    assert Softmax().margin(np.array([0, 0]), scores) == 1.0
    assert Softmax().margin(np.array([0, 2]), scores) == -1.0


# -- kinks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "ramps"), list(zip(KINKED, RAMPS, strict=True)))
@settings(max_examples=25)
@given(data=st.data(), width=st.floats(1e-8, 10.0))
def test_a_rounded_kink_adds_at_most_half_its_width(kind, ramps, data, width):
    exact, rounded = kind(), kind(width)
    y = np.array([data.draw(targets(exact))])
    f = np.array([data.draw(st.one_of(scores, st.just(float(y[0]))))])
    added = rounded.value(y, f) - exact.value(y, f)
    assert -1e-14 * (1 + abs(exact.value(y, f))) <= added <= 0.5 * ramps * width * (1 + 1e-9)


def test_a_rounded_kink_adds_half_its_width_at_the_kink():
    assert Hinge(0.2).value(np.array([1.0]), np.array([1.0])) == pytest.approx([0.1])
    assert Absolute(0.2).value(np.array([1.0]), np.array([1.0])) == pytest.approx([0.2])
    assert Quantile(0.9, 0.2).value(np.array([1.0]), np.array([1.0])) == pytest.approx([0.1])


def test_rounding_keeps_the_numbers_of_a_loss():
    assert EpsilonInsensitive(0.7).rounded(0.1).epsilon == 0.7
    assert Quantile(0.2).rounded(0.1).quantile == 0.2
    for kind in KINKED:
        rounded = kind().rounded(0.25)
        assert type(rounded) is type(kind()) and rounded.width == 0.25
        assert isinstance(rounded, Kinked)


@pytest.mark.parametrize("scale", [1e-250, 1e-12, 1e150])
def test_kinks_of_any_scale(scale):
    """Nothing overflows, or vanishes, in units that are not ours."""
    y, f = np.array([1.0, 1.0, 1.0]), np.array([0.9, 1.0, 1.5])
    plain, scaled = Absolute(0.1), Absolute(0.1 * scale)
    assert scaled.value(scale * y, scale * f) / scale == pytest.approx(plain.value(y, f), rel=1e-13)
    assert scaled.slope(scale * y, scale * f) == pytest.approx(plain.slope(y, f), rel=1e-13)
    assert scaled.curvature(scale * y, scale * f) * scale == pytest.approx(plain.curvature(y, f), rel=1e-13)


# -- names ------------------------------------------------------------------------------------------------------------


def test_losses_by_name():
    for name, kind in LOSSES.items():
        if kind.convex:
            assert type(loss_of(name, kind.target)) is kind
    hinge = Hinge()
    assert loss_of(hinge, "label") is hinge


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        ("logit", "loss must be one of perceptron, hinge, squared_hinge, logistic"),
        (3, "loss must be one of"),
        (Hinge, "loss must be one of"),
        ("zero_one", "not convex"),
        ("squared", "not one for this task; use one of perceptron"),
    ],
)
def test_losses_that_do_not_suit(loss, message):
    with pytest.raises(ValueError, match=message):
        loss_of(loss, "label")


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        (Huber, 0.0),
        (Huber, np.nan),
        (EpsilonInsensitive, -1.0),
        (EpsilonInsensitive, np.inf),
        (Quantile, 1.0),
        (Quantile, 0.0),
    ],
)
def test_numbers_of_losses_are_checked(kind, number):
    with pytest.raises(ValueError, match=f"must .*got {number}"):
        kind(number)


def test_a_larger_delta_for_huber():
    assert Huber(1.0).eased(5.0).delta == 5.0 and Huber(1.0).eased(0.2).delta == 1.0


def test_repr_shows_the_numbers():
    assert repr(Quantile(0.9)) == "Quantile(quantile=0.9)"
    assert repr(Hinge()) == "Hinge()"


def test_what_y_is_and_how_it_is_coded():
    kinds = {name: (kind.target, kind.coding) for name, kind in LOSSES.items()}
    assert kinds["softmax"] == ("label", "class") and kinds["huber"] == ("number", "value")
    assert {pair for name, pair in kinds.items() if name not in ("softmax", "huber")} == {
        ("label", "sign"),
        ("number", "value"),
    }
    assert {(kind.target, kind.coding) for kind in ORDINAL_LOSSES.values()} == {("ordered", "rank")}


@pytest.mark.parametrize(
    ("task", "pair"), [("sign", ("label", "sign")), ("class", ("label", "class")), ("number", ("number", "value"))]
)
def test_a_loss_that_still_names_its_task(task, pair):
    with pytest.warns(FutureWarning, match=r"Old.task is now target .* and coding"):
        kind = type("Old", (Hinge,), {"task": task})
    assert (kind.target, kind.coding) == pair


class Steps(Loss):
    """A loss of one's own with kinks that nobody can round."""

    name, target, coding, smooth, steepness = "steps", "number", "value", False, np.inf

    def value(self, y, score):
        return np.abs(y - score)

    def slope(self, y, score):
        return np.sign(score - y)

    def curvature(self, y, score):
        return np.zeros_like(score)


def test_kinks_of_ones_own_must_be_rounded():
    with pytest.raises(TypeError, match=r"loss='steps' has kinks .* make it a sumlearn\.objectives\.Kinked"):
        LinearRegressor(Steps()).fit(np.arange(6.0)[:, None], [0.0, 1.0, 1.0, 3.0, 4.0, 4.0])
