"""Newton's method where losses and penalties have kinks: both are rounded, less and less."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..objectives.penalties import Rounded
from ..statistics import Expansion
from .newton import Newton, NewtonState
from .solver import Solver, expansion
from .state import State

NOT_ZERO = 300.0  # widths: a coefficient below so many is zero but for the rounding


class Smoothing(Solver):
    """The minimum of a loss and a penalty with kinks: the limit of minima with all kinks rounded.

        max(0, t) -> (t + sqrt(t^2 + h^2)) / 2,     |w| -> sqrt(w^2 + h^2),     h -> 0

    That is the path of an interior-point method for the linear or quadratic program behind them, and takes some tens of
    Newton steps. Coefficients that end within the rounding are set to zero, if the objective does not rise.

    Parameters
    ----------
    tol : float, default=1e-16
        Of the Newton steps.
    max_iter : int, default=100
        Most Newton steps at one width.
    line_search : {"armijo", "grippo"} or LineSearch, default="armijo"
        How much of a step to take.

    References
    ----------
    Lecture note 001; Chapelle 2007 (rounded hinge); Nocedal & Wright 2006, ch. 19.
    """

    name = "smoothing"
    asks = frozenset({"value and slope", "rounded"})
    one_of = frozenset({"curvature", "product"})
    kinks = frozenset({"loss", "penalty"})
    line_search: Any = "armijo"

    def __init__(self, tol: float = 1e-16, max_iter: int = 100, line_search: Any = "armijo") -> None:
        self.tol, self.max_iter, self.line_search = tol, max_iter, line_search

    def start(self, objective: Any, point: np.ndarray) -> State:
        newton = Newton(self.tol, self.max_iter, self.line_search)
        return newton.start(Kinky(objective) if objective.kinks else objective, point)

    def step(self, objective: Any, state: NewtonState) -> State:
        """One Newton step at the present width; at the end, zeros where coefficients are zero."""
        if state.ended:
            return state.but(noted=())
        newton = Newton(self.tol, self.max_iter, self.line_search)
        after = newton.step(Kinky(objective) if objective.kinks else objective, state)
        if "gap" in objective.offers and (after.ended or after.width != state.width):
            found = lower_bound(objective, after.point, state.width)
            after = after.but(gap=found if state.gap is None else max(state.gap, found))
        else:
            after = after.but(gap=state.gap)  # on the way, the best value of the dual problem
        if not after.ended:
            return after
        after = with_zeros(objective, after, state.width) if "prox" in objective.offers else after
        return after if after.gap is None else after.but(gap=max(after.value - after.gap, 0.0))


class Kinky:
    """An objective with its rough part in the values, and all of its kinks rounded where they are to be easier."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.offers = (inner.offers | {"easier"}) - {"prox"}
        self.kinks, self.rounding, self.noise, self.cost = inner.kinks, inner.rounding, inner.noise, inner.cost
        self.rows = getattr(inner, "rows", 0)

    def expand(self, point: np.ndarray, order: int = 1) -> Expansion:
        found = self.inner.expand(point, order)
        more = self.inner.rough(point) if "prox" in self.inner.offers else 0.0
        return replace(found, value=found.value + more)

    def widths(self, found: Expansion) -> tuple[float, float]:
        """From half a margin, or the mean size of a residual, to nothing."""
        if "easier" in self.inner.offers:
            return self.inner.widths(found)[0], 0.0
        coding = getattr(getattr(self.inner, "loss", None), "coding", "value")
        return 0.5 if coding != "value" else float(np.sqrt(2.0 * found.value / found.weight)), 0.0

    def easier(self, width: float) -> Any:
        """Without kinks."""
        inner = self.inner
        if any(kink.part == "loss" for kink in inner.kinks):
            inner = inner.easier(width)
        if "prox" not in inner.offers:
            return inner
        unit = inner.frame.unit if getattr(inner, "unit", None) is None else inner.unit
        smooth = replace(inner, penalty=Rounded(inner.penalty, width / unit))
        return smooth if smooth.outputs == 1 else Anchored(smooth)


class Anchored:
    """An objective of several outputs whose penalty tells a common shift of them: its Hessian is taken as it is."""

    outputs = 1

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def with_zeros(objective: Any, state: Any, width: float) -> Any:
    """Coefficients within the rounding set to zero, unless that costs something."""
    d, point = objective.frame.features, state.point.copy()
    part = point[:, :d]
    part[np.abs(part) <= NOT_ZERO * width] = 0.0
    found = expansion(objective, point)
    value, before = found.value + objective.rough(point), state.value
    if value > before + 1e-9 * abs(before):
        point, found, value = state.point, expansion(objective, state.point), before
    return state.but(point=point, found=found, value=value, passes=state.passes + objective.cost)


def lower_bound(objective: Any, point: np.ndarray, width: float) -> float:
    """A value of the dual problem, from the slopes of rounded losses: nothing is below it."""
    rounded = objective.easier(width) if "easier" in objective.offers and width else objective
    found = rounded.expand(point, 1)
    rough = rounded.rough(point) if "prox" in rounded.offers else 0.0
    return float(found.value + rough - rounded.gap(point, found))
