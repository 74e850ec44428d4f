"""Newton's method: a subsampled start, full Hessians where they are needed, kinks rounded less and less."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ..statistics import Expansion
from .line_search import LineSearch
from .solver import Meter, Solution, Solver

MANY_ROWS = 100_000  # from here on a sample of the rows gives the start and the first Hessian
PER_NUMBER = 12  # rows of the sample for each number of a point, at least
SLOW = 0.5  # a borrowed Hessian is kept while every step at least halves what the next one promises
NOTHING = 1e-20  # share of the first value that is no gain, in any units of y
NARROWER = 0.3  # kinks are rounded over this share of the width before


class Newton(Solver):
    """w <- w - t H^-1 g, with a line search for t.

    Many rows: a sample of them (1 in 16; 1 in 64, then 1 in 8 for several outputs), in single precision, gives start
    and Hessian; gradients are those of all rows, and as long as what a step promises falls by half each time no other
    Hessian is computed. Few rows, or a sample that misleads: full Hessians. More than 3,000 numbers: no Hessian is
    formed, the step is found by conjugate gradients. A loss with kinks is rounded, and followed as the rounding goes
    to zero.

    Parameters
    ----------
    tol : float, default=1e-16
        Ends when a step promises less than this share of the objective; the step is then still taken.
    max_iter : int, default=100
        Most steps with all rows.

    References
    ----------
    Lecture notes 001 and 004; Nocedal & Wright 2006, ch. 3 and 7; Roosta-Khorasani & Mahoney 2019 (subsampling);
    Chapelle 2007 (rounded hinge).
    """

    name = "newton"
    needs_smooth_loss = False

    def __init__(self, tol: float = 1e-16, max_iter: int = 100) -> None:
        self.tol, self.max_iter = tol, max_iter

    def minimise(self, objective: Any, start: np.ndarray) -> Solution:
        """Step towards the minimum from the start."""
        self.check(objective)
        meter = Meter(self.step)
        loss = getattr(objective, "loss", None)
        if loss is not None and not loss.smooth:
            return self._followed(objective, start, meter)
        if hasattr(loss, "eased"):
            start = self._approached(objective, start, meter)
        start, hessian = self._sampled(objective, start, meter)
        return self._steps(objective, start, meter, self.tol, self.max_iter, hessian)

    # -- one objective ------------------------------------------------------------------------------------------------

    def _steps(
        self, objective: Any, point: np.ndarray, meter: Meter, tol: float, most: int, hessian: Any = None
    ) -> Solution:
        borrowed, previous, idle = hessian is not None, np.inf, 0
        search = LineSearch()
        formed = objective.forms_hessian
        pairs: list[tuple[np.ndarray, np.ndarray]] = []  # steps and changes of the gradient, for a borrowed Hessian
        found = meter.expand(objective, point, 2 if formed and not borrowed else 1)
        nothing = getattr(objective, "noise", NOTHING * abs(found.value))
        for iteration in range(most):
            meter.note(found.value)
            if self._separates(objective, found):
                return meter.solution(point, found, iteration, True, separated=True)
            if formed and not borrowed:
                hessian = factor(found.hessian, objective.outputs, 10.0 * objective.rounding)
            direction = self._direction(objective, point, found, hessian, pairs, meter)
            decrement = float(-(found.gradient * direction).sum())  # lambda^2
            if borrowed and decrement > SLOW * previous:  # the sample misleads
                borrowed, previous = False, np.inf
                found = meter.expand(objective, point, 2 if formed else 1)
                continue
            floor = max(tol, 1e-4 * objective.rounding) * abs(found.value) + nothing
            idle = idle + 1 if decrement > 0.25 * previous and decrement < 1e4 * floor else 0
            if 0.5 * decrement <= floor or idle > 2:
                last = point + direction
                separated = self._diverges(objective, direction, found, meter)
                return meter.solution(
                    last, found, iteration + 1, True, objective=found.value - 0.5 * max(decrement, 0.0),
                    separated=separated,
                )  # fmt: skip
            order, last_point, last_gradient = 2 if formed and not borrowed else 1, point, found.gradient
            point, found, step = search.along(objective, point, found, direction, meter, found.value, 1.0, order)
            if step == 0.0:
                close = 0.5 * decrement <= 1e3 * objective.rounding * abs(found.value)
                if close or not borrowed:
                    return meter.solution(point, found, iteration + 1, close)
                borrowed, previous = False, np.inf
                found = meter.expand(objective, point, 2 if formed else 1)
                continue
            if step < 1.0 and borrowed:
                borrowed = False
                found = meter.expand(objective, point, 2 if formed else 1)
            pairs = [*pairs, (point - last_point, found.gradient - last_gradient)] if borrowed else []
            previous = decrement
        return meter.solution(point, found, most, False)

    def _direction(
        self, objective: Any, point: np.ndarray, found: Expansion, hessian: Any, pairs: list[Any], meter: Meter
    ) -> np.ndarray:
        if hessian is not None:
            return -corrected(hessian, found.gradient, pairs)
        return conjugate_gradients(objective, point, found.gradient, meter)

    def _separates(self, objective: Any, found: Expansion) -> bool:
        """Whether every row is on its own side, so that larger coefficients are always better."""
        return not objective.alpha and found.margin > 0 and getattr(objective.loss, "asymptotic", False)

    def _diverges(self, objective: Any, direction: np.ndarray, found: Expansion, meter: Meter) -> bool:
        """Whether a last step, which promises nothing, is still long: some rows are separated from all others.

        A long step along dependent columns changes no score: d'H(0)d, a sum of squared changes, tells them apart.
        """
        asymptotic = getattr(getattr(objective, "loss", None), "asymptotic", False)
        if objective.alpha or not asymptotic or np.abs(direction).max(initial=0.0) <= 1e-2:
            return False
        meter.passes += 1.0
        change = float((direction * objective.product(objective.start, direction)).sum())
        return change > max(1e-16, 1e4 * objective.rounding**2) * found.weight

    # -- start and continuation ---------------------------------------------------------------------------------------

    def _sampled(self, objective: Any, start: np.ndarray, meter: Meter) -> tuple[np.ndarray, Any]:
        """Start and Hessian from a sample of the rows, if there are many."""
        rows = getattr(getattr(objective, "source", None), "rows", None) or 0
        if rows < MANY_ROWS or not objective.forms_hessian:
            return start, None
        hessian = None
        for every in (64, 8) if objective.outputs > 1 else (16,):
            sample = objective.thinned(every) if rows // every >= PER_NUMBER * start.size else None
            if sample is None:
                continue
            if hessian is None:
                inner = Meter()
                rough = self._steps(sample, start, inner, 1e-4, 15)
                meter.passes += inner.passes
                if rough.separated:
                    return start, None
                start = rough.point
            found = meter.expand(sample, start, 2)
            hessian = factor(found.hessian, objective.outputs)
            start = start - corrected(hessian, found.gradient, [])
        return start, hessian

    def _approached(self, objective: Any, start: np.ndarray, meter: Meter) -> np.ndarray:
        """A start with enough residuals below delta, where Huber's loss is curved: larger deltas first."""
        rows = getattr(objective.source, "rows", None) or 0
        scout = (objective.thinned(16) if rows >= MANY_ROWS else None) or objective
        delta = objective.loss.delta
        found = meter.expand(scout, start)
        width = found.value / found.weight / delta  # about the mean residual, if most are above delta
        while width > 2.0 * delta:
            start = self._steps(scout.eased(width), start, meter, 1e-4, self.max_iter).point
            width *= NARROWER
        return start

    def _followed(self, objective: Any, start: np.ndarray, meter: Meter) -> Solution:
        """The minimum of a loss with kinks: the limit of minima with the kinks rounded."""
        exact = meter.expand(objective, start)
        began = exact.value
        first = width = 0.5 if objective.loss.task == "sign" else exact.value / exact.weight
        if not width:  # nothing is less than no loss at all
            return meter.solution(start, exact, 0, True)
        point, iterations, solution = start, 0, None
        while iterations < 10 * self.max_iter:
            rounded = objective.rounded(width)
            solution = self._steps(rounded, point, meter, 1e-10, self.max_iter)
            point, iterations = solution.point, iterations + solution.iterations
            exact = meter.expand(objective, point)
            gap = rounded.expand(point, 0).value - exact.value  # what rounding adds here
            close = gap <= max(1e-9, objective.rounding) * abs(exact.value)
            if (close and solution.converged) or width < 1e-12 * first:
                nothing_left = exact.value <= 1e-9 * began
                return meter.solution(point, exact, iterations, solution.converged or nothing_left)
            width *= NARROWER
        return meter.solution(point, exact, iterations, False)


def factor(hessian: np.ndarray, outputs: int, little: float = 0.0) -> Any:
    """Cholesky factor of a positive semidefinite matrix at unit diagonal, and the roots of its diagonal.

    Directions without curvature get a little, above rounding. With several outputs, scores count only up to a common
    shift: that direction is given the mean curvature; gradients have no part in it.
    """
    size = len(hessian) // outputs
    if outputs > 1:
        mean = hessian.diagonal().reshape(outputs, size).mean(axis=0)
        hessian = hessian + np.kron(np.full((outputs, outputs), 1.0 / outputs), np.diag(mean))
    diagonal = hessian.diagonal()
    roots = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))  # no curvature at all: along the gradient
    unit, ridge = hessian / roots / roots[:, None], max(1e-14, little)
    while True:
        try:
            lifted = unit.copy()
            lifted[np.diag_indices(len(lifted))] += ridge
            return cho_factor(lifted, overwrite_a=True, check_finite=False), roots
        except np.linalg.LinAlgError:
            ridge *= 100.0
            if not np.isfinite(ridge) or ridge > 1e10:
                raise ValueError("the Hessian is not positive: the objective is not convex here") from None


def corrected(hessian: Any, gradient: np.ndarray, pairs: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """H^-1 g, with H corrected by the curvature seen along past steps (BFGS in two loops, Nocedal 1980)."""
    q, kept = gradient, []
    for s, y in reversed(pairs):
        bend = float((s * y).sum())
        if bend > 0.0:
            share = float((s * q).sum()) / bend
            q = q - share * y
            kept.append((s, y, bend, share))
    cholesky, roots = hessian
    out = (cho_solve(cholesky, q.ravel() / roots, check_finite=False) / roots).reshape(gradient.shape)
    for s, y, bend, share in reversed(kept):
        out = out + (share - float((y * out).sum()) / bend) * s
    return out


def conjugate_gradients(objective: Any, point: np.ndarray, gradient: np.ndarray, meter: Meter) -> np.ndarray:
    """About H^-1 (-g), from products with H; the nearer the minimum, the more precisely."""
    x = np.zeros_like(gradient)
    r = -gradient
    v, rr = r.copy(), float((r * r).sum())
    if rr == 0.0:
        return x
    enough = min(0.1, np.sqrt(np.sqrt(rr) / max(abs(gradient).sum(), 1e-300))) ** 2 * 1e-4 * rr
    for _ in range(250):
        Hv = objective.product(point, v)
        meter.passes += 1.0
        bend = float((v * Hv).sum())
        if bend <= 1e-14 * float((v * v).sum()):
            break
        step = rr / bend
        x += step * v
        r -= step * Hv
        new = float((r * r).sum())
        if new <= enough:
            break
        v = r + new / rr * v
        rr = new
    return x if x.any() else -gradient
