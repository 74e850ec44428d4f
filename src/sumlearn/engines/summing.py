"""The sum over a source, said once: who reads, who adds, how a bad value is named, and that something must weigh."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..data import Chunk, InMemory, Source, Stream
from ..statistics import RowError, Statistic
from .choice import engine_for
from .folds import Round, merge_all, pattern_sums, rounds, training_sums
from .journal import summed

S = TypeVar("S", bound=Statistic)
T = TypeVar("T")
NO_WEIGHT = "sample_weight is zero for every row: the sum of the weights must be positive"


def total(
    summarise: Callable[[Chunk], S],
    source: Source,
    *,
    factor: int = 1,
    workers: int | None = None,
    parts: Iterable[Any] | None = None,
    empty_ok: bool = False,
) -> S:
    """The sum of summarise(chunk) over a source, refused where all rows have weight zero unless that is `empty_ok`.

    `parts` are the parts of the source, where somebody watches them go by.
    """
    work = partial(summary_of_part, summarise, source)
    statistic: S = summed(work, source, engine_for(source, workers), factor, parts=parts)
    if statistic.weight == 0 and not empty_ok:
        raise ValueError(NO_WEIGHT)
    return statistic


class Fold(NamedTuple):
    """A split: its number, the sum of its training rows, and its place in a round of splits that share their reads."""

    number: int
    train: Any
    place: int
    round: Round
    sums: list[Any]  # of the patterns of the round

    def test(self) -> Any:
        """The sum of the rows left out."""
        return merge_all([self.sums[p] for p in self.round.test[self.place]])

    def rows(self) -> np.ndarray:
        """Numbers of the rows left out, ascending."""
        return self.round.rows(self.round.test[self.place])


def fold_sums(
    summarise: Callable[[Chunk], Any],
    source: InMemory | Stream,
    splits: Sequence[tuple[np.ndarray, np.ndarray]],
    *,
    factor: int = 1,
    workers: int | None = None,
) -> Iterator[Fold]:
    """Every split with its sums, in as few reads as the splits allow; a training sum is made when it is asked for."""
    for part, sums in round_sums(summarise, source, splits, factor=factor, workers=workers):
        for place, train in enumerate(training_sums(sums, part)):
            yield Fold(part.splits[place], train, place, part, sums)


def round_sums(
    summarise: Callable[[Chunk], Any],
    source: InMemory | Stream,
    splits: Sequence[tuple[np.ndarray, np.ndarray]],
    *,
    factor: int = 1,
    workers: int | None = None,
) -> Iterator[tuple[Round, list[Any]]]:
    """Rounds of splits that share their reads, each with the sums of its patterns."""
    read, engine = partial(summary_of_part, summarise, source), engine_for(source, workers)
    for part in rounds(splits, source.rows):  # type: ignore[arg-type]
        yield part, pattern_sums(read, source, engine, part, factor)


def summary_of_part(summarise: Callable[[Chunk], T], source: Source, part: Any) -> T:
    """Read some rows and summarise them; a bad value is named by its row in the whole and its column."""
    try:
        return summarise(source.chunk(part))
    except RowError as error:
        raise ValueError(error.describe(part.name(error.row), named_column(error, source))) from None


def named_column(error: RowError, source: Source) -> Any:
    """The column of a bad value by its name, where the source has names: what overflows behind a basis has none."""
    if error.name != "X" or source.columns is None or error.column is None:
        return error.column
    names = source.columns.names
    return names[error.column] if error.column < len(names) else error.column
