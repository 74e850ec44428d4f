"""A linear regression: any loss, any penalty, any solver."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from ...data import Chunk
from ...objectives import Quadratic
from ...objectives.named_losses import loss_of
from ...objectives.penalties import penalty_of
from ...statistics import Moments
from ..description import PENALTY, Description, Offer, Tuning
from ..passes import Passes
from ..stepwise import Stepwise
from .parts.linear_scores import linear_scores
from .parts.minimiser import Descent, Minimum, RiskMixin, descent, minimum, penalty_weight, shortest, solver_of
from .parts.row_space import is_in_row_space
from .parts.survey import frame_for, with_target


class LinearRegressor(RiskMixin, RegressorMixin, Stepwise):
    """Regularised risk minimisation for numbers: a loss, a penalty, and a way to minimise.

        F(w) = sum_n s_n l(y_n, f(x_n)) + alpha Omega(w),     f(x) = w'x + w0

    The famous names are combinations: squared + L2 is ridge regression (the same alpha), squared + L1 the lasso with
    N alpha for our alpha, absolute least absolute deviations, quantile quantile regression, epsilon_insensitive + L2
    support vector regression with C = 1 / alpha, huber a robust one. The intercept w0 is not penalised.

    Statistic: Expansion (value, gradient, Hessian) at each step: several passes, each a sum; no merge, no forget. The
    squared loss is minimised on Moments instead: one pass. Cost: O(n d^2) a step with a Hessian, O(n d) without.

    Parameters
    ----------
    loss : {"squared", "absolute", "huber", "epsilon_insensitive", "quantile"} or Loss, default="squared"
        What a residual costs. ``Huber(delta)``, ``EpsilonInsensitive(epsilon)`` and ``Quantile(quantile)`` of
        `sumlearn.objectives` set their numbers, which are in units of y.
    penalty : {"l2", "l1", "elasticnet", "l0", "none"}, None or Penalty, default="l2"
        What large coefficients cost. Every loss goes with every penalty; of L0, which is not convex, a minimum among
        its neighbours is found.
    alpha : float, default=1.0
        Weight of the penalty.
    solver : "auto", a name of `sumlearn.solvers.SOLVERS` or Solver, default="auto"
        How to minimise. "auto" is "newton" for smooth penalties, "coordinate" where the penalty alone has kinks,
        "smoothing" where the loss has them too, and "proximal" for L0.
    fit_intercept : bool, default=True
        Whether there is a w0.
    basis : basis of `sumlearn.features`, default=None
        x -> phi(x) before anything else.
    tol : float, default=1e-13
        Ends when a step promises less than this share of the objective.
    max_iter : int, default=None
        Most steps; None leaves it to the solver.
    random_state : int, default=0
        Order of the rows for "sgd".
    n_jobs : int, default=None
        Threads; None is all.

    Attributes
    ----------
    coef_, intercept_, n_iter_
        As in scikit-learn.
    solutions_ : list of Solution
        Objective, gradient norm, iterations, passes, trace.

    Examples
    --------
    >>> from sumlearn import LinearRegressor
    >>> from sumlearn.objectives import Quantile
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 2.0, 3.0, 100.0]
    >>> model = LinearRegressor(loss=Quantile(0.5), penalty=None).fit(X, y)
    >>> model.predict([[10.0]]).round(6).tolist()
    [10.0]

    References
    ----------
    Lecture notes 001, 003; Koenker & Bassett 1978; Huber 1964.
    """

    description = Description(
        offers=(
            Offer(
                "huber",
                "Huber ridge",
                40,
                {"loss": "huber", "alpha": 1.0},
                Tuning("loss", (0.1, 0.5), unit="deviation", loss="huber"),
            ),
            Offer("median", "least absolute errors", 50, fixed={"loss": "absolute"}),
        ),
        complexity=PENALTY,
        onnx="linear",
        lacks={"sample": "a loss is minimised, no distribution is assumed; Ridge has the one of the squared loss"},
    )

    target = "number"

    def __init__(
        self,
        loss: Any = "squared",
        penalty: Any = "l2",
        *,
        alpha: float = 1.0,
        solver: Any = "auto",
        fit_intercept: bool = True,
        basis: Any = None,
        tol: float = 1e-13,
        max_iter: int | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.basis = basis
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def start(self, rows: Passes, look: Any) -> Descent:
        loss, penalty = loss_of(self.loss, "number"), penalty_of(self.penalty)
        solver = solver_of(self.solver, loss, penalty, self.tol, self.max_iter, self.random_state)
        few_rows = is_in_row_space(rows.source, penalty, penalty_weight(self.alpha, penalty), solver)
        if loss.name == "squared" and solver.name != "sgd" and not few_rows:
            moments = rows.total(moments_of)
            objective = Quadratic.of(moments, penalty, penalty_weight(self.alpha, penalty), self.fit_intercept)
            first, d = objective.start, moments.features
            if self.fit_intercept:
                first[0, -1] = objective.apart
            rest = np.ldexp(moments.centre.lo[:d], moments.exponent[:d])
            return Descent(solver, (objective,), (first,), rows.source, rest=rest)
        moments = rows.total(with_target)
        frame = frame_for(rows, moments, self.fit_intercept)
        first = np.zeros((1, frame.size))
        if self.fit_intercept:
            first[0, -1] = moments.mean[-1]
        return descent(solver, loss, penalty, self.alpha, rows.source, frame, 1, [None], [first], self.n_jobs)

    def attributes(self, state: Descent) -> dict[str, Any]:
        objective = state.objectives[0]
        found = self._of_moments(state) if isinstance(objective, Quadratic) else state.minimum(self)
        values = found.attributes(state.source.dtype)
        return values | {"coef_": values["coef_"][0], "intercept_": values["intercept_"][0]}

    def predict(self, X: Any) -> np.ndarray:
        """w'x + w0."""
        return linear_scores(self, self.rows_of(X, sparse_ok=True))[:, 0]

    def _of_moments(self, state: Descent) -> Minimum:
        objective: Quadratic = state.objectives[0]
        found = minimum(objective.frame, state.solutions)
        if not objective.alpha:
            found = shortest(found, objective.expand(state.starts[0], 2), objective.rounding, self)
        return replace(found, level=found.level - found.coef @ state.rest) if self.fit_intercept else found


def moments_of(chunk: Chunk) -> Moments:
    return Moments.of(chunk.X, chunk.y, chunk.weight)
