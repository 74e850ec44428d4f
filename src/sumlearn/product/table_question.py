"""What is asked of a table that has no target to predict: which columns count, and what stands aside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .opened_table import OpenedTable
from .problems import DataProblem, UsageProblem
from .reading import Reading
from .table_columns import check_finite
from .targets import weights_of


@dataclass(frozen=True, kw_only=True)
class TableQuestion:
    """Options that questions without a target share."""

    target: str | None = None
    drop: Sequence[str] = ()
    ids: Sequence[str] = ()
    weights: str | None = None
    seed: int = 0
    max_levels: int | None = None

    purpose: ClassVar[str] = "use"

    def check_seed(self) -> None:
        if self.seed < 0:
            raise UsageProblem(f"--seed {self.seed} must not be negative")

    def as_asked(self, table: OpenedTable) -> OpenedTable:
        """The table with its id columns as they are written: they join answers with the data."""
        return table.read_as(Reading(labels=tuple(self.ids)))

    def columns_of(self, table: OpenedTable) -> tuple[Any, dict[str, Any], np.ndarray | None]:
        """The columns that count, the options of TableModel, and weights."""
        for option, names in (("--drop", self.drop), ("--ids", self.ids)):
            for name in names:
                table.require(name, option)
        for option, aside_name in (("--target", self.target), ("--weights", self.weights)):
            if aside_name is not None:
                table.require(aside_name, option)
        for option, named in (("--target", self.target), ("--weights", self.weights)):
            for other, others in (("--drop", self.drop), ("--ids", self.ids)):
                if named in others:
                    raise UsageProblem(f"{named!r} is in {other}, but {option} sets it aside already: name it once")
        aside = [name for name in dict.fromkeys((self.target, self.weights)) if name is not None]
        weight = None if self.weights is None else weights_of(table, self.weights)
        frame = table.frame.drop_columns(aside)
        left_out = (*self.drop, *self.ids)
        drop = [*self.drop, *table.flags_of(left_out)]
        table.check_clear([name for name in frame.column_names if name not in left_out])
        check_finite(frame, drop)
        if not frame.num_columns:
            raise DataProblem(f"no column is left to {self.purpose}")
        options = {"ids": list(self.ids) or None, "drop": drop or None}
        return frame, options | ({} if self.max_levels is None else {"max_levels": self.max_levels}), weight
