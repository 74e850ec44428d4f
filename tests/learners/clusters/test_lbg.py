"""Codebooks that grow: where they start, what is split, when they stop."""

import numpy as np
import pytest

import sumlearn as sl
from sumlearn.data import load_example

FAITHFUL = load_example("faithful").X


def test_starts_at_the_mean_and_doubles():
    model = sl.LBG(8).fit(FAITHFUL)
    assert [split.size for split in model.splits_] == [1, 2, 4, 8]
    np.testing.assert_allclose(model.splits_[0].centres, FAITHFUL.mean(axis=0, keepdims=True), rtol=1e-14)
    away = np.sqrt(((FAITHFUL - FAITHFUL.mean(axis=0)) ** 2).sum(axis=1))
    np.testing.assert_allclose(model.splits_[0].error, away.mean(), rtol=1e-12)
    np.testing.assert_array_equal(model.trace_, [split.error for split in model.splits_])
    assert (np.diff(model.trace_) < 0).all() and model.n_iter_ == sum(split.steps for split in model.splits_)
    np.testing.assert_allclose(model.quantization_error_, model.splits_[-1].error, rtol=1e-12)


def test_every_codebook_is_a_rest_of_k_means():
    for split in sl.LBG(6, split=1, tol=0.0).fit(FAITHFUL).splits_:
        again = sl.KMeans(split.size, init=split.centres, tol=0.0).fit(FAITHFUL)
        np.testing.assert_allclose(again.cluster_centers_, split.centres, rtol=1e-12)
        np.testing.assert_allclose(again.inertia_, split.inertia, rtol=1e-9)


def test_the_worst_are_split_as_far_as_there_is_room():
    assert [split.size for split in sl.LBG(7, split=2).fit(FAITHFUL).splits_] == [1, 2, 4, 6, 7]
    assert [split.size for split in sl.LBG(6).fit(FAITHFUL).splits_] == [1, 2, 4, 6]
    rows = np.concatenate([np.zeros(5), 100.0 + np.arange(10.0)])[:, None]  # the left cluster has no error
    model = sl.LBG(3, split=1).fit(rows)
    assert (model.cluster_centers_ < 1.0).sum() == 1


def test_good_enough_is_enough():
    model = sl.LBG(64, min_error=2.0, split=1).fit(FAITHFUL)
    errors = [split.error for split in model.splits_]
    assert errors[-1] < 2.0 <= errors[-2] and len(model.cluster_centers_) < 64


def test_rows_without_error_end_the_growth():
    model = sl.LBG(8).fit([[0.0], [0.0], [1.0], [5.0]])
    assert model.quantization_error_ == 0.0 and len(model.cluster_centers_) <= 4


def test_weights_offset_and_metric():
    weight = np.random.default_rng(0).integers(0, 3, len(FAITHFUL)).astype(float)
    a, b = sl.LBG(4).fit(FAITHFUL, sample_weight=weight), sl.LBG(4).fit(np.repeat(FAITHFUL, weight.astype(int), axis=0))
    np.testing.assert_allclose(a.cluster_centers_, b.cluster_centers_, rtol=1e-12)
    far = sl.LBG(4).fit(FAITHFUL + 2.0**30)
    np.testing.assert_allclose(far.cluster_centers_ - 2.0**30, sl.LBG(4).fit(FAITHFUL).cluster_centers_, rtol=1e-6)
    units = np.array([1.0, 1000.0])
    c, d = (sl.LBG(4, metric="mahalanobis").fit(FAITHFUL * u) for u in (1.0, units))
    np.testing.assert_allclose(c.cluster_centers_ * units, d.cluster_centers_, rtol=1e-6)


@pytest.mark.parametrize(
    "options", [{"split": 0}, {"split": "some"}, {"min_error": -1.0}, {"epsilon": 0.0}, {"max_iter": 0}]
)
def test_parameters_that_make_no_sense(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        sl.LBG(**options).fit(FAITHFUL)


def test_saved_and_loaded(tmp_path):
    model = sl.LBG(4).fit(FAITHFUL)
    sl.save(model, tmp_path / "model.skops")
    loaded = sl.load(tmp_path / "model.skops")
    np.testing.assert_array_equal(loaded.predict(FAITHFUL), model.labels_)
    assert loaded.splits_[2].size == 4


def test_seeds_of_all_kinds():
    X = np.random.default_rng(0).normal(size=(30, 2))
    drawn = [sl.LBG(4, random_state=np.random.RandomState(1)).fit(X).cluster_centers_ for _ in range(2)]
    np.testing.assert_array_equal(*drawn)
    assert sl.LBG(4, random_state=None).fit(X).cluster_centers_.shape == (4, 2)
    with pytest.raises(ValueError, match="random_state"):
        sl.LBG(4, random_state=-1).fit(X)
