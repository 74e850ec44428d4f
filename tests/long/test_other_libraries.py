"""Minima of other libraries, where these are installed; `python -m benchmarks.sparse` compares times too."""

import numpy as np
import pytest

from sumlearn import Lasso

from tests.agreement.test_lasso import objective, problem

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("library", ["celer", "skglm"])
def test_the_lasso_has_their_minimum(library):
    X, y = problem(100, 300, informative=10)
    X, y = X - X.mean(0), y - y.mean()
    ours = Lasso(0.05, fit_intercept=False).fit(X, y)
    theirs = pytest.importorskip(library).Lasso(alpha=0.05, fit_intercept=False, tol=1e-10)
    theirs.fit(np.asfortranarray(X), y)
    assert objective(ours, X, y, 0.05, 1.0) == pytest.approx(objective(theirs, X, y, 0.05, 1.0), rel=1e-6)
