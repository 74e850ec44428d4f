"""RidgeCV against Ridge, brute force, and scikit-learn's cross-validation."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
import sklearn.linear_model
from sklearn.base import clone
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, RepeatedKFold, ShuffleSplit, cross_val_score

from sumlearn import Ridge, RidgeCV

from tests.agreement.problems import REGRESSION, distance, regression, whole_weights

ALPHAS = np.logspace(-3, 4, 8)
SPLITTERS = {
    "plain": KFold(5),
    "shuffled": KFold(4, shuffle=True, random_state=0),
    "repeated": RepeatedKFold(n_splits=3, n_repeats=2, random_state=0),
    "random": ShuffleSplit(3, test_size=0.25, random_state=0),
    "part of the rows": ShuffleSplit(3, test_size=0.2, train_size=0.5, random_state=0),
}


def brute_force(X, y, alpha, intercept=True, weight=None):
    """y_i minus the prediction of the model that never saw row i."""
    errors = np.empty(y.shape)
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        model = sklearn.linear_model.Ridge(alpha, fit_intercept=intercept, solver="svd")
        model.fit(X[rest], y[rest], None if weight is None else weight[rest])
        errors[i] = y[i] - model.predict(X[i : i + 1])[0]
    return errors


@pytest.mark.parametrize("targets", [None, 2])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shape", REGRESSION)
def test_path_is_ridge_at_every_penalty(shape, intercept, targets):
    X, y = regression(*REGRESSION[shape], targets)
    model = RidgeCV(ALPHAS, fit_intercept=intercept, cv=3).fit(X, y)
    for k, alpha in enumerate(ALPHAS):
        ridge = Ridge(alpha, fit_intercept=intercept).fit(X, y)
        assert distance(model.path_coef_[k], ridge.coef_) < 1e-9
        expected = np.broadcast_to(ridge.intercept_, np.shape(model.path_intercept_[k]))
        assert distance(model.path_intercept_[k], expected) < 1e-9
    chosen = list(ALPHAS).index(model.alpha_)
    assert distance(model.coef_, model.path_coef_[chosen]) < 1e-9


@pytest.mark.parametrize("penalty", [0.0, 1e-12])
def test_path_of_nearly_dependent_columns(penalty):
    """Where eigenvalues drown in rounding the penalty is solved by itself."""
    X, y = regression(100, 4)
    X[:, 3] = X[:, 0] + 1e-6 * X[:, 3]
    model = RidgeCV([penalty, 1.0], cv=3).fit(X, y)
    assert distance(model.path_coef_[0], Ridge(penalty).fit(X, y).coef_) < 1e-9


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("splitter", SPLITTERS)
def test_curve_of_folds(splitter, intercept):
    """Mean squared errors of scikit-learn's cross-validation, within 1e-12 of the fold's mean square of y."""
    X, y = regression(300, 5)
    cv = SPLITTERS[splitter]
    model = RidgeCV(ALPHAS, cv=cv, fit_intercept=intercept, scoring="neg_mean_squared_error").fit(X, y)
    size = np.array([y[test].var() for _, test in cv.split(X)])
    for k, alpha in enumerate(ALPHAS):
        ridge = sklearn.linear_model.Ridge(alpha, fit_intercept=intercept, solver="svd")
        expected = -cross_val_score(ridge, X, y, cv=cv, scoring="neg_mean_squared_error")
        assert (np.abs(model.cv_results_[:, k] - expected) <= 1e-12 * np.maximum(size, expected)).all()


@pytest.mark.parametrize("scoring", [None, "r2", "neg_mean_squared_error", "neg_root_mean_squared_error"])
@pytest.mark.parametrize("targets", [None, 3])
def test_choice_and_best_score_of_folds(scoring, targets):
    X, y = regression(90, 20, targets)
    ours = RidgeCV(ALPHAS, cv=5, scoring=scoring).fit(X, y)
    means = [
        cross_val_score(sklearn.linear_model.Ridge(a, solver="svd"), X, y, cv=5, scoring=scoring).mean() for a in ALPHAS
    ]
    assert ours.alpha_ == ALPHAS[np.argmax(means)]
    assert ours.best_score_ == pytest.approx(max(means), rel=1e-10)


@pytest.mark.parametrize("scoring", ["neg_mean_absolute_error", "neg_max_error", make_scorer(mean_absolute_error)])
@pytest.mark.parametrize("cv", [None, 4])
def test_other_scores(scoring, cv):
    X, y = regression(60, 12)
    ours = RidgeCV(ALPHAS, scoring=scoring, cv=cv).fit(X, y)
    reference = sklearn.linear_model.RidgeCV(ALPHAS, scoring=scoring, cv=cv).fit(X, y)
    assert ours.alpha_ == reference.alpha_
    assert ours.best_score_ == pytest.approx(reference.best_score_, rel=1e-9)
    assert distance(ours.coef_, reference.coef_) < 1e-8


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shape", [(40, 3), (10, 25), (12, 1)])
@pytest.mark.parametrize("targets", [None, 2])
def test_leave_one_out_is_brute_force(shape, intercept, targets):
    X, y = regression(*shape, targets)
    model = RidgeCV(ALPHAS, fit_intercept=intercept, store_cv_results=True).fit(X, y)
    for k, alpha in enumerate(ALPHAS):
        expected = brute_force(X, y, alpha, intercept) ** 2
        assert distance(model.cv_results_[..., k], expected) < 1e-7
    scores = -model.cv_results_.mean(axis=tuple(range(y.ndim)))
    assert model.alpha_ == ALPHAS[scores.argmax()]
    assert model.best_score_ == pytest.approx(scores.max(), rel=1e-12)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shape", ["tall", "several chunks", "wide", "one column"])
@pytest.mark.parametrize("targets", [None, 2])
def test_leave_one_out_is_scikit_learn(shape, intercept, targets):
    X, y = regression(*REGRESSION[shape], targets)
    ours = RidgeCV(ALPHAS, fit_intercept=intercept).fit(X, y)
    reference = sklearn.linear_model.RidgeCV(ALPHAS, fit_intercept=intercept).fit(X, y)
    assert ours.alpha_ == reference.alpha_
    assert ours.best_score_ == pytest.approx(reference.best_score_, rel=1e-8)
    assert distance(ours.coef_, reference.coef_) < 1e-8


def test_stored_results_change_nothing_else():
    X, y = regression(80, 6)
    stored, plain = RidgeCV(ALPHAS, store_cv_results=True).fit(X, y), RidgeCV(ALPHAS).fit(X, y)
    assert stored.best_score_ == pytest.approx(plain.best_score_, rel=1e-12)
    assert stored.alpha_ == plain.alpha_
    assert not hasattr(plain, "cv_results_")


def test_one_penalty_per_target():
    X, y = regression(60, 15, 3)
    y[:, 1] = 50 * np.random.default_rng(0).standard_normal(60)  # noise: wants the largest penalty
    ours = RidgeCV(ALPHAS, alpha_per_target=True).fit(X, y)
    reference = sklearn.linear_model.RidgeCV(ALPHAS, alpha_per_target=True).fit(X, y)
    assert len(set(ours.alpha_)) > 1
    assert np.array_equal(ours.alpha_, reference.alpha_)
    assert distance(ours.best_score_, reference.best_score_) < 1e-9
    assert distance(ours.coef_, reference.coef_) < 1e-8
    for t in range(3):
        assert ours.alpha_[t] == RidgeCV(ALPHAS).fit(X, y[:, t]).alpha_


def test_one_penalty_per_target_with_a_score():
    X, y = regression(60, 15, 3)
    ours = RidgeCV(ALPHAS, alpha_per_target=True, scoring="neg_mean_absolute_error").fit(X, y)
    reference = sklearn.linear_model.RidgeCV(ALPHAS, alpha_per_target=True, scoring="neg_mean_absolute_error").fit(X, y)
    assert np.array_equal(ours.alpha_, reference.alpha_)
    assert distance(ours.best_score_, reference.best_score_) < 1e-9


@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error"])
def test_whole_weights_are_repetitions(scoring):
    """Leaving out one of w equal rows: the hat value of one, not of all w."""
    X, y = regression(60, 10)
    weight = whole_weights(60)
    weighted = RidgeCV(ALPHAS, scoring=scoring).fit(X, y, weight)
    repeated = RidgeCV(ALPHAS, scoring=scoring).fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert weighted.alpha_ == repeated.alpha_
    assert weighted.best_score_ == pytest.approx(repeated.best_score_, rel=1e-10)
    assert distance(weighted.coef_, repeated.coef_) < 1e-10


@pytest.mark.parametrize("scoring", [None, "neg_mean_squared_error", "neg_mean_absolute_error"])
def test_whole_weights_are_repetitions_in_folds(scoring):
    """A fold of weighted rows trains and scores like the fold of their repetitions."""
    X, y = regression(60, 10)
    weight = whole_weights(60)
    fold = np.arange(60) % 4
    parts = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(4)]
    again = fold.repeat(weight)
    parts_again = [(np.flatnonzero(again != k), np.flatnonzero(again == k)) for k in range(4)]
    weighted = RidgeCV(ALPHAS, cv=parts, scoring=scoring).fit(X, y, weight)
    repeated = RidgeCV(ALPHAS, cv=parts_again, scoring=scoring).fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert weighted.best_score_ == pytest.approx(repeated.best_score_, rel=1e-10)
    assert weighted.alpha_ == repeated.alpha_


def test_weights_of_leave_one_out_by_brute_force():
    """Weights below one leave the whole row out."""
    X, y = regression(30, 4)
    weight = np.random.default_rng(0).uniform(0.2, 1.0, 30)
    model = RidgeCV(ALPHAS, store_cv_results=True).fit(X, y, weight)
    for k, alpha in enumerate(ALPHAS):
        expected = weight * brute_force(X, y, alpha, weight=weight) ** 2
        assert distance(model.cv_results_[:, k], expected) < 1e-9


@pytest.mark.parametrize("noise", [1e-3, 1e-6, 1e-9, 0.0])
@pytest.mark.parametrize("targets", [None, 2])
def test_nearly_exact_fits_are_scored_from_the_rows(noise, targets):
    """R^2 > 1 - 1e-4: a difference of sums would leave no digits, so the rows are read once more."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 4)) + 3.0
    y = X @ rng.standard_normal((4, targets or 1)) + 100.0 + noise * rng.standard_normal((200, targets or 1))
    y = y if targets else y[:, 0]
    alphas = [1e-10, 1e-6, 1e-2]
    rounding = 2 * np.finfo(float).eps * np.abs(y).max()  # of a single residual
    model = RidgeCV(alphas, cv=5, scoring="neg_mean_squared_error").fit(X, y)
    for k, alpha in enumerate(alphas):
        ridge = sklearn.linear_model.Ridge(alpha, solver="svd")
        expected = -cross_val_score(ridge, X, y, cv=5, scoring="neg_mean_squared_error")
        allowed = (np.sqrt(expected) + rounding) ** 2 - expected + 1e-12 * expected
        assert (np.abs(model.cv_results_[:, k] - expected) <= allowed).all()


def test_groups_as_splits():
    X, y = regression(60, 4)
    splits = list(GroupKFold(3).split(X, y, np.arange(60) // 7))
    model = RidgeCV(ALPHAS, cv=splits).fit(X, y)
    expected = [
        cross_val_score(sklearn.linear_model.Ridge(a, solver="svd"), X, y, cv=splits, scoring="r2").mean()
        for a in ALPHAS
    ]
    assert model.best_score_ == pytest.approx(max(expected), rel=1e-10)


@pytest.mark.parametrize("cv", [None, 4])
def test_other_containers(cv):
    X, y = regression(80, 5)
    X[np.abs(X) < 1] = 0.0
    plain = RidgeCV(ALPHAS, cv=cv).fit(X, y)
    frame = pd.DataFrame(X, columns=list("abcde"))
    for model in (
        RidgeCV(ALPHAS, cv=cv).fit(sparse.csr_array(X), y),
        RidgeCV(ALPHAS, cv=cv).fit(frame, y),
        RidgeCV(ALPHAS, cv=cv).fit(frame.assign(y=y), "y"),
    ):
        assert model.alpha_ == plain.alpha_
        assert model.best_score_ == pytest.approx(plain.best_score_, rel=1e-12)
        assert distance(model.coef_, plain.coef_) < 1e-12
    assert model.feature_names_in_.tolist() == list("abcde")


@pytest.mark.parametrize("cv", [None, 4])
def test_float32(cv):
    X, y = (a.astype(np.float32) for a in regression(120, 5))
    ours = RidgeCV(ALPHAS, cv=cv).fit(X, y)
    wide = RidgeCV(ALPHAS, cv=cv).fit(X.astype(float), y.astype(float))
    assert ours.coef_.dtype == np.float32
    assert ours.alpha_ == wide.alpha_
    assert ours.best_score_ == pytest.approx(wide.best_score_, rel=1e-5)


def test_best_estimator_adds_up():
    X, y = regression(120, 5)
    model = RidgeCV(ALPHAS, cv=4).fit(X[:80], y[:80])
    more = clone(model.best_estimator_).fit(X[80:], y[80:])
    assert distance((model.best_estimator_ + more).coef_, Ridge(model.alpha_).fit(X, y).coef_) < 1e-12


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alphas": []}, "alphas must be"),
        ({"alphas": [1.0, -1.0]}, "alphas must be"),
        ({"alphas": [1.0, np.nan]}, "alphas must be"),
        ({"alphas": [0.0, 1.0]}, "positive"),
        ({"gcv_mode": "qr"}, "gcv_mode"),
        ({"cv": 3, "store_cv_results": True}, "incompatible"),
        ({"cv": 3, "alpha_per_target": True}, "incompatible"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        RidgeCV(**options).fit(*regression(20, 2, 2))


def test_shapes_for_a_target_of_one_column():
    X, y = regression(40, 3, 1)
    for cv in (None, 3):
        ours, reference = RidgeCV(cv=cv).fit(X, y), sklearn.linear_model.RidgeCV(cv=cv).fit(X, y)
        assert np.shape(ours.coef_) == np.shape(reference.coef_)
        assert ours.predict(X).shape == reference.predict(X).shape


def test_rows_that_train_twice():
    """A split of bootstrap rows: an index that comes twice counts twice."""
    X, y = regression(60, 4)
    splits = [(np.random.default_rng(0).integers(0, 40, 50), np.arange(40, 60))]
    ours, reference = (cls(ALPHAS, cv=splits).fit(X, y) for cls in (RidgeCV, sklearn.linear_model.RidgeCV))
    assert ours.best_score_ == pytest.approx(reference.best_score_, rel=1e-9)
    assert ours.alpha_ == reference.alpha_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning", "ignore::UserWarning")
def test_r2_of_a_single_row_is_undefined():
    """One row has no spread: a choice by such scores would mean nothing."""
    X, y = regression(20, 3)
    with pytest.raises(ValueError, match="two rows in every fold"):
        RidgeCV(ALPHAS, cv=LeaveOneOut()).fit(X, y)
