"""The elastic net."""

from __future__ import annotations

from typing import Any

from ..description import PENALTY, Description, Offer, Tuning
from ..roads import Roads
from .parts.sparse_paths import elastic_net_path
from .parts.sparse_regression import LACKS, OnMoments, OnRows, SparseRegression


class ElasticNet(SparseRegression, Roads):
    """Least squares with a penalty on the sizes and on the squares of the coefficients: few of them, and stable ones.

        b = argmin sum_n w_n (y_n - b'x_n - b0)^2 / 2N + alpha rho |b|_1 + alpha (1 - rho) |b|^2 / 2

    rho is `l1_ratio` and N the sum of the weights. Of columns that are alike the lasso takes one, the elastic net all.
    The intercept is not penalised. rho = 1 is the lasso, rho = 0 ridge regression with alpha N for its alpha.

    Statistic: Moments of (x, y). One pass. Can merge, forget, decay, restrict, up to 2,000 columns; above, the rows are
    needed together (working sets), and it can none of these. Cost: summarise O(n d^2), solve O(d k) a sweep and O(k^3)
    for k coefficients that are not zero; of many columns O(n d) a round.
    Penalties enter in `solve`: changing alpha or l1_ratio with ``set_params`` needs no new fit.

    Parameters
    ----------
    alpha : float, default=1.0
        The penalty, not negative; zero is least squares.
    l1_ratio : float between 0 and 1, default=0.5
        rho, the share of the L1 penalty.
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
    >>> from sumlearn import ElasticNet
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.1]])
    >>> model = ElasticNet(alpha=0.5).fit(X, [1.0, 3.0, 5.0, 8.0])
    >>> model.coef_.round(3), round(float(model.dual_gap_), 9)
    (array([0.903, 0.987]), 0.0)
    >>> model.set_params(l1_ratio=1.0).coef_.round(3)
    array([0.   , 1.861])

    References
    ----------
    Lecture notes 001, 003; Zou & Hastie 2005; Friedman, Hastie & Tibshirani 2010.
    """

    description = Description(
        offers=(
            Offer(
                "elastic_net",
                "elastic net",
                31,
                {"l1_ratio": 0.5},
                Tuning("alpha", (0.003, 0.03, 0.1), unit="deviation"),
                extra=True,
            ),
        ),
        complexity=PENALTY,
        onnx="linear",
        parts=(OnMoments, OnRows),
        variants={
            "precision": (None, "exact"),
            "alpha": (0.01, 0.3),
            "l1_ratio": (0.2, 1.0),
            "selection": ("cyclic", "random"),
        },
        lacks=LACKS,
    )

    path = staticmethod(elastic_net_path)

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        precompute: Any = False,
        max_iter: int = 1000,
        copy_X: bool = True,
        tol: float = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
        basis: Any = None,
        precision: str | None = None,
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.copy_X = copy_X
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.basis = basis
        self.precision = precision
