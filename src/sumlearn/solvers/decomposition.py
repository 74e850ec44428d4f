"""A dual of many rows, some of them at a time: working sets, a cache of kernel rows, shrinking.

    max_b  sum_n (t_n b_n - r_n b_n^2 / 2 - e |b_n|) - b'Kb / 2,    lower_n <= b_n <= upper_n,    sum_n b_n fixed
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..objectives.duals import Dual
from .dual_face import face_step
from .kernel_cache import KernelCache

WHOLE = 1024  # rows whose matrix is formed as a whole
BATCH = 1024  # rows of a working set
EASE = 0.1  # share of what is left to do that a working set may leave
SHRINK = 10  # rounds after which rows are left out
LEAP = 25  # rounds after which it is looked whether the same numbers are at no bound
SAME = 0.1  # share of them that may have changed
WORTH = 0.1  # share of the rows that must go for it
SAMPLE = 256  # rows whose slopes are checked in double
DRIFT = 0.1  # of the tolerance: slopes that are further off are summed anew, in double
ROUNDING = 1e-15  # share of the dual that is no gain
IDLE = 20  # rounds without a gain
BLOCK = 2**21  # numbers of a kernel matrix at a time
MOST_FREE = 6000  # numbers at no bound that are solved as one system
FACE = 600  # numbers at no bound that are made exact together
FACES = 200  # bounds that they come to on their way
TRIES = 30  # times that they are solved below the tolerance
STEPS = 20  # pairs for each row before
EXACT = 1e-12  # of the slopes: as good as nothing
SLIGHT = (1e-14, 1e-11, 1e-8)  # of the diagonal: added to it, so that there is a solution


@dataclass(frozen=True, eq=False)
class Multipliers:
    """The numbers b of the rows, the slopes f = t - r b - K b, the level of the free ones, and how it went.

    `gap` bounds what could still be gained of the primal, |w|^2 / 2 + losses, whose value is `objective`.
    """

    beta: np.ndarray
    slope: np.ndarray
    level: float
    violation: float  # of the conditions of Karush, Kuhn and Tucker: what the worst pair could still change
    gap: float
    objective: float
    norm: float  # |w|
    steps: int
    rounds: int
    converged: bool

    @classmethod
    def of(cls, dual: Dual, beta: np.ndarray, slope: np.ndarray, tol: float, steps: int, rounds: int) -> Multipliers:
        """What numbers and slopes say of themselves."""
        rise, fall = sides(dual, beta, slope)
        violation = max(float(rise.max(initial=-np.inf) - fall.min(initial=np.inf)), 0.0)
        level = level_of(dual, beta, slope)
        left = gap(dual, beta, slope - level)
        square = float(beta @ (dual.target - slope - dual.ridge * beta))
        value = float(dual.target @ beta) - dual.epsilon * float(np.abs(beta).sum()) - 0.5 * square
        norm = float(np.sqrt(max(square, 0.0)))
        return cls(beta, slope, level, violation, left, value + left, norm, steps, rounds, violation <= tol)


def gap(dual: Dual, beta: np.ndarray, slope: np.ndarray) -> float:
    """What could still be gained: of every row sup_v (v g - e |v|) - (b g - e |b|), v between its bounds.

    Bounds that are infinite count as the largest number there is: where it is the solution, they might be that.
    """
    e, most = dual.epsilon, float(np.abs(beta).max(initial=0.0))
    upper = np.where(np.isfinite(dual.upper), dual.upper, most)
    lower = np.where(np.isfinite(dual.lower), dual.lower, -most)
    best = np.where(slope > e, upper * (slope - e), np.where(slope < -e, lower * (slope + e), 0.0))
    return max(float((best - (beta * slope - e * np.abs(beta))).sum()), 0.0)


def sides(dual: Dual, beta: np.ndarray, slope: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Along which slope every number can rise, and fall; infinite where it cannot."""
    e = dual.epsilon
    rise = np.where(beta < dual.upper, slope - np.where(beta >= 0, e, -e) if e else slope, -np.inf)
    fall = np.where(beta > dual.lower, slope - np.where(beta > 0, e, -e) if e else slope, np.inf)
    return rise, fall


def level_of(dual: Dual, beta: np.ndarray, slope: np.ndarray) -> float:
    """The multiplier of the sum: the mean slope of the numbers at no bound, or the middle of what it can be."""
    free = (beta > dual.lower) & (beta < dual.upper) & ((beta != 0) | (dual.epsilon == 0))
    if free.any():
        return float((slope - dual.epsilon * np.sign(beta))[free].mean())
    rise, fall = sides(dual, beta, slope)
    ends = np.array([rise.max(initial=-np.inf), fall.min(initial=np.inf)])
    ends = ends[np.isfinite(ends)]
    return float(ends.mean()) if len(ends) else 0.0


def part(dual: Dual, which: np.ndarray) -> Dual:
    """The dual of some of the rows."""
    return dual._replace(**{name: getattr(dual, name)[which] for name in ("target", "lower", "upper", "ridge")})


def decomposed(
    kernel: Any,
    dual: Dual,
    beta: np.ndarray | None = None,
    *,
    tol: float = 1e-3,
    max_iter: int = -1,
    cache: float = 2**27,
    shrinking: bool = True,
) -> Multipliers:
    """The numbers b of a dual, from a start whose sum they keep (zero, if none is given).

    Ends when no pair of numbers could change at a slope above `tol`, or after `max_iter` pairs (-1: as many as it
    takes). The cache takes so many bytes, or 512 rows if they are more.
    """
    n = len(dual.target)
    most = max(10_000_000, 100 * n) if max_iter < 0 else max_iter
    kind: type[Work] = Whole if n <= WHOLE else Decomposition
    work = kind(kernel, dual, beta, tol, most, cache, shrinking)
    work.run()
    return Multipliers.of(dual, work.beta, work.slope, tol, work.steps, work.rounds)


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
        size = max(BLOCK // max(len(support), 1), 16)
        for first in range(0, len(which) if len(support) else 0, size):
            rows = which[first : first + size]
            out[first : first + size] -= self.kernel.block(rows, support) @ self.beta[support]
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


class Decomposition(Work):
    """Some hundred rows at a time: those that want most to rise and to fall, and some of the last.

    Where the same numbers stay at no bound, pairs are slow to solve their equations; then these are solved as one
    system, as long as their matrix takes no more room than the cache, whose room it is.
    """

    look = LEAP  # the next round in which these numbers are looked at
    free: np.ndarray | None = None  # as they were the last time

    def run(self) -> None:
        self.rows = KernelCache(self.kernel, self.cache, BATCH)
        self.widen()
        while self.steps < self.most:
            rise, fall = sides(self.own, self.b, self.f)
            m, M = float(rise.max(initial=-np.inf)), float(fall.min(initial=np.inf))
            if m - M <= self.tol or self.idle > IDLE:
                if self.active is not None:
                    self.fold()
                elif self.drifted():
                    self.widen()
                else:
                    return
                continue
            if self.shrinking and self.since >= SHRINK and self.shrunk(rise, fall, m, M):
                continue
            if self.rounds >= self.look and self.leapt():
                continue
            self.round(rise, fall, m, M)
        self.fold()

    def widen(self) -> None:
        """All rows are active, with an empty cache."""
        self.active: np.ndarray | None = None
        self.own, self.b, self.f = self.dual, self.beta, self.slope
        self.rows.widen()
        self.last, self.since, self.idle = np.zeros(0, np.intp), -SHRINK if self.rounds else 0, 0

    def fold(self) -> None:
        """What was found about the active rows becomes part of the whole; slopes are summed from rows of the cache."""
        from ..compiled import pair_steps

        if self.active is None:
            return
        self.beta[self.active] = self.b
        self.slope = self.dual.target - self.dual.ridge * self.beta
        self.widen()
        support = np.flatnonzero(self.beta)
        for first in range(0, len(support), BATCH):
            rows = support[first : first + BATCH]
            slots = self.rows.slots(rows)
            pair_steps.sum_rows(self.rows.pool, slots, -self.kernel.unit * self.beta[rows], self.slope)

    def drifted(self) -> bool:
        """Whether single precision has moved the slopes; then they are summed anew."""
        some = np.unique(np.linspace(0, len(self.beta) - 1, SAMPLE).astype(np.intp))
        off = float(np.abs(self.summed(some) - self.slope[some]).max())
        if off <= DRIFT * self.tol:
            return False
        self.slope = self.summed(np.arange(len(self.beta)))
        return self.left() > self.tol and not self.stuck()

    def shrunk(self, rise: np.ndarray, fall: np.ndarray, m: float, M: float) -> bool:
        """Leave out rows at a bound (or at zero) that are on the right side of all that could change, if many are."""
        self.since = 0
        stays = (rise > M) | (fall < m)
        kept = np.flatnonzero(stays)
        if len(kept) > (1.0 - WORTH) * len(stays):
            return False
        if self.active is not None:
            self.beta[self.active], self.slope[self.active] = self.b, self.f
        self.active = kept if self.active is None else self.active[kept]
        self.own, self.b, self.f = part(self.own, kept), self.b[kept], self.f[kept]
        new = np.full(len(stays), -1)
        new[kept] = np.arange(len(kept))
        self.last = new[self.last][new[self.last] >= 0]
        self.rows.narrow(kept)
        return True

    def leapt(self) -> bool:
        """Solve the equations of the numbers at no bound together, if most of them are those of the last look."""
        own, b, f = self.own, self.b, self.f
        inside = np.flatnonzero((b > own.lower) & (b < own.upper) & ((b != 0) | (own.epsilon == 0)))
        now = inside if self.active is None else self.active[inside]
        changed = len(now) if self.free is None else len(np.setxor1d(now, self.free, assume_unique=True))
        self.free, self.look = now, self.rounds + LEAP
        if not (FACE < len(inside) <= MOST_FREE and changed <= SAME * len(inside)):
            return False
        kernel, K = self.rows.kernel, self.rows.matrix(inside)
        if K is None:
            return False
        K[np.diag_indices(len(K))] = (kernel.diagonal[inside] + own.ridge[inside]) / kernel.unit
        low, high, sign = own.lower[inside], own.upper[inside], np.sign(b[inside]) if own.epsilon else 0.0
        if own.epsilon:
            low, high = np.where(sign > 0, 0.0, low), np.where(sign < 0, 0.0, high)
        step = face_step(K, (f[inside] - own.epsilon * sign) / kernel.unit, low - b[inside], high - b[inside])
        if step is None:
            self.look = self.most
            return False
        there = b[inside] + step
        near = EXACT * (high - low)
        there = np.where(there - low <= near, low, np.where(high - there <= near, high, there))
        most = int(np.argmax(np.minimum(there - low, high - there)))
        there[most] -= (there - b[inside]).sum()  # the sum stays
        change = there - b[inside]
        b[inside] = there
        f[inside] -= own.ridge[inside] * change
        size = max(BLOCK // len(inside), 16)
        for first in range(0, len(b), size):
            some = np.arange(first, min(first + size, len(b)))
            f[some] -= kernel.block(some, inside) @ change
        return True

    def round(self, rise: np.ndarray, fall: np.ndarray, m: float, M: float) -> None:
        """Pairs among a working set, and what they change of all slopes."""
        from ..compiled import pair_steps

        own, self.last = self.own, self.working_set(rise, fall, m, M)
        chosen = np.sort(self.last)  # to be read in order
        slots = self.rows.slots(chosen)
        K = np.empty((len(chosen), len(chosen)))
        unit = self.rows.kernel.unit
        pair_steps.gathered(self.rows.pool, slots, chosen, K)
        K *= unit
        K[np.diag_indices(len(K))] = self.rows.kernel.diagonal[chosen] + own.ridge[chosen]
        b, f = self.b[chosen], self.f[chosen]
        before, limit = b.copy(), max(0.5 * self.tol, EASE * (m - M))
        self.steps += pair_steps.pair_steps(
            K, f, b, own.lower[chosen], own.upper[chosen], own.epsilon, self.flat, limit,
            min(100_000, self.most - self.steps),
        )  # fmt: skip
        change = before - b
        moved = np.flatnonzero(change)
        pair_steps.sum_rows(self.rows.pool, slots[moved], unit * change[moved], self.f)
        self.b[chosen], self.f[chosen] = b, f
        self.rounds, self.since = self.rounds + 1, self.since + 1

    def working_set(self, rise: np.ndarray, fall: np.ndarray, m: float, M: float) -> np.ndarray:
        """Half of the last one, and of the others those that want most to rise and to fall."""
        size = min(BATCH, len(self.b))
        kept = self.last[: size // 2]
        rise[kept], fall[kept] = -np.inf, np.inf
        half = (size - len(kept)) // 2
        up = np.argpartition(-rise, half - 1)[:half]
        up = up[rise[up] > M]
        fall[up] = np.inf
        down = np.argpartition(fall, half - 1)[:half]
        down = down[fall[down] < m]
        return np.concatenate([up, down, kept])
