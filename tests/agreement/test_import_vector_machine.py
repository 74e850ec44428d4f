"""The import vector machine against kernel logistic regression with all rows."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.datasets import make_classification, make_moons
from sklearn.metrics import log_loss

from sumlearn import ImportVectorMachine, KernelRidge, LogisticRegression
from sumlearn.features.kernels import GaussianKernel


def table(classes, rows=500):
    if classes == 2:
        return make_moons(rows, noise=0.25, random_state=0)
    return make_classification(
        rows, 4, n_informative=4, n_redundant=0, n_classes=3, n_clusters_per_class=1, random_state=0
    )


@pytest.mark.parametrize(("classes", "C", "gamma"), [(2, 1.0, 1.0), (2, 100.0, 1.0), (3, 1.0, 0.2)])
def test_a_tenth_of_the_rows_gives_the_log_loss_of_all(classes, C, gamma):
    X, y = table(classes)
    few = ImportVectorMachine(C, gamma=gamma).fit(X, y)
    all_rows = ImportVectorMachine(C, gamma=gamma, tol=1e-7).fit(X, y)
    assert len(few.support_) <= 50 < len(all_rows.support_) or all_rows.gap_ <= 1e-7 * all_rows.objective_
    ours, full = (log_loss(y, model.predict_proba(X)) for model in (few, all_rows))
    assert ours <= 1.01 * full
    gained = few.objective_ - all_rows.objective_
    assert -1e-9 <= gained <= few.gap_ <= 0.005 * few.objective_  # the gap is a bound
    assert (np.diff(few.trace_[:, 1]) < 0).all() and few.trace_[-1].tolist() == [
        len(few.support_),
        few.objective_,
        few.gap_,
    ]


@pytest.mark.parametrize("classes", [2, 3])
def test_with_all_rows_it_is_kernel_logistic_regression(classes):
    """Its minimum is found by a general minimiser, over a coefficient for every row."""
    X, y = table(classes, 40)
    weight, C = np.random.default_rng(0).random(40) + 0.5, 2.0
    K, hits = GaussianKernel(0.5)(X), np.eye(classes)[y]

    def risk(point):
        a, b0 = point[:-classes].reshape(40, classes), point[-classes:]
        if classes == 2:  # one function
            a, b0 = a * [0.0, 1.0], b0 * [0.0, 1.0]
        f = K @ a
        own = log_softmax(f + b0, axis=1)
        g = C * weight[:, None] * (np.exp(own) - hits)
        value = 0.5 * (a * f).sum() - C * (weight[:, None] * hits * own).sum()
        slope, level = K @ (a + g), g.sum(axis=0)
        if classes == 2:
            slope, level = slope * [0.0, 1.0], level * [0.0, 1.0]
        return value, np.concatenate([slope.ravel(), level])

    least = minimize(
        risk,
        np.zeros(41 * classes),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 20000, "ftol": 1e-15, "gtol": 1e-9},
    )
    model = ImportVectorMachine(C, kernel=GaussianKernel(0.5), tol=0.0).fit(X, y, weight)
    assert model.objective_ == pytest.approx(least.fun, rel=1e-7)
    a, b0 = least.x[:-classes].reshape(40, classes), least.x[-classes:]
    f = K @ a + b0
    wanted = f[:, 1] if classes == 2 else f - f.mean(axis=1, keepdims=True)
    ours = model.decision_function(X)
    ours = ours if classes == 2 else ours - ours.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(ours, wanted, atol=2e-4 * np.abs(wanted).max())


def test_it_is_logistic_regression_where_the_kernel_is_linear():
    X, y = table(3, 200)
    model = ImportVectorMachine(1.0, kernel="linear", tol=0.0).fit(X, y)
    assert len(model.support_) == 4
    other = LogisticRegression(C=1.0, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X), atol=1e-6)


def test_points_and_coefficients_are_those_of_the_function():
    X, y = table(2, 200)
    model = ImportVectorMachine(gamma=1.0, class_weight="balanced").fit(X, y, np.where(np.arange(200) < 20, 0.0, 1.0))
    rows = X[20:][model.support_]
    np.testing.assert_array_equal(model.support_vectors_, rows)
    np.testing.assert_allclose(
        model.decision_function(X), (model.kernel_(X, rows) @ model.dual_coef_ + model.intercept_)[:, 0], rtol=1e-10
    )
    given = ImportVectorMachine(kernel="precomputed", class_weight="balanced")
    given.fit(model.kernel_(X), y, np.where(np.arange(200) < 20, 0.0, 1.0))
    np.testing.assert_array_equal(given.support_ - 20, model.support_)
    np.testing.assert_allclose(given.predict_proba(model.kernel_(X)), model.predict_proba(X), rtol=1e-9)


def test_refused_and_warned():
    X, y = table(2, 60)
    with pytest.raises(ValueError, match="SigmoidKernel.* is not positive semidefinite"):
        ImportVectorMachine(kernel="sigmoid").fit(X, y)
    with pytest.raises(ValueError, match="not positive semidefinite on these rows"):
        ImportVectorMachine(kernel="precomputed").fit(-GaussianKernel(1.0)(X), y)
    with pytest.raises(ValueError, match="tol must be a number from 0"):
        ImportVectorMachine(tol=-1.0).fit(X, y)
    with pytest.raises(ValueError, match=r"60 rows of 2 columns need 0.00 GiB"):
        ImportVectorMachine(max_memory=1e3).fit(X, y)
    with pytest.warns(UserWarning, match=r"max_points=3 rows leave a gap of 0\.\d+ of the objective"):
        assert len(ImportVectorMachine(max_points=3).fit(X, y).support_) == 3
    assert isinstance(KernelRidge().fit(X, y), KernelRidge)
