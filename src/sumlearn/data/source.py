"""Where chunks come from: one face for arrays, sparse matrices and data frames.

A source knows its rows and columns and yields chunks; nothing behind it knows where rows come from.
"""

from __future__ import annotations

import datetime
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sparse

from ..statistics.row_checks import unmasked
from .chunk import Chunk, Columns, Rows, chunk_rows
from .levels import order_of
from .names import first_repeated, nearest
from .target import Target

MOMENTS = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
NO_NUMBERS = (str, bytes, complex, np.complexfloating, *MOMENTS)


class Source(ABC):
    """Rows that can be read in parts, once or more often.

    `parts` says what there is to read, cheaply; `chunk` reads one part, and is called by whoever sums it, so that
    workers read in parallel. A part knows the names of its rows (`name(i)`), for errors.
    """

    rows: int | None = None  # None where only a full read would tell
    features: int
    columns: Columns | None = None
    target = Target()  # what is known of y
    gaps = False  # whether NaN stands for a gap

    @property
    def single_target(self) -> bool:
        """Whether y is one column, given as a vector."""
        return self.target.single

    @property
    def targets(self) -> int:
        """Columns of y."""
        return self.target.columns

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """float32 where the numbers are, else float64."""

    @abstractmethod
    def parts(self, factor: int = 1) -> Iterator[Any]:
        """All rows, in portions of `factor` times the usual size."""

    @abstractmethod
    def chunk(self, part: Any) -> Chunk:
        """Read one part."""

    def expected_parts(self, factor: int = 1) -> int | None:
        """About how many parts there will be; None where nobody knows."""
        return None if self.rows is None else -(-self.rows // chunk_rows(self.features, factor))

    def chunks(self, factor: int = 1) -> Iterator[Chunk]:
        return map(self.chunk, self.parts(factor))


class InMemory(Source):
    """Rows that can be read by number: arrays, sparse matrices, data frames."""

    rows: int

    def __init__(self, y: np.ndarray | None, weight: np.ndarray | None) -> None:
        self.y, self.weight, self.target = y, weight, Target().of(y)
        for name, array in (("y", y), ("sample_weight", weight)):
            if array is not None and len(array) != self.rows:
                shape = "" if name == "y" else f" ({name}.shape == {array.shape}, expected ({self.rows},))"
                raise ValueError(
                    f"Found input variables with inconsistent numbers of samples: X has {self.rows} rows, "
                    f"{name} has {len(array)}{shape}"
                )

    @abstractmethod
    def read(self, rows: slice | np.ndarray) -> Any:
        """Those rows of X as an array or a sparse matrix."""

    def native(self, rows: np.ndarray) -> Any:
        """Those rows of X as they came in, for an estimator that checks names."""
        return self.read(rows)

    def known_as(self, target: Target) -> Self:
        """The same source, which knows what its y was before it became an array."""
        self.target = target.of(self.y)
        return self

    def chunk(self, part: Rows) -> Chunk:
        y = None if self.y is None else self.y[part.numbers]
        weight = None if self.weight is None else self.weight[part.numbers]
        return Chunk(self.read(part.numbers), y, weight, self.columns)

    def parts(self, factor: int = 1) -> Iterator[Rows]:
        size = chunk_rows(self.features, factor)
        for start in range(0, self.rows, size):
            yield Rows(slice(start, min(start + size, self.rows)))

    def parts_of(self, index: np.ndarray, factor: int = 1) -> Iterator[Rows]:
        """The rows of an index, in its order; contiguous ones as a slice."""
        size = chunk_rows(self.features, factor)
        for start in range(0, len(index), size):
            part = index[start : start + size]
            first, last = int(part[0]), int(part[-1])
            contiguous = last - first == len(part) - 1 and (np.diff(part) == 1).all()
            yield Rows(slice(first, last + 1) if contiguous else part)


class ArraySource(InMemory):
    """A NumPy array of any order, also a read-only memory map; object arrays must hold numbers."""

    def __init__(self, X: np.ndarray, y: np.ndarray | None, weight: np.ndarray | None) -> None:
        self.X, self.rows, self.features = X, X.shape[0], X.shape[1]
        super().__init__(y, weight)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.float32 if self.X.dtype == np.float32 else np.float64)

    def read(self, rows: slice | np.ndarray) -> np.ndarray:
        part = self.X[rows]
        return numbers(part, rows) if part.dtype == object else part


class SparseSource(InMemory):
    """A SciPy sparse matrix or array, read by rows."""

    def __init__(self, X: Any, y: np.ndarray | None, weight: np.ndarray | None) -> None:
        X = X.tocsr()
        if not X.has_canonical_format:  # a cell in several pieces: its square is none of the sum of theirs
            X = X.copy()
            X.sum_duplicates()
        self.X, self.rows, self.features = X, X.shape[0], X.shape[1]
        super().__init__(y, weight)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.float32 if self.X.dtype == np.float32 else np.float64)

    def read(self, rows: slice | np.ndarray) -> Any:
        if not isinstance(rows, slice) or rows.step not in (None, 1):
            return self.X[rows]
        start, stop, _ = rows.indices(self.rows)
        if start == 0 and stop == self.rows:
            return self.X
        first, last = self.X.indptr[start], self.X.indptr[max(stop, start)]  # neighbours without a copy
        parts = self.X.data[first:last], self.X.indices[first:last], self.X.indptr[start : max(stop, start) + 1] - first
        part = type(self.X)(parts, shape=(max(stop - start, 0), self.features), copy=False)
        part.has_canonical_format = True  # as all of them have: nobody needs to look
        return part


class FrameSource(InMemory):
    """A pandas, polars or pyarrow table, through narwhals; converted chunk by chunk, never as a whole."""

    def __init__(self, frame: nw.DataFrame[Any], y: np.ndarray | None, weight: np.ndarray | None) -> None:
        self.frame, (self.rows, self.features) = frame, frame.shape
        kinds = tuple(kind_of(t) if t != nw.Unknown else plain_kind(frame, c) for c, t in frame.schema.items())
        self.columns = Columns(tuple(str(c) for c in frame.columns), kinds)
        for name, kind in zip(*self.columns, strict=True):
            if kind == "complex":
                raise ValueError(complex_column(name))
            if kind not in ("number", "boolean", "object", "sparse"):
                raise ValueError(
                    f"could not convert string to float: column {name!r} holds {kind} values, not numbers; "
                    "encode it or leave it out"
                )
        super().__init__(y, weight)

    @property
    def dtype(self) -> np.dtype[Any]:
        types = list(self.frame.schema.values())
        return np.dtype(np.float32 if types and all(t == nw.Float32 for t in types) else np.float64)

    def native(self, rows: np.ndarray) -> Any:
        return self.frame[rows].to_native()

    def read(self, rows: slice | np.ndarray) -> np.ndarray:
        part = self.frame[rows.start : rows.stop] if isinstance(rows, slice) else self.frame[rows]
        out = np.empty((self.features, len(part)), dtype=self.dtype).T  # column by column, as the table lies
        for j, name in enumerate(part.columns):
            column = part.get_column(name)
            if self.columns.kinds[j] not in ("object", "sparse") and column.null_count():  # type: ignore[union-attr]
                column = column.cast(nw.Float64)
            values = column.to_numpy()
            out[:, j] = numbers(values, rows, name) if values.dtype == object else values
        return out


def kind_of(dtype: Any) -> str:
    if dtype.is_numeric():
        return "number"
    if dtype == nw.Boolean:
        return "boolean"
    if dtype == nw.Object:
        return "object"
    if isinstance(dtype, nw.Categorical | nw.Enum):
        return "category"
    if dtype.is_temporal():
        return "date"
    return "text"


def plain_kind(frame: nw.DataFrame[Any], name: str) -> str:
    """The kind of a column whose type narwhals has no word for: sparse columns and complex numbers of pandas."""
    kind = frame[:0].get_column(name).to_numpy().dtype.kind
    return "sparse" if kind in "fiub" else "complex" if kind == "c" else "text"


def complex_column(name: str) -> str:
    return f"Complex data not supported: column {name!r}; give its real and its imaginary part as columns of their own"


def frame_of(X: Any) -> nw.DataFrame[Any]:
    """A data frame of any library; a name that stands twice is refused, since columns are found by name."""
    repeated = first_repeated(map(str, X.column_names if hasattr(X, "column_names") else X.columns))
    if repeated is not None:
        raise ValueError(f"column {repeated!r} stands more than once in X: rename or drop one of them")
    return nw.from_native(X, eager_only=True)


def is_frame(X: Any) -> bool:
    """Whether X is a table of some data-frame library; arrays are told apart first, since that is quick."""
    if isinstance(X, np.ndarray | list | tuple) or sparse.issparse(X):
        return False
    return nw.dependencies.is_into_dataframe(X)


def numbers(values: np.ndarray, rows: slice | np.ndarray | None = None, column: Any = None) -> np.ndarray:
    """An object array as float64; strings are refused even where they look like numbers.

    `rows` are the numbers of the rows in the whole and `column` is the name of the only column, for errors.
    """
    for place, value in enumerate(values.flat):
        if isinstance(value, NO_NUMBERS):
            row, found = divmod(place, values.shape[1]) if values.ndim == 2 else (place, column)
            row = row if rows is None else Rows(rows).name(row)
            where = f"first at row {row}" + ("" if found is None else f", column {found!r}")
            if isinstance(value, str | bytes):
                raise ValueError(f"could not convert string to float: {value!r} is text, not a number, {where}")
            if isinstance(value, complex | np.complexfloating):
                raise ValueError(f"Complex data not supported: {value!r}, {where}")
            raise ValueError(f"{value!r} is a moment, not a number, {where}: count its days, or use TableModel")
    return values.astype(np.float64)


def vector(values: Any, name: str = "y") -> np.ndarray:
    """y or weights as an array: a list, a series of any library, or an array."""
    if isinstance(values, np.ndarray):
        return unmasked(values, name)
    if nw.dependencies.is_into_series(values) or is_frame(values):
        values = frame_of(values) if is_frame(values) else nw.from_native(values, series_only=True)
        if isinstance(values, nw.Series) and values.dtype in (nw.Categorical, nw.Enum) and values.null_count():
            return np.array(values.to_list(), dtype=object)  # Arrow would give a null the last category
        values = values.to_numpy()
    if sparse.issparse(values):
        raise TypeError(f"Sparse data was passed for {name}, but dense data is required: use {name}.toarray()")
    return np.asarray(values)


def split_target(X: Any, y: Any, argument: str = "y") -> tuple[Any, Any]:
    """The table without its target column, and that column, when y (or another argument) is the name of one."""
    if not isinstance(y, str):
        return X, y
    if not is_frame(X):
        raise ValueError(f"{argument} = {y!r} names a column, so X must be a data frame, got {type(X).__name__}")
    frame = frame_of(X)
    if y not in frame.columns:
        raise ValueError(f"no column {y!r} in X{nearest(y, frame.columns)}")
    return frame.drop(y).to_native(), vector(frame.get_column(y).to_native())


def order_of_target(X: Any, y: Any) -> tuple[Any, ...] | None:
    """The order of labels that y declares, or the column of X that it names; see `levels.order_of`."""
    if isinstance(y, str) and is_frame(X):
        frame = frame_of(X)
        return order_of(frame.get_column(y)) if y in frame.columns else None
    return order_of(y)


def open_source(X: Any, y: np.ndarray | None = None, weight: np.ndarray | None = None) -> InMemory:
    """The source for X; `y` and `weight` are arrays of as many rows."""
    if is_frame(X):
        return FrameSource(frame_of(X), y, weight)
    if sparse.issparse(X):
        return SparseSource(X, y, weight)
    return ArraySource(X, y, weight)
