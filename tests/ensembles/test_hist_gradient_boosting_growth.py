"""The trees of boosting are those of a plain reference, and the same bits however they are grown."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sumlearn as sl
from sumlearn.ensembles.parts.boost_sums import exact_mean, size_of, size_table, weighted_quantile
from sumlearn.learners.trees.parts.binning import BinEdges

from tests.ensembles.boosting_reference import Reference

TERMS = {
    "squared_error": lambda y: lambda f: (f - y, np.ones_like(f)),
    "poisson": lambda y: lambda f: (np.exp(f) - y, np.exp(f)),
    "log_loss": lambda y: lambda f: (1 / (1 + np.exp(-f)) - y, 1 / (1 + np.exp(-f)) / (1 + np.exp(f))),
}


def table(rng, n, d, gaps=False, categories=0):
    """Numbers, the last columns codes of categories."""
    X = np.round(rng.standard_normal((n, d)), 2)
    X[:, d - categories :] = rng.integers(0, 5, (n, categories))
    if gaps:
        X[rng.random(X.shape) < 0.15] = np.nan
    return X


@settings(max_examples=12)
@given(st.integers(0, 2**31), st.sampled_from(sorted(TERMS)), st.booleans(), st.sampled_from([None, "whole", "parts"]))
def test_trees_are_those_of_the_reference(seed, loss, gaps, weights):
    rng = np.random.default_rng(seed)
    n, d, categories = int(rng.integers(20, 70)), int(rng.integers(1, 5)), int(rng.integers(0, 2))
    X = table(rng, n, d, gaps, min(categories, d))
    f = np.nan_to_num(X).sum(axis=1) + rng.standard_normal(n)
    y = {"squared_error": f, "poisson": rng.poisson(np.exp(0.3 * f)).astype(float), "log_loss": (f > 0).astype(float)}[
        loss
    ]
    y[0], y[1] = 0.0, 1.0
    weight = {None: np.ones(n), "whole": rng.integers(1, 4, n) * 1.0, "parts": rng.uniform(0.5, 2.0, n)}[weights]
    options = {
        "learning_rate": 0.3,
        "max_iter": 3,
        "max_leaf_nodes": [None, 4, 31][seed % 3],
        "max_depth": [None, 2][seed % 2],
        "min_samples_leaf": int(rng.integers(1, 12)),
        "l2_regularization": [0.0, 0.7][seed % 5 == 0],
    }
    mask = np.arange(d) >= d - min(categories, d)
    kind = sl.HistGradientBoostingClassifier if loss == "log_loss" else sl.HistGradientBoostingRegressor
    extra = {} if loss == "log_loss" else {"loss": loss}
    model = kind(**options, **extra, categorical_features=mask if mask.any() else None).fit(X, y, weight)
    reference = Reference(
        0.3, options["max_leaf_nodes"], options["max_depth"], options["min_samples_leaf"], options["l2_regularization"]
    )
    edges: BinEdges = model.look_data()
    codes = edges.codes(model.rows_of(X))
    scores = reference.scores(codes, mask, TERMS[loss](y), model.trees_.base, weight, 3)
    np.testing.assert_allclose(model.raw_scores(X)[:, 0], scores[0], rtol=1e-6, atol=1e-6)


def problem(n=3000, d=11, seed=0):
    rng = np.random.default_rng(seed)
    X = table(rng, n, d, gaps=True)
    return X, np.nan_to_num(X) @ rng.standard_normal(d) + np.nan_to_num(X[:, 0] * X[:, 1]) + rng.standard_normal(n)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_same_bits_for_any_number_of_threads_and_any_order(classes, monkeypatch):
    from sumlearn.ensembles.parts import boost_growing

    monkeypatch.setattr(boost_growing, "THREADED", 100)
    X, y = problem()
    kind = sl.HistGradientBoostingRegressor
    if classes:
        y, kind = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes)), sl.HistGradientBoostingClassifier
    one = kind(max_iter=8, n_jobs=1).fit(X, y)
    two = kind(max_iter=8, n_jobs=2).fit(X, y)
    assert one.trees_ == two.trees_ and one.look_.data == two.look_.data
    order = np.random.default_rng(1).permutation(len(X))
    other = kind(max_iter=8).fit(X[order], y[order])
    assert np.array_equal(other.predict(X), one.predict(X)) and one.trees_ == other.trees_


def test_weights_are_numbers_of_rows_to_the_last_bit():
    X, y = problem(800)
    weight = np.random.default_rng(2).integers(0, 4, 800).astype(float)
    rows = np.repeat(np.arange(800), weight.astype(int))
    for model in (
        sl.HistGradientBoostingRegressor(max_iter=5),
        sl.HistGradientBoostingRegressor("absolute_error", max_iter=5),
        sl.HistGradientBoostingClassifier(max_iter=5),
    ):
        target = y if isinstance(model, sl.HistGradientBoostingRegressor) else y > 0
        weighted = model.fit(X, target, weight).trees_
        assert weighted == model.fit(X[rows], target[rows]).trees_


def test_scores_of_the_fit_are_those_of_the_model():
    X, y = problem(500)
    model = sl.HistGradientBoostingRegressor(max_iter=20, early_stopping=True, validation_fraction=None).fit(X, y)
    assert -0.5 * np.mean((model.predict(X) - y) ** 2) == pytest.approx(model.train_score_[-1], rel=1e-12)


def test_leaves_hold_the_rows_that_they_must():
    X, y = problem(700)
    for least in (1, 7, 60):
        model = sl.HistGradientBoostingClassifier(max_iter=6, min_samples_leaf=least, max_leaf_nodes=None).fit(X, y > 1)
        leaves = model.trees_.leaves(model.codes_of(X))
        sizes = [np.bincount(column)[np.unique(column)].min() for column in leaves.T]
        assert min(sizes) >= least
        assert least > 1 or min(sizes) == 1


def test_whole_number_sums_are_bounds():
    rng = np.random.default_rng(0)
    numbers = rng.standard_normal(1000) * 10.0 ** rng.integers(-12, 12, 1000)
    size = size_of(size_table(numbers))
    assert np.abs(numbers).sum() <= size <= np.abs(numbers).sum() * (1 + 2e-6)
    assert size_of(size_table(np.zeros(3))) == 0.0
    assert size == size_of(size_table(numbers[::-1])) == size_of(size_table(numbers[:400]) + size_table(numbers[400:]))
    times = rng.integers(1, 5, 1000)
    assert size_of(size_table(numbers, times)) == size_of(size_table(np.repeat(numbers, times)))
    assert exact_mean(numbers, times, None) == exact_mean(np.repeat(numbers, times), times[:0], None)
    values = rng.standard_normal(31)
    repeated = np.repeat(values, times[:31])
    for share in (0.0, 0.3, 0.5, 0.77, 1.0):
        assert weighted_quantile(values, share, times[:31].astype(float)) == pytest.approx(np.quantile(repeated, share))
