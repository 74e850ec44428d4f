"""The gap between the risk learnt and the risk held out, and how often Hoeffding's interval holds the truth."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

import sumlearn
from sumlearn.evaluation import generalisation_gap

from tests.agreement.problems import classes, regression


class Threshold(ClassifierMixin, BaseEstimator):
    """x > 0; its true error is known."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):
        return (np.asarray(X)[:, 0] > 0).astype(int)


def test_risks_of_a_classifier():
    X, y = classes(200, 3, 2)
    y = np.where(np.arange(200) % 4, y, 1 - y)
    found = generalisation_gap(LogisticRegression(), X[:120], y[:120], X[120:], y[120:], confidence=0.9)
    model = LogisticRegression().fit(X[:120], y[:120])
    assert found.train_risk == pytest.approx(1 - model.score(X[:120], y[:120]))
    assert found.held_risk == pytest.approx(1 - model.score(X[120:], y[120:]))
    assert found.gap == pytest.approx(found.held_risk - found.train_risk)
    assert found.radius == pytest.approx(np.sqrt(np.log(20.0) / 160.0))  # ln(2 / 0.1) / (2 * 80)
    assert found.interval == pytest.approx((found.held_risk - found.radius, found.held_risk + found.radius))
    assert "true risk in" in str(found) and found.rows == 80 and found.loss == "zero_one"


def test_the_interval_holds_the_true_risk_as_often_as_it_says():
    """1000 held-out sets of 50 rows, true error 0.2: at least 80 % at confidence 0.8, as always with Hoeffding more."""
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(1000):
        X = rng.standard_normal((50, 1))
        y = ((X[:, 0] > 0) ^ (rng.random(50) < 0.2)).astype(int)
        low, high = generalisation_gap(Threshold(), X, y, X, y, confidence=0.8).interval
        held += low <= 0.2 <= high
    assert held >= 800
    assert held < 1000  # an interval that never fails would not be at this level


def test_a_loss_without_a_range_has_no_bound():
    X, y = regression(60, 3)
    found = generalisation_gap(sumlearn.Ridge(), X[:40], y[:40], X[40:], y[40:])
    model = sumlearn.Ridge().fit(X[:40], y[:40])
    assert found.held_risk == pytest.approx(np.mean((y[40:] - model.predict(X[40:])) ** 2))
    assert found.radius is None and found.interval is None
    assert "no bound" in str(found)


@pytest.mark.parametrize("loss", ["absolute", lambda y, f: np.abs(y - f)])
def test_a_range_gives_a_bound(loss):
    X, y = regression(60, 3)
    found = generalisation_gap(sumlearn.Ridge(), X[:40], y[:40], X[40:], y[40:], loss=loss, loss_range=(0.0, 40.0))
    assert found.radius == pytest.approx(40.0 * np.sqrt(np.log(40.0) / 40.0))
    assert found.interval[0] == 0.0  # cut to the range


def test_tables():
    X, y = regression(60, 2)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=y)
    plain = generalisation_gap(sumlearn.Ridge(), X[:40], y[:40], X[40:], y[40:])
    assert generalisation_gap(sumlearn.Ridge(), frame[:40], "y", frame[40:], "y").gap == pytest.approx(plain.gap)


def test_what_is_refused():
    X, y = regression(30, 2)
    given = X[:20], y[:20], X[20:], y[20:]
    with pytest.raises(ValueError, match="confidence must be between 0 and 1"):
        generalisation_gap(sumlearn.Ridge(), *given, confidence=1.0)
    with pytest.raises(ValueError, match="loss_range must be"):
        generalisation_gap(sumlearn.Ridge(), *given, loss_range=(1.0, 0.0))
    with pytest.raises(ValueError, match="loss_range must be"):
        generalisation_gap(sumlearn.Ridge(), *given, loss_range=50.0)
    with pytest.raises(ValueError, match=r"the loss of row \d+ of X_held is .*, outside loss_range"):
        generalisation_gap(sumlearn.Ridge(), *given, loss_range=(0.0, 1e-9))
    with pytest.raises(ValueError, match="X_held has no rows"):
        generalisation_gap(sumlearn.Ridge(), X, y, X[:0], y[:0])
    with pytest.raises(ValueError, match="loss is nan at row 0"):
        generalisation_gap(sumlearn.Ridge(), *given, loss=lambda y, f: np.full(len(y), np.nan))
    with pytest.raises(ValueError, match="one number per row"):
        generalisation_gap(sumlearn.Ridge(), *given, loss=lambda y, f: 0.0)


def test_weights_are_numbers_of_rows():
    rng = np.random.default_rng(7)
    X = rng.standard_normal((80, 2))
    y = np.where(X[:, 0] + 0.8 * rng.standard_normal(80) > 0, "a", "b")
    weight = rng.integers(0, 3, 80)
    split = (X[:50], y[:50], X[50:], y[50:])
    options = {"sample_weight": weight[:50], "sample_weight_held": weight[50:]}
    once = generalisation_gap(sumlearn.LinearDiscriminantAnalysis(), *split, **options)
    rows = np.repeat(np.arange(80), weight)
    train, held = rows[rows < 50], rows[rows >= 50]
    often = generalisation_gap(sumlearn.LinearDiscriminantAnalysis(), X[train], y[train], X[held], y[held])
    for name in ("train_risk", "held_risk", "gap", "radius"):
        assert getattr(once, name) == pytest.approx(getattr(often, name), abs=1e-12)
    with pytest.raises(ValueError, match="zero for every row"):
        generalisation_gap(sumlearn.LinearDiscriminantAnalysis(), *split, sample_weight_held=np.zeros(30))
