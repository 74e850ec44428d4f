"""Every subset."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from ..evaluations import BudgetSpent, Evaluations, Units
from ..trace import ASKED

MOST_SUBSETS = 20_000_000  # each is recorded; without a budget, more are refused


def exhaustive(evaluations: Evaluations, sizes: Iterable[int]) -> None:
    """J of all subsets of the given sizes: argmax over C(D, n) sets, or over all 2^D."""
    sizes = list(sizes)
    count = sum(comb(len(evaluations.all), size) for size in sizes)
    if count > MOST_SUBSETS and evaluations.left is None and evaluations.until is None:
        raise ValueError(
            f"there are {count:,} subsets, more than {MOST_SUBSETS:,}: give max_evaluations or max_seconds, fix or "
            "exclude columns, or use method='sffs', or 'bnb' for a monotone criterion"
        )
    for size in sizes:
        if hasattr(evaluations.judge, "all_of_size") and unmapped(evaluations) and size:
            all_at_once(evaluations, size)
        elif size:
            one_by_one(evaluations, size)
        else:
            evaluations.score(())


def one_by_one(evaluations: Evaluations, size: int) -> None:
    """All but the last unit are fixed, the last is asked for together."""
    for first in combinations(evaluations.all, size - 1):
        last = evaluations.all[first[-1] + 1 :] if first else evaluations.all
        if last:
            evaluations.grown(first, last)


def all_at_once(evaluations: Evaluations, size: int) -> None:
    """From a judge that goes through all subsets of a size by itself: arrays (count, size) and their scores."""
    judge: Any = evaluations.judge
    for subsets, scores in judge.all_of_size(size):
        count = len(scores)
        allowed = evaluations.spend(count)
        subsets, scores = np.asarray(subsets)[:allowed], np.asarray(scores, dtype=float)[:allowed]
        evaluations.note(ASKED, size, partial(units_at, subsets), subsets, scores)
        if allowed < count:
            raise BudgetSpent


def units_at(subsets: np.ndarray, place: int) -> Units:
    return tuple(subsets[place].tolist())


def unmapped(evaluations: Evaluations) -> bool:
    """Whether units are the judge's own columns."""
    return not evaluations.always and evaluations.units == [(j,) for j in range(evaluations.judge.size)]
