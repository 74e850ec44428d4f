"""What `sumlearn select` is asked: a table, its target, and what there is to choose from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...data.chosen_files import Files
from ...data.files import STDIN
from ...selection.target_kinds import decided, holds_labels
from ..opened_table import OpenedTable
from ..options import Options
from ..problems import DataProblem, UsageProblem, suggested
from ..table_blocks import Blocks
from ..table_columns import features_beside, target_name, with_target
from .selection_plan import Features, TableRows

Tell = Callable[[str, str], None]


REMEDY = "--task classify if they are labels, --task regress if not"


@dataclass(frozen=True, eq=False)
class Question:
    """The table and what there is to choose from; `rows` is None where the table stays in its files."""

    name: str
    target: str
    options: Options
    task: str
    features: Features
    rows: TableRows | None = None
    notes: Sequence[Any] = ()


def opened_question(table: OpenedTable | Blocks, options: Options, fixed: list[str], tell: Tell) -> Question:
    """Read the table, or enough of it; `tell` hears what was left out."""
    target = target_name(table, options)
    check_names(table, options, target, fixed)
    if isinstance(table, OpenedTable):
        return in_memory(table, options, fixed, tell)
    return in_files(table, options, target, fixed, tell)


def check_names(table: OpenedTable | Blocks, options: Options, target: str, fixed: list[str]) -> None:
    """All columns that are named must be there, and no two options may name the same."""
    weights = [] if options.weights is None else [options.weights]
    taken: dict[str, str] = {}
    named = {"--target": [target], "--weights": weights, "--fixed": fixed, "--drop": options.drop}
    for option, columns in named.items():
        for name in columns:
            if name not in table.columns:
                known = suggested(name, table.columns)
                raise DataProblem(f"no column {name!r} in {table.origin!r}{known} ({option})")
            if name in taken:
                raise UsageProblem(f"{option} names {taken[name]} {name!r}")
        taken |= dict.fromkeys(columns, "the target" if option == "--target" else f"the column of {option},")


def in_memory(table: OpenedTable, options: Options, fixed: list[str], tell: Tell) -> Question:
    """A table of any columns."""
    table, answer = with_target(table, options)
    if options.task == "auto" and answer.task == "regress":
        decided(answer.values, REMEDY)
    frame, sorting = features_beside(table, answer, options)
    rows = TableRows(frame, answer.values, answer.weight, sorting, fixed)
    features, encoder = rows.coded()
    tell("reading", f"{table.name}  {len(answer.rows)} rows x {len(table.columns)} columns")
    if len(answer.rows) < table.rows:
        tell("dropped", f"{table.rows - len(answer.rows)} rows without {answer.name!r}")
    for note in encoder.report_:
        tell("column", f"{note.column!r} {note.what}: {note.why}")
    for name in fixed:
        if name not in features.owners:
            why = next(f"{note.what}, {note.why}" for note in encoder.report_ if note.column == name)
            raise DataProblem(f"the column {name!r} cannot be chosen: {why} (--fixed)")
    return Question(table.name, answer.name, options, answer.task, features, rows, encoder.report_)


def in_files(table: Blocks, options: Options, target: str, fixed: list[str], tell: Tell) -> Question:
    """A table of numbers that is larger than memory: sums are taken from its files."""
    import pyarrow as pa

    for name, kind in table.types.items():
        if name != target and not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
            raise DataProblem(f"the column {name!r} holds no numbers: a larger table has only those (--memory)")
    if table.origin == STDIN:
        raise DataProblem("standard input is larger than memory and can be read only once: put it into a file")
    files = Files(table.origin, None, (), options.encoding, options.dates, options.decimal, options.missing)
    task = options.task
    if task == "auto":
        task = "classify" if holds_labels(files, target, REMEDY) else "regress"
    owners = [name for name in table.columns if name not in (target, options.weights)]
    features = Features(files, target, owners, fixed, list(options.drop), options.weights)
    tell("reading", f"{table.name}  in blocks x {len(table.columns)} columns; it is larger than memory")
    return Question(table.name, target, options, task, features)
