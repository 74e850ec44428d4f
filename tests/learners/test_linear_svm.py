"""Linear support vector machines: what they tell, refuse and warn of."""

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.exceptions import ConvergenceWarning

import sumlearn as sl
from sumlearn import IllConditionedWarning, LinearSVC, LinearSVR
from sumlearn.data import load_example
from sumlearn.solvers import CuttingPlanes

rng = np.random.default_rng(0)
X = rng.standard_normal((80, 3))
labels = np.where(X[:, 0] + 0.5 * rng.standard_normal(80) > 0, "yes", "no")
numbers = X @ [1.0, 2.0, 0.0] + 0.1 * rng.standard_normal(80)


ROADS = ["newton", "dual_cd", "dual_qp", "cutting_planes", "interior_point", CuttingPlanes()]


@pytest.mark.parametrize("solver", ROADS)
def test_every_road_leads_to_the_same_hinge(solver):
    wanted = LinearSVC(loss="hinge").fit(X, labels)
    model = LinearSVC(loss="hinge", solver=solver).fit(X, labels)
    assert np.allclose(model.coef_, wanted.coef_, atol=1e-3)
    assert model.dual_gap_ <= (5e-3 if solver == "newton" else 1e-5) * model.solutions_[0].objective


def test_support_and_margin():
    model = LinearSVC(loss="hinge", C=0.5).fit(X, labels)
    m = np.where(labels == "yes", 1.0, -1.0) * model.decision_function(X)
    assert model.support_.tolist() == np.flatnonzero(m <= 1.0 + 1e-6).tolist()
    assert model.margin_ == pytest.approx(2.0 / np.linalg.norm(model.coef_))
    others = np.setdiff1d(np.arange(80), model.support_)
    again = LinearSVC(loss="hinge", C=0.5).fit(np.delete(X, others, axis=0), np.delete(labels, others))
    assert np.allclose(again.coef_, model.coef_, atol=1e-8)  # the other rows have no part in it
    three = LinearSVC().fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))
    assert len(three.support_) == 3 and three.margin_.shape == (3,)
    tube = LinearSVR(epsilon=0.1, C=10.0).fit(X, numbers)
    assert tube.support_.tolist() == np.flatnonzero(np.abs(numbers - tube.predict(X)) >= 0.1 - 1e-6).tolist()


def test_rows_without_weight_are_absent():
    weight = (np.arange(80) % 4 > 0).astype(float)
    model = LinearSVC(loss="hinge").fit(X, labels, weight)
    without = LinearSVC(loss="hinge").fit(X[weight > 0], labels[weight > 0])
    assert np.allclose(model.coef_, without.coef_, atol=1e-9)
    assert np.array_equal(model.support_, np.flatnonzero(weight)[without.support_])


def test_hard_margin_names_the_rows_that_forbid_it():
    y = labels.copy()
    y[7] = "no" if y[7] == "yes" else "yes"
    with pytest.raises(ValueError, match="C=inf asks for a hyperplane that separates the classes, and there is none"):
        LinearSVC(C=np.inf).fit(X, y)
    line, side = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
    with pytest.raises(ValueError, match=r"2 rows would be inside .*, row\(s\) 1, 2; use a finite C"):
        LinearSVC(C=np.inf, intercept_scaling="free").fit(line, side)
    wide = rng.standard_normal((10, 40))
    assert LinearSVC(C=np.inf).fit(wide, np.arange(10) % 2).score(wide, np.arange(10) % 2) == 1.0
    three = LinearSVC(C=np.inf, intercept_scaling="free").fit([[0.0, 0], [0, 1], [1, 0]], [0, 1, 2])
    assert len(three.coef_) == 3


def test_far_columns_are_warned_of():
    with pytest.warns(IllConditionedWarning, match="column 1 lies 1e[+]06 from zero.*intercept_scaling='free'"):
        LinearSVC().fit(X + np.array([0.0, 1e6, 0.0]), labels)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0.0}, "C must be a number above 0"),
        ({"C": "1"}, "C must be a number above 0"),
        ({"tol": -1.0}, "tol must be a finite number above 0"),
        ({"penalty": "l3"}, "penalty must be one of 'l1', 'l2'"),
        ({"loss": "logistic"}, "loss must be one of 'hinge', 'squared_hinge'"),
        ({"multi_class": "ovo"}, "multi_class must be one of"),
        ({"penalty": "l1", "loss": "hinge"}, "The combination of penalty='l1' and loss='hinge' is not supported"),
        ({"loss": "hinge", "dual": False}, "not supported when dual=False"),
        ({"penalty": "l1", "dual": True}, "not supported when dual=True"),
        ({"dual": "yes"}, "dual must be 'auto', True or False"),
        ({"intercept_scaling": 0}, "intercept_scaling must be a finite number above 0"),
        ({"max_iter": 1.5}, "max_iter must be a whole number"),
        ({"solver": "magic"}, "solver must be 'auto'"),
        ({"C": np.inf, "penalty": "l1"}, "C=inf, the hard margin, is there for penalty='l2'"),
        ({"solver": "interior_point"}, "asks for ramps"),
    ],
)
def test_parameters_that_make_no_sense(parameters, message):
    with pytest.raises(ValueError, match=message):
        LinearSVC(**parameters).fit(X, labels)


def test_regression_refuses():
    for parameters, message in (
        ({"epsilon": -1.0}, "epsilon must be a number, at least 0"),
        ({"C": np.inf}, "C must be a finite number"),
        ({"loss": "hinge"}, "penalty='l2' and loss='hinge' is not supported"),
        ({"dual": False}, "not supported when dual=False"),
    ):
        with pytest.raises(ValueError, match=message):
            LinearSVR(**parameters).fit(X, numbers)


def test_too_few_steps_are_told():
    with pytest.warns(ConvergenceWarning):
        LinearSVC(loss="hinge", solver="dual_cd", max_iter=1, C=1e4).fit(X, labels)


def test_wide_sparse_rows_and_saved_models(tmp_path):
    thin = sparse.random_array((60, 2000), density=0.02, rng=np.random.default_rng(0), format="csr")
    y = np.where(np.asarray(thin[:, :200].sum(axis=1)) > 0.02 * 100, "a", "b")
    model = LinearSVC(loss="hinge").fit(thin, y)
    assert model.dual_gap_ <= 1e-7 * model.solutions_[0].objective
    sl.save(model, tmp_path / "model.sumlearn")
    again = sl.load(tmp_path / "model.sumlearn")
    assert np.array_equal(again.decision_function(thin), model.decision_function(thin))
    assert np.array_equal(again.support_, model.support_) and again.margin_ == model.margin_


def test_files(tmp_path):
    pima = load_example("pima")
    table = np.column_stack([pima.X[:200], pima.y[:200] == "pos"])
    names = [f"x{j}" for j in range(pima.X.shape[1])]
    np.savetxt(tmp_path / "pima.csv", table, delimiter=",", header=",".join([*names, "y"]), comments="")
    for loss in ("hinge", "squared_hinge"):
        here = LinearSVC(loss=loss, C=0.01, intercept_scaling="free").fit(pima.X[:200], table[:, -1])
        there = LinearSVC(loss=loss, C=0.01, intercept_scaling="free").fit(str(tmp_path / "pima.csv"), "y")
        assert np.allclose(here.coef_, there.coef_, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("scaling", [1.0, "free"])
@pytest.mark.parametrize("columns", [8, 200])
def test_hard_margins_of_few_rows(columns, scaling):
    """Rows depend on each other about their mean: a step along what no row has must not separate equal rows."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(6, columns)), np.arange(6) % 2
    model = LinearSVC(C=np.inf, intercept_scaling=scaling).fit(X, y)
    margins = (2 * y - 1) * model.decision_function(X)
    assert margins.min() == pytest.approx(1.0, abs=1e-7)
    soft = LinearSVC(C=1e7, intercept_scaling=scaling).fit(X, y)
    assert model.margin_ == pytest.approx(soft.margin_, rel=1e-5)
    twice, both = np.vstack([X[:5], X[:1]]), [0, 1, 0, 1, 0, 1]
    with pytest.raises(ValueError, match=r"there is none: 2 rows would be inside .* row\(s\) 0, 5"):
        LinearSVC(C=np.inf, intercept_scaling=scaling).fit(twice, both)


@pytest.mark.parametrize("C", [1e9, 1e20])
def test_a_large_price_of_separable_rows_is_the_hard_margin(C):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 60)), np.arange(40) % 2
    hard, soft = (LinearSVC(C=price, loss="hinge").fit(X, y) for price in (np.inf, C))
    assert soft.margin_ == pytest.approx(hard.margin_, rel=1e-7)
