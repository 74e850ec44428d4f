"""LinearSVC and LinearSVR against scikit-learn's liblinear, the dual program and SciPy."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn import svm
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.exceptions import ConvergenceWarning

from sumlearn import LinearSVC, LinearSVR
from sumlearn.solvers import box_qp

rng = np.random.default_rng(0)


def rows(classes, n, d):
    X, y = make_classification(
        n, d, n_informative=min(d, 5), n_redundant=0, n_classes=classes, n_clusters_per_class=1, class_sep=0.6,
        flip_y=0.1, random_state=1,
    )  # fmt: skip
    return X * rng.uniform(0.5, 3.0, d) + rng.standard_normal(d), y, rng.choice([0.5, 1.0, 2.0], n)


def risk(X, sign, w, b, s, C, loss, penalty, scaling):
    """liblinear's objective: the intercept is a coefficient too."""
    lack = np.maximum(0.0, 1.0 - sign * (X @ w + b))
    v = np.append(w, b / scaling)
    size = 0.5 * v @ v if penalty == "l2" else np.abs(v).sum()
    return size + C * s @ (lack if loss == "hinge" else lack**2)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("n", "d"), [(150, 6), (30, 60)])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    ("loss", "penalty", "C", "scaling"),
    [("squared_hinge", "l2", 0.7, 1), ("hinge", "l2", 2.0, 2.5), ("squared_hinge", "l1", 0.5, 1)],
)
def test_classes_have_liblinears_minimum(loss, penalty, C, scaling, classes, n, d, layout):
    X, y, s = rows(classes, n, d)
    X = layout(np.where(np.abs(X) < 0.5, 0.0, X))
    options = {"loss": loss, "penalty": penalty, "C": C, "intercept_scaling": scaling}
    model = LinearSVC(**options).fit(X, y, s)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        dual = penalty == "l2"
        wanted = svm.LinearSVC(**options, dual=dual, tol=1e-9, max_iter=300_000, random_state=0).fit(X, y, s)
    assert model.coef_.shape == wanted.coef_.shape and model.intercept_.shape == wanted.intercept_.shape
    assert isinstance(model.n_iter_, int)
    for k in range(len(model.coef_)):
        sign = np.where(y == (1 if classes == 2 else k), 1.0, -1.0)
        ours, theirs = (
            risk(X, sign, one.coef_[k], one.intercept_[k], s, C, loss, penalty, scaling) for one in (model, wanted)
        )
        assert ours <= theirs * (1 + 1e-6)
        assert model.dual_gap_ <= (1e-6 if penalty == "l2" else 1e-4) * ours / C
    assert (model.predict(X) == wanted.predict(X)).mean() > 0.99
    assert np.allclose(model.decision_function(X), wanted.decision_function(X), atol=2e-3)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize(("epsilon", "scaling"), [(0.0, 1.0), (3.0, 2.0)])
@pytest.mark.parametrize(("n", "d"), [(150, 6), (30, 60)])
def test_numbers_have_liblinears_minimum(n, d, epsilon, scaling, loss, layout):
    X, y = make_regression(n, d, noise=10.0, n_informative=5, bias=3.0, random_state=0)
    s = rng.choice([0.5, 1.0, 2.0], n)
    X, options = layout(X), {"loss": loss, "epsilon": epsilon, "C": 0.7, "intercept_scaling": scaling}
    model = LinearSVR(**options).fit(X, y, s)
    wanted = svm.LinearSVR(**options, tol=1e-8, max_iter=1_000_000, dual=True, random_state=0).fit(X, y, s)

    def value(one):
        r = np.maximum(0.0, np.abs(y - X @ one.coef_ - one.intercept_) - epsilon)
        size = one.coef_ @ one.coef_ + (one.intercept_[0] / scaling) ** 2
        return 0.5 * size + 0.7 * s @ (r if loss[0] == "e" else r**2)

    assert value(model) <= value(wanted) * (1 + 1e-6)
    assert model.coef_.shape == (d,) and model.intercept_.shape == wanted.intercept_.shape
    assert np.allclose(model.predict(X), wanted.predict(X), atol=1e-2 * y.std())


def test_crammer_and_singer():
    X, y = load_iris(return_X_y=True)
    model = LinearSVC(multi_class="crammer_singer", C=0.5).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        wanted = svm.LinearSVC(multi_class="crammer_singer", C=0.5, tol=1e-6, max_iter=20_000, random_state=0).fit(X, y)

    def value(one):
        f, every = X @ one.coef_.T + one.intercept_, np.arange(len(y))
        others = f.copy()
        others[every, y] = -np.inf
        lack = np.maximum(0.0, 1.0 + others.max(axis=1) - f[every, y])
        return 0.5 * ((one.coef_**2).sum() + (one.intercept_**2).sum()) + 0.5 * lack.sum()

    assert value(model) <= value(wanted) * (1 + 1e-6)
    assert (model.predict(X) == wanted.predict(X)).all()
    two = y < 2
    both = LinearSVC(multi_class="crammer_singer").fit(X[two], y[two])
    assert both.coef_.shape == (1, 4) and both.score(X[two], y[two]) == 1.0


def test_class_weights():
    X, y, _ = rows(2, 150, 4)
    for weight in ("balanced", {0: 3.0, 1: 0.5}):
        model = LinearSVC(class_weight=weight).fit(X, y)
        wanted = svm.LinearSVC(class_weight=weight, dual=False, tol=1e-10).fit(X, y)
        assert np.allclose(model.coef_, wanted.coef_, rtol=1e-5) and np.allclose(model.intercept_, wanted.intercept_)


@pytest.mark.parametrize("seed", range(4))
def test_hard_margin_is_the_program(seed):
    """max sum a - 1/2 |sum a y x|^2 with sum a y = 0 and no upper bound: w, b, the margin and the rows on it."""
    draw = np.random.default_rng(seed)
    d = int(draw.integers(1, 5))
    X = draw.standard_normal((40, d))
    w = draw.standard_normal(d)
    f = X @ (2.0 * w / np.linalg.norm(w))  # so that both sides have rows
    keep = np.abs(f - 0.2) > 0.3
    X, y = X[keep] * 5.0 + 100.0, np.where(f[keep] > 0.2, 1.0, -1.0)
    model = LinearSVC(C=np.inf, intercept_scaling="free").fit(X, y)
    signed = y[:, None] * (X - X.mean(axis=0))
    wanted = box_qp(signed @ signed.T, -np.ones(len(y)), 0.0, np.inf, y, 0.0, tol=1e-12)
    assert np.allclose(model.coef_[0], wanted.x @ signed, rtol=1e-6)
    assert model.margin_ == pytest.approx(2.0 / np.linalg.norm(wanted.x @ signed), rel=1e-6)
    assert set(np.flatnonzero(wanted.x > 1e-6)) <= set(model.support_)
    assert (y * model.decision_function(X)).min() == pytest.approx(1.0, abs=1e-6)
    soft = svm.SVC(kernel="linear", C=1e8, tol=1e-8).fit(X - 100.0, y)
    assert np.allclose(model.coef_, soft.coef_, atol=1e-3)


def test_free_intercept_is_libsvms():
    X, y, s = rows(2, 120, 4)
    for C in (0.1, 3.0):
        model = LinearSVC(loss="hinge", C=C, intercept_scaling="free").fit(X + 1e6, y, s)
        wanted = svm.SVC(kernel="linear", C=C, tol=1e-9).fit(X, y, s)
        assert np.allclose(model.coef_, wanted.coef_, rtol=1e-4, atol=1e-5)
        assert np.allclose(model.decision_function(X + 1e6), wanted.decision_function(X), atol=1e-3)
        assert set(wanted.support_) <= set(model.support_)
    y = X @ np.arange(4) + rng.standard_normal(120)
    model = LinearSVR(C=2.0, epsilon=0.3, intercept_scaling="free").fit(X, y + 1e6, s)
    wanted = svm.SVR(kernel="linear", C=2.0, epsilon=0.3, tol=1e-9).fit(X, y, s)
    assert np.allclose(model.predict(X) - 1e6, wanted.predict(X), atol=1e-4)
