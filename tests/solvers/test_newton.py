"""Newton's method: few steps, samples that do not mislead, no Hessian where it would be large, kinks, separation."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from sumlearn import IllConditionedWarning, LinearClassifier, LogisticRegression, PerfectSeparationWarning
from sumlearn.objectives import L2, Absolute, Frame, Free, Hinge, Huber, Logistic, Quadratic, Softmax, Squared
from sumlearn.objectives import over_rows as objectives
from sumlearn.solvers import Newton
from sumlearn.solvers import newton as newton_module
from sumlearn.statistics import Moments

from tests.objectives.problems import LOSSES, objective_of, rows, weights

SMOOTH = [loss for loss in LOSSES if loss.smooth]


def standardised(X):
    return Frame(X.mean(axis=0), X.std(axis=0), True, standardised=False)


# -- steps ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: loss.name)
def test_the_gradient_vanishes(loss):
    X, y = rows(loss)
    objective = objective_of(loss, L2(), 0.7, X, y, weights(60), standardised(X))
    solution = Newton().minimise(objective, objective.start)
    assert solution.converged and solution.iterations < 20
    found = objective.expand(solution.point)
    assert np.abs(found.gradient).max() < 1e-11 * found.weight
    assert solution.objective == pytest.approx(found.value, rel=1e-14)
    assert (np.diff(solution.trace) <= 0).all()
    assert len(solution.trace) == solution.iterations
    assert solution.passes >= solution.iterations


def test_least_squares_takes_one_step():
    """The model is the objective: one step reaches the minimum, a second one notices."""
    X, y = rows(Squared())
    quadratic = Quadratic.of(Moments.of(X, y), L2(), 0.0)
    solution = Newton().minimise(quadratic, quadratic.start)
    assert solution.iterations <= 2
    expected = np.linalg.lstsq(np.column_stack([X, np.ones(60)]), y, rcond=None)[0]
    assert quadratic.frame.coefficients(solution.point)[0] == pytest.approx(expected[:4], rel=1e-10)


def test_steps_are_reweighted_least_squares():
    """w <- (Z'RZ)^-1 Z'R (Z w + R^-1 (t - p)), R = diag p (1 - p): the first steps, by hand."""
    X, y = rows(Logistic())
    objective = objective_of(Logistic(), Free(), 0.0, X, y, None, standardised(X))
    solution = Newton(max_iter=2).minimise(objective, objective.start)
    Z, t = np.column_stack([(X - X.mean(axis=0)) / X.std(axis=0), np.ones(60)]), (y + 1) / 2
    w = np.zeros(5)
    for _ in range(2):
        p = 1 / (1 + np.exp(-Z @ w))
        R = p * (1 - p)
        w = np.linalg.solve(Z.T @ (R[:, None] * Z), Z.T @ (R * (Z @ w) + t - p))
    assert not solution.converged and solution.iterations == 2
    assert solution.point[0] == pytest.approx(w, rel=1e-9)


def test_collinear_and_constant_columns():
    """The Hessian is singular; the minimum is reached, and nobody speaks of separation."""
    X, y = rows(Logistic(), n=300)
    both = np.column_stack([X, X[:, 0] - 2 * X[:, 1], np.full(300, 4.0)])
    frame = Frame(both.mean(axis=0), np.append(both.std(axis=0)[:5], 1.0), True, standardised=False)
    objective = objective_of(Logistic(), Free(), 0.0, both, y, None, frame)
    solution = Newton().minimise(objective, objective.start)
    plain = objective_of(Logistic(), Free(), 0.0, X, y, None, standardised(X))
    assert solution.converged and not solution.separated
    assert solution.objective == pytest.approx(Newton().minimise(plain, plain.start).objective, rel=1e-12)


def test_sparse_columns_of_any_scale():
    """Sparse rows are not standardised; the scale of their columns is taken out of the Hessian instead."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    y = np.where(X @ [1.0, 2.0, -1.0] + rng.standard_normal(200) > 0, 1.0, -1.0)
    plain = objective_of(Logistic(), Free(), 0.0, sparse.csr_array(X), y)
    tilted = objective_of(Logistic(), Free(), 0.0, sparse.csr_array(X * [1e-4, 1.0, 1e4]), y)
    a, b = (Newton().minimise(objective, objective.start) for objective in (plain, tilted))
    assert a.converged and b.converged
    assert b.point * [1e-4, 1.0, 1e4, 1.0] == pytest.approx(a.point, rel=1e-8)


# -- kinks ------------------------------------------------------------------------------------------------------------


def test_the_median_and_quantiles():
    """Without columns the minimum is the sample quantile."""
    rng = np.random.default_rng(0)
    y = rng.standard_normal(101)
    X = np.zeros((101, 1))
    objective = objective_of(Absolute(), L2(), 1.0, X, y)
    assert Newton().minimise(objective, objective.start).point[0, -1] == pytest.approx(np.median(y), abs=1e-8)


@pytest.mark.parametrize("scale", [1e-100, 1e-12, 1.0, 1e9, 1e140])
@pytest.mark.parametrize("loss", ["absolute", "huber"])
def test_units_of_y_do_not_matter(scale, loss):
    X, y = rows(Squared())
    losses = {"absolute": lambda s: Absolute(), "huber": lambda s: Huber(0.4 * s)}[loss]
    plain = objective_of(losses(1.0), Free(), 0.0, X, y, None, standardised(X))
    scaled = objective_of(losses(scale), Free(), 0.0, X, scale * y, None, standardised(X))
    a, b = (Newton().minimise(objective, objective.start) for objective in (plain, scaled))
    assert a.converged and b.converged
    assert b.point / scale == pytest.approx(a.point, rel=1e-6, abs=1e-7)


def test_no_loss_at_the_start_is_the_minimum():
    X, _ = rows(Squared())
    objective = objective_of(Absolute(), L2(), 1.0, X, np.zeros(60))
    solution = Newton().minimise(objective, objective.start)
    assert solution.converged and solution.objective == 0.0 and not solution.point.any()


def test_kinks_in_single_precision_end():
    """The rounding of a pass is the limit, not more and more steps."""
    X, y = rows(Hinge())
    X32 = X.astype(np.float32)
    single = objective_of(Hinge(), L2(), 0.7, X32, y, None, standardised(X))
    double = objective_of(Hinge(), L2(), 0.7, X32.astype(float), y, None, standardised(X))
    a, b = (Newton().minimise(objective, objective.start) for objective in (single, double))
    assert a.converged and a.iterations < 300
    assert a.objective == pytest.approx(b.objective, rel=1e-5)


# -- many rows --------------------------------------------------------------------------------------------------------


def many_rows(case, n=120_000):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3)) @ np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.2], [0.0, 0.0, 2.0]]) + [0.0, 5.0, -3.0]
    f = X @ [1.0, -0.8, 0.3] + 5.0
    if case == "softmax":
        scores = np.column_stack([f, 0.5 * X[:, 0], -f]) + rng.gumbel(size=(n, 3))
        return X, scores.argmax(axis=1)
    y = np.where(f + rng.logistic(size=n) > 0, 1.0, -1.0)
    if case == "rare":  # one in ten thousand
        y = np.where(rng.random(n) < np.exp(X[:, 0] - 10.3), 1.0, -1.0)
    order = np.argsort(y, kind="stable") if case == "sorted" else np.arange(n)
    if case == "periodic":  # the sample would see one kind of rows only
        order = np.argsort(np.argsort(np.arange(n) % 16, kind="stable"), kind="stable")
        order = np.argsort(X[:, 0])[order]
    return X[order], y[order]


@pytest.mark.parametrize("case", ["plain", "rare", "sorted", "periodic", "softmax"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_sample_changes_no_answer(case, weighted, monkeypatch):
    """Start and Hessian of a sample, gradients of all rows: the minimum of Newton's method with all rows."""
    X, y = many_rows(case)
    loss = Softmax() if case == "softmax" else Logistic()
    s = np.random.default_rng(1).choice([0.0, 1.0, 2.5], len(X)) if weighted else None
    objective = objective_of(loss, L2(), 1.0, X, y, s, standardised(X))
    quick = Newton().minimise(objective, objective.start)
    monkeypatch.setattr(newton_module, "MANY_ROWS", 10**9)
    slow = Newton().minimise(objective, objective.start)
    assert quick.converged and slow.converged
    a, b = objective.frame.coefficients(quick.point), objective.frame.coefficients(slow.point)
    if loss.coding == "class":  # scores count up to a common shift
        a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    assert np.abs(a - b).max() < 1e-9 * np.abs(b).max()


def test_a_sample_saves_passes():
    """On plain rows full Hessians are not needed; that is what the sample is for."""
    X, y = many_rows("plain")
    objective = objective_of(Logistic(), L2(), 1.0, X, y, None, standardised(X))
    orders = []
    expand = type(objective).expand

    def counted(self, point, order=1):
        orders.append((order, self.multiplier))
        return expand(self, point, order)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(objective), "expand", counted)
        Newton().minimise(objective, objective.start)
    assert (2, 1.0) not in orders
    assert any(order == 2 and multiplier > 1 for order, multiplier in orders)


# -- many columns -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", [Logistic(), Softmax(), Huber(0.8), Squared()], ids=lambda loss: loss.name)
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_conjugate_gradients_reach_the_same_minimum(loss, kind, monkeypatch):
    X, y = rows(loss, n=150, d=30)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    data = sparse.csr_array(X) if kind == "sparse" else X
    objective = objective_of(loss, L2(), 0.7, data, y)
    assert objective.forms_hessian
    formed = Newton().minimise(objective, objective.start)
    monkeypatch.setattr(objectives, "FORMED", 8)
    assert not objective.forms_hessian
    unformed = Newton().minimise(objective, objective.start)
    assert unformed.converged
    assert unformed.objective == pytest.approx(formed.objective, rel=1e-12)
    assert unformed.point == pytest.approx(formed.point, abs=1e-6 * np.abs(formed.point).max())


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_more_columns_than_a_hessian_takes(kind):
    """3,200 columns, 80 rows: by conjugate gradients, against the dual of size 80."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3200)) * (rng.random((80, 3200)) < 0.1)
    y = X[:, 0] + 0.3 * rng.standard_normal(80)
    data = sparse.csr_array(X) if kind == "sparse" else X
    objective = objective_of(Squared(), L2(), 5.0, data, y, intercept=False)
    assert not objective.forms_hessian
    solution = Newton().minimise(objective, objective.start)
    expected = X.T @ np.linalg.solve(X @ X.T + 5.0 * np.eye(80), y)
    assert solution.converged
    assert solution.point[0] == pytest.approx(expected, abs=1e-7 * np.abs(expected).max())


# -- separation -------------------------------------------------------------------------------------------------------


def separable(X, y):
    """Whether a hyperplane has every row on its own side, by a linear program."""
    A = -y[:, None] * np.column_stack([X, np.ones(len(X))])
    found = linprog(np.zeros(A.shape[1]), A_ub=A, b_ub=-np.ones(len(X)), bounds=[(None, None)] * A.shape[1])
    return found.status == 0


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", [lambda: LogisticRegression(C=np.inf), lambda: LinearClassifier(penalty=None)])
def test_separation_is_noticed_where_it_is(seed, kind):
    """Few rows: some draws are separable, some are not; a linear program tells which."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((24, 3))
    y = np.where(X[:, 0] + 0.45 * rng.standard_normal(24) > 0, 1.0, -1.0)
    model = kind()
    if separable(X, y):
        with pytest.warns(PerfectSeparationWarning, match="perfectly separated"):
            model.fit(X, y)
        assert model.score(X, y) == 1.0
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.fit(X, y)
        assert model.score(X, y) < 1.0
        assert not model.solutions_[0].separated
    assert np.isfinite(model.coef_).all() and np.abs(model.coef_).max() < 1e6


def test_both_outcomes_of_separation_are_drawn():
    found = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((24, 3))
        found.append(separable(X, np.where(X[:, 0] + 0.45 * rng.standard_normal(24) > 0, 1.0, -1.0)))
    assert {True, False} == set(found)


def test_quasi_complete_separation():
    """Both classes at zero, else separated: no finite minimum, though no hyperplane has every row on its own side."""
    x = np.concatenate([np.linspace(-2, -0.1, 20), np.linspace(0.1, 2, 20), [0.0, 0.0]])
    y = np.concatenate([np.zeros(20), np.ones(20), [0.0, 1.0]])
    with pytest.warns(
        PerfectSeparationWarning, match=r"in part.*\+1 column 0 .* 40 of 42 rows \(0, 1, 2, 3, 4, \.\.\.\)"
    ) as caught:
        model = LogisticRegression(C=np.inf).fit(x[:, None], y)
    assert not any("perfectly" in str(warning.message) for warning in caught)
    assert np.isfinite(model.coef_).all()
    assert np.array_equal(model.predict(x[:40, None]), y[:40])


def test_a_flag_that_only_one_class_bears():
    """The usual case in practice: one coefficient runs away, the others have a minimum."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 2))
    y = (X[:, 0] + rng.standard_normal(200) > 0).astype(int)
    flag = (np.arange(200) < 20) & (y == 1)
    with pytest.warns(PerfectSeparationWarning):
        model = LogisticRegression(C=np.inf).fit(np.column_stack([X, flag]), y)
    rest = LogisticRegression(C=np.inf).fit(X[~flag], y[~flag])
    assert model.coef_[0, :2] == pytest.approx(rest.coef_[0], rel=1e-3)
    assert 5.0 < model.coef_[0, 2] < 1e3


def test_the_direction_and_the_rows_of_quasi_complete_separation_are_named(tmp_path):
    """Rows 1, 3, 5 (and no others) bear a flag of one class; on a stream they are counted."""
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    frame = pd.DataFrame({"age": rng.standard_normal(80), "flag": np.isin(np.arange(80), [1, 3, 5]) * -1.0})
    said = r"in part.*along -1 flag \(in standard deviations\), 3 of 80 rows"
    with pytest.warns(PerfectSeparationWarning, match=said + r" \(1, 3, 5\)"):
        LogisticRegression(C=np.inf).fit(frame, y)
    frame.assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
    with pytest.warns(PerfectSeparationWarning, match=said + " lie"):
        model = LogisticRegression(C=np.inf).fit(tmp_path / "rows.csv", "y")
    with pytest.raises(ValueError, match="wholly or in part"):
        model.inference()


def test_three_classes_separated():
    x = np.arange(30.0)[:, None]
    y = np.repeat(["a", "b", "c"], 10)
    with pytest.warns(PerfectSeparationWarning):
        model = LogisticRegression(C=np.inf).fit(x, y)
    assert model.score(x, y) == 1.0
    assert np.isfinite(model.coef_).all()
    y[9:11] = y[10:8:-1]  # a and b overlap, c stays apart
    with pytest.warns(PerfectSeparationWarning, match="column 0 for class 'c'"):
        model = LogisticRegression(C=np.inf).fit(x, y)
    assert np.isfinite(model.coef_).all()
    assert (model.predict(x[20:]) == "c").all()


@pytest.mark.parametrize("solver", ["barzilai_borwein", "gradient", "sgd"])
def test_other_solvers_notice_separation_too(solver):
    x = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    with pytest.warns(PerfectSeparationWarning) as caught:
        model = LinearClassifier(penalty=None, solver=solver, max_iter=50).fit(x, [0, 0, 1, 1])
    assert not any(issubclass(w.category, ConvergenceWarning) for w in caught)
    assert model.score(x, [0, 0, 1, 1]) == 1.0


def test_a_penalty_ends_it():
    x = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    model = LogisticRegression(C=1.0).fit(x, [0, 0, 1, 1])
    assert model.solutions_[0].converged and not model.solutions_[0].separated


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("classes", [2, 3])
def test_dependent_columns_are_no_separation(dtype, seed, classes):
    """Steps along dependent columns may be long, but they move no score."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((150, 3))
    y = np.digitize(X[:, 0] + rng.standard_normal(150), [0.0, 1.0][: classes - 1])
    X = np.column_stack([X, X @ [1.0, -2.0, 0.5], X[:, :1], np.full(150, 7.0)]).astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("default", IllConditionedWarning)  # the one that is due
        model = LogisticRegression(C=np.inf).fit(X, y)
    assert model.solutions_[0].converged and not model.solutions_[0].separated
    assert model.aliased_.tolist() == [3, 4, 5]
