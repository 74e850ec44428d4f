"""What intervals and tests say about other draws of the rows, and draws from the model itself."""

import numpy as np
import pytest
from scipy.stats import t as student

from sumlearn import LinearRegression, LogisticRegression, Ridge

from tests.agreement.problems import regression
from tests.learners.inference_problems import overlapping


def inside(limits, truth):
    return (limits[..., 0] <= truth) & (truth <= limits[..., 1])


def test_coverage_of_intervals():
    """Over 2,000 draws of the noise, 95 % intervals hold the truth in 93 to 97 % of them."""
    rng = np.random.default_rng(0)
    X, b = rng.standard_normal((15, 2)), np.array([1.0, 2.0, -0.5])
    new = np.array([[0.5, -1.0]])
    f, hits, means, targets, false = b[0] + new @ b[1:], [], [], [], []
    for _ in range(20):
        noise = rng.standard_normal((15, 100))
        model = LinearRegression().fit(X, (b[0] + X @ b[1:])[:, None] + noise)  # a target for each draw
        hits.append(inside(model.confidence_interval(), b))
        means.append(inside(model.predict_interval(new), f))
        targets.append(inside(model.predict_interval(new, kind="new"), f + rng.standard_normal(100)))
        false.append(LinearRegression().fit(X, noise).p_values_ < 0.05)
    share = np.concatenate(hits).mean(axis=0)
    assert ((share > 0.93) & (share < 0.97)).all()
    assert 0.93 < np.mean(means) < 0.97
    assert 0.93 < np.mean(targets) < 0.97
    assert 0.03 < np.mean(false) < 0.07


def test_coverage_of_robust_intervals():
    """Noise that grows with x: the plain standard error is too small, HC3 is not."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 1))
    plain, robust = [], []
    for _ in range(20):
        Y = 2.0 * X + (0.3 + X**2) * rng.standard_normal((60, 100))
        model = LinearRegression().fit(X, Y)
        away = np.abs(model.coef_[:, 0] - 2.0) / student.isf(0.025, 58)
        plain.append(away <= model.standard_errors_[:, 1])
        robust.append(away <= np.sqrt(model.robust_covariance(X, Y, kind="HC3")[:, 1, 1]))
    assert np.mean(plain) < 0.85
    assert 0.92 < np.mean(robust) < 0.98


def test_coverage_of_logistic_intervals():
    rng = np.random.default_rng(0)
    X, b = rng.standard_normal((150, 1)), np.array([0.3, 0.8])
    p = 1 / (1 + np.exp(-(b[0] + X[:, 0] * b[1])))
    hits = []
    for _ in range(250):
        model = LogisticRegression(C=np.inf).fit(X, rng.random(150) < p)
        hits.append(inside(model.confidence_interval(), b))
    share = np.mean(hits, axis=0)
    assert ((share > 0.92) & (share < 0.98)).all()


@pytest.mark.parametrize("kind", [LinearRegression, Ridge])
@pytest.mark.parametrize("targets", [None, 2])
def test_draws_of_targets(kind, targets):
    """Mean and variance of many draws at one row are f(x) and 1 / beta, within four standard errors."""
    X, y = regression(40, 2, targets)
    model = kind().fit(X, y)
    many = np.repeat(X[:1], 20_000, axis=0)
    drawn = model.sample(many, random_state=0)
    assert drawn.shape == model.predict(many).shape
    assert np.array_equal(drawn, model.sample(many, random_state=0))
    deviation = np.asarray(model.noise_precision_) ** -0.5
    assert (np.abs(drawn.mean(axis=0) - model.predict(X[:1])[0]) < 4 * deviation / np.sqrt(20_000)).all()
    assert drawn.std(axis=0) / deviation == pytest.approx(1.0, abs=4 / np.sqrt(40_000))


@pytest.mark.parametrize("k", [2, 3])
def test_draws_of_labels(k):
    X, y = overlapping(200, 2, k)
    labels = np.array(["a", "b", "c"])[y]
    model = LogisticRegression().fit(X, labels)
    drawn = model.sample(np.repeat(X[:1], 20_000, axis=0), random_state=0)
    share = (drawn[:, None] == model.classes_).mean(axis=0)
    assert share == pytest.approx(model.predict_proba(X[:1])[0], abs=4 * 0.5 / np.sqrt(20_000))
