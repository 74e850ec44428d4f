"""What learners by regularised risk share: from the names of loss, penalty and solver to coefficients.

    F(w) = sum_n s_n l(y_n, w'x_n + w0) + alpha Omega(w)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ....data import Source
from ....objectives import Coding, Frame, LinearObjective, Loss, Penalty
from ....objectives.penalties import mixture_of
from ....solvers import SOLVERS, PerfectSeparationWarning, Solution, Solver
from ....solvers.state import State
from ....statistics import Expansion
from ....statistics.warnings import warn
from ...fitted import narrowed
from ...passes import Passes
from .dependence import gram_of, warn_of_dependence, without_dependence
from .row_space import RowSpace, row_space
from .separation import whereabouts


@dataclass(frozen=True)
class Minimum:
    """Coefficients and intercepts in natural units, and the solutions they come from."""

    coef: np.ndarray
    level: np.ndarray  # scores at the centre
    frame: Frame
    solutions: list[Solution]
    aliased: np.ndarray | None = None  # dependent columns, where there is no penalty to make the solution unique

    def attributes(self, dtype: Any) -> dict[str, Any]:
        """Fitted attributes; `_centre` and `_level` score rows that are far from zero."""
        intercept = self.frame.intercepts(self.coef, self.level)
        shifted = self.frame.standardised and self.frame.intercept
        return {
            "coef_": narrowed(self.coef, dtype),
            "intercept_": narrowed(intercept, dtype),
            "n_iter_": np.array([solution.iterations for solution in self.solutions], dtype=np.int32),
            "solutions_": self.solutions,
            "_centre": self.frame.centre if shifted else None,
            "_level": self.level,
        } | ({} if self.aliased is None else {"aliased_": self.aliased})


def solver_of(solver: Any, loss: Loss, penalty: Penalty, tol: float, max_iter: int | None, seed: Any) -> Solver:
    """A solver by its name or as it is; "auto" is the one that suits loss and penalty."""
    if isinstance(solver, Solver):
        return solver
    if solver == "auto":
        solver = suitable(loss, penalty)
        max_iter = max_iter if penalty.smooth else None
        tol = tol if solver in ("newton", "coordinate") else max(tol, 1e-16)
    if solver not in SOLVERS:
        raise ValueError(f"solver must be 'auto', one of {', '.join(map(repr, SOLVERS))}, or a Solver, got {solver!r}")
    if not tol >= 0:
        raise ValueError(f"tol must not be negative, got {tol!r}")
    if max_iter is not None and not max_iter >= 0:
        raise ValueError(f"max_iter must not be negative, got {max_iter!r}")
    options: dict[str, Any] = {"tol": tol} | ({} if max_iter is None else {"max_iter": max_iter})
    if solver in ("sgd", "pegasos", "dual_cd"):
        options["seed"] = seed if seed is None else check_random_state(seed).randint(2**31)
    return SOLVERS[solver](**options)


def suitable(loss: Loss, penalty: Penalty) -> str:
    """The name of the solver that "auto" takes: by where the kinks are."""
    if penalty.smooth:
        return "newton"
    if mixture_of(penalty) is None:
        return "proximal"
    return "coordinate" if loss.smooth else "smoothing"


class Descent(NamedTuple):
    """Where the minimisation of one or more objectives stands, which are gone through one after the other."""

    solver: Solver
    objectives: tuple[Any, ...]
    starts: tuple[np.ndarray, ...]
    source: Source
    classes: np.ndarray | None = None
    rest: np.ndarray | None = None  # of a centre in two words, what one word does not hold
    states: tuple[State, ...] = ()  # of those that were begun
    notes: tuple[tuple[float, ...], ...] = ()  # what each has traced
    space: RowSpace | None = None  # where the objectives are minimised, if it is not all of x

    def begun(self) -> Descent:
        """The next objective is at its start."""
        objective = self.objectives[len(self.states)]
        self.solver.check(objective)
        state = self.solver.start(objective, self.starts[len(self.states)])
        return self._replace(states=(*self.states, state), notes=(*self.notes, ()))

    def advanced(self) -> Descent:
        """One step on, or the beginning of the next objective."""
        if self.finished:
            return self
        here = self.begun() if not self.states or self.states[-1].ended else self
        state = here.solver.step(here.objectives[len(here.states) - 1], here.states[-1])
        noted = (*here.notes[-1], *state.noted)
        return here._replace(states=(*here.states[:-1], state), notes=(*here.notes[:-1], noted))

    @property
    def finished(self) -> bool:
        return len(self.states) == len(self.objectives) and (not self.states or self.states[-1].ended)

    @property
    def solutions(self) -> list[Solution]:
        found = [state.solution(np.array(noted)) for state, noted in zip(self.states, self.notes, strict=True)]
        return found if self.space is None else [self.space.solution(solution) for solution in found]

    def minimum(self, learner: Any) -> Minimum:
        """What was reached; without a penalty the solution of least norm, with the dependent columns named."""
        objective = self.objectives[-1]
        solutions = self.solutions
        places = [
            "" if one.direction is None else whereabouts(learner, self.objectives[k], one.direction, self.classes)
            for k, one in enumerate(solutions)
        ]
        found = minimum(objective.frame if self.space is None else self.space.outside, solutions, places)
        if objective.alpha or not objective.forms_hessian:
            return found
        return shortest(found, gram_of(objective), objective.rounding, learner)


class RiskMixin:
    """Steps of learners whose state is a `Descent`; for `Stepwise`. Each step of the learner is one of its solver.

    >>> from sumlearn import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    >>> model.n_iter_.tolist() == [model.solutions_[0].iterations]
    True
    """

    limit: ClassVar[str | None] = None  # the solver counts its steps itself
    keeps_trace: ClassVar[bool] = False  # every solution has its own
    private: ClassVar[tuple[str, ...]] = ("_centre", "_level", "_cuts", "_information")

    def step(self, state: Descent, rows: Passes) -> Descent:
        return state.advanced()

    def done(self, before: Descent, after: Descent) -> bool:
        return after.finished

    def trace(self, state: Descent) -> tuple[float, ...]:
        return state.states[-1].noted if state.states else ()


def descent(
    solver: Solver,
    loss: Loss,
    penalty: Penalty,
    alpha: float,
    source: Source,
    frame: Frame,
    outputs: int,
    codings: list[Coding | None],
    starts: list[np.ndarray],
    workers: int | None,
    classes: np.ndarray | None = None,
    scaling: float | None = None,
) -> Descent:
    """One objective for each coding, to be minimised one after the other; `scaling`: the intercept is penalised."""
    weight, whole = penalty_weight(alpha, penalty), source
    space = row_space(source, frame, penalty, weight, solver)
    if space is not None:
        source, frame, starts = space.source, space.frame, [space.point(start) for start in starts]
    parts = {"loss": loss, "penalty": penalty, "alpha": weight, "frame": frame, "outputs": outputs, "workers": workers}
    parts["intercept_scaling"] = scaling
    objectives = tuple(LinearObjective.over(source, coding, **parts) for coding in codings)
    return Descent(solver, objectives, tuple(starts), whole, classes, space=space)


def shortest(found: Minimum, gram: Expansion, rounding: float, learner: Any) -> Minimum:
    """Of all minima the one of least |w|; columns that depend on others are named, if there are rows enough."""
    points = np.concatenate([solution.point for solution in found.solutions])
    points, columns = without_dependence(points, gram.hessian, found.frame, rounding)
    if gram.rows > found.frame.features:
        warn_of_dependence(learner, columns, found.frame.features)
    return replace(found, coef=found.frame.coefficients(points), level=found.frame.levels(points), aliased=columns)


def penalty_weight(alpha: Any, penalty: Penalty) -> float:
    """The weight of the penalty as a number; zero where there is none."""
    if not (isinstance(alpha, int | float | np.number) and np.isfinite(alpha) and alpha >= 0):
        raise ValueError(f"alpha must be finite and not negative, got {alpha!r}")
    return 0.0 if penalty.name == "none" else float(alpha)


def minimum(frame: Frame, solutions: list[Solution], places: Sequence[str] = ()) -> Minimum:
    points = np.concatenate([solution.point for solution in solutions])
    report(solutions, places)
    return Minimum(frame.coefficients(points), frame.levels(points), frame, solutions)


def report(solutions: list[Solution], places: Sequence[str] = ()) -> None:
    """Warn of what a person should know; `places` say of each solution which rows are separated in part."""
    if any(solution.direction is not None for solution in solutions):
        place = next((place for place in places if place), "some rows")
        warn(
            f"the classes are separated in part (quasi-complete separation): {place} lie beyond all rows of another "
            "class, so that without a penalty the coefficients grow without end that way; those returned are finite. "
            "Use a penalty, or ask why these columns know the answer.",
            PerfectSeparationWarning,
        )
    if any(solution.separated and solution.direction is None for solution in solutions):
        warn(
            "the classes are perfectly separated, so that without a penalty the coefficients grow without end; those "
            "returned separate them too. Use a penalty.",
            PerfectSeparationWarning,
        )
    if any(solution.local for solution in solutions):
        warn(
            "the penalty is not convex: what was found is a minimum among its neighbours, and there may be lower ones; "
            "SubsetSearch looks for the best subset of the columns",
            UserWarning,
        )
    unfinished = [solution for solution in solutions if not (solution.converged or solution.separated)]
    if unfinished:
        worst = max(unfinished, key=lambda s: s.gradient_norm)
        warn(
            f"the minimum was not reached in {worst.iterations} iterations (gradient {worst.gradient_norm:.1e}): "
            "increase max_iter or scale the data",
            ConvergenceWarning,
        )
