"""Online vector quantisation: the rule by hand, the misprint of the note, the rate, the trace."""

import numpy as np
import pytest

import sumlearn as sl
from sumlearn.data import load_example

FAITHFUL = load_example("faithful").X


def test_the_rule_by_hand():
    """w <- w + eps (x - w) with eps = 0.5 / (1 + 0.1 t / 2): rows 1, 9, 2 with prototypes at 0 and 10."""
    model = sl.VectorQuantizer(
        2, init=[[0.0], [10.0]], learning_rate=0.5, rate_decay=0.1, max_iter=1, shuffle=False
    ).fit([[1.0], [9.0], [2.0]])
    low = 0.5
    high = 10.0 - 0.5 / 1.05
    low += 0.5 / 1.1 * (2.0 - low)
    np.testing.assert_allclose(model.cluster_centers_.ravel(), [low, high], rtol=1e-12)
    np.testing.assert_allclose(model.trace_, [(1.0 + 1.0 + 1.5) / 3], rtol=1e-12)


def test_a_weight_is_so_many_draws_and_zero_is_none():
    rows, start = np.array([[1.0], [9.0], [2.0]]), [[0.0], [10.0]]
    options = {"init": start, "max_iter": 1, "shuffle": False, "rate_decay": 0.0}
    weighted = sl.VectorQuantizer(2, **options).fit(rows, sample_weight=[2.0, 1.0, 0.0])
    repeated = sl.VectorQuantizer(2, **options).fit(rows[[0, 0, 1]])
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, rtol=1e-14)


def test_errors_of_the_note():
    """The misprinted move eps (w - x) leaves an E_VQ many times as large as the right one (7.2 against 0.85 there)."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.standard_normal((200, 2)) + c for c in ([0.0, 0.0], [8.0, 0.0], [0.0, 8.0])])
    right = sl.VectorQuantizer(3).fit(X)
    wrong = right.cluster_centers_.copy()
    for x in X:
        c = ((wrong - x) ** 2).sum(axis=1).argmin()
        wrong[c] = 0.1 * (wrong[c] - x)
    error = np.sqrt(((X[:, None] - wrong) ** 2).sum(axis=2)).min(axis=1).mean()
    assert right.quantization_error_ < 1.35 and error > 3.0 * right.quantization_error_


def test_near_the_minimum_of_the_mean_distance():
    model, means = sl.VectorQuantizer(5, max_iter=50).fit(FAITHFUL), sl.KMeans(5, n_init=10).fit(FAITHFUL)
    assert model.quantization_error_ < 1.1 * means.quantization_error_
    assert abs(model.trace_[-1] / model.quantization_error_ - 1.0) < 0.1
    assert model.n_iter_ == len(model.trace_) < 50  # the error has stayed the same


def test_a_rate_that_stays_follows_rows_that_move():
    still = sl.VectorQuantizer(1, learning_rate=0.1, rate_decay=0.0, max_iter=1)
    slow = sl.VectorQuantizer(1, learning_rate=0.1, rate_decay=0.1, max_iter=1)
    for model in (still, slow):
        model.partial_fit(np.zeros((500, 1)))
        model.partial_fit(np.ones((100, 1)))
    assert still.cluster_centers_[0, 0] > 0.99 and slow.cluster_centers_[0, 0] < 0.3


def test_mahalanobis_and_offset():
    options = {"metric": "mahalanobis", "max_iter": 5}
    a, b = (sl.VectorQuantizer(2, init=FAITHFUL[:2] + o, **options).fit(FAITHFUL + o) for o in (0.0, 2.0**30))
    np.testing.assert_allclose(a.cluster_centers_, b.cluster_centers_ - 2.0**30, rtol=1e-6)


@pytest.mark.parametrize(
    "options", [{"learning_rate": 0.0}, {"learning_rate": 1.0}, {"rate_decay": -1.0}, {"tol": np.inf}, {"max_iter": 0}]
)
def test_parameters_that_make_no_sense(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        sl.VectorQuantizer(**options).fit(FAITHFUL)


def test_saved_and_loaded_learns_on(tmp_path):
    model = sl.VectorQuantizer(3).fit(FAITHFUL)
    sl.save(model, tmp_path / "model.skops")
    loaded = sl.load(tmp_path / "model.skops")
    np.testing.assert_array_equal(
        loaded.partial_fit(FAITHFUL[:99]).cluster_centers_, model.partial_fit(FAITHFUL[:99]).cluster_centers_
    )
