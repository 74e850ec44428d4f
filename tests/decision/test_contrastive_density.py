"""Densities by contrast: known densities are found again, they integrate to one, and beat what they start from."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity

import sumlearn as sl


def two_bells(n, rng):
    return np.where(rng.random(n) < 0.4, rng.normal(-3.0, 0.6, n), rng.normal(2.0, 1.0, n))[:, None] * 1000.0


def true(x):
    return np.log(0.4 * norm.pdf(x / 1000.0, -3.0, 0.6) + 0.6 * norm.pdf(x / 1000.0, 2.0, 1.0)) - np.log(1000.0)


def ring(n, rng):
    angle, radius = rng.uniform(0.0, 2.0 * np.pi, n), rng.normal(3.0, 0.3, n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


@pytest.mark.parametrize("make", [two_bells, ring])
@pytest.mark.parametrize(("reference", "spread"), [("gaussian", 1.0), ("box", 1.5)])
def test_known_densities_integrate_to_one_and_beat_the_reference(make, reference, spread):
    rng = np.random.default_rng(0)
    model = sl.ContrastiveDensity(reference=reference, spread=spread).fit(make(2000, rng))
    new = make(4000, rng)
    total, error = model.normalisation(200_000, random_state=0)
    assert error < 0.01 and abs(total - 1.0) < 0.02
    assert model.score(new) > model.reference_score(new) + 0.4
    if make is two_bells:
        grid = np.linspace(-8000.0, 8000.0, 4001)[:, None]
        density = np.exp(model.score_samples(grid))
        assert abs(density.sum() * 4.0 - 1.0) < 0.02  # by quadrature, too
        assert model.score(new) > true(new).mean() - 0.02
        inside = new[np.abs(new) < 5000.0][:, None]
        assert np.abs(np.exp(model.score_samples(inside)) - np.exp(true(inside[:, 0]))).max() < 0.15 * density.max()


def test_ideal_odds_give_the_density_exactly():
    """The formula with a classifier that knows the odds: normal rows, a normal reference, quadratic discriminant."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((4000, 2)) @ np.array([[1.0, 0.7], [0.0, 0.5]]) + [5.0, -3.0]
    model = sl.ContrastiveDensity(sl.QuadraticDiscriminantAnalysis(), spread=1.5, n_contrast=20_000).fit(X)
    bell = sl.OneClassGaussian().fit(X)
    assert np.abs(model.score_samples(X) - bell.score_samples(X)).mean() < 0.05
    assert model.log_ratio_ == pytest.approx(np.log(5.0))


@pytest.mark.parametrize("reference", [KernelDensity(bandwidth=0.5), GaussianMixture(2, random_state=0)])
def test_foreign_classifiers_and_references(reference):
    rng = np.random.default_rng(2)
    boosted = HistGradientBoostingClassifier(max_iter=30, learning_rate=0.05, min_samples_leaf=40, random_state=0)
    model = sl.ContrastiveDensity(boosted, reference=reference).fit(ring(1500, rng))
    new = ring(2000, rng)
    assert abs(model.normalisation(50_000, random_state=0)[0] - 1.0) < 0.05
    assert model.score(new) > model.reference_score(new)


def test_samples_are_those_of_the_density():
    rng = np.random.default_rng(3)
    model = sl.ContrastiveDensity().fit(ring(2000, rng))
    drawn = model.sample(3000, random_state=1)
    radius = np.hypot(*drawn.T)
    assert drawn.shape == (3000, 2) and abs(radius.mean() - 3.0) < 0.1 and radius.std() < 0.5
    np.testing.assert_array_equal(drawn, model.sample(3000, random_state=1))
    assert model.score(drawn) == pytest.approx(model.score(ring(3000, rng)), abs=0.2)


def test_beyond_a_box_there_is_nothing_and_models_are_saved(tmp_path):
    X = ring(300, np.random.default_rng(4))
    model = sl.ContrastiveDensity(reference="box").fit(X)
    assert model.score_samples([[100.0, 0.0]]).tolist() == [-np.inf]
    sl.save(model, tmp_path / "model.zip")
    np.testing.assert_array_equal(sl.load(tmp_path / "model.zip").score_samples(X), model.score_samples(X))


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (sl.ContrastiveDensity(sl.Ridge()), TypeError, "predict_proba"),
        (sl.ContrastiveDensity(reference="t"), ValueError, "reference must be one of 'gaussian', 'box'"),
        (sl.ContrastiveDensity(reference=sl.Ridge()), ValueError, "reference must be one of"),
        (sl.ContrastiveDensity(spread=-1.0), ValueError, "spread must be"),
        (sl.ContrastiveDensity(n_contrast=0), ValueError, "n_contrast must be"),
    ],
)
def test_what_makes_no_sense(model, error, message):
    with pytest.raises(error, match=message):
        model.fit(ring(50, np.random.default_rng(0)))


def test_columns_without_a_density():
    X = np.column_stack([ring(50, np.random.default_rng(0)), np.ones(50)])
    with pytest.raises(ValueError, match="column 2 is constant: a density needs"):
        sl.ContrastiveDensity().fit(X)
