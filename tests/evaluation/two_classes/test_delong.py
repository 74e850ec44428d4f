"""DeLong's paired test: against all pairs, against resampling, and under the null."""

import numpy as np
import pytest
from scipy.stats import kstest, norm

from sumlearn.evaluation import RocCurve, auc, delong_test


def three_scores(n=150, seed=0, ties=False):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    common = rng.standard_normal(n)
    a, b = 1.2 * y + common + 0.5 * rng.standard_normal(n), 0.8 * y + common + 0.5 * rng.standard_normal(n)
    return (y, np.round(a, 1), np.round(b, 1)) if ties else (y, a, b)


def covariance_over_pairs(y, scores):
    """Areas and their covariance matrix as DeLong, DeLong & Clarke-Pearson define them, pair by pair."""
    m, n = int((y == 1).sum()), int((y == 0).sum())
    over_negatives, over_positives = [], []
    for score in scores:
        kernel = np.array([[(x > z) + 0.5 * (x == z) for z in score[y == 0]] for x in score[y == 1]])
        over_negatives.append(kernel.mean(axis=1))
        over_positives.append(kernel.mean(axis=0))
    S10, S01 = np.cov(over_negatives), np.cov(over_positives)
    return [v.mean() for v in over_negatives], S10 / m + S01 / n


@pytest.mark.parametrize("ties", [False, True])
def test_over_all_pairs(ties):
    y, a, b = three_scores(ties=ties)
    areas, S = covariance_over_pairs(y, [a, b])
    contrast = np.array([1.0, -1.0])
    variance = contrast @ S @ contrast
    found = delong_test(y, a, b, confidence=0.9)
    assert (found.auc_a, found.auc_b) == pytest.approx(areas, rel=1e-12)
    assert found.difference == pytest.approx(areas[0] - areas[1], rel=1e-10)
    assert found.variance == pytest.approx(variance, rel=1e-10)
    assert found.z == pytest.approx((areas[0] - areas[1]) / np.sqrt(variance), rel=1e-10)
    assert found.p_value == pytest.approx(2 * norm.sf(abs(found.z)), rel=1e-10)
    half = norm.ppf(0.95) * np.sqrt(variance)
    assert found.interval == pytest.approx((found.difference - half, found.difference + half), rel=1e-10)


def test_each_area_and_variance_is_that_of_its_curve():
    """Against a constant score, of area 1/2 and variance 0, the test is that of one curve."""
    y, a, _ = three_scores()
    curve = RocCurve(y, a)
    found = delong_test(y, a, np.zeros(len(y)))
    assert found.auc_b == 0.5
    assert found.auc_a == pytest.approx(curve.auc(), rel=1e-13)
    assert found.variance == pytest.approx(curve.auc_variance(), rel=1e-12)


def test_variance_is_that_of_resampled_rows():
    y, a, b = three_scores(400)
    rng = np.random.default_rng(5)
    differences = []
    for _ in range(800):
        rows = rng.integers(0, len(y), len(y))
        differences.append(auc(y[rows], a[rows]) - auc(y[rows], b[rows]))
    assert delong_test(y, a, b).variance == pytest.approx(np.var(differences), rel=0.15)


def test_p_values_are_uniform_where_nothing_differs():
    p = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        y = np.arange(120) % 2
        a, b = rng.standard_normal((2, 120)) + y
        p.append(delong_test(y, a, b).p_value)
    assert kstest(p, "uniform").pvalue > 0.01


def test_swapped_scores():
    y, a, b = three_scores()
    one, other = delong_test(y, a, b), delong_test(y, b, a)
    assert (one.difference, one.z) == pytest.approx((-other.difference, -other.z), rel=1e-12)
    assert one.p_value == pytest.approx(other.p_value, rel=1e-12)


def test_weight_is_a_number_of_rows():
    y, a, b = three_scores(ties=True)
    weight = np.random.default_rng(2).integers(0, 4, len(y))
    once, often = delong_test(y, a, b, weight), delong_test(y.repeat(weight), a.repeat(weight), b.repeat(weight))
    assert once[:6] == pytest.approx(often[:6], rel=1e-10)
    a[weight == 0] = np.nan
    assert delong_test(y, a, b, weight)[:6] == pytest.approx(often[:6], rel=1e-10)


def test_equal_scores_do_not_differ():
    y, a, _ = three_scores()
    found = delong_test(y, a, 3.0 * a + 1.0)  # the same order
    assert (found.difference, found.z, found.p_value) == (0.0, 0.0, 1.0)


def test_labels_and_positive():
    y, a, b = three_scores()
    words = np.array(["neg", "pos"])[y]
    assert delong_test(words, a, b) == delong_test(y, a, b)
    assert delong_test(words, -a, -b, positive="neg").z == pytest.approx(delong_test(y, a, b).z, rel=1e-10)


@pytest.mark.parametrize(
    ("y", "a", "b", "options", "message"),
    [
        ([0, 0, 1, 1], [1, 2, 3, 4], [1, 1, 1, 1], {}, "variance of zero"),
        ([0, 1, 1], [1, 2, 3], [1, 3, 2], {}, "negative rows of weight above 1"),
        ([0, 0, 1, 1], [1, 2, 3, np.nan], [1, 1, 1, 1], {}, "score_a contains NaN: first at row 3"),
        ([0, 0, 1, 1], [1, 2, 3, 4], [1, np.inf, 1, 1], {}, "score_b contains infinity: first at row 1"),
        ([0, 0, 1, 1], [1, 2, 3], [1, 1, 1, 1], {}, "score_a has shape"),
        ([0, 0, 0, 0], [1, 2, 3, 4], [1, 1, 1, 1], {}, "one class only"),
        ([0, 0, 1, 1], [1, 2, 3, 4], [1, 3, 2, 4], {"confidence": 2.0}, "confidence"),
        ([0, 0, 1, 1], [1, 2, 3, 4], [1, 3, 2, 4], {"sample_weight": [1, 1, 0, 0]}, "positive rows of weight"),
    ],
)
def test_bad_input(y, a, b, options, message):
    with pytest.raises(ValueError, match=message):
        delong_test(y, a, b, **options)
