"""Dual coordinate descent, the dual program, cutting planes and the interior point: one minimum, and honest gaps."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.optimize import linprog, minimize
from sklearn.datasets import make_classification

from sumlearn import LinearClassifier
from sumlearn.data.source import ArraySource
from sumlearn.objectives import L2, Absolute, ClassHinge, Frame, Free, Hinge, LinearObjective, Logistic, SquaredHinge
from sumlearn.solvers import SMO, SOLVERS, CuttingPlanes, DualCD, DualQP, InteriorPoint, Newton, Pegasos, box_qp

from tests.objectives.problems import objective_of

MARGIN_SOLVERS = (DualCD, DualQP, CuttingPlanes, InteriorPoint, SMO)


def drawn(seed, n=None, d=None):
    rng = np.random.default_rng(seed)
    n, d = n or int(rng.integers(5, 60)), d or int(rng.integers(1, 8))
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-1, 1, d) + rng.standard_normal(d)
    y = np.where(X[:, 0] / X[:, 0].std() + rng.standard_normal(n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y, rng.choice([0.5, 1.0, 2.0], n), float(10.0 ** rng.uniform(-2, 2))


def objective(seed, scaling=None, kind=np.asarray, loss=None, **more):
    X, y, s, alpha = drawn(seed, **more)
    centre = np.zeros(X.shape[1]) if scaling is not None or kind is not np.asarray else X.mean(axis=0)
    frame = Frame(centre, X.std(axis=0) + (X.std(axis=0) == 0), True, standardised=False)
    return objective_of(loss or Hinge(), L2(), alpha, kind(X), y, s, frame, intercept_scaling=scaling)


@pytest.mark.parametrize("scaling", [None, 1.0, 3.0])
@pytest.mark.parametrize("seed", range(6))
def test_solvers_agree_and_their_gaps_hold(seed, scaling):
    problem = objective(seed, scaling)
    found = [kind(tol=1e-9).minimise(problem, problem.start) for kind in MARGIN_SOLVERS]
    values = np.array([one.objective for one in found])
    least = values.min()
    for kind, one in zip(MARGIN_SOLVERS, found, strict=True):
        assert one.converged, kind
        assert one.objective - least <= 1e-7 * least
        assert one.objective - least <= one.gap + 1e-12 * least  # the gap bounds what is left


@pytest.mark.parametrize("kind", MARGIN_SOLVERS)
def test_sparse_rows_give_the_same(kind):
    dense, thin = (objective(3, 1.0, layout) for layout in (np.asarray, sparse.csr_array))
    a, b = (kind(tol=1e-9).minimise(one, one.start) for one in (dense, thin))
    assert a.objective == pytest.approx(b.objective, rel=1e-8)


@pytest.mark.parametrize("loss", [Logistic(), SquaredHinge()])
@pytest.mark.parametrize("scaling", [None, 2.0])
def test_dual_coordinate_descent_of_smooth_losses_is_newtons_minimum(loss, scaling):
    for kind, seed in ((np.asarray, 0), (sparse.csr_array, 1)):
        problem = objective(seed, scaling, kind, loss)
        best = Newton().minimise(problem, problem.start)
        found = DualCD(tol=1e-12).minimise(problem, problem.start)
        assert found.converged and found.objective == pytest.approx(best.objective, rel=1e-10)


def test_weight_two_is_the_row_twice():
    X, y, _, alpha = drawn(5, n=40, d=3)
    twice = np.arange(40) % 3 == 0
    frame = Frame(np.zeros(3), np.ones(3), True, standardised=False)
    weighted = objective_of(Hinge(), L2(), alpha, X, y, np.where(twice, 2.0, 1.0), frame)
    copied = objective_of(Hinge(), L2(), alpha, np.vstack([X, X[twice]]), np.append(y, y[twice]), None, frame)
    for kind in MARGIN_SOLVERS:
        a, b = (kind(tol=1e-9).minimise(one, one.start).objective for one in (weighted, copied))
        assert a == pytest.approx(b, rel=1e-7)


def test_fewer_rows_than_columns_and_collinear_columns():
    rng = np.random.default_rng(0)
    for X in (rng.standard_normal((8, 30)), np.repeat(rng.standard_normal((40, 2)), 3, axis=1)):
        y = np.where(rng.standard_normal(len(X)) > 0, 1.0, -1.0)
        problem = objective_of(Hinge(), L2(), 0.3, X, y)
        values = [kind(tol=1e-9).minimise(problem, problem.start).objective for kind in MARGIN_SOLVERS]
        assert np.ptp(values) <= 1e-7 * min(values)


def test_interior_point_is_the_linear_program_of_scipy():
    """Least absolute deviations without a penalty."""
    X, _, s, _ = drawn(2, n=50, d=4)
    rng = np.random.default_rng(1)
    y, A = X @ np.arange(4) + rng.standard_normal(50), np.column_stack([X, np.ones(50)])
    eye = np.eye(50)
    cost = np.concatenate([np.zeros(5), s, s])
    bounds = [(None, None)] * 5 + [(0, None)] * 100
    wanted = linprog(cost, A_eq=np.column_stack([A, eye, -eye]), b_eq=y, bounds=bounds)
    problem = objective_of(Absolute(), Free(), 0.0, X, y, s)
    found = InteriorPoint().minimise(problem, problem.start)
    assert found.objective == pytest.approx(wanted.fun, rel=1e-12)
    assert np.allclose(found.point[0], wanted.x[:5], rtol=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_box_qp_against_scipy(seed):
    """Drawn programs with bounds and an equation; SLSQP finds no less, and the bounds are met exactly."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    A = rng.standard_normal((n, int(rng.integers(1, n + 3))))
    Q, c, upper = A @ A.T, rng.standard_normal(n), rng.uniform(0.2, 2.0, n)
    a = rng.choice([-1.0, 1.0], n)
    a[:2] = 1.0, -1.0
    found = box_qp(Q, c, 0.0, upper, a, 0.0, tol=1e-12)
    by_rows = box_qp(None, c, 0.0, upper, a, 0.0, factor_of=A, tol=1e-12)
    wanted = minimize(
        lambda x: 0.5 * x @ Q @ x + c @ x, 0.1 * upper, jac=lambda x: Q @ x + c, method="SLSQP",
        bounds=[(0, u) for u in upper], constraints={"type": "eq", "fun": lambda x: a @ x, "jac": lambda x: a},
        options={"maxiter": 500, "ftol": 1e-14},
    )  # fmt: skip
    for one in (found, by_rows):
        assert one.converged
        assert 0.5 * one.x @ Q @ one.x + c @ one.x <= wanted.fun + 1e-9
        assert abs(a @ one.x) < 1e-9 and (one.x >= 0).all() and (one.x <= upper).all()


@pytest.mark.parametrize("rows", [3, 10])
def test_box_qp_ends_where_nothing_lies_between_the_bounds(rows):
    """a >= 0 and sum a = 0: a = 0 alone, which has no inside."""
    Z = np.random.default_rng(rows).standard_normal((rows, 2))
    found = box_qp(Z @ Z.T, -np.ones(rows), 0.0, np.inf, np.ones(rows), 0.0)
    assert np.isfinite(found.x).all() and (not found.converged or np.abs(found.x).max() < 1e-9)


def test_box_qp_refuses_what_makes_no_sense():
    with pytest.raises(ValueError, match="lower must be below upper"):
        box_qp(np.eye(2), [1.0, 1.0], 1.0, [2.0, 1.0])
    with pytest.raises(ValueError, match="Q must be"):
        box_qp(np.eye(3), [1.0, 1.0], 0.0, 1.0)
    with pytest.raises(ValueError, match="equation must have 2 numbers"):
        box_qp(np.eye(2), [1.0, 1.0], 0.0, 1.0, np.ones(3), 0.0)


def test_dual_of_the_notes():
    """max sum a - 1/2 sum a a y y x'x: two points at distance 2 have a = 1/2 and w = 1."""
    X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    found = box_qp((y[:, None] * X) @ (y[:, None] * X).T, -np.ones(2), 0.0, 10.0, y, 0.0)
    assert found.x.tolist() == pytest.approx([0.5, 0.5])
    assert ((found.x * y) @ X).tolist() == pytest.approx([1.0])


def test_hinge_of_several_classes_by_planes_and_by_coordinates():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 12))
    y = (X[:, :3] + 0.3 * rng.standard_normal((60, 3))).argmax(axis=1)
    frame = Frame(np.zeros(12), np.ones(12), True, standardised=False)
    problem = LinearObjective.over(
        ArraySource(X, y, None), None, loss=ClassHinge(), penalty=L2(), alpha=3.0, frame=frame, outputs=3,
        intercept_scaling=1.0,
    )  # fmt: skip
    a, b = (one.minimise(problem, problem.start) for one in (CuttingPlanes(tol=1e-9), DualCD(tol=1e-9)))
    assert a.converged and b.converged and a.objective == pytest.approx(b.objective, rel=1e-7)


def test_planes_never_rise_and_enclose_the_minimum():
    problem = objective(1)
    best = InteriorPoint().minimise(problem, problem.start).objective
    solver = CuttingPlanes()
    state = solver.start(problem, problem.start)
    while not state.ended:
        before, state = state, solver.step(problem, state)
        assert state.value <= before.value
        assert before.lower <= state.lower + 1e-9 * best
        assert state.lower <= best * (1 + 1e-9) <= state.value * (1 + 2e-9)


@pytest.mark.parametrize("average", [True, False])
def test_pegasos_comes_near_and_stays_in_its_ball(average):
    X, y, s, _ = drawn(4, n=200, d=3)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    problem = objective_of(Hinge(), L2(), 2.0, X, y, s)
    best = InteriorPoint().minimise(problem, problem.start).objective
    found = Pegasos(average=average).minimise(problem, problem.start)
    assert found.converged and best <= found.objective <= best * (1.01 if average else 1.1)
    assert 2.0 * (found.point[0, :3] ** 2).sum() <= s.sum() * (1 + 1e-9)


def test_pegasos_says_when_it_is_not_there():
    """Columns of very different scale: the first steps are too long for the rounds there are."""
    X, y, s, _ = drawn(4, n=100, d=3)
    problem = objective_of(Hinge(), L2(), 1e-3, X * [1.0, 100.0, 1.0], y, s)
    assert not Pegasos(max_iter=20).minimise(problem, problem.start).converged


@pytest.mark.parametrize("seed", [2, 7])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_pegasos_does_not_take_an_early_stroke_of_luck_for_its_end(seed):
    rng = np.random.default_rng(seed)
    X, s = rng.standard_normal((50, 3)) * [1.0, 10.0, 0.1] + 5.0, rng.uniform(0.2, 2.0, 50)
    y = np.where(X[:, 0] - 5.0 + rng.standard_normal(50) > 0, 1, 0)
    best, found = (
        LinearClassifier("hinge", "l2", alpha=0.5, solver=solver).fit(X, y, s).solutions_[0]
        for solver in ("interior_point", "pegasos")
    )
    assert found.objective <= 1.01 * best.objective or not found.converged


def test_streams_are_refused_by_those_who_need_their_rows(tmp_path):
    from sumlearn import LinearClassifier

    X, y, _, _ = drawn(0, n=60, d=2)
    np.savetxt(tmp_path / "rows.csv", np.column_stack([X, y]), delimiter=",", header="a,b,y", comments="")
    for solver in ("dual_cd", "dual_qp", "interior_point", "smo"):
        with pytest.raises(ValueError, match=r"all rows in memory.*LinearObjective does not offer with .*; 'newton'"):
            LinearClassifier("hinge", solver=solver).fit(str(tmp_path / "rows.csv"), "y")
    inputs = ((str(tmp_path / "rows.csv"), "y"), (X, y))
    from_file, here = (LinearClassifier("hinge", solver="cutting_planes").fit(*rows) for rows in inputs)
    assert from_file.solutions_[0].objective == pytest.approx(here.solutions_[0].objective, rel=1e-7)


def test_names():
    assert {"pegasos", "dual_cd", "dual_qp", "cutting_planes", "interior_point", "smo"} <= set(SOLVERS)


@pytest.mark.slow
def test_many_rows_in_seconds():
    """100,000 x 50: planes, interior point, program and coordinates reach one minimum."""
    X, y = make_classification(100_000, 50, n_informative=30, n_redundant=5, flip_y=0.02, class_sep=0.8, random_state=0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    problem = objective_of(Hinge(), L2(), 1.0, X, 2.0 * y - 1.0)
    solvers = (InteriorPoint(), DualQP(), CuttingPlanes(tol=1e-6), DualCD(tol=1e-5))
    found = [solver.minimise(problem, problem.start) for solver in solvers]
    best = found[0].objective
    assert [one.converged for one in found] == [True] * 4
    assert [one.objective for one in found] == pytest.approx([best] * 4, rel=2e-5)
    assert found[1].objective == pytest.approx(best, rel=1e-9)


def test_proximal_steps_that_are_not_there_say_so():
    """Fewer rows than columns of very different spread: short steps on rounded kinks are no minimum."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((12, 20)) * 10.0 ** (np.arange(20) % 4 - 2)
    y = (X / X.std(axis=0) @ rng.standard_normal(20) + rng.standard_normal(12) > 0).astype(int)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        steps = LinearClassifier("hinge", "elasticnet", alpha=0.7, solver="proximal").fit(X, y).solutions_[0]
    least = LinearClassifier("hinge", "elasticnet", alpha=0.7).fit(X, y).solutions_[0]
    assert least.converged and least.objective <= steps.objective <= least.objective + steps.gap * (1.0 + 1e-6)
    assert steps.converged == (steps.gap <= 1e-4 * steps.objective + 12e-9) == (not told)
    if steps.converged:
        assert steps.objective == pytest.approx(least.objective, rel=1e-4)
