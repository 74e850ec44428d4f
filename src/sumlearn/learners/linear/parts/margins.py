"""What linear support vector machines share: parameters, roads, the hard margin, margins and the rows that decide."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sparse

from ....data import Chunk, InMemory, Source
from ....objectives import L1, L2, Penalty
from ....solvers import SOLVERS, InteriorPoint, Solver
from ....statistics import Moments
from ....statistics.warnings import warn
from ...linear_map import is_far
from ...passes import Passes
from ...validation import term_name
from .linear_scores import linear_scores
from .minimiser import Descent

WIDE = 1000  # columns up to which systems of d x d numbers are solved
FEW = 20  # columns up to which the hinge of several classes is cut by planes: rows count little then
TOUCH = 1e-6  # of a margin: rows that lie on it
NAMED = 5
SHARES = (1e-2, 1e-5, 1e-8, 1e-11, 1e-14)  # of the mean square of the rows: penalties under which they are separated
FREE = "free"


def check_number(name: str, value: Any, low: float = 0.0, finite: bool = True) -> None:
    """Refuse what is no number above a bound."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not value > low or (finite and not np.isfinite(value)):
        raise ValueError(f"{name} must be a {'finite ' if finite else ''}number above {low:g}, got {value!r}")


def check_margins(learner: Any) -> None:
    """The parameters that classifier and regression share."""
    check_number("tol", learner.tol)
    if learner.intercept_scaling != FREE:
        check_number("intercept_scaling", learner.intercept_scaling)
    if not (isinstance(learner.max_iter, int | np.integer) and learner.max_iter >= 0):
        raise ValueError(f"max_iter must be a whole number, at least 0, got {learner.max_iter!r}")
    if not (learner.dual == "auto" or isinstance(learner.dual, bool | np.bool_)):
        raise ValueError(f"dual must be 'auto', True or False, got {learner.dual!r}")
    if not (learner.solver == "auto" or learner.solver in SOLVERS or isinstance(learner.solver, Solver)):
        raise ValueError(f"solver must be 'auto', one of {', '.join(SOLVERS)}, or a Solver, got {learner.solver!r}")


def check_combination(learner: Any, penalty: str, duals: dict[tuple[str, str], set[bool]]) -> None:
    """Refuse combinations that scikit-learn refuses, in its words: a script keeps its meaning."""
    loss, dual = learner.loss, learner.dual
    known = duals.get((penalty, loss))
    reason = ""
    if known is None:
        reason = f"The combination of penalty='{penalty}' and loss='{loss}' is not supported"
    elif dual != "auto" and bool(dual) not in known:
        reason = f"The combination of penalty='{penalty}' and loss='{loss}' are not supported when dual={dual}"
    if reason:
        raise ValueError(
            f"Unsupported set of arguments: {reason}, Parameters: penalty={penalty!r}, loss={loss!r}, dual={dual!r}"
        )


def scaling_of(learner: Any) -> float | None:
    """The column that the intercept belongs to; None where it is free, or where there is none."""
    free = learner.intercept_scaling == FREE or not learner.fit_intercept
    return None if free else float(learner.intercept_scaling)


def penalty_of_margins(penalty: str, C: float) -> tuple[Penalty, float]:
    return (L1() if penalty == "l1" else L2()), 1.0 if np.isinf(C) else 1.0 / float(C)


def road(learner: Any, source: Source, loss: str, penalty: Penalty) -> Solver | str:
    """Who minimises: by loss and penalty, the number of columns, and whether rows are sparse or a stream."""
    if learner.solver != "auto":
        return learner.solver
    here, thin = isinstance(source, InMemory), sparse.issparse(getattr(source, "X", None))
    if loss == "class_hinge":
        return "dual_cd" if here and source.features > FEW else "cutting_planes"
    if not penalty.smooth:
        return "auto"
    if thin and source.features > WIDE // 2:
        return "dual_cd"
    if loss in ("squared_hinge", "squared_epsilon_insensitive") or not here:
        return "newton"
    return "interior_point" if source.features <= WIDE else "dual_cd"


def made(name: Any, tol: float, max_iter: int, seed: Any, penalty: Penalty, loss: Any) -> Solver:
    """The solver of a road with a tolerance that suits it: shares of the objective, not slopes."""
    from .minimiser import solver_of

    if isinstance(name, Solver):
        return name
    if name == "newton":
        return SOLVERS[name](tol=max(tol**4, 1e-18), max_iter=max_iter)  # type: ignore[call-arg]
    if name in ("dual_cd", "interior_point", "cutting_planes", "dual_qp", "smo"):
        return SOLVERS[name](tol=max(tol**2, 1e-12), max_iter=max_iter)  # type: ignore[call-arg]
    most = None if name == "auto" else max_iter
    return solver_of(name, loss, penalty, max(tol**3, 1e-16), most, seed)


def warn_of_offsets(learner: Any, moments: Moments) -> None:
    """A penalised intercept counts what columns are far from zero: say so, where it matters."""
    d = min(moments.features, learner.n_features_in_)
    mean, deviation = moments.mean[:d], moments.deviation[:d]
    if d and scaling_of(learner) is not None and is_far(mean, deviation):
        column = int(np.argmax(np.abs(mean) * (deviation > 0) - 1e3 * deviation))
        warn(
            f"column {term_name(learner, column)} lies {abs(mean[column]):.1g} from zero, many times its spread, and "
            "the intercept is penalised as in liblinear, so that this distance counts: centre the columns, or use "
            "intercept_scaling='free'"
        )


# -- the hard margin --------------------------------------------------------------------------------------------------


def hardened(descent: Descent) -> Descent:
    """The same descent with a penalty so small that no row is inside the margin, if that can be.

    Rows that are separated by w0 have multipliers that add up to |w|^2 <= |w0|^2: with C above it, the hinge loss is an
    exact penalty, and its minimum is the largest margin.
    """
    alpha = np.inf
    for k, objective in enumerate(descent.objectives):
        natural = objective._natural(separating(descent, objective, k))
        weight = objective.source.weight
        least = 1.0 if weight is None else float(weight[weight > 0].min())
        alpha = min(alpha, least / (4.0 * max(float((natural**2).sum()), 1e-300)))
    objectives = tuple(replace(objective, alpha=alpha) for objective in descent.objectives)
    return descent._replace(objectives=objectives)


def separating(descent: Descent, objective: Any, k: int) -> np.ndarray:
    """A point with all rows on their side, from penalties that are less and less; refused where there is none.

    Without any penalty steps along directions that no row has would be for nothing, and rounding separate equal rows.
    """
    problem = objective.held()
    mean = np.asarray(problem.X.mean(axis=0)).ravel()
    square = problem.X.multiply(problem.X).sum() if sparse.issparse(problem.X) else ((problem.X - mean) ** 2).sum()
    spread = float(square) / problem.rows - (float(mean @ mean) if sparse.issparse(problem.X) else 0.0)
    for share in SHARES:
        alpha = share * max(spread, 1e-300)
        found = InteriorPoint(tol=1e-12).minimise(replace(objective, alpha=alpha), descent.starts[k])
        w, level = problem.natural(found.point)
        lack = 1.0 - problem.y * (problem.X @ w + level)
        if float(problem.weight @ np.maximum(lack, 0.0)) <= 1e-8 * float(problem.weight.sum()):
            return found.point
    refuse(descent, objective, lack, k)


def refuse(descent: Descent, objective: Any, lack: np.ndarray, k: int) -> NoReturn:
    """Name some of the rows that no hyperplane separates."""
    weight = objective.source.weight
    numbers = np.arange(objective.source.rows) if weight is None else np.flatnonzero(weight)
    rows = numbers[lack > TOUCH]
    assert descent.classes is not None
    several = len(descent.classes) > 2
    whose = f"class {descent.classes[k].item()!r} from the rest" if several else "the classes"
    named = ", ".join(map(str, rows[:NAMED])) + (", ..." if len(rows) > NAMED else "")
    raise ValueError(
        f"C=inf asks for a hyperplane that separates {whose}, and there is none: {len(rows)} rows would be inside the "
        f"margin or beyond it at best, row(s) {named}; use a finite C"
    )


# -- what is told of a fit ------------------------------------------------------------------------------------------


def margin_of(coef: np.ndarray) -> Any:
    """2 / |w|: a number, or one for each class."""
    with np.errstate(divide="ignore"):
        margin = 2.0 / np.linalg.norm(np.asarray(coef, dtype=float), axis=1)
    return float(margin[0]) if len(margin) == 1 else margin


def touching(chunk: Chunk, model: Any, excess: Any) -> np.ndarray:
    """For each row, whether it is on the margin or inside (excess(y, scores) >= 0), for every output."""
    X = chunk.X if chunk.X.dtype in (np.float32, np.float64) else chunk.X.astype(np.float64)
    weight = np.ones(X.shape[0], dtype=bool) if chunk.weight is None else chunk.weight > 0
    if not weight.all() and not sparse.issparse(X):
        X = np.where(weight[:, None], X, 0.0)  # rows of weight zero may hold anything
    with np.errstate(invalid="ignore"):
        found = excess(chunk.y, linear_scores(model, X)) >= -TOUCH
    return found & weight[:, None]


def support_of(model: Any, source: Source, excess: Any) -> list[np.ndarray]:
    """Numbers of the rows on or inside of the margin, for every output: one pass."""
    found = Passes(source, model.n_jobs).each(partial(touching, model=model, excess=excess))
    return [np.flatnonzero(column) for column in found.T]
