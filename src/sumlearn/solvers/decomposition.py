"""A dual of many rows, some of them at a time: working sets, a cache of kernel rows, shrinking.

    max_b  sum_n (t_n b_n - r_n b_n^2 / 2 - e |b_n|) - b'Kb / 2,    lower_n <= b_n <= upper_n,    sum_n b_n fixed
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..objectives.duals import Dual
from .dual_face import face_step
from .kernel_cache import KernelCache
from .multipliers import Multipliers, part, sides
from .whole_dual import EXACT, IDLE, STEPS, Whole, Work, products

WHOLE = 1024  # rows whose matrix is formed as a whole
BATCH = 512, 1024  # rows of a working set: the least, and the most, if the cache holds two of them
EASE = 0.1  # share of what is left to do that a working set may leave
SHRINK = 10  # rounds after which rows are left out
WORTH = 0.1  # share of the rows that must go for it
LEAP = 25  # rounds after which it is looked whether the same numbers are at no bound
SAME = 0.1  # share of them that may have changed
MOST_FREE = 6000  # of them that are solved as one system
SEVERAL = 4 * WHOLE  # rows from which on a sample of them is solved first
SAMPLED = 4  # one of so many rows
ROUGH = 10.0  # tolerances of the sample
SAMPLE = 256  # rows whose slopes are checked in double
DRIFT = 0.1  # of the tolerance: slopes that are further off are summed anew, in double


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


class Decomposition(Work):
    """Some hundred rows at a time: those that want most to rise and to fall, and some of the last.

    Where the same numbers stay at no bound, pairs are slow to solve their equations; then these are solved as one
    system, as long as their matrix and its factor have room in the cache.
    """

    look = LEAP  # the next round in which these numbers are looked at
    free: np.ndarray | None = None  # as they were the last time
    of_others: KernelCache | None = None  # whose room may be used

    def run(self) -> None:
        row = np.dtype(self.kernel.precision).itemsize * len(self.beta)
        self.batch = int(np.clip(self.cache / (2 * row), *BATCH))
        self.rows = KernelCache(self.kernel, self.cache, self.batch, self.of_others)
        self.widen()
        if len(self.beta) >= SEVERAL and not self.beta.any():
            self.begin()
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

    def begin(self) -> None:
        """Start from the numbers of a sample of the rows: who supports them is mostly known, from short rows of K."""
        n = len(self.beta)
        some = np.sort(np.random.default_rng(0).permutation(n)[: n // SAMPLED])
        kind: type[Work] = Whole if len(some) <= WHOLE else Decomposition
        kernel, own, tol = self.kernel.narrowed(some), part(self.dual, some), ROUGH * self.tol
        work = kind(kernel, own, None, tol, self.most, self.cache, self.shrinking)
        if isinstance(work, Decomposition):
            work.of_others = self.rows
        work.run()
        self.steps, self.rounds, self.beta[some] = work.steps, work.rounds, work.beta
        self.sum_slopes()

    def widen(self) -> None:
        """All rows are active, with an empty cache."""
        self.active: np.ndarray | None = None
        self.left_out: list[tuple[np.ndarray, np.ndarray]] = []  # rows that are not active, and all numbers then
        self.own, self.b, self.f = self.dual, self.beta, self.slope
        self.rows.widen()
        self.last, self.since, self.idle = np.zeros(0, np.intp), -SHRINK if self.rounds else 0, 0

    def fold(self) -> None:
        """What was found about the active rows becomes part of the whole: slopes of the others follow the changes."""
        if self.active is None:
            return
        self.beta[self.active], self.slope[self.active] = self.b, self.f
        for rows, before in self.left_out:
            changed = np.flatnonzero(self.beta != before)
            self.slope[rows] -= products(self.kernel, rows, changed, self.beta[changed] - before[changed])
        self.widen()

    def sum_slopes(self) -> None:
        """All slopes, from rows of the cache."""
        from ..compiled import pair_steps

        self.slope[:] = self.dual.target - self.dual.ridge * self.beta
        support = np.flatnonzero(self.beta)
        for first in range(0, len(support), self.batch):
            rows = support[first : first + self.batch]
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
        every = np.arange(len(self.beta)) if self.active is None else self.active
        self.active = every[kept]
        self.left_out.append((np.delete(every, kept), self.beta.copy()))
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
        if not (1 < len(inside) <= MOST_FREE and changed <= SAME * len(inside)):
            return False
        kernel, place = self.rows.kernel, self.rows.matrix(inside)
        if place is None:
            return False
        K, room = place
        K[np.diag_indices(len(K))] = (kernel.diagonal[inside] + own.ridge[inside]) / kernel.unit
        low, high, sign = own.lower[inside], own.upper[inside], np.sign(b[inside]) if own.epsilon else 0.0
        if own.epsilon:
            low, high = np.where(sign > 0, 0.0, low), np.where(sign < 0, 0.0, high)
        step = face_step(K, (f[inside] - own.epsilon * sign) / kernel.unit, low - b[inside], high - b[inside], room)
        if step is None:
            self.look = self.most
            return False
        there = b[inside] + step
        near = np.where(np.isfinite(high - low), EXACT * (high - low), 0.0)
        there = np.where(there - low <= near, low, np.where(high - there <= near, high, there))
        most = int(np.argmax(np.minimum(there - low, high - there)))
        there[most] -= (there - b[inside]).sum()  # the sum stays
        change = there - b[inside]
        b[inside] = there
        f[inside] -= own.ridge[inside] * change
        f -= products(kernel, np.arange(len(b)), inside, change)
        return True

    def round(self, rise: np.ndarray, fall: np.ndarray, m: float, M: float) -> None:
        """Pairs among a working set, and what they change of all slopes."""
        from ..compiled import pair_steps

        own, self.last = self.own, self.working_set(rise, fall, m, M)
        chosen = np.sort(self.last)  # to be read in order
        slots = self.rows.slots(chosen)
        K, unit = self.rows.square(chosen, slots), self.rows.kernel.unit
        K[np.diag_indices(len(K))] = self.rows.kernel.diagonal[chosen] + own.ridge[chosen]
        b, f = self.b[chosen], self.f[chosen]
        before, limit = b.copy(), max(0.5 * self.tol, EASE * (m - M))
        most = min(STEPS * len(chosen) + 1000, self.most - self.steps)
        steps = pair_steps.pair_steps(
            K, f, b, own.lower[chosen], own.upper[chosen], own.epsilon, self.flat, limit, most
        )
        self.steps += steps
        if steps == most < self.most:
            b, f = self.ended(chosen, b, f, limit)
        change = before - b
        moved = np.flatnonzero(change)
        pair_steps.sum_rows(self.rows.pool, slots[moved], unit * change[moved], self.f)
        self.b[chosen], self.f[chosen] = b, f
        self.rounds, self.since = self.rounds + 1, self.since + 1

    def ended(self, chosen: np.ndarray, b: np.ndarray, f: np.ndarray, tol: float) -> tuple[np.ndarray, np.ndarray]:
        """Numbers and slopes of a working set that takes too many pairs, as a dual of few rows."""
        kernel, own = self.rows.kernel.narrowed(chosen), part(self.own, chosen)
        target = f + own.ridge * b + kernel.block(np.arange(len(b)), np.arange(len(b))) @ b
        work = Whole(kernel, own._replace(target=target), b, tol, self.most - self.steps, 0.0, False)
        work.run()
        self.steps += work.steps
        return work.beta, work.slope

    def working_set(self, rise: np.ndarray, fall: np.ndarray, m: float, M: float) -> np.ndarray:
        """Half of the last one, and of the others those that want most to rise and to fall."""
        size = min(self.batch, len(self.b))
        kept = self.last[: size // 2]
        rise[kept], fall[kept] = -np.inf, np.inf
        half = (size - len(kept)) // 2
        up = np.argpartition(-rise, half - 1)[:half]
        up = up[rise[up] > M]
        fall[up] = np.inf
        down = np.argpartition(fall, half - 1)[:half]
        down = down[fall[down] < m]
        return np.concatenate([up, down, kept])
