"""Lasso and ElasticNet against scikit-learn, skglm, celer and the conditions of a minimum."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sparse
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import sumlearn as sl
from sumlearn import ElasticNet, Lasso, LinearRegression, Ridge
from sumlearn.learners.regression.parts.sparse_paths import MOST_COLUMNS

pytestmark = pytest.mark.filterwarnings("ignore:With alpha=0", "ignore:Coordinate descent with no")
WIDE = MOST_COLUMNS + 50


def problem(rows=120, columns=12, seed=0, noise=0.5, informative=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    X[:, 1:] += 0.6 * X[:, :-1]
    return X, X[:, :informative] @ rng.uniform(-2.0, 2.0, informative) + noise * rng.standard_normal(rows) + 3.0


def objective(model, X, y, alpha, ratio, weight=None):
    """The objective of scikit-learn, at the coefficients of a model."""
    weight = np.ones(len(y)) if weight is None else weight
    w, r = np.asarray(model.coef_, float), y - np.asarray(X @ model.coef_) - model.intercept_
    return weight @ r**2 / (2 * weight.sum()) + alpha * (ratio * abs(w).sum() + (1 - ratio) / 2 * w @ w)


def violation(model, X, y, alpha, ratio, weight=None):
    """How far the slopes are from those of a minimum (Karush, Kuhn and Tucker), as a share of alpha."""
    weight = np.ones(len(y)) if weight is None else weight
    X, w = np.asarray(X, float), model.coef_
    pull = X.T @ (weight * (y - X @ w - model.intercept_)) / weight.sum() - alpha * (1 - ratio) * w
    outside = np.maximum(np.abs(pull) - alpha * ratio, 0.0)[w == 0]
    inside = np.abs(pull - alpha * ratio * np.sign(w))[w != 0]
    return max(outside.max(initial=0.0), inside.max(initial=0.0)) / alpha


@settings(max_examples=25)
@given(
    seed=st.integers(0, 99), rows=st.integers(3, 80), columns=st.integers(1, 30), share=st.floats(0.003, 1.2),
    ratio=st.sampled_from([1.0, 0.7, 0.1]), intercept=st.booleans(), positive=st.booleans(), weighted=st.booleans(),
)  # fmt: skip
def test_minima_are_those_of_scikit_learn(seed, rows, columns, share, ratio, intercept, positive, weighted):
    X, y = problem(rows, columns, seed, informative=min(4, columns))
    weight = np.random.default_rng(seed).uniform(0.2, 3.0, rows) if weighted else None
    alpha = share * float(np.abs((X - X.mean(0)).T @ (y - y.mean())).max()) / rows + 1e-3
    options = {"alpha": alpha, "l1_ratio": ratio, "fit_intercept": intercept, "positive": positive}
    ours = ElasticNet(**options).fit(X, y, weight)
    theirs = sklearn.linear_model.ElasticNet(**options, tol=1e-13, max_iter=200_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs.fit(X, y, weight)
    found, expected = (objective(model, X, y, alpha, ratio, weight) for model in (ours, theirs))
    assert found <= expected * (1 + 1e-12) and found == pytest.approx(expected, rel=1e-6)
    if not positive:
        assert violation(ours, X, y, alpha, ratio, weight) < 1e-9
    assert ours.dual_gap_ <= 1e-9 * (y @ y) / rows
    np.testing.assert_allclose(ours.predict(X), X @ ours.coef_ + ours.intercept_, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("kind", [Lasso, ElasticNet])
def test_attributes_have_the_shapes_of_scikit_learn(kind):
    X, y = problem()
    two = np.column_stack([y, -2.0 * y + X[:, 0]])
    reference = getattr(sklearn.linear_model, kind.__name__)
    for target in (y, two):
        ours, theirs = kind(0.1).fit(X, target), reference(0.1, tol=1e-12).fit(X, target)
        for name in ("coef_", "intercept_", "dual_gap_", "n_iter_"):
            assert np.shape(getattr(ours, name)) == np.shape(getattr(theirs, name)), name
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
        np.testing.assert_allclose(ours.sparse_coef_.toarray(), theirs.sparse_coef_.toarray(), atol=1e-7)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-6)
    single = kind(0.1).fit(X, y)
    np.testing.assert_array_equal(kind(0.1).fit(X, two).coef_[0], single.coef_)  # targets know nothing of each other


def test_other_penalties_need_no_rows():
    X, y = problem()
    model = ElasticNet(0.1).fit(X, y)
    for alpha, ratio, positive in ((0.7, 1.0, False), (0.02, 0.3, True), (0.0, 0.5, False)):
        model.set_params(alpha=alpha, l1_ratio=ratio, positive=positive)
        again = ElasticNet(alpha, l1_ratio=ratio, positive=positive).fit(X, y)
        np.testing.assert_array_equal(model.coef_, again.coef_)


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_merged_forgotten_and_cut_models_are_refits(offset):
    X, y = problem(300)
    X = np.round(X * 1024) / 1024 + offset
    parts = [Lasso(0.05).fit(X[i::3], y[i::3]) for i in range(3)]
    whole = Lasso(0.05).fit(X, y)
    np.testing.assert_allclose(sum(parts).coef_, whole.coef_, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose((sum(parts) - parts[0]).coef_, (parts[1] + parts[2]).coef_, rtol=1e-10, atol=1e-12)
    some = [0, 3, 5]
    np.testing.assert_allclose(whole.restrict(some).coef_, Lasso(0.05).fit(X[:, some], y).coef_, atol=1e-12)
    faded = (parts[0].decay(0.5) + parts[1]).coef_
    weight = np.r_[np.full(100, 0.5), np.ones(100)]
    weighted = Lasso(0.05).fit(np.vstack([X[::3], X[1::3]]), np.r_[y[::3], y[1::3]], weight)
    np.testing.assert_allclose(faded, weighted.coef_, atol=1e-12)


def test_an_offset_of_1e9_changes_nothing():
    X, y = problem(200)
    X = np.round(X * 1024) / 1024
    near, far = Lasso(0.05).fit(X, y), Lasso(0.05).fit(X + 1e9, y)
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(far.predict(X + 1e9), near.predict(X), atol=1e-9)


def test_weight_two_is_the_row_twice():
    X, y = problem()
    weight = np.random.default_rng(1).integers(0, 3, len(y))
    twice = ElasticNet(0.05).fit(X.repeat(weight, axis=0), y.repeat(weight))
    np.testing.assert_allclose(ElasticNet(0.05).fit(X, y, weight).coef_, twice.coef_, rtol=1e-11)


@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_equal_constant_and_dependent_columns(ratio):
    X, y = problem(columns=5)
    X = np.column_stack([X, X[:, 0], np.full(len(X), 4.0), X[:, 1] + X[:, 2]])
    model = ElasticNet(0.05, l1_ratio=ratio).fit(X, y)
    assert violation(model, X, y, 0.05, ratio) < 1e-8
    assert model.coef_[6] == 0.0
    if ratio < 1:
        assert model.coef_[0] == pytest.approx(model.coef_[5], rel=1e-9)


def test_no_penalty_is_least_squares_and_ridge():
    X, y = problem()
    with pytest.warns(UserWarning, match="With alpha=0, .* LinearRegression"):
        model = Lasso(0.0).fit(X, y)
    np.testing.assert_allclose(model.coef_, LinearRegression().fit(X, y).coef_, rtol=1e-12)
    ridge = ElasticNet(0.3, l1_ratio=0.0).fit(X, y)
    np.testing.assert_allclose(ridge.coef_, Ridge(0.3 * len(y)).fit(X, y).coef_, rtol=1e-12)
    assert ridge.dual_gap_ < 1e-12


def test_single_precision_stays():
    X, y = problem()
    model = Lasso(0.05).fit(X.astype(np.float32), y.astype(np.float32))
    assert model.coef_.dtype == np.float32
    np.testing.assert_allclose(model.coef_, Lasso(0.05).fit(X, y).coef_, atol=1e-5)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csc_array])
def test_sparse_rows_give_the_same(form):
    X, y = problem(columns=8)
    X[np.abs(X) < 1.0] = 0.0
    model, dense = Lasso(0.05).fit(form(X), y), Lasso(0.05).fit(X, y)
    np.testing.assert_allclose(model.coef_, dense.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.predict(form(X)), dense.predict(X), rtol=1e-9)


# -- many columns -----------------------------------------------------------------------------------------------------


def wide(seed=0, rows=60):
    X, y = problem(rows, WIDE, seed, informative=8)
    return X + 1.0, y


@pytest.mark.parametrize("ratio", [1.0, 0.5])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("positive", [True, False])
def test_working_sets_reach_the_minimum(ratio, intercept, positive):
    X, y = wide()
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    options = {"alpha": 0.3, "l1_ratio": ratio, "fit_intercept": intercept, "positive": positive, "tol": 1e-10}
    ours = ElasticNet(**options).fit(X, y, weight)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = sklearn.linear_model.ElasticNet(**options, max_iter=20_000).fit(X, y, weight)
    found, expected = (objective(model, X, y, 0.3, ratio, weight) for model in (ours, theirs))
    assert found <= expected * (1 + 1e-9)
    assert ours.dual_gap_ <= 1e-10 * (weight @ y**2) / weight.sum()
    if not positive:
        assert violation(ours, X, y, 0.3, ratio, weight) < 1e-4
    np.testing.assert_allclose(ours.predict(X), X @ ours.coef_ + ours.intercept_, rtol=1e-9)


def test_both_roads_lead_to_one_minimum(monkeypatch):
    from sumlearn.learners.regression.parts import sparse_regression

    X, y = problem(80, 40)
    on_sums = ElasticNet(0.1, tol=1e-12).fit(X, np.column_stack([y, -y + X[:, 3]]))
    assert "merge" in sl.abilities(on_sums)
    coef, values = on_sums.coef_, on_sums.predict(X)
    monkeypatch.setattr(sparse_regression, "MOST_COLUMNS", 10)
    on_rows = ElasticNet(0.1, tol=1e-12).fit(X, np.column_stack([y, -y + X[:, 3]]))
    assert "merge" not in sl.abilities(on_rows) and not hasattr(on_rows, "forget")
    np.testing.assert_allclose(on_rows.coef_, coef, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(on_rows.predict(X), values, rtol=1e-9)


def test_wide_rows_sparse_far_and_single():
    X, y = wide()
    X[np.abs(X - 1.0) < 0.8] = 0.0
    dense = Lasso(0.3, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(Lasso(0.3, tol=1e-10).fit(sparse.csr_matrix(X), y).coef_, dense.coef_, atol=1e-8)
    far = np.round(X * 1024) / 1024 + 1e9
    model, near = Lasso(0.3, tol=1e-10).fit(far, y), Lasso(0.3, tol=1e-10).fit(far - 1e9, y)
    np.testing.assert_allclose(model.coef_, near.coef_, atol=1e-9)
    np.testing.assert_allclose(model.predict(far), near.predict(far - 1e9), atol=1e-6)
    assert Lasso(0.3).fit(X.astype(np.float32), y).coef_.dtype == np.float32


def test_wide_rows_have_no_sums():
    X, y = wide()
    assert "merge" in sl.abilities(Lasso())  # nobody knows yet how many columns there will be
    with pytest.raises(ValueError, match=f"{WIDE} columns: above 2000 the rows are needed together"):
        Lasso().partial_fit(X, y)
    model = Lasso(0.3).fit(X, y)
    with pytest.raises(TypeError):
        model + model


# -- paths ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [12, WIDE])
def test_paths_are_those_of_scikit_learn(columns):
    X, y = problem(60, columns)
    X, y = X - X.mean(0), y - y.mean()
    ours = Lasso.path(X, y, l1_ratio=0.9, alphas=8, eps=0.05, tol=1e-10)
    theirs = sklearn.linear_model.enet_path(X, y, l1_ratio=0.9, alphas=8, eps=0.05, tol=1e-12, max_iter=50_000)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-10)
    np.testing.assert_allclose(ours[1], theirs[1], atol=2e-5)
    assert (ours[2] <= 1e-9 * (y @ y)).all()
    assert len(Lasso.path(X, y, alphas=[0.3, 0.1], return_n_iter=True)) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alphas": 5, "l1_ratio": 0.0}, "Automatic alpha grid generation is not supported for l1_ratio=0"),
        ({"alphas": 0}, "alphas must be a number of penalties above 0"),
        ({"alphas": [0.1, -0.1]}, r"alphas\[1\] == -0.1, must be >= 0.0"),
        ({"nonsense": 1}, "Unexpected parameters in params: nonsense"),
        ({"selection": "none"}, "selection should be either random or cyclic"),
    ],
)
def test_paths_refuse(options, message):
    X, y = problem()
    with pytest.raises(ValueError, match=message):
        ElasticNet.path(X, y, **options)


@pytest.mark.parametrize("columns", [12, WIDE])
@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("X", np.nan, "NaN: first at row 7, column 3"),
        ("y", np.inf, "infinity"),
        ("weight", np.nan, "sample_weight contains NaN: first at row 7"),
        ("weight", -1.0, "Negative values in data passed to `sample_weight`: -1, first at row 7"),
        ("weights", 0.0, "sample_weight is zero for every row"),
    ],
)
def test_paths_refuse_what_is_no_number(columns, place, value, message):
    X, y = problem(30, columns)
    weight = np.zeros(30) if place == "weights" else np.ones(30)
    part, where = {"X": (X, (7, 3)), "y": (y, 7), "weight": (weight, 7), "weights": (weight, 7)}[place]
    part[where] = value
    with pytest.raises(ValueError, match=message):
        Lasso.path(X, y, alphas=[0.1], sample_weight=weight)


# -- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"alpha": -1.0}, ValueError, "alpha must be finite and not negative, got -1.0"),
        ({"alpha": np.nan}, ValueError, "alpha must be finite"),
        ({"alpha": "1"}, TypeError, "alpha must be a number, got '1'"),
        ({"l1_ratio": 1.5}, ValueError, "l1_ratio must lie between 0 and 1, got 1.5"),
        ({"max_iter": 0}, ValueError, "max_iter must be a whole number above 0"),
        ({"tol": -1e-3}, ValueError, "tol must not be negative"),
        ({"selection": "best"}, ValueError, "selection must be 'cyclic' or 'random', got 'best'"),
        ({"precompute": "no"}, ValueError, "precompute must be True, False, 'auto' or a Gram matrix, got 'no'"),
    ],
)
def test_bad_parameters_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        ElasticNet(**options).fit(*problem())


def test_too_few_sweeps_are_told():
    X, y = problem(30, 25)
    X = np.column_stack([X, X[:, 0]])
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 sweeps.*Duality gap"):
        Lasso(1e-4, max_iter=1, tol=1e-12).fit(X, y)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("columns", [3, WIDE])
@pytest.mark.parametrize("ratio", [1.0, 0.5, 0.0])
def test_penalties_near_the_end_of_the_range_leave_the_mean(ratio, columns):
    X, y = problem(30, columns, informative=3)
    model = ElasticNet(1.7e308, l1_ratio=ratio).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y.mean(), rtol=1e-12)
    assert model.dual_gap_ <= 1e-12 * y.var()


@pytest.mark.parametrize("size", [2.0**-600, 2.0**480])
def test_wide_rows_of_any_size(size):
    X, y = wide()
    model, large = Lasso(0.3).fit(X, y), Lasso(0.3 * size).fit(X * size, y)
    np.testing.assert_allclose(large.coef_ * size, model.coef_, rtol=1e-9)
    np.testing.assert_allclose(Lasso(0.3 * size).fit(X, y * size).coef_ / size, model.coef_, rtol=1e-9)
    chosen = sl.LassoCV(alphas=5, cv=3).fit(X * size, y)
    assert chosen.alpha_ / size == pytest.approx(sl.LassoCV(alphas=5, cv=3).fit(X, y).alpha_)


@pytest.mark.parametrize("columns", [12, WIDE])
def test_a_target_whose_squares_are_out_of_range_is_named(columns):
    X, y = problem(30, columns)
    with pytest.raises(ValueError, match="the variance of y overflows"):
        Lasso().fit(X, y * 1e160)
    with pytest.raises(ValueError, match="the variance of y underflows"):
        sl.LassoCV(alphas=3, cv=3).fit(X, y * 1e-170)
    light = sl.LassoCV(alphas=3, cv=3).fit(X, y, sample_weight=np.full(30, 1e-200))
    assert light.alpha_ == pytest.approx(sl.LassoCV(alphas=3, cv=3).fit(X, y).alpha_)
