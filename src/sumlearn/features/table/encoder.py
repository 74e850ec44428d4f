"""The coding of tables as a transformer, for pipelines."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ...data import Chunk, Source
from ...data.column_kinds import decide
from ...data.mixed import MixedRows
from ...data.schema import Schema
from ...data.schema_matching import matched, not_empty, opened
from ...data.table_source import TableSource
from ...engines import total
from ...statistics import Moments, RowError
from .design import Design, checked_unknown
from .notes import Note
from .sums import TableSums


class TableEncoder(TransformerMixin, BaseEstimator):
    """Tables of numbers, booleans, categories and dates, with missing values, as numbers.

        number    (v - mean) / deviation, the mean where it is missing, and a flag for that
        category  a flag for each level but the most frequent; rare levels share one, and so do missing values
        date      days since 1970 as a number; month and weekday too

    It is the map that `TableModel` learns inside its sums. Flags of levels and of missing values are made where their
    weight reaches `rare`. A level that was not seen at the fit gets the mean of the flags, as a number gets its mean.

    Statistic: diagonal Moments of the coded columns, `TableSums`. One pass. Cost: O(n d).

    Parameters
    ----------
    ids, drop : list of str, default=None
        Columns that are identifiers, or that are not wanted.
    max_levels : int, default=100
        A category with more levels is left out.
    rare : int or float, default=10
        Weight, or below 1 the share, that a level must have for a feature of its own.
    scale : bool, default=True
        Bring numbers and dates to mean zero and unit variance.
    handle_unknown : {"prior", "error"}, default="prior"
        What to do with levels that were not there at the fit.

    Attributes
    ----------
    schema_, report_, feature_names_out_, n_features_in_, feature_names_in_
        Kinds of the columns; what was done with them; names of the outputs and inputs.

    Examples
    --------
    >>> import pandas as pd
    >>> from sumlearn.features import TableEncoder
    >>> frame = pd.DataFrame({"size": [1.0, None, 3.0], "city": ["Rome", "Oslo", "Rome"]})
    >>> encoder = TableEncoder(rare=1, scale=False).fit(frame)
    >>> encoder.get_feature_names_out().tolist()
    ['size', 'size: missing', 'city=Oslo']
    >>> encoder.transform(frame).tolist()
    [[1.0, 0.0, 0.0], [2.0, 1.0, 1.0], [3.0, 0.0, 0.0]]

    References
    ----------
    Hastie, Tibshirani & Friedman, "The elements of statistical learning", 2009, sec. 9.6 (missing values).
    """

    design_: Design
    schema_: Schema
    n_features_in_: int
    feature_names_in_: np.ndarray

    def __init__(
        self,
        *,
        ids: Sequence[str] | None = None,
        drop: Sequence[str] | None = None,
        max_levels: int = 100,
        rare: float = 10,
        scale: bool = True,
        handle_unknown: str = "prior",
    ) -> None:
        self.ids = ids
        self.drop = drop
        self.max_levels = max_levels
        self.rare = rare
        self.scale = scale
        self.handle_unknown = handle_unknown

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn fills, scales and levels; y is not used."""
        table = not_empty(opened(X))
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
        source = TableSource(table, decide(table, *column_options(self)), None, weight)
        design = design_of(encoder_sums(source), self)
        self.n_features_in_ = len(table.names)
        self.__dict__.pop("feature_names_in_", None)
        if table.named:
            self.feature_names_in_ = np.array(table.names, dtype=object)
        self.design_, self.schema_ = design, design.schema
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The features of every row."""
        check_is_fitted(self)
        return design_rows(self.design_, X, owner=type(self).__name__)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the features."""
        check_is_fitted(self)
        if input_features is not None and list(input_features) != list(self.schema_.names):
            raise ValueError("input_features is not equal to the columns of the fit")
        return np.array(self.design_.names, dtype=object)

    @property
    def feature_names_out_(self) -> list[str]:
        return self.design_.names

    @property
    def report_(self) -> list[Note]:
        return self.design_.notes

    def __sklearn_tags__(self) -> Any:
        return with_table_tags(super().__sklearn_tags__())


def encoder_sums(source: Source) -> TableSums:
    """What the encoding of a table needs to know."""
    return total(partial(diagonal_sums, source.columns), source, factor=8)


def diagonal_sums(schema: Any, chunk: Chunk) -> TableSums:
    return TableSums.of(chunk, schema, lambda coded: Moments.of(coded.X, None, coded.weight, form="diagonal"))


def design_rows(design: Any, X: Any, ignored: Sequence[str] = (), owner: str = "TableModel") -> np.ndarray:
    """The features of the rows of a table that was not seen before; errors name the column and the row."""
    table = matched(not_empty(opened(X)), design.schema, ignored, owner, design.level_names)
    try:
        return design.rows(MixedRows(table, design.schema))
    except RowError as error:
        assert error.column is not None
        raise ValueError(error.describe(error.row, design.schema.names[error.column])) from None


def design_of(sums: TableSums, options: Any) -> Design:
    """The design by the parameters of an encoder or a model."""
    return Design(sums, options.rare, bool(options.scale), checked_unknown(options.handle_unknown))


def column_options(options: Any) -> tuple[list[str], list[str], int]:
    """ids, drop and max_levels, checked."""
    most = options.max_levels
    if isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 1:
        raise ValueError(f"max_levels must be a whole number, at least 1; got {most!r}")
    return names_of(options.ids, "ids"), names_of(options.drop, "drop"), int(most)


def names_of(value: Any, argument: str) -> list[str]:
    if value is None:
        return []
    names = [value] if isinstance(value, str) else list(value)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{argument} must name columns, got {name!r}")
    return names


def with_table_tags(tags: Any) -> Any:
    tags.input_tags.allow_nan = True
    tags.input_tags.categorical = True
    tags.input_tags.string = True
    tags.input_tags.sparse = False
    return tags
