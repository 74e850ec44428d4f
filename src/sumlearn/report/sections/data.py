"""The table: what was read, what was dropped, left out and filled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...product.labelled_rows import column_values
from ..blocks import Bar, Block, Grid, Prose, Section, grid_of
from ..evidence import Evidence
from ..numbers import quoted, shown

MOST_COLUMNS = 60


def data(evidence: Evidence) -> Section:
    metrics, target = evidence.metrics, evidence.target
    used, dropped = len(target.values), metrics["rows_without_target"]
    words = f"{shown(used)} rows were used, {shown(dropped)} dropped because {quoted(target.name)} is missing."
    if "sample" in metrics:
        words = (
            f"The table is larger than memory: the model has sums of {shown(evidence.model.facts['rows'])} rows. It "
            f"was chosen on {shown(used)} of them, which the pictures and tables of this page show; the score above is "
            f"of {shown(metrics['sample']['scored'])} others."
        )
    blocks: list[Block] = [Prose(words), treated(evidence)]
    if evidence.classify:
        blocks.append(classes(evidence))
    else:
        values = target.values
        row = [target.name, float(values.mean()), float(values.std()), *map(float, np.quantile(values, [0, 0.5, 1]))]
        blocks.append(Grid(["target", "mean", "deviation", "least", "median", "greatest"], [row]))
    blocks.append(columns(evidence))
    return Section("data", "The table", "Every row dropped, column ignored and value filled in is listed here.", blocks)


def treated(evidence: Evidence) -> Block:
    """What was left out, filled or pooled, with the number of rows concerned."""
    notes = evidence.model.model.report_
    if not notes:
        return Prose("No column was left out, no value was missing, no level was pooled.")
    told = evidence.metrics["columns_left_out"]
    rows = [[note.column, note.what, line["why"], note.weight] for note, line in zip(notes, told, strict=True)]
    caption = "What was done with columns and values; learnt anew within every split"
    return grid_of(["column", "what", "why", "rows concerned"], rows, caption)


def notes_of(notes: Sequence[Any]) -> Block:
    """What was done with columns and values of a table that was learnt whole."""
    if not notes:
        return Prose("No column was left out, no value was missing, no level was pooled.")
    rows = [[note.column, note.what, note.why, note.weight] for note in notes]
    return grid_of(["column", "what", "why", "rows concerned"], rows, "What was done with columns and values")


def classes(evidence: Evidence) -> Grid:
    counts = evidence.target.counts()
    total = sum(counts.values())
    rows = [[label, count, f"{count / total:.1%}", Bar(0.0, 0.0, count / total)] for label, count in counts.items()]
    return grid_of(["class", "rows", "share", ""], rows, f"Classes of {evidence.target.name}")


def columns(evidence: Evidence) -> Grid:
    """The columns that the model reads."""
    schema = evidence.model.model.schema_
    rows = [line(column, evidence.frame.column(column.name)) for column in schema.used[:MOST_COLUMNS]]
    headers = ["column", "kind", "missing", "mean or most frequent", "deviation or levels", "least", "greatest"]
    left = max(0, len(schema.used) - MOST_COLUMNS)
    return Grid(headers, rows, f"The {len(schema.used)} columns that the model reads", left)


def line(column: Any, values: Any) -> list[Any]:
    cells = column_values(values)
    if cells.dtype == object:
        present = [v for v in cells.tolist() if v is not None]
        names, counts = np.unique(np.array(present, dtype=str), return_counts=True)
        top = f"{names[counts.argmax()]} ({counts.max() / len(present):.0%})" if len(present) else None
        ends = [str(names[0]), str(names[-1])] if column.kind == "date" and len(names) else [None, None]
        return [column.name, column.kind, len(cells) - len(present), top, len(names), *ends]
    present = cells[np.isfinite(cells)]
    if not len(present):
        return [column.name, column.kind, len(cells), None, None, None, None]
    numbers = [present.mean(), present.std(), present.min(), present.max()]
    return [column.name, column.kind, len(cells) - len(present), *map(float, numbers)]
