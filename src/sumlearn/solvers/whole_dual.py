"""A dual of few rows, whose matrix is there as a whole; and what it has in common with one of many.

    max_b  sum_n (t_n b_n - r_n b_n^2 / 2 - e |b_n|) - b'Kb / 2,    lower_n <= b_n <= upper_n,    sum_n b_n fixed
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..objectives.duals import Dual
from .multipliers import sides

ROUNDING = 1e-15  # share of the dual that is no gain
IDLE = 20  # rounds without a gain
BLOCK = 2**21  # numbers of a kernel matrix at a time
FACE = 600  # numbers at no bound that are made exact together
FACES = 200  # bounds that they come to on their way
TRIES = 30  # times that they are solved below the tolerance
STEPS = 20  # pairs for each row before
EXACT = 1e-12  # of the slopes: as good as nothing
SLIGHT = (1e-14, 1e-11, 1e-8)  # of the diagonal: added to it, so that there is a solution


def products(kernel: Any, rows: np.ndarray, columns: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """K[rows, columns] times numbers, in double, in blocks."""
    size = max(BLOCK // max(len(columns), 1), 16)
    some = [rows[first : first + size] for first in range(0, len(rows) if len(columns) else 0, size)]
    return np.concatenate([kernel.block(part, columns) @ numbers for part in some]) if some else np.zeros(len(rows))


def ascent(K: np.ndarray, slope: np.ndarray) -> np.ndarray | None:
    """The step to where all slopes are equal, whose sum is zero: (K + little)^-1 (slope - level).

    Where K is singular, a step along what does not bend is as long as the little is small: to the next bound.
    """
    slope = slope - slope.mean()
    for little in SLIGHT:
        try:
            factor = cho_factor(K + np.diag(np.full(len(K), little * float(np.diag(K).mean()))), lower=True)
        except LinAlgError:
            continue
        step, one = cho_solve(factor, np.column_stack([slope, np.ones(len(K))])).T
        step = step - one * (step.sum() / one.sum())
        step -= step.mean()
        if np.isfinite(step).all() and float(slope @ step) > 0.0:
            return step
    return None


class Work(ABC):
    """Numbers and slopes on their way; `run` changes them."""

    def __init__(
        self, kernel: Any, dual: Dual, beta: np.ndarray | None, tol: float, most: int, cache: float, shrinking: bool
    ) -> None:
        self.kernel, self.dual, self.tol, self.most = kernel, dual, tol, most
        self.cache, self.shrinking = cache, shrinking
        self.beta = np.zeros(len(dual.target)) if beta is None else np.array(beta, dtype=float)
        self.steps = self.rounds = self.idle = 0
        scale = float((kernel.diagonal + dual.ridge).mean()) if len(self.beta) else 1.0
        self.flat = max(1e-12 * scale, 1e-300)
        self.value = -np.inf
        self.slope = dual.target - dual.ridge * self.beta
        if self.beta.any():
            self.slope = self.summed(np.arange(len(self.beta)))

    @abstractmethod
    def run(self) -> None:
        """Change numbers until no pair is left above the tolerance."""

    def left(self) -> float:
        """What the worst pair could still change."""
        rise, fall = sides(self.dual, self.beta, self.slope)
        return float(rise.max(initial=-np.inf) - fall.min(initial=np.inf))

    def stuck(self) -> bool:
        """Whether the dual has not risen for some rounds: rounding is all that is left."""
        b, dual = self.beta, self.dual
        value = 0.5 * float(b @ (dual.target + self.slope)) - dual.epsilon * float(np.abs(b).sum())
        gained = value - self.value > ROUNDING * abs(value)
        self.value, self.idle = max(value, self.value), 0 if gained else self.idle + 1
        return self.idle > IDLE

    def summed(self, which: np.ndarray) -> np.ndarray:
        """Slopes of some rows, summed anew in double."""
        support = np.flatnonzero(self.beta)
        out = self.dual.target[which] - self.dual.ridge[which] * self.beta[which]
        out -= products(self.kernel, which, support, self.beta[support])
        return out


class Whole(Work):
    """All rows are the working set, and their matrix is there in double."""

    K: np.ndarray

    def run(self) -> None:
        """Pairs, and in between the equations of the numbers at no bound, until no pair is left at all."""
        every, dual = np.arange(len(self.beta)), self.dual
        self.K = self.kernel.block(every, every)
        self.K[np.diag_indices(len(self.K))] = self.kernel.diagonal + dual.ridge
        left, best, found, tries = self.left(), np.inf, (self.beta, self.slope), 0
        while self.steps < self.most and tries < TRIES and not self.stuck():
            self.pairs(self.tol if left > self.tol else max(0.1 * left, 0.0))
            left = self.left()
            if left < best:
                best, found = left, (self.beta.copy(), self.slope.copy())
            nothing = EXACT * (float(np.abs(dual.target).max(initial=0.0)) + float(np.abs(self.K @ self.beta).max()))
            tries += left <= self.tol
            if left <= nothing or (not self.faces() and left <= self.tol):
                break
        self.beta, self.slope = found

    def pairs(self, tol: float) -> None:
        """Pairs until none is left above a tolerance, or some for each row."""
        from ..compiled import pair_steps

        dual = self.dual
        self.steps += pair_steps.pair_steps(
            self.K, self.slope, self.beta, dual.lower, dual.upper, dual.epsilon, self.flat, tol,
            min(STEPS * len(self.K) + 1000, self.most - self.steps),
        )  # fmt: skip
        self.slope = dual.target - self.K @ self.beta
        self.rounds += 1

    def faces(self) -> bool:
        """Solve the equations of the numbers at no bound; those that come to one stay there, and the others go on."""
        share, count = self.faced(), 1
        while 0.0 < share < 1.0 and count < FACES:
            share, count = self.faced(), count + 1
        return share > 0.0 or count > 1

    def faced(self) -> float:
        """The step to where no number at no bound wants to move, up to the first bound; how much of it was possible."""
        dual, b = self.dual, self.beta
        inside = np.flatnonzero((b > dual.lower) & (b < dual.upper) & ((b != 0) | (dual.epsilon == 0)))
        if not 1 < len(inside) <= FACE:
            return 0.0
        K = self.K[np.ix_(inside, inside)]
        sign = np.sign(b[inside])
        step = ascent(K, self.slope[inside] - dual.epsilon * sign)
        if step is None:
            return 0.0
        step[np.argmax(np.abs(b[inside]))] -= step.sum()  # the sum stays, to the last bit
        low, high = dual.lower[inside], dual.upper[inside]
        if dual.epsilon:
            low, high = np.where(sign > 0, 0.0, low), np.where(sign < 0, 0.0, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(step > 0, (high - b[inside]) / step, np.where(step < 0, (low - b[inside]) / step, np.inf))
        share = float(min(1.0, room.min()))
        there = b[inside] + share * step
        there = np.where(room <= share, np.where(step > 0, high, low), np.clip(there, low, high))
        before, self.beta[inside] = self.beta[inside], there
        self.slope = self.slope - self.K[:, inside] @ (self.beta[inside] - before)
        return max(share, 1e-300)
