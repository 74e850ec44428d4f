"""ROC curves, areas and working points: against scikit-learn, hand-worked tables and the definitions."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, norm
from sklearn.metrics import (
    average_precision_score,
    det_curve,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)
from sklearn.preprocessing import PolynomialFeatures

from sumlearn import LinearRegression
from sumlearn.data import load_example
from sumlearn.evaluation import RocCurve, auc


@st.composite
def problems(draw, weighted=True):
    """Labels of both classes and scores of few values, so that ties are common; weights or None."""
    n = draw(st.integers(2, 40))
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    y[:2] = [0, 1]
    values = draw(st.sampled_from([3, 10, 10**6]))
    score = np.array(draw(st.lists(st.integers(-values, values), min_size=n, max_size=n))) / 8.0
    score = score.astype(draw(st.sampled_from([np.float64, np.float32, np.int16])))
    weight = None
    if weighted and draw(st.booleans()):
        weight = np.array(draw(st.lists(st.sampled_from([0.0, 0.25, 1.0, 2.0, 3.5]), min_size=n, max_size=n)))
        weight[:2] = [1.0, 2.0]
    return y, score, weight


def some(n=400, ties=False, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    score = rng.standard_normal(n) + y
    return y, np.round(score, 1) if ties else score


@settings(max_examples=80)
@given(problems())
def test_agrees_with_scikit_learn(problem):
    y, score, weight = problem
    curve = RocCurve(y, score, weight)
    keep = slice(None) if weight is None else weight > 0  # scikit-learn keeps thresholds of absent rows
    w = None if weight is None else weight[keep]
    fpr, tpr, thresholds = roc_curve(y[keep], score[keep].astype(float), sample_weight=w, drop_intermediate=False)
    assert curve.fpr == pytest.approx(fpr, abs=1e-12)
    assert curve.tpr == pytest.approx(tpr, abs=1e-12)
    assert np.array_equal(curve.thresholds, thresholds)
    assert curve.auc() == pytest.approx(roc_auc_score(y, score, sample_weight=weight), abs=1e-12)
    precision, recall, cuts = precision_recall_curve(y[keep], score[keep].astype(float), sample_weight=w)
    assert curve.precision[::-1] == pytest.approx(precision, abs=1e-12)
    assert curve.tpr[::-1] == pytest.approx(recall, abs=1e-12)
    assert np.array_equal(curve.thresholds[:0:-1], cuts)
    expected = average_precision_score(y, score, sample_weight=weight)
    assert curve.average_precision == pytest.approx(expected, abs=1e-12)


@settings(max_examples=60)
@given(problems())
def test_points_are_the_counts_of_accepted_rows(problem):
    y, score, weight = problem
    w = np.ones(len(y)) if weight is None else weight
    curve = RocCurve(y, score, weight)
    for k, threshold in enumerate(curve.thresholds):
        accepted = score >= threshold
        assert curve.tp[k] == pytest.approx(w[accepted & (y == 1)].sum(), abs=1e-12)
        assert curve.fp[k] == pytest.approx(w[accepted & (y == 0)].sum(), abs=1e-12)
        found = curve.at(threshold)
        assert found == curve.point(k)
        assert (found.fnr, found.tnr) == pytest.approx((curve.fnr[k], curve.tnr[k]), abs=1e-15)
    assert curve.at(float(score.min()) - 1.0)[1:3] == (1.0, 1.0)
    assert curve.at(float(score.max()) + 1.0)[1:3] == (0.0, 0.0)


@settings(max_examples=60)
@given(problems())
def test_auc_is_the_share_of_ordered_pairs(problem):
    y, score, weight = problem
    w = np.ones(len(y)) if weight is None else weight
    positive, negative = score[y == 1][:, None].astype(float), score[y == 0].astype(float)
    pairs = w[y == 1][:, None] * w[y == 0]
    strict = (pairs * (positive > negative)).sum() / pairs.sum()
    ties = (pairs * (positive == negative)).sum() / pairs.sum()
    assert auc(y, score, sample_weight=weight) == pytest.approx(strict + ties / 2, abs=1e-12)
    assert auc(y, score, ties="strict", sample_weight=weight) == pytest.approx(strict, abs=1e-12)


def test_auc_is_the_statistic_of_mann_and_whitney():
    y, score = some(ties=True)
    u = mannwhitneyu(score[y == 1], score[y == 0]).statistic
    assert auc(y, score) == pytest.approx(u / ((y == 1).sum() * (y == 0).sum()), rel=1e-14)


def test_note_averages_recall_over_the_negatives():
    """The note's remark: mean over the negative rows of the recall at their score, from above."""
    y, score = some()
    recall = [(score[y == 1] > cut).mean() for cut in score[y == 0]]
    assert auc(y, score, ties="strict") == pytest.approx(np.mean(recall), rel=1e-13)


def test_hand_worked_table():
    """Ten rows, five of them positive.

    score      .9 .8 .7 .6 .5 .4 .3 .2 .1 .0
    positive    1  1  0  1  0  1  0  0  1  0
    tp          1  2  2  3  3  4  4  4  5  5
    fp          0  0  1  1  2  2  3  4  4  5
    """
    y = np.array([1, 1, 0, 1, 0, 1, 0, 0, 1, 0])
    curve = RocCurve(y, np.arange(9, -1, -1) / 10)
    assert curve.tp.tolist() == [0, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5]
    assert curve.fp.tolist() == [0, 0, 0, 1, 1, 2, 2, 3, 4, 4, 5]
    assert curve.auc() == pytest.approx((2 + 3 + 4 + 4 + 5) / 25, rel=1e-15)
    # FNR = FPR = 2/5 after five rows; recall = precision = 3/5 there too
    assert curve.eer == pytest.approx(0.4, rel=1e-15) and curve.eer_point.threshold == 0.5
    assert curve.bep == 0.6 and curve.bep_point.threshold == 0.5
    # TPR - FPR is 2/5 at .8, .6 and .4: the highest threshold is taken
    assert curve.tangent_point == (0.8, 0.4, 0.0, 1.0)
    assert curve.average_precision == pytest.approx((1 + 1 + 3 / 4 + 4 / 6 + 5 / 9) / 5, rel=1e-15)
    # corners: (0, 0), (0, 2), (2, 4), (4, 5), (5, 5); (1, 3) lies on an edge
    assert curve.convex_hull().tolist() == [0, 2, 6, 9, 10]
    # one false acceptance as dear as three false rejections: 3 fp + fn is least (3) after two rows
    assert curve.iso_cost_point(3.0, 1.0).threshold == 0.8
    # one false rejection as dear as three: fp + 3 fn is 2 + 3 = 5 at .4, 4 at .1
    assert curve.iso_cost_point(1.0, 3.0).threshold == 0.1
    assert curve.expected_cost(1.0, 3.0)[9] == pytest.approx(4 / 10, rel=1e-15)


def test_break_even_needs_an_accepted_positive():
    """At the top score recall and precision are both zero, and that is no break-even point."""
    curve = RocCurve([0, 1, 1, 0], [4.0, 3.0, 2.0, 1.0])
    assert curve.bep == 0.5 and curve.bep_point.threshold == 3.0


def test_equal_error_of_ties_takes_the_higher_threshold():
    """FNR - FPR is 2/5 - 3/10 after six rows and 1/5 - 3/10 after seven: 1/10 both, though not to the last bit."""
    y = [1] * 3 + [0] * 3 + [1] * 2 + [0] * 7
    curve = RocCurve(y, np.arange(15, 0, -1))
    gaps = np.abs(curve.fnr - curve.fpr)
    assert gaps[7] < gaps[6] < gaps[7] + 1e-15
    assert curve.eer_point.threshold == 10.0 and curve.eer == pytest.approx(0.4, rel=1e-15)


def test_ties_over_the_crossing_are_interpolated():
    """Where both errors are equal, half of the ten tied rows are accepted: two positives of four, 3 others of six."""
    constant = RocCurve([1] * 4 + [0] * 6, np.zeros(10))
    assert constant.eer == 0.5 and constant.eer_interpolated and constant.eer_point == (0.0, 0.5, 0.5, 0.4)
    # as many rows are accepted as there are positive ones, four of ten: recall 0.4 and precision 0.4
    assert constant.bep == pytest.approx(0.4, rel=1e-15) and constant.bep_interpolated
    assert constant.bep_point.precision == pytest.approx(0.4, rel=1e-15)
    # two positives and one other above, one and two tied: FNR 1/3 - s/3 meets FPR 1/6 + s/3 at s = 1/4
    some = RocCurve([1, 1, 0, 1, 0, 0, 0, 0, 0], [3, 3, 3, 2, 2, 2, 1, 1, 1])
    assert some.eer == pytest.approx(1 / 4, rel=1e-14) and some.eer_interpolated and some.eer_point.threshold == 2.0
    # ties of one class: all positives lie between the halves of the others
    between = RocCurve([0] * 5 + [1] * 10 + [0] * 5, [2.0] * 5 + [1.0] * 10 + [0.0] * 5)
    assert (between.eer, between.eer_point.fpr) == (0.5, 0.5)
    assert not RocCurve([0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0]).eer_interpolated


def test_a_score_turned_round_breaks_even_at_nothing():
    """As many rows are accepted as there are positives, and none of them is one."""
    assert RocCurve([0, 0, 0, 1], [4.0, 3.0, 2.0, 1.0]).bep == 0.0


@settings(max_examples=60)
@given(problems(), st.floats(0.1, 10), st.floats(0.1, 10), st.one_of(st.none(), st.floats(0.05, 0.95)))
def test_working_points_by_definition(problem, accept, reject, prior):
    y, score, weight = problem
    curve = RocCurve(y, score, weight)
    observed = slice(1, None)
    least = 0.0 if curve.eer_interpolated else np.abs(curve.fnr - curve.fpr)[observed].min()
    assert least == pytest.approx(abs(curve.eer - curve.eer_point.fpr), abs=1e-12)
    apart = np.abs(curve.tpr - curve.precision)[observed][curve.tp[observed] > 0]
    least = 0.0 if curve.bep_interpolated or curve.bep == 0 else apart.min()
    assert least == pytest.approx(abs(curve.bep - curve.bep_point.precision), abs=1e-12)
    youden = curve.tangent_point
    assert youden.tpr - youden.fpr == pytest.approx((curve.tpr - curve.fpr).max(), abs=1e-12)
    p = curve.positives / (curve.positives + curve.negatives) if prior is None else prior
    cost = accept * (1 - p) * curve.fpr + reject * p * (1 - curve.tpr)
    best = curve.iso_cost_point(accept, reject, prior)
    assert accept * (1 - p) * best.fpr + reject * p * best.fnr == pytest.approx(cost.min(), abs=1e-12)


@settings(max_examples=60)
@given(problems())
def test_convex_hull(problem):
    """Above every point, turning right at each corner, and holding the cheapest point of any costs."""
    curve = RocCurve(*problem)
    hull = curve.convex_hull()
    assert hull[0] == 0 and hull[-1] == len(curve.thresholds) - 1
    x, y = curve.fpr[hull], curve.tpr[hull]
    turn = np.diff(x)[:-1] * np.diff(y)[1:] - np.diff(y)[:-1] * np.diff(x)[1:]
    assert (turn < 1e-15).all()
    assert (np.interp(curve.fpr, x, y) >= curve.tpr - 1e-12).all() or (np.diff(x) == 0).any()
    for slope in (0.1, 1.0, 7.0):
        gain = curve.tpr - slope * curve.fpr
        assert gain[hull].max() == pytest.approx(gain.max(), abs=1e-12)


def test_detection_error_trade_off():
    y, score = some(2000)
    x, z = RocCurve(y, score).det()
    fpr, fnr, _ = det_curve(y, score, drop_intermediate=False)
    inside = (fpr > 0) & (fpr < 1) & (fnr > 0) & (fnr < 1)
    assert np.sort(norm.cdf(x)) == pytest.approx(np.sort(fpr[inside]), rel=1e-12)
    assert np.sort(norm.cdf(z)) == pytest.approx(np.sort(fnr[inside]), rel=1e-12)
    slope = np.polyfit(x, z, 1)[0]  # two unit normals: a line of slope -1
    assert slope == pytest.approx(-1.0, abs=0.1)


def direct_variance(y, score):
    """DeLong's variance over all pairs."""
    positive, negative = score[y == 1][:, None], score[y == 0]
    kernel = (positive > negative) + 0.5 * (positive == negative)
    return kernel.mean(axis=1).var(ddof=1) / len(positive) + kernel.mean(axis=0).var(ddof=1) / len(negative)


@pytest.mark.parametrize("ties", [False, True])
def test_auc_variance_over_all_pairs(ties):
    y, score = some(ties=ties)
    curve = RocCurve(y, score)
    assert curve.auc_variance() == pytest.approx(direct_variance(y, score), rel=1e-12)
    half = norm.ppf(0.95) * np.sqrt(direct_variance(y, score))
    assert curve.auc_interval(0.9) == pytest.approx((curve.auc() - half, curve.auc() + half), rel=1e-12)


def test_auc_interval_covers():
    """95 % limits hold the true area, Phi(1 / sqrt 2), in about 95 % of samples."""
    true = norm.cdf(1 / np.sqrt(2))
    hits = 0
    for seed in range(400):
        low, high = RocCurve(*some(200, seed=seed)).auc_interval()
        hits += low <= true <= high
    assert 0.92 <= hits / 400 <= 0.98


def test_weight_is_a_number_of_rows():
    y, score = some(120, ties=True)
    weight = np.random.default_rng(1).integers(0, 4, 120)
    once, often = RocCurve(y, score, weight), RocCurve(y.repeat(weight), score.repeat(weight))
    assert np.array_equal(once.thresholds, often.thresholds)
    for name in ("tp", "fp", "tpr", "fnr", "fpr", "tnr", "precision"):
        assert getattr(once, name) == pytest.approx(getattr(often, name), rel=1e-14)
    for name in ("eer", "bep", "average_precision"):
        assert getattr(once, name) == pytest.approx(getattr(often, name), rel=1e-13)
    assert once.auc_variance() == pytest.approx(often.auc_variance(), rel=1e-12)
    score[weight == 0] = np.nan  # an absent row may hold anything
    assert RocCurve(y, score, weight).auc() == once.auc()


def test_labels_of_any_kind():
    y, score = some(100)
    expected = auc(y, score)
    for labels in (
        y.astype(bool),
        2 * y - 1,
        y.astype(float),
        np.array(["neg", "pos"])[y],
        np.array(["neg", "pos"], dtype=object)[y],
        y.tolist(),
        pd.Series(y),
        pl.Series(y),
        y[:, None],
    ):
        assert auc(labels, score) == expected
    assert auc(y, pd.Series(score)) == auc(y, score.tolist()) == auc(y, score[:, None]) == expected
    assert auc(y, -score, positive=0) == pytest.approx(expected, rel=1e-14)
    three = np.where(np.arange(100) < 30, "c", np.array(["a", "b"])[y])
    assert auc(three, score, positive="b") == pytest.approx(roc_auc_score(three == "b", score), rel=1e-14)
    assert RocCurve(np.array(["neg", "pos"])[y], score).positive == "pos"
    assert "AUC" in repr(RocCurve(y, score))


def test_memory_orders_and_byte_orders():
    y, score = some(100)
    expected = auc(y, score)
    wide = np.zeros((100, 3))
    wide[:, 1] = score
    assert auc(y, wide[:, 1]) == expected
    assert auc(y[::-1], score[::-1]) == expected
    assert auc(y, score.astype(">f8")) == expected
    score.setflags(write=False)
    assert auc(y, score) == expected


def test_extreme_scores():
    y = [0, 0, 1, 1]
    assert auc(y, [-1e308, 1.0, 1e300, 1.7e308]) == 1.0
    assert auc(y, [1e9, 1e9 + 1e-6, 1e9 + 2e-6, 1e9 + 3e-6]) == 1.0
    assert auc(y, [0.0, -0.0, 0.0, -0.0]) == 0.5
    assert auc(y, [5, 5, 5, 5]) == 0.5
    assert auc(y, [5, 5, 5, 5], ties="strict") == 0.0
    constant = RocCurve(y, [5, 5, 5, 5])
    assert constant.thresholds.tolist() == [np.inf, 5.0]
    assert (constant.eer, constant.bep) == (0.5, 0.5) and constant.eer_interpolated and constant.bep_interpolated


@pytest.mark.parametrize(
    ("y", "score", "options", "error", "message"),
    [
        ([0, 1], [0.1, np.nan], {}, ValueError, "score contains NaN: first at row 1"),
        ([0, 1, 1], [0.1, np.inf, np.nan], {}, ValueError, "score contains infinity: first at row 1"),
        ([0, 1], [0.1, -np.inf], {}, ValueError, "score contains infinity: first at row 1"),
        ([0, 1], [0.1, np.nan], {"sample_weight": [1, 1]}, ValueError, "score contains NaN: first at row 1"),
        ([1, 1], [0.1, 0.2], {}, ValueError, "one class only, 1:"),
        ([1, 1], [0.1, 0.2], {"positive": 1}, ValueError, "one class only"),
        ([0, 1, 2], [0.1, 0.2, 0.3], {}, ValueError, "more than two labels, the third, 2, first at row 2"),
        ([0, 1], [0.1, 0.2], {"positive": 3}, ValueError, "positive label 3 does not occur"),
        ([0, 1], [0.1, 0.2], {"positive": "pos"}, ValueError, "positive label 'pos' does not occur"),
        ([0.0, np.nan], [0.1, 0.2], {}, ValueError, "y_true contains NaN: first at row 1"),
        (["a", None], [0.1, 0.2], {}, ValueError, "y_true contains NaN: first at row 1"),
        ([], [], {}, ValueError, "no rows"),
        ([0, 1], [0.1], {}, ValueError, "score has shape"),
        ([0, 1], [[0.1, 0.2], [0.3, 0.4]], {}, ValueError, "score has shape"),
        ([[0, 1], [1, 0]], [0.1, 0.2], {}, ValueError, "y_true must be one-dimensional"),
        ([0, 1], ["0.1", "0.2"], {}, TypeError, "score must hold real numbers"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [1.0]}, ValueError, "sample_weight has shape"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [1.0, -1.0]}, ValueError, "sample_weight.*row 1"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [1.0, np.nan]}, ValueError, "sample_weight contains NaN.*row 1"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [1.0, 0.0]}, ValueError, "no positive row has a weight"),
        ([0, 1], [0.1, 0.2], {"sample_weight": ["a", "b"]}, TypeError, "sample_weight must hold real numbers"),
        ([0, 1], [2**53 + 1, 2**53 + 2], {}, ValueError, "score holds whole numbers.*ties"),
    ],
)
def test_bad_input(y, score, options, error, message):
    with pytest.raises(error, match=message):
        RocCurve(y, score, **options)


def test_bad_options():
    curve = RocCurve([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])
    for call, message in (
        (lambda: curve.auc(ties="none"), "ties must be"),
        (lambda: curve.auc_interval(1.0), "confidence"),
        (lambda: curve.at(np.nan), "threshold"),
        (lambda: curve.iso_cost_point(-1.0), "costs"),
        (lambda: curve.iso_cost_point(0.0, 0.0), "costs"),
        (lambda: curve.iso_cost_point(prior=1.5), "prior"),
        (lambda: RocCurve([0, 1, 1], [0.1, 0.2, 0.3]).auc_variance(), "negative rows of weight above 1"),
        (lambda: RocCurve.from_counts([0.1, 0.2], [1, 1], [1, 1]), "falling"),
        (lambda: RocCurve.from_counts([0.2, 0.1], [1, 1], [1]), "count of either class"),
        (lambda: RocCurve.from_counts([0.2, 0.1], [1, 1], [0, 0]), "no negative row"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


# Least-squares polynomial classifiers of the Pima table: AUC, equal error rate, break-even point, error rate.
PIMA = {1: (0.8393, 0.239, 0.660, 0.216), 2: (0.8722, 0.228, 0.701, 0.197), 3: (0.9106, 0.183, 0.754, 0.164)}
PIMA_TEST = {1: (0.8632, 0.220, 0.688, 0.202), 2: (0.8255, 0.257, 0.642, 0.223), 3: (0.6313, 0.376, 0.495, 0.328)}


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize(("train", "test", "printed"), [("pima", "pima", PIMA), ("pima_tr", "pima_te", PIMA_TEST)])
def test_pima_polynomial_classifiers(train, test, printed, degree):
    train, test = load_example(train), load_example(test)
    mean, deviation = train.X.mean(axis=0), train.X.std(axis=0, ddof=1)
    powers = PolynomialFeatures(degree, include_bias=False)
    target = (train.y == np.unique(train.y)[1]).astype(float)
    model = LinearRegression().fit(powers.fit_transform((train.X - mean) / deviation), target)
    curve = RocCurve(test.y, model.predict(powers.transform((test.X - mean) / deviation)))
    at_half = curve.at(0.5)
    error = (at_half.fnr * curve.positives + at_half.fpr * curve.negatives) / len(test.y)
    area, equal, even, wrong = printed[degree]
    assert curve.auc() == pytest.approx(area, abs=5e-5)
    assert (curve.eer, curve.bep, error) == pytest.approx((equal, even, wrong), abs=5e-4)


def test_rows_without_any_weight_are_refused():
    for ask in (RocCurve, auc):
        with pytest.raises(ValueError, match="no positive row has a weight above zero"):
            ask([0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0], sample_weight=np.zeros(4))
