"""RBF networks against ridge regression on the bumps written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge as RivalRidge
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline

from sumlearn import RBFNetwork, RBFNetworkClassifier, Ridge, UnifiedModel, cross_validate
from sumlearn.features import RadialBasis
from sumlearn.testing import check_learner

from tests.agreement.problems import classes, distance, regression

BOTH = (RBFNetwork, RBFNetworkClassifier)
alphas = st.floats(-3.0, 2.0).map(lambda t: 10.0**t)


def problem(kind, n=90):
    return regression(n, 2) if kind is RBFNetwork else classes(n, 2, 3)


def output(model, X):
    return model.predict(X) if isinstance(model, RBFNetwork) else model.decision_function(X)


@settings(max_examples=25)
@given(M=st.integers(2, 15), alpha=alphas, width=st.floats(0.5, 8.0), seed=st.integers(0, 99))
def test_weights_by_ridge_around_given_centres(M, alpha, width, seed):
    """t(x) = sum_j w_j exp(-|x - mu_j|^2 / (2 s^2)) with w = (Phi'Phi + alpha I)^-1 Phi't, about the means."""
    X, y = regression(60, 2, seed=seed)
    centres = X[:M] + 0.1
    Phi = rbf_kernel(X, centres, gamma=1.0 / (2.0 * width**2))
    rival = RivalRidge(alpha, solver="svd").fit(Phi, y)
    model = RBFNetwork(centres, width=width, alpha=alpha).fit(X, y)
    assert distance(model.predict(X), rival.predict(Phi)) < 1e-7
    assert np.array_equal(model.centres_, centres) and (model.widths_ == width).all()
    Xc, labels = classes(60, 2, 3, seed=seed)
    Phi = rbf_kernel(Xc, centres, gamma=1.0 / (2.0 * width**2))
    rival = RidgeClassifier(alpha, solver="svd").fit(Phi, labels)
    found = RBFNetworkClassifier(centres, width=width, alpha=alpha).fit(Xc, labels)
    assert distance(found.decision_function(Xc), rival.decision_function(Phi)) < 1e-7


def test_a_centre_on_every_row_interpolates():
    X, y = regression(12, 2)
    X /= X.std(axis=0)
    model = RBFNetwork(X, width=1.0, alpha=0.0).fit(X, y)
    assert distance(model.predict(X), y) < 1e-9


@pytest.mark.parametrize("placing", ["kmeans", "random", "spread", "quantile", "grid"])
@pytest.mark.parametrize("kind", BOTH)
def test_placing_is_that_of_the_basis(kind, placing):
    X, y = problem(kind)
    count = 3 if placing in ("quantile", "grid") else 9
    model = kind(count, placing=placing, random_state=5).fit(X, y)
    basis = RadialBasis(count, placing=placing, random_state=5).fit(X)
    assert np.array_equal(model.centres_, basis.centres_) and np.array_equal(model.widths_, basis.widths_)
    assert model.coef_.shape[-1] == 9
    if kind is RBFNetwork:
        assert distance(model.predict(X), Ridge(1e-3, basis=basis).fit(X, y).predict(X)) < 1e-9


@settings(max_examples=6)
@given(alpha=alphas, width=st.floats(1.0, 9.0), regressor=st.booleans())
def test_they_add_up_around_given_centres(alpha, width, regressor):
    kind = BOTH[0] if regressor else BOTH[1]
    X, y = problem(kind, 72)
    check_learner(kind(X[:6], width=width, alpha=alpha), X, y, tolerance=1e-7)


@pytest.mark.parametrize("kind", BOTH)
def test_centres_of_the_first_fit_stay(kind):
    X, y = problem(kind)
    model = kind(8).fit(X[:50], y[:50])
    centres, widths = model.centres_, model.widths_
    model.partial_fit(X[50:], y[50:])
    assert np.array_equal(model.centres_, centres)
    assert distance(output(model, X), output(kind(centres, width=widths).fit(X, y), X)) < 1e-8
    less = model.forget(X[:20], y[:20])
    assert distance(output(less, X), output(kind(centres, width=widths).fit(X[20:], y[20:]), X)) < 1e-7
    with pytest.raises(ValueError, match="differ in their basis, centres_, widths_.* the same centres .* and width"):
        kind(8).fit(X[:50], y[:50]) + kind(8).fit(X[50:], y[50:])
    first = kind(8).fit(X[:50], y[:50])
    like = {"centres": first.centres_, "width": first.widths_}
    second, whole = kind(**like).fit(X[50:], y[50:]), kind(**like).fit(X, y)
    for both in (first + second, second + first):
        found, wanted = (m.predict(X) if kind is BOTH[0] else m.decision_function(X) for m in (both, whole))
        assert distance(found, wanted) < 1e-8
    with pytest.raises(ValueError, match="the sums are those of RadialBasis"):
        output(model.set_params(centres=7), X)
    with pytest.raises(AttributeError, match="centres_"):
        _ = kind().centres_


def test_centres_are_placed_inside_the_folds():
    X, y = regression(120, 2)
    found = cross_validate(RBFNetwork(6, width=3.0), X, y, cv=4)["test_score"]
    basis = RadialBasis(6, 3.0, placing="kmeans", random_state=0)
    chain = make_pipeline(basis, RivalRidge(1e-3, solver="svd"))
    assert np.allclose(found, cross_validate(chain, X, y, cv=4)["test_score"], rtol=1e-7)


def test_is_the_unified_model_without_slopes():
    """t(x) = sum_e Phi_e(x) (a_e'x + b_e) with a_e = 0 and b_e = w_e."""
    X, y = regression(60, 2)
    network = RBFNetwork(8, width=3.0).fit(X, y)
    unified = UnifiedModel.from_radial_basis(network)
    assert distance(unified.predict(X), network.predict(X)) < 1e-12
    bumps = np.exp(-((X[:, None] - network.centres_) ** 2).sum(axis=2) / (2.0 * 3.0**2))
    assert distance(bumps @ network.coef_ + network.intercept_, network.predict(X)) < 1e-12


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("rows", [1, 2, 5])
def test_fewer_rows_than_centres(kind, rows):
    X, y = problem(kind)
    model = kind(20).fit(X[:rows], y[:rows])
    assert len(model.centres_) == rows
    assert np.isfinite(output(model, X)).all()
    if rows == 1:
        assert (model.predict(X) == y[0]).all()


def test_it_learns_the_curve_of_the_note():
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 1.0, (200, 1))
    t = np.sin(2.0 * np.pi * x[:, 0]) + 0.2 * rng.standard_normal(200)
    new = np.linspace(0.05, 0.95, 91)[:, None]
    for placing in ("kmeans", "random", "spread", "grid"):
        model = RBFNetwork(10, placing=placing).fit(x, t)
        assert np.sqrt(((model.predict(new) - np.sin(2.0 * np.pi * new[:, 0])) ** 2).mean()) < 0.09
    ring = rng.uniform(-1.0, 1.0, (500, 2))
    inside = (ring**2).sum(axis=1) < 0.5
    assert RBFNetworkClassifier().fit(ring, inside).score(ring, inside) > 0.95


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"centres": 0}, "centres must be a whole number of at least 1"),
        ({"centres": [[1.0]]}, r"centres must have shape \(M, 2\)"),
        ({"width": 0.0}, "width must be positive"),
        ({"placing": "somewhere"}, "placing must be one of"),
        ({"alpha": -1.0}, "alpha must be finite and not negative"),
        ({"neighbours": 0}, "neighbours must be a whole number"),
    ],
)
@pytest.mark.parametrize("kind", BOTH)
def test_bad_parameters(kind, options, message):
    X, y = problem(kind)
    with pytest.raises(ValueError, match=message):
        kind(**options).fit(X, y)


@pytest.mark.parametrize("network", [RBFNetwork, RBFNetworkClassifier], ids=lambda kind: kind.__name__)
def test_without_an_intercept(network):
    """The note's network: sum_m w_m phi_m(x), nothing more."""
    X, y = problem(network)
    centres = X[:7]
    phi = rbf_kernel(X, centres, gamma=0.5 / 9.0)
    model = network(centres, width=3.0, alpha=0.01, fit_intercept=False).fit(X, y)
    rival = (RivalRidge if network is RBFNetwork else RidgeClassifier)(0.01, fit_intercept=False).fit(phi, y)
    assert distance(model.coef_, rival.coef_) < 1e-8
    assert np.all(np.asarray(model.intercept_) == 0.0)
    halves = [network(centres, width=3.0, alpha=0.01, fit_intercept=False).fit(X[i::2], y[i::2]) for i in (0, 1)]
    assert distance(sum(halves).coef_, model.coef_) < 1e-9
    if network is RBFNetwork:
        assert UnifiedModel.from_radial_basis(model).predict(X) == pytest.approx(model.predict(X), rel=1e-9)
