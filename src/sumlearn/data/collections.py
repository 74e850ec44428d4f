"""Dask arrays and data frames: rows that live in blocks on a cluster.

A part is a promise (`dask.delayed`) of a block of rows; only the worker that sums it ever sees the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sparse

from .chunk import Chunk, Columns, chunk_rows
from .continuous_labels import ContinuousLabels
from .missing import is_missing
from .names import nearest
from .source import InMemory, is_frame, open_source, vector
from .stream import Picked, Picks, Stream, between
from .table import table_of
from .table_source import TableSource
from .target import Target, partly_labelled


def is_dask(X: Any) -> bool:
    """Whether X is a Dask collection; asks nothing of Dask itself, which may not be installed."""
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


class BlockPart(NamedTuple):
    """A block of rows on a worker: X, y and weights as they came, what y is, and the rows to read at a time.

    `schema` is that of mixed columns, None for numbers; `first` is the number of the block's first row, if known.
    """

    X: Any
    y: Any
    weight: Any
    target: Target
    block: int
    size: int
    schema: Any = None
    first: int | None = None
    picks: Picks = []  # rows wanted by number, counted within the block
    start: int = 0

    def name(self, i: int) -> str:
        return f"{self.start + i} of block {self.block}"

    def pieces(self) -> Iterator[BlockPart]:
        """The block in chunks of the usual size, so that its sum has the bits of a sum on one machine."""
        y = self.labels() if self.target.labels else self.y
        try:
            source = self.source(y)
        except ValueError as error:
            raise ValueError(f"block {self.block}: {error}") from None
        for start in range(0, source.rows, self.size):
            rows = slice(start, min(start + self.size, source.rows))
            y = None if source.y is None else source.y[rows]
            weight = None if source.weight is None else source.weight[rows]
            picks = between(self.picks, start, rows.stop)
            yield self._replace(X=source.read(rows), y=y, weight=weight, picks=picks, start=start)

    def source(self, y: np.ndarray | None) -> InMemory:
        """The rows of the block: numbers, or mixed columns."""
        if self.schema is None:
            return open_source(self.X, y, self.weight)
        return TableSource(table_of(self.X), self.schema, y, self.weight)

    def row_numbers(self) -> np.ndarray:
        """The numbers of the rows in the whole."""
        assert self.first is not None, "nobody has counted the rows of the blocks before"
        return np.arange(self.first + self.start, self.first + self.start + self.X.shape[0])

    def labels(self) -> np.ndarray:
        """y as labels: a bad number would show in the sums, a bad label does not."""
        y = self.y[:, 0] if self.y.ndim == 2 and self.y.shape[1] == 1 else self.y
        if self.target.partly:
            return partly_labelled(y, place=self.name)
        if y.dtype.kind == "O":
            missing = np.array([is_missing(value) for value in y], dtype=bool)
        else:
            missing = ~np.isfinite(y) if y.dtype.kind == "f" else np.zeros(len(y), dtype=bool)
        for row in np.flatnonzero(missing)[:1]:
            raise ValueError(f"Input y contains NaN or infinity: first at row {self.name(int(row))}.")
        if y.dtype.kind == "f":
            for row in np.flatnonzero(y != np.floor(y))[:1]:
                raise ContinuousLabels(
                    "Unknown label type: continuous. Labels must be whole numbers, strings or booleans; "
                    f"row {self.name(int(row))} holds {y[row].item()!r}."
                )
        return y


class DaskSource(Stream):
    """A Dask array (blocks of whole rows) or data frame, with y and weights in the same blocks.

    `target` says what y is asked for as: a word, or a `Target`. `schema` is that of mixed columns, None for numbers.
    """

    starts: np.ndarray | None = None  # numbers of the first rows of the blocks, and of all rows; after `counted`

    def __init__(self, X: Any, y: Any, weight: Any, target: Target | str | None = None, schema: Any = None) -> None:
        self.schema = schema
        wanted = Target.named(target)
        if hasattr(X, "columns"):
            X, y = frame_target(X, y)
            X, weight = frame_target(X, weight, "sample_weight")
            y = None if wanted.kind is None else y
            self.columns = schema or Columns(tuple(map(str, X.columns)), ("number",) * len(X.columns))
            self.features = len(X.columns)
            types = set(X.dtypes)
        else:
            if X.ndim != 2:
                raise ValueError(f"X must be two-dimensional, got {X.ndim} dimension(s)")
            X = whole_rows(X)
            self.features = X.shape[1]
            types = {X.dtype}
        self.narrow = types == {np.dtype(np.float32)}
        self.blocks, self.y_blocks, self.weight_blocks = blocks_together(X, y, weight)
        self.target = Target() if y is None else wanted.of(y)
        counts = [*X.chunks[0]] if hasattr(X, "chunks") else [np.nan]
        if not np.isnan(counts).any():
            self.starts = np.append(0, np.cumsum(counts, dtype=np.intp))

    def __getstate__(self) -> dict[str, Any]:
        """What workers need: not the graph."""
        here = ("y", "weight", "starts")
        return {k: v for k, v in self.__dict__.items() if k not in here and not k.endswith("blocks")}

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.float32 if self.narrow else np.float64)

    def parts(self, factor: int = 1, patterns: Sequence[np.ndarray] | None = None) -> Iterator[Any]:
        from dask import delayed

        make = delayed(BlockPart, pure=True)
        size = chunk_rows(self.features, factor)
        for number, block in enumerate(self.blocks):
            y = None if self.y_blocks is None else self.y_blocks[number]
            weight = None if self.weight_blocks is None else self.weight_blocks[number]
            first = None if self.starts is None else int(self.starts[number])
            part = make(block, vector_of(y), vector_of(weight), self.target, number, size, self.schema, first)
            if patterns is not None:
                part = delayed(BlockPart._replace)(part, picks=delayed(self.picks_of(number, patterns), traverse=False))
            yield part

    def picks_of(self, block: int, patterns: Sequence[np.ndarray]) -> Picks:
        """The rows of each pattern that lie in a block."""
        assert self.starts is not None
        return between(enumerate(patterns), int(self.starts[block]), int(self.starts[block + 1]))

    def chunks(self, factor: int = 1) -> Iterator[Chunk]:
        raise ValueError("the rows of a Dask collection stay on its cluster: they are summed there, not read here")

    def chunk(self, part: BlockPart | Picked) -> Chunk:
        return part.chunk if isinstance(part, Picked) else Chunk(part.X, part.y, part.weight, self.columns)

    def counted(self) -> Self:
        """The same, with the numbers of the rows known: blocks of a data frame are counted by their workers."""
        from dask import compute, delayed

        if self.starts is None:
            lengths = compute(*[delayed(block_rows, pure=True)(block) for block in self.blocks])
            self.starts = np.append(0, np.cumsum(lengths, dtype=np.intp))
        return self

    def number(self) -> Self:
        """Targets and weights come to the caller, and the length of every block; the rows of X stay."""
        from dask import compute, delayed

        lengths, targets, weights = compute(
            [delayed(block_rows, pure=True)(block) for block in self.blocks],
            [vector_of(block) for block in self.y_blocks or []],
            [vector_of(block) for block in self.weight_blocks or []],
        )
        if self.target.labels:  # a splitter would not say where a bad label stands
            targets = [BlockPart(None, y, None, self.target, block, 0).labels() for block, y in enumerate(targets)]
        self.starts = np.append(0, np.cumsum(lengths, dtype=np.intp))
        self.rows = int(self.starts[-1])
        self.y = np.concatenate(targets) if targets else None
        self.weight = np.concatenate(weights) if weights else None
        for name, values in (("y", self.y), ("sample_weight", self.weight)):
            if values is not None and len(values) != self.rows:
                raise ValueError(f"X has {self.rows} rows, {name} has {len(values)}")
        return self

    def gather(self, patterns: Sequence[np.ndarray]) -> list[InMemory]:
        """Those rows leave the cluster."""
        from dask import compute, delayed

        take = delayed(rows_of_block, pure=True)
        wanted: list[list[Any]] = [[] for _ in patterns]
        for number, block in enumerate(self.blocks):
            for pattern, rows in self.picks_of(number, patterns):
                wanted[pattern].append(take(block, rows))
        sources = []
        for rows, pieces in zip(patterns, compute(*wanted), strict=True):
            y = None if self.y is None else self.y[rows]
            weight = None if self.weight is None else self.weight[rows]
            source = BlockPart(stacked(pieces), None, weight, self.target, 0, 0, self.schema).source(y)
            sources.append(source.known_as(self.target))
        return sources


def frame_target(X: Any, y: Any, argument: str = "y") -> tuple[Any, Any]:
    """X without the column that y, or another argument, names, and that column."""
    if not isinstance(y, str):
        return X, y
    if y not in X.columns:
        place = "in X" if argument == "y" else f"for {argument}"
        raise ValueError(f"no column {y!r} {place}{nearest(y, list(X.columns))}")
    return X.drop(columns=[y]), X[y]


def block_rows(block: Any) -> int:
    return int(block.shape[0])


def rows_of_block(block: Any, rows: np.ndarray) -> Any:
    """On a worker: some rows of a block, as they came."""
    return table_of(block).take(rows).native() if is_frame(block) else open_source(block).native(rows)


def stacked(pieces: list[Any]) -> Any:
    """Rows of several blocks, one below the other."""
    import narwhals.stable.v2 as nw

    if is_frame(pieces[0]):
        return nw.concat([nw.from_native(piece, eager_only=True) for piece in pieces]).to_native()
    return sparse.vstack(pieces, "csr") if sparse.issparse(pieces[0]) else np.concatenate(pieces)


def blocks_of(X: Any) -> list[Any]:
    return list(np.ravel(X.to_delayed()))


def vector_of(block: Any) -> Any:
    """y or weights of a block as an array, on the worker."""
    if block is None:
        return None
    from dask import delayed

    return delayed(vector, pure=True)(block)


def blocks_together(X: Any, y: Any, weight: Any) -> tuple[list[Any], list[Any] | None, list[Any] | None]:
    """The blocks of X, y and weights, which hold the same rows.

    Those of data frames are asked for in one go: Dask cuts a file otherwise for every choice of its columns.
    """
    given = [values for values in (y, weight) if values is not None]
    alike = all(hasattr(v, "divisions") and v.npartitions == X.npartitions for v in (X, *given))
    if not given or not alike:
        return blocks_of(X), aligned(y, "y", X), aligned(weight, "sample_weight", X)
    from dask.dataframe import map_partitions

    options: dict[str, Any] = {"meta": (None, object), "enforce_metadata": False, "align_dataframes": False}
    blocks = blocks_of(map_partitions(as_tuple, X, *given, **options))
    first, *others = ([block[k] for block in blocks] for k in range(1 + len(given)))
    return first, None if y is None else others[0], None if weight is None else others[-1]


def as_tuple(*blocks: Any) -> tuple[Any, ...]:
    return blocks


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
        raise ValueError(
            f"X has {len(blocks)} blocks of rows and {name} has {len(found)}: they must be cut alike, as columns of "
            "one data frame are"
        )
    if hasattr(X, "chunks") and hasattr(values, "chunks"):
        for block, (rows, other) in enumerate(zip(X.chunks[0], values.chunks[0], strict=True)):
            if rows == rows and other == other and rows != other:  # NaN where it is not known
                raise ValueError(f"block {block} has {rows} rows in X and {other} in {name}: they must be cut alike")
    return found
