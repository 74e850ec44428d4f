"""The laws of sums, as checks: put your own statistics and learners through them.

Every check raises AssertionError with the name of the law that failed. They need no test runner:

>>> import numpy as np
>>> from sumlearn import Ridge
>>> from sumlearn.statistics import Moments
>>> from sumlearn.testing import check_learner, check_statistic
>>> rng = np.random.default_rng(0)
>>> X = rng.standard_normal((60, 3)) + 1e9
>>> check_statistic([Moments.of(X[:0]), Moments.of(X[:20]), Moments.of(X[20:21]), Moments.of(X[21:])], Moments.of(X))
>>> check_learner(Ridge(alpha=0.1), X, X @ [1.0, 2.0, 0.0] + rng.standard_normal(60))
"""

from .learners import check_learner
from .same_model import assert_same_model, outputs
from .same_statistic import assert_same_bits, assert_same_statistic
from .statistics import check_statistic

__all__ = ["assert_same_model", "assert_same_statistic", "check_learner", "check_statistic"]
