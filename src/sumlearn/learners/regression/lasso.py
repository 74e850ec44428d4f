"""The lasso."""

from __future__ import annotations

from typing import Any

from ..description import PENALTY, Description, Offer, Tuning
from ..roads import Roads
from .parts.sparse_paths import elastic_net_path
from .parts.sparse_regression import LACKS, OnMoments, OnRows, SparseRegression


class Lasso(SparseRegression, Roads):
    """Least squares with a penalty on the sizes of the coefficients, most of which become zero.

        b = argmin sum_n w_n (y_n - b'x_n - b0)^2 / 2N + alpha |b|_1,      N = sum_n w_n

    Note 003 writes |y - Xw|^2 / N + lambda |w|_1, so its lambda is 2 alpha. It is the maximum of the posterior under
    a Laplace prior. The intercept is not penalised.

    Statistic: Moments of (x, y). One pass. Can merge, forget, decay, restrict, up to 2,000 columns; above, the rows are
    needed together (working sets), and it can none of these. Cost: summarise O(n d^2), solve O(d k) a sweep and O(k^3)
    for k coefficients that are not zero; of many columns O(n d) a round.
    The penalty enters in `solve`: changing alpha with ``set_params`` needs no new fit.

    Parameters
    ----------
    alpha : float, default=1.0
        The penalty, not negative; zero is least squares.
    fit_intercept : bool, default=True
        Whether to fit b0.
    precompute, copy_X, random_state, selection
        Accepted for compatibility: the road follows from the number of columns, and the minimum is one.
    max_iter : int, default=1000
        Most sweeps over the columns.
    tol : float, default=1e-4
        Ends when the duality gap is below tol |y|^2; from sums the minimum is found to rounding where sweeps allow it.
    warm_start : bool, default=False
        Accepted for compatibility: the minimum does not depend on the start.
    positive : bool, default=False
        Demand b >= 0.
    basis : basis of `sumlearn.features`, default=None
        x -> phi(x) before anything else.
    precision : {None, "double", "exact"}, default=None
        "exact" sums without any rounding: the same rows leave the same bits, however they came and went. It takes
        longer, and nothing decays.

    Attributes
    ----------
    coef_, sparse_coef_, intercept_, n_iter_
        As in scikit-learn.
    dual_gap_
        A bound of what is left to gain, in units of the objective.
    statistic_
        The sums, up to 2,000 columns.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import Lasso
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 5))
    >>> y = X @ [3.0, 0.0, 0.0, -2.0, 0.0] + rng.standard_normal(100)
    >>> model = Lasso(alpha=0.5).fit(X, y)
    >>> model.coef_.round(3)
    array([ 2.415,  0.   ,  0.   , -1.674,  0.   ])
    >>> a, b = Lasso(alpha=0.5).fit(X[:40], y[:40]), Lasso(alpha=0.5).fit(X[40:], y[40:])
    >>> bool(np.allclose((a + b).coef_, model.coef_)), round(float(model.dual_gap_), 9)
    (True, 0.0)

    References
    ----------
    Lecture notes 001, 003; Tibshirani 1996; Friedman, Hastie & Tibshirani 2010; Massias, Gramfort & Salmon 2018.
    """

    description = Description(
        offers=(Offer("lasso", "lasso", 30, tuning=Tuning("alpha", (0.003, 0.03, 0.1), unit="deviation")),),
        complexity=PENALTY,
        onnx="linear",
        parts=(OnMoments, OnRows),
        variants={"precision": (None, "exact"), "alpha": (0.01, 0.3), "selection": ("cyclic", "random")},
        lacks=LACKS,
    )

    path = staticmethod(elastic_net_path)
    l1_ratio = 1.0

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        precompute: Any = False,
        copy_X: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
        basis: Any = None,
        precision: str | None = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.basis = basis
        self.precision = precision
