"""The lasso with the penalty chosen by cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..description import Description
from ..learner import Learner
from .lasso import Lasso
from .parts.sparse_cv import SparseCV
from .parts.sparse_paths import lasso_path
from .parts.sparse_regression import LACKS


class LassoCV(SparseCV, Learner):
    """The lasso over a whole path of penalties, the best one chosen by exact cross-validation.

        K folds: b(alpha) on the sum of the other folds, and sum (y - b'x - b0)^2 from the fold's own sum

    Every penalty starts from the solution of the one before, and is solved to rounding: 100 penalties in 5 folds cost
    one pass over the data, up to 2,000 columns. Above, every fold is a path over its rows.

    Statistic: Moments of (x, y) per fold; one pass. The choice of the penalty is no sum, so this learner has no `+`;
    ``best_estimator_`` is a Lasso that has. Cost: summarise O(n d^2), then O(d k) a sweep for every penalty and fold.

    Parameters
    ----------
    eps : float, default=1e-3
        Ratio of the least to the largest penalty of a grid.
    alphas : int or array, default=100
        How many penalties there are in the grid, or the penalties.
    fit_intercept : bool, default=True
        Whether to fit b0.
    precompute, copy_X, verbose, random_state, selection
        Accepted for compatibility.
    max_iter : int, default=1000
        Most sweeps over the columns for each penalty.
    tol : float, default=1e-4
        Ends when the duality gap is below tol |y|^2; from sums the minimum is found to rounding where sweeps allow it.
    cv : int, splitter or iterable of splits, default=None
        None is five folds.
    n_jobs : int, default=None
        Threads; None is all.
    positive : bool, default=False
        Demand b >= 0.
    basis : basis of `sumlearn.features`, default=None
        x -> phi(x) before anything else.

    Attributes
    ----------
    alpha_, alphas_, mse_path_
        The chosen penalty, all of them, and mean squared errors (alphas, folds).
    coef_, intercept_, dual_gap_, n_iter_
        Of the chosen penalty on all rows.
    best_estimator_
        The Lasso itself, which can update, merge and forget.
    statistic_
        The sums of all rows, up to 2,000 columns.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import LassoCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 5))
    >>> y = X @ [1.0, 0.5, 0.0, 0.0, 0.0] + rng.standard_normal(200)
    >>> model = LassoCV(cv=5).fit(X, y)
    >>> round(model.alpha_, 4), model.mse_path_.shape, model.coef_.round(2)
    (0.054, (100, 5), array([1.01, 0.36, 0.  , 0.  , 0.05]))

    References
    ----------
    Lecture notes 000, 003; Tibshirani 1996; Friedman, Hastie & Tibshirani 2010.
    """

    description = Description(onnx="linear", parts=(Lasso,), variants={"alphas": (20,)}, lacks=LACKS)

    path = staticmethod(lasso_path)

    def __init__(
        self,
        *,
        eps: float = 1e-3,
        alphas: Any = 100,
        fit_intercept: bool = True,
        precompute: Any = "auto",
        max_iter: int = 1000,
        tol: float = 1e-4,
        copy_X: bool = True,
        cv: Any = None,
        verbose: Any = False,
        n_jobs: int | None = None,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
        basis: Any = None,
    ) -> None:
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.copy_X = copy_X
        self.cv = cv
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.basis = basis

    def ratios(self) -> np.ndarray:
        return np.ones(1)

    def estimator(self, alpha: float, l1_ratio: float) -> Lasso:
        return Lasso(
            alpha, fit_intercept=self.fit_intercept, max_iter=self.max_iter, tol=self.tol, positive=self.positive,
            selection=self.selection, basis=self.basis,
        )  # fmt: skip
