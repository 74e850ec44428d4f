"""The minimum of a function of one's own, by every solver that can."""

import numpy as np
import pytest

from sumlearn.solvers import SOLVERS, BarzilaiBorwein, GradientDescent, LineSearch, Solution, minimise

from tests.objectives.objectives import valley, valley_curvature, valley_slope

GIVEN = {
    "value": {},
    "slope": {"slope": valley_slope},
    "curvature": {"slope": valley_slope, "curvature": valley_curvature},
}


@pytest.mark.parametrize("search", [None, "armijo", "grippo"])
@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("solver", ["bb", "newton"])
def test_the_floor_of_the_valley(solver, given, search):
    if solver == "newton" and given == "value":
        return
    found = minimise(valley, [-1.2, 1.0], solver=solver, line_search=search, **GIVEN[given])
    assert isinstance(found, Solution) and found.converged
    assert found.point == pytest.approx([1.0, 1.0], abs=1e-11)
    assert found.trace[0] == pytest.approx(24.2) and found.trace.min() < 1e-20
    assert found.iterations < 1000


def test_the_floor_of_the_valley_by_plain_descent():
    """Its steps are short: the valley is narrow and bent."""
    found = minimise(valley, [-1.2, 1.0], valley_slope, "gradient", max_iter=5000)
    assert not found.converged and found.iterations == 5000 and len(found.trace) == 5000
    assert (np.diff(found.trace) <= 0).all()
    assert found.point == pytest.approx([1.0, 1.0], abs=0.05)
    taken = minimise(valley, [-1.2, 1.0], solver="gradient", max_iter=50)
    assert taken.trace == pytest.approx(found.trace[:50], rel=1e-6)


def bowl(offset, scales):
    middle = offset + np.arange(1.0, 5.0).reshape(2, 2)
    return middle, lambda w: float((scales * (w - middle) ** 2).sum()), lambda w: 2.0 * scales * (w - middle)


@pytest.mark.parametrize("solver", ["bb", "gradient", "newton"])
@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("offset", [0.0, 1e9, -1e6])
def test_a_bowl_at_an_offset(solver, given, offset):
    """A unit beside a billion: to the digits that a value still holds."""
    scales = np.array([[1.0, 10.0], [100.0, 3.0]])
    middle, value, slope = bowl(offset, scales)
    if solver == "newton" and not given:
        return
    found = minimise(value, np.full((2, 2), offset), slope if given else None, solver)
    assert found.converged and found.point.shape == (2, 2)
    assert np.abs(found.point - middle).max() < 1e-9 + 1e-14 * abs(offset)


@pytest.mark.parametrize("solver", ["bb", "gradient", "newton"])
@pytest.mark.parametrize("start", [0.0, -20.0, 3])
def test_a_number(solver, start):
    found = minimise(lambda w: np.cosh(w - 2.0) - 5.0, start, lambda w: np.sinh(w - 2.0), solver)
    assert type(found.point) is float and found.point == pytest.approx(2.0, abs=1e-6)
    assert found.objective == pytest.approx(-4.0, abs=1e-12) and found.converged


@pytest.mark.parametrize("solver", ["bb", "newton", "gradient"])
def test_a_fit_of_a_curve(solver):
    """Least squares of an exponential, by its numbers: what it is for."""
    t = np.linspace(0.0, 2.0, 30)
    y = 3.0 * np.exp(-1.5 * t)

    def value(w):
        return ((y - w[0] * np.exp(w[1] * t)) ** 2).sum()

    def slope(w):
        e = np.exp(w[1] * t)
        r = w[0] * e - y
        return 2.0 * np.array([(r * e).sum(), (r * w[0] * t * e).sum()])

    found = minimise(value, np.array([1.0, 0.0]), slope, solver)
    assert found.converged and found.point == pytest.approx([3.0, -1.5], abs=1e-8)


@pytest.mark.filterwarnings("ignore:slope.w. is not that of value")  # ten times as long, to overshoot
def test_a_step_out_of_the_domain_is_taken_back():
    """-log x has no value below zero; the first step of one would land there."""
    found = minimise(lambda w: float(w - np.log(w)) if w > 0 else np.nan, 3.5, lambda w: 10.0 * (1.0 - 1.0 / w))
    assert found.point == pytest.approx(1.0, abs=1e-6)


def test_single_precision_in_and_out():
    found = minimise(lambda w: ((w - 2.0) ** 2).sum(), np.zeros((2, 1), np.float32))
    assert found.point.dtype == np.float32 and found.point.shape == (2, 1)
    assert found.point == pytest.approx(2.0, abs=1e-3)


def test_a_solver_as_it_is():
    solver = BarzilaiBorwein(line_search=LineSearch(memory=3))
    assert minimise(valley, [-1.2, 1.0], valley_slope, solver).converged
    assert solver.nothing == 0.0  # what was handed in is not touched
    fixed = minimise(lambda w: (w - 1.0) ** 2, 0.0, lambda w: 2.0 * (w - 1.0), GradientDescent(rate=0.25))
    assert fixed.converged and fixed.point == pytest.approx(1.0, abs=1e-9)
    assert fixed.trace[:4] == pytest.approx([1.0, 0.25, 0.0625, 0.015625])


def test_a_rate_that_suits_values_below_zero():
    """That a value grows is told by the value, whatever its sign."""
    found = minimise(lambda w: w**2 - 100.0, 3.0, lambda w: 2.0 * w, GradientDescent(rate=0.1))
    assert found.converged and found.objective == pytest.approx(-100.0, rel=1e-11)
    with pytest.raises(ValueError, match=r"rate=5.0 is too large"):
        minimise(lambda w: w**2 - 100.0, 3.0, lambda w: 2.0 * w, GradientDescent(rate=5.0))


def test_options():
    short = minimise(valley, [-1.2, 1.0], valley_slope, "barzilai_borwein", max_iter=3)
    assert not short.converged and short.iterations == 3 and len(short.trace) == 3
    rough = minimise(lambda w: (w - 1.0) ** 2 + 1.0, 9.0, tol=1e-2)
    assert rough.converged and rough.iterations < 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"solver": "sgd"}, r"solver='sgd' asks for batches \(it needs rows, some at a time\), which OwnFunction"),
        ({"solver": "sgd", "line_search": "armijo"}, "solver='sgd' asks for batches"),
        ({"solver": "newton"}, "solver='newton' asks for curvature or product .*'proximal' and 'lbfgs' can"),
        (
            {"solver": "bfgs"},
            "solver must be one of 'bb', 'newton', 'barzilai_borwein', 'gradient', 'sgd', .*, or a Solver",
        ),
        ({"solver": None}, "solver must be one of"),
        ({"line_search": "wolfe"}, "line_search must be one of 'armijo', 'grippo', or a LineSearch, got 'wolfe'"),
        ({"tol": -1.0}, "tol must not be negative, got -1.0"),
        ({"tol": np.nan}, "tol must not be negative"),
        ({"max_iter": -1}, "max_iter must not be negative, got -1"),
        ({"solver": BarzilaiBorwein(), "tol": 1e-3}, "tol cannot be given beside a Solver"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        minimise(valley, [-1.2, 1.0], **options)


def test_values_that_are_no_numbers():
    with pytest.raises(ValueError, match=r"value\(w\) is not finite: nan"):
        minimise(lambda w: np.nan, 0.0)
    with pytest.raises(TypeError, match="value must be a function of w, got 'x'"):
        minimise("x", 0.0)
    assert set(SOLVERS) >= {"newton", "barzilai_borwein", "gradient", "sgd", "coordinate", "proximal", "smoothing"}


@pytest.mark.parametrize("solver", ["bb", "proximal", "coordinate"])
@pytest.mark.parametrize("search", ["armijo", "grippo"])
def test_a_penalty_beside_a_function(solver, search):
    centre = np.array([3.0, 0.2, -1.0, 0.0])
    found = minimise(
        lambda w: 0.5 * ((w - centre) ** 2).sum() + 0.25 * ((w - centre) ** 4).sum(), np.zeros(4),
        lambda w: (w - centre) + (w - centre) ** 3, solver, penalty="l1", alpha=0.5, line_search=search,
    )  # fmt: skip
    t = found.point - centre
    assert found.converged and (found.point[[1, 3]] == 0).all()
    assert (t + t**3)[[0, 2]] == pytest.approx([-0.5, 0.5], abs=1e-6)


def test_a_penalty_that_is_not_convex():
    found = minimise(lambda w: ((w - [3.0, 0.5]) ** 2).sum(), np.zeros(2), solver="proximal", penalty="l0")
    assert found.local and found.point == pytest.approx([3.0, 0.0], abs=1e-6)
    with pytest.raises(ValueError, match="'barzilai_borwein' finds the minimum of what is convex.*'proximal' can"):
        minimise(lambda w: ((w - [3.0, 0.5]) ** 2).sum(), np.zeros(2), penalty="l0")
    with pytest.raises(ValueError, match="alpha must be finite and not negative, got -1.0"):
        minimise(lambda w: ((w - [3.0, 0.5]) ** 2).sum(), np.zeros(2), penalty="l1", alpha=-1.0)


@pytest.mark.parametrize("solver", ["bb", "newton", "gradient", "proximal", "coordinate", "lbfgs"])
@pytest.mark.parametrize("given", [(), ("curvature",)])
def test_a_smooth_penalty_beside_a_function(solver, given):
    """|A w - b|^2 / 2 + 0.7 |w|^2 / 2 is ridge regression."""
    rng = np.random.default_rng(3)
    A, b = rng.standard_normal((6, 3)), rng.standard_normal(6)
    more = {"curvature": lambda w: A.T @ A} if given else {}
    found = minimise(
        lambda w: 0.5 * ((A @ w - b) ** 2).sum(), np.zeros(3), lambda w: A.T @ (A @ w - b), solver, penalty="l2",
        alpha=0.7, **more,
    )  # fmt: skip
    exact = np.linalg.solve(A.T @ A + 0.7 * np.eye(3), A.T @ b)
    assert found.converged and found.point == pytest.approx(exact, abs=1e-6)
    assert found.objective == pytest.approx(0.5 * ((A @ exact - b) ** 2).sum() + 0.35 * exact @ exact)


def test_a_penalty_that_cannot_be_rounded():
    with pytest.raises(ValueError, match=r"solver='smoothing' asks for rounded.*'barzilai_borwein'"):
        minimise(lambda w: ((w - 3.0) ** 2).sum(), np.zeros(2), lambda w: 2.0 * (w - 3.0), "smoothing", penalty="l1")


@pytest.mark.parametrize("solver", ["bb", "gradient", "proximal", "lbfgs"])
def test_a_slope_so_steep_that_first_steps_are_far_too_long(solver):
    found = minimise(lambda w: (w - 1e9) ** 4, 0.0, lambda w: 4.0 * (w - 1e9) ** 3, solver)
    assert found.converged and found.point == pytest.approx(1e9, rel=1e-4)


@pytest.mark.parametrize("solver", ["bb", "gradient", "proximal", "lbfgs"])
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_what_falls_without_end_has_not_converged(solver):
    assert not minimise(lambda w: -(w**2).sum(), np.ones(2), lambda w: -2.0 * w, solver).converged


@pytest.mark.parametrize("solver", ["bb", "gradient", "proximal", "newton", "lbfgs"])
@pytest.mark.parametrize("unit", [1e-14, 1e-20])
def test_functions_in_small_units(solver, unit):
    """The first step is one, and promises nothing: that is no minimum yet."""
    centre = np.array([3.0, 1.0])
    found = minimise(lambda w: unit * ((w - centre) ** 2).sum(), np.zeros(2), lambda w: 2 * unit * (w - centre), solver)
    assert found.converged and found.point == pytest.approx(centre, abs=1e-4)


@pytest.mark.parametrize("solver", ["gradient", "lbfgs"])
def test_a_cliff_before_a_slope(solver):
    """Steps that suit the start are far too short behind it."""
    found = minimise(lambda w: (np.exp(w) - w).sum(), np.full(2, 30.0), lambda w: np.exp(w) - 1.0, solver)
    assert found.converged and found.point == pytest.approx([0.0, 0.0], abs=1e-4)
