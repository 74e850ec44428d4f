"""Fewer rows than columns, through the rows that are held: as extended precision has it, and as the scatter has it."""

import warnings

import numpy as np
import pytest

import sumlearn as sl
from sumlearn.learners.linear.parts import minimiser
from sumlearn.objectives import L1, Quadratic
from sumlearn.statistics import Moments, Pooled, held_rows
from sumlearn.testing import assert_same_model

from tests.laws.test_histories import check_history


def least_norm(X, y, weight, alpha, intercept):
    """(Z'WZ + alpha I)^-1 Z'W y in extended precision, by the products of rows; of least norm without a penalty."""
    X, y, w = (np.asarray(a, dtype=np.longdouble) for a in (X, y, weight))
    Z, v = (X - w @ X / w.sum(), y - w @ y / w.sum()) if intercept else (X, y)
    root = np.sqrt(w)
    K = (root[:, None] * Z) @ (root[:, None] * Z).T
    K += alpha * np.eye(len(K)) + (intercept and np.trace(K) / len(K) * np.outer(root, root) / w.sum())
    A = np.column_stack([K, root * v])
    for k in range(len(A)):  # Gauss and Jordan
        A[k] /= A[k, k]
        others = A[:, k].copy()
        others[k] = 0.0
        A -= others[:, None] * A[k]
    return Z.T @ (root * A[:, -1])


@pytest.mark.parametrize("offset", [0.0, 1e9])
@pytest.mark.parametrize("alpha", [0.0, 1.0, 1e-6])
@pytest.mark.parametrize("intercept", [True, False])
def test_coefficients_have_all_digits(alpha, offset, intercept):
    if offset and not intercept:
        offset = 3.0
    rng = np.random.default_rng(0)
    X, y, w = rng.standard_normal((25, 160)) + offset, rng.standard_normal(25), rng.choice([0.5, 1.0, 3.0], 25)
    model = sl.Ridge(alpha, fit_intercept=intercept).fit(X, y, sample_weight=w)
    exact = least_norm(X, y, w, alpha, intercept)
    assert abs(model.coef_ - exact).max() <= 4e-16 * abs(exact).max()
    assert abs(model.predict(X) - y).max() < 1e-6 if not alpha else True


def tables():
    rng = np.random.default_rng(1)
    X = rng.integers(-40, 40, (24, 150)) / 8.0
    y = rng.integers(-40, 40, 24) / 8.0
    yield "plain", X, y
    repeated = np.vstack([X[:16], X[:8]])  # equal rows with other targets
    yield "equal rows", repeated, y
    dependent = X.copy()
    dependent[20:] = dependent[:4] + dependent[4:8] - dependent[8:12]
    yield "dependent rows", dependent, y
    flat = X.copy()
    flat[:, :30] = 7.0
    flat[:, 31] = flat[:, 30]
    yield "constant and equal columns first", flat, y
    yield "low rank", rng.integers(-3, 4, (24, 3)) @ rng.integers(-3, 4, (3, 150)) / 4.0, y
    yield "unequal scales", X * np.logspace(-6, 6, 150), y


TABLES = {name: (X, y) for name, X, y in tables()}
REGRESSORS = (
    sl.LinearRegression(),
    sl.LinearRegression(fit_intercept=False),
    sl.Ridge(0.3),
    sl.Ridge(1e-3, fit_intercept=False),
    sl.PCA(5),
    sl.PCA(),
)
CLASSIFIERS = (
    sl.LinearDiscriminantAnalysis(),
    sl.LinearDiscriminantAnalysis("lsqr", shrinkage=0.2),
    sl.LinearDiscriminantAnalysis("eigen", shrinkage=1e-9),
    sl.FisherDiscriminant(),
    sl.FisherDiscriminant(within="identity"),
    sl.LeastSquaresClassifier(),
    sl.GaussianNB(),
)


def solved_from_both(learner, statistic):
    """The model of rows that are held, and of their scatter."""
    held, squared = (type(learner)(**learner.get_params()) for _ in range(2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        held.solve(statistic)
        squared.solve(statistic.squared())
    assert statistic.holds_rows and not squared.statistic_.holds_rows
    return held, squared


@pytest.mark.parametrize("learner", REGRESSORS, ids=str)
@pytest.mark.parametrize("table", TABLES)
def test_regressions_from_rows_and_from_their_scatter(learner, table):
    X, y = TABLES[table]
    statistic = (
        Moments.of(X) if isinstance(learner, sl.PCA) else Moments.of(X, np.column_stack([y, -2.0 * y + X[:, 0]]))
    )
    held, squared = solved_from_both(learner, statistic)
    if isinstance(learner, sl.PCA):
        scale = squared.singular_values_.max()
        np.testing.assert_allclose(held.singular_values_, squared.singular_values_, atol=3e-7 * scale)
        return
    for t in range(2):
        scale = abs(squared.coef_[t]).max()
        np.testing.assert_allclose(held.coef_[t], squared.coef_[t], atol=1e-9 * scale)
    assert held.rank_ == squared.rank_
    assert held.aliased_.tolist() == squared.aliased_.tolist()


@pytest.mark.parametrize("learner", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("table", ["plain", "constant and equal columns first", "dependent rows"])
def test_classifiers_from_rows_and_from_their_scatter(learner, table):
    X = TABLES[table][0]
    held, squared = solved_from_both(learner, Pooled.of(X, np.arange(24) ** 2 % 5 % 3))
    assert_same_model(held, squared, X, 1e-7)


@pytest.mark.parametrize(
    ("learner", "weighted", "offset"),
    [
        (sl.LogisticRegression(C=0.5), True, 1e6),
        (sl.LinearRegressor("huber", alpha=2.0), False, 0.0),
    ],
    ids=str,
)
def test_regularised_risk_in_the_span_of_the_rows(learner, weighted, offset, monkeypatch):
    check_span_of_the_rows(learner, weighted, offset, monkeypatch)


def check_span_of_the_rows(learner, weighted, offset, monkeypatch):
    """The same minimum as over all columns, in as many unknowns as there are rows."""
    X, y = TABLES["constant and equal columns first"]
    X, y = X + offset, np.sign(y + 0.1) if hasattr(learner, "decision_function") else y
    weight = np.where(np.arange(24) % 5, 1.5, 0.0) if weighted else None
    inside = type(learner)(**learner.get_params()).fit(X, y, sample_weight=weight)
    monkeypatch.setattr(minimiser, "row_space", lambda *arguments: None)
    outside = type(learner)(**learner.get_params()).fit(X, y, sample_weight=weight)
    assert inside.solutions_[0].point.shape == outside.solutions_[0].point.shape
    assert inside.solutions_[0].objective == pytest.approx(outside.solutions_[0].objective, rel=1e-8)
    scale = abs(outside.coef_).max()
    np.testing.assert_allclose(inside.coef_, outside.coef_, atol=(1e-5 if offset else 1e-7) * scale)


def test_the_squared_loss_in_the_span_of_the_rows_is_ridge():
    X, y = TABLES["plain"]
    model, ridge = sl.LinearRegressor(alpha=2.0).fit(X + 1e6, y), sl.Ridge(2.0).fit(X + 1e6, y)
    np.testing.assert_allclose(model.coef_, ridge.coef_, atol=1e-9 * abs(ridge.coef_).max())
    np.testing.assert_allclose(model.predict(X + 1e6), ridge.predict(X + 1e6), rtol=1e-9)


def test_lasso_on_rows_that_are_held():
    X, y = TABLES["plain"]
    moments = Moments.of(X, y)
    for intercept in (True, False):
        held, squared = (Quadratic.of(m, L1(), 0.1, intercept) for m in (moments, moments.squared()))
        point = np.random.default_rng(3).standard_normal(held.start.shape)
        a, b = held.expand(point, 2), squared.expand(point, 2)
        assert a.value == pytest.approx(b.value) and held.noise == pytest.approx(squared.noise)
        np.testing.assert_allclose(a.gradient, b.gradient, rtol=1e-9)
        np.testing.assert_allclose(a.hessian, b.hessian, atol=1e-9)


def test_many_penalties_from_rows():
    X, y = TABLES["plain"]
    for cv in (None, 4):
        model = sl.RidgeCV((0.1, 1.0, 30.0), cv=cv, scoring="neg_mean_squared_error").fit(X, y)
        scores = []
        for alpha in (0.1, 1.0, 30.0):
            folds = np.array_split(np.arange(24), cv or 24)
            left = [np.delete(np.arange(24), fold) for fold in folds]
            errors = [
                (sl.Ridge(alpha).fit(X[a], y[a]).predict(X[b]) - y[b]) ** 2 for a, b in zip(left, folds, strict=True)
            ]
            scores.append(-np.mean([np.mean(e) for e in errors]))
        assert model.best_score_ == pytest.approx(max(scores), rel=1e-9)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alphas", [(0.1, 1.0, 30.0), (1e-9, 1e-4)], ids=["usual", "tiny"])
def test_a_path_is_that_of_single_fits_and_of_rows_left_out(alphas, intercept):
    X, y = TABLES["plain"]
    w, Y = np.resize([1.0, 2.0, 3.0], 24), np.column_stack([y, y**2])
    model = sl.RidgeCV(alphas, fit_intercept=intercept).fit(X, Y, sample_weight=w)
    errors = np.zeros((24, len(alphas)))
    for a, alpha in enumerate(alphas):
        single = sl.Ridge(alpha, fit_intercept=intercept)
        assert model.path_coef_[a] == pytest.approx(single.fit(X, Y, w).coef_, rel=1e-9, abs=1e-12)
        for i in range(24):  # one of the copies goes
            errors[i, a] = ((single.fit(X, Y, w - (np.arange(24) == i)).predict(X[[i]])[0] - Y[i]) ** 2).mean()
    assert model.best_score_ == pytest.approx(-(w @ errors / w.sum()).min(), rel=1e-6)


def test_the_scatter_is_never_formed(monkeypatch):
    """What memory may not hold is not asked for: neither to fit, nor to predict, learn on, forget or save."""
    formed = []
    monkeypatch.setattr(held_rows, "check_room", formed.append)
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((20, 400)), rng.standard_normal(20)
    labels = np.arange(20) % 2
    sl.RidgeCV(cv=4).fit(X, y)
    sl.evaluation.cross_validate(sl.Ridge(), X, y, cv=4)
    for learner in (sl.LinearRegression(), sl.Ridge(), sl.RidgeCV(), sl.PCA(3), *CLASSIFIERS[:2], *CLASSIFIERS[3:]):
        target = labels if hasattr(learner, "predict") and not hasattr(learner, "fit_intercept") else y
        target = labels if isinstance(learner, sl.LeastSquaresClassifier) else target
        model = learner.fit(X, target)
        (model.predict if hasattr(model, "predict") else model.transform)(X)
        if isinstance(learner, sl.RidgeCV):
            continue
        rest = type(learner)(**learner.get_params()).fit(X[:15], target[:15])
        assert_same_model(model.forget(X[15:], target[15:]), rest, X, 1e-9)
        assert_same_model(rest.partial_fit(X[15:], target[15:]), learner.fit(X, target), X, 1e-9)
        assert max(formed, default=0) <= held_rows.WIDE, learner


@pytest.mark.parametrize("columns", [40, 130])
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("alpha", [1e-18, 1e-28, 1e-40])
def test_a_penalty_that_drowns_in_rounding_leaves_the_solution_of_least_norm(columns, offset, alpha):
    """The limit of smaller and smaller penalties; not a solution on the first columns alone."""
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((12, columns)) * 1024) / 1024
    y, weight = X[:, 0] + rng.standard_normal(12), rng.random(12)
    for weights in (None, weight):
        mean = np.average(X, axis=0, weights=weights)
        wanted = np.linalg.pinv(X - mean) @ (y - np.average(y, weights=weights))
        found = sl.Ridge(alpha).fit(X + offset, y, weights)
        np.testing.assert_allclose(found.coef_, wanted, rtol=1e-7, atol=1e-9)


def test_evidence_of_rows_that_are_fitted_exactly_depends_on_no_history():
    """Twelve rows of 130 columns, of which parts came and went: the noise is nothing, and rounding has no say."""
    check_history(sl.BayesianRegression(), 139, steps=12, columns=130, offset=1e3)
