"""Slips of the notes that no other test shows, and for all of them where the right form is shown."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal, norm

from sumlearn import (
    PCA,
    AdaBoostClassifier,
    BayesianRegression,
    DecisionTreeClassifier,
    FisherDiscriminant,
    GaussianMixture,
    KMeans,
    KNeighborsRegressor,
    LinearRegression,
    LogisticRegression,
    OneClassGaussian,
    Ridge,
    SparseRepresentationClassifier,
    SubsetSearch,
    TruncatedSVD,
)
from sumlearn.evaluation import regression_scores
from sumlearn.objectives.links import coupled, softmax

TESTS = Path(__file__).parents[1]

SHOWN_BY = {  # what slipped, note by note, and the test of the right form
    "000 prior with the minus in its exponent, likelihood over N rows": [
        "agreement/test_bayesian_regression.py::test_evidence_is_a_normal_density",
        "agreement/test_linear_regression.py::test_log_likelihood",
    ],
    "000 variance 1 / beta, no covariance for a precision": ["notes/test_slips.py::test_a_precision_is_one_over"],
    "000 incremental Bayes": ["agreement/test_bayesian_regression.py::test_the_posterior_is_the_next_prior"],
    "000 sigma has e^-a": ["features/test_sigmoid_basis.py::test_formula"],
    "000 radial exponent with its square": ["features/test_radial_basis.py::test_formula_and_kernel"],
    "000 (2 pi)^(D/2)": ["notes/test_slips.py::test_the_gaussian_has_its_brackets"],
    "000 local lines over-count": [
        "learners/test_local_regression.py::test_the_notes_form_over_counts_where_bumps_overlap"
    ],
    "000 maximum likelihood may be biased": [
        "evaluation/theory/test_estimator_study.py::test_noise_precision_of_a_regression_is_biased"
    ],
    "000 law of the weights": ["agreement/test_inference_linear.py::test_ordinary"],
    "000 side of Fisher's direction": ["notes/test_slips.py::test_the_direction_points_to_the_second_class"],
    "000 targets with their sign": ["notes/test_linear_notes.py::test_targets_without_their_sign_turn_fisher_round"],
    "000 logistic regression is an argmin": ["notes/test_slips.py::test_likelihood_is_largest_at_the_coefficients"],
    "000 the empty and the more general": ["notes/test_enjoy_sport.py::test_more_general"],
    "000 candidate elimination, whole": ["notes/test_enjoy_sport.py::test_boundaries_after_each_row"],
    "000 gain is maximised": ["notes/test_play_tennis.py::test_the_tree"],
    "000 entropy of all classes": ["notes/test_slips.py::test_entropy_sums_over_all_classes"],
    "000 one zero kills a class": [
        "notes/test_play_tennis_bayes.py::test_one_zero_kills_a_class_and_smoothing_does_not"
    ],
    "000 weights 1 / d at d = 0": ["notes/test_slips.py::test_a_neighbour_at_the_place_itself_answers_alone"],
    "000 kernel with its minus": [
        "learners/test_nadaraya_watson.py::test_the_formula_with_weights_and_a_bandwidth_for_each_column"
    ],
    "000 shell with its power": ["notes/test_counting_notes.py::test_almost_everything_is_shell"],
    "000 Mahalanobis has the inverse": ["features/test_metrics.py::test_euclid_and_mahalanobis_agree_with_scipy"],
    "000 step of the quantiser": ["learners/clusters/test_vector_quantizer.py::test_errors_of_the_note"],
    "000 k-means: w_k, and ties": ["notes/test_slips.py::test_a_row_between_two_centres_belongs_to_one"],
    "000 covariances of a mixture sum over the rows": ["notes/test_slips.py::test_covariances_sum_over_all_rows"],
    "000 LBG": ["learners/clusters/test_lbg.py::test_starts_at_the_mean_and_doubles"],
    "001 first step of the perceptron": ["notes/test_linear_notes.py::test_the_perceptron_as_a_gradient_never_starts"],
    "001 half in the dual": ["solvers/test_margins.py::test_dual_of_the_notes"],
    "001 lambda of the margin is C": ["agreement/test_linear_classifier.py::test_hinge_is_the_support_vector_machine"],
    "001 guard of the step": ["notes/test_linear_notes.py::test_a_first_step_of_one_may_be_far_too_long"],
    "002 shares of columns": ["notes/test_counting_notes.py::test_rates_of_the_decision_are_shares_of_its_columns"],
    "002 F": ["notes/test_counting_notes.py::test_f_has_a_factor_of_two"],
    "002 equal scores": ["evaluation/two_classes/test_roc_curve.py::test_auc_variance_over_all_pairs"],
    "002 ROC over the true negative rate": ["report/test_plots.py::test_roc_over_the_true_negative_rate"],
    "002 precision ends in 0 / 0": ["report/test_plots.py::test_threshold_curves_cross_at_eer_and_bep"],
    "002 coupling up to a constant": ["notes/test_slips.py::test_coupled_scores_are_known_up_to_a_constant"],
    "002 bootstrap error": ["evaluation/resampling/test_bootstrap.py::test_labels_without_meaning"],
    "002 expectation of a bootstrap sample": [
        "evaluation/resampling/test_bootstrap.py::test_the_variance_of_a_sample_shrinks"
    ],
    "002 a perfect member": ["notes/test_slips.py::test_a_perfect_member_has_its_vote"],
    "002 equal features": ["selection/test_fcbf.py::test_of_two_copies_one_stays"],
    "002 plus k with the growing set": [
        "selection/test_search.py::test_plus_take_away_does_not_choose_one_feature_twice"
    ],
    "002 backward drops what is useless": [
        "selection/test_search_stop.py::test_a_useless_feature_is_dropped_and_does_not_enter"
    ],
    "002 floating keeps the best of a size": ["notes/test_slips.py::test_floating_search_keeps_the_best_of_every_size"],
    "002 numbers of subsets": ["notes/test_counting_notes.py::test_what_searches_ask"],
    "002 dual least squares": [
        "agreement/test_kernel_ridge.py::test_a_singular_matrix_gives_the_least_norm_and_a_warning"
    ],
    "002 Sigma = R - mu mu'": ["notes/test_inverse_covariance.py::test_it_is_the_inverse"],
    "002 exponential weights": ["notes/test_worked_numbers.py::test_exponential_weights_sum_to_less_than_one"],
    "003 logarithm of the likelihood": ["agreement/test_linear_regression.py::test_log_likelihood"],
    "003 rates": ["notes/test_counting_notes.py::test_rates_of_the_decision_are_shares_of_its_columns"],
    "003 R2 may be negative": [
        "evaluation/regression/test_regression_scores.py::test_r2_is_negative_where_the_mean_is_better"
    ],
    "003 MAPE at zero": ["evaluation/regression/test_regression_scores.py::test_zero_in_y"],
    "003 MAPE is even": ["notes/test_slips.py::test_too_small_and_too_large_by_the_same_amount"],
    "003 lambda and N": ["notes/test_linear_notes.py::test_lambda_beside_a_mean_is_lambda_times_the_rows"],
    "003 ridge has an inverse": ["notes/test_slips.py::test_with_a_penalty_there_is_an_inverse"],
    "003 faces by |y - A c|": ["notes/test_slips.py::test_a_row_is_made_of_its_class_and_of_occlusion"],
    "003 a thin U": ["notes/test_slips.py::test_a_thin_u_has_orthogonal_columns_and_no_orthogonal_rows"],
    "003 covariance of D columns by N": ["notes/test_slips.py::test_principal_components_of_the_covariance"],
    "003 scatter matrices, no traces": ["agreement/test_fisher_discriminant.py::test_eigenvalues_and_directions"],
    "003 steps of non-negative factors": ["agreement/test_nmf.py::test_the_notes_steps"],
    "003 margin": ["agreement/test_kernel_machines.py::test_hard_margin_is_the_program_of_the_note"],
    "003 sigmoid kernel": ["features/test_kernels.py::test_definite_says_whether_there_are_negative_eigenvalues"],
    "003 dropout": ["learners/networks/test_layers.py::test_dropout_leaves_the_mean"],
    "004 constant of the Gaussian classifier": [
        "notes/test_linear_notes.py::test_the_constant_has_the_signs_of_note_000"
    ],
    "004 divisor": ["notes/test_linear_notes.py::test_the_unbiased_covariance_divides_by_the_rows_less_the_classes"],
    "004 labels of the logistic rule": ["notes/test_pattern_rules.py::test_two_patterns_by_hand"],
}


@pytest.mark.parametrize("slip", SHOWN_BY)
def test_every_slip_is_shown(slip):
    for address in SHOWN_BY[slip]:
        file, _, test = address.partition("::")
        assert f"def {test}(" in (TESTS / file).read_text(encoding="utf-8"), address


# -- note 000 ---------------------------------------------------------------------------------------------------------

ROWS = np.random.default_rng(0).standard_normal((60, 3)) @ np.array([[1.0, 0.5, 0.0], [0.0, 2.0, 0.3], [0.0, 0.0, 0.4]])


def test_the_gaussian_has_its_brackets():
    """1 / (2 pi)^(D/2), not 1 / 2 pi^(D/2): with D = 3 another number."""
    expected = multivariate_normal(ROWS.mean(axis=0), np.cov(ROWS.T, bias=True)).logpdf(ROWS)
    assert OneClassGaussian().fit(ROWS).score_samples(ROWS) == pytest.approx(expected, rel=1e-10)


def test_a_precision_is_one_over():
    """N(t | y, 1 / beta): beta = 4 leaves a deviation of 1/2, beside that of the weights."""
    model = BayesianRegression(alpha=1e12, beta=4.0, fit_intercept=False).fit(ROWS, ROWS @ [1.0, 2.0, 3.0])
    assert model.predict(ROWS, return_std=True)[1] == pytest.approx(np.full(60, 0.5), rel=1e-6)


@pytest.mark.parametrize("sizes", [(40, 90), (90, 40)])
def test_the_direction_points_to_the_second_class(sizes):
    """w ~ S^-1 (m2 - m1): w'(x - m) > 0 is the second class, where the note says the first."""
    y = np.repeat([0, 1], sizes)
    X = np.random.default_rng(1).standard_normal((130, 3)) + y[:, None] * [2.0, -1.0, 0.5]
    model = FisherDiscriminant().fit(X, y)
    m1, m2 = X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)
    within = sum((sizes[k] * np.cov(X[y == k].T, bias=True) for k in (0, 1)), np.zeros((3, 3)))
    expected = np.linalg.solve(within, m2 - m1)
    assert model.direction_ @ expected / np.linalg.norm(expected) == pytest.approx(1.0, rel=1e-10)
    assert model.predict([m2 + (m2 - m1), m1 - (m2 - m1)]).tolist() == [1, 0]


def test_likelihood_is_largest_at_the_coefficients():
    """-log L has a minimum, where the slope sum (y - sigma) x is zero; no formula leads there."""
    y = (ROWS[:, 0] + np.random.default_rng(2).standard_normal(60) > 0).astype(int)
    model = LogisticRegression(C=np.inf, tol=1e-10).fit(ROWS, y)
    missing = y - model.predict_proba(ROWS)[:, 1]
    assert np.abs(np.column_stack([ROWS, np.ones(60)]).T @ missing).max() < 1e-6


def test_entropy_sums_over_all_classes():
    """Shares 1/2, 1/4, 1/4 have 1.5 bits; the note's sum over two classes ends at 1."""
    y = np.array(["a", "a", "b", "c"])
    tree = DecisionTreeClassifier(split="multiway", criterion="entropy").fit(pd.DataFrame({"x": list("uuvw")}), y).tree_
    assert tree.impurity[0] == pytest.approx(1.5, rel=1e-15)


def test_a_neighbour_at_the_place_itself_answers_alone():
    """1 / d has no value there: rows at distance zero answer, and their mean if there are several."""
    model = KNeighborsRegressor(3, weights="distance").fit([[0.0], [1.0], [1.0], [3.0]], [10.0, 20.0, 40.0, 80.0])
    assert model.predict([[0.0], [1.0]]) == pytest.approx([10.0, 30.0], rel=1e-15)
    near = (20.0 / 0.5 + 40.0 / 0.5 + 10.0 / 0.5) / (3 / 0.5)
    assert model.predict([[0.5]]) == pytest.approx([near], rel=1e-15)


def test_a_row_between_two_centres_belongs_to_one():
    """A strict < leaves it to nobody; and J measures the distance to the centre w_k."""
    X = np.array([[0.0], [2.0], [1.0]])
    model = KMeans(2, init=np.array([[0.0], [2.0]]), n_init=1).fit(X)
    assert sorted(np.bincount(model.labels_, minlength=2)) == [1, 2]
    assert KMeans(2, init=np.array([[0.0], [2.0]]), n_init=1).fit([[0.0], [2.0]]).predict([[1.0]]) == [0]
    apart = (X[:, None, 0] - model.cluster_centers_[:, 0]) ** 2
    assert model.inertia_ == pytest.approx(apart.min(axis=1).sum(), rel=1e-14)


def test_covariances_sum_over_all_rows():
    """S_k = 1 / N_k sum_n r_nk (x_n - m_k)(x_n - m_k)', n up to N; the note's sum ends at K."""
    means, shares = np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), np.array([0.4, 0.6])
    model = GaussianMixture(
        2, max_iter=1, reg_covar=0.0, means_init=means, weights_init=shares, precisions_init=np.stack([np.eye(3)] * 2)
    )
    with pytest.warns(UserWarning):  # one step is none too many
        model.fit(ROWS)
    r = shares * np.exp(np.column_stack([multivariate_normal(m, np.eye(3)).logpdf(ROWS) for m in means]))
    r /= r.sum(axis=1, keepdims=True)
    for k in (0, 1):
        m = np.average(ROWS, axis=0, weights=r[:, k])
        assert model.means_[k] == pytest.approx(m, rel=1e-9)
        assert model.covariances_[k] == pytest.approx(np.cov(ROWS.T, aweights=r[:, k], bias=True), rel=1e-8, abs=1e-10)


# -- note 002 ---------------------------------------------------------------------------------------------------------


def test_coupled_scores_are_known_up_to_a_constant():
    """|R - u 1' + 1 u'|^2 does not change with u + c, nor do the posteriors; ours adds up to zero."""
    R = np.array([[0.0, 1.0, -0.5], [-1.0, 0.0, 0.3], [0.5, -0.3, 0.0]])
    u = coupled(R)

    def error(u):
        return ((R - u[:, None] + u) ** 2).sum()

    assert u == pytest.approx(R.mean(axis=1)) and u.sum() == pytest.approx(0.0, abs=1e-15)
    assert error(u + 7.0) == pytest.approx(error(u), rel=1e-13) and error(u + np.eye(3)[0]) > error(u)
    assert softmax(u + 7.0) == pytest.approx(softmax(u), rel=1e-13)


def test_a_perfect_member_has_its_vote():
    """The note's loop ends before it: the best member of all would have none."""
    X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 1, 1, 1, 1, 1])
    model = AdaBoostClassifier(algorithm="m1").fit(X, y)
    assert len(model) == 1 and model.score(X, y) == 1.0
    assert model.estimator_weights_[0] == pytest.approx(np.log(1 + 2 * 8), rel=1e-14)


def test_floating_search_keeps_the_best_of_every_size():
    """Sizes are entered again and again; a worse set must not take the place of a better one, nor run in circles."""
    generator = np.random.default_rng(3)
    J = {}

    def worth(subset):
        return J.setdefault(tuple(sorted(subset)), generator.random())

    search = SubsetSearch("sffs", k=8, criterion=worth).fit(np.zeros((3, 8)))
    assert len(search.path_) == 8
    for size, subset in search.path_.items():
        assert worth(subset) == max(J[s] for s in J if len(s) == size)


# -- note 003 ---------------------------------------------------------------------------------------------------------


def test_too_small_and_too_large_by_the_same_amount():
    """MAPE does not favour what is too small; it only ends at 1 there. It is a share, not a percentage."""
    y = np.array([1.0, 2.0, 4.0])
    assert regression_scores(y, y - 0.5).mape == regression_scores(y, y + 0.5).mape == pytest.approx(0.875 / 3)
    assert regression_scores(y, 0 * y).mape == 1.0 < regression_scores(y, 3 * y).mape


def test_with_a_penalty_there_is_an_inverse():
    """X'X + lambda 1 of dependent columns: ridge regression, and not the pseudoinverse, whatever the rank."""
    X = np.column_stack([ROWS, ROWS[:, 0] + ROWS[:, 1]])
    t = ROWS @ [1.0, -1.0, 2.0] + 0.1
    w = Ridge(0.5, fit_intercept=False).fit(X, t).coef_
    assert w == pytest.approx(np.linalg.solve(X.T @ X + 0.5 * np.eye(4), X.T @ t), rel=1e-10)
    assert np.abs(w - np.linalg.pinv(X) @ t).max() > 1e-3


def test_a_row_is_made_of_its_class_and_of_occlusion():
    """min |y - A c|, A = [X 1]: a tenth of a face is covered, and its class is found all the same."""
    generator = np.random.default_rng(4)
    basis = generator.standard_normal((2, 4, 60))
    X = np.vstack([generator.random((8, 4)) @ basis[k] for k in (0, 1)])
    y = np.repeat(["left", "right"], 8)
    new = np.array([generator.random(4) @ basis[k] for k in (0, 1)])
    new[:, :6] = 9.0
    assert SparseRepresentationClassifier(alpha=1e-3).fit(X, y).predict(new).tolist() == ["left", "right"]


def test_a_thin_u_has_orthogonal_columns_and_no_orthogonal_rows():
    model = TruncatedSVD(2).fit(ROWS)
    U = model.transform(ROWS) / model.singular_values_
    assert np.abs(U.T @ U - np.eye(2)).max() < 1e-12
    assert np.abs(U @ U.T - np.eye(60)).max() > 0.5


def test_principal_components_of_the_covariance():
    """C has D x D entries and the divisor: X X' of the note has eigenvalues N - 1 times as large."""
    model, centred = PCA().fit(ROWS), ROWS - ROWS.mean(axis=0)
    scatter = np.linalg.eigvalsh(centred.T @ centred)[::-1]
    assert model.explained_variance_ == pytest.approx(scatter / 59, rel=1e-12)
    assert model.components_.shape == (3, 3)


def test_the_likelihood_of_a_fit_has_its_variance():
    """ln p = sum ln N(t | y, s2): the note drops 1 / (2 s2), which moves no maximum but is no likelihood."""
    t = ROWS @ [1.0, -1.0, 2.0] + np.random.default_rng(5).standard_normal(60)
    model = LinearRegression().fit(ROWS, t)
    deviation = model.noise_precision_**-0.5
    assert model.log_likelihood_ == pytest.approx(norm.logpdf(t, model.predict(ROWS), deviation).sum(), rel=1e-12)
