"""Ridge regression."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data import Chunk
from ...statistics import Moments
from ..description import PENALTY, Description, Offer, Tuning
from ..fitted import Fitted
from ..one_pass import OnePass
from ..precision import moments_of
from .parts.linear_model import LinearModel

SOLVERS = ("auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")


class Ridge(LinearModel, OnePass):
    """Least squares with a penalty on the length of the coefficients (weight decay, Tikhonov), from sums.

        b = argmin sum_n w_n (y_n - b'x_n - b0)^2 + alpha |b|^2 = (S_xx + alpha I)^-1 S_xy,   b0 = m_y - m_x'b

    It is the maximum of the posterior under b ~ N(0, I / a) and noise of precision beta, with alpha = a / beta. Note
    003 writes the penalty as lambda N, so its lambda is alpha / N. The intercept is not penalised.

    Statistic: Moments of (x, y). One pass. Can merge, forget, decay, restrict. Cost: summarise O(n d^2), solve O(d^3);
    of fewer rows than columns O(n^2 d).
    The penalty enters in `solve`: changing alpha with ``set_params`` needs no new fit.

    Parameters
    ----------
    alpha : float or array of shape (targets,), default=1.0
        The penalty, not negative; zero is least squares.
    fit_intercept : bool, default=True
        Whether to fit b0.
    copy_X, max_iter, tol, random_state
        Accepted for compatibility; the solution is direct.
    solver : str, default="auto"
        scikit-learn's names are accepted; all give the same solution.
    positive : bool, default=False
        Demand b >= 0.
    basis : basis of `sumlearn.features`, default=None
        x -> phi(x) before anything else; models of a basis that looks at the data merge where the look is the same.
    precision : {None, "double", "exact"}, default=None
        "exact" sums without any rounding: the same rows leave the same bits, however they came and went. It takes
        longer, and nothing decays.

    Attributes
    ----------
    coef_, intercept_, rank_, condition_, aliased_, digits_, noise_precision_, log_likelihood_, statistic_
        As in LinearRegression; condition and digits are those of the penalised system.
    covariance_, standard_errors_, noise_variance_, r2_, adjusted_r2_, aic_, bic_, fisher_information_, cramer_rao_
        V = s2 A^-1 X'X A^-1 with A = X'X + alpha I, s2 = RSS / (N - p), p = tr(A^-1 X'X): how the estimates scatter
        about their own mean, which the penalty moves. So t and p values exist for alpha = 0 only.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import Ridge
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 5.0, 8.0])
    >>> model = Ridge(alpha=5.0).fit(X, y)
    >>> model.coef_
    array([1.15])
    >>> model.set_params(alpha=0.0).coef_
    array([2.3])

    References
    ----------
    Lecture notes 000, 001, 003; Hoerl & Kennard, "Ridge regression", 1970.
    """

    description = Description(
        offers=(
            Offer("ridge", "ridge", 20, tuning=Tuning("alpha", (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0))),
            Offer(
                "polynomial",
                "ridge on products",
                60,
                tuning=Tuning("alpha", (1.0, 10.0, 100.0, 1000.0)),
                degree=2,
                most_features=50,
            ),  # whose products are some 1300
        ),
        complexity=PENALTY,
        judge="least_squares",
        onnx="linear",
        posterior="penalty",
        variants={"precision": (None, "exact"), "solver": ("auto", "cholesky", "sag")},
    )

    def __init__(
        self,
        alpha: Any = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int | None = None,
        tol: float = 1e-4,
        solver: str = "auto",
        positive: bool = False,
        random_state: Any = None,
        basis: Any = None,
        precision: str | None = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.positive = positive
        self.random_state = random_state
        self.basis = basis
        self.precision = precision

    column_target = True

    n_iter_ = Fitted("Always 1: the solution is direct.")
    solver_ = Fitted('The solver asked for; in place of "auto" scikit-learn\'s name for the road taken.')

    def summarise(self, chunk: Chunk, look: Any = None) -> Moments:
        return moments_of(self, chunk.X, chunk.y, chunk.weight)

    def solution(self, statistic: Moments) -> dict[str, Any]:
        if self.solver not in SOLVERS:
            raise ValueError(f"solver must be one of {', '.join(SOLVERS)}, got {self.solver!r}")
        road = self.solver if self.solver != "auto" else "lbfgs" if self.positive else "cholesky"
        alpha = penalties(self.alpha, statistic.targets)
        return self.regression(statistic, alpha) | {"n_iter_": 1, "solver_": road}


def penalties(alpha: Any, targets: int) -> np.ndarray:
    """alpha as one number per target."""
    values = np.atleast_1d(np.asarray(alpha, dtype=float))
    if values.ndim != 1:
        raise ValueError(f"alpha must be a number or one per target ({targets}), got shape {values.shape}")
    if len(values) not in (1, targets):
        raise ValueError(f"Number of targets and number of penalties do not correspond: {len(values)} != {targets}")
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError(f"alpha must be finite and not negative, got {alpha!r}")
    return np.broadcast_to(values, (targets,))
