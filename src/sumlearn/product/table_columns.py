"""What a table is learnt from: its target, the columns beside it, and those that are no features.

`train`, `select` and `compare` look here at what the options say about columns, before any work.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .opened_table import OpenedTable
from .options import Options
from .problems import DataProblem, UsageProblem
from .reading import Reading
from .targets import TargetRows, target_of


def target_name(table: Any, options: Options) -> str:
    """The column to predict, as it was said or as a bundled table knows it; `table` may be in blocks."""
    name = options.target if options.target is not None else table.target
    if options.task not in ("auto", "classify", "regress"):
        raise UsageProblem(f"--task {options.task!r}: auto, classify or regress")
    if name is None:
        known = ", ".join(map(repr, table.columns))
        raise UsageProblem(f"which column of {table.name!r} is to be predicted? --target, one of {known}")
    return name


def with_target(table: OpenedTable, options: Options) -> tuple[OpenedTable, TargetRows]:
    """The table as it is meant, and its target."""
    name = target_name(table, options)
    for option, columns in (("--drop", options.drop), ("--ids", options.ids)):
        for column in columns:
            table.require(column, option)
            if column == name:
                raise UsageProblem(f"{option} names the target {name!r}")
    table.check_clear([column for column in table.columns if column not in (*options.drop, *options.ids)])
    table = table.read_as(Reading(labels=tuple(options.ids)))  # they join predictions with the data
    return table, target_of(table, name, options.task, options.positive, options.weights)


def features_beside(
    table: OpenedTable, target: TargetRows, options: Options, column: str | None = None
) -> tuple[Any, dict[str, Any]]:
    """The rows that have a target, without it, its weights and one more column; and the options of TableModel."""
    aside = [name for name in (target.name, options.weights, column) if name is not None]
    table.check_exact(aside)
    frame = table.frame.drop_columns(aside).take(target.rows)
    drop = [*options.drop, *table.flags_of((*options.drop, *options.ids))]
    check_finite(frame, drop)
    return frame, {"ids": list(options.ids) or None, "drop": drop or None, "max_levels": options.max_levels}


def check_finite(frame: Any, drop: Sequence[str]) -> None:
    """An infinite cell is an error that names the options that help."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name in frame.column_names:
        column = frame.column(name)
        if name not in drop and pa.types.is_floating(column.type) and pc.any(pc.is_inf(column)).as_py():
            row = pc.index(pc.is_inf(column).combine_chunks(), True).as_py()
            raise DataProblem(
                f"column {name!r} is infinite in row {row}: --missing inf reads such cells as gaps, --drop {name} "
                "leaves the column out"
            )
