"""Coded columns: rows of mixed columns as one array of numbers, levels as codes, gaps as NaN."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sparse

from ..statistics import RowError
from ..statistics.warnings import UnseenLevelsWarning, warn
from .chunk import Columns
from .levels import Levels
from .mixed import MixedRows
from .schema import LEVELS, Column, Schema
from .table import ColumnTable

SHOWN = 5  # levels that a sentence names


@dataclass(frozen=True)
class CodedColumns:
    """What the columns are, for learners that read categories as categories and gaps as gaps (`reads = "mixed"`).

    Numbers, truth values and dates are themselves, an ordered category is its rank, any other category is the place of
    its level in `levels`. A gap is NaN, and so is a level that was not there at the fit. `sizes` tells the columns
    apart: the number of levels of a category without an order, zero of everything that may be split by a threshold.

    `schema` says how the columns of a table are read; without one, rows are arrays that are numbers or coded already.

    >>> import pandas as pd
    >>> from sumlearn.data import open_mixed
    >>> frame = pd.DataFrame({"size": [1.0, None], "city": ["Rome", "Oslo"]})
    >>> source = open_mixed(frame)
    >>> columns = CodedColumns.of(source.columns, {"city": ["Oslo", "Rome"]})
    >>> columns.rows(source.read(slice(0, 2))).tolist(), columns.sizes.tolist()
    ([[1.0, 1.0], [nan, 0.0]], [0, 2])
    """

    names: tuple[str, ...] | None  # None where the columns of arrays have none
    levels: tuple[tuple[str, ...] | None, ...]  # of every column; None of one that has none
    ordered: tuple[bool, ...]
    schema: Schema | None = None

    gaps = True  # for sources: NaN stands for a gap

    @classmethod
    def of(cls, schema: Schema, levels: Mapping[str, Iterable[str]]) -> CodedColumns:
        """The columns of a schema that are used, with the levels that were met."""
        used = schema.used
        return cls(
            tuple(column.name for column in used),
            tuple(
                column.order if column.kind == "ordered" else in_order(levels.get(column.name, ()), column.kind)
                for column in used
            ),
            tuple(column.kind == "ordered" for column in used),
            schema,
        )

    @classmethod
    def bare(cls, features: int, names: Iterable[str] | None = None) -> CodedColumns:
        """Columns of numbers."""
        return cls(None if names is None else tuple(names), (None,) * features, (False,) * features)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Numbers of levels of the categories without an order; zero of all other columns."""
        pairs = zip(self.levels, self.ordered, strict=True)
        return np.array([0 if own is None or ordered else len(own) for own, ordered in pairs], dtype=np.int64)

    @property
    def coded(self) -> CodedColumns:
        """The same columns, of rows that come coded."""
        return self if self.schema is None else replace(self, schema=None)

    @property
    def columns(self) -> Any:
        """Names and kinds by which errors name a column: those of the table, as it came."""
        if self.names is None or self.schema is not None:
            return self.schema
        return Columns(self.names, tuple("number" if own is None else "category" for own in self.levels))

    def size(self, features: int) -> int:
        """Columns of coded rows."""
        return len(self.levels)

    def restrict(self, index: Any) -> CodedColumns:
        """Some of the columns."""
        places = [int(j) for j in np.atleast_1d(index)]
        names = None if self.names is None else tuple(self.names[j] for j in places)
        schema = self.schema
        if schema is not None and names is not None:
            gone = {column.name: "asked for" for column in schema.used if column.name not in names}
            schema = schema.without(gone)
        picked = tuple(self.levels[j] for j in places), tuple(self.ordered[j] for j in places)
        return CodedColumns(names, *picked, schema)

    def rows(self, X: Any, dtype: Any = np.float64, weight: np.ndarray | None = None) -> np.ndarray:
        """Rows as numbers; infinity is refused by row and column, but for rows of weight zero."""
        coded = self.of_table(X, weight) if isinstance(X, MixedRows) else dense(X, dtype)
        with np.errstate(invalid="ignore", over="ignore"):
            if np.isfinite(coded.sum()):
                return coded
        infinite = np.isinf(coded) if weight is None else np.isinf(coded) & (weight != 0)[:, None]
        for row, j in np.argwhere(infinite)[:1].tolist():
            column = j if self.schema is None or self.names is None else self.schema.places[self.names[j]]
            raise RowError("X", row, column, float(coded[row, j]))
        return np.where(np.isinf(coded), np.nan, coded).astype(coded.dtype, copy=False)

    def of_table(self, rows: MixedRows, weight: np.ndarray | None = None) -> np.ndarray:
        assert self.schema is not None and self.names is not None
        rows, out = rows.read_as(self.schema), np.empty((len(self.names), len(rows)))
        for j in range(len(self.names)):
            out[j] = self.values(rows, j, weight)
        return out.T

    def values(self, rows: MixedRows, j: int, weight: np.ndarray | None = None) -> np.ndarray:
        """One of the columns of a table; infinity is not looked for."""
        assert self.schema is not None and self.names is not None
        name = self.names[j]
        if self.schema[name].kind in LEVELS:
            return codes_among(rows.levels(name), self.levels[j] or (), name, weight)
        return np.full(len(rows), np.nan) if self.schema[name].kind == "empty" else rows.numbers(name)

    def checked(self, X: Any) -> np.ndarray:
        """Rows that come coded as float64, refused where they are of other columns or have codes of no level."""
        X = dense(X, np.float64)
        if X.ndim != 2 or X.shape[1] != len(self.levels):
            raise ValueError(f"rows were said to come coded, as {len(self.levels)} columns of numbers")
        for j, levels in enumerate(self.levels):
            strange = False if levels is None else (X[:, j] < 0) | (X[:, j] >= len(levels))
            for row in np.flatnonzero(strange)[:1]:
                raise ValueError(f"column {j} holds {X[row, j]:g} in row {row}, the code of no level")
        return X

    def table(self, X: Any) -> tuple[ColumnTable, Schema]:
        """Rows that come coded as the table that they were: columns of numbers and of levels, with its schema."""
        X = self.checked(X)
        known = {} if self.schema is None else self.schema.by_name
        names = self.names or tuple(f"x{j}" for j in range(len(self.levels)))
        columns, values = list[Column](), dict[str, Any]()
        for j, (name, levels) in enumerate(zip(names, self.levels, strict=True)):
            kind = "number" if levels is None else "category"
            columns.append(known.get(name, Column(name, kind)))
            codes = X[:, j] if levels is None else np.where(np.isnan(X[:, j]), -1.0, X[:, j]).astype(np.intp)
            values[name] = codes if levels is None else Levels(levels, codes)
        most = {} if self.schema is None else {"max_levels": self.schema.max_levels}
        return ColumnTable(values, len(X)), Schema(tuple(columns), **most)


class UnseenLevel(RowError):
    """A level that was not there at the fit, where such are refused."""

    def __init__(self, row: int, column: int, level: str) -> None:
        shown = repr(level).replace("{", "{{").replace("}", "}}")
        self.text = f"column {{column!r}} has the level {shown}, never seen before, in row {{row}}"
        super().__init__("X", row, column, np.nan)


def refuse_unseen(columns: CodedColumns, rows: MixedRows) -> None:
    """Refuse levels of a table that the columns do not have."""
    assert columns.schema is not None
    for name, known in zip(columns.names or (), columns.levels, strict=True):
        own = Levels((), np.zeros(0, np.intp)) if known is None else rows.read_as(columns.schema).levels(name)
        for number, level in enumerate(own.names):
            if level not in known and (own.codes == number).any():  # type: ignore[operator]
                raise UnseenLevel(int(np.argmax(own.codes == number)), columns.schema.places[name], level)


def dense(X: Any, dtype: Any) -> np.ndarray:
    return np.ascontiguousarray(X.toarray() if sparse.issparse(X) else X, dtype=dtype)


def in_order(levels: Iterable[str], kind: str) -> tuple[str, ...] | None:
    """Levels as they are coded: numbered ones by their number, others by their spelling; None of a column of numbers.

    >>> in_order(["10", "9"], "numbered"), in_order(["10", "9"], "category")
    (('9', '10'), ('10', '9'))
    """
    if kind not in LEVELS:
        return None
    return tuple(sorted(levels, key=by_number) if kind == "numbered" else sorted(levels))


def by_number(level: str) -> tuple[float, str]:
    try:
        return float(level), level
    except ValueError:  # True and False
        return np.inf, level


def codes_among(own: Levels, known: tuple[str, ...], name: str, weight: np.ndarray | None = None) -> np.ndarray:
    """Places of the levels of rows among those of the fit, NaN for a gap; levels that are new are counted aloud."""
    place = {level: float(number) for number, level in enumerate(known)}
    values = np.array([*(place.get(level, np.nan) for level in own.names), np.nan])[own.codes]
    unseen = [number for number, level in enumerate(own.names) if level not in place]
    if unseen:
        codes = own.codes if weight is None else own.codes[weight != 0]
        counts = Counter({own.names[number]: int((codes == number).sum()) for number in unseen})
        if counts.total():
            warn(unseen_sentence(name, counts, "they count as gaps"), UnseenLevelsWarning)
    return values


def unseen_sentence(name: str, counts: Counter[str], what: str) -> str:
    """What to say of levels of a column that a model has never met."""
    rows = f"{counts.total()} row{'s' if counts.total() > 1 else ''}"
    shown = ", ".join(repr(level) for level, _ in counts.most_common(SHOWN))
    more = ", ..." if len(counts) > SHOWN else ""
    return f"column {name!r} has levels never seen in {rows}, {what}: {shown}{more}"
