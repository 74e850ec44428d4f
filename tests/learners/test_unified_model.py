"""The unified model: its own least squares, and five other regressions as cases of it, to 1e-10."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.mixture import GaussianMixture

import sumlearn
from sumlearn import LinearRegression, LocalRegression, Ridge, UnifiedModel
from sumlearn.features import RadialBasis, gaussian_weights

CENTRES = np.array([[0.0, 0.0], [1.0, -1.0], [-1.0, 1.5], [0.5, 2.0]])


def problem(rows=250, columns=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    return X, np.sin(2 * X[:, 0]) + X[:, -1] ** 2 + 0.1 * rng.standard_normal(rows)


def design(X, centres, widths, normalise):
    """Phi_e and Phi_e x_j side by side, in plain coordinates."""
    phi = np.exp(-0.5 * (((X[:, None] - centres) / widths) ** 2).sum(axis=2))
    phi = phi / phi.sum(axis=1, keepdims=True) if normalise else phi
    return np.concatenate([phi, *(phi * X[:, [j]] for j in range(X.shape[1]))], axis=1)


@pytest.mark.parametrize("normalise", [True, False])
@pytest.mark.parametrize("width", [0.9, np.linspace(0.6, 1.4, 8).reshape(4, 2)])
def test_all_lines_by_one_least_squares(normalise, width):
    X, y = problem()
    weight = np.random.default_rng(1).uniform(0.3, 2.0, len(X))
    model = UnifiedModel(CENTRES, width, normalise=normalise).fit(X, y, sample_weight=weight)
    widths = np.broadcast_to(width, (4, 2))
    root = np.sqrt(weight)
    best = np.linalg.lstsq(design(X, CENTRES, widths, normalise) * root[:, None], y * root, rcond=None)[0]
    Q = X[:60] * 0.9
    np.testing.assert_allclose(model.predict(Q), design(Q, CENTRES, widths, normalise) @ best, rtol=0, atol=1e-10)
    np.testing.assert_allclose(model.intercepts_, best[:4], atol=1e-9)
    np.testing.assert_allclose(model.slopes_, best[4:].reshape(2, 4).T, atol=1e-9)
    residuals = y - model.predict(X)
    np.testing.assert_allclose(model.noise_variance_, np.average(residuals**2, weights=weight), rtol=1e-9)


def test_the_penalty_is_on_lines_in_units_of_the_width():
    X, y = problem()
    model = UnifiedModel(CENTRES, 0.5, alpha=0.7).fit(X, y)
    phi = np.exp(-0.5 * (((X[:, None] - CENTRES) / 0.5) ** 2).sum(axis=2))
    phi /= phi.sum(axis=1, keepdims=True)
    psi = np.concatenate([phi, *(phi * (X[:, [j]] - CENTRES[:, j]) / 0.5 for j in (0, 1))], axis=1)
    best = np.linalg.solve(psi.T @ psi + 0.7 * np.eye(12), psi.T @ y)
    np.testing.assert_allclose(model.predict(X), psi @ best, atol=1e-10)
    free = UnifiedModel(CENTRES, 0.5).fit(X, y).predict(X)
    np.testing.assert_allclose(model.set_params(alpha=0.0).predict(X), free, atol=1e-12)
    for alpha in (-1.0, np.inf, "much"):
        with pytest.raises(ValueError, match="alpha must be finite and not negative"):
            UnifiedModel(CENTRES, 0.5, alpha=alpha).fit(X, y)


def test_lines_found_together_fit_better_than_lines_found_apart():
    X, y = problem()
    errors = [((kind(6).fit(X, y).predict(X) - y) ** 2).mean() for kind in (UnifiedModel, LocalRegression)]
    assert errors[0] < errors[1] < y.var()


# -- the cases --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("targets", [1, 2])
@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_linear_regression_is_one_line_without_bounds(targets, offset):
    X, y = problem()
    Y = y if targets == 1 else np.column_stack([y, X[:, 0]])
    for model in (LinearRegression(), Ridge(3.0), LinearRegression(fit_intercept=False)):
        model.fit(X + offset, Y)
        unified = UnifiedModel.from_linear_model(model)
        # at the offset without an intercept, x'b itself is rounded
        bound = 1e-10 if model.get_params()["fit_intercept"] else 1e-10 + 1e-15 * offset
        np.testing.assert_allclose(unified.predict(X + offset), model.predict(X + offset), rtol=0, atol=bound)


def test_weighted_least_squares_is_one_normalised_line():
    X, y = problem()
    centre, width = np.array([0.3, -0.2]), 0.8
    weight = np.exp(-0.5 * (((X - centre) / width) ** 2).sum(axis=1))
    line = LinearRegression().fit(X, y, sample_weight=weight)
    lwr = LocalRegression([centre], width).fit(X, y)
    for unified in (UnifiedModel.from_local_regression(lwr), UnifiedModel.from_linear_model(line)):
        np.testing.assert_allclose(unified.predict(X), line.predict(X), rtol=0, atol=1e-10)
    one = UnifiedModel([centre], width).fit(X, y)  # normalised, one line needs no weights: plain least squares
    np.testing.assert_allclose(one.predict(X), LinearRegression().fit(X, y).predict(X), atol=1e-10)


@pytest.mark.parametrize("intercept", [True, False])
def test_a_network_of_radial_bumps_has_flat_lines(intercept):
    X, y = problem()
    Y = np.column_stack([y, 2 - y])
    for target in (y, Y):
        network = LinearRegression(basis=RadialBasis(CENTRES, 0.9), fit_intercept=intercept).fit(X, target)
        unified = UnifiedModel.from_radial_basis(network)
        np.testing.assert_allclose(unified.predict(X), network.predict(X), rtol=0, atol=1e-10)
        assert (unified.given_.slopes == 0).all()
    phi = np.exp(-0.5 * (((X[:, None] - CENTRES) / 0.9) ** 2).sum(axis=2))  # and against least squares of our own
    phi = np.column_stack([phi, np.ones(len(X))]) if intercept else phi
    best = np.linalg.lstsq(phi, Y, rcond=None)[0]
    np.testing.assert_allclose(unified.predict(X), phi @ best, rtol=0, atol=1e-10)


def test_a_network_of_radial_bumps_is_local_regression_with_flat_lines():
    """E = M, a = 0, b_e = w_e: the RBF network is the sum of constants under Gaussians."""
    X, y = problem()
    network = Ridge(0.1, basis=RadialBasis(CENTRES, [0.5, 0.9, 1.2, 2.0])).fit(X, y)
    lines = UnifiedModel.from_radial_basis(network).given_
    assert np.array_equal(lines.levels[:4, 0], network.coef_)
    assert lines.levels[4, 0] == pytest.approx(network.intercept_) and (lines.whitening[4] == 0).all()
    assert not lines.normalised


def test_the_network_of_the_library_is_a_case():
    X, y = problem()
    network = sumlearn.RBFNetwork(6).fit(X, y)
    unified = UnifiedModel.from_radial_basis(network)
    np.testing.assert_allclose(unified.predict(X), network.predict(X), rtol=0, atol=1e-10)


@pytest.mark.parametrize("normalise", [True, False])
def test_local_regression_is_the_same_form(normalise):
    X, y = problem()
    lwr = LocalRegression(5, normalise=normalise).fit(X, y)
    unified = UnifiedModel.from_local_regression(lwr)
    assert unified.normalise is normalise
    np.testing.assert_allclose(unified.predict(X), lwr.predict(X), rtol=0, atol=1e-10)


def conditional_mean(mixture, X, full):
    """E[y | x] from densities of SciPy."""
    d = X.shape[1]
    shares, means = [], []
    for p, m, S in zip(mixture.weights_, mixture.means_, full, strict=True):
        shares.append(p * multivariate_normal(m[:d], S[:d, :d]).pdf(X))
        means.append(m[d:] + (X - m[:d]) @ np.linalg.solve(S[:d, :d], S[:d, d:]))
    shares = np.array(shares) / np.sum(shares, axis=0)
    return np.einsum("en,ent->nt", shares, np.array(means))


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
@pytest.mark.parametrize("targets", [1, 2])
def test_gaussian_mixture_regression(kind, targets):
    X, y = problem(400, 3)
    Z = np.column_stack([X, y, X[:, 0] * y])[:, : 3 + targets]
    mixture = GaussianMixture(3, covariance_type=kind, random_state=0).fit(Z)
    columns = 3 + targets
    full = {
        "full": lambda C: C,
        "tied": lambda C: [C] * 3,
        "diag": lambda C: [np.diag(row) for row in C],
        "spherical": lambda C: [v * np.eye(columns) for v in C],
    }[kind](mixture.covariances_)
    unified = UnifiedModel.from_gaussian_mixture(mixture, targets)
    wanted = conditional_mean(mixture, X, full)
    np.testing.assert_allclose(unified.predict(X), wanted[:, 0] if targets == 1 else wanted, rtol=0, atol=1e-10)
    assert np.isfinite(unified.predict(1e6 * X)).all()


def test_one_gaussian_is_linear_regression():
    X, y = problem()
    mixture = GaussianMixture(1, reg_covar=0.0).fit(np.column_stack([X, y]))
    np.testing.assert_allclose(
        UnifiedModel.from_gaussian_mixture(mixture).predict(X), LinearRegression().fit(X, y).predict(X), atol=1e-9
    )


def test_draws_follow_the_mixture():
    """Two branches at x = 0: the mean is between them, where nothing is ever seen."""
    mixture = GaussianMixture(2)
    mixture.weights_, mixture.means_ = np.array([0.25, 0.75]), np.array([[0.0, -5.0], [0.0, 5.0]])
    mixture.covariances_, mixture.precisions_cholesky_ = np.array([np.diag([1.0, 0.04]), np.diag([1.0, 0.25])]), None
    unified = UnifiedModel.from_gaussian_mixture(mixture)
    assert unified.predict([[0.3]])[0] == pytest.approx(2.5, abs=1e-12)
    draws = unified.sample(np.zeros((20_000, 1)), random_state=0)
    up = draws > 0
    assert up.mean() == pytest.approx(0.75, abs=0.015)
    assert draws[up].std() == pytest.approx(0.5, rel=0.05) and draws[~up].std() == pytest.approx(0.2, rel=0.05)
    assert draws[up].mean() == pytest.approx(5.0, abs=0.03)


def test_draws_of_the_joint_fit_have_its_noise():
    X, y = problem()
    model = UnifiedModel(4).fit(X, y)
    draws = np.stack([model.sample(X, seed) for seed in range(50)]) - model.predict(X)
    assert draws.var() == pytest.approx(model.noise_variance_[0], rel=0.05)


# -- what a model made of another can and cannot ---------------------------------------------------------------------


def test_a_model_made_of_another_has_no_sums():
    pandas = pytest.importorskip("pandas")
    X, y = problem()
    frame = pandas.DataFrame(X, columns=["a", "b"])
    made = UnifiedModel.from_linear_model(LinearRegression().fit(frame, y))
    with pytest.raises(ValueError, match="feature names should match"):
        made.predict(frame[["b", "a"]])
    assert list(sumlearn.abilities(made)) == [] and not hasattr(made, "forget")
    for combine in (made.__add__, made.__sub__):
        assert combine(made) is NotImplemented
    with pytest.raises(ValueError, match="models of which only one has sums"):
        UnifiedModel(normalise=False).fit(X, y) + made
    assert not hasattr(clone(made), "given_")
    again = clone(made).set_params(centres=CENTRES).fit(X, y)
    made.set_params(centres=CENTRES).fit(X, y)
    assert not hasattr(made, "given_") and np.array_equal(made.predict(X), again.predict(X))


def test_models_that_are_no_case():
    X, y = problem()
    with pytest.raises(NotFittedError):
        UnifiedModel.from_linear_model(LinearRegression())
    with pytest.raises(NotFittedError):
        UnifiedModel().predict(X)
    with pytest.raises(ValueError, match="use from_radial_basis"):
        UnifiedModel.from_linear_model(LinearRegression(basis=RadialBasis(CENTRES, 1.0)).fit(X, y))
    with pytest.raises(ValueError, match="no RadialBasis"):
        UnifiedModel.from_radial_basis(LinearRegression().fit(X, y))
    mixture = GaussianMixture(2).fit(np.column_stack([X, y]))
    for targets in (0, 3):
        with pytest.raises(ValueError, match="targets must be at least 1 and leave an input"):
            UnifiedModel.from_gaussian_mixture(mixture, targets)
    mixture.covariance_type = "odd"
    with pytest.raises(ValueError, match="covariance_type must be"):
        UnifiedModel.from_gaussian_mixture(mixture)
    model = UnifiedModel(CENTRES).fit(X, y).set_params(normalise=False)
    with pytest.raises(ValueError, match="fit anew"):
        model.predict(X)


def test_full_covariances_against_least_squares():
    """All lines together, each under a Gaussian that leans; a common basis by hand."""
    rng = np.random.default_rng(0)
    X, centres = rng.uniform(-1, 1, (80, 2)), np.array([[-0.5, 0.0], [0.5, 0.3]])
    y = np.sin(3 * X[:, 0]) + X[:, 1] ** 2
    S = np.array([[[0.5, 0.2], [0.2, 0.4]], [[0.3, -0.1], [-0.1, 0.6]]])
    for normalise in (True, False):
        model = UnifiedModel(centres, S, normalise=normalise).fit(X, y)
        phi = np.stack([gaussian_weights(X, mu, sigma) for mu, sigma in zip(centres, S, strict=True)], axis=1)
        phi = phi / phi.sum(axis=1, keepdims=True) if normalise else phi
        A = np.column_stack([phi[:, e, None] * np.column_stack([np.ones(80), X]) for e in range(2)])
        w = np.linalg.lstsq(A, y, rcond=None)[0]
        assert model.predict(X) == pytest.approx(A @ w, rel=1e-8, abs=1e-10)
        assert model.slopes_ == pytest.approx(w.reshape(2, 3)[:, 1:], rel=1e-6)
