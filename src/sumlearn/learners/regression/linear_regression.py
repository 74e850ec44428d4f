"""Least squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data import Chunk
from ...statistics import Moments, in_words
from ..description import Complexity, Description, Offer
from ..one_pass import OnePass
from ..precision import moments_of
from .parts.linear_model import LinearModel
from .parts.linear_path import second_moments


class LinearRegression(LinearModel, OnePass):
    """Ordinary and weighted least squares, from sums.

        b = argmin sum_n w_n (y_n - b'x_n - b0)^2 = S_xx^-1 S_xy,   b0 = m_y - m_x'b

    The solution of least norm where columns are dependent (b = X^+ y); those columns are listed in ``aliased_``.
    Scatter and solution are carried in two words, so that the normal equations keep the digits that squaring the
    condition number usually costs: all NIST reference problems come out right, in one fit, over merged models or row
    by row.

    Statistic: Moments of (x, y). One pass. Can merge, forget, decay, restrict. Cost: summarise O(n d^2), solve O(d^3);
    of fewer rows than columns O(n^2 d).

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to fit b0.
    copy_X : bool, default=True
        Accepted for compatibility; X is never changed.
    tol : float, default=1e-6
        Accepted for compatibility; the solution is direct.
    n_jobs : int or None, default=None
        Threads for the pass; None takes all processors.
    positive : bool, default=False
        Demand b >= 0 (the minimum is still a function of the sums).
    basis : basis of `sumlearn.features`, default=None
        x -> phi(x) before anything else; models of a basis that looks at the data merge where the look is the same.
    precision : {None, "double", "exact"}, default=None
        "exact" sums without any rounding: the same rows leave the same bits, however they came and went. It takes
        longer, and nothing decays.

    Attributes
    ----------
    coef_, intercept_
        b and b0.
    rank_, condition_, aliased_, digits_
        Number of independent columns; condition of the columns scaled to unit length; columns that depend on earlier
        ones; decimal digits that rounding leaves.
    noise_precision_
        beta with 1 / beta = RSS / N, the maximum-likelihood estimate (biased; inference divides by N - p).
    log_likelihood_
        -beta RSS / 2 + N/2 ln beta - N/2 ln 2 pi at the solution.
    covariance_, fisher_information_, cramer_rao_
        V = s2 (X'X)^-1 of the estimates, the intercept first; X'X / s2; and its inverse, the bound for every unbiased
        estimator, which least squares reaches. With several targets one matrix for each.
    standard_errors_, t_values_, p_values_
        sqrt V_jj, b_j / sqrt V_jj, and two-sided p values, the intercept first; NaN where dependent columns leave a
        coefficient undetermined.
    noise_variance_, r2_, adjusted_r2_, aic_, bic_, variance_inflation_
        s2 = RSS / (N - p); what is explained; criteria for choosing among models; 1 / (1 - R_j^2). N is the sum of the
        weights; where there are no more rows than parameters, none of these exist.
    statistic_
        The sums themselves.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import LinearRegression
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 5.0, 8.0])
    >>> monday, tuesday = LinearRegression().fit(X[:2], y[:2]), LinearRegression().fit(X[2:], y[2:])
    >>> week = monday + tuesday
    >>> week.coef_, LinearRegression().fit(X, y).coef_
    (array([2.3]), array([2.3]))
    >>> week.standard_errors_, week.confidence_interval()[1]
    (array([0.3240, 0.1732]), array([1.5547, 3.0452]))
    >>> week.forget(X[3:], y[3:]).predict([[10.0]])
    array([21.])

    References
    ----------
    Lecture notes 000, 001, 003; Bishop, "Pattern recognition and machine learning", 2006, sec. 3.1.
    """

    description = Description(
        offers=(Offer("linear", "least squares", 10),),
        complexity=Complexity(
            "alpha",
            "penalty λ (least squares: zero)",
            tuple(np.logspace(-2, 4, 10).tolist()),
            stand_in="Ridge",
            keeps=("fit_intercept", "basis"),
        ),
        judge="least_squares",
        onnx="linear",
        posterior="flat",
        variants={"precision": (None, "exact")},
    )

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        tol: float = 1e-6,
        n_jobs: int | None = None,
        positive: bool = False,
        basis: Any = None,
        precision: str | None = None,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive
        self.basis = basis
        self.precision = precision

    def summarise(self, chunk: Chunk, look: Any = None) -> Moments:
        return moments_of(self, chunk.X, chunk.y, chunk.weight)

    def solution(self, statistic: Moments) -> dict[str, Any]:
        return self.regression(statistic, 0.0)

    @property
    def singular_(self) -> np.ndarray:
        """Singular values of the centred columns (of the columns themselves without an intercept)."""
        if "statistic_" not in self.__dict__:
            raise AttributeError("'LinearRegression' object has no attribute 'singular_'")
        moments: Moments = in_words(self.statistic_)
        d = moments.features
        S = second_moments(moments, centred=self.fit_intercept)[:d, :d]
        values = np.maximum(np.linalg.eigvalsh(S)[::-1], 0.0)
        rank = int((values > d * np.finfo(float).eps * values.max(initial=0.0)).sum())
        return np.sqrt(values[: moments.least_rows(rank - 1)]).astype(self.float_dtype)

    def collinearity(self) -> list[dict[str, Any]]:
        """For each column its variance inflation 1 / (1 - R_j^2), and for a dependent one what it is made of.

        >>> import numpy as np
        >>> from sumlearn import LinearRegression
        >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0], [3.0, 3.0]])
        >>> for row in LinearRegression().fit(X, [2.0, 3.0, 7.0, 11.0]).collinearity():
        ...     print(row["column"], round(row["inflation"], 3))
        0 2.065
        1 2.065
        """
        from .parts.collinearity import collinearity

        return collinearity(self)
