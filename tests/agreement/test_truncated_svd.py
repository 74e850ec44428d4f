"""TruncatedSVD against NumPy's singular value decomposition and scikit-learn, by sums and by passes."""

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.decomposition import TruncatedSVD as Reference

import sumlearn as sl
from sumlearn import TruncatedSVD
from sumlearn.learners.projections.parts import singular_roads

RNG = np.random.default_rng(0)


def table(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) @ np.diag(0.8 ** np.arange(d)) + rng.standard_normal(d)


def same_up_to_sign(a, b, atol):
    np.testing.assert_allclose(a * np.sign((a * b).sum(axis=1, keepdims=True)), b, atol=atol)


@pytest.mark.parametrize("shape", [(200, 12), (9000, 5), (6, 9), (40, 150)], ids=str)
@pytest.mark.parametrize("k", [1, 3])
def test_sums_are_the_decomposition(shape, k):
    A = table(*shape)
    ours, theirs = TruncatedSVD(k).fit(A), Reference(k, algorithm="arpack", random_state=0).fit(A)
    U, sizes, V = np.linalg.svd(A, full_matrices=False)
    np.testing.assert_allclose(ours.singular_values_, sizes[:k], rtol=1e-12)
    for name in ("components_", "singular_values_", "explained_variance_", "explained_variance_ratio_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8, atol=1e-10)
    best = U[:, :k] * sizes[:k] @ V[:k]
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(A)), best, atol=1e-10)
    np.testing.assert_allclose(ours.reconstruction_error(), ((A - best) ** 2).sum() / len(A), rtol=1e-9)
    np.testing.assert_allclose(ours.reconstruction_error(A), ours.reconstruction_error(), rtol=1e-9)


def test_small_singular_values_keep_their_digits():
    Q = np.linalg.qr(RNG.standard_normal((300, 4)))[0]
    A = Q * [1.0, 1e-3, 1e-7, 1e-10] @ np.linalg.qr(RNG.standard_normal((4, 4)))[0]
    for model in (TruncatedSVD(4).fit(A), TruncatedSVD(4).fit(A[:70]) + TruncatedSVD(4).fit(A[70:])):
        np.testing.assert_allclose(model.singular_values_, [1.0, 1e-3, 1e-7, 1e-10], rtol=1e-5)


def test_an_offset_leaves_what_lies_beside_it():
    A = table(400, 5, 3)
    far = TruncatedSVD(3).fit(A + 1e9)
    wanted = np.linalg.svd(A + 1e9)[1][:3]
    np.testing.assert_allclose(far.singular_values_, wanted, rtol=1e-6)
    assert far.explained_variance_.sum() <= A.var(axis=0).sum() * (1 + 1e-6)


@pytest.fixture
def narrow(monkeypatch):
    """Passes for more than four columns."""
    monkeypatch.setattr(singular_roads, "MOST_SUMMED", 4)
    monkeypatch.setattr("sumlearn.learners.projections.truncated_svd.MOST_SUMMED", 4)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix], ids=lambda form: form.__name__)
@pytest.mark.parametrize("algorithm", ["randomized", "arpack"])
def test_passes_find_the_same(narrow, algorithm, form):
    A = np.where(RNG.random((500, 60)) < 0.3, table(500, 60, 1), 0.0)
    summed = TruncatedSVD(4, algorithm="sums").fit(A)
    passed = TruncatedSVD(4, algorithm=algorithm, random_state=1).fit(form(A))
    assert "merge" in sl.abilities(summed) and not list(sl.abilities(passed))
    loose = 1e-3 if algorithm == "randomized" else 1e-12
    np.testing.assert_allclose(passed.singular_values_, summed.singular_values_, rtol=loose)
    if algorithm == "arpack":
        same_up_to_sign(passed.components_, summed.components_, 1e-6)
        np.testing.assert_allclose(passed.explained_variance_ratio_, summed.explained_variance_ratio_, rtol=1e-8)
        np.testing.assert_allclose(passed.reconstruction_error(), summed.reconstruction_error(), rtol=1e-9)
    theirs = Reference(4, random_state=1).fit(A).singular_values_
    assert (passed.singular_values_ >= theirs - 1e-9).all()  # all of them are at most the right ones


def test_passes_take_weights_ranks_and_other_sources(narrow, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    pd = pytest.importorskip("pandas")
    A = table(90, 3, 2) @ RNG.standard_normal((3, 8))  # of rank three
    weight = RNG.integers(0, 4, 90)
    learner = TruncatedSVD(3, random_state=0)
    wanted = TruncatedSVD(3, algorithm="sums").fit(np.repeat(A, weight, axis=0))
    found = learner.fit(A, sample_weight=weight)
    np.testing.assert_allclose(found.singular_values_, wanted.singular_values_, rtol=1e-10)
    np.testing.assert_allclose(found.explained_variance_, wanted.explained_variance_, rtol=1e-8)
    whole = learner.fit(A).transform(A)
    frame = pd.DataFrame(A, columns=list("abcdefgh"))
    frame.to_csv(tmp_path / "rows.csv", index=False)
    for source in (str(tmp_path / "rows.csv"), dd.from_pandas(frame, npartitions=3)):
        np.testing.assert_allclose(learner.fit(source).transform(frame), whole, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(learner.fit(A.astype(np.float32)).transform(A.astype(np.float32)), whole, atol=2e-4)


def test_what_is_refused(narrow):
    A = table(20, 6)
    with pytest.raises(ValueError, match="algorithm='sums'"):
        TruncatedSVD(2).partial_fit(A)
    A[7, 2] = np.inf
    with pytest.raises(ValueError, match="infinity: first at row 7, column 2"):
        TruncatedSVD(2).fit(sparse.csr_array(A))
    for options, message in (
        ({"n_components": 7}, "n_components\\(7\\) must be <= n_features\\(6\\)"),
        ({"n_components": 0}, "n_components must be a whole number"),
        ({"algorithm": "svd"}, "algorithm must be one of"),
        ({"tol": -1.0}, "tol must not be negative"),
        ({"power_iteration_normalizer": "qr"}, "power_iteration_normalizer must be one of"),
    ):
        with pytest.raises(ValueError, match=message):
            TruncatedSVD(**options).fit(table(20, 6))
