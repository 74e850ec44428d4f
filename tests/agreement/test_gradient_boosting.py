"""Boosting beside scikit-learn's: the same trees where the rule is the same, as good where it is not.

Its histogram boosting rounds gradients to single precision, hence 1e-6; its other boosting is exact, and so are bins of
up to 255 values. Gradients of the absolute and the quantile loss are -1 and 1: many splits tie, and ties are resolved
differently, so these are compared by their loss.
"""

import numpy as np
import pytest
import sklearn.ensemble as theirs
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.metrics import log_loss
from threadpoolctl import threadpool_limits

import sumlearn as sl


@pytest.fixture(autouse=True)
def one_thread():
    """Its threads wait for each other where a machine is busy."""
    with threadpool_limits(1):
        yield


def problem(seed, n=240, d=4, gaps=False):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).astype(np.float32).astype(float)
    f = X @ rng.standard_normal(d) + np.sin(3 * X[:, 0])
    if gaps:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, f + 0.5 * rng.standard_normal(n)


@settings(max_examples=10)
@given(
    st.integers(0, 10**6), st.booleans(), st.sampled_from([None, 8, 31]), st.sampled_from([None, 3]),
    st.integers(2, 30), st.sampled_from([0.0, 3.0]), st.sampled_from(["squared_error", "poisson", "gamma"]),
)  # fmt: skip
def test_histogram_regression_is_that_of_scikit_learn(seed, gaps, leaves, depth, least, penalty, loss):
    X, y = problem(seed, gaps=gaps)
    y = y if loss == "squared_error" else np.exp(0.3 * y)
    options = dict(  # noqa: C408
        loss=loss, max_iter=8, max_leaf_nodes=leaves, max_depth=depth, min_samples_leaf=least, l2_regularization=penalty
    )
    ours = sl.HistGradientBoostingRegressor(**options).fit(X, y)
    other = theirs.HistGradientBoostingRegressor(**options).fit(X, y)
    assert np.abs(ours.predict(X) - other.predict(X)).max() < 1e-6 * np.ptp(y)


@pytest.mark.parametrize("seed", range(4))
def test_monotonic_constraints_keep_the_trees_where_they_do_not_bind(seed):
    X, y = problem(seed, d=2)
    y = 3 * X[:, 0] + 0.1 * y
    options = {"max_iter": 5, "max_leaf_nodes": 4, "monotonic_cst": [1, 0]}
    ours, other = (
        sl.HistGradientBoostingRegressor(**options).fit(X, y),
        theirs.HistGradientBoostingRegressor(**options).fit(X, y),
    )
    assert np.abs(ours.predict(X) - other.predict(X)).max() < 1e-6 * np.ptp(y)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_histogram_classification_is_that_of_scikit_learn(classes, seed):
    X, y = problem(seed, gaps=seed % 2 == 1)
    y = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
    options = {"min_samples_leaf": 12, "max_leaf_nodes": 6}
    for rounds in range(1, 9):
        ours, other = (
            library.HistGradientBoostingClassifier(max_iter=rounds, **options).fit(X, y).predict_proba(X)
            for library in (sl, theirs)
        )
        if np.abs(ours - other).max() >= 1e-6:  # two cuts gained the same, and either may be taken
            assert abs(log_loss(y, ours) - log_loss(y, other)) < 1e-8
            break


@settings(max_examples=10)
@given(
    st.integers(0, 10**6), st.sampled_from([None, 5]), st.sampled_from([2, 3, None]), st.integers(3, 20),
    st.sampled_from([0.0, 1e-3]), st.sampled_from([0.0, 0.07]), st.integers(2, 30), st.sampled_from([0.0, 2e-3]),
)  # fmt: skip
@example(1, None, None, 3, 0.0, 0.0, 7, 0.0)  # six rows are fewer than seven
def test_regression_is_that_of_scikit_learn(seed, leaves, depth, least, gain, share, split, prune):
    X, y = problem(seed)
    weight = np.random.default_rng(seed).integers(1, 3, len(y)).astype(float) if seed % 3 == 0 else None
    least = 1 if weight is not None else least  # there a row of weight two is one row, here it is two
    options = dict(  # noqa: C408
        n_estimators=6, max_leaf_nodes=leaves, max_depth=depth, min_samples_leaf=least, min_impurity_decrease=gain,
        min_weight_fraction_leaf=share, min_samples_split=2 if weight is not None else split, ccp_alpha=prune,
    )  # fmt: skip
    ours = sl.GradientBoostingRegressor(**options).fit(X, y, weight)
    other = theirs.GradientBoostingRegressor(**options, random_state=0).fit(X, y, weight)
    assert np.abs(ours.predict(X) - other.predict(X)).max() < 1e-9 * np.ptp(y)
    assert ours.train_score_ == pytest.approx(other.train_score_, rel=1e-9)
    if depth is not None and least >= 8:  # in nodes of a few rows two columns may part them alike
        assert ours.feature_importances_ == pytest.approx(other.feature_importances_, abs=1e-7)


@pytest.mark.chance  # of splits that count alike either may be taken
@pytest.mark.parametrize(("loss", "classes"), [("log_loss", 2), ("log_loss", 4), ("exponential", 2)])
@pytest.mark.parametrize("seed", [2, 3])
def test_classification_is_that_of_scikit_learn(loss, classes, seed):
    X, y = problem(seed)
    y = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
    options = {"loss": loss, "n_estimators": 8, "min_samples_leaf": 10, "max_depth": 2}
    ours = sl.GradientBoostingClassifier(**options).fit(X, y)
    other = theirs.GradientBoostingClassifier(**options, random_state=0).fit(X, y)
    assert np.abs(ours.predict_proba(X) - other.predict_proba(X)).max() < 1e-9


def risk(loss, residual):
    return np.mean(np.maximum(0.9 * residual, -0.1 * residual) if loss == "quantile" else np.abs(residual))


@pytest.mark.parametrize("loss", ["absolute_error", "quantile", "huber"])
def test_robust_losses_fit_as_well_as_scikit_learns(loss):
    ratios = []
    for seed in range(5):
        X, y = problem(seed, n=400)
        ours = sl.GradientBoostingRegressor(loss=loss).fit(X[:200], y[:200])
        other = theirs.GradientBoostingRegressor(loss=loss, random_state=0).fit(X[:200], y[:200])
        ratios.append(risk(loss, y[200:] - ours.predict(X[200:])) / risk(loss, y[200:] - other.predict(X[200:])))
    assert np.mean(ratios) < 1.05
