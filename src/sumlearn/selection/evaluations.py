"""The evaluations of a search: units of columns, questions to the judge, the best subset of every size."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .judges.judge import Judge
from .trace import ADDED, ASKED, REMOVED, Around, Recorder, listed

Units = tuple[int, ...]  # numbers of units, ascending


class BudgetSpent(Exception):
    """The search has asked as often, or taken as long, as it may."""


class Found(NamedTuple):
    """A set of units and its worth."""

    units: Units
    score: float


class Evaluations:
    """What every method of search shares; a method sees units that may enter and leave, numbered 0, 1, ...

    A unit is a column, or several columns that enter and leave together. Columns that are always in belong to no unit.
    Every answer of the judge is recorded, the same question is asked once, and the best set of every size is kept.

    Parameters
    ----------
    judge : Judge
    units : list of tuples of column numbers
    always : tuple of column numbers
        The columns that are in every subset; `base` is the number of units that they stand for.
    least, most : int
        Fewest and most units that are of interest.
    tol : float
        Scores nearer to each other than `tol` times their size are equal: the first wins.
    max_evaluations, max_seconds : budget, or None
    watch : function without arguments, called at every question
    names : names of the columns, for whoever is told of them
    """

    def __init__(
        self,
        judge: Judge,
        units: list[tuple[int, ...]],
        always: tuple[int, ...] = (),
        *,
        base: int = 0,
        least: int = 1,
        most: int | None = None,
        tol: float = 0.0,
        max_evaluations: int | None = None,
        max_seconds: float | None = None,
        watch: Callable[[], None] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.names = names
        self.judge, self.units, self.always, self.base = judge, units, always, base
        self.all: Units = tuple(range(len(units)))
        self.least, self.most = least, len(units) if most is None else most
        self.tol, self.watch = tol, watch
        self.left = max_evaluations
        self.until = None if max_seconds is None else time.monotonic() + max_seconds
        self.single = all(len(unit) == 1 for unit in units)
        self.count = 0
        self.best: dict[int, Found] = {}
        self.recorder = Recorder()
        self.known: dict[tuple[int, Units], tuple[np.ndarray, Found | None]] = {}

    # -- questions ----------------------------------------------------------------------------------------------------

    def score(self, units: Units) -> float:
        """J of one set."""
        if (ASKED, units) not in self.known:
            self.spend(1)
            columns = self.columns(units)
            scores = np.array([self.judge.score(columns)], dtype=float)
            self.known[ASKED, units] = scores, self.note(ASKED, len(units), lambda place: units, [columns], scores)
        return float(self.known[ASKED, units][0][0])

    def grown(self, units: Units, candidates: Sequence[int] | None = None) -> np.ndarray:
        """J with each of the candidates, which are all others if none are given."""
        return self.neighbours(ADDED, units, candidates)[0]

    def shrunk(self, units: Units, candidates: Sequence[int] | None = None) -> np.ndarray:
        """J without each of the candidates, which are all units of the set if none are given."""
        return self.neighbours(REMOVED, units, candidates)[0]

    def best_grown(self, units: Units) -> Found:
        """The best set with one unit more."""
        return self.some(self.neighbours(ADDED, units)[1])

    def best_shrunk(self, units: Units) -> Found:
        """The best set with one unit less."""
        return self.some(self.neighbours(REMOVED, units)[1])

    def neighbours(
        self, direction: int, units: Units, candidates: Sequence[int] | None = None
    ) -> tuple[np.ndarray, Found | None]:
        """J of all sets that differ from this one by one of the candidates, and the best of them, if there are any."""
        everyone = self.others(units) if direction == ADDED else units
        if candidates is not None and tuple(candidates) != everyone:
            return self.ask(direction, units, candidates)
        if (direction, units) not in self.known:
            self.known[direction, units] = self.ask(direction, units, everyone)
        return self.known[direction, units]

    def ask(self, direction: int, units: Units, candidates: Sequence[int]) -> tuple[np.ndarray, Found | None]:
        allowed = self.spend(len(candidates))
        asked = candidates[:allowed]
        move = with_unit if direction == ADDED else without_unit
        subsets: Any
        if self.single:  # one question for all of them
            columns, changed = self.columns(units), [self.units[j][0] for j in asked]
            question = self.judge.with_each if direction == ADDED else self.judge.without_each
            scores = np.asarray(question(columns, changed), dtype=float)
            subsets = Around(direction, columns, changed)
        else:
            subsets = [self.columns(move(units, j)) for j in asked]
            scores = np.array([self.judge.score(subset) for subset in subsets], dtype=float)
        best = self.note(direction, len(units) + direction, lambda place: move(units, asked[place]), subsets, scores)
        if allowed < len(candidates):
            raise BudgetSpent
        return scores, best

    # -- bookkeeping --------------------------------------------------------------------------------------------------

    def spend(self, count: int) -> int:
        """How many of so many evaluations the budget allows; raises BudgetSpent if none."""
        if self.watch is not None:
            self.watch()
        late = self.until is not None and time.monotonic() > self.until and self.count > 0
        if late or self.left == 0:
            raise BudgetSpent
        if self.left is not None:
            count = min(count, self.left)
            self.left -= count
        return count

    def note(
        self, direction: int, size: int, units_of: Callable[[int], Units], subsets: Any, scores: np.ndarray
    ) -> Found | None:
        """Record sets of one size and return the best of them; `units_of` gives the units of one by its place."""
        if not len(scores):
            return None
        place = self.first_best(scores)
        if math.isnan(scores[place]):
            raise ValueError(f"the criterion is NaN for columns {listed(subsets)[place]}: it must be a number, or -inf")
        best = Found(units_of(place), float(scores[place]))
        if size not in self.best or self.better(best.score, self.best[size].score):
            self.best[size] = best
        self.count += len(scores)
        self.recorder.note(direction, size + self.base, subsets, scores)
        return best

    def move(self, found: Found) -> Units:
        """The search goes on with this set."""
        self.recorder.move(len(found.units) + self.base, found.score)
        return found.units

    def first_best(self, scores: np.ndarray) -> int:
        """Place of the first score that equals the largest, up to `tol`; of the first that is no number, if any is."""
        top = float(scores.max())
        return int((scores >= top - self.slack(top)).argmax() if top == top else np.isnan(scores).argmax())

    def better(self, score: float, than: float) -> bool:
        return score > than + self.slack(than)

    def slack(self, score: float) -> float:
        return self.tol * abs(score) if math.isfinite(score) else 0.0

    def others(self, units: Units) -> Units:
        inside = set(units)
        return tuple([j for j in self.all if j not in inside])

    def some(self, found: Found | None) -> Found:
        if found is None:
            raise ValueError("no unit is left to enter or to leave")
        return found

    def columns(self, units: Units) -> tuple[int, ...]:
        if self.single and not self.always:
            return tuple([self.units[j][0] for j in units])
        return tuple(sorted((*self.always, *(column for j in units for column in self.units[j]))))


def with_unit(units: Units, unit: int) -> Units:
    return tuple(sorted((*units, unit)))


def without_unit(units: Units, unit: int) -> Units:
    return tuple(j for j in units if j != unit)
