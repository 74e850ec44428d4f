"""Inference is a function of the sums: merged, forgotten, decayed, saved."""

import pickle

import numpy as np

from sumlearn import LinearRegression, LogisticRegression, Ridge, load, save

from tests.agreement.problems import distance, regression
from tests.learners.inference_problems import assert_same, overlapping


def test_merged_and_forgotten_models_have_the_inference_of_one_fit():
    X, y = regression(120, 4)
    parts = np.array_split(np.arange(120), 3)
    whole = LinearRegression().fit(X, y)
    a, b, c = (LinearRegression().fit(X[part], y[part]) for part in parts)
    assert_same(a + b + c, whole)
    assert_same((a + b + c) - c, a + b)
    assert_same((a + b + c).forget(X[parts[2]], y[parts[2]]), LinearRegression().fit(X[:80], y[:80]))
    assert_same(a.partial_fit(X[40:], y[40:]), whole)
    assert_same(whole.restrict([0, 2]), LinearRegression().fit(X[:, [0, 2]], y))
    assert_same(pickle.loads(pickle.dumps(whole)), whole, 1e-15)


def test_decay_takes_degrees_of_freedom():
    X, y = regression(100, 3)
    model = LinearRegression().fit(X, y).decay(0.5)
    assert model.inference().degrees == 46.0
    assert_same(model, LinearRegression().fit(X, y, np.full(100, 0.5)))
    assert model.inference("precision").degrees == 96.0  # rows are rows, whatever they weigh


def test_inference_follows_the_parameters():
    X, y = regression(60, 3)
    model = Ridge(alpha=3.0).fit(X, y)
    before = model.standard_errors_
    model.set_params(alpha=0.0)
    assert_same(model, LinearRegression().fit(X, y))
    assert distance(model.set_params(alpha=3.0).standard_errors_, before) == 0.0


def test_saved_models(tmp_path):
    X, y = regression(60, 3)
    save(LinearRegression().fit(X, y), tmp_path / "line.sum")
    assert_same(load(tmp_path / "line.sum"), LinearRegression().fit(X, y), 1e-15)
    X, y = overlapping()
    model = LogisticRegression(C=np.inf).fit(X, y)
    save(model, tmp_path / "logistic.sum")
    assert np.array_equal(load(tmp_path / "logistic.sum").covariance_, model.covariance_)


def test_asking_changes_nothing():
    X, y = regression(60, 3)
    model = LinearRegression().fit(X, y)
    before = set(vars(model))
    _ = model.standard_errors_, model.summary(), model.predict_interval(X)
    assert set(vars(model)) == before
    assert model.inference() is model.inference()
