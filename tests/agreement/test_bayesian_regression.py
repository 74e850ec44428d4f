"""BayesianRegression against closed forms, dense normal densities, quadrature, an optimiser and scikit-learn."""

import mpmath
import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from sumlearn import BayesianRegression, Ridge
from sumlearn.features import Polynomial

from tests.agreement.problems import distance, regression, whole_weights

EXACT = 1e-9
precisions = st.floats(-3.0, 3.0).map(lambda t: 10.0**t)


def posterior(Phi, y, weight, mean, precision, beta):
    """Mean and covariance of the weights, by the formulas of the note."""
    S = np.linalg.inv(precision + beta * (Phi * weight[:, None]).T @ Phi)
    return S @ (precision @ mean + beta * Phi.T @ (weight * y)), S


def with_one(X):
    return np.column_stack([np.ones(len(X)), X])


def log_evidence(Phi, y, alpha, beta):
    """ln N(y | 0, I / beta + Phi diag(1 / alpha) Phi'), from the rows."""
    alpha = np.broadcast_to(alpha, Phi.shape[1])
    covariance = np.eye(len(y)) / beta + (Phi / alpha) @ Phi.T
    sign, logdet = np.linalg.slogdet(covariance)
    assert sign > 0
    return -0.5 * (y @ np.linalg.solve(covariance, y) + logdet + len(y) * np.log(2.0 * np.pi))


def centred_log_evidence(X, y, alpha, beta):
    """The same with b0 integrated out under a flat prior: n - 1 contrasts of y, and the constant of the integral."""
    n = len(y)
    contrasts = np.linalg.svd(np.ones((1, n)))[2][1:]
    return log_evidence(contrasts @ X, contrasts @ y, alpha, beta) - 0.5 * np.log(n)


# -- posterior and predictive distribution ----------------------------------------------------------------------------


@settings(max_examples=40)
@given(alpha=precisions, beta=precisions, d=st.integers(1, 5), intercept=st.booleans(), weighted=st.booleans())
def test_closed_form(alpha, beta, d, intercept, weighted):
    X, y = regression(30, d)
    weight = np.random.default_rng(1).uniform(0.2, 3.0, 30) if weighted else np.ones(30)
    model = BayesianRegression(alpha, beta, fit_intercept=intercept).fit(X, y, weight)
    mean, level = (np.average(X, axis=0, weights=weight), np.average(y, weights=weight)) if intercept else (0.0, 0.0)
    m, S = posterior(X - mean, y - level, weight, np.zeros(d), alpha * np.eye(d), beta)
    assert distance(model.coef_, m) < EXACT
    assert distance(model.sigma_, S) < EXACT
    new = regression(7, d, seed=3)[0]
    expected = level + (new - mean) @ m
    variance = 1.0 / beta + np.einsum("ni,ij,nj->n", new - mean, S, new - mean)
    variance = variance + (1.0 / (beta * weight.sum()) if intercept else 0.0)
    found, deviation = model.predict(new, return_std=True)
    assert distance(found, expected) < EXACT
    assert distance(deviation, np.sqrt(variance)) < EXACT
    noise, of_model = model.predict_variance(new)
    assert np.allclose(noise, 1.0 / beta) and distance(noise + of_model, variance) < EXACT
    assert model.gamma_ == pytest.approx(d - alpha * np.trace(S), abs=1e-7)


@settings(max_examples=20)
@given(alpha=precisions, beta=precisions)
def test_prior_on_the_intercept_as_in_the_notes(alpha, beta):
    """phi(x) = (x^0, ..., x^M), S^-1 = alpha I + beta sum phi phi', m(x) = beta phi(x)'S sum phi_n t_n."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 1.0, 15)
    t = np.sin(2.0 * np.pi * x) + 0.2 * rng.standard_normal(15)
    Phi, new = np.vander(x, 4, increasing=True), np.vander(np.linspace(-0.5, 1.5, 9), 4, increasing=True)
    S = np.linalg.inv(alpha * np.eye(4) + beta * Phi.T @ Phi)
    basis = Polynomial(3)
    model = BayesianRegression(alpha, beta, prior_on_intercept=True, basis=basis).fit(x[:, None], t)
    found, deviation = model.predict(new[:, 1:2], return_std=True)
    assert distance(found, beta * new @ S @ (Phi.T @ t)) < 1e-7
    assert distance(deviation**2, 1.0 / beta + np.einsum("ni,ij,nj->n", new, S, new)) < 1e-7
    without = BayesianRegression(alpha, beta, fit_intercept=False).fit(Phi, t)
    assert distance(np.append(model.intercept_, model.coef_), without.coef_) < 1e-7
    assert model.log_evidence_ == pytest.approx(log_evidence(Phi, t, alpha, beta), rel=1e-8)


@settings(max_examples=20)
@given(alpha=precisions, beta=precisions)
def test_the_mean_is_ridge(alpha, beta):
    X, y = regression(50, 4)
    model, ridge = BayesianRegression(alpha, beta).fit(X, y), Ridge(alpha / beta).fit(X, y)
    assert distance(model.coef_, ridge.coef_) < 1e-12
    assert model.intercept_ == pytest.approx(ridge.intercept_, rel=1e-11)
    estimated = BayesianRegression().fit(X, y)
    assert distance(estimated.coef_, Ridge(estimated.alpha_ / estimated.beta_).fit(X, y).coef_) < 1e-12


@settings(max_examples=20)
@given(beta=precisions, alpha=precisions, covers=st.booleans(), seed=st.integers(0, 99))
def test_any_gaussian_prior(alpha, beta, covers, seed):
    rng = np.random.default_rng(seed)
    X, y = regression(25, 3, seed=seed)
    size = 3 + int(covers)
    root = rng.standard_normal((size, size))
    mean, P = rng.standard_normal(size), root @ root.T + 0.1 * np.eye(size)
    model = BayesianRegression(alpha, beta, prior_mean=mean, prior_precision=P).fit(X, y)
    if not covers:  # a flat b0 is the limit of a weak one; about the mean it is exact
        mean, P = np.append(0.0, mean), np.pad(P, ((1, 0), (1, 0)))
        P[0, 0] = 0.0
    m, S = posterior(with_one(X), y, np.ones(25), mean, alpha * P, beta)
    assert distance(model.coef_, m[1:]) < 1e-6
    assert model.intercept_ == pytest.approx(m[0], rel=1e-6, abs=1e-6 * np.abs(m).max())
    assert distance(model.sigma_, S[1:, 1:]) < 1e-6
    new = regression(5, 3, seed=1)[0]
    variance = 1.0 / beta + np.einsum("ni,ij,nj->n", with_one(new), S, with_one(new))
    assert distance(model.predict(new, return_std=True)[1] ** 2, variance) < 1e-6


# -- Bayes, step by step ----------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(alpha=precisions, beta=precisions, intercept=st.booleans(), seed=st.integers(0, 999))
def test_the_posterior_is_the_next_prior(alpha, beta, intercept, seed):
    """Batch = explicit Bayes updates = `posterior_as_prior` = `partial_fit`; the evidences of the steps multiply."""
    X, y = regression(24, 2, seed=seed)
    X /= np.abs(X).max(axis=0)
    Phi = with_one(X) if intercept else X
    options = {"fit_intercept": intercept, "prior_on_intercept": intercept}
    batch = BayesianRegression(alpha, beta, **options).fit(X, y)
    m, P = np.zeros(Phi.shape[1]), alpha * np.eye(Phi.shape[1])
    step, running, total = BayesianRegression(alpha, beta, **options), BayesianRegression(alpha, beta, **options), 0.0
    for i in (slice(0, 5), slice(5, 6), slice(6, 24)):
        m, S = posterior(Phi[i], y[i], np.ones(len(y[i])), m, P, beta)
        P = np.linalg.inv(S)
        step.fit(X[i], y[i])
        total += step.log_evidence_
        assert distance(np.append(step.intercept_, step.coef_)[-len(m) :], m) < 1e-6
        step = step.posterior_as_prior()
        running.partial_fit(X[i], y[i])
    assert distance(batch.coef_, m[-2:]) < 1e-6
    assert distance(batch.sigma_, S[-2:, -2:]) < 1e-6
    assert distance(running.coef_, batch.coef_) < EXACT and distance(running.sigma_, batch.sigma_) < EXACT
    assert total == pytest.approx(batch.log_evidence_, rel=1e-6, abs=1e-6)


def test_merged_and_forgotten_rows_leave_the_whole_posterior_right():
    X, y = regression(90, 4)
    kept = BayesianRegression().fit(X[:60], y[:60])
    parts = [BayesianRegression().fit(X[i::3], y[i::3]) for i in range(3)]
    everything = BayesianRegression().fit(X, y)
    less = BayesianRegression().fit(X, y).forget(X[60:], y[60:])
    for found, wanted in ((parts[2] + parts[0] + parts[1], everything), (less, kept)):
        for name in ("coef_", "sigma_", "alpha_", "beta_", "gamma_", "log_evidence_"):
            assert distance(np.atleast_1d(getattr(found, name)), np.atleast_1d(getattr(wanted, name))) < EXACT, name


def test_weights_are_numbers_of_rows():
    X, y = regression(40, 3)
    weight = whole_weights(40)
    repeated = np.repeat(np.arange(40), weight)
    for options in ({}, {"ard": True}, {"prior_on_intercept": True}):
        one, other = BayesianRegression(**options), BayesianRegression(**options)
        one.fit(X, y, weight)
        other.fit(X[repeated], y[repeated])
        assert distance(one.predict(X, return_std=True)[1], other.predict(X, return_std=True)[1]) < EXACT
        assert one.log_evidence_ == pytest.approx(other.log_evidence_, rel=1e-10)


# -- the evidence -----------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(alpha=precisions, beta=precisions, d=st.integers(1, 6), n=st.sampled_from([2, 5, 25]))
def test_evidence_is_a_normal_density(alpha, beta, d, n):
    X, y = regression(n, d)
    plain = BayesianRegression(alpha, beta, fit_intercept=False).fit(X, y)
    covariance = np.eye(n) / beta + X @ X.T / alpha
    wanted = log_evidence(X, y, alpha, beta)
    if np.linalg.cond(covariance) < 1e6:
        assert wanted == pytest.approx(multivariate_normal(np.zeros(n), covariance).logpdf(y), rel=1e-6)
    assert plain.log_evidence_ == pytest.approx(wanted, rel=1e-7)
    with_intercept = BayesianRegression(alpha, beta).fit(X, y)
    assert with_intercept.log_evidence_ == pytest.approx(centred_log_evidence(X, y, alpha, beta), rel=1e-7)


def test_evidence_by_quadrature():
    """p(y) = integral over b and b0 of the likelihood times the prior, on a small problem."""
    x, y = np.array([0.0, 1.0, 2.0, 4.0]), np.array([0.3, 0.8, 2.1, 3.4])
    alpha, beta = 0.7, 2.0

    def joint(b0, b):
        likelihood = [norm.pdf(t, b0 + b * u, beta**-0.5) for u, t in zip(x, y, strict=True)]
        return np.prod(likelihood, axis=0) * norm.pdf(b, 0.0, alpha**-0.5)

    # the trapezoidal rule is exact to rounding for smooth functions that vanish at the ends
    b0, b = np.meshgrid(np.linspace(-12.0, 12.0, 1201), np.linspace(-6.0, 6.0, 601), indexing="ij")
    density = joint(b0, b)
    found = scipy.integrate.trapezoid(scipy.integrate.trapezoid(density, dx=0.02), dx=0.02)
    mean = scipy.integrate.trapezoid(scipy.integrate.trapezoid(b * density, dx=0.02), dx=0.02) / found
    model = BayesianRegression(alpha, beta).fit(x[:, None], y)
    assert model.log_evidence_ == pytest.approx(np.log(found), abs=1e-9)
    assert model.coef_[0] == pytest.approx(mean, rel=1e-9)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(("alpha", "beta"), [("evidence", "evidence"), ("evidence", 1.3), (0.2, "evidence")])
def test_estimated_precisions_are_the_maximum(alpha, beta, intercept):
    """Against a general optimiser on the density of y, from the rows."""
    density = centred_log_evidence if intercept else log_evidence
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((30, 4)) * [1.0, 3.0, 0.5, 1.0]
        y = X @ [1.0, -0.3, 2.0, 0.0] + rng.standard_normal(30) + 2.0

        def value(t, X=X, y=y):
            t = iter(t)
            return -density(
                X,
                y,
                np.exp(next(t)) if alpha == "evidence" else alpha,
                np.exp(next(t)) if beta == "evidence" else beta,
            )

        model = BayesianRegression(alpha, beta, fit_intercept=intercept).fit(X, y)
        assert np.isfinite(model.alpha_)
        estimated = [p for p, given in ((model.alpha_, alpha), (model.beta_, beta)) if given == "evidence"]
        start = np.log(estimated) + 0.7
        found = scipy.optimize.minimize(value, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
        assert np.allclose(np.log(estimated), found.x, atol=1e-5)
        assert model.log_evidence_ == pytest.approx(-found.fun, rel=1e-9)
        assert model.log_evidence_ >= -found.fun - 1e-9


@settings(max_examples=30)
@given(n=st.integers(3, 12), d=st.integers(1, 6), noise=st.sampled_from([0.01, 1.0, 30.0]), seed=st.integers(0, 999))
def test_no_other_ratio_has_a_larger_evidence(n, d, noise, seed):
    """The highest of all local maxima, also with few rows, and where no slope at all is best."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-2.0, 2.0, d)
    y = X @ rng.standard_normal(d) + noise * rng.standard_normal(n)
    model = BayesianRegression(fit_intercept=False).fit(X, y)
    values, vectors = np.linalg.eigh(X @ X.T)
    z = vectors.T @ y
    best = -np.inf
    for ratio in np.logspace(-12, 12, 481) * values.max():
        spread = 1.0 + np.maximum(values, 0.0) / ratio  # variance of z in units of the noise
        beta = n / (z**2 / spread).sum()
        best = max(best, 0.5 * (n * np.log(beta / (2 * np.pi)) - n - np.log(spread).sum()))
    assert model.log_evidence_ >= best - 1e-6 * abs(best)


# -- scikit-learn -----------------------------------------------------------------------------------------------------

FLAT = dict.fromkeys(("alpha_1", "alpha_2", "lambda_1", "lambda_2"), 0.0) | {"max_iter": 20_000, "tol": 1e-14}


@pytest.mark.parametrize(("n", "d"), [(200, 6), (40, 3), (25, 20)])
def test_agrees_with_bayesian_ridge(n, d):
    """Without an intercept; with one scikit-learn counts n rows about their mean where n - 1 are free."""
    X, y = regression(n, d)
    X /= X.std(axis=0)
    ours = BayesianRegression(fit_intercept=False).fit(X, y)
    rival = sklearn.linear_model.BayesianRidge(**FLAT, fit_intercept=False, compute_score=True).fit(X, y)
    assert ours.alpha_ == pytest.approx(rival.lambda_, rel=1e-6)
    assert ours.beta_ == pytest.approx(rival.alpha_, rel=1e-6)
    assert distance(ours.coef_, rival.coef_) < 1e-7
    assert distance(ours.sigma_, rival.sigma_) < 1e-6
    assert ours.log_evidence_ == pytest.approx(rival.scores_[-1], rel=1e-9)
    found, wanted = ours.predict(X, return_std=True), rival.predict(X, return_std=True)
    assert distance(found[0], wanted[0]) < 1e-7 and distance(found[1], wanted[1]) < 1e-6
    with_intercept = sklearn.linear_model.BayesianRidge(**FLAT).fit(X, y)
    assert distance(BayesianRegression().fit(X, y).predict(X), with_intercept.predict(X)) < 0.01


def sparse_problem(seed, n=100, d=12):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) @ (np.eye(d) + 0.3 * rng.standard_normal((d, d)))
    return X, X[:, :3] @ [2.0, -1.0, 3.0] + 0.5 * rng.standard_normal(n)


@pytest.mark.parametrize("seed", range(4))
def test_relevance_agrees_with_ard_regression(seed):
    X, y = sparse_problem(seed)
    ours = BayesianRegression(ard=True, fit_intercept=False).fit(X, y)
    rival = sklearn.linear_model.ARDRegression(**FLAT | {"max_iter": 2000}, fit_intercept=False).fit(X, y)
    of_rival = log_evidence(X, y, np.minimum(rival.lambda_, 1e12), rival.alpha_)
    assert ours.log_evidence_ >= of_rival - 1e-3
    assert ours.log_evidence_ == pytest.approx(log_evidence(X, y, np.minimum(ours.alpha_, 1e14), ours.beta_), rel=1e-8)
    assert distance(ours.coef_[:3], rival.coef_[:3]) < 0.05
    assert (np.isinf(ours.alpha_) == (ours.coef_ == 0)).all() and np.isinf(ours.alpha_).sum() >= 3


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_relevance_is_a_maximum_in_every_direction(seed, intercept):
    X, y = sparse_problem(seed, 60, 8)
    density = centred_log_evidence if intercept else log_evidence
    model = BayesianRegression(ard=True, fit_intercept=intercept).fit(X, y)
    alpha = np.minimum(model.alpha_, 1e10)
    here = density(X, y, alpha, model.beta_)
    assert model.log_evidence_ == pytest.approx(here, rel=1e-8)
    for factor in (0.5, 0.99, 1.01, 2.0):
        assert density(X, y, alpha, model.beta_ * factor) < here + 1e-9
        for j in range(8):
            other = alpha.copy()
            other[j] *= factor if np.isfinite(model.alpha_[j]) else 1e-8 * factor
            assert density(X, y, other, model.beta_) < here + 1e-6
    inside = np.isfinite(model.alpha_)
    active = X[:, inside] - (X[:, inside].mean(axis=0) if intercept else 0.0)
    S = np.linalg.inv(np.diag(model.alpha_[inside]) + model.beta_ * active.T @ active)
    gamma = 1.0 - model.alpha_[inside] * S.diagonal()
    assert np.allclose(gamma, model.alpha_[inside] * model.coef_[inside] ** 2, rtol=1e-7)  # MacKay's condition
    assert model.gamma_ == pytest.approx(gamma.sum(), rel=1e-9)


def test_relevance_with_known_noise():
    X, y = sparse_problem(1)
    model = BayesianRegression(beta=4.0, ard=True).fit(X, y)
    assert model.beta_ == 4.0
    alpha = np.minimum(model.alpha_, 1e10)
    here = centred_log_evidence(X, y, alpha, 4.0)
    for j in np.flatnonzero(np.isfinite(model.alpha_)):
        for factor in (0.9, 1.1):
            other = alpha.copy()
            other[j] *= factor
            assert centred_log_evidence(X, y, other, 4.0) < here


@mpmath.workdps(60)
def evidence_of_line(A, y):
    """ln p(y) as a function of ln(alpha / beta), in 60 digits: b0 flat, beta the best, constants left out."""
    n = len(y)
    A, y, one = mpmath.matrix(A.tolist()), mpmath.matrix(y.tolist()), mpmath.ones(len(y), 1)
    A, y = A - one * (one.T * A) / n, y - one * (one.T * y) / n
    gram, cross, squares = A.T * A, A.T * y, (y.T * y)[0]

    @mpmath.workdps(60)
    def evidence(t):
        ratio = mpmath.exp(t)
        M = gram + ratio * mpmath.eye(len(cross))
        error = squares - (cross.T * mpmath.lu_solve(M, cross))[0]
        return float(-((n - 1) * mpmath.log(error) + mpmath.log(mpmath.det(M) / ratio ** len(cross))) / 2)

    return evidence


@pytest.mark.parametrize("scale", [1e-10, 1e-8, 1e-4, 1e8])
@pytest.mark.parametrize("hidden", [False, True])
def test_columns_of_very_different_size(scale, hidden):
    """The evidence is the largest also where directions differ by more than the digits of an eigenvalue in double."""
    generator = np.random.default_rng(5)
    X = generator.standard_normal((24, 3))
    y = (5.0 * X[:, 0] if hidden else X @ [1.0, 2.0, 3.0]) + 0.3 * generator.standard_normal(24)
    A = X * [scale, 1.0, 1.0]
    model = BayesianRegression().fit(A, y)
    evidence = evidence_of_line(A, y)
    assert evidence(np.log(model.alpha_ / model.beta_)) >= max(map(evidence, np.arange(-60.0, 60.0, 2.0))) - 1e-9
    centred = A - A.mean(axis=0)
    S = np.linalg.inv(model.alpha_ * np.eye(3) + model.beta_ * centred.T @ centred)
    assert model.sigma_.diagonal() == pytest.approx(S.diagonal(), rel=1e-5)
