"""Stochastic gradient descent over small batches."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from .solver import Solver, expansion, positive_rate, positive_whole
from .state import State

GROWTH = 1.2  # of the step after a round that went well: its bound is for the worst of batches
PATIENCE = 10  # rounds of subgradient steps without a gain after which they end
CALM = 0.02  # share of the mean loss that the noise of a step may be in the end
ROUGH = 1e-4  # share of the objective below which such steps gain nothing that could be told from noise


@dataclass(frozen=True, eq=False, kw_only=True)
class RoundState(State):
    """The rate of the next round, the least that tells a minimum from short steps, and who draws the order.

    With kinks in the loss: where the steps are, their mean, how many there were, and rounds without a gain; `point` is
    the best mean.
    """

    rate: float
    gauge: float
    rng: np.random.Generator
    here: np.ndarray
    mean: np.ndarray
    steps: int = 0
    idle: int = 0


class SGD(Solver):
    """w <- w - mu_t g_B(w), with g_B the gradient of a batch of rows in place of the mean of all.

    Plain steps end in a cloud about the minimum. With ``variance_reduced=True`` (SVRG) every round begins with one
    gradient over all rows, g(v), and the steps follow g_B(w) - g_B(v) + g(v): right in the mean, and without noise at
    the minimum, which is then reached as precisely as anybody likes.

    A penalty with kinks is left to its proximal map after every step, so that coefficients become exactly zero. A loss
    with kinks (hinge, perceptron, absolute, ...) has subgradients, one of which is taken: their noise does not vanish
    at the minimum, so steps shrink and the mean of them, later ones counting more, is the answer. It comes within about
    a hundredth of the minimum; to the last digit go the other solvers.

    Parameters
    ----------
    batch : int, default=32
        Rows of a batch.
    rate : float, default=None
        The step mu; plain steps shrink as rate / sqrt(1 + round). None takes 1 / (2 L) from the curvature of the loss
        and the mean square of the rows. Without noise it grows by a fifth after every round that went well, and is
        halved after one that did not. With kinks in the loss None takes four times the mean loss over the mean square
        of a row.
    variance_reduced : bool, default=True
        Whether the noise is taken out, where the loss is smooth.
    tol : float, default=1e-10
        Ends when the gradient of all rows promises less than this share of the objective; with kinks in the loss, when
        ten rounds have brought less than a ten-thousandth.
    max_iter : int, default=2000
        Most rounds.
    seed : int, default=0
        Of the order of the rows.

    References
    ----------
    Lecture notes 001, 003, 004; Robbins & Monro 1951; Johnson & Zhang 2013; Xiao & Zhang 2014 (proximal steps).
    """

    name = "sgd"
    asks = frozenset({"value and slope", "batches"})
    kinks = frozenset({"loss", "penalty"})

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
        value = found.value + roughness(objective, point)
        kinked = any(kink.part == "loss" for kink in objective.kinks)
        rate = gauge = 0.5 / objective.steepness(found.weight)
        if kinked:
            rate = gauge = 4.0 * value / max(found.weight, 1e-300) / (point.size + 1)
        if self.rate is not None:
            rate = positive_rate(self.rate)
        elif not rate and not (kinked and value <= 0):
            raise ValueError("solver='sgd' steps by the loss, whose curvature has no bound: give SGD(rate=...)")
        rng = copy.deepcopy(np.random.default_rng(self.seed))
        nothing = kinked and value <= 0  # is less than no loss at all
        return RoundState(
            point=point, found=found, value=value, passes=objective.cost, rate=rate, gauge=gauge, rng=rng, here=point,
            mean=point, ended=nothing, converged=nothing,
        )  # fmt: skip

    def step(self, objective: Any, state: RoundState) -> RoundState:
        """One round through the rows."""
        if state.ended or state.iterations >= self.max_iter:
            return state.but(ended=True, noted=())
        if any(kink.part == "loss" for kink in objective.kinks):
            return self._subgradients(objective, state)
        found, rate, noted = state.found, state.rate, (state.value,)
        norm = promise(objective, state.point, found, max(rate, state.gauge))
        if max(rate, state.gauge) * norm <= self.tol * abs(state.value) * found.weight or not norm:
            return state.but(noted=noted, ended=True, converged=True)
        rng = copy.deepcopy(state.rng)
        step = rate if self.variance_reduced else rate / np.sqrt(1.0 + state.iterations)
        point = self._round(objective, state.point, found, step, int(rng.integers(2**32)))
        there = expansion(objective, point)
        value = there.value + roughness(objective, point)
        if self.variance_reduced:
            if value <= state.value * (1 + 1e-12):
                rate *= GROWTH
            else:  # a batch bends more than all rows do: smaller steps, from where the round began
                rate, point, there, value = 0.5 * rate, state.point, found, state.value
        return state.but(
            point=point, found=there, value=value, passes=state.passes + objective.cost, noted=noted,
            iterations=state.iterations + 1, rate=rate, rng=rng,
        )  # fmt: skip

    def _round(self, objective: Any, point: np.ndarray, found: Any, rate: float, seed: int) -> np.ndarray:
        anchor, weight = point, found.weight
        full = (found.gradient - objective.penalty_gradient(anchor)) / weight
        rough = "prox" in objective.offers
        for batch in objective.batches(self.batch, seed):
            share = found.rows / (batch.X.shape[0] * weight)  # the mean over all rows, as far as the batch tells
            g = share * objective.gradient_of(batch, point)
            if self.variance_reduced:
                g += full - share * objective.gradient_of(batch, anchor)
            point = point - rate * (g + objective.penalty_gradient(point) / weight)
            point = objective.prox(point, rate / weight) if rough else point
        return point

    def _subgradients(self, objective: Any, state: RoundState) -> RoundState:
        """Shorter and shorter steps along a slope of the batch; what counts is their mean."""
        rng, weight = copy.deepcopy(state.rng), state.found.weight
        here, mean, steps, rate = state.here, state.mean, state.steps, state.rate / np.sqrt(1.0 + state.iterations)
        rough, begun, noise = "prox" in objective.offers, steps, 0.0
        shrink = 1.0 + rate / weight * objective.penalty_curvature(objective.start)  # a quadratic, in one step
        for batch in objective.batches(self.batch, int(rng.integers(2**32))):
            steps += 1
            slope = state.found.rows / (batch.X.shape[0] * weight) * objective.gradient_of(batch, here)
            noise += 0.5 * rate * float((slope**2).sum())
            here = (here - rate * slope) / shrink
            here = objective.prox(here, rate / weight) if rough else here
            mean = mean + 2.0 / (steps + 1.0) * (here - mean)
        found = expansion(objective, mean)
        value = found.value + roughness(objective, mean)
        idle = 0 if value < state.value - ROUGH * abs(state.value) else state.idle + 1
        calm = noise / (steps - begun) <= CALM * abs(value) / weight  # else steps are still longer than they tell
        done = idle >= PATIENCE and calm
        state = state.but(
            here=here, mean=mean, steps=steps, rng=rng, idle=idle, iterations=state.iterations + 1,
            passes=state.passes + 2 * objective.cost, noted=(value,), ended=done, converged=done,
        )  # fmt: skip
        return state.but(point=mean, found=found, value=value) if value < state.value else state


def roughness(objective: Any, point: np.ndarray) -> float:
    """The part of the objective that is left to its proximal map."""
    return objective.rough(point) if "prox" in objective.offers else 0.0


def promise(objective: Any, point: np.ndarray, found: Any, rate: float) -> float:
    """The squared slope; with a rough penalty, that of the step that its proximal map leaves of it."""
    if "prox" not in objective.offers:
        return float((found.gradient**2).sum())
    step = rate / found.weight
    return float((((point - objective.prox(point - step * found.gradient, step)) / step) ** 2).sum())
