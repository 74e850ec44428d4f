"""Steps of two non-negative factors, each of them one pass over the rows: W of the rows first, then H by their sums."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ....data import Chunk
from ...passes import Passes
from . import factor_rules as rules
from .factor_rules import CHECKED, FactorPenalty
from .factor_starts import Survey, in_unit
from .sums import SeveralSums, floating_rows


class FactorPair(NamedTuple):
    """Both factors, in units of the root of that of the rows, and what tells the end."""

    W: np.ndarray
    H: np.ndarray
    survey: Survey
    order: Any  # where permutations come from
    steps: int = 0
    violation: tuple[float, float] = (np.inf, np.inf)  # of the projected gradient: now, in the first step
    errors: tuple[float, float] = (np.inf, np.inf)  # multiplicative rules: when it was last looked at, at the start
    ended: bool = False
    error: float = np.nan


def descent_step(
    state: FactorPair, rows: Passes, of_W: FactorPenalty, of_H: FactorPenalty, tol: float, shuffle: bool
) -> FactorPair:
    """A sweep over the coordinates of W, and one over those of H."""
    orders = [state.order.permutation(len(state.H)) if shuffle else np.arange(len(state.H)) for _ in range(2)]
    sums = each_part(state, rows, partial(rules.descended, inner=inner_products(state), penalty=of_W, order=orders[0]))
    codes, cross, gram, violation = sums.parts
    H, more = rules.descended_parts(state.H, cross, gram, of_H, orders[1])
    violation = float(violation + more)
    first = violation if state.steps == 0 else state.violation[1]
    ended = first == 0 or violation / first <= tol
    return state._replace(
        W=np.concatenate(codes), H=H, steps=state.steps + 1, violation=(violation, first), ended=ended
    )


def multiplicative_step(
    state: FactorPair, rows: Passes, of_W: FactorPenalty, of_H: FactorPenalty, tol: float, beta: float
) -> FactorPair:
    """A multiplicative step of W, and one of H."""
    sums = each_part(state, rows, partial(rules.multiplied, inner=inner_products(state), penalty=of_W, beta=beta))
    codes, above, below = sums.parts
    H = rules.multiplied_parts(state.H, above, below, of_H, beta)
    after = state._replace(W=np.concatenate(codes), H=H, steps=state.steps + 1)
    if tol > 0 and after.steps % CHECKED == 0:
        (before, first), now = state.errors, error_of(after, rows, beta)
        return after._replace(errors=(now, first), ended=first == 0 or (before - now) / first < tol)
    return after


def error_of(state: FactorPair, rows: Passes, beta: float) -> float:
    """Root of twice the divergence."""
    found = each_part(state, rows, partial(divergence_of, beta=beta)).parts[0]
    return float(np.sqrt(2.0 * max(found, 0.0)))


def inner_products(state: FactorPair) -> np.ndarray:
    """H H', found once for all parts of the rows."""
    H = state.H.astype(state.W.dtype)
    return np.asarray(H @ H.T)


def each_part(state: FactorPair, rows: Passes, work: Any) -> SeveralSums:
    """The sum of work(X, W, weight, H) over all rows."""
    H = np.asfortranarray(state.H, dtype=state.W.dtype)  # a row of its transpose lies together, as sparse rows want it
    return rows.total_numbered(partial(of_part, work, state.W, H, state.survey.places, state.survey.unit))


def of_part(
    work: Any, W: np.ndarray, H: np.ndarray, places: np.ndarray, unit: float, chunk: Chunk, span: slice
) -> SeveralSums:
    X, _, weight, _ = floating_rows(chunk)
    own = W[places[span.start] : places[span.stop]]
    return work(in_unit(X.astype(W.dtype, copy=False), unit), own, weight, H)


def divergence_of(X: Any, W: np.ndarray, weight: np.ndarray, H: np.ndarray, beta: float) -> SeveralSums:
    return SeveralSums.of(weight, float(rules.divergence(X, W, weight, H, beta).sum()))
