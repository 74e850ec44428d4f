"""IncrementalPCA: whatever the batches, the components of all rows; scikit-learn's drop what they have no room for."""

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.decomposition import PCA as Exact
from sklearn.decomposition import IncrementalPCA as Approximate

from sumlearn import PCA, IncrementalPCA

X = np.random.default_rng(0).standard_normal((600, 8)) @ np.random.default_rng(1).standard_normal((8, 8)) + 5.0
NAMES = ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_")


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("batch", [1, 7, 600])
def test_batches_are_as_good_as_one_fit(batch, whiten):
    model = IncrementalPCA(3, whiten=whiten)
    for start in range(0, 600, batch):
        model.partial_fit(X[start : start + batch])
    exact = Exact(3, whiten=whiten, svd_solver="full").fit(X)
    for name in NAMES:
        ours, theirs = getattr(model, name), getattr(exact, name)
        np.testing.assert_allclose(np.abs(ours), np.abs(theirs), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(model.var_, X.var(axis=0), rtol=1e-12)
    np.testing.assert_allclose(model.noise_variance_, exact.noise_variance_, rtol=1e-9)
    np.testing.assert_allclose(np.abs(model.transform(X)), np.abs(exact.transform(X)), atol=1e-8)
    assert model.n_samples_seen_ == 600


def test_what_the_approximation_loses():
    drift = X * np.linspace(0.1, 3.0, 600)[:, None] * np.where(np.arange(600) < 300, 1.0, -1.0)[:, None]
    exact = Exact(2, svd_solver="full").fit(drift).explained_variance_
    ours = IncrementalPCA(2, batch_size=20).fit(drift).explained_variance_
    theirs = Approximate(2, batch_size=20).fit(drift).explained_variance_
    np.testing.assert_allclose(ours, exact, rtol=1e-10)
    assert np.abs(theirs / exact - 1.0).max() > 1e-4


def test_components_may_be_more_later_and_rows_may_go():
    model = IncrementalPCA(1).partial_fit(X[:2]).partial_fit(X[2:400]).set_params(n_components=5)
    model.partial_fit(X[400:]).forget(X[:100])
    np.testing.assert_allclose(model.components_, PCA(5).fit(X[100:]).components_, atol=1e-9)


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_array", "lil_array"])
def test_sparse_rows_whole_and_in_batches(kind):
    """scikit-learn takes them whole, and refuses batches of them."""
    rows = getattr(sparse, kind)(np.maximum(X - 5.0, 0.0))
    exact = Exact(2, svd_solver="full").fit(rows.toarray())
    batches = IncrementalPCA(2).partial_fit(rows.tocsr()[:1]).partial_fit(rows.tocsr()[1:])
    for model in (IncrementalPCA(2, batch_size=200).fit(rows), batches):
        np.testing.assert_allclose(model.explained_variance_ratio_, exact.explained_variance_ratio_, rtol=1e-9)
        np.testing.assert_allclose(model.get_covariance() @ model.get_precision(), np.eye(8), atol=1e-12)
        assert model.fit_transform(rows).shape == (600, 2)


def test_what_is_refused():
    with pytest.raises(ValueError, match="n_components=9 invalid for n_features=8"):
        IncrementalPCA(9).fit(X)
    with pytest.raises(ValueError, match="need as many rows, so far there are 2"):
        IncrementalPCA(3).partial_fit(X[:2]).transform(X)
    for name in ("n_components", "batch_size"):
        with pytest.raises(ValueError, match=f"{name} must be a whole number"):
            IncrementalPCA(**{name: 0}).fit(X)
