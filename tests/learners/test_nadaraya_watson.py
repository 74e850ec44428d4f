"""Kernel regression against the formula, statsmodels, scikit-learn, and refits that leave rows out."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import rbf_kernel

from sumlearn import NadarayaWatson
from sumlearn.compiled import gaussian_kernel
from sumlearn.learners.lazy.parts.bandwidth import left_out_rows
from sumlearn.learners.lazy.parts.kept_rows import KeptRows
from sumlearn.learners.lazy.parts.kernel_rows import blocks_of
from sumlearn.testing import check_learner


def problem(rows=300, columns=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    return X, np.sin(2 * X[:, 0]) + X[:, -1] ** 2 + 0.3 * rng.standard_normal(rows)


def by_formula(X, y, Q, bandwidth, weight=None):
    K = np.exp(-0.5 * cdist(Q / bandwidth, X / bandwidth, "sqeuclidean"))
    K = K if weight is None else K * weight
    return K @ y / K.sum(axis=1)


@pytest.mark.parametrize("columns", [1, 3, 9])
@pytest.mark.parametrize("rows", [1, 7, 511, 1500])
def test_the_formula_with_weights_and_a_bandwidth_for_each_column(rows, columns):
    X, y = problem(rows, columns, seed=rows)
    rng = np.random.default_rng(1)
    bandwidth, weight = rng.uniform(0.2, 2.0, columns), rng.uniform(0.1, 3.0, rows)
    Q = rng.standard_normal((70, columns))
    found = NadarayaWatson(bandwidth).fit(X, y, sample_weight=weight).predict(Q)
    np.testing.assert_allclose(found, by_formula(X, y, Q, bandwidth, weight), rtol=0, atol=1e-13 * np.abs(y).max())


def test_scikit_learns_kernel_gives_the_same():
    X, y = problem(2000, 5)
    K = rbf_kernel(X[:200] + 0.1, X, gamma=1 / (2 * 0.7**2))
    np.testing.assert_allclose(NadarayaWatson(0.7).fit(X, y).predict(X[:200] + 0.1), K @ y / K.sum(axis=1), rtol=1e-11)


@pytest.mark.filterwarnings("ignore")
def test_statsmodels_local_constant_regression_gives_the_same():
    kernel_regression = pytest.importorskip("statsmodels.nonparametric.kernel_regression")
    X, y = problem(120, 2)
    bandwidth = np.array([0.4, 0.9])
    rival = kernel_regression.KernelReg(y, X, "cc", reg_type="lc", bw=bandwidth)
    Q = X[:40] + 0.05
    np.testing.assert_allclose(NadarayaWatson(bandwidth).fit(X, y).predict(Q), rival.fit(Q)[0], rtol=1e-9)


def test_the_power_of_two_of_the_compiled_loop():
    some = np.random.default_rng(0).uniform(-90, 0, 2000)
    x = np.concatenate([some, [0.0, -1e-300, -1022.0, 0.5, -0.5, 600.0, -1023.0, -2000.0, -np.inf]])
    found = np.array([gaussian_kernel.power_of_two(value) for value in x])
    wanted = np.where(x > gaussian_kernel.LOWEST, np.exp2(x), 0.0)
    assert (np.abs(found - wanted) <= 4e-16 * wanted).all()


def test_blocks_hold_every_row_once():
    Z = np.random.default_rng(0).standard_normal((1000, 3))
    order, starts = blocks_of(Z, 100)
    assert sorted(order) == list(range(1000))
    assert starts[0] == 0 and starts[-1] == 1000 and np.diff(starts).min() > 0 and np.diff(starts).max() <= 100


def test_narrow_kernels_far_queries_and_wide_offsets():
    """Whole blocks are passed over, and no quotient is 0 / 0: far away the nearest row decides."""
    X, y = problem(3000, 2)
    for scale, offset in ((1.0, 0.0), (1e-3, 1e9), (1e6, -1e12)):
        rows = np.round(X * 1024) / 1024 * scale + offset
        model = NadarayaWatson(0.01 * scale).fit(rows, y)
        wanted = by_formula(rows - offset, y, rows[:100] - offset, 0.01 * scale)
        np.testing.assert_allclose(model.predict(rows[:100]), wanted, atol=1e-5)
    far = np.array([[1e5, 0.0], [-1e8, 3e7], [0.0, 1e12]])
    nearest = cdist(far, X).argmin(axis=1)
    np.testing.assert_allclose(NadarayaWatson(1.0).fit(X, y).predict(far)[:2], y[nearest[:2]], rtol=1e-12)
    assert np.isfinite(NadarayaWatson(1e-9).fit(X, y).predict(np.array([[1e300, -1e300]]))).all()


def leave_one_out(X, y, bandwidth, weight):
    """By the definition: the others predict each row, less one of its copies."""
    errors = 0.0
    for i in range(len(X)):
        rest = weight.copy()
        rest[i] = max(rest[i] - 1.0, 0.0)
        errors += weight[i] * (y[i] - by_formula(X, y, X[i : i + 1], bandwidth, rest)[0]) ** 2
    return errors / weight.sum()


@pytest.mark.parametrize("weighted", [False, True])
def test_leave_one_out_errors_are_those_of_refits(weighted):
    X, y = problem(40, 2)
    weight = np.random.default_rng(3).integers(1, 4, 40) * 1.0 if weighted else np.ones(40)
    model = NadarayaWatson(left_out=None).fit(X, y, sample_weight=weight)
    mean = np.average(X, axis=0, weights=weight)
    deviation = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weight))
    search = model.search_
    wide = search.factors > 0.05  # below, the others' kernels vanish in the plain formula
    assert wide.sum() > 15
    wanted = [leave_one_out(X, y, factor * deviation, weight) for factor in search.factors[wide]]
    np.testing.assert_allclose(search.by_target[wide, 0], wanted, rtol=1e-9)
    assert model.loo_error_ == search.by_target[:, 0].min() == model.noise_variance_
    np.testing.assert_allclose(model.bandwidth_, search.factors[search.best] * deviation, rtol=1e-12)
    neighbours = search.factors[[search.best - 1, search.best + 1]] / search.factors[search.best]
    np.testing.assert_allclose(neighbours, [2 ** (1 / 8), 2 ** (-1 / 8)], rtol=1e-12)


def test_the_bandwidth_of_narrow_structure_and_of_none():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, (800, 1))
    wave = NadarayaWatson().fit(x, np.sin(40 * x[:, 0]) + 0.05 * rng.standard_normal(800))
    noise = NadarayaWatson().fit(x, rng.standard_normal(800))
    assert wave.bandwidth_[0] < 0.02 < 0.2 < noise.bandwidth_[0]
    assert wave.loo_error_ < 0.02


def test_left_out_rows():
    Z = np.random.default_rng(0).standard_normal((50_000, 2))
    assert left_out_rows(Z[:50], "auto").tolist() == left_out_rows(Z[:50], 60).tolist() == list(range(50))
    assert len(left_out_rows(Z, "auto")) == 250 and len(left_out_rows(Z, None)) == 50_000
    assert len(left_out_rows(Z[:4000], "auto")) == 1250
    some = left_out_rows(Z[:9], 3)
    assert Z[some, 0].tolist() == np.sort(Z[:9, 0])[[0, 4, 8]].tolist()
    assert np.array_equal(left_out_rows(8 * Z[:99] + 2.0**30, 7), left_out_rows(Z[:99], 7))


def test_several_targets_are_predicted_alike():
    X, y = problem()
    both = NadarayaWatson(0.5).fit(X, np.column_stack([y, -2 * y]))
    one = NadarayaWatson(0.5).fit(X, y).predict(X)
    np.testing.assert_allclose(both.predict(X), np.column_stack([one, -2 * one]), rtol=1e-12)
    chosen = NadarayaWatson().fit(X, np.column_stack([y, -2 * y]))
    np.testing.assert_allclose(chosen.bandwidth_, NadarayaWatson().fit(X, y).bandwidth_, rtol=1e-12)
    np.testing.assert_allclose(chosen.noise_variance_[1], 4 * chosen.noise_variance_[0], rtol=1e-9)
    assert chosen.sample(X, 0).shape == (300, 2)


@pytest.mark.parametrize("learner", [NadarayaWatson(0.8), NadarayaWatson([0.3, 0.9, 2.0, 1.0])])
def test_given_bandwidths_add_up(learner):
    X, y = problem(90, 4)
    if isinstance(learner.bandwidth, float):
        check_learner(learner, X, y)
    else:
        some = [2, 0]
        cut = NadarayaWatson(np.array(learner.bandwidth)[some]).fit(X[:, some], y)
        np.testing.assert_allclose(learner.fit(X, y).restrict(some).predict(X[:, some]), cut.predict(X[:, some]))
    a, b = (NadarayaWatson(learner.bandwidth).fit(X[i::2], y[i::2]) for i in (0, 1))
    np.testing.assert_allclose((a + b).predict(X), by_formula(X, y, X, np.asarray(learner.bandwidth)), rtol=1e-11)
    np.testing.assert_allclose((a + b - b).predict(X), a.predict(X), rtol=1e-13)


def test_rows_that_are_not_kept_predict_the_same(tmp_path):
    pandas = pytest.importorskip("pandas")
    array = pytest.importorskip("dask.array")
    X, y = problem(9000, 2)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 9000)
    frame = pandas.DataFrame(X, columns=["a", "b"]).assign(y=y, w=weight)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=2000)
    model = NadarayaWatson([0.1, 0.3])
    Q = np.vstack([X[:200], [[1e7, 0.0]]])
    wanted = NadarayaWatson([0.1, 0.3]).fit(X, y, sample_weight=weight).predict(Q)
    queries = pandas.DataFrame(Q, columns=["a", "b"])
    from_file = model.predict_over(queries, str(tmp_path / "rows.parquet"), "y", "w")
    blocks = [array.from_array(part, chunks=(2500, *part.shape[1:])) for part in (X, y, weight)]
    for found in (from_file, model.predict_over(Q, X, y, weight), model.predict_over(Q, *blocks)):
        np.testing.assert_allclose(found, wanted, rtol=1e-11)
    kept = NadarayaWatson([0.1, 0.3]).fit(str(tmp_path / "rows.parquet"), "y", "w")
    np.testing.assert_allclose(kept.predict(queries), wanted, rtol=1e-11)
    assert not hasattr(model, "statistic_")


@pytest.mark.parametrize("weighted", [False, True])
def test_the_noise_around_a_given_bandwidth_is_the_error_of_rows_left_out(weighted):
    X, y = problem(40, 2)
    weight = np.random.default_rng(3).integers(1, 4, 40) * 1.0 if weighted else np.ones(40)
    model = NadarayaWatson([0.5, 0.8], left_out=None).fit(X, y, sample_weight=weight)
    wanted = leave_one_out(X, y, np.array([0.5, 0.8]), weight)
    assert model.noise_variance_ == pytest.approx(wanted, rel=1e-12)
    away = np.stack([model.sample(X, seed) for seed in range(300)]) - model.predict(X)
    assert away.var() == pytest.approx(wanted, rel=0.05)


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_targets_of_any_size(unit):
    X, y = problem(60, 2)
    found, usual = NadarayaWatson().fit(X, y * unit), NadarayaWatson().fit(X, y)
    np.testing.assert_allclose(found.bandwidth_, usual.bandwidth_, rtol=1e-12)
    np.testing.assert_allclose(found.search_.errors, usual.search_.errors, rtol=1e-9)
    np.testing.assert_allclose(found.predict(X) / unit, usual.predict(X), rtol=1e-12)


def test_weights_of_any_size():
    """Neither a far row of great weight nor the unit of the weights moves a digit."""
    X, y = problem(50, 1)
    usual = NadarayaWatson(0.5).fit(X, y).predict(X)
    for unit in (1e-200, 1e200):
        np.testing.assert_allclose(NadarayaWatson(0.5).fit(X, y, np.full(50, unit)).predict(X), usual, rtol=1e-13)
    rows, values = np.array([[0.0], [9.0]]), np.array([1.0, 5.0])
    for weight in ([1.0, 1e15], [1e-30, 1.0], [1.0, 1e250]):
        K = np.array([0.0, -0.5 * 81.0 / 0.7**2]) + np.log(weight)
        share = 1.0 / (1.0 + np.exp(K[0] - K[1]))
        found = NadarayaWatson(0.7).fit(rows, values, weight).predict([[0.0]])[0]
        assert found == pytest.approx(1.0 + 4.0 * share, rel=1e-12)


def test_draws_have_the_noise_that_was_estimated():
    X, y = problem(400, 1)
    model = NadarayaWatson().fit(X, y)
    draws = np.stack([model.sample(X[:50], random_state=seed) for seed in range(400)])
    np.testing.assert_allclose(draws.mean(axis=0), model.predict(X[:50]), atol=5 * np.sqrt(model.noise_variance_ / 400))
    assert draws.var() > 0
    np.testing.assert_allclose((draws - model.predict(X[:50])).var(), model.noise_variance_, rtol=0.05)


@pytest.mark.parametrize(
    ("bandwidth", "message"),
    [
        (0.0, "bandwidth must be positive, got 0"),
        (-1.5, "bandwidth must be positive, got -1.5"),
        ([1.0, np.nan, 1.0], "bandwidth must be finite, got nan at index"),
        ([1.0, 2.0], "bandwidth must be one number or one for each of 3 columns, got shape"),
        ("scott", "bandwidth must be one of 'loo', got 'scott'"),
        (None, "bandwidth must be finite"),
    ],
)
def test_bad_bandwidths(bandwidth, message):
    X, y = problem(30)
    with pytest.raises(ValueError, match=message):
        NadarayaWatson(bandwidth).fit(X, y)


def test_other_bad_input():
    X, y = problem(30)
    for left_out in ("all", 0, 2.5):
        with pytest.raises(ValueError, match="left_out must be"):
            NadarayaWatson(left_out=left_out).fit(X, y)
    with pytest.raises(ValueError, match="predict_over needs the bandwidth as numbers"):
        NadarayaWatson().predict_over(X, X, y)
    with pytest.raises(ValueError, match="needs two different rows"):
        NadarayaWatson(1.0).fit(X[:1], y[:1]).sample(X)
    bad = X.copy()
    bad[17, 2] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN: first at row 17, column 2"):
        NadarayaWatson(1.0).predict_over(X, bad, y)
    with pytest.raises(ValueError, match="sample_weight is zero for every row"):
        NadarayaWatson(1.0).predict_over(X, X, y, np.zeros(30))


def test_constant_columns_are_left_out():
    X, y = problem(60)
    model = NadarayaWatson().fit(np.column_stack([X, np.full(60, 7.0)]), y)
    assert model.bandwidth_[3] == np.inf
    plain = NadarayaWatson().fit(X, y).predict(X)
    np.testing.assert_allclose(model.predict(np.column_stack([X, np.full(60, 99.0)])), plain, rtol=1e-12)


class TestKeptRows:
    def test_equal_rows_are_one(self):
        rows = KeptRows.of([[0.0], [-0.0], [1.0]], [2.0, 2.0, 3.0], [1.0, 0.5, 2.0])
        assert sorted(zip(rows.Z.tolist(), rows.mass.tolist(), strict=True)) == [([0.0, 2.0], 1.5), ([1.0, 3.0], 2.0)]
        assert (rows.rows, rows.weight, rows.features) == (3, 3.5, 1)

    def test_order_does_not_matter_to_the_bit(self):
        X, y = problem(200)
        order = np.random.default_rng(0).permutation(200)
        a, b = KeptRows.of(X, y), KeptRows.of(X[order], y[order])
        assert np.array_equal(a.Z, b.Z)
        halves = KeptRows.of(X[150:], y[150:]) + KeptRows.of(X[:150], y[:150])
        assert np.array_equal(halves.Z, a.Z)

    def test_only_rows_that_are_there_can_go(self):
        X, y = problem(20)
        rows = KeptRows.of(X, y)
        with pytest.raises(ValueError, match="never merged"):
            rows.remove(KeptRows.of(X[:1] + 1e-9, y[:1]))
        with pytest.raises(ValueError, match="weight 2: it was merged with weight 1"):
            rows.remove(KeptRows.of(X[:1], y[:1], [2.0]))
        assert rows.remove(rows).rows == 0
        assert (rows - KeptRows.of(X[:5], y[:5])).rows == 15
        with pytest.raises(ValueError, match="rows differ in columns: 3 and 2"):
            rows.merge(KeptRows.of(X[:, :2], y))
