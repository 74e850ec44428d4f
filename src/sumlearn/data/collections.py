"""Dask arrays and data frames: rows that live in blocks on a cluster.

A part is a promise (`dask.delayed`) of a block of rows; only the worker that sums it ever sees the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .chunk import Chunk, Columns, chunk_rows
from .names import nearest
from .source import Source, open_source, vector


def is_dask(X: Any) -> bool:
    """Whether X is a Dask collection; asks nothing of Dask itself, which may not be installed."""
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


class BlockPart(NamedTuple):
    """A block of rows on a worker: X, y and weights as they came, what y is, and the rows to read at a time."""

    X: Any
    y: Any
    weight: Any
    kind: str | None
    block: int
    size: int
    start: int = 0

    def name(self, i: int) -> str:
        return f"{self.start + i} of block {self.block}"

    def pieces(self) -> Iterator[BlockPart]:
        """The block in chunks of the usual size, so that its sum has the bits of a sum on one machine."""
        y = self.labels() if self.kind == "label" else self.y
        try:
            source = open_source(self.X, y, self.weight)
        except ValueError as error:
            raise ValueError(f"block {self.block}: {error}") from None
        for start in range(0, source.rows, self.size):
            rows = slice(start, min(start + self.size, source.rows))
            y = None if source.y is None else source.y[rows]
            weight = None if source.weight is None else source.weight[rows]
            yield self._replace(X=source.read(rows), y=y, weight=weight, start=start)

    def labels(self) -> np.ndarray:
        """y as labels: a bad number would show in the sums, a bad label does not."""
        y = self.y[:, 0] if self.y.ndim == 2 and self.y.shape[1] == 1 else self.y
        if y.dtype.kind == "O":
            missing = np.array([value is None or value != value for value in y], dtype=bool)
        else:
            missing = ~np.isfinite(y) if y.dtype.kind == "f" else np.zeros(len(y), dtype=bool)
        for row in np.flatnonzero(missing)[:1]:
            raise ValueError(f"Input y contains NaN or infinity: first at row {self.name(int(row))}.")
        if y.dtype.kind == "f":
            for row in np.flatnonzero(y != np.floor(y))[:1]:
                raise ValueError(
                    "Unknown label type: continuous. Labels must be whole numbers, strings or booleans; "
                    f"row {self.name(int(row))} holds {y[row].item()!r}."
                )
        return y


class DaskSource(Source):
    """A Dask array (blocks of whole rows) or data frame, with y and weights in the same blocks.

    `kind` says whether y is a "number" or a "label".
    """

    def __init__(self, X: Any, y: Any, weight: Any, kind: str | None = None) -> None:
        self.kind = None if y is None else kind
        if hasattr(X, "columns"):
            X, y = frame_target(X, y)
            y = None if kind is None else y
            self.columns = Columns(tuple(map(str, X.columns)), ("number",) * len(X.columns))
            self.features = len(X.columns)
            types = set(X.dtypes)
        else:
            if X.ndim != 2:
                raise ValueError(f"X must be two-dimensional, got {X.ndim} dimension(s)")
            X = whole_rows(X)
            self.features = X.shape[1]
            types = {X.dtype}
        self.narrow = types == {np.dtype(np.float32)}
        self.blocks = blocks_of(X)
        self.y_blocks = aligned(y, "y", X)
        self.weight_blocks = aligned(weight, "sample_weight", X)
        self.single_target = getattr(y, "ndim", 1) == 1
        self.targets = 1 if self.single_target else y.shape[1]

    def __getstate__(self) -> dict[str, Any]:
        """What workers need: not the graph."""
        return {k: v for k, v in self.__dict__.items() if not k.endswith("blocks")}

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.float32 if self.narrow else np.float64)

    def parts(self, factor: int = 1) -> Iterator[Any]:
        from dask import delayed

        make = delayed(BlockPart, pure=True)
        size = chunk_rows(self.features, factor)
        for number, block in enumerate(self.blocks):
            y = None if self.y_blocks is None else self.y_blocks[number]
            weight = None if self.weight_blocks is None else self.weight_blocks[number]
            yield make(block, vector_of(y), vector_of(weight), self.kind, number, size)

    def chunks(self, factor: int = 1) -> Iterator[Chunk]:
        raise ValueError("the rows of a Dask collection stay on its cluster: they are summed there, not read here")

    def chunk(self, part: BlockPart) -> Chunk:
        return Chunk(part.X, part.y, part.weight, self.columns)


def frame_target(X: Any, y: Any) -> tuple[Any, Any]:
    if not isinstance(y, str):
        return X, y
    if y not in X.columns:
        raise ValueError(f"no column {y!r} in X{nearest(y, list(X.columns))}")
    return X.drop(columns=[y]), X[y]


def blocks_of(X: Any) -> list[Any]:
    return list(np.ravel(X.to_delayed()))


def vector_of(block: Any) -> Any:
    """y or weights of a block as an array, on the worker."""
    if block is None:
        return None
    from dask import delayed

    return delayed(vector, pure=True)(block)


def whole_rows(values: Any) -> Any:
    """A Dask array whose blocks hold all columns; anything else as it is."""
    cut = getattr(values, "ndim", 1) == 2 and hasattr(values, "chunks") and len(values.chunks[1]) > 1
    return values.rechunk({1: -1}) if cut else values


def aligned(values: Any, name: str, X: Any) -> list[Any] | None:
    """The blocks of y or weights, which must lie as those of X do; rows that Dask has not counted are seen later."""
    if values is None:
        return None
    if not is_dask(values):
        raise TypeError(f"X is a Dask collection, so {name} must be one too, got {type(values).__name__}")
    blocks, found = blocks_of(X), blocks_of(whole_rows(values))
    if len(found) != len(blocks):
        raise ValueError(f"X has {len(blocks)} blocks of rows and {name} has {len(found)}: they must be cut alike")
    if hasattr(X, "chunks") and hasattr(values, "chunks"):
        for block, (rows, other) in enumerate(zip(X.chunks[0], values.chunks[0], strict=True)):
            if rows == rows and other == other and rows != other:  # NaN where it is not known
                raise ValueError(f"block {block} has {rows} rows in X and {other} in {name}: they must be cut alike")
    return found
