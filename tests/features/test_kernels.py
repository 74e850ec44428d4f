"""Kernels: their numbers, their algebra, words that become numbers, offsets, memory, saving."""

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.metrics.pairwise import pairwise_kernels

from sumlearn.features import kernels
from sumlearn.features.kernels import (
    Chi2Kernel,
    Combinatorial,
    ConstantKernel,
    GaussianKernel,
    LaplacianKernel,
    LinearKernel,
    OwnKernel,
    PolynomialKernel,
    PrecomputedKernel,
    SigmoidKernel,
    kernel_of,
)

NAMES = ("linear", "poly", "rbf", "laplacian", "sigmoid", "cosine", "chi2", "additive_chi2")
rng = np.random.default_rng(0)
X, Y = rng.random((300, 4)), rng.random((70, 4))  # more rows than a block has
X[3] = 0.0


# -- numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_numbers_are_scikit_learns(name, form, dtype):
    kernel = kernel_of(name, gamma=0.7, degree=2, coef0=0.5)
    bound = 1e-13 if dtype == np.float64 else 5e-6
    x, y = form(X.astype(dtype)), form(Y.astype(dtype))
    theirs = pairwise_kernels(X, Y, metric=name, filter_params=True, gamma=0.7, degree=2, coef0=0.5)
    ours = kernel(x, y)
    assert ours.dtype == dtype
    np.testing.assert_allclose(ours, theirs, rtol=bound, atol=bound)
    np.testing.assert_allclose(kernel(x, Y.astype(dtype)), theirs, rtol=bound, atol=bound)  # one side sparse
    own = kernel(x)
    np.testing.assert_array_equal(own, own.T)
    np.testing.assert_allclose(own, kernel(x, x), rtol=bound, atol=bound)
    np.testing.assert_allclose(kernel.diagonal(x), np.diag(own), rtol=bound, atol=bound)


@pytest.mark.parametrize("name", NAMES)
def test_definite_says_whether_there_are_negative_eigenvalues(name):
    kernel = kernel_of(name, gamma=3.0, degree=3, coef0=0.3)
    least = np.linalg.eigvalsh(kernel(X[:60])).min()
    assert (least > -1e-12) == kernel.definite


def test_definite_of_powers_and_sums():
    assert not PolynomialKernel(3, coef0=-1.0).definite and not PolynomialKernel(1.5).definite
    assert (GaussianKernel() + LinearKernel()).definite and not (GaussianKernel() * SigmoidKernel()).definite
    assert not ConstantKernel(-1.0).definite


@pytest.mark.parametrize("kernel", [GaussianKernel(0.3), LaplacianKernel(0.3)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_an_offset_costs_no_digits(kernel, dtype):
    offset = 1e9 if dtype == np.float64 else 1e4
    near = rng.integers(-20, 20, (50, 3)) / 8.0  # exact beside the offset, in float64
    near = ((near + offset).astype(dtype) - dtype(offset)).astype(float)
    np.testing.assert_allclose(
        kernel((near + offset).astype(dtype)), kernel(near), atol=1e-14 if offset > 1e8 else 1e-6
    )


def test_narrow_kernels_on_wide_rows():
    rows = np.concatenate([rng.normal(size=(20, 2)), 1e8 + rng.integers(0, 9, (20, 2)) / 8.0])
    by_hand = np.exp(-((rows[:, None] - rows) ** 2).sum(axis=2))
    np.testing.assert_allclose(GaussianKernel(1.0)(rows), by_hand, atol=1e-12)
    np.testing.assert_allclose(GaussianKernel(1.0)(sparse.csr_array(rows)), by_hand, atol=1e-12)
    assert GaussianKernel(1.0)([[1e200], [0.0]], [[-1e200], [1e200]]).tolist() == [[0.0, 1.0], [0.0, 0.0]]


MEANT = {"scale": lambda X: 1 / (4 * X.var()), "spread": lambda X: 1 / X.var(axis=0).sum(), "auto": lambda X: 1 / 4}


@pytest.mark.parametrize("gamma", list(MEANT))
def test_words_for_gamma(gamma):
    weight = np.repeat([1.0, 2.0, 0.0], [10, 10, 50])
    rows = np.repeat(Y, weight.astype(int), axis=0)
    for form in (np.asarray, sparse.csr_array):
        found = (2.0 * GaussianKernel(gamma)).resolved(form(Y), weight)
        assert found.parts[1].gamma == pytest.approx(MEANT[gamma](rows), rel=1e-12)
    assert GaussianKernel(gamma).resolved(np.ones((3, 4))).gamma == (0.25 if gamma == "auto" else 1.0)
    coarse = np.round(Y * 1024) / 1024
    assert GaussianKernel(gamma).resolved(coarse + 1e9).gamma == pytest.approx(MEANT[gamma](coarse), rel=1e-12)


def test_a_column_that_is_moved_or_constant_does_not_change_the_spread():
    moved = np.column_stack([np.round(Y * 1024) / 1024 + [1e9, 0, -1e6, 3], np.full(70, 1e12)])
    assert GaussianKernel("spread").resolved(moved).gamma == pytest.approx(1 / Y.var(axis=0).sum(), rel=1e-2)
    assert GaussianKernel(None).resolved(Y).gamma == 0.25
    with pytest.raises(ValueError, match="the variance of column 1 is inf"):
        GaussianKernel("spread").resolved(Y[:, :2] * [1.0, 1e160])


def test_words_mean_the_rows_that_are_held():
    kernel, held = GaussianKernel("scale"), GaussianKernel("scale").resolved(Y)
    np.testing.assert_array_equal(kernel(X, Y), held(X, Y))
    assert kernel.at(Y).kernel == held


# -- algebra ----------------------------------------------------------------------------------------------------------


def test_sums_and_products():
    a, b = GaussianKernel(0.5), PolynomialKernel(2, gamma=1.0)
    A, B = a(X, Y), b(X, Y)
    np.testing.assert_allclose((a + b)(X, Y), A + B, rtol=1e-14)
    np.testing.assert_allclose((a * b + 2.0 * a + 1)(X, Y), A * B + 2 * A + 1, rtol=1e-14)
    np.testing.assert_allclose((3 * a * b).diagonal(X), 3 * b.diagonal(X), rtol=1e-14)
    np.testing.assert_allclose((1 + a)(X), 1 + a(X), rtol=1e-14)
    assert (a + b) + a == a + (b + a) and a + b != b + a and hash(a + b) == hash(a + b)
    with pytest.raises(TypeError):
        a + "b"


def test_values_do_not_change():
    with pytest.raises(AttributeError):
        GaussianKernel().gamma = 2.0


def test_blocks_and_products_are_the_matrix():
    kernel, a = GaussianKernel(0.7) + 0.5, rng.normal(size=(70, 3))
    held, whole = kernel.at(Y), kernel(X, Y)
    found = list(held.blocks(X, numbers=700))
    assert [len(block) for _, block in found] == [10] * 30
    np.testing.assert_allclose(np.concatenate([block for _, block in found]), whole, rtol=1e-13)
    np.testing.assert_allclose(held.times(X, a), whole @ a, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(held.times(X, a[:, 0]), whole @ a[:, 0], rtol=1e-10, atol=1e-12)


def test_given_kernels():
    K = LinearKernel()(Y)
    held = PrecomputedKernel().at(K)
    np.testing.assert_array_equal(held.own(), K)
    np.testing.assert_array_equal(held.matrix(LinearKernel()(X, Y)), LinearKernel()(X, Y))
    np.testing.assert_array_equal(PrecomputedKernel().diagonal(K), np.diag(K))
    own = kernel_of(lambda x, y, power: float(x @ y) ** power, parameters={"power": 2})
    np.testing.assert_allclose(own(X, Y), LinearKernel()(X, Y) ** 2, rtol=1e-13)
    whole = kernel_of(lambda x, y: x @ y.T, rows=False)
    np.testing.assert_allclose(whole(X, Y), LinearKernel()(X, Y), rtol=1e-13)
    np.testing.assert_allclose(own.diagonal(Y), np.diag(K) ** 2, rtol=1e-13)


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: GaussianKernel(-1.0), ValueError, "gamma must be finite and not negative, got -1.0"),
        (lambda: GaussianKernel("wide"), ValueError, "one of None, 'auto', 'scale', 'spread', got 'wide'"),
        (lambda: PolynomialKernel(-2), ValueError, "degree must be a number of at least 0"),
        (lambda: SigmoidKernel(coef0=np.nan), ValueError, "coef0 must be a finite number"),
        (lambda: kernel_of("gaussian"), ValueError, "kernel must be one of 'linear'"),
        (lambda: kernel_of(3), TypeError, "kernel must be a kernel, its name or a function, got int"),
        (lambda: PolynomialKernel(0.5, 1.0, 0.0)([[1.0]], [[-1.0]]), ValueError, "take a whole degree"),
        (lambda: Chi2Kernel()([[1.0], [-1.0]]), ValueError, "no negative values, X has one at row 1"),
        (lambda: PrecomputedKernel()([[1.0, 2.0]]), ValueError, "square"),
        (lambda: OwnKernel(lambda x, y: x, rows=False)(X, Y), ValueError, r"must give a matrix of shape"),
        (lambda: GaussianKernel(1.0)([1.0, 2.0]), ValueError, "X must be a matrix with a row for each point"),
        (lambda: GaussianKernel(1.0)([["a"]]), ValueError, "X must hold numbers"),
    ],
)
def test_refused(make, kind, words):
    with pytest.raises(kind, match=words):
        make()


def test_a_matrix_that_does_not_fit_is_refused_beforehand():
    rows = np.zeros((2**22, 1), dtype=np.float32)
    with pytest.raises(ValueError, match=r"4194304 x 4194304 kernel values needs 65536.0 GiB.*blocks"):
        GaussianKernel(1.0)(rows)


def test_every_kernel_is_public_and_says_what_it_is():
    assert set(kernels.__all__) >= {type(kernel_of(name)).__name__ for name in NAMES}
    assert Combinatorial(2) == Combinatorial(2, cumulative=True) != Combinatorial(2, cumulative=False)
    assert Combinatorial(2).diagonal([{0, 1, 2}, ()]).tolist() == [1 + 3 + 3.0, 1.0]
