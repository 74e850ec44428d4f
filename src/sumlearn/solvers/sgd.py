"""Stochastic gradient descent over small batches."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from .solver import Solver, expansion, positive_rate, positive_whole
from .state import State

GROWTH = 1.2  # of the step after a round that went well: its bound is for the worst of batches


@dataclass(frozen=True, eq=False, kw_only=True)
class RoundState(State):
    """The rate of the next round, the least that tells a minimum from short steps, and who draws the order."""

    rate: float
    gauge: float
    rng: np.random.Generator


class SGD(Solver):
    """w <- w - mu_t g_B(w), with g_B the gradient of a batch of rows in place of the mean of all.

    Plain steps end in a cloud about the minimum. With ``variance_reduced=True`` (SVRG) every round begins with one
    gradient over all rows, g(v), and the steps follow g_B(w) - g_B(v) + g(v): right in the mean, and without noise at
    the minimum, which is then reached as precisely as anybody likes.

    Parameters
    ----------
    batch : int, default=32
        Rows of a batch.
    rate : float, default=None
        The step mu; plain steps shrink as rate / sqrt(1 + round). None takes 1 / (2 L) from the curvature of the loss
        and the mean square of the rows. Without noise it grows by a fifth after every round that went well, and is
        halved after one that did not.
    variance_reduced : bool, default=True
        Whether the noise is taken out.
    tol : float, default=1e-10
        Ends when the gradient of all rows promises less than this share of the objective.
    max_iter : int, default=2000
        Most rounds.
    seed : int, default=0
        Of the order of the rows.

    References
    ----------
    Lecture notes 001, 003, 004; Robbins & Monro 1951; Johnson & Zhang 2013.
    """

    name = "sgd"
    asks = frozenset({"value and slope", "batches"})

    def __init__(
        self,
        batch: int = 32,
        rate: float | None = None,
        variance_reduced: bool = True,
        tol: float = 1e-10,
        max_iter: int = 2000,
        seed: Any = 0,
    ) -> None:
        self.batch, self.rate, self.variance_reduced = batch, rate, variance_reduced
        self.tol, self.max_iter, self.seed = tol, max_iter, seed

    def start(self, objective: Any, point: np.ndarray) -> RoundState:
        positive_whole("batch", self.batch)
        found = expansion(objective, point)
        rate = gauge = 0.5 / objective.steepness(found.weight)
        if self.rate is not None:
            rate = positive_rate(self.rate)
        elif not rate:
            raise ValueError("solver='sgd' steps by the loss, whose curvature has no bound: give SGD(rate=...)")
        rng = copy.deepcopy(np.random.default_rng(self.seed))
        return RoundState(
            point=point, found=found, value=found.value, passes=objective.cost, rate=rate, gauge=gauge, rng=rng
        )

    def step(self, objective: Any, state: RoundState) -> RoundState:
        """One round through the rows."""
        if state.ended or state.iterations >= self.max_iter:
            return state.but(ended=True, noted=())
        found, rate, noted = state.found, state.rate, (state.value,)
        norm = float((found.gradient**2).sum())
        if max(rate, state.gauge) * norm <= self.tol * abs(found.value) * found.weight or not norm:
            return state.but(noted=noted, ended=True, converged=True)
        rng = copy.deepcopy(state.rng)
        step = rate if self.variance_reduced else rate / np.sqrt(1.0 + state.iterations)
        point = self._round(objective, state.point, found, step, int(rng.integers(2**32)))
        there = expansion(objective, point)
        if self.variance_reduced:
            if there.value <= found.value * (1 + 1e-12):
                rate *= GROWTH
            else:  # a batch bends more than all rows do: smaller steps, from where the round began
                rate, point, there = 0.5 * rate, state.point, found
        return state.but(
            point=point, found=there, value=there.value, passes=state.passes + objective.cost, noted=noted,
            iterations=state.iterations + 1, rate=rate, rng=rng,
        )  # fmt: skip

    def _round(self, objective: Any, point: np.ndarray, found: Any, rate: float, seed: int) -> np.ndarray:
        anchor, weight = point, found.weight
        full = (found.gradient - objective.penalty_gradient(anchor)) / weight
        for batch in objective.batches(self.batch, seed):
            share = found.rows / (batch.X.shape[0] * weight)  # the mean over all rows, as far as the batch tells
            g = share * objective.gradient_of(batch, point)
            if self.variance_reduced:
                g += full - share * objective.gradient_of(batch, anchor)
            point = point - rate * (g + objective.penalty_gradient(point) / weight)
        return point
