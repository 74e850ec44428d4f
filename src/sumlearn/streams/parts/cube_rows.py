"""From rows to leaves: the sums of every key and step, chunk by chunk.

Where a learner's sums are the plain moments of its rows, as those of least squares are, all leaves of a chunk are
summed at once in two words; any other learner summarises the rows of every leaf by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from ...compiled import stacked_moments as kernels
from ...data import Chunk, InMemory
from ...data.chosen_files import files_of
from ...data.chunk import chunk_rows
from ...data.collections import is_dask
from ...data.files import FileSource, is_path
from ...data.mapped import inputs_of
from ...data.names import nearest
from ...data.source import frame_of, is_frame
from ...engines.pool import in_threads
from ...engines.summing import named_column
from ...learners.validation import usable_rows
from ...statistics import Moments, RowError
from ...statistics.row_checks import available_memory
from .cube_keys import Keys, combos_of
from .cube_stack import MomentStack, Stack, StatisticList, stack_of
from .cube_time import Grain, times_of
from .cube_tree import code_of, keys_of, merged_leaves, steps_of

FACTOR = 16  # chunks of so many times the usual rows: a leaf is then seldom cut in two
PACKAGE = __name__.partition(".")[0]


@dataclass(frozen=True)
class CubeAxes:
    """What tells the leaf of a row: the columns of time and keys, the grain, and what the rows before were like."""

    time: str
    by: tuple[str, ...]
    grain: Grain
    zone: str | None = None

    def read(self, columns: Callable[[str], Any], rows: int, keys: Keys) -> tuple[np.ndarray, Keys, str]:
        """The code of every row, the keys with those that are new, and the zone of the times."""
        times, zone = times_of(columns(self.time), self.time, self.grain)
        if self.zone not in (None, zone):
            words = {"naive": "no time zone", "utc": "a time zone", "number": "numbers"}
            raise ValueError(
                f"the times in column {self.time!r} have {words[zone]}, those before had {words[str(self.zone)]}: "
                "convert one of them"
            )
        combos, own = combos_of([columns(name) for name in self.by], self.by, rows)
        keys = keys.joined(combos)
        number = np.array([keys.number[combo] for combo in combos], dtype=np.int64)
        return code_of(number[own] if rows else np.zeros(0, np.int64), self.grain.steps(times)), keys, zone


@dataclass(frozen=True)
class NewLeaves:
    """Leaves of some rows, the keys with theirs, and the learner that knows the rows' columns."""

    codes: np.ndarray
    stack: Stack
    keys: Keys
    zone: str
    learner: Any


def leaves_of(learner: Any, X: Any, y: Any, weight: Any, axes: CubeAxes, keys: Keys, *, reset: bool) -> NewLeaves:
    """The sums of the rows of a frame or of files, by key and step. `learner` is a copy that may be changed."""
    if is_dask(X):
        raise TypeError("a cube takes frames and files: append the partitions of a Dask frame one by one")
    if is_path(X):
        return leaves_of_files(learner, X, y, weight, axes, keys, reset=reset)
    if not is_frame(X):
        raise TypeError(
            f"a cube takes a data frame or files, whose column {axes.time!r} is the time, got {type(X).__name__}"
        )
    frame = frame_of(X)
    apart = columns_apart(axes, list(frame.columns), "X")
    if not len(frame) and not reset:  # a night without rows
        return joined([], keys, str(axes.zone), learner)
    codes, keys, zone = axes.read(frame.get_column, len(frame), keys)
    order = order_of(codes)
    leaves = 1 + int(np.count_nonzero(np.diff(codes[order]))) if len(codes) else 0
    refuse_too_many(leaves, len(frame.columns) - len(apart))
    source = learner.open(frame.drop(apart).to_native(), y, weight, reset=reset)
    learner.remember(source)

    def work(part: Any) -> list[tuple[np.ndarray, Stack]]:
        return list(pieces_of(learner, source, part, codes[part.numbers]))

    pieces = [piece for found in in_threads(work, source.parts_of(order, FACTOR)) for piece in found]
    return joined(pieces, keys, zone, learner)


def leaves_of_files(learner: Any, X: Any, y: Any, weight: Any, axes: CubeAxes, keys: Keys, *, reset: bool) -> NewLeaves:
    """The same for files, which are read once, in parts."""
    from ...data.readers import label_type

    source = learner.open(files_of(X, None, (axes.time, *axes.by)), y, weight, reset=reset, left_out=())
    learner.remember(source)
    files = inputs_of(source)
    assert isinstance(files, FileSource)
    columns_apart(axes, list(files.readers[0].kinds), files.files[0])
    types = files.types() | {name: label_type(files.readers, name) for name in axes.by}
    types[axes.time] = files.readers[0].types[axes.time]
    pieces: list[tuple[np.ndarray, Stack]] = []
    zone = ""
    for part in files.cut(chunk_rows(files.features, FACTOR), types):
        table = nw.from_native(part.table, eager_only=True)
        codes, keys, zone = axes.read(table.get_column, len(table), keys)
        axes = CubeAxes(axes.time, axes.by, axes.grain, zone)
        pieces += pieces_of(learner, source, part, codes)
        if len(pieces) > 32:
            pieces = [merged_leaves(pieces)]
            refuse_too_many(len(pieces[0][0]), files.features)
    return joined(pieces, keys, zone, learner)


def order_of(codes: np.ndarray) -> np.ndarray:
    """A stable order of the rows by their leaves: counted where keys and steps lie close together."""
    if not len(codes):
        return np.zeros(0, np.int64)
    keys, steps = keys_of(codes), steps_of(codes)
    span = int(steps.max()) - int(steps.min()) + 1
    size = (int(keys.max()) + 1) * span
    if size > 2 * len(codes) + 1000:
        return np.argsort(codes, kind="stable")
    order = np.empty(len(codes), np.int64)
    kernels.counted_order(keys * span + (steps - int(steps.min())), 0, np.zeros(size + 1, np.int64), order)
    return order


def joined(pieces: list[tuple[np.ndarray, Stack]], keys: Keys, zone: str, learner: Any) -> NewLeaves:
    if not pieces:
        return NewLeaves(np.zeros(0, np.int64), StatisticList([]), keys, zone, learner)
    codes, stack = merged_leaves(pieces)
    return NewLeaves(codes, stack, keys, zone, learner)


def columns_apart(axes: CubeAxes, names: Sequence[str], where: str) -> list[str]:
    for name in (axes.time, *axes.by):
        if name not in names:
            raise ValueError(f"no column {name!r} in {where}{nearest(name, list(names))}")
    return [axes.time, *axes.by]


def refuse_too_many(leaves: int, columns: int) -> None:
    """Refuse leaves that cannot fit into memory before they are made; a third is for the nodes above them."""
    need, have = leaves * MomentStack(columns, 0).bytes_each * 4 / 3, available_memory()
    if need > have:
        raise ValueError(
            f"{leaves:,} leaves of {columns} columns need about {need / 2**30:.1f} GiB, {have / 2**30:.1f} GiB are "
            "free: take a longer grain, fewer keys or fewer columns"
        )


def pieces_of(learner: Any, source: Any, part: Any, codes: np.ndarray) -> Iterator[tuple[np.ndarray, Stack]]:
    """The leaves of a part of a source; a bad value is named by its row in the whole and its column."""
    try:
        yield from leaves_of_chunk(learner, source.chunk(part), codes)
    except RowError as error:
        refuse_first_bad(learner, source)
        raise ValueError(error.describe(part.name(error.row), named_column(error, source))) from None


def refuse_first_bad(learner: Any, source: Any) -> None:
    """Name the first bad row of a table in memory: its rows were read in the order of their leaves."""
    if not isinstance(source, InMemory) or learner.reads != "numbers":
        return
    for part in source.parts():
        try:
            usable_rows(source.chunk(part), gaps=bool(learner.takes_gaps))
        except RowError as error:
            raise ValueError(error.describe(part.name(error.row), named_column(error, source))) from None


def leaves_of_chunk(learner: Any, chunk: Chunk, codes: np.ndarray) -> Iterator[tuple[np.ndarray, Stack]]:
    """(codes, stack) of the leaves of some rows, whose codes are sorted in each pair."""
    rows = np.arange(len(codes))
    if chunk.weight is not None:
        rows = np.flatnonzero(~(chunk.weight == 0))  # what is no number is named below
    if not len(rows):
        return
    own = codes[rows]
    if (own[1:] < own[:-1]).any():
        rows = rows[np.argsort(own, kind="stable")]
        own = codes[rows]
    starts = np.append(0, np.flatnonzero(np.diff(own)) + 1)
    kept, starts = own[starts], np.append(starts, len(rows))
    summarise = learner.summariser()
    first = summary(summarise, chunk, rows[: starts[1]])
    if sums_plainly(learner, first, chunk, rows[: starts[1]]):
        stack, sound = plain_sums(chunk, rows, starts)
        stack.count[:] = np.diff(starts)
        if sound.all():
            yield kept, stack
            return
    found = [first]
    for begin, end in zip(starts[1:-1].tolist(), starts[2:].tolist(), strict=True):
        found.append(summary(summarise, chunk, rows[begin:end]))
    yield kept, stack_of(found)


def summary(summarise: Any, chunk: Chunk, rows: np.ndarray) -> Any:
    """The learner's own sum of some rows."""
    y = None if chunk.y is None else chunk.y[rows]
    weight = None if chunk.weight is None else chunk.weight[rows]
    try:
        return summarise(Chunk(chunk.X[rows], y, weight, chunk.columns))
    except RowError as error:
        error.row = int(rows[error.row])
        raise


def sums_plainly(learner: Any, found: Any, chunk: Chunk, rows: np.ndarray) -> bool:
    """Whether the learner's sums are the moments of its rows and nothing else: its sum of some rows says so.

    Of learners from elsewhere nobody knows what they do with other rows.
    """
    ours = type(learner).__module__.partition(".")[0] == PACKAGE
    if not (ours and MomentStack.takes(found) and isinstance(chunk.X, np.ndarray) and chunk.X.dtype.kind in "fiub"):
        return False
    y = chunk.y[rows] if chunk.y is not None and found.targets else None
    plain = Moments.of(chunk.X[rows], y, None if chunk.weight is None else chunk.weight[rows])
    if (plain.columns, plain.targets, plain.count) != (found.columns, found.targets, found.count):
        return False
    pairs = zip((*plain.total, *plain.centre, *plain.spread), (*found.total, *found.centre, *found.spread), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


def plain_sums(chunk: Chunk, rows: np.ndarray, starts: np.ndarray) -> tuple[MomentStack, np.ndarray]:
    """The moments of groups of rows, and which of them are in range."""
    usable_rows(chunk)
    straight = len(rows) == len(chunk.X) and bool((np.diff(rows) == 1).all())
    X = np.ascontiguousarray(chunk.X if straight else chunk.X[rows], dtype=np.float64)
    y = np.zeros((len(chunk.X), 0)) if chunk.y is None else chunk.y.reshape(len(chunk.X), -1)
    Y = np.ascontiguousarray(y if straight else y[rows], dtype=np.float64)
    weight = np.zeros(0) if chunk.weight is None else np.ascontiguousarray(chunk.weight[rows], dtype=np.float64)
    stack = MomentStack(X.shape[1] + Y.shape[1], Y.shape[1], len(starts) - 1)
    stack.size, sound = len(starts) - 1, np.empty(len(starts) - 1, np.bool_)
    into = stack.total, stack.loose, stack.centre, stack.spread, stack.rounding, sound
    kernels.sum_groups(X, Y, weight, starts, *into)
    return stack, sound
