"""Pegasos: subgradient steps of 1 / (lambda t) for a loss with kinks and a squared norm."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from .solver import Solver, expansion, positive_whole
from .state import State

PATIENCE = 10  # rounds without a gain after which it ends
CALM = 0.002  # share of the mean loss that the noise of a step may be in the end
SETTLED = 0.005  # share of the objective that the second half of all rounds may have changed; what is left is as much
FIRST = 10  # rounds after which it is asked for the first time, then after twice as many each time
ROUGH = 1e-4  # share of the objective below which such steps gain nothing that could be told from noise


@dataclass(frozen=True, eq=False, kw_only=True)
class PegasosState(State):
    """Where the steps are, how many there were, their mean, and who draws the order; `point` is the best mean."""

    here: np.ndarray
    mean: np.ndarray
    steps: int
    radius: float
    rate: float  # of what has no penalty
    rng: np.random.Generator
    idle: int = 0
    asked: int = FIRST  # the round after which halves are compared next
    halfway: float = np.inf  # value after half as many
    settled: bool = False


class Pegasos(Solver):
    """w <- (1 - 1/t) w + 1 / (lambda t) mean_B y x [y f < 1], then back into the ball |w| <= 1 / sqrt(lambda).

    lambda = alpha / N, for the objective is a sum here, C = 1 / alpha. The intercept, which has no penalty, takes steps
    of 1 / sqrt(t). Any loss with kinks will do. Steps circle about the minimum; their mean, later ones counting more,
    comes within a hundredth of it, not much closer: to the last digit go the other solvers.

    Parameters
    ----------
    batch : int, default=32
        Rows of a step.
    average : bool, default=True
        Whether the mean of the steps is the answer, or the last of them.
    tol : float, default=1e-4
        Ends when ten rounds have not brought this share of the objective, and the second half of all rounds has not
        changed it by more than half a per cent; less is taken as 1e-4.
    max_iter : int, default=1000
        Most rounds through the rows.
    seed : int, default=0
        Of the order of the rows.

    References
    ----------
    Lecture notes 001; Shalev-Shwartz, Singer, Srebro & Cotter 2011; Lacoste-Julien, Schmidt & Bach 2012 (the mean).
    """

    name = "pegasos"
    asks = frozenset({"value and slope", "batches", "planes"})
    kinks = frozenset({"loss"})

    def __init__(
        self, batch: int = 32, average: bool = True, tol: float = 1e-4, max_iter: int = 1000, seed: Any = 0
    ) -> None:
        self.batch, self.average, self.tol, self.max_iter, self.seed = batch, average, tol, max_iter, seed

    def start(self, objective: Any, point: np.ndarray) -> PegasosState:
        positive_whole("batch", self.batch)
        found = expansion(objective, point)
        nothing = found.value <= 0  # is less than no loss at all
        rng = copy.deepcopy(np.random.default_rng(self.seed))
        return PegasosState(
            point=point, found=found, value=found.value, passes=objective.cost, here=point, mean=point, steps=0,
            radius=float(np.sqrt(max(found.value, 0.0))), rate=found.value / max(found.weight, 1e-300), rng=rng,
            ended=nothing, converged=nothing,
        )  # fmt: skip

    def step(self, objective: Any, state: PegasosState) -> PegasosState:
        """One round through the rows."""
        if state.ended or state.iterations >= self.max_iter:
            return state.but(ended=True, noted=())
        rng = copy.deepcopy(state.rng)
        here, mean, steps, noise = self._round(objective, state, int(rng.integers(2**32)))
        there = mean if self.average else here
        found = expansion(objective, there)
        better = found.value < state.value
        gained = found.value < state.value - max(self.tol, ROUGH) * abs(state.value)
        idle = 0 if gained else state.idle + 1
        state = state.but(
            here=here, mean=mean, steps=steps, rng=rng, idle=idle, iterations=state.iterations + 1,
            passes=state.passes + 2 * objective.cost, noted=(found.value,),
        )  # fmt: skip
        if better:
            state = state.but(point=there, found=found, value=found.value)
        if state.iterations == state.asked:
            settled = abs(state.halfway - found.value) <= SETTLED * abs(found.value)
            state = state.but(asked=2 * state.asked, halfway=found.value, settled=settled)
        near = found.value - state.value <= SETTLED * abs(state.value)  # else the best so far was luck
        done = idle >= PATIENCE and state.settled and near and noise <= CALM * abs(found.value) / found.weight
        return state.but(ended=done, converged=done)

    def _round(self, objective: Any, state: PegasosState, seed: int) -> tuple[np.ndarray, np.ndarray, int, float]:
        here, mean, steps = state.here, state.mean, state.steps
        weight, rows = state.found.weight, state.found.rows
        quadratic = objective.penalty_curvature(objective.start)
        heavy = quadratic > 0
        unit = np.where(heavy, weight / np.where(heavy, quadratic, 1.0), 0.0)
        begun, noise = steps, 0.0
        for batch in objective.batches(self.batch, seed):
            steps += 1
            slope = objective.gradient_of(batch, here) * (rows / (batch.X.shape[0] * weight))
            noise += 0.5 / steps * float((unit * slope**2).sum())  # what a step brings up and down
            here = np.where(heavy, (1.0 - 1.0 / steps) * here - unit * slope / steps, here)
            here = np.where(heavy, here, here - state.rate / np.sqrt(steps) * slope)
            length = float(np.sqrt((quadratic * here**2).sum()))
            if length > state.radius:
                here = np.where(heavy, here * (state.radius / length), here)
            mean = mean + 2.0 / (steps + 1.0) * (here - mean)
        return here, mean, steps, noise / max(steps - begun, 1)
