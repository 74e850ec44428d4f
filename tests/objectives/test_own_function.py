"""A function of one's own: shapes, precision, differences, and what is refused."""

import numpy as np
import pytest

from sumlearn.objectives import OwnFunction

from tests.objectives.objectives import valley, valley_curvature, valley_slope

FUNCTIONS = {
    "wave": (lambda w: np.sin(w).sum(), np.cos),
    "exponential": (lambda w: np.exp(w).sum(), np.exp),
    "quartic": (lambda w: (w**4).sum(), lambda w: 4 * w**3),
    "logarithm": (lambda w: -np.log(w).sum(), lambda w: -1.0 / w),
    "constant": (lambda w: 7.0, np.zeros_like),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_differences_are_slopes(name):
    value, slope = FUNCTIONS[name]
    w = np.array([0.3, 1.7, 40.0, 1e-3])
    found = OwnFunction.of(value, w).expand(w).gradient
    assert found == pytest.approx(slope(w), rel=1e-9, abs=1e-12 * abs(value(w)) + 1e-300)


def test_differences_far_from_where_they_began():
    """Steps are chosen at the start; another point a few units away has them too."""
    objective = OwnFunction.of(valley, [-1.2, 1.0])
    for w in ([1.0, 1.0], [0.0, 0.0], [3.0, -2.0]):
        assert objective.expand(np.array(w)).gradient == pytest.approx(valley_slope(w), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9, -1e9])
def test_differences_find_the_scale_at_an_offset(offset):
    """F changes over a unit; the usual step, a share of |w|, would be thousands of them."""

    def value(w):
        return np.cos(w - offset).sum()

    w = offset + np.array([0.25, 1.5, -2.0])
    found = OwnFunction.of(value, w).expand(w).gradient
    assert found == pytest.approx(-np.sin(w - offset), rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_differences_on_other_scales(scale):
    w = scale * np.array([0.4, -0.9])
    found = OwnFunction.of(lambda w: np.cos(w / scale).sum(), w).expand(w).gradient
    assert found * scale == pytest.approx(-np.sin(w / scale), rel=1e-7)


def test_curvature_from_slopes():
    given = OwnFunction.of(valley, [-1.2, 1.0], valley_slope, valley_curvature)
    taken = OwnFunction.of(valley, [-1.2, 1.0], valley_slope)
    for w in (given.start, np.array([0.5, 2.0])):
        assert taken.expand(w, 2).hessian == pytest.approx(given.expand(w, 2).hessian, rel=1e-9)


def test_who_offers_curvature():
    long = np.zeros(101)
    flat = {"value": lambda w: 0.0, "slope": np.zeros_like, "curvature": lambda w: np.zeros((101, 101))}
    assert "curvature" not in OwnFunction.of(valley, [0.0, 0.0]).offers
    assert "curvature" in OwnFunction.of(valley, [0.0, 0.0], valley_slope).offers
    assert "curvature" not in OwnFunction.of(flat["value"], long, flat["slope"]).offers
    assert "curvature" in OwnFunction.of(flat["value"], long, flat["slope"], flat["curvature"]).offers


@pytest.mark.parametrize("start", [2.0, np.zeros(3), np.zeros((2, 3)), [[1.0], [2.0]], 3], ids=repr)
def test_functions_see_the_shape_of_the_start(start):
    shapes = set()

    def value(w):
        shapes.add((np.shape(w), type(w)))
        return np.sum((w - 1.0) ** 2)

    objective = OwnFunction.of(value, start, lambda w: 2.0 * (w - 1.0))
    assert objective.start.shape == (np.size(start),)
    assert objective.expand(objective.start).gradient.shape == (np.size(start),)
    assert objective.expand(objective.start, 2).hessian == pytest.approx(2.0 * np.eye(np.size(start)), abs=1e-9)
    assert shapes == {(np.shape(start), np.ndarray if np.ndim(start) else float)}


def test_single_precision_stays():
    kinds = set()

    def value(w):
        kinds.add(w.dtype)
        return ((w - 1.0) ** 2).sum()

    objective = OwnFunction.of(value, np.zeros(2, np.float32))
    found = objective.expand(objective.start)
    assert kinds == {np.dtype(np.float32)} and objective.rounding == pytest.approx(1.2e-7, rel=0.1)
    assert found.gradient.dtype == np.float64 and found.gradient == pytest.approx(-2.0, rel=1e-4)


def test_a_function_that_writes_into_w_changes_nothing():
    def value(w):
        w *= 0.0
        return 1.0

    start = np.ones(2)
    objective = OwnFunction.of(value, start)
    point = objective.start
    objective.expand(point)
    assert start.tolist() == [1.0, 1.0] and point.tolist() == [1.0, 1.0]


def given(value=valley, start=(0.0, 0.0), slope=None, curvature=None, order=1):
    objective = OwnFunction.of(value, start, slope, curvature)
    return objective.expand(objective.start, order)


@pytest.mark.parametrize(
    ("parts", "error", "message"),
    [
        ({"value": 3}, TypeError, "value must be a function of w, got 3"),
        ({"slope": "x"}, TypeError, "slope must be a function of w, or None, got 'x'"),
        ({"slope": valley_slope, "curvature": 1.0}, TypeError, "curvature must be a function of w, or None, got 1.0"),
        ({"curvature": valley_curvature}, ValueError, "curvature without slope"),
        ({"start": "a"}, TypeError, "start must be a number or an array of numbers, got 'a'"),
        ({"start": [[1.0], [1.0, 2.0]]}, TypeError, "start must be a number or an array of numbers"),
        ({"start": [np.nan, 0.0]}, ValueError, "start must hold numbers that are finite"),
        ({"start": []}, ValueError, "start must hold numbers"),
        ({"start": [1j, 0.0]}, TypeError, "start must be a number or an array of numbers"),
        ({"value": lambda w: w}, ValueError, r"value\(w\) must be one number, got an array of shape \(2,\)"),
        ({"value": lambda w: None}, TypeError, r"value\(w\) must be a number or an array of numbers, got None"),
        ({"value": lambda w: 1j}, TypeError, r"value\(w\) must be a number or an array of numbers, got 1j"),
        ({"value": lambda w: np.inf}, ValueError, r"value\(w\) is not finite: inf"),
        ({"slope": lambda w: w[:1]}, ValueError, r"slope\(w\) must be of shape \(2,\), got an array of shape \(1,\)"),
        ({"slope": lambda w: w * np.nan}, ValueError, r"slope\(w\) is not finite: nan"),
        (
            {"slope": valley_slope, "curvature": np.ones_like, "order": 2},
            ValueError,
            r"curvature\(w\) must be of shape \(2, 2\)",
        ),
        (
            {"slope": valley_slope, "curvature": lambda w: np.array([[1.0, 2.0], [0.0, 1.0]]), "order": 2},
            ValueError,
            r"curvature\(w\) must be symmetric",
        ),
    ],
)
def test_what_is_refused_is_named(parts, error, message):
    with pytest.raises(error, match=message):
        given(**parts)


WRONG = {
    "negative": lambda w: -valley_slope(w),
    "swapped": lambda w: valley_slope(w)[::-1],
    "half missing": lambda w: np.array([valley_slope(w)[0], 0.0]),
    "twice": lambda w: 2.0 * valley_slope(w),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_slope_that_is_not_that_of_the_values_is_said(name):
    """Solvers believe it: they ended anywhere, and called it a minimum."""
    with pytest.warns(UserWarning, match=r"slope\(w\) is not that of value\(w\): .* by differences"):
        OwnFunction.of(valley, [-1.2, 1.0], WRONG[name])


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_right_slope_is_believed(offset, scale, dtype, recwarn):
    if dtype == np.float32 and offset:
        return  # no digits are left there
    start = np.array([offset + 3.0 * scale, offset - scale], dtype=dtype)
    OwnFunction.of(
        lambda w: np.cosh((w[0] - offset) / scale) + ((w[1] - offset) / scale) ** 2,
        start,
        lambda w: np.array([np.sinh((w[0] - offset) / scale), 2 * (w[1] - offset) / scale]) / scale,
    )
    OwnFunction.of(lambda w: abs(w), 0.0, np.sign)
    OwnFunction.of(np.log, 1e-12, lambda w: 1 / w)
    assert not recwarn.list


def test_a_function_that_is_not_to_be_asked_elsewhere_is_not_compared():
    def value(w):
        if w != 2.0:
            raise RuntimeError("only here")
        return w**2

    assert OwnFunction.of(value, 2.0, lambda w: 2.0 * w, lambda w: 2.0).expand(np.array([2.0])).value == 4.0
