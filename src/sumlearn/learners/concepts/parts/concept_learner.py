"""What learners of concepts share: tables of words in, two labels, rows as tuples of levels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....data import Chunk
from ....data.mixed import MixedRows
from ....data.schema import Schema
from ....features.table.encoder import names_of, with_table_tags
from ....features.table.sums import weighty_rows
from ....statistics.row_checks import checked_weight
from ...classifier import LabelMixin
from ...table_rows import ignored_by, rows_of_table, split_named
from ..attributes import Attributes, rows_of

YES = ("yes", "true", "+", "positive", "1", "1.0")  # labels that say by themselves that they are those of the concept
NO = {"yes": "no", "Yes": "No", "YES": "NO", "+": "-", "positive": "negative", "true": "false", "True": "False"}
MOST_LEVELS = 100


class Examples(NamedTuple):
    """Rows of a chunk: which belong to the concept, what they weigh, the labels they have."""

    attributes: Attributes
    rows: list[tuple[str, ...]]
    is_one: np.ndarray
    weight: np.ndarray | None
    labels: list[Any]
    ones: list[Any]  # those of them that belong to the concept

    @property
    def mass(self) -> float:
        return float(len(self.rows) if self.weight is None else self.weight.sum())

    def labelled(self, one: bool) -> list[tuple[str, ...]]:
        """The rows that belong to the concept, or those that do not."""
        return [row for row, own in zip(self.rows, self.is_one.tolist(), strict=True) if own == one]


class ConceptLearner(LabelMixin):
    """A learner of one concept from rows of discrete attributes: those of the label `positive` belong to it."""

    reads = "table"
    positive: Any
    categorical_features: Any
    ids: Any
    drop: Any
    max_levels = MOST_LEVELS
    keeps_orders = True
    check_ready: Any
    statistic_: Any

    def examples(self, chunk: Chunk) -> Examples:
        """The rows of a chunk that weigh something."""
        schema: Any = chunk.columns
        weight = None if chunk.weight is None else checked_weight(chunk.weight, len(chunk.X))
        there, X, y = weighty_rows(weight), chunk.X, chunk.y
        if there is not None:
            X, y, weight = X.take(there), y[there], weight[there]  # type: ignore[index]
        self.refuse_left_out(schema)
        attributes, rows = rows_of(X, schema)
        labels = np.unique(np.asarray(y)).tolist()
        ones = [label for label in labels if self.is_one(label)]
        is_one = np.isin(np.asarray(y), ones) if ones else np.zeros(len(rows), dtype=bool)
        return Examples(attributes, rows, is_one, weight, labels, ones)

    def refuse_left_out(self, schema: Schema) -> None:
        """Columns that nobody asked to leave out are attributes: a concept that misses one is another."""
        asked = {*names_of(self.ids, "ids"), *names_of(self.drop, "drop")}
        for column in schema.columns:
            if column not in schema.used and column.name not in asked:
                raise ValueError(f"column {column.name!r} is no attribute: {column.reason}; name it in drop")

    def is_one(self, label: Any) -> bool:
        """Whether a label is that of the concept."""
        if self.positive is not None:
            return bool(label == self.positive)
        return bool(label) if isinstance(label, bool | np.bool_) else str(label).lower() in YES

    def classes_of(self, statistic: Any) -> tuple[np.ndarray, int]:
        """The two labels, and the place of that of the concept."""
        met = statistic.labels
        if any(self.is_one(label) != (label in statistic.ones) for label in met):
            raise ValueError(f"positive={self.positive!r} is not what the rows were learnt with: fit anew")
        ones, others = [v for v in met if self.is_one(v)], [v for v in met if not self.is_one(v)]
        if len(ones) > 1 or len(others) > 1 or (self.positive is None and not ones):
            raise ValueError(
                f"the labels are {list(met)}: a concept has two, and `positive` says which of them belongs to it"
            )
        if not ones:
            ones = [self.positive]
        if not others:
            others = [opposite(ones[0])]
        classes = np.array(sorted([ones[0], others[0]]))
        return classes, classes.tolist().index(ones[0])

    @property
    def schema_(self) -> Schema:
        """Kinds of the columns."""
        if "statistic_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'schema_'")
        attributes = self.statistic_.attributes
        left_out = [*names_of(self.ids, "ids"), *names_of(self.drop, "drop")]
        order = self.__dict__.get("feature_names_in_", (*attributes.names, *left_out))
        return attributes.schema(left_out, [str(name) for name in order])

    def asked(self, X: Any) -> list[tuple[str, ...]]:
        """The rows of a table, as tuples of levels."""
        self.check_ready()
        found: list[tuple[str, ...]] = []
        reader: Any = RowReader(self.statistic_.attributes, self.schema_, found)
        rows_of_table(reader, X, ignored_by(self), type(self).__name__)
        return found

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Share of the rows whose label is predicted; y may name a column of the table."""
        return float(super().score(*split_named(X, y), sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = with_table_tags(super().__sklearn_tags__())
        tags.input_tags.two_d_array = False  # bare numbers are no levels
        tags.input_tags.allow_nan = False
        tags.classifier_tags.multi_class = False
        return tags


class RowReader:
    """For who reads tables: the map of rows to tuples of levels, which it collects."""

    def __init__(self, attributes: Attributes, schema: Schema, found: list[tuple[str, ...]]) -> None:
        self.schema, self.found = schema, found
        self.level_names = {name: list(own) for name, own in zip(attributes.names, attributes.levels, strict=True)}

    def rows(self, rows: MixedRows) -> np.ndarray:
        _, told = rows_of(rows, self.schema)
        self.found += told
        return np.zeros((len(told), 0))


def check_limit(name: str, most: Any) -> None:
    """Refuse a limit that is no number of things."""
    if isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 1:
        raise ValueError(f"{name} must be a whole number, at least 1; got {most!r}")


def opposite(label: Any) -> Any:
    """What rows beside the concept are called, where none was met."""
    if isinstance(label, bool | np.bool_):
        return not label
    if isinstance(label, str):
        return NO.get(label, f"not {label}")
    return 0 if label else 1
