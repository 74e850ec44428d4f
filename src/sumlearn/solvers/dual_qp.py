"""The dual quadratic program of support vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse

from ..engines import one_blas_thread
from ..objectives.held_problem import HeldProblem
from .dual_problem import primal_value
from .quadratic_program import Path, Program, advanced, begun, program_of
from .solver import Solver, expansion
from .state import State

MANY = 4000  # rows, or columns, of a system that is solved at once


@dataclass(frozen=True, eq=False, kw_only=True)
class ProgramState(State):
    """The program, how far its path has come, and the gap to the primal that belongs to it."""

    problem: HeldProblem
    program: Program
    signs: np.ndarray  # of the numbers: b = sum of sign x number over those of a row
    path: Path
    gap: float = np.inf


class DualQP(Solver):
    """max_a  sum_n a_n - 1/2 sum_mn a_m a_n y_m y_n x_m'x_n,    0 <= a_n <= C,   sum_n a_n y_n = 0

    in general for every loss whose dual is a quadratic: hinge, squared hinge, epsilon-insensitive, absolute, quantile,
    Huber, with an L2 penalty. The equation belongs to an intercept without a penalty; where it is penalised, or there
    is none, there is no equation. An interior point leads there and the end is exact: numbers at a bound are put there,
    and the others solve a linear system. `sumlearn.solvers.box_qp` is the program alone, for any Gram matrix.

    Parameters
    ----------
    tol : float, default=1e-10
        Ends when the gap between the program and its dual is below this share.
    max_iter : int, default=100
        Most steps.

    References
    ----------
    Lecture notes 001 and 003 (001 lacks the 1/2); Cortes & Vapnik 1995; Ferris & Munson 2002.
    """

    name = "dual_qp"
    asks = frozenset({"value and slope", "program"})
    kinks = frozenset({"loss"})

    def __init__(self, tol: float = 1e-10, max_iter: int = 100) -> None:
        self.tol, self.max_iter = tol, max_iter

    def start(self, objective: Any, point: np.ndarray) -> ProgramState:
        problem = objective.held()
        program, signs = dual_program(problem)
        found = expansion(objective, objective.start)
        nothing = found.value <= 0  # is less than no loss at all
        return ProgramState(
            point=objective.start, found=found, value=found.value, passes=2.0, problem=problem, program=program,
            signs=signs, path=begun(program), ended=nothing, converged=nothing, gap=0.0 if nothing else np.inf,
        )  # fmt: skip

    def step(self, objective: Any, state: ProgramState) -> ProgramState:
        if state.ended or state.iterations >= self.max_iter:
            return state.but(ended=True, noted=())
        problem = state.problem
        with one_blas_thread():
            path = advanced(state.program, state.path, self.tol)
        beta = (state.signs * path.x).reshape(-1, problem.rows).sum(axis=0)
        w = problem.X.T @ beta
        level = -float(path.y[0]) if problem.free else float(beta.sum()) * (problem.scaling or 0.0) ** 2
        value = problem.alpha * primal_value(problem, w, level)
        gap = max(value + problem.alpha * state.program.value(path.x), 0.0)
        state = state.but(
            path=path, point=problem.point(w, level), value=value, gap=gap, noted=(value,),
            iterations=state.iterations + 1, passes=state.passes + 6,
        )  # fmt: skip
        if not path.ended and state.iterations < self.max_iter:
            return state
        found = expansion(objective, state.point)
        converged = gap <= max(self.tol, 1e-8) * abs(found.value) + 1e-300
        return state.but(found=found, value=found.value, ended=True, converged=converged, passes=state.passes + 1)


def dual_program(problem: HeldProblem) -> tuple[Program, np.ndarray]:
    """The program of a dual, and the signs of its numbers; where |b| has a price, b is a difference of two."""
    dual, n, d = problem.dual(), problem.rows, problem.frame.features
    X = problem.X
    if problem.scaling is not None and problem.frame.intercept:
        extra = np.full((n, 1), problem.scaling)
        X = sparse.hstack([X, extra], format="csr") if sparse.issparse(X) else np.column_stack([X, extra])
    if min(n, d) > MANY:
        raise ValueError(
            f"solver='dual_qp' solves systems of at most {MANY} numbers, and there are {n} rows of {d} columns: use "
            "'dual_cd'"
        )
    signs, c, lower, upper = np.ones(n), -dual.target, dual.lower, dual.upper
    if dual.epsilon:
        signs = np.concatenate([signs, -signs])
        c = np.concatenate([dual.epsilon - dual.target, dual.epsilon + dual.target])
        lower, upper = np.zeros(2 * n), np.concatenate([dual.upper, -dual.lower])
    copies = len(signs) // n
    ridge = np.tile(dual.ridge, copies)
    equation = signs if problem.free else None
    if n <= d + 1:
        gram = np.asarray((X @ X.T).toarray() if sparse.issparse(X) else X @ X.T)
        full = np.tile(gram, (copies, copies)) * signs * signs[:, None]
        return program_of(full, c, lower, upper, equation, 0.0, ridge), signs
    dense = X.toarray() if sparse.issparse(X) else X
    rows = np.concatenate([dense, -dense]) if copies > 1 else dense
    return program_of(None, c, lower, upper, equation, 0.0, ridge, rows), signs
