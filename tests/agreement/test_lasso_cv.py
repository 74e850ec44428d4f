"""LassoCV and ElasticNetCV against scikit-learn, and against fits of every fold by itself."""

import numpy as np
import pytest
import scipy.sparse as sparse
import sklearn.linear_model
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, ShuffleSplit, TimeSeriesSplit

import sumlearn as sl
from sumlearn import ElasticNet, ElasticNetCV, Lasso, LassoCV

from tests.agreement.test_lasso import WIDE, problem


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"positive": True}, {"alphas": [0.01, 0.3, 0.1]}])
def test_the_choice_is_that_of_scikit_learn(options, weighted):
    X, y = problem(150)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y)) if weighted else None
    ours = LassoCV(**options).fit(X, y, weight)
    theirs = sklearn.linear_model.LassoCV(**options, tol=1e-10, max_iter=50_000).fit(X, y, weight)
    np.testing.assert_allclose(ours.alphas_, theirs.alphas_, rtol=1e-9)
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=1e-5)
    assert ours.alpha_ == pytest.approx(theirs.alpha_, rel=1e-9)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-4)


@pytest.mark.parametrize("columns", [10, WIDE])
def test_several_shares(columns):
    X, y = problem(50, columns)
    options = {"l1_ratio": [0.3, 0.9], "alphas": 6, "eps": 0.1, "cv": 3}
    ours = ElasticNetCV(**options, tol=1e-10).fit(X, y)
    theirs = sklearn.linear_model.ElasticNetCV(**options, tol=1e-10, max_iter=20_000).fit(X, y)
    np.testing.assert_allclose(ours.alphas_, theirs.alphas_, rtol=1e-9)
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=1e-5)
    assert (ours.l1_ratio_, ours.alpha_) == pytest.approx((theirs.l1_ratio_, theirs.alpha_))
    assert ours.best_estimator_.get_params()["l1_ratio"] == ours.l1_ratio_
    assert hasattr(ours, "statistic_") == (columns < WIDE)


@pytest.mark.parametrize("cv", [4, KFold(3, shuffle=True, random_state=0), TimeSeriesSplit(3), ShuffleSplit(3)])
def test_errors_are_those_of_refits(cv):
    X, y = problem(90, 6)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    cv = cv if isinstance(cv, int) else list(cv.split(X))
    model = LassoCV(alphas=[0.5, 0.1, 0.02], cv=cv).fit(X, y, weight)
    splits = list(KFold(4).split(X)) if isinstance(cv, int) else cv
    for k, (train, test) in enumerate(splits):
        for a, alpha in enumerate(model.alphas_):
            fit = Lasso(alpha).fit(X[train], y[train], weight[train])
            expected = np.average((y[test] - fit.predict(X[test])) ** 2, weights=weight[test])
            assert model.mse_path_[a, k] == pytest.approx(expected, rel=1e-9)


def test_rows_read_as_a_stream(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = problem(60, 4)
    frame = pandas.DataFrame(X, columns=list("abcd")).assign(y=y)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    model = LassoCV(alphas=10).fit(str(tmp_path / "rows.csv"), "y")
    np.testing.assert_allclose(model.mse_path_, LassoCV(alphas=10).fit(frame[list("abcd")], y).mse_path_, rtol=1e-9)


def test_the_chosen_model_adds_up():
    X, y = problem(200)
    model = LassoCV().fit(X[:150], y[:150])
    assert not list(sl.abilities(model)) and "merge" in sl.abilities(model.best_estimator_)
    more = model.best_estimator_.partial_fit(X[150:], y[150:])
    np.testing.assert_allclose(more.coef_, Lasso(model.alpha_).fit(X, y).coef_, rtol=1e-10)


def test_sparse_rows_and_offsets():
    X, y = problem(100, 6)
    X[np.abs(X) < 0.5] = 0.0
    dense = LassoCV(alphas=10).fit(X, y)
    np.testing.assert_allclose(LassoCV(alphas=10).fit(sparse.csr_matrix(X), y).mse_path_, dense.mse_path_, rtol=1e-8)
    X = np.round(X * 1024) / 1024
    near, far = LassoCV(alphas=10).fit(X, y), LassoCV(alphas=10).fit(X + 1e9, y)
    np.testing.assert_allclose(far.mse_path_, near.mse_path_, rtol=1e-9)
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-9)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"eps": 0.0}, ValueError, "eps must be positive"),
        ({"alphas": 0}, ValueError, "alphas must be a number of penalties above 0"),
        ({"alphas": [-0.1]}, ValueError, r"alphas\[0\] == -0.1, must be >= 0.0"),
        ({"alphas": ["1"]}, TypeError, r"alphas\[0\] must be an instance of float, not str"),
        ({"l1_ratio": 0.0}, ValueError, "Automatic alpha grid generation is not supported for l1_ratio=0"),
        ({"l1_ratio": [0.5, 2.0]}, ValueError, "l1_ratio must lie between 0 and 1"),
    ],
)
def test_bad_parameters_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        ElasticNetCV(**options).fit(*problem())


@pytest.mark.parametrize("columns", [4, 2050])
def test_splits_without_weight_are_refused(columns):
    """Not chosen by scores that are none."""
    X, y = problem(40, columns)
    for there, purpose in ((slice(20, None), "test"), (slice(None, 20), "train")):
        weight = np.zeros(40)
        weight[there] = 1.0
        with pytest.raises(ValueError, match=f"split 0 has no row of positive weight to {purpose} on"):
            LassoCV(cv=2, alphas=3).fit(X, y, sample_weight=weight)


def test_not_fitted():
    with pytest.raises(NotFittedError):
        LassoCV().predict([[1.0]])
    assert isinstance(ElasticNetCV().estimator(0.1, 0.3), ElasticNet)
