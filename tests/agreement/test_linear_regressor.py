"""LinearRegressor against scikit-learn, statsmodels and itself: weights, offsets, files, clusters, bad input."""

import copy
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
import sklearn.linear_model
import sklearn.svm
import statsmodels.api
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from sumlearn import IllConditionedWarning, LinearRegressor, Ridge
from sumlearn.learners import Passes
from sumlearn.objectives import ElasticNet, EpsilonInsensitive, Huber, Quantile
from sumlearn.solvers import BarzilaiBorwein

from tests.agreement.problems import distance, regression, whole_weights

LOSSES = [("squared", "l2"), ("squared", "l1"), ("absolute", "l2"), ("epsilon_insensitive", "l2"), ("huber", "l2"),
          ("huber", "elasticnet"), ("quantile", "none")]  # fmt: skip
each_loss = pytest.mark.parametrize(("loss", "penalty"), LOSSES, ids=lambda value: str(value))
alphas = st.floats(0.05, 50.0)


# -- other libraries --------------------------------------------------------------------------------------------------


@settings(max_examples=20)
@given(alpha=alphas, intercept=st.booleans(), weighted=st.booleans(),
       solver=st.sampled_from(["newton", "barzilai_borwein", "gradient"]))  # fmt: skip
def test_squared_and_l2_is_ridge(alpha, intercept, weighted, solver):
    X, y = regression(100, 4)
    weight = np.random.default_rng(1).uniform(0.1, 3.0, 100) if weighted else None
    ours = LinearRegressor(alpha=alpha, fit_intercept=intercept, solver=solver).fit(X, y, weight)
    reference = sklearn.linear_model.Ridge(alpha, fit_intercept=intercept, solver="svd").fit(X, y, weight)
    assert distance(ours.predict(X), reference.predict(X)) < (1e-10 if solver == "newton" else 1e-5)
    assert distance(ours.coef_, Ridge(alpha, fit_intercept=intercept).fit(X, y, weight).coef_) < 1e-4


@settings(max_examples=12)
@given(alpha=st.floats(0.5, 200.0), ratio=st.sampled_from([1.0, 0.5]), intercept=st.booleans())
def test_squared_and_l1_is_the_lasso(alpha, ratio, intercept):
    """scikit-learn divides the squares by 2 N: its alpha is ours / N."""
    X, y = regression(100, 6)
    ours = LinearRegressor("squared", ElasticNet(ratio), alpha=alpha, fit_intercept=intercept).fit(X, y)
    reference = sklearn.linear_model.ElasticNet(
        alpha / 100, l1_ratio=ratio, fit_intercept=intercept, tol=1e-13, max_iter=100_000
    ).fit(X, y)
    assert distance(ours.coef_, reference.coef_) < 1e-5
    assert ours.intercept_ == pytest.approx(reference.intercept_, abs=1e-4)


@settings(max_examples=10)
@given(alpha=alphas, epsilon=st.floats(0.0, 2.0), weighted=st.booleans())
def test_support_vector_regression(alpha, epsilon, weighted):
    X, y = regression(80, 3)
    X = (X - X.mean(axis=0)) / X.std(axis=0)  # libsvm wants one scale
    weight = np.random.default_rng(1).uniform(0.1, 3.0, 80) if weighted else None
    ours = LinearRegressor(EpsilonInsensitive(epsilon), alpha=alpha).fit(X, y, weight)
    reference = sklearn.svm.SVR(kernel="linear", C=1.0 / alpha, epsilon=epsilon, tol=1e-9).fit(X, y, weight)
    assert distance(ours.coef_, reference.coef_[0]) < 1e-4


@settings(max_examples=10)
@given(q=st.floats(0.1, 0.9), weighted=st.booleans())
def test_quantile_regression(q, weighted):
    """No penalty: a linear program; its minimum is the same number, though a corner may not be the only one."""
    X, y = regression(101, 3)
    weight = np.random.default_rng(1).uniform(0.1, 3.0, 101) if weighted else np.ones(101)
    ours = LinearRegressor(Quantile(q), penalty=None).fit(X, y, weight)
    reference = sklearn.linear_model.QuantileRegressor(quantile=q, alpha=0.0, solver="highs").fit(X, y, weight)

    def risk(model):
        r = y - model.predict(X)
        return weight @ np.where(r > 0, q * r, (q - 1) * r)

    assert risk(ours) == pytest.approx(risk(reference), rel=1e-8)
    below = weight[y < ours.predict(X) - 1e-6].sum() / weight.sum()
    above = weight[y > ours.predict(X) + 1e-6].sum() / weight.sum()
    assert below <= q + 0.08 and above <= 1 - q + 0.08  # up to the rows that lie on the plane


@pytest.mark.parametrize("seed", [23, 56, 299])
def test_the_last_step_of_a_quantile_does_not_go_up(seed):
    """The step that promises nothing is taken unseen: among kinks it once ended 6e-9 to 6e-8 above the minimum."""
    rng = np.random.default_rng(seed)
    n, d, q = int(rng.integers(3, 60)), int(rng.integers(1, 4)), float(rng.choice([0.1, 0.3, 0.5, 0.9]))
    rounded = rng.integers(2)
    X = rng.normal(size=(n, d))
    if rounded:
        X = np.round(X * rng.choice([4, 64, 1024])) / rng.choice([4, 64, 1024])
    y = X.sum(axis=1) + rng.standard_t(2, size=n)
    if rng.integers(3) == 0:
        y = np.round(4 * y) / 4
    weight = np.ones(n) if rng.integers(2) else rng.choice([0.5, 1.0, 3.0], n)
    r = y - LinearRegressor(Quantile(q), penalty="none").fit(X, y, weight).predict(X)
    line = np.hstack([X, np.ones((n, 1)), np.eye(n), -np.eye(n)])  # slopes, level, what y is above and below
    costs = np.concatenate([np.zeros(d + 1), q * weight, (1 - q) * weight])
    bounds = [(None, None)] * (d + 1) + [(0, None)] * (2 * n)
    least = linprog(costs, A_eq=line, b_eq=y, bounds=bounds).fun
    assert weight @ np.where(r > 0, q * r, (q - 1) * r) == pytest.approx(least, rel=2e-9)


def test_least_absolute_deviations():
    X, y = regression(101, 2)
    ours = LinearRegressor("absolute", penalty=None).fit(X, y)
    reference = statsmodels.api.QuantReg(y, statsmodels.api.add_constant(X)).fit(0.5, p_tol=1e-12, max_iter=10_000)
    assert ours.coef_ == pytest.approx(reference.params[1:], rel=1e-4)
    same = LinearRegressor("quantile", penalty=None).fit(X, y)
    assert distance(ours.coef_, same.coef_) < 1e-5


def test_huber_is_an_m_estimator():
    """statsmodels' RLM with the scale held at one solves the same equations."""
    X, y = regression(120, 3)
    y[:10] += 50.0
    ours = LinearRegressor(Huber(1.345), penalty=None).fit(X, y)
    A = statsmodels.api.add_constant(X)
    psi = np.clip(y - ours.predict(X), -1.345, 1.345)
    assert np.abs(A.T @ psi).max() < 1e-8 * np.abs(A).sum()

    class Unit:
        def __call__(self, *arguments, **more):
            return 1.0

    norm = statsmodels.api.robust.norms.HuberT(1.345)
    reference = statsmodels.api.RLM(y, A, M=norm).fit(scale_est=Unit(), tol=1e-12, maxiter=500)
    assert distance(np.append(ours.intercept_, ours.coef_), reference.params) < 1e-5
    squared = LinearRegressor(penalty=None).fit(X, y)
    truth = y - np.r_[np.full(10, 50.0), np.zeros(110)]
    assert np.abs(ours.predict(X) - truth).mean() < 0.5 * np.abs(squared.predict(X) - truth).mean()


@pytest.mark.parametrize("delta", [1e-4, 0.01, 1.35, 1e4])
@pytest.mark.parametrize("noise", ["normal", "cauchy"])
def test_huber_where_all_residuals_are_large(delta, noise):
    """At the start no residual is below delta, so that the loss has no curvature there; SciPy's minimum is met."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((80, 3)) + np.array([0.0, 5.0, -2.0])
    y = 100.0 * (X @ [1.0, -2.0, 0.5] + getattr(rng, f"standard_{noise}")(80))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LinearRegressor(Huber(delta), penalty=None).fit(X, y)
    A = np.column_stack([X, np.ones(80)])

    def risk(w):
        r = y - A @ w
        return np.where(np.abs(r) <= delta, r**2 / 2, delta * np.abs(r) - delta**2 / 2).sum()

    best = min(
        minimize(risk, np.append(model.coef_, model.intercept_) * tilt, method="Powell", tol=1e-12).fun
        for tilt in (0.9, 1.0, 1.1)
    )
    assert risk(np.append(model.coef_, model.intercept_)) <= best * (1 + 1e-9)


# -- weights and columns ----------------------------------------------------------------------------------------------


@each_loss
def test_weight_two_is_the_row_twice(loss, penalty):
    X, y = regression(90, 3)
    s = whole_weights(90)
    often = np.repeat(np.arange(90), s)
    bad = X.copy()
    bad[s == 0] = np.nan
    weighted = LinearRegressor(loss, penalty).fit(bad, y, s)
    repeated = LinearRegressor(loss, penalty).fit(X[often], y[often])
    assert weighted.solutions_[0].objective == pytest.approx(repeated.solutions_[0].objective, rel=1e-8)
    assert distance(weighted.predict(X), repeated.predict(X)) < 1e-5


@each_loss
def test_offset(loss, penalty):
    X, y = regression(90, 3)
    X = np.round(X * 1024) / 1024
    near = LinearRegressor(loss, penalty).fit(X, y)
    far = LinearRegressor(loss, penalty).fit(X + 2.0**30, y)
    assert distance(far.predict(X + 2.0**30), near.predict(X)) < 1e-6


@each_loss
def test_fewer_rows_than_columns(loss, penalty):
    X, y = regression(10, 25)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LinearRegressor(loss, penalty, alpha=1e-3 if penalty in ("l2", "none") else 1.0).fit(X, y)
    assert distance(model.predict(X), y) < 0.05


@pytest.mark.parametrize("loss", ["squared", "absolute", "huber", "quantile"])
def test_dependent_and_constant_columns_without_a_penalty(loss):
    X, y = regression(90, 2)
    wide = np.column_stack([X, X @ [1.0, -2.0], np.full(90, 3.0)])
    with pytest.warns(IllConditionedWarning, match=r"rank 2 of 4: column\(s\) 2, 3 are") as caught:
        model = LinearRegressor(loss, penalty=None).fit(wide, y)
    plain = LinearRegressor(loss, penalty=None).fit(X, y)
    assert len(caught) == 1 and model.aliased_.tolist() == [2, 3]
    assert model.solutions_[0].objective == pytest.approx(plain.solutions_[0].objective, rel=1e-8)
    blind = np.array([[1.0, -2.0, -1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])  # directions that change no prediction
    assert np.abs(model.coef_ @ blind.T).max() < 1e-9 * np.abs(model.coef_).max()


@pytest.mark.parametrize("loss", ["squared", "absolute", "huber", "epsilon_insensitive"])
def test_a_constant_target(loss):
    X, _ = regression(30, 2)
    model = LinearRegressor(loss).fit(X, np.full(30, 7.0))
    assert model.predict(X) == pytest.approx(np.full(30, 7.0), abs=0.2 if loss == "epsilon_insensitive" else 1e-9)


@each_loss
def test_other_forms_of_the_same_rows(loss, penalty):
    X, y = regression(90, 3)
    X = np.where(np.abs(X) < 1.0, 0.0, X)
    expected = LinearRegressor(loss, penalty).fit(X, y)
    for rows in (sparse.csr_array(X), np.asfortranarray(X), pd.DataFrame(X, columns=list("abc")), X.tolist()):
        model = LinearRegressor(loss, penalty).fit(rows, y)
        assert distance(model.predict(rows), expected.predict(X)) < 1e-5
    single = LinearRegressor(loss, penalty).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32
    assert distance(single.predict(X.astype(np.float32)), expected.predict(X)) < 2e-3


# -- how it is fitted -------------------------------------------------------------------------------------------------


def test_solvers_agree():
    X, y = regression(90, 3)
    for loss in ("squared", "huber"):
        expected = LinearRegressor(loss).fit(X, y)
        for solver in ("barzilai_borwein", "gradient", "sgd", BarzilaiBorwein()):
            model = LinearRegressor(loss, solver=solver).fit(X, y)
            assert distance(model.predict(X), expected.predict(X)) < 1e-4


def test_the_squared_loss_is_minimised_on_sums():
    """One pass over the rows, whatever the number of steps."""
    X, y = regression(90, 3)
    reads = []

    model = LinearRegressor("squared", "l1", solver="barzilai_borwein")
    total = Passes.total

    def counted(self, summarise):
        reads.append(summarise.__name__)
        return total(self, summarise)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Passes, "total", counted)
        model.fit(X, y)
    assert reads == ["moments_of"] and model.n_iter_[0] > 3


def test_too_few_steps_are_said():
    X, y = regression(90, 3)
    for loss in ("huber", "absolute"):
        with pytest.warns(ConvergenceWarning, match="max_iter"):
            LinearRegressor(loss, max_iter=1).fit(X, y)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("loss", ["absolute", "epsilon_insensitive", "quantile"])
def test_kinks_converge_without_a_warning(seed, loss):
    """Many small problems, ties and outliers among them."""
    rng = np.random.default_rng(seed)
    n, d = rng.integers(5, 60), rng.integers(1, 6)
    X = np.round(rng.standard_normal((n, d)), 1)
    y = np.round(X.sum(axis=1) + rng.standard_cauchy(n), int(rng.integers(0, 3)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LinearRegressor(loss, penalty=["l2", None][seed % 2], alpha=0.1).fit(X, y)
    assert np.isfinite(model.predict(X)).all()


def written(X, y, folder, form):
    frame = pd.DataFrame(X, columns=list("abc")).assign(target=y)
    path = folder / f"rows.{form}"
    frame.to_csv(path, index=False) if form == "csv" else frame.to_parquet(path)
    return str(path)


@pytest.mark.parametrize("loss", ["huber", "quantile", "squared"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_files(loss, form, tmp_path):
    X, y = regression(400, 3)
    model = LinearRegressor(loss).fit(written(X, y, tmp_path, form), "target")
    assert distance(model.coef_, LinearRegressor(loss).fit(X, y).coef_) < 1e-9


@pytest.mark.parametrize("loss", ["huber", "quantile"])
def test_dask(loss):
    dask_array = pytest.importorskip("dask.array")
    X, y = regression(400, 3)
    s = np.random.default_rng(0).choice([0.0, 1.0, 2.0], 400)
    blocks = [dask_array.from_array(a, chunks=c) for a, c in ((X, (130, 3)), (y, 130), (s, 130))]
    model = LinearRegressor(loss).fit(*blocks)
    assert distance(model.coef_, LinearRegressor(loss).fit(X, y, s).coef_) < 1e-9


# -- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["squared", "huber", "absolute"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_bad_values_are_named(loss, value):
    X, y = regression(60, 3)
    bad = X.copy()
    bad[17, 1] = value
    for rows, column in ((bad, "1"), (sparse.csr_array(bad), "1"), (pd.DataFrame(bad, columns=list("abc")), "'?b'?")):
        with pytest.raises(ValueError, match=f"X contains .*row 17, column {column}"):
            LinearRegressor(loss).fit(rows, y)
    target = y.copy()
    target[5] = value
    with pytest.raises(ValueError, match="y contains .*row 5"):
        LinearRegressor(loss).fit(X, target)


@pytest.mark.parametrize(
    ("X", "y", "weight", "message"),
    [
        (np.zeros((0, 2)), [], None, "0 sample"),
        (np.zeros((4, 0)), [0, 1, 0, 1], None, "0 feature"),
        (np.zeros(4), [0, 1, 0, 1], None, "2D array"),
        (np.zeros((4, 2)), [0, 1, 0], None, "inconsistent numbers of samples"),
        (np.zeros((4, 2)), None, None, "requires y"),
        (np.zeros((4, 2)), ["a", "b", "a", "b"], None, "y must hold numbers"),
        (np.zeros((4, 2)), np.zeros((4, 2)), None, "1d array"),
        (np.array([["1", "2"]] * 4), [0, 1, 0, 1], None, "strings"),
        (np.zeros((4, 2)), [0, 1, 0, 1], [1, 1, -1, 1], "weight.*row 2"),
        (np.zeros((4, 2)), [0, 1, 0, 1], [0, 0, 0, 0], "zero"),
    ],
)
@pytest.mark.parametrize("loss", ["squared", "huber"])
def test_bad_input(X, y, weight, message, loss):
    with pytest.raises((ValueError, TypeError), match=message):
        LinearRegressor(loss).fit(X, y, weight)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": -1.0}, "alpha must be finite and not negative, got -1.0"),
        ({"alpha": np.inf}, "alpha must be finite and not negative, got inf"),
        ({"alpha": None}, "alpha must be finite and not negative, got None"),
        ({"loss": "huber", "alpha": None}, "alpha must be finite and not negative, got None"),
        ({"loss": "hinge"}, "loss='hinge' is not one for this task; use one of squared, absolute"),
        ({"penalty": "l0", "solver": "newton"}, "cannot minimise penalty='l0'; 'proximal' can"),
        ({"solver": "saga"}, "solver must be"),
        (
            {"loss": "absolute", "penalty": "l1", "solver": "newton"},
            "penalty='l1'; 'sgd' and 'proximal' and 'smoothing' and 'interior_point' can",
        ),
        ({"loss": "absolute", "solver": "gradient"}, "'newton' and .* can"),
        ({"tol": np.nan}, "tol must not be negative, got nan"),
        ({"max_iter": -5}, "max_iter must not be negative, got -5"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        LinearRegressor(**parameters).fit(*regression(40, 2))


def test_a_failed_fit_changes_nothing():
    X, y = regression(60, 3)
    model = LinearRegressor("huber").fit(X, y)
    before = copy.deepcopy(vars(model))
    bad = X[:, :2].copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN: first at row 3, column 1"):
        model.fit(bad, y)
    assert vars(model).keys() == before.keys()
    assert np.array_equal(model.coef_, before["coef_"]) and model.n_features_in_ == 3
    with pytest.raises(NotFittedError):
        LinearRegressor().predict(X)
