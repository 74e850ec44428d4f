"""A stream cut into stretches: of arrays, tables and files, rows in their order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from ...data.collections import is_dask
from ...data.file_rows import column_array
from ...data.files import FileSource, is_path
from ...data.source import frame_of, is_frame, split_target, vector
from ...data.target import Target
from .timed_rows import parts_with_time

OF_FILES = 1000  # rows of a stretch, where nobody knows how many there are


@dataclass(frozen=True, eq=False)
class StreamBlock:
    """Rows that follow one another, as they came in."""

    X: Any
    y: np.ndarray
    weight: np.ndarray | None
    times: Any

    def __len__(self) -> int:
        return len(self.y)

    def take(self, rows: slice) -> StreamBlock:
        return StreamBlock(some(self.X, rows), self.y[rows], some(self.weight, rows), some(self.times, rows))


def some(values: Any, rows: slice) -> Any:
    """Some rows of an array, a list, a table or a series; of nothing nothing."""
    if values is None:
        return None
    if is_frame(values):
        return frame_of(values)[rows.start : rows.stop].to_native()
    return values.iloc[rows] if hasattr(values, "iloc") else values[rows]


def stream_blocks(
    model: Any, X: Any, y: Any, weight: Any, times: Any, every: int | None, count: int
) -> Iterator[StreamBlock]:
    """The rows in stretches of `every`, or in about `count`."""
    if is_path(X):
        yield from of_files(model, X, y, weight, times, OF_FILES if every is None else every)
        return
    if is_dask(X):
        raise ValueError("a Dask collection is not read in the order of its rows: hand over its parts one by one")
    X, y = split_target(X, y)
    X, weight = split_target(X, weight, "sample_weight")
    y = vector(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError(f"y must be one target for each row, got shape {y.shape}")
    if not is_frame(X) and not (hasattr(X, "shape") and hasattr(X, "dtype")):
        X = np.asarray(X)
    if hasattr(X, "tocsr"):
        X = X.tocsr()
    rows = X.shape[0]
    weight = None if weight is None else np.broadcast_to(np.asarray(vector(weight), dtype=float), (rows,))
    for name, values in (("y", y), ("times", times)):
        if values is not None and len(values) != rows:
            raise ValueError(f"X has {rows} rows, and {name} has {len(values)}")
    whole = StreamBlock(X, y, weight, times)
    step = max(rows // count, 1) if every is None else every
    for start in range(0, rows, step):
        yield whole.take(slice(start, min(start + step, rows)))


def of_files(model: Any, X: Any, y: Any, weight: Any, times: Any, every: int) -> Iterator[StreamBlock]:
    """The rows of files, which are read once and never as a whole."""
    if times is not None:
        raise ValueError("X names files, so the times are one of their columns: name it in the model")
    if not isinstance(y, str):
        raise ValueError("X names files, so y must name a column")
    time = getattr(model, "time", None)
    target = Target.named("label" if is_classifier(model) else "number")
    known = getattr(model, "feature_names_in_", None)
    names = None if known is None else [str(name) for name in known]
    files = FileSource(X, y, target, weight, names, () if time is None else (time,))
    held: list[StreamBlock] = []
    parts = files.parts() if time is None else parts_with_time(files, time)
    for part in parts:
        table = part.table
        labels = column_array(table.column(y), files.target, part)
        weights = (
            None if weight is None else column_array(table.column(weight), Target("number"), part, "sample_weight")
        )
        rows = StreamBlock(
            table.drop_columns([name for name in (y, weight) if name is not None]), labels, weights, None
        )
        start = 0
        while start < len(rows):
            stop = min(start + every - sum(map(len, held)), len(rows))
            held.append(rows.take(slice(start, stop)))
            start = stop
            if sum(map(len, held)) == every:
                yield together(held)
                held = []
    if held:
        yield together(held)


def together(blocks: list[StreamBlock]) -> StreamBlock:
    import pyarrow as pa

    if len(blocks) == 1:
        return blocks[0]
    weight = None if blocks[0].weight is None else np.concatenate([block.weight for block in blocks])
    return StreamBlock(pa.concat_tables([b.X for b in blocks]), np.concatenate([b.y for b in blocks]), weight, None)
