"""MixedDesign: the columns of a table as they are, for learners that read categories and gaps themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data.coded_columns import CodedColumns, refuse_unseen
from ...data.mixed import MixedRows
from ...data.schema import LEFT_OUT, LEVELS, Schema
from .codes import levels_in
from .design import Feature, checked_unknown
from .notes import Note
from .sums import ABSENT, TableSums


@dataclass(frozen=True)
class MixedDesign:
    """Every column that holds something is a feature: levels are coded, numbers are themselves, gaps stay gaps."""

    columns: CodedColumns
    notes: list[Note]
    refuse_unknown: bool = False

    @classmethod
    def of(cls, sums: TableSums, handle_unknown: str = "prior") -> MixedDesign:
        """The design of the rows that are in the sums."""
        overall, schema = sums.overall(), sums.schema
        share = dict(zip(sums.parts, overall.mean.tolist(), strict=False))
        notes = [
            Note(c.name, "left out", c.reason, round(overall.weight, 6), c.code)
            for c in schema.columns
            if c.kind == LEFT_OUT
        ]
        gone = {c.name: "no values" for c in schema.used if c.kind == "empty" or gaps(share, c.name) >= 1 - ABSENT}
        notes += [Note(name, "left out", why, round(overall.weight, 6)) for name, why in gone.items()]
        met = {
            name: [level for level in levels if share.get((name, "=" + level), 0.0) > ABSENT]
            for name, levels in levels_in(sums.parts).items()
        }
        columns = CodedColumns.of(schema.without(gone), met)
        if not columns.names:
            raise ValueError("no column of the table holds anything to learn from")
        return cls(columns, notes, checked_unknown(handle_unknown) == "error")

    @property
    def schema(self) -> Schema:
        assert self.columns.schema is not None
        return self.columns.schema

    @property
    def names(self) -> list[str]:
        return list(self.columns.names or ())

    @property
    def features(self) -> list[Feature]:
        """A feature for each column."""
        kinds = ("level" if self.schema[name].kind in LEVELS else "value" for name in self.names)
        return [Feature(name, name, kind) for name, kind in zip(self.names, kinds, strict=True)]

    @property
    def level_names(self) -> dict[str, list[str]]:
        pairs = zip(self.names, self.columns.levels, strict=True)
        return {name: list(levels) for name, levels in pairs if levels is not None}

    def rows(self, rows: MixedRows) -> np.ndarray:
        """Coded rows of a table."""
        if self.refuse_unknown:
            refuse_unseen(self.columns, rows)
        return self.columns.rows(rows.read_as(self.schema))


def gaps(share: dict[tuple[str, str], float], name: str) -> float:
    return share.get((name, "missing"), 0.0)
