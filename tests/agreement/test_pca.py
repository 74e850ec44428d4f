"""PCA against scikit-learn, the singular value decomposition, and the error of a direct reconstruction."""

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA as Reference

from sumlearn import PCA, IllConditionedWarning

from tests.agreement.problems import distance, whole_weights

SHAPES = {"tall": (300, 6), "several chunks": (9000, 4), "wide": (8, 20), "square": (6, 6), "one column": (30, 1)}
ATTRIBUTES = [
    "components_",
    "explained_variance_",
    "explained_variance_ratio_",
    "singular_values_",
    "mean_",
]


def rows(n, d, seed=0):
    """Variances that fall by halves, mixed, with an offset."""
    rng = np.random.default_rng([seed, n, d])
    rotation = np.linalg.qr(rng.standard_normal((d, d)))[0]
    return rng.standard_normal((n, d)) * 0.5 ** np.arange(d) @ rotation + rng.uniform(-3.0, 3.0, d)


def reference(n_components, X, **options):
    return Reference(n_components, svd_solver="full", **options).fit(X)


@settings(max_examples=60)
@given(
    shape=st.sampled_from(sorted(SHAPES)),
    share=st.sampled_from([None, 0.0, 0.5, 1.0]),
    whiten=st.booleans(),
)
def test_agrees_with_scikit_learn(shape, share, whiten):
    n, d = SHAPES[shape]
    X = rows(n, d)
    k = None if share is None else round(share * min(n - 1, d))
    ours, theirs = PCA(k, whiten=whiten).fit(X), reference(k, X, whiten=whiten)
    useful = min(ours.n_components_, n - 1)  # with n <= d the last component has no variance and no direction
    assert ours.n_components_ == theirs.n_components_
    for name in ATTRIBUTES:
        found, expected = getattr(ours, name), getattr(theirs, name)
        if name in ("components_", "singular_values_"):  # the root of a zero is known to half the digits
            found, expected = found[:useful], expected[:useful]
        assert distance(found, expected) < 1e-8, name
    assert ours.noise_variance_ == pytest.approx(theirs.noise_variance_, rel=1e-9, abs=1e-14 * X.var())
    assert distance(ours.transform(X)[:, :useful], theirs.transform(X)[:, :useful]) < 1e-8
    if useful:
        decoded = theirs.inverse_transform(theirs.transform(X))
        assert distance(ours.inverse_transform(ours.transform(X)), decoded) < 1e-8


@pytest.mark.parametrize("n", [40, 9000])
@pytest.mark.parametrize("smallest", [1e-5, 1e-9, 1e-12])
def test_small_singular_values_have_their_digits(n, smallest):
    """As in a decomposition of the rows, the error is a share 1e-15 of the largest; also of merged sums."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((n, 4))
    U, V = np.linalg.qr(A - A.mean(axis=0))[0], np.linalg.qr(rng.standard_normal((4, 4)))[0]
    X = (U * [1.0, 0.5, 3.0 * smallest, smallest]) @ V
    *_, expected, W = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    for model in (PCA().fit(X), PCA().fit(X[: n // 3]) + PCA().fit(X[n // 3 :])):
        assert model.singular_values_ == pytest.approx(expected, rel=2e-15 / smallest + 1e-10)
        assert np.abs(np.abs(model.components_ @ W.T) - np.eye(4)).max() < 1e-14 / smallest + 1e-9
    graded = PCA().fit(A * [1.0, 1e-3, 1e-7, 1e-10])
    exact = np.linalg.svd((A - A.mean(axis=0)) * [1.0, 1e-3, 1e-7, 1e-10], compute_uv=False)
    assert graded.singular_values_ == pytest.approx(exact, rel=1e-4)


@pytest.mark.parametrize("svd_solver", ["auto", "full", "covariance_eigh", "arpack", "randomized"])
def test_svd_solver(svd_solver):
    """Every solver gives the truncated singular value decomposition A_k = U_k S_k V_k' of the centred rows."""
    X = rows(100, 6)
    model = PCA(3, svd_solver=svd_solver, random_state=0).fit(X)
    U, S, V = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    assert distance(model.singular_values_, S[:3]) < 1e-10
    assert np.abs(np.abs((model.components_ * V[:3]).sum(axis=1)) - 1.0).max() < 1e-10
    truncated = (U[:, :3] * S[:3]) @ V[:3]
    assert distance(model.transform(X) @ model.components_, truncated) < 1e-10
    theirs = Reference(3, svd_solver=svd_solver, random_state=0).fit(X)
    assert distance(model.components_, theirs.components_) < 1e-6


def test_unknown_svd_solver_is_refused():
    with pytest.raises(ValueError, match="svd_solver must be one of"):
        PCA(svd_solver="lobpcg").fit(rows(20, 3))


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("shape", ["tall", "several chunks", "wide"])
def test_reconstruction_error(shape, whiten):
    """|X - X~|_F^2 / N: the sum of the left-out eigenvalues of the covariance (divisor N), and of the rows directly."""
    X = rows(*SHAPES[shape])
    values = np.linalg.eigvalsh(np.cov(X.T, bias=True))[::-1]
    for k in range(min(X.shape)):
        model = PCA(k, whiten=whiten).fit(X)
        decoded = model.inverse_transform(model.transform(X))
        direct = np.linalg.norm(X - decoded) ** 2 / len(X)
        assert model.reconstruction_error() == pytest.approx(values[k:].sum(), rel=1e-9, abs=1e-13)
        assert model.reconstruction_error() == pytest.approx(direct, rel=1e-9, abs=1e-13)
        assert model.reconstruction_error(X) == pytest.approx(direct, rel=1e-12, abs=1e-13)


def test_reconstruction_error_is_the_least_of_all_planes():
    X = rows(200, 5)
    best = PCA(2).fit(X).reconstruction_error()
    centred = X - X.mean(axis=0)
    rng = np.random.default_rng(0)
    for _ in range(50):
        W = np.linalg.qr(rng.standard_normal((5, 2)))[0]
        assert np.linalg.norm(centred - centred @ W @ W.T) ** 2 / len(X) > best


def test_eigenvectors_of_the_covariance():
    """C w = lambda w."""
    X = rows(200, 5)
    model = PCA().fit(X)
    C = np.cov(X.T)
    assert np.abs(C @ model.components_.T - model.components_.T * model.explained_variance_).max() < 1e-13
    assert np.abs(model.components_ @ model.components_.T - np.eye(5)).max() < 1e-13


@pytest.mark.parametrize("share", [0.3, 0.75, 0.9, 0.999])
def test_share_of_the_variance(share):
    X = rows(200, 6)
    ours, theirs = PCA(share).fit(X), reference(share, X)
    assert ours.n_components_ == theirs.n_components_
    assert distance(ours.components_, theirs.components_) < 1e-9


@pytest.mark.parametrize("seed", range(8))
def test_minka_estimate(seed):
    """A signal of three directions in noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((200, 3)) @ rng.standard_normal((3, 8)) * rng.uniform(0.5, 3.0)
    X = X + rng.uniform(0.2, 1.5) * rng.standard_normal((200, 8))
    ours, theirs = PCA("mle").fit(X), reference("mle", X)
    assert ours.n_components_ == theirs.n_components_
    assert ours.noise_variance_ == pytest.approx(theirs.noise_variance_, rel=1e-9)


@pytest.mark.parametrize("k", [0, 2, 5, None])
def test_probabilistic_model(k):
    X = rows(100, 5)
    ours, theirs = PCA(k).fit(X), reference(k, X)
    assert distance(ours.get_covariance(), theirs.get_covariance()) < 1e-9
    whitened = PCA(ours.n_components_, whiten=True).fit(X)  # scikit-learn's covariance changes with it
    assert np.array_equal(whitened.get_covariance(), ours.get_covariance())
    assert distance(ours.get_precision(), theirs.get_precision()) < 1e-9
    assert distance(ours.score_samples(X), theirs.score_samples(X)) < 1e-9
    assert ours.score(X) == pytest.approx(theirs.score(X), rel=1e-9)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_weights_are_repetitions():
    X = rows(100, 4)
    weight = whole_weights(100)
    ours, theirs = PCA(2).fit(X, sample_weight=weight), reference(2, X.repeat(weight, axis=0))
    for name in [*ATTRIBUTES, "noise_variance_"]:
        assert distance(getattr(ours, name), getattr(theirs, name)) < 1e-10, name


def test_dependent_and_constant_columns():
    X = rows(100, 4)
    X = np.column_stack([X, X[:, 0] - X[:, 1], np.full(100, 2.0)])
    ours, theirs = PCA().fit(X), reference(None, X)
    assert distance(ours.explained_variance_, theirs.explained_variance_) < 1e-10
    assert distance(ours.components_[:4], theirs.components_[:4]) < 1e-9


def test_no_density_is_told():
    X = rows(50, 3)
    with pytest.warns(IllConditionedWarning, match="no density but for rounding"):
        PCA(3).fit(np.column_stack([X, X[:, 0] - X[:, 1]])).score(np.ones((1, 4)))
    for flat in (PCA().fit(X[:2]), PCA(2).fit(X * 1e-160)):
        with pytest.raises(np.linalg.LinAlgError, match="they have no density"):
            flat.score(X)


def test_minka_estimate_of_weights_beyond_all_integers():
    X = rows(200, 3) @ np.diag([5.0, 3.0, 0.1])
    assert PCA("mle").fit(X, sample_weight=np.full(200, 1e300)).n_components_ == 2


def test_float32_and_sparse():
    X = rows(200, 5)
    expected = PCA(2).fit(X)
    narrow = PCA(2).fit(X.astype(np.float32))
    assert narrow.components_.dtype == narrow.transform(X.astype(np.float32)).dtype == np.float32
    assert distance(narrow.components_, expected.components_) < 1e-5
    X[np.abs(X) < 1] = 0.0
    ours, dense = PCA(2).fit(sparse.csr_array(X)), PCA(2).fit(X)
    assert distance(ours.components_, dense.components_) < 1e-12
    assert distance(ours.transform(sparse.csr_array(X)), dense.transform(X)) < 1e-12


@pytest.mark.parametrize("offset", [1e6, 1e9])
def test_offset_changes_nothing(offset):
    X = np.round(64 * rows(200, 4)) / 64
    plain, shifted = PCA(2).fit(X), PCA(2).fit(X + offset)
    assert distance(shifted.components_, plain.components_) < 1e-12
    assert distance(shifted.transform(X + offset), plain.transform(X)) < 1e-6


@pytest.mark.parametrize("n_components", [-1, 6, 2.5, "many", True])
def test_bad_numbers_of_components(n_components):
    with pytest.raises(ValueError, match="n_components"):
        PCA(n_components).fit(rows(20, 5))
