"""`sumlearn predict`: answers of a model for new rows."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from .files import load_model, model_path
from .options import Debug, Force, Model, Quiet
from .output import Output

FORMATS = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet"}


def predict(
    model: Model,
    data: Annotated[str, typer.Argument(metavar="[DATA|-]", help="New rows; standard input by default.")] = "-",
    output: Annotated[str, typer.Option("-o", "--output", metavar="OUT|-", help="Standard output by default.")] = "-",
    proba: Annotated[bool, typer.Option("--proba", help="Scores of the classes as well.")] = False,
    threshold: Annotated[float | None, typer.Option(help="On the score of the positive class.")] = None,
    form: Annotated[str | None, typer.Option("--format", help="csv, jsonl or parquet; by the ending of OUT.")] = None,
    force: Force = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Answer for new rows.

    One line for every row, in their order, with the model's id columns where the data has them.
    """
    from ..product.problems import UsageProblem
    from ..product.tables import read_table

    out = Output(quiet=quiet)
    path = model_path(model)
    form = form or FORMATS.get(Path(output).suffix.lower(), "csv")
    if form not in ("csv", "jsonl", "parquet"):
        raise UsageProblem(f"--format {form!r}: csv, jsonl or parquet")
    if output != "-" and os.path.exists(output) and not force:
        raise UsageProblem(f"the file {output!r} exists; --force overwrites it, -o names another")
    found = load_model(path)
    if threshold is not None and found.facts["positive"] is None:
        raise UsageProblem("--threshold is for models of two classes")
    if proba and found.facts["task"] == "regress":
        raise UsageProblem("--proba is for classes; this model predicts a number")
    table = read_table(data)
    columns = predictions(found, table, proba, threshold)
    content = written(columns, form, found)
    if output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    from ..saving.atomic import replace_file

    replace_file(Path(output), content)
    out.note("wrote", f"{output}   {table.rows} rows")


def predictions(model: Any, table: Any, proba: bool, threshold: float | None) -> dict[str, list[Any]]:
    """Id columns, the prediction, and scores where asked for."""
    from ..product.predictions import score_columns

    facts = model.facts
    columns = {name: table.frame.column(name).to_pylist() for name in facts["ids"] if name in table.columns}
    columns["prediction"] = model.predict(table, threshold).tolist()
    if proba:
        what = "probability" if hasattr(model.model, "predict_proba") else "score"
        columns |= score_columns(model.answers(table).scores, facts["positive"], model.classes_.tolist(), what)
    return columns


def written(columns: dict[str, list[Any]], form: str, model: Any) -> bytes:
    if form == "csv":
        from ..product.predictions import csv_text

        return csv_text(columns, ["prediction"] if model.facts["task"] == "classify" else []).encode()
    if form == "jsonl":
        rows = zip(*columns.values(), strict=True)
        return "".join(json.dumps(dict(zip(columns, row, strict=True)), default=str) + "\n" for row in rows).encode()
    import io

    import pyarrow as pa
    import pyarrow.parquet

    sink = io.BytesIO()
    pa.parquet.write_table(pa.table(columns), sink)
    return sink.getvalue()
