"""Every solver with every kind of objective: states, steps, and what is asked for."""

from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest

from sumlearn.objectives import L0, L1, OFFERS, Hinge, Logistic
from sumlearn.solvers import (
    LINE_SEARCHES,
    SGD,
    SOLVERS,
    BarzilaiBorwein,
    Coordinate,
    GradientDescent,
    LineSearch,
    Newton,
    Proximal,
    Smoothing,
)
from sumlearn.solvers import newton as newton_module

from tests.objectives.objectives import OBJECTIVES, linear

QUICK = {"gradient": {"max_iter": 40}, "sgd": {"max_iter": 5}, "pegasos": {"max_iter": 5}}
GENERAL = ("newton", "barzilai_borwein", "gradient", "sgd")  # the others are for some losses alone
ABLE = [
    (solver, name)
    for solver, kind in SOLVERS.items()
    for name, objective in OBJECTIVES.items()
    if not kind.lack(objective())
]


def made(solver):
    return SOLVERS[solver](**QUICK.get(solver, {}))


def same(a, b):
    """Whether two states hold the same; the objectives inside them are told by their types."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b, equal_nan=True)
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.random.Generator):
        return a.bit_generator.state == b.bit_generator.state
    if hasattr(a, "expand"):
        return True
    if hasattr(a, "__dataclass_fields__"):
        return all(same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    return a == b or (a != a and b != b)


def test_every_solver_has_every_kind_of_objective():
    """A linear one, sums, and a function of one's own; stochastic steps need rows."""
    for solver in GENERAL:
        names = {name for able, name in ABLE if able == solver}
        assert {"logistic", "softmax", "sparse", "huber"} <= names
        assert ("quadratic" in names) == (solver != "sgd")
        assert ("value and slope" in names) == (solver not in ("sgd", "coordinate", "smoothing"))
    assert {name for able, name in ABLE if able == "newton"} == set(OBJECTIVES) - {
        "l1", "hinge, l1", "quadratic, l1", "own, l1", "value",
    }  # fmt: skip


@pytest.mark.parametrize(("solver", "name"), ABLE)
def test_minimise_is_the_loop_over_steps(solver, name):
    objective, told = OBJECTIVES[name](), []
    whole, steps = made(solver), made(solver)
    whole.watch = lambda: told.append(1)
    found = whole.minimise(objective, objective.start)
    state, trace = steps.start(objective, objective.start), []
    while not state.ended:
        state = steps.step(objective, state)
        trace.extend(state.noted)
    assert np.array_equal(found.point, state.point) and found.objective == state.value
    assert (found.iterations, found.passes, found.converged) == (state.iterations, state.passes, state.converged)
    assert found.trace.tolist() == trace and len(told) == len(trace)
    assert found.gradient_norm == np.abs(state.found.gradient).max()


@pytest.mark.parametrize(("solver", "name"), ABLE)
def test_a_step_twice_is_the_same_step(solver, name):
    """States are not changed, and nothing else is remembered: not even the order of rows."""
    objective, one = OBJECTIVES[name](), made(solver)
    state = one.start(objective, objective.start)
    for _ in range(6):
        kept = replace(state, point=state.point.copy())
        after, again = one.step(objective, state), made(solver).step(objective, state)
        assert same(after, again)
        assert same(state, kept)
        state = after


@pytest.mark.parametrize(("solver", "name"), ABLE)
def test_states_are_frozen_and_ended_ones_stay(solver, name):
    objective, one = OBJECTIVES[name](), made(solver)
    state = one.start(objective, objective.start)
    with pytest.raises(FrozenInstanceError):
        state.point = None
    ended = replace(state, ended=True)
    assert same(one.step(objective, ended), ended)


def test_phases_of_newton_with_many_rows(monkeypatch):
    """A sample first, then all rows; kinks are followed; Huber's loss is eased before anything else."""
    monkeypatch.setattr(newton_module, "MANY_ROWS", 50)
    monkeypatch.setattr(newton_module, "PER_NUMBER", 0)

    def phases(name):
        objective, one, seen = OBJECTIVES[name](), Newton(), []
        state = one.start(objective, objective.start)
        while not state.ended:
            seen += [state.phase] if state.phase not in seen else []
            state = one.step(objective, state)
        return seen

    assert phases("logistic") == ["sampling", "full"]
    assert phases("huber") == ["easing", "sampling", "full"]
    assert phases("hinge") == phases("absolute") == ["following"]
    assert phases("quadratic") == phases("value and slope") == phases("sparse") == ["full"]


# -- what is asked for ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS.values())
def test_solvers_ask_in_the_words_of_objectives(solver):
    assert "value and slope" in solver.asks
    assert solver.asks | solver.one_of <= set(OFFERS)
    assert solver.kinks <= {"loss", "penalty"}


@pytest.mark.parametrize(
    ("solver", "name", "message"),
    [
        (
            "sgd",
            "quadratic",
            r"solver='sgd' asks for batches \(it needs rows, some at a time\), which Quadratic does not offer; "
            "'newton' and 'barzilai_borwein' and 'gradient' and .* can",
        ),
        (
            "dual_qp",
            "logistic",
            r"asks for program \(it needs all rows in memory, an L2 penalty and a loss whose dual is quadratic\), "
            "which LinearObjective does not offer with loss='logistic' and penalty='l2'; .*'dual_cd' and 'lbfgs' can",
        ),
        ("interior_point", "logistic", "asks for ramps .* which LinearObjective does not offer"),
        ("cutting_planes", "l1", "needs a smooth penalty and cannot minimise penalty='l1'"),
        ("sgd", "ordinal", "asks for batches .* which OrdinalObjective does not offer"),
        (
            "newton",
            "value",
            r"asks for curvature or product \(it needs Hessians or products with the Hessian\), which OwnFunction does "
            "not offer; 'barzilai_borwein' and 'gradient' and 'proximal' and 'lbfgs' can",
        ),
        (
            "gradient",
            "quadratic, l1",
            "needs a smooth penalty and cannot minimise penalty='l1'; 'barzilai_borwein' and 'coordinate' and .* can",
        ),
        ("newton", "hinge, l1", "needs a smooth penalty .*; 'sgd' and 'proximal' and .*'interior_point' can"),
        (
            "gradient",
            "absolute",
            "'gradient' needs a smooth loss and cannot minimise loss='absolute'; 'newton' and 'sgd' and 'proximal' and "
            "'smoothing' and 'pegasos' and .*'interior_point' and 'smo' can",
        ),
    ],
)
def test_what_is_missing_is_named_with_who_can(solver, name, message):
    objective = OBJECTIVES[name]()
    with pytest.raises(ValueError, match=message):
        SOLVERS[solver]().minimise(objective, objective.start)


def test_what_few_solvers_can():
    for objective, able in (
        (linear(Logistic(), L0()), {"proximal"}),
        (linear(Hinge(), L0()), {"proximal"}),
        (linear(Hinge(), L1()), {"sgd", "proximal", "smoothing", "interior_point"}),
    ):
        for name, kind in SOLVERS.items():
            if name in able:
                kind().check(objective)
                continue
            with pytest.raises(ValueError, match=f"solver='{name}' .*'proximal'"):
                kind().check(objective)


def test_what_is_no_objective():
    with pytest.raises(TypeError, match="int is no sumlearn.objectives.Objective: no offers, kinks"):
        Newton().minimise(3, np.zeros(1))


# -- line searches ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("search", [*LINE_SEARCHES, LineSearch(shrink=0.3, memory=4)])
@pytest.mark.parametrize("kind", [GradientDescent, BarzilaiBorwein, Newton, Coordinate, Proximal, Smoothing])
def test_every_line_search_with_every_solver(kind, search):
    objective = OBJECTIVES["logistic"]()
    best = Newton().minimise(objective, objective.start)
    found = kind(line_search=search).minimise(objective, objective.start)
    assert found.converged and found.objective == pytest.approx(best.objective, rel=1e-9)
    if search == "armijo":
        assert (np.diff(found.trace) <= 1e-12 * np.abs(found.trace[1:])).all()


def test_line_searches_by_name():
    objective = OBJECTIVES["logistic"]()
    for search in ("wolf", 3, LineSearch):
        with pytest.raises(ValueError, match=r"line_search must be one of 'armijo', 'grippo', or a LineSearch"):
            BarzilaiBorwein(line_search=search).minimise(objective, objective.start)


def test_seeds_are_kept_in_the_state():
    """A generator that is handed in is not drawn from: the same solver twice is the same twice."""
    objective, rng = OBJECTIVES["logistic"](), np.random.default_rng(0)
    a, b = (SGD(max_iter=2, seed=rng).minimise(objective, objective.start).point for _ in range(2))
    assert np.array_equal(a, b)
