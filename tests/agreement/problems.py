"""Problems of several shapes, and how far two arrays are apart."""

import numpy as np

REGRESSION = {
    "tall": (500, 6),
    "several chunks": (9000, 4),
    "wide": (8, 20),
    "square": (7, 7),
    "one column": (40, 1),
}
CLASSES = {
    "two": (120, 3, 2),
    "three": (200, 4, 3),
    "several chunks": (9000, 3, 4),
    "one column": (60, 1, 3),
}


def regression(n, d, targets=None, seed=0):
    """X with offsets and unequal scales, y linear with noise; y is two-dimensional where targets are given."""
    rng = np.random.default_rng([seed, n, d])
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-1.0, 1.0, d) + rng.uniform(-5.0, 5.0, d)
    B = rng.standard_normal((d, targets or 1))
    y = X @ B + rng.standard_normal((n, targets or 1)) + 3.0
    return X, y if targets else y[:, 0]


def classes(n, d, k, seed=0):
    """Overlapping normal classes with covariances of their own; labels 0 .. k - 1 in random order."""
    rng = np.random.default_rng([seed, n, d, k])
    y = rng.permutation(np.where(np.arange(n) < n // 4, 0, np.arange(n) % k))  # unequal priors
    mixing = np.eye(d) + 0.3 * rng.standard_normal((k, d, d))
    X = np.einsum("nj,nji->ni", rng.standard_normal((n, d)), mixing[y]) + 1.5 * rng.standard_normal((k, d))[y]
    return X, y


def whole_weights(n, seed=0):
    """Weights 0 to 4; as many repetitions of a row mean the same."""
    return np.random.default_rng([seed, n]).integers(0, 5, n)


def distance(found, expected):
    """Largest difference relative to the largest entry."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape
    size = np.abs(expected).max(initial=0.0)
    return np.abs(found - expected).max(initial=0.0) / (size or 1.0)
