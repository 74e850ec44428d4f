"""Distances of all pairs of rows."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sumlearn.features.metrics import euclidean, hamming, mahalanobis
from sumlearn.statistics import Moments

RNG = np.random.default_rng(0)
A, B = RNG.standard_normal((7, 3)), RNG.standard_normal((5, 3))


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_euclid_and_mahalanobis_agree_with_scipy(offset):
    a, b = A + offset, B + offset
    S = np.cov(RNG.standard_normal((3, 9))) * [[1.0, 1e4, 1.0], [1e4, 1e8, 1e4], [1.0, 1e4, 1.0]]
    np.testing.assert_allclose(euclidean(a, b), cdist(a, b), rtol=1e-14)
    expected = cdist(a, b, "mahalanobis", VI=np.linalg.inv(S))
    np.testing.assert_allclose(mahalanobis(a, b, covariance=S), expected, rtol=1e-9)
    moments = Moments.of(B)
    np.testing.assert_allclose(mahalanobis(a, covariance=moments), mahalanobis(a, a, covariance=moments.covariance()))
    assert (euclidean(a).diagonal() == 0).all()


def test_hamming_counts_gaps_as_a_level():
    levels = np.array([[0.0, 1.0, np.nan], [0.0, 2.0, np.nan], [1.0, 2.0, 3.0]])
    np.testing.assert_allclose(hamming(levels), np.array([[0, 1, 3], [1, 0, 2], [3, 2, 0]]) / 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: euclidean(A, B[:, :2]), "A has 3 columns and B has 2"),
        (lambda: euclidean([1.0, 2.0]), "A must be two-dimensional"),
        (lambda: euclidean([["a"]]), "A must hold real numbers"),
        (lambda: euclidean([[0.0], [np.nan]]), "Input A contains NaN: first at row 1, column 0"),
        (lambda: mahalanobis(A, covariance=np.ones((3, 3))), "the covariance is not positive definite"),
        (lambda: mahalanobis(A, covariance=np.eye(2)), r"must have shape \(3, 3\)"),
        (lambda: mahalanobis(A, covariance=np.triu(np.ones((3, 3)))), "not symmetric"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
