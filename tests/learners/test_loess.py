"""Local polynomials against statsmodels' lowess, and against weighted least squares around every query."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sumlearn import Loess
from sumlearn.compiled.local_curve import least_radius
from sumlearn.compiled.local_polynomial import quantile
from sumlearn.learners.lazy.loess import bisquare, weighted_median


def curve(rows=80, seed=0, outliers=True):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(0, 10, rows))
    y = np.sin(x) + 0.2 * rng.standard_normal(rows)
    y[:: max(rows // 8, 2)] += 3.0 * outliers
    return x, y


@pytest.mark.parametrize("rows", [40, 80])
@pytest.mark.parametrize("span", [0.25, 0.4, 0.5, 1.0])
@pytest.mark.parametrize("iterations", [0, 1, 3, 6])
def test_statsmodels_lowess_gives_the_same(rows, span, iterations):
    lowess = pytest.importorskip("statsmodels.nonparametric.smoothers_lowess").lowess
    x, y = curve(rows)
    wanted = lowess(y, x, frac=span, it=iterations, delta=0.0, return_sorted=False)
    found = Loess(span, robust_iterations=iterations).fit(x[:, None], y).predict(x[:, None])
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-8)


def test_statsmodels_lowess_at_new_points():
    lowess = pytest.importorskip("statsmodels.nonparametric.smoothers_lowess").lowess
    x, y = curve(60, outliers=False)
    q = np.linspace(0.3, 9.7, 50)
    wanted = lowess(y, x, frac=0.3, it=0, xvals=q)
    np.testing.assert_allclose(Loess(0.3).fit(x[:, None], y).predict(q[:, None]), wanted, atol=1e-8)


def around(X, y, q, degree, span=None, bandwidth=None, weight=None):
    """The definition: the k nearest rows, tricube weights, least squares by QR, its constant."""
    weight = np.ones(len(X)) if weight is None else weight
    distance = np.sqrt(((X - q) ** 2).sum(axis=1))
    if bandwidth is None:
        order = np.argsort(distance)
        reach = np.cumsum(weight[order])
        bandwidth = distance[order[np.argmax(reach >= span * reach[-1] * (1 - 1e-12))]]
    tricube = np.where(distance < bandwidth, (1 - (distance / bandwidth) ** 3) ** 3, 0.0) * weight
    u = X - q
    columns = [np.ones(len(X))]
    if degree > 0:
        columns += list(u.T)
    if degree > 1:
        columns += [u[:, j] * u[:, k] for j in range(X.shape[1]) for k in range(j, X.shape[1])]
    root = np.sqrt(tricube)
    return np.linalg.lstsq(np.stack(columns, axis=1) * root[:, None], y * root, rcond=None)[0][0]


@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("columns", [1, 2, 4])
@pytest.mark.parametrize("setting", [{"span": 0.37}, {"span": 1.0}, {"bandwidth": 2.5}])
def test_the_definition_in_several_dimensions(degree, columns, setting):
    rng = np.random.default_rng(columns)
    X = rng.standard_normal((150, columns))
    y = X[:, 0] ** 2 + rng.standard_normal(150)
    weight = rng.uniform(0.2, 3.0, 150)
    Q = rng.standard_normal((20, columns))
    model = Loess(degree=degree, standardise=False, **setting).fit(X, y, sample_weight=weight)
    wanted = [around(X, y, q, degree, weight=weight, **setting) for q in Q]
    np.testing.assert_allclose(model.predict(Q), wanted, rtol=1e-8, atol=1e-8)


def test_distances_in_deviations():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 2)) * np.array([1.0, 50.0])
    y = X[:, 0] + np.cos(X[:, 1] / 50)
    scaled = X / X.std(axis=0)
    wanted = [around(scaled, y, q, 1, span=0.3) for q in scaled[:15]]
    np.testing.assert_allclose(Loess(0.3).fit(X, y).predict(X[:15]), wanted, rtol=1e-9)


def test_polynomials_are_reproduced():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (200, 2))
    Q = rng.uniform(-1, 1, (30, 2))

    def parabola(A):
        return 3 - A[:, 0] + 2 * A[:, 1] + A[:, 0] * A[:, 1] - 4 * A[:, 1] ** 2

    np.testing.assert_allclose(Loess(0.3, degree=2).fit(X, parabola(X)).predict(Q), parabola(Q), rtol=1e-9, atol=1e-9)
    plane = X @ [1.0, -2.0] + 5
    np.testing.assert_allclose(Loess(0.2, degree=1).fit(X, plane).predict(Q), Q @ [1.0, -2.0] + 5, rtol=1e-9, atol=1e-9)
    assert np.ptp(Loess(1.0, degree=0).fit(X, np.ones(200)).predict(Q)) < 1e-14


def test_several_targets_have_weights_of_their_own():
    x, y = curve()
    Y = np.column_stack([y, np.cos(x)])
    for iterations in (0, 2):
        both = Loess(0.4, robust_iterations=iterations).fit(x[:, None], Y)
        single = [Loess(0.4, robust_iterations=iterations).fit(x[:, None], Y[:, t]) for t in (0, 1)]
        wanted = np.stack([model.predict(x[:, None]) for model in single], axis=1)
        np.testing.assert_allclose(both.predict(x[:, None]), wanted, rtol=1e-9)
        assert both.robust_weights_.shape == (80, 2)
        assert (both.robust_weights_ == 1.0).all() == (iterations == 0)


def test_outliers_lose_their_weight():
    x, y = curve()
    model = Loess(0.4, robust_iterations=4).fit(x[:, None], y)
    out = np.isin(model.statistic_.X[:, 0], x[::10])
    assert model.robust_weights_[out].max() < 0.05 < 0.5 < np.median(model.robust_weights_[~out])


@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("columns", [1, 2])
def test_the_noise_is_what_the_smoother_leaves(degree, columns):
    """s2 = RSS / (n - tr L), with the columns of L as fits of unit vectors."""
    rng = np.random.default_rng(degree)
    X, y = rng.standard_normal((60, columns)), rng.standard_normal((60, 2))
    model = Loess(0.5, degree=degree).fit(X, y)
    L = Loess(0.5, degree=degree).fit(X, np.eye(60)).predict(X)
    wanted = ((y - L @ y) ** 2).sum(axis=0) / (60 - np.trace(L))
    np.testing.assert_allclose(model.noise_variance_, wanted, rtol=1e-9)
    away = np.stack([model.sample(X, seed) for seed in range(200)]) - model.predict(X)
    np.testing.assert_allclose(away.var(axis=(0, 1)), wanted, rtol=0.05)
    np.testing.assert_allclose(
        Loess(0.5, degree=degree).fit(X, y[:, 0], np.full(60, 2.0)).noise_variance_,
        Loess(0.5, degree=degree).fit(np.vstack([X, X]), np.tile(y[:, 0], 2)).noise_variance_,
        rtol=1e-9,
    )


def test_outliers_are_no_noise_of_a_robust_fit():
    x, y = curve()
    clean = Loess(0.4).fit(np.delete(x, np.s_[::10])[:, None], np.delete(y, np.s_[::10]))
    robust = Loess(0.4, robust_iterations=4).fit(x[:, None], y)
    usual = Loess(0.4).fit(x[:, None], y)
    noise = clean.noise_variance_
    assert 0.5 * noise < robust.noise_variance_ < 1.5 * noise < 5.0 * noise < usual.noise_variance_


def test_an_exact_fit_has_no_noise_to_draw():
    model = Loess(1.0, degree=1).fit([[0.0], [1.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match="no degrees of freedom for the noise"):
        model.sample([[0.5]])
    assert not hasattr(model, "noise_variance_")


@pytest.mark.parametrize("unit", [1e-200, 1e-8, 1e8, 1e200])
def test_the_unit_of_the_weights_does_not_matter(unit):
    rng = np.random.default_rng(0)
    for columns in (1, 3):
        X, y, weight = rng.standard_normal((60, columns)), rng.standard_normal(60), rng.uniform(0.5, 2.0, 60)
        for options in ({}, {"degree": 2}, {"robust_iterations": 1}, {"bandwidth": 0.8}):
            found, wanted = (Loess(**options).fit(X, y, weight * u).predict(X) for u in (unit, 1.0))
            np.testing.assert_allclose(found, wanted, atol=1e-9)


@settings(max_examples=100)
@given(data=st.data())
def test_a_curve_is_a_surface_of_one_column(data):
    """Two roads, one answer: sorted rows and ranges, or distances of all of them."""
    seed, n = data.draw(st.integers(0, 999)), data.draw(st.integers(1, 40))
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 9, n) * 1.0 if data.draw(st.booleans()) else rng.standard_normal(n)
    degree, span = data.draw(st.integers(0, 2)), data.draw(st.floats(0.05, 1.0))
    bandwidth = data.draw(st.sampled_from([None, 0.01, 0.7, 30.0]))
    model = Loess(span, degree=degree, bandwidth=bandwidth).fit(x[:, None], rng.standard_normal((n, 2)))
    rows, ones = model.kept(), np.ones(len(model.statistic_.Z))
    queries = np.append(rows["points"].T[:20], rng.uniform(-4.0, 4.0, (20, 1)), axis=0)
    wanted, width = (1.0 - 1e-10) * span * rows["mass"].sum(), 0.0 if bandwidth is None else bandwidth
    found, share = model.fits(rows, queries, rows["values"], ones)
    surface = model.surfaces(rows, rows["values"], ones, queries, wanted, width)
    scale = np.abs(surface).max()
    np.testing.assert_allclose(np.column_stack([found, share]), surface, rtol=1e-6, atol=1e-7 * scale)


@settings(max_examples=200)
@given(data=st.data())
def test_the_radius_in_one_column_is_the_weighted_order_statistic(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    n = data.draw(st.integers(1, 60))
    x = np.sort(rng.integers(0, 9, n) * 1.0 if data.draw(st.booleans()) else rng.standard_normal(n))
    mass, query = rng.integers(1, 4, n) * 1.0, data.draw(st.sampled_from([x[0], x[-1], -20.0, 20.0, 0.3, 4.0]))
    wanted = data.draw(st.floats(0.001, 1.0)) * mass.sum()
    order = np.argsort(np.abs(x - query))
    expected = np.abs(x - query)[order][np.argmax(np.cumsum(mass[order]) >= wanted)]
    assert least_radius(x, np.append(0.0, np.cumsum(mass)), query, wanted) == expected


def test_empty_neighbourhoods_and_equal_rows():
    x = np.array([[0.0], [1.0], [1.0], [5.0]])
    y = np.array([0.0, 2.0, 4.0, 9.0])
    fixed = Loess(bandwidth=0.1, standardise=False).fit(x, y)
    assert fixed.predict([[1.0], [3.5], [-7.0]]).tolist() == [3.0, 9.0, 0.0]
    assert Loess(0.25).fit(x, y).predict([[1.0], [5.0]]).tolist() == [3.0, 9.0]  # radius zero
    assert np.isfinite(Loess(0.5).fit(x, y).predict([[1e200], [-1e9]])).all()
    one = Loess().fit([[3.0, 4.0]], [7.0])
    assert one.predict([[3.0, 4.0], [0.0, 1e6]]).tolist() == [7.0, 7.0]


@settings(max_examples=200)
@given(data=st.data())
def test_the_radius_is_the_weighted_order_statistic(data):
    n, seed = data.draw(st.integers(1, 400)), data.draw(st.integers(0, 99))
    rng = np.random.default_rng(seed)
    kind = data.draw(st.sampled_from(["smooth", "ties", "equal", "outlier", "zeros", "tiny", "huge"]))
    squares = {
        "smooth": lambda: rng.uniform(0, 5, n),
        "ties": lambda: rng.integers(0, 4, n) * 1.0,
        "equal": lambda: np.full(n, 3.7),
        "outlier": lambda: np.append(rng.uniform(0, 1e-6, n), 1e6),
        "zeros": lambda: np.zeros(n),
        "tiny": lambda: rng.uniform(0, 1, n) * 1e-310,
        "huge": lambda: 1e200 * (1 + rng.integers(0, 3, n) * 2.0**-52),
    }[kind]()
    mass = rng.integers(1, 4, len(squares)) * 1.0
    wanted = data.draw(st.floats(0.001, 1.0)) * mass.sum()
    order = np.argsort(squares)
    expected = squares[order][np.argmax(np.cumsum(mass[order]) >= wanted)]
    assert quantile(squares, mass, wanted) == expected


def test_weighted_median_and_bisquare():
    assert weighted_median(np.array([5.0, 1.0, 3.0]), np.ones(3)) == 3.0
    assert weighted_median(np.array([4.0, 1.0, 3.0, 2.0]), np.ones(4)) == 2.5
    assert weighted_median(np.array([1.0, 2.0]), np.array([3.0, 1.0])) == 1.0
    assert bisquare(np.array([0.0, 1.0, 6.0, 3.0]), np.array([1.0, 3.0, 1.0, 1.0])).tolist() == [
        1.0, (1 - 1 / 36) ** 2, 0.0, 0.75**2,
    ]  # fmt: skip
    assert bisquare(np.array([0.0, 0.0, 1.0]), np.ones(3)).tolist() == [1.0, 1.0, 0.0]


def test_files_and_clusters_give_the_same_rows(tmp_path):
    pandas = pytest.importorskip("pandas")
    array = pytest.importorskip("dask.array")
    x, y = curve(80)
    frame = pandas.DataFrame({"x": x, "y": y})
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=30)
    wanted = Loess(0.5).fit(frame[["x"]], y).predict(frame[["x"]])
    np.testing.assert_array_equal(Loess(0.5).fit(str(tmp_path / "t.parquet"), "y").predict(frame[["x"]]), wanted)
    blocks = Loess(0.5).fit(array.from_array(x[:, None], chunks=(30, 1)), array.from_array(y, chunks=30))
    np.testing.assert_array_equal(blocks.predict(x[:, None]), wanted)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"span": 0.0}, r"span must be in \(0, 1\], got 0.0"),
        ({"span": 1.5}, "span must be in"),
        ({"span": None}, "span must be in"),
        ({"bandwidth": -1.0}, "bandwidth must be positive, or None, got -1.0"),
        ({"bandwidth": np.nan}, "bandwidth must be positive"),
        ({"degree": 3}, "degree must be 0, 1 or 2, got 3"),
        ({"degree": -1}, "degree must be a whole number of at least 0"),
        ({"robust_iterations": 1.5}, "robust_iterations must be a whole number"),
    ],
)
def test_bad_parameters(parameters, message):
    x, y = curve(20)
    with pytest.raises(ValueError, match=message):
        Loess(**parameters).fit(x[:, None], y)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("features", [1, 2])
def test_a_query_far_outside_is_extrapolated_by_its_polynomial(features, degree):
    """Seen from afar all terms are nearly one: they are taken about the rows, else some would be left out.

    The rows lie on a polynomial of the degree, so every neighbourhood has the same; scores of 1e12 keep their digits.
    """
    X = np.random.default_rng(5).uniform(0.0, 10.0, (150, features))

    def surface(rows):
        return 3.0 + rows @ np.arange(1.0, features + 1.0) + (degree - 1.0) * rows[:, 0] ** 2

    model = Loess(0.4, degree=degree).fit(X, surface(X))
    for far in (10.0, 1e2, 1e3, 1e4, 1e6):
        queries = np.vstack([np.full(features, far), np.full(features, -far)])
        assert model.predict(queries) == pytest.approx(surface(queries), rel=1e-7)
