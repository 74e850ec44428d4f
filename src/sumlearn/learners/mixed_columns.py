"""Mixed columns for learners: what is opened for them, how levels become codes, and rows to predict for.

A learner with ``reads = "mixed"`` takes arrays with gaps, tables with words and categories, files and Dask frames. It
sees coded rows (`data.coded_columns`), whatever came in, and finds in `columns_` which of them are categories.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from ..data import Chunk, InMemory, Source
from ..data.coded_columns import CodedColumns
from ..data.collections import DaskSource
from ..data.column_kinds import schema_by_kind
from ..data.files import FileSource, is_path
from ..data.mapped import mapped
from ..data.mixed import MixedRows
from ..data.mixed_sources import mixed_blocks, mixed_files, table_of_numbers
from ..data.names import nearest
from ..data.schema import LEVELS, Schema
from ..data.schema_matching import check_readers, matched
from ..data.schema_matching import opened as table_opened
from ..data.source import is_frame, open_source
from ..data.table import table_of
from ..data.table_source import TableSource
from ..data.target import Target
from ..engines import total
from ..statistics import RowError
from ..statistics.statistic import Counted

FROM_DTYPE = "from_dtype"


# -- opening -----------------------------------------------------------------------------------------------------------


def open_rows(learner: Any, X: Any, y: Any, weight: Any, *, reset: bool) -> InMemory:
    """Rows in memory that are checked already: a table by its schema, or an array of numbers with gaps."""
    known = None if reset else learner.columns_
    if known is not None and known.schema is not None:
        levels = level_names(known)
        table = matched(table_of_numbers(table_opened(X)), known.schema, (), type(learner).__name__, levels)
        return TableSource(table, known.schema, y, weight)
    if known is None and (is_frame(X) or declares(learner)):
        table = table_of_numbers(table_of(X))
        schema = schema_by_kind(table, declared(learner, table.names))
        return TableSource(table, checked_kinds(learner, schema), y, weight)
    return open_source(X, y, weight)


def open_files(learner: Any, X: Any, y: Any, weight: Any, *, reset: bool, left_out: Sequence[str] = ()) -> FileSource:
    """Files whose columns are read as the schema of the fit says, or as their first rows do."""
    known = None if reset else learner.columns_.schema
    if not reset and known is None:
        raise ValueError("the model was fitted without column names, so it cannot be matched with the columns of files")
    kinds = {} if known is not None or not declares(learner) else named_kinds(learner)
    source = mixed_files(X, y, weight, Target.named(learner.target), known or kinds, left_out)
    if known is not None:
        check_readers(source.readers, known, level_names(learner.columns_))
    else:
        checked_kinds(learner, source.columns)  # type: ignore[arg-type]
    return source


def open_blocks(learner: Any, X: Any, y: Any, weight: Any, *, reset: bool) -> DaskSource:
    """A Dask frame by its schema; an array as it is."""
    target = Target.named(learner.target)
    known = None if reset else learner.columns_.schema
    if not hasattr(X, "columns") or (not reset and known is None):
        if declares(learner):
            raise ValueError("categorical_features needs names of columns: give a Dask data frame")
        return DaskSource(X, y, weight, target)
    source = mixed_blocks(X, y, weight, target, known or (named_kinds(learner) if declares(learner) else None))
    return source if known is not None else checked_source(learner, source)


def checked_source(learner: Any, source: DaskSource) -> DaskSource:
    checked_kinds(learner, source.columns)  # type: ignore[arg-type]
    return source


def level_names(columns: CodedColumns) -> dict[str, Sequence[str]]:
    """Levels of the fit by the name of their column."""
    pairs = zip(columns.names or (), columns.levels, strict=False)
    return {name: levels for name, levels in pairs if levels is not None}


# -- columns that are declared to be categories ------------------------------------------------------------------------


def declares(learner: Any) -> bool:
    """Whether `categorical_features` names columns."""
    wanted = getattr(learner, "categorical_features", FROM_DTYPE)
    return not (wanted is None or isinstance(wanted, str)) and len(np.atleast_1d(wanted)) > 0


def declared(learner: Any, names: Sequence[str]) -> Mapping[str, str]:
    """The kinds that `categorical_features`, a mask, places or names, gives to columns."""
    if not declares(learner):
        return {}
    wanted = np.atleast_1d(np.asarray(learner.categorical_features))
    if wanted.dtype.kind == "b":
        if len(wanted) != len(names):
            raise ValueError(
                f"categorical_features set as a boolean mask must have shape (n_features,), got {len(wanted)} truth "
                f"values for {len(names)} columns"
            )
        return {name: "category" for name, is_one in zip(names, wanted, strict=True) if is_one}
    if wanted.dtype.kind in "iu":
        for place in wanted:
            if not 0 <= place < len(names):
                raise ValueError(
                    f"categorical_features set as integer indices must be in [0, n_features - 1]: {place} is none of "
                    f"{len(names)} columns"
                )
        return {names[int(place)]: "category" for place in wanted}
    return named_kinds(learner, names)


def named_kinds(learner: Any, names: Sequence[str] | None = None) -> dict[str, str]:
    """The same where names of columns are given."""
    wanted = np.atleast_1d(np.asarray(learner.categorical_features))
    if wanted.dtype.kind not in "UO" or not all(isinstance(name, str) for name in wanted.tolist()):
        kinds = {type(name).__name__ for name in wanted.tolist()} if wanted.dtype.kind == "O" else {wanted.dtype.name}
        raise ValueError(
            f"categorical_features must be an array-like of bool, int or str, got: {', '.join(sorted(kinds))}. For "
            "files and Dask collections it names columns"
        )
    for name in wanted.tolist() if names is not None else ():
        if name not in names:  # type: ignore[operator]
            if "feature_names_in_" not in vars(learner):
                raise ValueError(
                    "categorical_features should be passed as an array of integers or as a boolean mask when the model "
                    f"is fitted on data without feature names. Got {name!r}"
                )
            advice = nearest(name, list(names or ())).removeprefix("; ")
            raise ValueError(
                f"categorical_features has an item value {name!r} which is not a valid feature name of the training "
                f"data. {advice[:1].upper()}{advice[1:]}"
            )
    return dict.fromkeys(wanted.tolist(), "category")


def checked_kinds(learner: Any, schema: Schema) -> Schema:
    """The schema, refused where it has levels and the learner was told that there are none."""
    words = [column.name for column in schema.columns if column.kind in LEVELS]
    if getattr(learner, "categorical_features", FROM_DTYPE) is None and words:
        raise ValueError(f"column {words[0]!r} holds levels, and categorical_features=None says that there are none")
    return schema


# -- coding ------------------------------------------------------------------------------------------------------------


def coded(learner: Any, source: Source, *, reset: bool) -> Source:
    """The source as a learner of mixed columns sees it; a fresh start looks at the levels."""
    if source.gaps:  # coded by whoever is around the learner
        if reset:
            learner.columns_ = codes_behind(source).coded
        return source
    if reset:
        handed = learner.__dict__.get("_handed_columns")
        learner.columns_ = columns_of(source) if handed is None else checked_columns(handed, source)
    return mapped(source, learner.columns_)


def codes_behind(source: Any) -> CodedColumns:
    """The columns of a source that is coded, behind any views of it."""
    while not isinstance(getattr(source, "basis", None), CodedColumns):
        source = source.inputs
    return source.basis


def checked_columns(columns: CodedColumns, source: Source) -> CodedColumns:
    schema: Any = source.columns
    if isinstance(schema, Schema) or source.features != len(columns.levels):
        raise ValueError(f"rows were said to come coded, as {len(columns.levels)} columns of numbers")
    return columns.coded


def columns_of(source: Source) -> CodedColumns:
    """What the columns of a source are; the levels of a table are looked up in one pass over its categories."""
    schema: Any = source.columns
    if not isinstance(schema, Schema):
        return CodedColumns.bare(source.features, None if schema is None else schema.names)
    words = tuple(column.name for column in schema.used if column.kind in LEVELS and column.kind != "ordered")
    if not words:
        return CodedColumns.of(schema, {})
    met = total(partial(levels_met, words), source, factor=8)
    return CodedColumns.of(schema, dict(zip(words, met.names, strict=True)))


@dataclass(frozen=True, eq=False)
class LevelsMet(Counted):
    """Names of the levels of some columns: sets that grow."""

    names: tuple[frozenset[str], ...]
    total: float
    count: int

    def zero(self) -> Self:
        return type(self)((frozenset(),) * len(self.names), 0.0, 0)

    def merge(self, other: Self) -> Self:
        union = tuple(a | b for a, b in zip(self.names, other.names, strict=True))
        return type(self)(union, self.total + other.total, self.count + other.count)


def levels_met(words: tuple[str, ...], chunk: Chunk) -> LevelsMet:
    """The levels of rows that weigh something."""
    rows: MixedRows = chunk.X
    there = None if chunk.weight is None else chunk.weight != 0
    names = []
    for word in words:
        levels = rows.levels(word)
        codes = levels.codes if there is None else levels.codes[there]
        names.append(frozenset(levels.names[code] for code in np.unique(codes[codes >= 0])))
    weight = float(len(rows) if chunk.weight is None else np.abs(chunk.weight).sum())
    return LevelsMet(tuple(names), weight, len(rows))


# -- predicting --------------------------------------------------------------------------------------------------------


def prediction_rows_of(estimator: Any, X: Any) -> np.ndarray:
    """Coded rows of files, or of a table or array whose names and number of columns are checked already."""
    if is_path(X):
        source: Source = open_files(estimator, X, None, None, reset=False)
        return np.concatenate([rows_of_part(estimator, source, part) for part in source.parts()])
    source = open_rows(estimator, X, None, None, reset=False)
    assert isinstance(source, InMemory)
    rows = slice(0, source.rows)
    try:
        return estimator.columns_.rows(source.read(rows), source.dtype)
    except RowError as error:
        raise ValueError(error.describe(error.row, named(estimator, error))) from None


def rows_of_part(estimator: Any, source: Source, part: Any) -> np.ndarray:
    try:
        return estimator.columns_.rows(source.chunk(part).X)
    except RowError as error:
        raise ValueError(error.describe(part.name(error.row), named(estimator, error))) from None


def named(estimator: Any, error: RowError) -> Any:
    columns = estimator.columns_.columns
    known = columns is not None and error.column is not None
    return columns.names[error.column] if known else error.column
