"""k-means, some rows at a time: close to the full one, and what partial_fit is."""

import numpy as np
import pytest
import scipy.sparse as sparse

import sumlearn as sl

RNG = np.random.default_rng(0)
CENTRES = 8.0 * RNG.standard_normal((6, 4))
X = CENTRES[RNG.integers(0, 6, 6000)] + RNG.standard_normal((6000, 4))


def test_separated_clusters_are_found_again():
    full, batches = sl.KMeans(6).fit(X), sl.MiniBatchKMeans(6, batch_size=256).fit(X)
    assert batches.inertia_ < 1.05 * full.inertia_ and batches.n_steps_ < 6000
    np.testing.assert_array_equal(batches.predict(X), batches.labels_)


def test_a_batch_moves_every_centre_to_the_mean_of_what_it_has_drawn():
    start = X[:6]
    model = sl.MiniBatchKMeans(6, init=start, batch_size=6000, max_iter=1, reassignment_ratio=0.0).fit(X)
    own = ((X[:, None] - start) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_allclose(model.cluster_centers_, [X[own == j].mean(axis=0) for j in range(6)], rtol=1e-9)


def test_partial_fit_learns_on_and_is_not_exact():
    model = sl.MiniBatchKMeans(6, n_init=3, random_state=0)  # one start in 25 misses a cluster
    for start in range(0, 6000, 500):
        assert model.partial_fit(X[start : start + 500]) is model
    assert len(model.labels_) == 500 and "partial_fit" in sl.abilities(model).inexact
    assert -model.score(X) < 1.3 * sl.KMeans(6).fit(X).inertia_
    with pytest.raises(TypeError):
        model + model


def test_learning_ends_without_improvement_and_goes_on_when_asked():
    model = sl.MiniBatchKMeans(6, batch_size=100, max_no_improvement=3, max_iter=100).fit(X)
    assert model.n_iter_ < 100
    steps = model.n_steps_
    assert model.partial_fit(X[:500]).n_steps_ > steps


def test_sparse_weights_and_no_labels():
    weight = RNG.integers(0, 3, 6000).astype(float)
    dense = sl.MiniBatchKMeans(6).fit(X, sample_weight=weight)
    np.testing.assert_allclose(
        sl.MiniBatchKMeans(6).fit(sparse.csr_array(X), sample_weight=weight).cluster_centers_, dense.cluster_centers_
    )
    assert not hasattr(sl.MiniBatchKMeans(6, compute_labels=False).fit(X), "labels_")


@pytest.mark.parametrize(
    "options", [{"batch_size": 0}, {"tol": -1.0}, {"init_size": 0}, {"n_init": "all"}, {"max_iter": 0}]
)
def test_parameters_that_make_no_sense(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        sl.MiniBatchKMeans(**options).fit(X)


def test_saved_and_loaded_learns_on(tmp_path):
    model = sl.MiniBatchKMeans(6).fit(X)
    sl.save(model, tmp_path / "model.skops")
    loaded = sl.load(tmp_path / "model.skops")
    np.testing.assert_array_equal(
        loaded.partial_fit(X[:99]).cluster_centers_, model.partial_fit(X[:99]).cluster_centers_
    )
