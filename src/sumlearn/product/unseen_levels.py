"""Levels that a model has never met, counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ..data.coded_columns import unseen_sentence
from ..data.column_values import text_of
from ..data.schema import LEVELS
from ..features.table.codes import levels_in
from ..statistics.warnings import UnseenLevelsWarning, warn


@dataclass
class UnseenLevels:
    """How many rows have which level that is new to a TableModel, over all blocks of a table.

    >>> UnseenLevels({"city": Counter({"Kiel": 2, "Ulm": 1})}).sentences()
    ["column 'city' has levels never seen in 3 rows, they count as unknown: 'Kiel', 'Ulm'"]
    """

    rows: dict[str, Counter[str]] = field(default_factory=dict)

    def count(self, model: Any, frame: Any) -> None:
        """Look at the categories of an Arrow table."""
        import pyarrow as pa

        known = levels_in(model.statistic_.parts)
        for column in model.schema_.used if model.statistic_.rows else ():
            if column.kind in LEVELS:
                values = frame.column(column.name)
                decoded = values.combine_chunks().dictionary_decode() if pa.types.is_dictionary(values.type) else values
                levels = set(known.get(column.name, ()))
                for entry in decoded.value_counts().to_pylist():
                    value, rows = entry["values"], entry["counts"]
                    if value is not None and text_of(value) not in levels:
                        self.rows.setdefault(column.name, Counter())[text_of(value)] += rows

    def sentences(self, what: str = "they count as unknown") -> list[str]:
        """One for each column."""
        return [unseen_sentence(name, counts, what) for name, counts in self.rows.items()]

    def tell(self, *what: str) -> None:
        for sentence in self.sentences(*what):
            warn(sentence, UnseenLevelsWarning)
