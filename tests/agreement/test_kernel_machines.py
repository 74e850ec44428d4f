"""Support vector machines by kernels: against libsvm at a tight tolerance, and their own conditions."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn import svm
from sklearn.metrics.pairwise import pairwise_kernels

import sumlearn as sl
from sumlearn.data import load_example
from sumlearn.learners.kernel.parts.held_kernel import AnyRows, held_kernel
from sumlearn.objectives.duals import Dual, sided
from sumlearn.solvers import decomposition
from sumlearn.solvers.decomposition import decomposed
from sumlearn.solvers.kernel_cache import KernelCache

KERNELS = {
    "linear": {},
    "rbf": {"gamma": 0.4},
    "poly": {"gamma": 0.5, "coef0": 1.0, "degree": 3},
    "sigmoid": {"gamma": 0.05, "coef0": -0.2},
}


def rows(n=120, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    noisy = X[:, 0] + X[:, 1] ** 2 - 0.8 + 0.4 * rng.standard_normal(n)
    return X, noisy


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("kernel", KERNELS)
def test_classes_as_libsvm(kernel, C):
    """Scores and vectors on three classes, to what libsvm's kernels in single precision leave."""
    X, noisy = rows()
    y = np.digitize(noisy, [-0.3, 0.6])
    options = {"kernel": kernel, "C": C, "decision_function_shape": "ovo", **KERNELS[kernel]}
    ours, theirs = sl.SVC(**options).fit(X, y), svm.SVC(tol=1e-8, **options).fit(X, y)
    if kernel == "sigmoid":  # not convex: there are several stationary points
        assert (ours.predict(X) == theirs.predict(X)).mean() >= 0.95
        return
    scale = np.abs(theirs.decision_function(X)).max()
    assert np.abs(ours.decision_function(X) - theirs.decision_function(X)).max() <= 3e-5 * scale
    assert (ours.predict(X) == theirs.predict(X)).all()
    if kernel == "rbf":  # the numbers of the others are not unique, or hang on the last digits
        assert ours.support_.tolist() == theirs.support_.tolist()
        assert ours.n_support_.tolist() == theirs.n_support_.tolist()
        assert np.allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4 * C)
    assert np.allclose(ours.intercept_, theirs.intercept_, atol=3e-5 * scale)
    for shape in ("ovr", "ovo"):
        a, b = (m.set_params(decision_function_shape=shape).decision_function(X) for m in (ours, theirs))
        assert np.abs(a - b).max() <= 3e-5 * scale


@pytest.mark.parametrize("C", [0.1, 30.0])
@pytest.mark.parametrize("kernel", KERNELS)
def test_conditions_of_karush_kuhn_and_tucker(kernel, C):
    """From the kernel of scikit-learn and the numbers alone: bounds, their sum, and on which side every row lies."""
    X, noisy = rows(seed=1)
    y, weight = noisy > 0, np.random.default_rng(0).choice([0.5, 1.0, 2.0], len(X))
    model = sl.SVC(kernel=kernel, C=C, class_weight={True: 3.0}, **KERNELS[kernel]).fit(X, y, weight)
    sign, most = np.where(y, 1.0, -1.0), C * weight * np.where(y, 3.0, 1.0)
    beta = np.zeros(len(X))
    beta[model.support_] = model.dual_coef_[0]
    alpha = beta * sign
    margin = sign * (pairwise_kernels(X, metric=kernel, **KERNELS[kernel]) @ beta + model.intercept_[0])
    assert (alpha >= 0).all() and (alpha <= most).all() and abs(beta.sum()) <= 1e-9 * C
    slack = 1e-3 if kernel == "sigmoid" else 1e-7  # which is not convex: no exact end
    assert (margin[alpha == 0] >= 1 - slack).all()
    assert (margin[alpha == most] <= 1 + slack).all()
    assert (np.abs(margin - 1)[(alpha > 0) & (alpha < most)] <= slack).all()


@pytest.mark.parametrize("C", [0.3, 3.0])
@pytest.mark.parametrize("kernel", KERNELS)
def test_numbers_as_libsvm(kernel, C):
    X, y = rows(seed=2)
    options = {"kernel": kernel, "C": C, "epsilon": 0.2, **KERNELS[kernel]}
    ours, theirs = sl.SVR(**options).fit(X, y), svm.SVR(tol=1e-8, **options).fit(X, y)
    slack = {"sigmoid": 0.05, "poly": 1e-3}.get(kernel, 1e-4)  # not convex; libsvm does not come to its tolerance
    assert np.abs(ours.predict(X) - theirs.predict(X)).max() <= slack * np.abs(y).max()


@pytest.mark.parametrize("nu", [0.05, 0.4, 0.9])
def test_one_class_as_libsvm(nu):
    X, _ = rows(seed=3)
    ours, theirs = sl.OneClassSVM(nu=nu, gamma=0.3).fit(X), svm.OneClassSVM(nu=nu, gamma=0.3, tol=1e-9).fit(X)
    assert np.allclose(ours.score_samples(X), theirs.score_samples(X), atol=1e-6)
    assert np.allclose(ours.offset_, theirs.offset_, atol=1e-6)
    assert ours.dual_coef_.sum() == pytest.approx(nu * len(X))
    assert (ours.decision_function(X) < 0).mean() <= nu <= len(ours.support_) / len(X)  # Scholkopf et al. 2001


@pytest.mark.parametrize("epsilon", [None, 0.0, 0.3])
def test_three_roads_to_one_minimum(epsilon):
    """Pairs, the program of the note, and a linear machine on a root of the matrix."""
    X, y = rows(80, seed=4)
    kind, y, more = (sl.SVC, y > 0, {}) if epsilon is None else (sl.SVR, y, {"epsilon": epsilon})
    found = [kind(C=5.0, solver=s, **more).fit(X, y) for s in ("smo", "dual_qp", "interior_point")]
    least = found[0].objective_
    assert found[1].objective_ == pytest.approx(least, rel=1e-9)
    assert found[2].objective_ == pytest.approx(least, rel=1e-3)
    assert found[0].dual_gap_ <= 1e-9 * least
    for one in found[1:]:
        assert one.objective_ - least <= one.dual_gap_ + 1e-9 * least  # the gap bounds what is left


def test_hard_margin_is_the_program_of_the_note():
    """Two classes of iris: the widest margin, by C = inf and by the linear machine."""
    iris = load_example("iris")
    y = iris.y == "setosa"
    hard = sl.SVC(C=np.inf, kernel="linear").fit(iris.X, y)
    linear = sl.LinearSVC(C=np.inf, loss="hinge", intercept_scaling="free").fit(iris.X, y)
    assert hard.margin_ == pytest.approx(linear.margin_, rel=1e-6)
    assert np.allclose(hard.coef_, linear.coef_, rtol=1e-5)
    assert np.abs(hard.distances(iris.X)).min() == pytest.approx(hard.margin_ / 2, rel=1e-9)
    assert hard.margin_ == pytest.approx(2 / np.linalg.norm(hard.coef_), rel=1e-9)
    with pytest.raises(ValueError, match="none: .* row"):
        sl.SVC(C=np.inf, kernel="linear").fit(iris.X, iris.y)


@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_many_rows_by_parts(precision):
    """Working sets, shrinking and a small cache reach the minimum of all rows together, to the tolerance in double."""
    X, noisy = rows(1500, 5, seed=5)
    y = np.where(noisy > 0, 1.0, -1.0)
    kernel = sl.features.kernels.GaussianKernel(0.5)
    matrix = (AnyRows if precision is np.float64 else held_kernel)(kernel, X, 1)
    assert matrix.precision == np.float32
    matrix.precision = precision
    dual = Dual(y, *sided(y, 10.0), np.zeros(1500))
    found = [decomposed(matrix, dual, cache=cache, shrinking=s) for cache, s in ((2**22, True), (2**26, False))]
    K = kernel(X)
    for one in found:
        slope = y - K @ one.beta
        assert np.abs(slope - one.slope).max() <= 2e-4 and one.violation <= 1e-3
        assert abs(one.beta.sum()) <= 1e-8 and one.gap <= 1e-3 * one.objective
    assert found[0].objective == pytest.approx(found[1].objective, rel=1e-4)


@pytest.mark.parametrize("C", [1.0, 100.0, np.inf])
@pytest.mark.parametrize("tube", [False, True])
def test_a_sample_begins(tube, C, monkeypatch):
    """The numbers of a sample are a start: the minimum, its sum and its slopes are those without it."""
    X, noisy = rows(1500, 5, seed=6)
    kernel = sl.features.kernels.GaussianKernel(0.5 if np.isfinite(C) else 5.0)
    y = noisy if tube else np.where(noisy > 0, 1.0, -1.0)
    bounds = (np.full(1500, -C), np.full(1500, C)) if tube else sided(y, C)
    dual = Dual(y, *bounds, np.zeros(1500), 0.1 if tube else 0.0)
    K, found = kernel(X), []
    for least in (1100, 10**9):
        monkeypatch.setattr(decomposition, "SEVERAL", least)
        found.append(decomposed(held_kernel(kernel, X, 1), dual, cache=2**23))
    for one in found:
        assert np.abs(y - K @ one.beta - one.slope).max() <= 2e-4 and one.violation <= 1e-3
        assert abs(one.beta.sum()) <= 1e-8 * np.abs(one.beta).sum()
    assert found[0].objective == pytest.approx(found[1].objective, rel=1e-4)
    assert not np.array_equal(found[0].beta, found[1].beta)  # another way


def test_a_sample_of_a_sample_begins_in_the_same_room(monkeypatch):
    for name, value in {"SEVERAL": 300, "WHOLE": 50, "BATCH": (32, 64)}.items():
        monkeypatch.setattr(decomposition, name, value)
    X, noisy = rows(1500, 5, seed=8)
    kernel, y = sl.features.kernels.GaussianKernel(0.5), np.where(noisy > 0, 1.0, -1.0)
    caches = []
    monkeypatch.setattr(decomposition, "KernelCache", lambda *given: caches.append(KernelCache(*given)) or caches[-1])
    found = decomposed(held_kernel(kernel, X, 1), Dual(y, *sided(y, 1.0), np.zeros(1500)), cache=2**22)
    assert len(caches) == 3 and all(np.shares_memory(caches[0].flat, cache.flat) for cache in caches)
    assert np.abs(y - kernel(X) @ found.beta - found.slope).max() <= 2e-4 and found.violation <= 1e-3


def test_slopes_of_rows_that_were_left_out_follow(monkeypatch):
    """Rows are left out more than once; their slopes, found from what changed since, are those of all numbers."""
    for name, value in {"BATCH": (32, 64), "SHRINK": 2, "WORTH": 0.02}.items():
        monkeypatch.setattr(decomposition, name, value)
    X, noisy = rows(1500, 5, seed=7)
    y, kernel = np.where(noisy > 0, 1.0, -1.0), sl.features.kernels.GaussianKernel(0.5)
    dual = Dual(y, *sided(y, 1.0), np.zeros(1500))
    work = decomposition.Decomposition(held_kernel(kernel, X, 1), dual, None, 1e-3, 10**6, 2**26, True)
    folds, fold = [], decomposition.Decomposition.fold

    def folded():
        folds.append(len(work.left_out))
        fold(work)
        assert np.abs(y - kernel(X) @ work.beta - work.slope).max() <= 1e-3 * max(1.0, np.abs(work.slope).max())

    work.fold = folded
    work.run()
    assert max(folds) >= 2


def test_rows_are_kept_in_the_precision_that_they_need():
    """Far from the origin, differences of a polynomial are lost in single precision; huge values are scaled."""
    X = rows(200)[0]
    kernel = sl.features.kernels.PolynomialKernel(3, gamma=1.0)
    assert [held_kernel(kernel, X + far, 1).precision for far in (0.0, 1000.0)] == [np.float32, np.float64]
    assert held_kernel(kernel, X, 1).unit == 1.0 < held_kernel(kernel, 1e9 * X, 1).unit
    y = X[:, 0] > 0
    wanted, scaled = (sl.SVC(kernel="linear", C=unit**-2.0).fit(unit * X, y) for unit in (1.0, 1e-15))
    assert np.allclose(scaled.decision_function(1e-15 * X), wanted.decision_function(X), rtol=1e-6)


def test_forms_of_a_kernel():
    """By name, as an object, a function and a matrix; sparse rows; the same rows twice and a weight of two."""
    X, noisy = rows(seed=6)
    X[np.abs(X) < 0.5] = 0.0
    y = np.digitize(noisy, [-0.3, 0.6])
    wanted = sl.SVC(gamma=0.4, C=3.0).fit(X, y).decision_function(X)
    kernel = sl.features.kernels.GaussianKernel(0.4)
    K = kernel(X)
    for model, A in (
        (sl.SVC(kernel=kernel, C=3.0), X),
        (sl.SVC(kernel=lambda a, b: pairwise_kernels(a, b, metric="rbf", gamma=0.4), C=3.0), X),
        (sl.SVC(kernel="precomputed", C=3.0), K),
        (sl.SVC(gamma=0.4, C=3.0), sparse.csr_array(X)),
    ):
        assert np.allclose(model.fit(A, y).decision_function(A), wanted, atol=1e-7)
    weight = np.random.default_rng(0).integers(0, 3, len(X))
    often = np.repeat(np.arange(len(X)), weight)
    given = sl.SVC(kernel="precomputed", C=3.0).fit(K, y, weight)
    twice = sl.SVC(gamma=0.4, C=3.0).fit(X[often], y[often])
    assert np.allclose(given.decision_function(K), twice.decision_function(X), atol=1e-7)
    assert weight[given.support_].min() > 0


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_more_rows_than_a_matrix_with_slow_pairs(kernel):
    """Most numbers at no bound, or a matrix of low rank: systems end what pairs would not."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1100, 8))
    y = X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(len(X)) > 0
    gamma, C = (0.1, 1e3) if kernel == "rbf" else (0.5, 10.0)
    options = {"kernel": kernel, "gamma": gamma, "coef0": 1.0, "C": C}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = sl.SVC(**options).fit(X, y)
    scores = np.where(y, 1.0, -1.0) * model.decision_function(X)
    weight = np.zeros(len(X))
    weight[model.support_] = np.abs(model.dual_coef_[0])
    assert scores[weight == 0].min() >= 1 - 2e-3
    assert scores[weight == options["C"]].max(initial=-np.inf) <= 1 + 2e-3
    assert np.abs(scores[(weight > 0) & (weight < options["C"])] - 1).max() <= 2e-3
    assert abs(model.dual_coef_.sum()) <= 1e-9 * weight.sum()
