"""Kernel ridge against scikit-learn's, ridge regression on the columns, refits without a row, and a grid search."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.kernel_ridge import KernelRidge as Theirs
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut

from sumlearn import IllConditionedWarning, KernelRidge, KernelRidgeCV, LinearRegression, Ridge
from sumlearn.features.kernels import GaussianKernel, LaplacianKernel, LinearKernel, PolynomialKernel

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 3))
Y = np.column_stack([np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 5.0, -2.0 * X[:, 0] ** 2])
WEIGHT = np.round(4.0 * rng.random(60)) / 2.0  # 0, 0.5, ..., 2
ASKED = rng.standard_normal((20, 3))
ALPHAS, GAMMAS = [1e-4, 0.01, 0.1, 1.0], [0.01, 0.1, 1.0]


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "laplacian", "cosine", "sigmoid"])
@pytest.mark.parametrize("alpha", [0.3, [0.3, 2.0]])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.filterwarnings("ignore:the kernel is not positive", "ignore:Singular matrix")
def test_predictions_are_scikit_learns(kernel, alpha, weight):
    if kernel == "sigmoid" and alpha != 0.3:
        return  # scikit-learn gives up on a matrix that has no Cholesky factor
    ours = KernelRidge(alpha, kernel=kernel, gamma=0.2).fit(X, Y, weight)
    theirs = Theirs(alpha=alpha, kernel=kernel, gamma=0.2).fit(X, Y, weight)
    np.testing.assert_allclose(ours.predict(ASKED), theirs.predict(ASKED), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(  # sparse rows, wide enough to stay sparse
        KernelRidge(alpha, kernel=kernel, gamma=0.2).fit(wide(X), Y, weight).predict(wide(ASKED)),
        theirs.predict(ASKED),
        rtol=1e-9,
        atol=1e-10,
    )


def wide(A):
    return sparse.csr_array(np.column_stack([A, np.zeros((len(A), 600))]))


def test_a_linear_kernel_is_ridge_regression_on_the_columns():
    for alpha, other in ((0.5, Ridge(0.5)), (0.0, LinearRegression())):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IllConditionedWarning)  # without a penalty, G has rank 3
            ours = KernelRidge(alpha, fit_intercept=True).fit(X, Y + 1e6, WEIGHT)
        other.fit(X, Y + 1e6, WEIGHT)
        np.testing.assert_allclose(ours.predict(ASKED), other.predict(ASKED), rtol=1e-13)
        np.testing.assert_allclose(ours.intercept_, other.intercept_, rtol=1e-13)


def test_equations_are_solved_in_g_and_not_in_its_square():
    """Slip of note 002: G^2 b = G y. Its condition is the square, and digits would be lost twice."""
    x = np.linspace(0.0, 1.0, 12)[:, None]
    kernel = GaussianKernel(3.0)
    G = kernel(x)
    assert 1e10 < np.linalg.cond(G) < 1e14
    y = G @ np.cos(np.arange(12.0))
    found = KernelRidge(0.0, kernel=kernel).fit(x, y)
    assert np.abs(G @ found.dual_coef_ - y).max() < 1e-12
    squared = np.linalg.solve(G @ G, G @ y)
    assert np.abs(G @ squared - y).max() > 1e-9


def test_a_singular_matrix_gives_the_least_norm_and_a_warning():
    twice, y = np.tile(X, (2, 1)), np.tile(Y[:, 0], 2)
    with pytest.warns(IllConditionedWarning, match="rank 60 on 120 rows"):
        model = KernelRidge(0.0, kernel="rbf", gamma=2.0).fit(twice, y)
    np.testing.assert_allclose(model.predict(X), Y[:, 0], rtol=1e-9)
    np.testing.assert_allclose(model.dual_coef_[:60], model.dual_coef_[60:], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("alpha", [1e-6, 0.3, [0.3, 2.0]])
def test_rows_left_out_are_refits_without_them(intercept, alpha):
    """A row that weighs more than one counts as so many, of which one is left out."""
    kernel, weight = GaussianKernel(0.2), WEIGHT + 0.5

    def fitted(w):
        return KernelRidge(alpha, kernel=kernel, fit_intercept=intercept).fit(X, Y + 1e3, w)

    errors, mass = fitted(weight).left_out()
    for i in range(0, 60, 7):
        without = weight - np.minimum(weight, 1.0) * (np.arange(60) == i)
        refit = Y[i] + 1e3 - fitted(without).predict(X[[i]])[0]
        np.testing.assert_allclose(errors[i], refit, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(fitted(weight).noise_variance_, mass @ errors**2 / mass.sum())


@pytest.mark.parametrize("targets", [1, 2])
@pytest.mark.parametrize("cv", [None, 5, "shuffled"])
def test_the_choice_is_that_of_a_grid_search(cv, targets):
    y = Y[:, 0] if targets == 1 else Y
    splits = KFold(4, shuffle=True, random_state=0) if cv == "shuffled" else cv
    how = {"cv": LeaveOneOut(), "scoring": "neg_mean_squared_error"} if cv is None else {"cv": splits}
    theirs = GridSearchCV(Theirs(kernel="rbf"), {"gamma": GAMMAS, "alpha": ALPHAS}, **how).fit(X, y)
    ours = KernelRidgeCV(ALPHAS, gammas=GAMMAS, cv=splits, fit_intercept=False).fit(X, y)
    wanted = theirs.cv_results_["mean_test_score"].reshape(len(ALPHAS), len(GAMMAS)).T
    np.testing.assert_allclose(ours.scores_, wanted, rtol=1e-9)
    assert {"alpha": ours.alpha_, "gamma": ours.gamma_} == theirs.best_params_
    np.testing.assert_allclose(ours.predict(ASKED), theirs.predict(ASKED), rtol=1e-9)


@pytest.mark.parametrize("cv", [None, 4])
@pytest.mark.parametrize("scoring", ["neg_mean_absolute_error", "r2", "neg_mean_squared_error"])
def test_scores_with_weights_and_an_intercept(cv, scoring):
    """Against refits, scored by hand."""
    from sklearn.metrics import get_scorer

    weight = WEIGHT + 0.5 if cv else np.ones(60)
    model = KernelRidgeCV([0.01, 1.0], gammas=0.3, cv=cv, scoring=scoring).fit(X, Y[:, 0], weight)
    found = []
    for alpha in (0.01, 1.0):
        answers, by_fold = np.empty(60), []
        for train, test in (LeaveOneOut() if cv is None else KFold(cv)).split(X):
            refit = KernelRidge(alpha, kernel="rbf", gamma=0.3, fit_intercept=True)
            answers[test] = refit.fit(X[train], Y[train, 0], weight[train]).predict(X[test])
            if cv:
                by_fold.append(get_scorer(scoring)._score_func(Y[test, 0], answers[test], sample_weight=weight[test]))
        scores = by_fold if cv else [get_scorer(scoring)._score_func(Y[:, 0], answers)]
        found.append(get_scorer(scoring)._sign * np.mean(scores))
    np.testing.assert_allclose(model.scores_[0], found, rtol=1e-8)


def test_among_kernels_of_a_list_and_of_a_matrix():
    kernels = [LaplacianKernel(0.1), GaussianKernel("spread"), PolynomialKernel(2, 1.0) + 0.5 * LinearKernel()]
    model = KernelRidgeCV(kernel=kernels).fit(X, Y)
    assert model.kernel_ == model.kernels_[2] == kernels[2].resolved(X) and model.gamma_ is None
    K = rbf_kernel(X, gamma=0.1)
    given = KernelRidgeCV(ALPHAS, kernel="precomputed", cv=3).fit(K, Y, WEIGHT)
    named = KernelRidgeCV(ALPHAS, gammas=0.1, cv=3).fit(X, Y, WEIGHT)
    np.testing.assert_allclose(given.scores_, named.scores_, rtol=1e-9)
    np.testing.assert_allclose(given.predict(rbf_kernel(ASKED, X, gamma=0.1)), named.predict(ASKED), rtol=1e-9)


def test_a_kernel_that_comes_with_its_gamma_keeps_it():
    model = KernelRidgeCV(ALPHAS, kernel=GaussianKernel(0.4), cv=3).fit(X, Y)
    same = KernelRidgeCV(ALPHAS, gammas=0.4, cv=3).fit(X, Y)
    assert model.gamma_ == 0.4 and model.best_score_ == pytest.approx(same.best_score_, rel=1e-12)
    assert KernelRidgeCV(ALPHAS, kernel=GaussianKernel("spread"), cv=3).fit(X, Y).scores_.shape[0] == 10
