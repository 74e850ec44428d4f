"""Sequential minimal optimisation: the dual, two numbers at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sparse

from ..engines import one_blas_thread
from ..objectives.duals import Dual
from ..objectives.held_problem import HeldProblem
from .decomposition import decomposed
from .dual_problem import dual_value, primal_value
from .multipliers import part
from .solver import Solver, expansion
from .state import State

FIRST = 0.1  # tolerance of the first step, in units of the targets
NEXT = 0.03  # times the last tolerance
LAST = 1e-15  # of the targets
ROUNDING = 1e-13  # share of the objective below which a gap says nothing


class LinearMatrix:
    """The matrix of products of rows, and a row of zeros where no equation holds the numbers together.

    A number of the row of zeros costs nothing and has no bounds, so that pairs with it are single numbers.
    """

    precision, unit = np.float64, 1.0

    def __init__(self, rows: Any, alone: bool) -> None:
        if alone:
            zero = np.zeros((1, rows.shape[1]))
            rows = sparse.csr_array(sparse.vstack([rows, zero])) if sparse.issparse(rows) else np.vstack([rows, zero])
        self.rows = rows
        square = rows.multiply(rows).sum(axis=1) if sparse.issparse(rows) else np.einsum("ij,ij->i", rows, rows)
        self.diagonal = np.asarray(square, dtype=float).ravel()

    def block(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        found = self.rows[rows] @ self.rows[columns].T
        return found.toarray() if sparse.issparse(found) else np.array(found)

    def write(self, rows: np.ndarray, out: np.ndarray, slots: np.ndarray) -> None:
        found = self.rows[rows] @ self.rows.T
        out[slots, : self.rows.shape[0]] = found.toarray() if sparse.issparse(found) else found

    def narrowed(self, which: np.ndarray) -> Self:
        made = object.__new__(type(self))
        made.rows, made.diagonal = self.rows[which], self.diagonal[which]
        return made


@dataclass(frozen=True, eq=False, kw_only=True)
class PairState(State):
    """The numbers of the rows (and one more, where they are alone), what they were last exact to, and the gap."""

    problem: HeldProblem
    matrix: LinearMatrix
    beta: np.ndarray
    exact: float
    scale: float
    gap: float = np.inf
    best: float = np.inf
    idle: int = 0


class SMO(Solver):
    """b_i <- b_i + s, b_j <- b_j - s: the pair of most gain is moved to its best, until none is left.

        max_b  sum_n (t_n b_n - r_n b_n^2 / 2 - e |b_n|) - |sum_n b_n x_n|^2 / 2,   lower <= b <= upper,  sum b_n = 0

    i is the number that wants most to rise, j the one that with it gains most by second order. The equation belongs to
    an intercept without a penalty; where it is penalised, or there is none, pairs with a number of no cost are single
    ones. In between, the numbers at no bound solve their equations, if they are few. For every loss whose dual is a
    quadratic, with an L2 penalty; rows in memory. `SVC`, `SVR` and `OneClassSVM` do the same in the space of a kernel,
    whose rows are cached (`sumlearn.solvers.decomposition`).

    Parameters
    ----------
    tol : float, default=1e-10
        Ends when the duality gap is below this share of the objective.
    max_iter : int, default=10000000
        Most pairs.

    References
    ----------
    Lecture notes 001 and 003; Platt 1998; Keerthi et al. 2001; Fan, Chen & Lin 2005.
    """

    name = "smo"
    asks = frozenset({"value and slope", "program"})
    kinks = frozenset({"loss"})

    def __init__(self, tol: float = 1e-10, max_iter: int = 10_000_000) -> None:
        self.tol, self.max_iter = tol, max_iter

    def start(self, objective: Any, point: np.ndarray) -> PairState:
        problem = objective.held()
        X = problem.X
        if problem.scaling is not None and problem.frame.intercept:
            extra = np.full((problem.rows, 1), problem.scaling)
            X = sparse.csr_array(sparse.hstack([X, extra])) if sparse.issparse(X) else np.column_stack([X, extra])
        matrix = LinearMatrix(X, not problem.free)
        found = expansion(objective, objective.start)
        nothing = found.value <= 0  # is less than no loss at all
        return PairState(
            point=objective.start, found=found, value=found.value, passes=2.0, problem=problem, matrix=matrix,
            beta=np.zeros(len(matrix.diagonal)), exact=FIRST / NEXT, ended=nothing, converged=nothing,
            scale=float(np.abs(problem.dual().target).max(initial=0.0)) or 1.0, gap=0.0 if nothing else np.inf,
        )  # fmt: skip

    def step(self, objective: Any, state: PairState) -> PairState:
        """All pairs up to the next tolerance, and the gap."""
        if state.ended or state.iterations >= self.max_iter:
            return state.but(ended=True, noted=())
        problem, exact = state.problem, max(NEXT * state.exact, LAST)
        dual = problem.dual()
        with one_blas_thread():
            found = decomposed(
                state.matrix, alone(dual) if not problem.free else dual, state.beta, tol=exact * state.scale,
                max_iter=self.max_iter - state.iterations,
            )  # fmt: skip
        beta = found.beta[: problem.rows]
        w = problem.X.T @ beta
        level = found.level if problem.free else float(beta.sum()) * (problem.scaling or 0.0) ** 2
        upper, lower = primal_value(problem, w, level), dual_value(problem, dual, beta, w)
        gap, value = problem.alpha * max(upper - lower, 0.0), problem.alpha * upper
        close, idle = gap <= max(self.tol, ROUNDING) * abs(value), 0 if gap < 0.9 * state.best else state.idle + 1
        iterations = state.iterations + max(found.steps, 1)
        state = state.but(
            point=problem.point(w, level), beta=found.beta, exact=exact, value=value, gap=gap, noted=(value,),
            best=min(gap, state.best), idle=idle, iterations=iterations, passes=state.passes + found.rounds + 2.0,
        )  # fmt: skip
        if not (close or exact <= LAST or idle > 3 or iterations >= self.max_iter):
            return state
        end = expansion(objective, state.point)
        close = close or gap <= 1e-8 * abs(value)
        return state.but(found=end, value=end.value, ended=True, converged=close, passes=state.passes + 1)


def alone(dual: Dual) -> Dual:
    """The dual with a number more, which costs nothing."""
    longer = part(dual, np.append(np.arange(len(dual.target)), 0))
    for values, last in ((longer.target, 0.0), (longer.lower, -np.inf), (longer.upper, np.inf), (longer.ridge, 0.0)):
        values[-1] = last
    return longer
