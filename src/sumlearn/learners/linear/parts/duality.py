"""The duality gap of a linear objective at a point: how far its minimum is at most."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ....data import Chunk
from ....objectives.duals import DUALS, Dual
from ....objectives.kinked_losses import Kinked
from ....objectives.loss_sums import blocks, scores, usable
from ....statistics import Total

WIDTHS = (1.0, 30.0, 1e3, 3e4)  # times the last width: after a last step, the kinks are a little elsewhere


def gap_of(objective: Any, state: Any) -> float:
    """F(w) - D(b), with b the slopes of the losses at w: one pass; or what the solver knows.

    Kinks are rounded, about as the solver did in the end: the slopes of rows on a kink are their multipliers, and any
    width gives a bound. With an L1 penalty b is scaled until it keeps its condition, |sum b x| <= alpha.
    """
    known = getattr(state, "gap", None)
    if known is not None and np.isfinite(known):
        return float(known)
    loss, width = objective.loss, getattr(state, "width", None)
    if isinstance(loss, Kinked) and width:
        return min(gap_at(objective, loss.rounded(width * factor), state.point) for factor in WIDTHS)
    return gap_at(objective, loss, state.point)


def gap_at(objective: Any, loss: Any, point: np.ndarray) -> float:
    """The gap with the slopes of this loss as multipliers: one pass."""
    alpha = objective.alpha
    total = objective.total(
        partial(dual_sums, loss=loss, exact=objective.loss, frame=objective.frame, point=point), 8
    )
    size = point.shape[1]
    value, linear, quadratic = total.values[-3:]
    slope = objective.frame.gradient(total.values[: objective.frame.features + 1])[:size]
    natural = objective._natural(point)
    unit = objective._unit
    against = -slope[: len(unit)] * unit  # sum b x in the coordinates of the penalty
    primal = value + alpha * objective.penalty.value(natural)
    if objective.penalty.name == "l1":
        share = min(1.0, alpha / max(float(np.abs(against).max(initial=0.0)), 1e-300))
        return float(max(primal - (share * linear - share**2 * quadratic), 0.0))
    return float(max(primal - (linear - quadratic - float(against @ against) / (2.0 * alpha)), 0.0))


def dual_sums(chunk: Chunk, loss: Any, exact: Any, frame: Any, point: np.ndarray) -> Total:
    """sum of slopes times (x, 1), then the value, and the linear and the quadratic terms of the dual."""
    chunk = usable(chunk)
    coef, constant = frame.scoring(point)
    d = coef.shape[1]
    out = np.zeros(d + 4)
    for rows, y, weight in blocks(chunk, frame, dense=False):
        f = scores(rows, coef, constant)[:, 0].astype(np.float64)
        y = y.astype(np.float64)
        weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
        slope = weight * loss.slope(y, f)
        dual: Dual = DUALS[exact.name](exact, y, weight)
        out[:d] += rows.T @ slope
        out[d] += slope.sum()
        out[d + 1] += weight @ exact.value(y, f)
        out[d + 2] -= dual.target @ slope + dual.epsilon * np.abs(slope).sum()
        out[d + 3] += 0.5 * dual.ridge @ slope**2
    n = chunk.X.shape[0]
    return Total(out, float(n), n)
