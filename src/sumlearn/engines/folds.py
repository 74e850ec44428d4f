"""The algebra of folds: every training set of a resampling scheme from sums that are read once.

Rows with the same pattern over all splits (in the training set, in the test set, in neither) share a statistic. The
training sum of a split is the sum over the patterns that train in it: for K folds, all but one, by prefix and suffix
merges; never by subtraction, which cancels when one fold dominates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from ..data import InMemory, Rows, Stream
from ..data.stream import picked
from ..statistics import Grouped, Statistic
from .engine import Engine, Threads
from .journal import summed

S = TypeVar("S", bound=Statistic)
MERGE = 8  # rows that are read in the time of a merge, or so


class ConsecutiveFolds(list[tuple[np.ndarray, np.ndarray]]):
    """Splits into K folds of consecutive rows, the first ones a row longer where rows are left: they need no checks.

    >>> [test.tolist() for _, test in ConsecutiveFolds(8, 3)]
    [[0, 1, 2], [3, 4, 5], [6, 7]]
    """

    def __init__(self, rows: int, folds: int) -> None:
        every = np.arange(rows)
        ends = np.cumsum([rows // folds + (fold < rows % folds) for fold in range(folds)]).tolist()
        for start, stop in zip([0, *ends], ends, strict=False):
            self.append((np.concatenate([every[:start], every[stop:]]), every[start:stop]))


@dataclass(frozen=True)
class Round:
    """Some splits that share one partition of the rows."""

    patterns: list[np.ndarray]  # row numbers of each pattern, ascending
    train: list[list[int]]  # for each split, the patterns that train in it
    test: list[list[int]]
    splits: list[int]  # numbers of the splits
    covers: bool = True  # whether the patterns are all rows, each once

    def rows(self, patterns: Sequence[int]) -> np.ndarray:
        """Row numbers of some patterns, ascending."""
        return np.sort(np.concatenate([self.patterns[p] for p in patterns])) if patterns else np.zeros(0, np.intp)


def rounds(splits: Sequence[tuple[np.ndarray, np.ndarray]], rows: int) -> list[Round]:
    """Group splits so that each group has few patterns: all of them if they can, else those with disjoint tests.

    K-fold, stratified, grouped, predefined and time-series splits make one round; every repetition of a repeated
    scheme makes its own; so does each split of a shuffled scheme, and each that draws rows more than once.

    >>> thirds = [(np.r_[2:6], np.r_[0:2]), (np.r_[0:2, 4:6], np.r_[2:4]), (np.r_[0:4], np.r_[4:6])]
    >>> [[p.tolist() for p in part.patterns] for part in rounds(thirds, 6)]
    [[[0, 1], [2, 3], [4, 5]]]
    """
    numbers = list(range(len(splits)))
    if isinstance(splits, ConsecutiveFolds):
        return [round_of_partition([test for _, test in splits], numbers)]
    splits = [(row_numbers(train), row_numbers(test)) for train, test in splits]
    partition = partition_of(splits, rows)
    if partition is not None:
        return [round_of_partition(partition, numbers)]
    odd = [number for number, split in enumerate(splits) if is_irregular(*split)]
    if odd:  # rows drawn more than once, or trained and tested: each such split is read by itself
        others = [number for number in numbers if number not in odd]
        alone = [Round(list(splits[number]), [[0]], [[1]], [number], covers=False) for number in odd]
        return ([] if not others else grouped_rounds(splits, others, rows)) + alone
    return grouped_rounds(splits, numbers, rows)


def row_numbers(index: np.ndarray) -> np.ndarray:
    """Row numbers, which may be given as a mask."""
    index = np.asarray(index)
    return np.flatnonzero(index) if index.dtype == bool else index


def is_irregular(train: np.ndarray, test: np.ndarray) -> bool:
    return bool((np.bincount(np.concatenate([train, test])) > 1).any())


def grouped_rounds(splits: Sequence[tuple[np.ndarray, np.ndarray]], numbers: list[int], rows: int) -> list[Round]:
    """One round if its merges cost less than the reads it saves, else one for each run of disjoint tests."""
    together = round_of(splits, numbers, rows)
    found: list[list[int]] = []
    tested = np.zeros(rows, bool)
    for number in numbers:
        test = splits[number][1]
        if not found or tested[test].any():
            found.append([])
            tested[:] = False
        found[-1].append(number)
        tested[test] = True
    merges, saved = sum(map(len, together.train)), rows * (len(found) - 1)
    if len(found) == 1 or (len(together.patterns) <= 2 * len(numbers) + 2 and MERGE * merges <= saved):
        return [together]
    return [round_of(splits, members, rows) for members in found]


def round_of(splits: Sequence[tuple[np.ndarray, np.ndarray]], numbers: Iterable[int], rows: int) -> Round:
    chosen = list(numbers)
    partition = partition_of([splits[number] for number in chosen], rows)
    if partition is not None:
        return round_of_partition(partition, chosen)
    code = np.zeros(rows, dtype=np.int64)
    members: list[np.ndarray] = []
    for number in chosen:  # refine the partition split by split
        train, test = splits[number]
        member = np.zeros(rows, dtype=np.int8)
        member[train] = 1
        member[test] = 2
        members.append(member)
        _, code = np.unique(code * 3 + member, return_inverse=True)
    patterns = groups_of(code)
    patterns.sort(key=lambda p: int(p[0]))
    first = [int(p[0]) for p in patterns]
    return Round(
        patterns,
        [[p for p, row in enumerate(first) if member[row] == 1] for member in members],
        [[p for p, row in enumerate(first) if member[row] == 2] for member in members],
        chosen,
    )


def round_of_partition(partition: list[np.ndarray], numbers: list[int]) -> Round:
    """The round of splits that test on one part each, the first ones, and train on all others."""
    parts, tests = range(len(partition)), range(len(numbers))
    return Round(partition, [[p for p in parts if p != t] for t in tests], [[t] for t in tests], numbers)


def partition_of(splits: Sequence[tuple[np.ndarray, np.ndarray]], rows: int) -> list[np.ndarray] | None:
    """The test sets, and behind them the rows never tested, if every split trains on all rows it does not test."""
    untested = len(splits)
    fold = np.full(rows, untested)
    tests = [np.ascontiguousarray(test, dtype=np.int64) for _, test in splits]
    for number, ((train, _), test) in enumerate(zip(splits, tests, strict=True)):
        if not len(test) or not are_all(train, test, rows) or (fold[test] != untested).any():
            return None
        fold[test] = number
    if sum(map(len, tests)) < rows or not all((test[1:] > test[:-1]).all() for test in tests):
        return groups_of(fold)
    return tests


def are_all(train: np.ndarray, test: np.ndarray, rows: int) -> bool:
    """Whether the numbers of both are those of all rows, each once."""
    known = all(not len(part) or (part.min() >= 0 and part.max() < rows) for part in (train, test))
    if not known or len(train) + len(test) != rows:
        return False
    seen = np.zeros(rows, dtype=bool)
    seen[train] = seen[test] = True
    return bool(seen.all())


def groups_of(code: np.ndarray) -> list[np.ndarray]:
    """Row numbers of each code, ascending."""
    order = np.argsort(code, kind="stable")
    counts = np.bincount(code)
    return [g for g in np.split(order, np.cumsum(counts)[:-1]) if len(g)]


def pattern_sums(
    summary_of: Callable[[Any], S], source: InMemory | Stream, engine: Engine, part: Round, factor: int = 1
) -> list[S]:
    """The statistic of every pattern, in one read of the rows."""
    return sums_of_patterns(partial(ignoring_pattern, summary_of), source, engine, part.patterns, factor)


def ignoring_pattern(summary_of: Callable[[Any], S], pattern: int, rows: Any) -> S:
    return summary_of(rows)


def sums_of_patterns(
    summary_of: Callable[[int, Any], S],
    source: InMemory | Stream,
    engine: Engine,
    patterns: Sequence[np.ndarray],
    factor: int = 1,
) -> list[S]:
    """summary_of(pattern, rows) summed over the rows of every pattern; a row may stand in several, or more than once.

    Rows in memory are read pattern by pattern; a stream is read once.
    """
    if isinstance(source, Stream):
        ascending = [np.sort(index) for index in patterns]
        sums = summed(partial(sums_of_part, summary_of, source), source, engine, factor, patterns=ascending)
    else:
        items = [(p, rows) for p, index in enumerate(patterns) for rows in source.parts_of(index, factor)]
        if len(items) == len(patterns) and isinstance(engine, Threads):  # nothing is to be merged
            return engine.each(partial(summary_of_item, summary_of), items)
        sums = engine.reduce(partial(tagged, summary_of), items)
    return [sums[p] for p in range(len(patterns))]


def summary_of_item(summary_of: Callable[[int, Rows], S], item: tuple[int, Rows]) -> S:
    return summary_of(*item)


def tagged(summary_of: Callable[[int, Rows], Any], item: tuple[int, Rows]) -> Grouped[Any]:
    pattern, rows = item
    return Grouped({pattern: summary_of(pattern, rows)})


def sums_of_part(summary_of: Callable[[int, Any], Any], source: Stream, part: Any) -> Grouped[Any]:
    """One read of a part, and the sums of all patterns in it."""
    return Grouped({pattern: summary_of(pattern, rows) for pattern, rows in picked(source.chunk(part), part)})


def training_sums(sums: Sequence[S], part: Round) -> Iterator[S]:
    """For each split of the round, the sum over the patterns that train in it."""
    left_out = [sorted(set(range(len(sums))) - set(train)) for train in part.train]
    if len(sums) > 1 and all(len(out) == 1 for out in left_out):
        others = list(all_but_one(sums))
        yield from (others[out[0]] for out in left_out)
        return
    for train in part.train:
        yield merge_all([sums[p] for p in train])


def all_but_one(sums: Sequence[S]) -> Iterator[S]:
    """For each i, the sum of all but the i-th: 3 K merges, no subtraction."""
    suffix: list[S | None] = [None] * (len(sums) + 1)
    for i in range(len(sums) - 1, 0, -1):
        after = suffix[i + 1]
        suffix[i] = sums[i] if after is None else sums[i].merge(after)
    prefix: S | None = None
    for i, statistic in enumerate(sums):
        after = suffix[i + 1]
        if prefix is None or after is None:
            yield prefix if after is None else after  # type: ignore[misc]
        else:
            yield prefix.merge(after)
        prefix = statistic if prefix is None else prefix.merge(statistic)


def merge_all(sums: Sequence[S]) -> S:
    total = sums[0]
    for statistic in sums[1:]:
        total = total.merge(statistic)
    return total
