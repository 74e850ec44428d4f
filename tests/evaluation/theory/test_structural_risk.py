"""Structural risk: the formulas of the bounds, that they hold, and what is refused."""

import numpy as np
import pytest

from sumlearn import LinearClassifier, LinearDiscriminantAnalysis, PolynomialClassifier, Ridge
from sumlearn.evaluation import structural_risk
from sumlearn.report import plots


def rows(n, seed=0, d=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.where(X[:, 0] + X[:, 1] ** 2 - 1.0 + 0.5 * rng.standard_normal(n) > 0, "b", "a")


FAMILY = {f"degree {k}": PolynomialClassifier(degree=k) for k in (1, 2, 3)}


def test_formula_of_vapnik():
    X, y = rows(400)
    risk = structural_risk(FAMILY, X, y, dimensions=[4, 10, 20], confidence=0.9)
    h, N, delta = np.array([4.0, 10.0, 20.0]), 400, 0.1 / 3
    assert np.allclose(risk.penalty, np.sqrt((h * (np.log(2 * N / h) + 1) + np.log(4 / delta)) / N))
    learnt = [np.mean(model.fit(X, y).predict(X) != y) for model in FAMILY.values()]
    assert np.allclose(risk.empirical, learnt) and np.allclose(risk.bound, risk.empirical + risk.penalty)
    assert (np.diff(risk.empirical) <= 0.02).all() and (np.diff(risk.penalty) > 0).all()
    assert risk.chosen_by_cv != "degree 1" and "left out" in str(risk)


def test_dimension_of_a_hyperplane_and_weights():
    X, y = rows(200)
    family = {"linear": LinearClassifier(), "through zero": LinearClassifier(fit_intercept=False)}
    risk = structural_risk(family, X, y)
    assert risk.dimensions.tolist() == [4.0, 3.0]
    twice = structural_risk(family, X, y, sample_weight=np.full(200, 2.0))
    assert twice.rows == 400 and (twice.penalty < risk.penalty).all() and np.allclose(twice.empirical, risk.empirical)


@pytest.mark.parametrize("bound", ["vc", "rademacher"])
def test_the_bound_holds_on_fresh_rows(bound):
    """With confidence 0.95 for all families at once: here for each of ten drawn tables."""
    fresh, truth = rows(20_000, seed=99)
    for seed in range(10):
        X, y = rows(300, seed)
        risk = structural_risk(FAMILY, X, y, bound=bound, dimensions=[4, 10, 20], cv=3, draws=3)
        true = [np.mean(model.fit(X, y).predict(fresh) != truth) for model in FAMILY.values()]
        assert (np.array(true) <= risk.bound).all()


def test_noise_is_learnt_by_large_families():
    X, y = rows(60)
    risk = structural_risk(FAMILY, X, y, bound="rademacher", draws=5, dimensions=[4, 10, 20])
    assert (np.diff(risk.penalty) > 0).all()
    again = structural_risk(FAMILY, X, y, bound="rademacher", draws=5, dimensions=[4, 10, 20])
    assert np.array_equal(risk.penalty, again.penalty)


def test_what_is_refused():
    X, y = rows(60)
    for family, options, message in (
        ({}, {}, "family must be a mapping"),
        ([LinearClassifier()], {}, "family must be a mapping"),
        ({"r": Ridge()}, {}, "'r' is no classifier"),
        (FAMILY, {"bound": "pac"}, "bound must be 'vc' or 'rademacher'"),
        (FAMILY, {"confidence": 1.0}, "confidence must be between 0 and 1"),
        (FAMILY, {"dimensions": [1, 2]}, "dimensions must be 3 positive numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            structural_risk(family, X, y, **options)
    with pytest.raises(ValueError, match="is for two classes, y has 60"):
        structural_risk({"lda": LinearDiscriminantAnalysis()}, X, np.arange(60))


def test_plot():
    X, y = rows(100)
    figure = plots.structural_risk(structural_risk(FAMILY, X, y, dimensions=[4, 10, 20]))
    assert [item.label for item in figure.panels[0].items[:3]] == ["rows learnt", "vc bound", "rows left out"]
