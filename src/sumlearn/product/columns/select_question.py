"""What `sumlearn select` is asked: a table, its target, and what there is to choose from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...data.files import STDIN
from ...selection.target_kinds import holds_labels
from ..problems import DataProblem, UsageProblem, suggested
from ..tables import Blocks, OpenedTable
from ..targets import target_of
from ..training import opened
from .selection_plan import Features, TableRows

Tell = Callable[[str, str], None]


class NamedColumns(NamedTuple):
    """What the options say about columns: all that are named must be there, and no two options may name the same."""

    target: str | None
    weights: str | None
    fixed: list[str]
    drop: list[str]

    def checked(self, table: OpenedTable | Blocks) -> NamedColumns:
        target = self.target or table.target
        if target is None:
            known = ", ".join(map(repr, table.columns))
            raise UsageProblem(f"which column is to be predicted? --target, one of {known}")
        weights = [] if self.weights is None else [self.weights]
        taken: dict[str, str] = {}
        named = {"--target": [target], "--weights": weights, "--fixed": self.fixed, "--drop": self.drop}
        for option, columns in named.items():
            for name in columns:
                if name not in table.columns:
                    known = suggested(name, table.columns)
                    raise DataProblem(f"no column {name!r} in {table.origin!r}{known} ({option})")
                if name in taken:
                    raise UsageProblem(f"{option} names {taken[name]} {name!r}")
            taken |= dict.fromkeys(columns, "the target" if option == "--target" else f"the column of {option},")
        return self._replace(target=target)


@dataclass(frozen=True, eq=False)
class Question:
    """The table and what there is to choose from; `rows` is None where the table stays in its files."""

    name: str
    columns: NamedColumns
    task: str
    features: Features
    rows: TableRows | None = None
    notes: Sequence[Any] = ()


def opened_question(data: str, columns: NamedColumns, task: str, memory: str | None, tell: Tell) -> Question:
    """Read the table, or enough of it; `tell` hears what was left out."""
    if task not in ("auto", "classify", "regress"):
        raise UsageProblem(f"--task {task!r}: auto, classify or regress")
    table = opened(data, memory)
    columns = columns.checked(table)
    if isinstance(table, OpenedTable):
        return in_memory(table, columns, task, tell)
    return in_files(table, columns, task, tell)


def in_memory(table: OpenedTable, columns: NamedColumns, task: str, tell: Tell) -> Question:
    """A table of any columns."""
    answer = target_of(table, str(columns.target), task, weights=columns.weights)
    aside = [name for name in columns[:2] if name is not None]
    frame = table.frame.drop_columns(aside).take(answer.rows)
    rows = TableRows(frame, answer.values, answer.weight, columns.drop, columns.fixed)
    features, encoder = rows.coded()
    tell("reading", f"{table.name}  {len(answer.rows)} rows x {len(table.columns)} columns")
    if len(answer.rows) < table.rows:
        tell("dropped", f"{table.rows - len(answer.rows)} rows without {columns.target!r}")
    for note in encoder.report_:
        tell("column", f"{note.column!r} {note.what}: {note.why}")
    for name in columns.fixed:
        if name not in features.owners:
            why = next(f"{note.what}, {note.why}" for note in encoder.report_ if note.column == name)
            raise DataProblem(f"the column {name!r} cannot be chosen: {why} (--fixed)")
    return Question(table.name, columns, answer.task, features, rows, encoder.report_)


def in_files(table: Blocks, columns: NamedColumns, task: str, tell: Tell) -> Question:
    """A table of numbers that is larger than memory: sums are taken from its files."""
    import pyarrow as pa

    target = str(columns.target)
    for name, kind in table.types.items():
        if name != target and not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
            raise DataProblem(f"the column {name!r} holds no numbers: a larger table has only those (--memory)")
    if table.origin == STDIN:
        raise DataProblem("standard input is larger than memory and can be read only once: put it into a file")
    if task == "auto":
        task = "classify" if holds_labels(table.origin, target) else "regress"
    owners = [name for name in table.columns if name not in columns[:2]]
    features = Features(table.origin, target, owners, columns.fixed, columns.drop, columns.weights)
    tell("reading", f"{table.name}  in blocks x {len(table.columns)} columns; it is larger than memory")
    return Question(table.name, columns, task, features)
