"""Problems of the tests on inference, and what is compared."""

import numpy as np

from tests.agreement.problems import classes, distance

EXACT = 1e-10
ATTRIBUTES = (
    "covariance_", "fisher_information_", "cramer_rao_", "standard_errors_", "t_values_", "p_values_", "aic_", "bic_",
    "noise_variance_", "r2_", "adjusted_r2_", "variance_inflation_",
)  # fmt: skip


def overlapping(n=300, d=3, k=2):
    """Classes with a maximum of the likelihood."""
    X, y = classes(n, d, k)
    return X + 4.0 * np.random.default_rng(n).standard_normal(X.shape), y


def assert_same(a, b, bound=EXACT):
    """Two linear models infer the same."""
    for name in ATTRIBUTES:
        assert distance(getattr(a, name), getattr(b, name)) < bound, name
