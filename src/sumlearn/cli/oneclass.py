"""`sumlearn oneclass`: which rows of a table are of the one class that is known."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from .options import Data, Dates, Debug, Decimal, Encoding, Force, Json, MaxLevels, Missing, Quiet, names
from .output import Output
from .unlabelled import command_of, write_files

Text = str | None


def oneclass(
    data: Data,
    method: Annotated[str, typer.Option(help="gauss, phantom or svm.")] = "gauss",
    acceptance: Annotated[float, typer.Option(help="The share of rows of the class that is to be accepted.")] = 0.95,
    target: Annotated[
        Text, typer.Option("--target", "-t", help="A column that says which rows are of the class; no feature.")
    ] = None,
    normal: Annotated[
        Text, typer.Option(help="Its label for the class; other rows are real negatives, and are not learnt.")
    ] = None,
    drop: Annotated[Text, typer.Option(help="Columns that are not learnt from.")] = None,
    ids: Annotated[Text, typer.Option(help="Columns that name rows: not learnt from, kept beside the answers.")] = None,
    weights: Annotated[Text, typer.Option(help="A column of weights.")] = None,
    seed: Annotated[int, typer.Option(help="Of folds and phantoms.")] = 0,
    folder: Annotated[Text, typer.Option("-o", "--output", metavar="DIR", help="Folder to write.")] = None,
    encoding: Encoding = None,
    dates: Dates = None,
    decimal: Decimal = None,
    missing: Missing = None,
    max_levels: MaxLevels = None,
    as_json: Json = False,
    force: Force = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Learn one class from a table, and tell which rows are not of it.

    A threshold is set so that a share of the rows of the class is accepted, and that share is measured on rows that
    were left out. Real negatives, where there are some, are scored and never learnt. The model is saved: `sumlearn
    predict` says of new rows whether they are of the class (1) or not (-1).
    """
    from ..product.acceptance.learning import one_class as run
    from ..product.acceptance.one_class_question import OneClassQuestion
    from ..product.folder import check_folder
    from ..product.options import dialect_of
    from ..product.tables import read_table
    from ..report.one_class.one_class_page import one_class_report

    asked: dict[str, Any] = {"method": method, "acceptance": acceptance, "normal": normal}
    asked |= {"drop": names(drop), "ids": names(ids), "weights": weights, "seed": seed, "max_levels": max_levels}
    asked |= {} if target is None else {"target": target}
    out, start = Output(as_json, quiet), time.perf_counter()
    written = {"encoding": encoding, "dates": dates, "decimal": decimal}
    OneClassQuestion(**asked | {"normal": None}).check()
    table = read_table(data, dialect=dialect_of(written | {"missing": names(missing) if missing else []}))
    place = Path(folder or f"{table.name}-oneclass")
    check_folder(place, force)
    out.note("reading", f"{table.name}  {table.rows} rows x {len(table.columns)} columns")
    out.reading_notes(table)
    found = run(table, progress=out.progress, tell=out.note, **asked)
    tell_results(out, found, time.perf_counter() - start)
    page = one_class_report(found, command_of("oneclass", data, asked | written | {"missing": names(missing)}))
    columns = {
        "prediction": [1 if score >= 0 else -1 for score in found.scores.tolist()],
        "score": found.scores.tolist(),
        "learnt": found.inside.tolist(),
    }
    files = write_files(found, columns, place, "oneclass", page, force)
    out.result("wrote", f"{place}/  " + "  ".join(file.name for file in files))
    out.document({**found.metrics, "files": [str(file) for file in files]})


def tell_results(out: Output, found: Any, seconds: float) -> None:
    metrics = found.metrics
    if metrics["target"] is not None:
        what = "says which rows are of the class" if metrics["normal"] is not None else "stands aside (--normal LABEL)"
        out.note("target", f"{metrics['target']!r} is not learnt from: it {what}")
    for note in metrics["columns_left_out"]:
        out.note("column", f"{note['column']!r} {note['what']}: {note['why']}")
    out.note("learnt", f"{metrics['rows']} rows of the class  ({seconds:.2f} s)")
    low, high = (100 * end for end in metrics["interval"])
    share = f"{100 * metrics['accepted']:.1f} % [{low:.1f}, {high:.1f}] of rows left out"
    out.result("accepted", f"{share}, {100 * metrics['acceptance']:g} % wanted   {metrics['title']}")
    negatives = metrics["negatives"]
    if negatives is not None:
        accepted = f"{100 * negatives['accepted']:.1f} % of {negatives['rows']} accepted"
        out.result("negatives", f"{accepted}   AUC {negatives['auc']:.3f}   EER {100 * negatives['eer']:.1f} %")
    if metrics["phantom_auc"] is not None:
        out.result("phantoms", f"AUC {metrics['phantom_auc']:.3f} of rows left out against phantoms")
    out.result("outliers", "rows " + ", ".join(map(str, metrics["least_typical"][:8])) + " are the least typical")
