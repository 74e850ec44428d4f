"""k-means: weights, chunks, threads, caches that are lost, empty clusters, joining, refusals."""

import copy
import warnings

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.exceptions import ConvergenceWarning

import sumlearn as sl
from sumlearn.data import load_example
from sumlearn.learners import passes
from sumlearn.learners.clusters import kmeans
from sumlearn.learners.clusters.parts.codebook import Codebook
from sumlearn.learners.passes import Passes

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.standard_normal((700, 6)) + 3.0 * RNG.standard_normal(6) for _ in range(12)])
RNG.shuffle(X)
START = X[:25]


def fitted(rows, **options):
    options = {"init": START, "tol": 0.0} | options
    return sl.KMeans(options.pop("k", 25), **options).fit(rows)


def same(a, b):
    """To the last bit: sums in two words do not know who added them."""
    np.testing.assert_array_equal(a.cluster_centers_, b.cluster_centers_)
    np.testing.assert_array_equal(a.labels_, b.labels_)
    assert a.n_iter_ == b.n_iter_


@pytest.fixture(scope="module")
def whole():
    return fitted(X)


def test_chunks_change_no_bit(whole, monkeypatch):
    monkeypatch.setattr("sumlearn.data.source.chunk_rows", lambda features, factor=1: 999)
    same(fitted(X), whole)


def test_parts_that_lose_their_notes_give_the_same_bits(whole, monkeypatch):
    monkeypatch.setattr(Passes, "total_noting", lambda rows, f: rows.total(lambda chunk: f(chunk, {})))
    same(fitted(X), whole)


def test_notes_that_go_now_and_then_give_the_same_bits(whole, monkeypatch):
    calls = []

    def forgetful(rows, summarise):
        def one(chunk, notes):
            calls.append(0)
            if len(calls) % 3 == 0:
                notes.clear()
            return summarise(chunk, notes)

        return Passes_total(rows, one)

    Passes_total = Passes.total_noting
    monkeypatch.setattr(passes.Passes, "total_noting", forgetful)
    monkeypatch.setattr("sumlearn.data.source.chunk_rows", lambda features, factor=1: 1000)
    same(fitted(X), whole)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("columns", "clusters", "together"), [(2, 3, 4), (3, 5, 2), (6, 4, 1)])
def test_larger_parts_of_few_coordinates_change_no_bit(columns, clusters, together, monkeypatch):
    """Four of the usual parts make one where there are at most eight coordinates of all centres."""
    rows = np.random.default_rng(0).standard_normal((150_000, columns)) + 1e6
    weight = np.random.default_rng(1).random(150_000)
    assert kmeans.parts_together(columns * clusters) == together
    large = sl.KMeans(clusters, max_iter=4).fit(rows, sample_weight=weight)
    monkeypatch.setattr(kmeans, "parts_together", lambda coordinates: 1)
    usual = sl.KMeans(clusters, max_iter=4).fit(rows, sample_weight=weight)
    assert np.array_equal(large.cluster_centers_, usual.cluster_centers_)
    assert np.array_equal(large.labels_, usual.labels_)


def test_threads_change_no_bit(whole, monkeypatch):
    monkeypatch.setattr("sumlearn.engines.engine.cores", lambda: 1)
    monkeypatch.setattr("sumlearn.engines.pool.cores", lambda: 1)
    same(fitted(X), whole)


def test_bounds_leave_out_rows_and_change_nothing(whole):
    """The last passes look at few rows; a codebook without a past looks at all."""
    seen = []
    original = Codebook.assign

    def watched(self, rows, *args, **options):
        seen.append(bool(len(args[1])))
        return original(self, rows, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Codebook, "assign", watched)
        same(fitted(X), whole)
    assert any(seen) and not all(seen)


def test_weight_two_is_the_row_twice_and_weight_zero_its_absence():
    weight = RNG.integers(0, 3, len(X)).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        weighted = sl.KMeans(25, n_init=2, max_iter=12).fit(X, sample_weight=weight)  # starts are drawn alike too
        repeated = sl.KMeans(25, n_init=2, max_iter=12).fit(np.repeat(X, weight.astype(int), axis=0))
    np.testing.assert_array_equal(weighted.cluster_centers_, repeated.cluster_centers_)
    np.testing.assert_allclose(weighted.inertia_, repeated.inertia_, rtol=1e-12)
    assert len(weighted.labels_) == len(X)


def test_order_of_rows_changes_no_start():
    order = np.random.default_rng(1).permutation(len(X))
    a, b = sl.KMeans(5).fit(X), sl.KMeans(5).fit(X[order])
    np.testing.assert_allclose(a.cluster_centers_, b.cluster_centers_, rtol=1e-13)
    np.testing.assert_array_equal(a.labels_[order], b.labels_)


def test_sparse_rows_are_those_written_out(whole):
    same(fitted(sparse.csr_array(X)), whole)


def test_trace_falls_and_ends_at_the_inertia(whole):
    assert (np.diff(whole.trace_) <= 1e-9 * whole.trace_[0]).all() and len(whole.trace_) == whole.n_iter_
    np.testing.assert_allclose(whole.trace_[-1], whole.inertia_, rtol=1e-9)
    np.testing.assert_allclose(-whole.score(X), whole.inertia_, rtol=1e-9)
    np.testing.assert_allclose(whole.quantization_error_, whole.quantization_error(X), rtol=1e-12)
    assert whole.cluster_weights_.sum() == len(X)


def test_an_empty_cluster_takes_the_farthest_row():
    rows = np.array([[0.0], [0.1], [0.2], [50.0], [1.0], [50.0]])
    model = sl.KMeans(3, init=[[0.0], [1e3], [2e3]]).fit(rows)
    assert sorted(model.cluster_centers_.ravel().round(6).tolist()) == [0.1, 1.0, 50.0]
    twice = sl.KMeans(3, init=[[0.0], [1e3], [2e3]]).fit(rows[:5], sample_weight=[1, 1, 1, 2, 1])
    np.testing.assert_array_equal(model.cluster_centers_, twice.cluster_centers_)


def test_fewer_different_rows_than_clusters_are_told():
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(2\) found smaller than n_clusters \(4\)"):
        model = sl.KMeans(4).fit([[0.0], [0.0], [1.0], [1.0], [1.0]])
    assert model.inertia_ == 0.0


def test_steps_that_are_not_enough_are_told():
    with pytest.warns(ConvergenceWarning, match="increase max_iter"):
        fitted(X, max_iter=2)


def test_all_starts_share_the_passes_and_the_best_counts():
    single = [sl.KMeans(7, init=start).fit(X).inertia_ for start in sl.KMeans(7, n_init=4).fit(X).look_.data]
    np.testing.assert_allclose(sl.KMeans(7, n_init=4).fit(X).inertia_, min(single), rtol=1e-12)


def test_distances_whose_squares_overflow_are_told():
    model = sl.KMeans(3, n_init=1).fit(X)
    rows = np.vstack([X[:2], np.full((1, 6), 1e160)])
    found = model.transform(rows)
    assert found[2] == pytest.approx(np.sqrt(6.0) * 1e160)
    np.testing.assert_array_equal(found[:2], model.transform(X[:2]))
    with pytest.raises(ValueError, match="row 1 is so far from the rows learnt that its distances overflow"):
        model.transform(np.vstack([X[:1], np.full((1, 6), 1.7e308)]))


def test_far_rows_that_single_precision_cannot_square():
    rows = np.concatenate([X, [[1e25] * 6, [-1e25] * 6]])
    model = sl.KMeans(3, n_init=1, random_state=1).fit(rows)
    assert model.labels_[-1] != model.labels_[-2] and len(set(model.labels_[:-2].tolist())) == 1


# -- joining ----------------------------------------------------------------------------------------------------------


def test_combined_models_lose_what_is_said():
    a, b = sl.KMeans(12, n_init=10).fit(X[::2]), sl.KMeans(12, n_init=10).fit(X[1::2])
    both, again = a.combine(b), sl.KMeans(12, n_init=10).fit(X)
    assert both.cluster_weights_.sum() == len(X) and not hasattr(both, "labels_")
    assert -both.score(X) <= both.inertia_ * (1 + 1e-9)  # rows may have a nearer centre than that of their cluster
    assert both.inertia_ < 1.05 * again.inertia_  # the clusters of both halves are about the same
    with pytest.raises(TypeError):
        a + b
    alone = a.combine(a)
    np.testing.assert_allclose(alone.cluster_centers_[alone.predict(X)], a.cluster_centers_[a.predict(X)])
    np.testing.assert_allclose(alone.inertia_, 2 * a.inertia_)


def test_models_that_cannot_be_combined():
    a = sl.KMeans(2).fit(X)
    with pytest.raises(ValueError, match="other columns: 6 and 5"):
        a.combine(sl.KMeans(2).fit(X[:, :5]))
    with pytest.raises(ValueError, match="other metrics"):
        a.combine(sl.KMeans(2, metric="mahalanobis").fit(X))
    with pytest.raises(TypeError, match="KMeans"):
        a.combine(sl.LBG(2).fit(X))


# -- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_clusters": 0}, "n_clusters must be a whole number"),
        ({"init": "kmeans"}, "init must be one of"),
        ({"init": [[0.0]] * 3}, "number of features of the data"),
        ({"init": X[:2]}, "does not match the number of clusters 3"),
        ({"init": [[np.nan] * 6] * 3}, "init must be finite"),
        ({"n_init": 0}, "n_init"),
        ({"max_iter": 0}, "max_iter"),
        ({"tol": -1.0}, "tol"),
        ({"tol": np.nan}, "tol"),
        ({"algorithm": "full"}, "algorithm"),
        ({"metric": "manhattan"}, "metric"),
        ({"covariance": np.eye(6)}, "covariance is for"),
        ({"metric": "mahalanobis", "covariance": -np.eye(6)}, "negative eigenvalues"),
        ({"metric": "mahalanobis", "covariance": np.eye(5)}, r"covariance must be finite, \(6, 6\)"),
    ],
)
def test_parameters_that_make_no_sense(options, words):
    with pytest.raises(ValueError, match=words):
        sl.KMeans(**({"n_clusters": 3} | options)).fit(X)


def test_bad_rows_are_named_and_change_nothing(whole):
    model, bad = copy.copy(whole), X.copy()
    bad[123, 4] = np.nan
    for rows in (bad, sparse.csr_array(bad)):
        with pytest.raises(ValueError, match="NaN: first at row 123, column 4"):
            model.fit(rows)
    same(model, whole)
    with pytest.raises(ValueError, match="first at row 7"):
        model.fit(X, sample_weight=np.where(np.arange(len(X)) == 7, -1.0, 1.0))
    with pytest.raises(ValueError, match="zero for every row"):
        model.fit(X, sample_weight=np.zeros(len(X)))
    with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=25"):
        model.fit(X[:3])
    with pytest.raises(ValueError, match="overflows|overflow"):
        sl.KMeans(2).fit(X * 1e200)


def test_handed_looks_do_not_hide_bad_rows(whole):
    bad = X.copy()
    bad[5, 0] = np.inf
    with pytest.raises(ValueError, match="infinity: first at row 5"):
        sl.KMeans(25, init=START).with_look(whole.look_).fit(bad)


def test_saved_and_loaded(tmp_path, whole):
    model = sl.KMeans(3, metric="mahalanobis").fit(load_example("iris").X)
    sl.save(model, tmp_path / "model.skops")
    loaded = sl.load(tmp_path / "model.skops")
    np.testing.assert_array_equal(loaded.predict(load_example("iris").X), model.labels_)


def test_absent_rows_without_a_place_have_no_label():
    rows = np.array([[0.0], [np.nan], [1.0], [1e300], [9.0], [0.1]])
    model = sl.KMeans(2).fit(rows, sample_weight=[1.0, 0.0, 1.0, 0.0, 1.0, 0.0])
    first, last = model.labels_[0], model.labels_[4]
    assert model.labels_.tolist() == [first, -1, first, -1, last, first]
    assert model.cluster_weights_[[first, last]].tolist() == [2.0, 1.0]


def test_distances_whose_squares_underflow_are_told():
    rows = np.array([[0.0], [1.0], [8.0], [9.0]])
    for unit in (1.0, 2.0**-530):
        assert sl.KMeans(2).fit(rows * unit).quantization_error_ == 0.5 * unit
