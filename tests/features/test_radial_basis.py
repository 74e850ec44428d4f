"""Gaussian bumps against the formula, scikit-learn's kernel, and hand-worked places and widths."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics.pairwise import rbf_kernel

from sumlearn.features import RadialBasis


def rows(n, d, seed=0):
    return np.random.default_rng([seed, n, d]).standard_normal((n, d)) * 2.0 + 0.5


def by_formula(X, centres, widths):
    """exp(-|x - mu|^2 / (2 s^2)), from differences."""
    squares = ((X[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    return np.exp(-squares / (2.0 * np.asarray(widths) ** 2))


@settings(max_examples=60)
@given(
    n=st.integers(1, 30),
    d=st.integers(1, 6),
    M=st.integers(1, 8),
    width=st.floats(0.05, 20.0),
    each=st.booleans(),
    bias=st.booleans(),
)
def test_formula_and_kernel(n, d, M, width, each, bias):
    X, centres = rows(n, d), rows(M, d, seed=1)
    widths = width * np.linspace(1.0, 2.0, M) if each else width
    basis = RadialBasis(centres, widths, bias=bias).fit(X)
    found = basis.transform(X)
    assert found.shape == (n, M + bias) == (n, basis.size(d))
    assert not bias or (found[:, 0] == 1.0).all()
    np.testing.assert_allclose(found[:, int(bias) :], by_formula(X, centres, widths), rtol=1e-9, atol=1e-300)
    if not each:
        kernel = rbf_kernel(X, centres, gamma=1.0 / (2.0 * width**2))
        np.testing.assert_allclose(found[:, int(bias) :], kernel, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("width", [0.003, 0.3, 30.0])
@pytest.mark.parametrize("d", [1, 4])
def test_offset_changes_nothing(width, d):
    """At 1e9 numbers have steps of 1e-7; rows on that grid lose nothing, whatever road the distances take."""
    step = 2.0**-20
    X = np.round(rows(50, d) / step) * step
    centres = X[:7] + step
    plain = RadialBasis(centres, width).fit(X).transform(X)
    offset = 2.0**30
    far = RadialBasis(centres + offset, width).fit(X).transform(X + offset)
    np.testing.assert_allclose(far, plain, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("placing", ["spread", "random", "quantile", "grid"])
@pytest.mark.parametrize("width", ["mean_distance", "max_distance", "spacing"])
def test_offset_changes_no_learned_centre_or_width(placing, width):
    X = np.round(rows(60, 2) * 2**20) / 2**20
    plain = RadialBasis(4, width, placing=placing, random_state=3).fit(X)
    far = RadialBasis(4, width, placing=placing, random_state=3).fit(X + 1e9)
    np.testing.assert_allclose(far.centres_ - 1e9, plain.centres_, atol=1e-6)
    np.testing.assert_allclose(far.widths_, plain.widths_, rtol=1e-6)
    np.testing.assert_allclose(far.transform(X + 1e9), plain.transform(X), rtol=1e-5, atol=1e-12)


@pytest.mark.parametrize("width", [1e-3, 1e-6])
def test_narrow_functions_far_from_each_other(width):
    """A thousand and a million widths apart: extended precision as the judge."""
    centres = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, -1.0]])
    X = centres + width * np.array([0.3, -0.7])
    found = RadialBasis(centres, width).fit(X).transform(X)
    with mpmath.workdps(40):
        for i, x in enumerate(X):
            square = sum((mpmath.mpf(float(a)) - mpmath.mpf(float(m))) ** 2 for a, m in zip(x, centres[i], strict=True))
            exact = mpmath.exp(-square / (2 * mpmath.mpf(width) ** 2))
            assert found[i, i] == pytest.approx(float(exact), rel=1e-9)
    assert (found[~np.eye(3, dtype=bool)] == 0.0).all()


@pytest.mark.parametrize("scale", [1e-200, 1e-100, 1e100, 1e200])
def test_scale_changes_nothing(scale):
    X = rows(40, 2)
    plain = RadialBasis(5, random_state=0).fit(X)
    scaled = RadialBasis(5, random_state=0).fit(X * scale)
    np.testing.assert_allclose(scaled.transform(X * scale), plain.transform(X), rtol=1e-9, atol=1e-300)


def test_rows_beyond_reach_are_zero():
    basis = RadialBasis([[0.0], [1.0]], width=1.0).fit([[0.0]])
    assert basis.transform([[1e308], [-1e308], [1e160]]).tolist() == [[0.0, 0.0]] * 3
    huge = RadialBasis([[-1e308], [1e308]], width=1e308).fit([[0.0]])
    np.testing.assert_allclose(huge.transform([[1e308], [0.0]]), np.exp([[-2.0, 0.0], [-0.5, -0.5]]))


def test_float32_is_computed_in_float64():
    X = rows(50, 3).astype(np.float32)
    found = RadialBasis(X[:6], 0.7).fit(X).transform(X)
    assert found.dtype == np.float32
    expected = by_formula(X.astype(float), X[:6].astype(float), 0.7)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-37)


# Three centres on a line and one beside it; distances 1, 2, 3 on the line, and 4 from the last to the origin.
CENTRES = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [0.0, 4.0]])


def test_widths_by_rule_worked_by_hand():
    far = [4.0, np.sqrt(17.0), 5.0]  # from (0, 4) to the others
    expected = {
        ("mean_distance", 1): [1.0, 1.0, 2.0, 4.0],
        ("mean_distance", 2): [2.0, 1.5, 2.5, (far[0] + far[1]) / 2],
        ("mean_distance", 3): [(1 + 3 + 4) / 3, (1 + 2 + far[1]) / 3, (2 + 3 + 5) / 3, sum(far) / 3],
        ("mean_distance", 99): [(1 + 3 + 4) / 3, (1 + 2 + far[1]) / 3, (2 + 3 + 5) / 3, sum(far) / 3],
        ("max_distance", 2): [5.0 / np.sqrt(8.0)] * 4,
        ("spacing", 2): [(1.0 + 1.0 + 2.0 + 4.0) / 4] * 4,
    }
    for (rule, neighbours), widths in expected.items():
        basis = RadialBasis(CENTRES, rule, neighbours=neighbours).fit(CENTRES)
        assert basis.widths_.tolist() == pytest.approx(widths), rule


@given(M=st.integers(2, 12), d=st.integers(1, 4), neighbours=st.integers(1, 5))
def test_widths_by_rule(M, d, neighbours):
    centres = rows(M, d)
    distances = squareform(pdist(centres))
    nearest = np.sort(distances, axis=1)[:, 1:]
    expected = {
        "mean_distance": nearest[:, :neighbours].mean(axis=1),
        "max_distance": np.full(M, distances.max() / np.sqrt(2 * M)),
        "spacing": np.full(M, nearest[:, 0].mean()),
    }
    for rule, widths in expected.items():
        found = RadialBasis(centres, rule, neighbours=neighbours).fit(centres).widths_
        np.testing.assert_allclose(found, widths, rtol=1e-12)


def test_largest_distance_over_several_blocks():
    centres = rows(2500, 2)
    centres[2400] = [50.0, 50.0]
    found = RadialBasis(centres, "max_distance").fit(centres).widths_
    np.testing.assert_allclose(found, pdist(centres).max() / np.sqrt(5000.0), rtol=1e-12)


@given(n=st.integers(1, 40), d=st.integers(1, 4), seed=st.integers(0, 100), share=st.floats(0.0, 1.0))
def test_spread_takes_the_farthest_row_each_time(n, d, seed, share):
    X = rows(n, d, seed)
    M = max(1, round(share * n))
    centres = RadialBasis(M, 1.0, random_state=seed).fit(X).centres_
    for j in range(1, M):
        reach = np.sqrt(((X[:, None] - centres[None, :j]) ** 2).sum(axis=2)).min(axis=1)
        step = np.sqrt(((centres[j] - centres[:j]) ** 2).sum(axis=1)).min()
        assert reach.max() * (1.0 - 1e-5) <= step <= reach.max() * (1.0 + 1e-12)
    assert {tuple(c) for c in centres} <= {tuple(x) for x in X}
    assert len({tuple(c) for c in centres}) == M


def test_rounding_decides_no_tie():
    """Decimals in equal steps are tied in many ways; the same rows, rounded far from zero, are chosen alike."""
    X = np.arange(100)[np.random.default_rng(0).permutation(100)][:, None] / 10.0
    for seed in range(5):
        near, far = (RadialBasis(20, random_state=seed).fit(X + offset).centres_ for offset in (0.0, 1e9))
        np.testing.assert_allclose(far - 1e9, near, atol=1e-6)


@pytest.mark.parametrize("placing", ["spread", "random"])
def test_seeds_and_different_rows(placing):
    """Three different rows, each many times: all three are found, and a fourth is refused."""
    X = np.repeat([[0.0, 1.0], [2.0, 3.0], [5.0, 1.0]], [200, 1, 1], axis=0)
    for seed in range(5):
        centres = RadialBasis(3, placing=placing, random_state=seed).fit(X).centres_
        assert sorted(centres.tolist()) == [[0.0, 1.0], [2.0, 3.0], [5.0, 1.0]]
    with pytest.raises(ValueError, match=r"centres=4 needs as many different rows, but X has 3 \(n_samples = 202\)"):
        RadialBasis(4, placing=placing).fit(X)
    X = rows(100, 2)
    first, again, other = (RadialBasis(5, placing=placing, random_state=s).fit(X) for s in (1, 1, 2))
    assert np.array_equal(first.centres_, again.centres_)
    assert not np.array_equal(first.centres_, other.centres_)


def test_clusters():
    """Centres in the middle of far clusters, whatever the order and the number of repetitions; as in scikit-learn."""
    rng = np.random.default_rng(0)
    truth = np.array([[0.0, 0.0], [50.0, 0.0], [0.0, 70.0], [90.0, 90.0]])
    X = np.repeat(truth, 25, axis=0) + rng.standard_normal((100, 2))
    found = RadialBasis(4, placing="kmeans", random_state=0).fit(X).centres_
    order = np.lexsort(found.T[::-1])
    means = np.array([X[25 * k : 25 * k + 25].mean(axis=0) for k in range(4)])
    np.testing.assert_allclose(found[order], means[np.lexsort(means.T[::-1])], rtol=1e-9)
    shuffled = np.repeat(X, rng.integers(1, 4, 100), axis=0)
    again = RadialBasis(4, placing="kmeans", random_state=0).fit(rng.permutation(shuffled)).centres_
    np.testing.assert_array_equal(again, found)
    far = RadialBasis(4, placing="kmeans", random_state=0).fit(X + 1e9).centres_
    np.testing.assert_allclose(far - 1e9, found, atol=1e-5)


def test_clusters_of_a_few_or_of_many_rows():
    X = np.repeat([[0.0], [1.0], [5.0]], 9, axis=0)
    assert sorted(RadialBasis(3, placing="kmeans").fit(X).centres_[:, 0]) == [0.0, 1.0, 5.0]
    with pytest.raises(ValueError, match="centres=4 needs as many different rows, but X has 3"):
        RadialBasis(4, placing="kmeans").fit(X)
    fewer = RadialBasis(4, placing="kmeans", fewer=True).fit(X)
    assert fewer.size(1) == 3 and fewer.transform(X).shape == (27, 3)
    single = RadialBasis(4, placing="kmeans", fewer=True).fit(X[:5])
    assert single.centres_.tolist() == [[0.0]] and single.widths_.tolist() == [1.0]
    many = rows(6000, 1)
    assert RadialBasis(3, placing="kmeans", random_state=1).fit(many).centres_.shape == (3, 1)


def test_double_outputs():
    X = rows(20, 2).astype(np.float32)
    plain, double = (RadialBasis(5, random_state=0, double=flag).fit(X) for flag in (False, True))
    assert plain.transform(X).dtype == np.float32 and double.transform(X).dtype == np.float64
    np.testing.assert_allclose(double.transform(X), plain.transform(X), rtol=1e-6)


def test_grid_and_quantiles():
    X = np.array([[0.0, 10.0], [1.0, 10.0], [2.0, 30.0], [4.0, 20.0], [4.0, 20.0]])
    grid = RadialBasis(3, placing="grid").fit(X).centres_
    assert grid.tolist() == [[a, b] for a in (0.0, 2.0, 4.0) for b in (10.0, 20.0, 30.0)]
    given_ends = RadialBasis(2, placing="grid", domain=[(0.0, 1.0), (-1.0, 1.0)]).fit(X).centres_
    assert given_ends.tolist() == [[0.0, -1.0], [0.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
    assert RadialBasis(1, 1.0, placing="grid", domain=(0.0, 1.0)).fit(X).centres_.tolist() == [[0.5, 0.5]]
    quantiles = RadialBasis(2, placing="quantile").fit(X).centres_  # 1/4 and 3/4 of 0, 1, 2, 4 and of 10, 20, 30
    assert quantiles.tolist() == [[a, b] for a in (0.75, 2.5) for b in (15.0, 25.0)]
    assert RadialBasis(3, placing="grid").size(2) == 9
    assert RadialBasis(3, placing="spread", bias=True).size(2) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"centres": 0}, "centres must be a whole number of at least 1, got 0"),
        ({"centres": 2.5}, "centres must be a whole number"),
        ({"centres": "many"}, "centres must hold numbers, got 'many'"),
        ({"centres": None}, "centres must"),
        ({"centres": []}, "centres must hold numbers"),
        ({"centres": [["1.0", "2.0"]]}, "centres must hold numbers"),
        ({"centres": [[1.0, 2.0, 3.0]]}, r"centres must have shape \(M, 2\).* got \(1, 3\)"),
        ({"centres": [1.0, 2.0]}, r"centres must have shape \(M, 2\)"),
        ({"centres": [[1.0, np.nan]]}, r"centres must be finite, got nan at index \(0, 1\)"),
        ({"width": 0.0}, "width must be positive, got 0"),
        ({"width": -1.0}, "width must be positive, got -1"),
        ({"width": np.inf}, "width must be finite"),
        ({"width": [1.0, 2.0]}, r"width must be one number or one for each of 3 centres, got \(2,\)"),
        ({"width": "wide"}, "width must be one of 'mean_distance'"),
        ({"width": 1e-200}, "width must not be below 1e-150 of the spread"),
        ({"centres": 1}, "width='mean_distance' needs at least two different centres"),
        ({"centres": [[1.0, 2.0]] * 3, "width": "spacing"}, "width='spacing' needs at least two different centres"),
        ({"centres": [[1.0, 2.0]] * 3 + [[0.0, 0.0]]}, "width='mean_distance' is zero at centre 0"),
        ({"placing": "clusters"}, "placing must be one of 'spread'"),
        ({"placing": "grid", "domain": (1.0, 0.0)}, "domain must have low < high"),
        ({"neighbours": 0}, "neighbours must be a whole number of at least 1"),
        ({"random_state": "seed"}, "seed"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        RadialBasis(**{"centres": 3} | options).fit(rows(20, 2))


def test_a_grid_of_too_many_points_is_refused():
    with pytest.raises(ValueError, match=r"centres=10 in each of 30 columns makes 10\^30"):
        RadialBasis(10, placing="grid").fit(rows(5, 30))


def test_given_centres_are_not_shared():
    centres = rows(3, 2)
    basis = RadialBasis(centres, 1.0).fit(rows(5, 2))
    before = basis.transform(rows(5, 2))
    centres[:] = 0.0
    assert np.array_equal(basis.transform(rows(5, 2)), before)
