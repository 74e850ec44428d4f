"""Support vector machines: what they tell, what they refuse, and that nothing but the rows matters."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import sumlearn as sl
from sumlearn.learners.kernel.parts.pairs import pairs_of
from sumlearn.learners.kernel.parts.platt import calibrated
from sumlearn.objectives.links import sigmoid

RNG = np.random.default_rng(0)
X = RNG.standard_normal((150, 3))
SCORE = X[:, 0] + X[:, 1] ** 2 + 0.3 * RNG.standard_normal(150)
THREE = np.array(["low", "middle", "top"])[np.digitize(SCORE, [0.3, 1.3])]
MACHINES = ((sl.SVC, THREE), (sl.SVR, SCORE), (sl.OneClassSVM, None))


def answers(model, rows):
    return model.predict(rows) if isinstance(model, sl.SVR) else model.decision_function(rows)


@pytest.mark.parametrize(("kind", "y"), MACHINES, ids=lambda v: getattr(v, "__name__", ""))
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_an_offset_of_a_billion_changes_nothing(kind, y, kernel):
    if kind is sl.OneClassSVM and kernel == "linear":
        pytest.skip("its half-space is seen from the origin")
    A = np.round(X * 1024) / 1024
    plain, moved = (kind(kernel=kernel, gamma="spread").fit(A + o, y) for o in (0.0, 1e9))
    assert np.abs(answers(plain, A) - answers(moved, A + 1e9)).max() <= 1e-6


@pytest.mark.parametrize(("kind", "y"), MACHINES, ids=lambda v: getattr(v, "__name__", ""))
def test_threads_and_the_order_of_rows_change_nothing(kind, y):
    one, two = (kind(n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert np.array_equal(answers(one, X), answers(two, X))
    order = RNG.permutation(len(X))
    other = kind().fit(X[order], None if y is None else y[order])
    assert np.abs(answers(other, X) - answers(one, X)).max() <= 1e-8
    assert sorted(order[other.support_]) == sorted(one.support_)
    single = kind().fit(X.astype(np.float32), y)
    assert answers(single, X.astype(np.float32)).dtype == np.float32
    assert np.abs(answers(single, X.astype(np.float32)) - answers(one, X)).max() <= 1e-4


def test_numbers_of_the_rows_count_those_without_weight():
    weight = np.where(np.arange(150) < 60, 0.0, 1.0)
    A = np.where(weight[:, None] > 0, X, np.nan)
    model = sl.SVC().fit(A, THREE, weight)
    assert model.support_.min() >= 60 and np.array_equal(model.support_vectors_, X[model.support_])
    assert np.array_equal(model.decision_function(X), sl.SVC().fit(X[60:], THREE[60:]).decision_function(X))


def test_probabilities_are_coupled_odds_of_rows_left_out():
    model = sl.SVC(probability=True, coupling="odds", C=3.0).fit(X, THREE)
    P, scores = model.predict_proba(X), model.pair_scores(X)
    assert np.allclose(P.sum(axis=1), 1.0) and (model.predict(X) == model.classes_[P.argmax(axis=1)]).all()
    u = np.zeros((150, 3))
    for k, (i, j) in enumerate(pairs_of(3)):
        log_odds = -(model.probA_[k] * scores[:, k] + model.probB_[k])
        u[:, i] += log_odds / 3
        u[:, j] -= log_odds / 3
    wanted = np.exp(u) / np.exp(u).sum(axis=1, keepdims=True)
    assert np.allclose(P, wanted) and np.allclose(model.predict_log_proba(X), np.log(wanted))
    order = RNG.permutation(150)
    again = sl.SVC(probability=True, C=3.0).fit(X[order], THREE[order])
    assert np.allclose(again.predict_proba(X), P, atol=1e-6)  # folds go by what is in a row
    noise = RNG.integers(0, 2, 150)  # nothing to learn: narrow kernels know every row, and rows left out say so
    narrow = sl.SVC(probability=True, gamma=30.0, C=100.0).fit(X, noise)
    assert narrow.score(X, noise) == 1.0 and np.abs(narrow.predict_proba(X)[:, 1] - 0.5).max() < 0.35


def test_the_sigmoid_is_the_most_likely_one():
    score, weight = RNG.standard_normal(400), RNG.choice([1.0, 2.0], 400)
    first = RNG.random(400) < sigmoid(1.7 * score - 0.4)
    a, b = calibrated(score, first, weight)
    often = np.repeat(np.arange(400), weight.astype(int))
    assert np.allclose((a, b), calibrated(score[often], first[often], np.ones(len(often))), rtol=1e-6)
    ends = (weight[first].sum() + 1) / (weight[first].sum() + 2), 1 / (weight[~first].sum() + 2)
    slope = weight * (sigmoid(a * score + b) - np.where(first, *ends))
    assert abs(slope.sum()) < 1e-5 and abs(slope @ score) < 1e-5


def test_one_class_and_one_row():
    model = sl.SVC().fit(X, np.full(150, "only"))
    assert (model.predict(X) == "only").all() and len(model.support_) == 0
    assert sl.SVR().fit(X[:1], [3.0]).predict(X).tolist() == [3.0] * 150
    assert sl.OneClassSVM().fit(np.ones((5, 2))).predict([[1.0, 1.0]]).tolist() == [1]


def test_memory_is_said_beforehand():
    with pytest.raises(ValueError, match="SVC keeps all rows: 150 rows of 3 columns need .* fit on fewer rows"):
        sl.SVC(max_memory=1e4).fit(X, THREE)
    assert sl.SVC(cache_size=1, n_jobs=1).memory_needed(10_000, 5) < sl.SVC(n_jobs=1).memory_needed(10_000, 5) < 3e8


def test_a_search_that_is_cut_short_says_how_far_it_is():
    with pytest.warns(ConvergenceWarning, match=r"Solver terminated early \(max_iter=5\).*could still change"):
        model = sl.SVC(max_iter=5).fit(X, THREE)
    assert model.fit_status_ == 1 and (model.n_iter_ <= 5).all() and model.dual_gap_ > 1.0


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (sl.SVC(C=0.0), "C must be a number above 0"),
        (sl.SVC(kernel="gauss"), "kernel must be one of"),
        (sl.SVC(gamma=-1.0), "gamma must be"),
        (sl.SVC(coupling="odds"), "takes the odds of probability=True"),
        (sl.SVC(decision_function_shape="ovx"), "decision_function_shape must be"),
        (sl.SVC(solver="newton"), "solver must be"),
        (sl.SVC(C=np.inf, solver="interior_point"), "use 'smo' or 'dual_qp'"),
        (sl.SVC(kernel="sigmoid", solver="dual_qp"), "positive definite"),
        (sl.SVC(kernel="precomputed"), "square matrix"),
        (sl.SVC(kernel="linear", C=np.inf), "on the wrong side"),
        (sl.SVR(epsilon=-0.1), "epsilon must be"),
        (sl.OneClassSVM(nu=0.0), "nu must be above 0"),
        (sl.OneClassSVM(solver="interior_point"), "use 'smo' or 'dual_qp'"),
    ],
)
def test_what_makes_no_sense_is_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, SCORE if isinstance(model, sl.SVR) else THREE)


def test_saved_and_loaded(tmp_path):
    for kind, y in MACHINES:
        kernel = sl.features.kernels.GaussianKernel(0.3) + sl.features.kernels.LinearKernel()
        model = kind(kernel=kernel).fit(X, y)
        sl.save(model, tmp_path / "model.sl")
        again = sl.load(tmp_path / "model.sl")
        assert np.array_equal(answers(again, X), answers(model, X))


@pytest.mark.parametrize("scale", [1e-300, 1e-6, 1e20])
def test_one_class_is_the_same_for_all_weights_times_a_number(scale):
    rows = np.random.default_rng(0).normal(size=(60, 2))
    weight = np.random.default_rng(1).uniform(0.5, 1.5, 60)
    plain = sl.OneClassSVM(nu=0.2).fit(rows, sample_weight=weight)
    scaled = sl.OneClassSVM(nu=0.2).fit(rows, sample_weight=weight * scale)
    assert np.array_equal(scaled.support_, plain.support_)
    assert np.allclose(scaled.dual_coef_ / scale, plain.dual_coef_, atol=0.02)
    inside = np.abs(plain.decision_function(rows)) > 0.02
    assert np.array_equal(scaled.predict(rows)[inside], plain.predict(rows)[inside])
