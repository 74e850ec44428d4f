"""Linear support vector machines for numbers."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from ...objectives import EpsilonInsensitive, SquaredEpsilonInsensitive
from ...statistics.weights import refuse_heavy
from ..description import INVERSE_PENALTY, Description, Offer, Tuning
from ..passes import Passes
from ..stepwise import Stepwise
from .parts.duality import gap_of
from .parts.linear_scores import linear_scores
from .parts.margins import (
    check_combination,
    check_margins,
    check_number,
    made,
    penalty_of_margins,
    road,
    scaling_of,
    support_of,
    warn_of_offsets,
)
from .parts.minimiser import Descent, RiskMixin, descent
from .parts.survey import frame_for, with_target

DUALS = {("l2", "epsilon_insensitive"): {True}, ("l2", "squared_epsilon_insensitive"): {True, False}}


class LinearSVR(RiskMixin, RegressorMixin, Stepwise):
    """A line in a tube: residuals up to epsilon cost nothing.

        min_w  |w|^2 / 2 + C sum_n s_n l(y_n - f(x_n)),     f(x) = w'x + b
        l(r) = max(0, |r| - epsilon)   (epsilon_insensitive),  or its square

    As in liblinear the intercept is b = `intercept_scaling` times the weight of a column of ones, and penalised like
    the others; with intercept_scaling="free" it is not penalised, and y and columns may lie anywhere.

    Statistic: Expansion (value, gradient, Hessian) at each step; rows in memory for the loss without a square and for
    sparse rows. No merge, no forget. Cost: O(n d^2) a step and few steps, or O(nnz) an epoch.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the width of the tube, in units of y.
    tol : float, default=1e-4
        Ends when the duality gap is below tol^2 of the objective, or a Newton step promises less than tol^4.
    C : float, default=1.0
        Cost of residuals beyond epsilon, the inverse of a penalty's weight.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        What they cost.
    fit_intercept : bool, default=True
        Whether there is a b.
    intercept_scaling : float or "free", default=1.0
        The column of b; "free" leaves it out of the penalty.
    dual : "auto" or bool, default="auto"
        As in scikit-learn, where it chooses the algorithm. Combinations that it refuses are refused.
    verbose, random_state
        `random_state` is the order of the rows for coordinate descent; `verbose` is accepted for compatibility.
    max_iter : int, default=1000
        Most steps, or epochs.
    solver : str or Solver, default="auto"
        One of `sumlearn.solvers` that can do it: another road to the same minimum.
    n_jobs : int, default=None
        Threads; None is all.
    basis : basis of `sumlearn.features`, default=None
        x -> phi(x) before anything else.

    Attributes
    ----------
    coef_, intercept_, n_iter_
        As in scikit-learn.
    support_ : array
        Numbers of the rows on the border of the tube or outside of it.
    dual_gap_ : float
        What could still be gained, in units of sum l + |w|^2 / (2 C), at most.
    solutions_ : list of Solution
        Objective, iterations, passes, gap, trace.

    Examples
    --------
    >>> from sumlearn import LinearSVR
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.1, 1.9, 3.0, 40.0]
    >>> model = LinearSVR(C=100.0, epsilon=0.2, intercept_scaling="free").fit(X, y)
    >>> model.predict([[10.0]]).round(2).tolist(), model.support_.tolist()
    ([11.3], [0, 2, 3, 4])

    References
    ----------
    Lecture notes 001; Drucker et al. 1997; Ho & Lin 2012.
    """

    description = Description(
        offers=(
            Offer(
                "linear_svr", "linear SVR", 58, {"intercept_scaling": "free", "C": 1.0},
                Tuning("epsilon", (0.05, 0.3), unit="deviation"), extra=True,
            ),
        ),
        complexity=INVERSE_PENALTY,
        onnx="linear",
        variants={
            "loss": ("epsilon_insensitive", "squared_epsilon_insensitive"), "dual": ("auto",), "C": (0.1, 1.0),
            "intercept_scaling": (1.0, 3.0, "free"), "epsilon": (0.0, 0.1), "max_iter": (1000,),
        },
        lacks={"sample": "a loss is minimised, no distribution is assumed; Ridge has the one of the squared loss"},
    )  # fmt: skip

    target = "number"

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: Any = 1.0,
        dual: Any = "auto",
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        solver: Any = "auto",
        n_jobs: int | None = None,
        basis: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.solver = solver
        self.n_jobs = n_jobs
        self.basis = basis

    def check(self) -> None:
        check_margins(self)
        check_number("C", self.C)
        if not (isinstance(self.epsilon, int | float | np.number) and np.isfinite(self.epsilon) and self.epsilon >= 0):
            raise ValueError(f"epsilon must be a number, at least 0, got {self.epsilon!r}")
        check_combination(self, "l2", DUALS)

    def start(self, rows: Passes, look: Any) -> Descent:
        kind = EpsilonInsensitive if self.loss == "epsilon_insensitive" else SquaredEpsilonInsensitive
        loss, scaling = kind(float(self.epsilon)), scaling_of(self)
        penalty, alpha = penalty_of_margins("l2", self.C)
        name = road(self, rows.source, loss.name, penalty)
        solver = made(name, self.tol, self.max_iter, self.random_state, penalty, loss)
        moments = rows.total(with_target)
        refuse_heavy(moments.weight)
        warn_of_offsets(self, moments)
        frame = frame_for(rows, moments, self.fit_intercept, scaling is not None)
        first = np.zeros((1, frame.size))
        if self.fit_intercept and scaling is None:
            first[0, -1] = moments.mean[-1]
        return descent(
            solver, loss, penalty, alpha, rows.source, frame, 1, [None], [first], self.n_jobs, scaling=scaling
        )

    def attributes(self, state: Descent) -> dict[str, Any]:
        values = state.minimum(self).attributes(state.source.dtype)
        told = SimpleNamespace(**(values | {"n_jobs": self.n_jobs}))
        support = support_of(told, state.source, partial(beyond, epsilon=float(self.epsilon)))
        return values | {
            "coef_": values["coef_"][0], "n_iter_": int(values["n_iter_"].max()), "support_": support[0],
            "dual_gap_": gap_of(state.objectives[0], state.states[0]),
        }  # fmt: skip

    def predict(self, X: Any) -> np.ndarray:
        """w'x + b."""
        return linear_scores(self, self.rows_of(X, sparse_ok=True))[:, 0]


def beyond(y: np.ndarray, scores: np.ndarray, epsilon: float) -> np.ndarray:
    """|y - f| - epsilon."""
    return np.abs(np.asarray(y, dtype=float)[:, None] - scores) - epsilon
