"""`sumlearn predict`: answers of a model for new rows."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat
from pathlib import Path
from typing import Annotated, Any

import typer

from .files import later_reading, load_any, model_path
from .options import Debug, Encoding, Force, Model, Quiet
from .output import Output

FORMATS = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet"}


def predict(
    model: Model,
    data: Annotated[str, typer.Argument(metavar="[DATA|-]", help="New rows; standard input by default.")] = "-",
    output: Annotated[str, typer.Option("-o", "--output", metavar="OUT|-", help="Standard output by default.")] = "-",
    proba: Annotated[bool, typer.Option("--proba", help="Scores of the classes as well.")] = False,
    threshold: Annotated[float | None, typer.Option(help="On the score of the positive class.")] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="The columns of the input as well, as they are written.")
    ] = False,
    form: Annotated[str | None, typer.Option("--format", help="csv, jsonl or parquet; by the ending of OUT.")] = None,
    encoding: Encoding = None,
    force: Force = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Answer for new rows.

    One line for every row, in their order, with its number and the model's id columns where the data has them.
    """
    from ..product.problems import UsageProblem
    from ..product.tables import open_table, tables_of
    from ..product.unseen_levels import UnseenLevels

    out = Output(quiet=quiet)
    path = model_path(model)
    form = form or FORMATS.get(Path(output).suffix.lower(), "csv")
    if form not in ("csv", "jsonl", "parquet"):
        raise UsageProblem(f"--format {form!r}: csv, jsonl or parquet")
    if output != "-" and os.path.exists(output) and not force:
        raise UsageProblem(f"the file {output!r} exists; --force overwrites it, -o names another")
    trained = load_any(path)
    try:
        trained.check_threshold(threshold)
    except ValueError as error:
        raise UsageProblem(f"--{error}") from None
    if proba and trained.facts["task"] == "regress":
        raise UsageProblem("--proba is for classes; this model predicts a number")
    if proba and trained.facts["task"] == "cluster" and not hasattr(trained, "predict_proba"):
        raise UsageProblem("--proba is for mixtures; these clusters have centres, and no chances (--method gmm)")
    unseen = UnseenLevels()
    opened = open_table(data, reading=later_reading(trained, encoding))
    beside = opened.as_written() if keep else repeat({})
    tables = zip(tables_of(opened, trained.reading()), beside)  # noqa: B905  what is repeated has no end
    blocks = (predictions(trained, table, proba, threshold, unseen, kept) for table, kept in tables)
    content = written(blocks, form, trained)
    if output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.writelines(content)
        sys.stdout.buffer.flush()
        unseen.tell()
        return
    from ..saving.atomic import replace_file

    replace_file(Path(output), content)
    unseen.tell()
    out.note("wrote", output)


def predictions(
    model: Any, table: Any, proba: bool, threshold: float | None, unseen: Any, kept: Mapping[str, list[Any]]
) -> dict[str, list[Any]]:
    """Row numbers, what is kept or id columns, the prediction, and scores where asked for.

    Levels that the model has never met are counted.
    """
    from ..product.predictions import score_columns, title_of

    facts, answers = model.facts, model.answers(table)
    unseen.count(model.model, table.frame)
    columns: dict[str, list[Any]] = {"row": list(range(table.first, table.first + table.rows))}
    columns |= {title_of(name, "input"): values for name, values in kept.items()}
    ids = [name for name in facts["ids"] if name in table.columns and name not in kept]
    columns |= {title_of(name, "id"): table.frame.column(name).to_pylist() for name in ids}
    columns["prediction"] = model.labels(answers, threshold).tolist()
    if proba:
        what = "probability" if facts["task"] == "cluster" or hasattr(model.model, "predict_proba") else "score"
        columns |= score_columns(answers.scores, facts["positive"], model.classes_.tolist(), what)
    return columns


def written(blocks: Iterable[dict[str, list[Any]]], form: str, model: Any) -> Iterator[bytes]:
    """Blocks of predictions as the bytes of a file, one after the other."""
    return {"csv": as_csv, "jsonl": as_json_lines, "parquet": as_parquet}[form](blocks, model)


def as_csv(blocks: Iterable[dict[str, list[Any]]], model: Any) -> Iterator[bytes]:
    from ..product.predictions import csv_text, title_of

    labels = ["prediction", title_of(model.facts["target"], "input")] if model.facts["task"] == "classify" else []
    for number, columns in enumerate(blocks):
        yield csv_text(columns, labels, header=number == 0).encode()


def as_json_lines(blocks: Iterable[dict[str, list[Any]]], model: Any) -> Iterator[bytes]:
    for columns in blocks:
        for row in zip(*columns.values(), strict=True):
            yield (json.dumps(dict(zip(columns, row, strict=True)), default=str) + "\n").encode()


def as_parquet(blocks: Iterable[dict[str, list[Any]]], model: Any) -> Iterator[bytes]:
    """A Parquet file ends with its table of contents, so it is held until it is whole; it is packed."""
    import io

    import pyarrow as pa
    import pyarrow.parquet

    sink, writer = io.BytesIO(), None
    for columns in blocks:
        table = pa.table(columns)
        writer = writer or pa.parquet.ParquetWriter(sink, table.schema)
        writer.write_table(table.cast(writer.schema))
    if writer is not None:
        writer.close()
    yield sink.getvalue()
