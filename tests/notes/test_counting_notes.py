"""Notes 000, 002 and 003: orders of polynomials, empty space, numbers of subsets, rates."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from sumlearn import BaggingRegressor, LinearRegression, QuadraticDiscriminantAnalysis, Ridge, SubsetSearch
from sumlearn.data import load_example, make_noisy_polynomial, make_two_class_scores
from sumlearn.evaluation import Confusion, RocCurve, auc, needed_samples, rms_error, shell_share
from sumlearn.features.kernels import Combinatorial
from sumlearn.objectives.links import coupled, softmax
from sumlearn.selection.judges import Judge

# -- note 000 ---------------------------------------------------------------------------------------------------------


def test_orders_of_a_polynomial():
    """M = 0, 1, 3, 9 through ten points: 9 meets them all and is worst on new ones; its coefficients are huge."""
    x, t = make_noisy_polynomial(10, noise=0.1, seed=0)
    new_x, new_t = make_noisy_polynomial(1000, noise=0.1, seed=1)
    learnt, fresh, largest = [], [], []
    for degree in (0, 1, 3, 9):
        powers = np.arange(degree + 1)
        model = LinearRegression(fit_intercept=False).fit(x**powers, t)
        learnt.append(rms_error(t, model.predict(x**powers)))
        fresh.append(rms_error(new_t, model.predict(new_x**powers)))
        largest.append(np.abs(model.coef_).max())
    assert learnt == pytest.approx([0.2804, 0.1729, 0.0482, 0.0], abs=5e-5)
    assert fresh == pytest.approx([0.3091, 0.1888, 0.1552, 3.0380], abs=5e-5)
    assert largest[3] > 300 * largest[2]


def test_a_second_reading_of_the_error():
    """E_RMS = sqrt(2 E / N): does not grow with the rows, as E does."""
    y, t = np.array([1.0, 2.0, 4.0]), np.zeros(3)
    assert rms_error(t, y) == pytest.approx(np.sqrt(7.0)) == rms_error(np.tile(t, 5), np.tile(y, 5))


@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_ten_to_the_d_points(d):
    """Note 003: 10^d points for [0, 1]^d at a distance of 0.1."""
    assert needed_samples(0.1, d) == pytest.approx(10.0**d, rel=1e-12)


def test_almost_everything_is_shell():
    """1 - (1 - eps)^D; note 000 lost the power."""
    assert [shell_share(0.1, d) for d in (1, 2, 20)] == pytest.approx([0.1, 0.19, 1 - 0.9**20], rel=1e-12)


# -- note 002: the bootstrap -------------------------------------------------------------------------------------------


def test_more_than_a_third_of_the_rows_is_left_out():
    """(1 - 1 / T)^T, which tends to 1 / e = 0.368: the share of the rows that a bootstrap sample passes over."""
    x = np.arange(500.0)
    drawn = BaggingRegressor(Ridge(), 40, random_state=0).fit(x[:, None], x).estimators_samples_
    assert np.mean([1 - len(np.unique(rows)) / 500 for rows in drawn]) == pytest.approx(0.368, abs=0.008)


# -- note 002: subsets ------------------------------------------------------------------------------------------------


class Weights(Judge):
    """J(S) = sum of the weights of S."""

    def __init__(self, features):
        self.size, self.weights = features, np.random.default_rng(0).random(features)

    def score(self, subset):
        return float(self.weights[list(subset)].sum())


def asked(method, features, size, **options):
    search = SubsetSearch(method, k=size, criterion=Weights(features), **options)
    return search.fit(np.zeros((3, features))).evaluations_


@pytest.mark.parametrize(("features", "size"), [(12, 4), (12, 9), (7, 1)])
def test_what_searches_ask(features, size):
    """Forward n D - n (n - 1) / 2 subsets, backward (D - n)(D + n + 1) / 2 and the start; the note has orders alone."""
    assert asked("sfs", features, size) == size * features - size * (size - 1) // 2
    assert asked("sbe", features, size) == (features - size) * (features + size + 1) // 2 + 1
    assert asked("exhaustive", features, size) == comb(features, size)


def test_blocks_are_dearer_than_single_features():
    """A step of GSFS(2) tries C(D - n, 2) blocks."""
    assert asked("gsfs", 12, 4, block=2) == comb(12, 2) + comb(10, 2)


def test_plus_two_take_away_one_costs_three_times_as_many_steps():
    """(k + l) / (k - l) single steps, in or out, for every feature gained."""
    sizes = SubsetSearch("pta", plus=2, minus=1, k=10, criterion=Weights(30)).fit(np.zeros((3, 30))).trace_.move_size
    assert np.abs(np.diff(sizes, prepend=0)).sum() == 3 * 10


def test_the_kernel_counts_common_subsets():
    """K_k = C(|S & S'|, k), and the cumulative one sums them."""
    one, other = {0, 1, 2, 3, 4}, {2, 3, 4, 5}
    assert Combinatorial(2)([one], [other])[0, 0] == comb(3, 0) + comb(3, 1) + comb(3, 2)
    assert Combinatorial(3)([one], [other])[0, 0] == 8.0


# -- note 002: rates --------------------------------------------------------------------------------------------------


def table(tt, tf, ft, ff):
    truth = np.repeat(["t", "t", "f", "f"], [tt, tf, ft, ff])
    return Confusion.of(truth, np.repeat(["t", "f", "t", "f"], [tt, tf, ft, ff])).rates("t")


def test_f_has_a_factor_of_two():
    """The note prints N_tt / (2 N_tt + N_tf + N_ft), which is half of it: .4167."""
    rates = table(5, 1, 1, 3)
    assert rates.f() == pytest.approx(0.8333, abs=5e-5)
    assert rates.f() == pytest.approx(1 / (0.5 / rates.precision + 0.5 / rates.tpr), rel=1e-14)


def test_rates_of_the_decision_are_shares_of_its_columns():
    """The note prints precision over N_t., which is the recall."""
    rates = table(6, 2, 3, 9)
    assert (rates.precision, rates.garbage) == pytest.approx((6 / 9, 3 / 9))
    assert (rates.waste, rates.care) == pytest.approx((2 / 11, 9 / 11))
    assert rates.tpr == 6 / 8


def test_at_the_break_even_point_as_many_are_accepted_as_are_good():
    score, positive = make_two_class_scores(500, seed=2)
    curve = RocCurve(positive, score)
    assert (score >= curve.bep_point.threshold).sum() == positive.sum()
    equal = curve.eer_point
    assert abs((1 - equal.tpr) - equal.fpr) <= 1 / min(positive.sum(), (~positive.astype(bool)).sum())


def test_the_area_is_the_mean_recall_at_the_thresholds_of_the_negatives():
    """The note's remark on how AUC is computed; strict, as it counts pairs."""
    score, positive = make_two_class_scores(300, seed=3)
    positive = positive.astype(bool)
    recalls = [(score[positive] > threshold).mean() for threshold in score[~positive]]
    assert auc(positive, score, ties="strict") == pytest.approx(np.mean(recalls), rel=1e-12)


# -- note 002: many classes -------------------------------------------------------------------------------------------


def test_ideal_odds_of_pairs_have_rank_two():
    """log odds = u 1' - 1 u' with u = log q f: those of quadratic discriminants, pair by pair, are ideal."""
    iris = load_example("iris")
    names = np.unique(iris.y)
    odds = np.zeros((150, 3, 3))
    for k, l in combinations(range(3), 2):
        rows = np.isin(iris.y, names[[k, l]])
        log_odds = QuadraticDiscriminantAnalysis().fit(iris.X[rows], iris.y[rows] == names[k]).decision_function(iris.X)
        odds[:, k, l], odds[:, l, k] = log_odds, -log_odds
    size = np.linalg.svd(odds, compute_uv=False)
    assert (size[:, 2] < 1e-12 * size[:, 0]).all()
    u = coupled(odds)
    assert odds == pytest.approx(u[:, :, None] - u[:, None, :], rel=1e-10, abs=1e-8)
    whole = QuadraticDiscriminantAnalysis().fit(iris.X, iris.y).predict_proba(iris.X)
    assert softmax(u) == pytest.approx(whole, abs=1e-10)
