"""The minimum of a function of one's own, by any solver."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from ..objectives import OwnFunction, Penalised
from ..objectives.penalties import penalty_of
from .solver import Solver
from .state import Solution

SHORT = {"bb": "barzilai_borwein"}
WITHOUT_ROWS = ("sgd", "pegasos", "dual_cd", "dual_qp", "smo", "cutting_planes", "interior_point")  # nothing to do
ENDLESS = 1e300  # at such values, or where a slope squared is beyond it, a search ends for want of numbers
NOTHING = 1e-24  # share of the first value that is no gain: the least value may be zero


def minimise(
    value: Any,
    start: Any,
    slope: Any = None,
    solver: Any = "bb",
    *,
    curvature: Any = None,
    penalty: Any = None,
    alpha: float = 1.0,
    line_search: Any = None,
    tol: float | None = None,
    max_iter: int | None = None,
) -> Solution:
    """The least value of F(w) that can be reached from a start.

    Parameters
    ----------
    value : callable
        F: a number for every w.
    start : float or array of any shape
        Where to begin. F is asked in this shape, and in single precision if the start is.
    slope : callable, default=None
        The gradient, in the shape of w. None takes central differences of F, four values for each number of w: good
        for some twelve digits of the slope where F is smooth, and slow where w is long.
    solver : {"bb", "barzilai_borwein", "lbfgs", "gradient", "newton", "proximal", "coordinate"} or Solver, default="bb"
        How. "newton" needs a slope, and for more than 100 numbers a curvature. "sgd" is refused: there are no rows.
    curvature : callable, default=None
        The Hessian, (n, n) for n numbers, or in the shape of w twice. None takes central differences of the slope,
        for at most 100 numbers.
    penalty : {"l1", "elasticnet", "l2", "l0"} or Penalty, default=None
        A penalty on all numbers of w beside F. L2 is smooth, and for every solver. One with kinks is left to its
        proximal map: for "bb", "proximal" and "coordinate", which needs a slope. L0 is not convex: "proximal" finds a
        minimum among its neighbours.
    alpha : float, default=1.0
        Weight of the penalty.
    line_search : {"armijo", "grippo"} or LineSearch, default=None
        Values never rise, or stay below the largest of the last ten. None leaves it to the solver.
    tol : float, default=None
        Ends when a step promises less than this share of the value. None leaves it to the solver.
    max_iter : int, default=None
        Most steps. None leaves it to the solver.

    Returns
    -------
    Solution
        `point` in the shape of the start, `objective`, `gradient_norm`, `iterations`, `converged`, `trace`: the values
        on the way; `passes` counts how often value and slope were asked for, differences as one. Values that fall to
        -1e300, and slopes above 1e150, have not `converged`.

    Examples
    --------
    Rosenbrock's valley, whose floor is at (1, 1).

    >>> import numpy as np
    >>> def valley(w):
    ...     return 100.0 * (w[1] - w[0] ** 2) ** 2 + (1.0 - w[0]) ** 2
    >>> found = minimise(valley, np.array([-1.2, 1.0]))
    >>> found.point.round(4).tolist(), found.converged
    ([1.0, 1.0], True)
    >>> found = minimise(lambda w: ((w - [3.0, 0.5]) ** 2).sum(), np.zeros(2), solver="proximal", penalty="l1")
    >>> found.point.round(6).tolist()
    [2.5, 0.0]

    References
    ----------
    Lecture notes 000 and 001; Nocedal & Wright 2006, ch. 3 and 8.
    """
    chosen = copy.copy(solver_for(solver, line_search, tol, max_iter))
    chosen.nothing = NOTHING
    objective: Any = OwnFunction.of(value, start, slope, curvature)
    if penalty is not None:
        if not (isinstance(alpha, int | float) and np.isfinite(alpha) and alpha >= 0):
            raise ValueError(f"alpha must be finite and not negative, got {alpha!r}")
        objective = Penalised(objective, penalty_of(penalty), float(alpha))
    found = chosen.minimise(objective, objective.start)
    endless = not (abs(found.objective) < ENDLESS and found.gradient_norm < ENDLESS**0.5)
    return replace(found, point=objective.natural(found.point), converged=found.converged and not endless)


def solver_for(solver: Any, line_search: Any, tol: Any, max_iter: Any) -> Solver:
    """A solver by its name with these options, or as it is."""
    from . import SOLVERS
    from .line_search import search_of

    options = {"line_search": line_search, "tol": tol, "max_iter": max_iter}
    given = {name: option for name, option in options.items() if option is not None}
    for name in given.keys() & {"tol", "max_iter"}:
        if not (isinstance(given[name], int | float) and given[name] >= 0):
            raise ValueError(f"{name} must not be negative, got {given[name]!r}")
    if line_search is not None:
        search_of(line_search)
    if isinstance(solver, Solver):
        if given:
            raise ValueError(f"{', '.join(given)} cannot be given beside a Solver: it has its own")
        return solver
    name = SHORT.get(solver, solver) if isinstance(solver, str) else solver
    if name not in SOLVERS:
        names = ", ".join(map(repr, [*SHORT, *SOLVERS]))
        raise ValueError(f"solver must be one of {names}, or a Solver, got {solver!r}")
    if name in WITHOUT_ROWS:
        given.pop("line_search", None)  # it has none, and is refused for want of rows
    return SOLVERS[name](**given)
